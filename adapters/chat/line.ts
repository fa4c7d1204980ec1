import type { Cell, Inline, LinksElement, ProgressElement } from "#contract/card.ts";

import { splitMoments } from "#src/base/moments.ts";
import type { Words } from "#src/base/words/en.ts";

import type { Flow, Line, Small } from "../document/tree.ts";
import { cellText, signOf } from "./card-text.ts";
import { cleanText } from "./text.ts";

/** Data as it is, with moments in the reader's own time; an empty text is no node at all. */
export function words(text: string): Line {
  return splitMoments(cleanText(text)).map((part) =>
    typeof part === "string" ? { type: "text", value: part } : { type: "moment", ...part },
  );
}

export function bold(text: string): Line {
  return wrapped("strong", text);
}

export function italic(text: string): Line {
  return wrapped("emphasis", text);
}

export function struck(text: string): Line {
  return wrapped("delete", text);
}

function wrapped(type: "strong" | "emphasis" | "delete", text: string): Line {
  const children = words(text);
  return children.length === 0 ? [] : [{ type, children }];
}

/** A text that opens an address; the bare text where there is none. */
export function linked(text: string, url: string | undefined): Line {
  if (url === undefined) return words(text);
  const value = cleanText(text);
  return [{ type: "link", url, children: value === "" ? [] : [{ type: "text", value }] }];
}

/** An address that chats may link: http or https, well formed, of visible characters only. */
export function webAddress(href: string): string | undefined {
  const isSafe = /^https?:\/\/[^\s<>"]+$/i.test(href) && href === cleanText(href) && URL.canParse(href);
  return isSafe ? href : undefined;
}

export function small(line: Line): Small {
  return { type: "small", children: line };
}

/** A text without formatting, line by line. */
export function plainFlow(text: string): Flow[] {
  return cleanText(text)
    .split("\n")
    .map((line) => words(line));
}

export function code(text: string, lang?: string): Flow {
  return { type: "code", value: cleanText(text), ...(lang === undefined ? {} : { lang }) };
}

function badgeLine({ text, tone, href }: Inline): Line {
  return [...words(signOf(tone)), ...linked(text, href)];
}

/** Badges, each set apart from what stands before it. */
export function badgeLines(items: readonly Inline[] = []): Line {
  return items.flatMap((item) => [...words("  "), ...badgeLine(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellLine(value: Cell, say: Words): Line {
  if (value === null || value === "") return italic(say.cards.none);
  return typeof value === "object" ? badgeLine(value) : words(cellText(value, say));
}

/** Links side by side. */
export function linksLine(items: LinksElement["items"]): Line {
  return items.flatMap(({ label, href }, index) => [
    ...words(index === 0 ? "" : "  ·  "),
    ...linked(label, href),
  ]);
}

/** A bar of some characters where both numbers can be drawn, else the amount alone. */
export function progressLine(
  { label, value, total }: Omit<ProgressElement, "type">,
  bar: number,
  { cards: say }: Words,
): Line {
  const lead = label === "" ? [] : [...bold(label), ...words("  ")];
  if (total === undefined) return [...lead, ...words(String(value))];
  const amount = say.amountOf(value, total);
  const share = total > 0 ? value / total : Number.NaN;
  if (!Number.isFinite(share)) return [...lead, ...words(amount)];
  const full = Math.round(Math.min(Math.max(share, 0), 1) * bar);
  return [...lead, ...words(`${"█".repeat(full)}${"░".repeat(bar - full)}  ${amount}`)];
}
