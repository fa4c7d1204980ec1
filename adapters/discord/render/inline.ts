import type { Cell, Inline } from "#contract/card.ts";

import { cellText, signOf } from "../../chat/inline.ts";
import { italic, linked, words } from "./lines.ts";
import type { Line } from "./lines.ts";

function badgeSpans({ text, tone, href }: Inline): Line {
  return [...words(signOf(tone)), ...linked(text, href)];
}

/** Badges, each set apart from what stands before it. */
export function badgesSpans(items: readonly Inline[] = []): Line {
  return items.flatMap((item) => [...words("  "), ...badgeSpans(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellSpans(value: Cell): Line {
  if (value === null || value === "") return italic("none");
  return typeof value === "object" ? badgeSpans(value) : words(cellText(value));
}
