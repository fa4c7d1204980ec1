import type { Cell, Inline } from "#contract/card.ts";

import { cellText, signOf } from "../../chat/inline.ts";
import { italic, linked, words } from "./rich.ts";
import type { Line } from "./rich.ts";

export function badgeLine(item: Inline): Line {
  return [...words(signOf(item.tone)), ...linked(item.text, item.href)];
}

/** Pieces of text side by side. */
export function badgeLines(items: readonly Inline[] | undefined): Line {
  return (items ?? []).flatMap((item) => [...words("  "), ...badgeLine(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellLine(value: Cell): Line {
  if (value === null || value === "") return italic("none");
  return typeof value === "object" ? badgeLine(value) : words(cellText(value));
}
