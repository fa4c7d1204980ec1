import type { Button, ContainerBlock, KnownBlock, SectionBlock } from "@slack/types";

import type { Card, CardElement, ChangesElement, HeaderElement } from "#contract/card.ts";
import { splitMoments } from "#src/base/moments.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { type ButtonSpec, foldValue, toButton } from "../../chat/actions.ts";
import { badgeText, cellText, glimpse, jsonSide } from "../../chat/card-text.ts";
import { progressLine, webAddress } from "../../chat/line.ts";
import { cleanText } from "../../chat/text.ts";
import { drawElement, type ElementDrawers, textOf, unlinked } from "../../document/tree.ts";
import { buttonBlocks, fitsButton, lineWithButton, readActionId } from "./buttons.ts";
import { BAR, type Budget, LIMITS, PIECE } from "./limits.ts";
import { contextBlocks, plain, safeUrl } from "./rich.ts";
import { costOf, weigh } from "./text.ts";

/*
 * A request for approval as one `container`: its statement is the title, then what changes, who may decide,
 * and the buttons. The reference lets a container hold rich text; the check that Slack makes does not, so
 * all that is data stands in plain text, which formats nothing.
 */

type Child = ContainerBlock["child_blocks"][number];

/** Undefined where an element has no place in a container: the card is drawn in blocks of its own then. */
type Children = Child[] | undefined;

interface Place {
  /** Under which the adapter finds what is folded; undefined where it could not be found again. */
  ref: string | undefined;
  path: string;
  say: Words;
}

/** A longer text makes the request longer than a screen: it is drawn in blocks that fold. */
const LONG_TEXT = 1200;
/** A value that stands beside its label rather than below it. */
const SHORT_VALUE = 160;

/** Undefined where the card does not fit the limits of a container, or the budget. */
export function renderContainer(
  card: Card,
  { ref, budget, buttons: more = [] }: { ref?: string; budget: Budget; buttons?: readonly ButtonSpec[] },
): ContainerBlock | undefined {
  const header = card.elements.find((element) => element.type === "header");
  const title = oneLine(cleanText(header?.text ?? card.title));
  if (title === "" || title.length > LIMITS.container.title) return undefined;

  const say = wordsOf(card.language);
  const children: Child[] = [];
  for (const [index, element] of card.elements.entries()) {
    if (element === header || element.type === "actions" || element.type === "links") continue;
    const drawn = drawElement(element, CHILDREN, { ref, path: String(index), say });
    if (drawn === undefined) return undefined;
    children.push(...drawn);
  }
  const buttons = [...card.elements.flatMap(actionsOf), ...more];
  const row = buttonRow(buttons, linksOf(card, header, say));
  if (row === undefined) return undefined;
  children.push(...row);
  numberActions(children);

  const subtitle = header === undefined ? "" : subtitleOf(header);
  const container: ContainerBlock = {
    type: "container",
    title: plain(title, LIMITS.container.title),
    ...(subtitle === "" ? {} : { subtitle: plain(subtitle, LIMITS.container.title) }),
    child_blocks: children,
    has_header_divider: true,
  };
  const fits =
    children.length > 0 &&
    children.length <= LIMITS.container.children &&
    countBlocks([container]) <= budget.blocks &&
    weigh(container) <= budget.chars;
  return fits ? container : undefined;
}

/** An `action_id` may occur once in a container, as in any block. */
function numberActions(children: readonly Child[]): void {
  const seen = new Map<string, number>();
  for (const child of children) {
    if (child.type !== "actions") continue;
    for (const element of child.elements) {
      const name = readActionId(element.action_id ?? "") ?? "";
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      if (count > 1) element.action_id = `cs:${name}:${count}`;
    }
  }
}

/** Those in a container count as well: nothing says that they do not. */
export function countBlocks(blocks: readonly KnownBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + 1 + (block.type === "container" ? block.child_blocks.length : 0),
    0,
  );
}

function subtitleOf({ eyebrow = "", badges = [] }: HeaderElement): string {
  const parts = [eyebrow, ...badges.map(badgeText)].filter((part) => part.trim() !== "");
  return cutText(oneLine(cleanText(parts.join("  ·  "))), LIMITS.container.title);
}

function actionsOf(element: CardElement): ButtonSpec[] {
  return element.type === "actions" ? element.items.map(toButton) : [];
}

interface Address {
  label: string;
  url: string;
}

/** What the card is about, to be opened. */
function linksOf(card: Card, header: HeaderElement | undefined, say: Words): Address[] {
  const all = [
    ...(header?.href === undefined ? [] : [{ label: say.buttons.open, href: header.href }]),
    ...card.elements.flatMap((element) => (element.type === "links" ? element.items : [])),
  ];
  const byUrl = new Map<string, string>();
  for (const { label, href } of all) {
    const url = safeUrl(href);
    // The card's own words for it are better than ours.
    if (url !== undefined) byUrl.set(url, label);
  }
  return [...byUrl].map(([url, label]) => ({ url, label }));
}

/** One row with all buttons, those that open an address last; undefined where they are more than a row. */
function buttonRow(specs: readonly ButtonSpec[], links: readonly Address[]): Children {
  const [row, ...rest] = buttonBlocks(specs);
  if (rest.length > 0 || (row !== undefined && row.type !== "actions")) return undefined;
  const opens = links.map(({ label, url }, index): Button => ({
    type: "button",
    text: plain(oneLine(label), LIMITS.button.text),
    action_id: index === 0 ? "cs:open" : `cs:open:${index + 1}`,
    url,
  }));
  const elements = [...(row?.elements ?? []), ...opens];
  if (elements.length > LIMITS.actionsElements) return undefined;
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
}

const CHILDREN: ElementDrawers<Children, Place> = {
  header: ({ text, badges = [] }) => sectionOf([text, ...badges.map(badgeText)].join("  ·  ")),
  fields: ({ items }, { say }) =>
    pairs(
      items.map(({ label, value }) => [
        label,
        typeof value === "object" && value?.href !== undefined
          ? unlinked(cellText(value, say), webAddress(value.href) ?? "")
          : cellText(value, say) || say.cards.none,
      ]),
    ),
  text: ({ text, format = "plain", folded = false }, place) =>
    format === "plain" ? textChildren(inPlainText(text, place.say), folded, place) : undefined,
  changes: ({ items }, { say }) => together(items.map((item) => changeChildren(item, say))),
  list: ({ items, ordered = false }, { say }) =>
    textChildren(
      items
        .map(({ text, badges = [], detail = "" }, index) =>
          [ordered ? `${index + 1}.` : "•", text, ...badges.map(badgeText), detail]
            .filter((part) => part !== "")
            .join(" "),
        )
        .map((line) => inPlainText(line, say))
        .join("\n"),
      false,
      undefined,
    ),
  chart: ({ title, alt }) => sectionOf(`${title}\n${alt}`),
  progress: (element, { say }) => sectionOf(textOf(progressLine(element, BAR, say))),
  error: ({ message, detail = "" }) => sectionOf(`⚠️ ${message}${detail === "" ? "" : `\n${detail}`}`),
  footer: ({ text }) => contextOf(text),
  section({ title: said, role, folded = false, elements }, place) {
    const title = oneLine(cleanText(said)) || place.say.cards.more;
    const value = place.ref === undefined ? "" : foldValue(place.ref, place.path);
    if (folded && fitsButton(value)) {
      const hint = glimpse(elements, place.say);
      const line = hint === "" ? title : `${title}\n${hint}`;
      const label = place.say.buttons.showAll;
      return [lineWithButton(line, { action: "show_all", label, value }) as SectionBlock];
    }
    const inner = elements.map((element, index) =>
      drawElement(element, CHILDREN, { ...place, path: `${place.path}.${index}` }),
    );
    return together([role === "item" ? sectionOf(title) : contextOf(title), ...inner]);
  },
  // Each needs more than plain text, or a page of its own.
  code: () => undefined,
  table: () => undefined,
  links: () => undefined,
  actions: ({ items }) => buttonRow(items.map(toButton), []),
};

/** A container shows nobody their own time. */
function inPlainText(text: string, say: Words): string {
  return splitMoments(text)
    .map((part) => (typeof part === "string" ? part : say.moment(new Date(part.at))))
    .join("");
}

function together(all: readonly Children[]): Children {
  const children: Child[] = [];
  for (const drawn of all) {
    if (drawn === undefined) return undefined;
    for (const child of drawn) {
      const last = children.at(-1);
      const joined = last === undefined ? undefined : joinPairs(last, child);
      if (joined === undefined) children.push(child);
      else children[children.length - 1] = joined;
    }
  }
  return children;
}

/** Pairs of several elements in one section, as long as it takes them. */
function joinPairs(above: Child, below: Child): Child | undefined {
  if (above.type !== "section" || below.type !== "section") return undefined;
  if (above.fields === undefined || below.fields === undefined) return undefined;
  const fields = [...above.fields, ...below.fields];
  return fields.length <= LIMITS.sectionFields ? { type: "section", fields } : undefined;
}

function sectionOf(text: string): Children {
  if (text.trim() === "") return [];
  return costOf(cleanText(text)) > LONG_TEXT ? undefined : [{ type: "section", text: plain(text) }];
}

function contextOf(text: string): Children {
  const [context, ...rest] = contextBlocks([text]);
  if (rest.length > 0) return undefined;
  return context?.type === "context" ? [context] : [];
}

function textChildren(text: string, folded: boolean, place: Place | undefined): Children {
  // What folds is drawn in blocks that fold.
  return folded && place?.ref !== undefined && text.length > SHORT_VALUE * 3 ? undefined : sectionOf(text);
}

/** Label and value side by side, five to a section. */
function pairs(items: readonly (readonly [label: string, value: string])[]): Children {
  const children: Child[] = [];
  for (let from = 0; from < items.length; from += LIMITS.sectionFields / 2) {
    const fields = items
      .slice(from, from + LIMITS.sectionFields / 2)
      .flatMap(([label, value]) => [plain(label), plain(value)]);
    if (fields.some(({ text }) => text.length > LIMITS.fieldText) || weigh(fields) > PIECE * 2) {
      return undefined;
    }
    children.push({ type: "section", fields });
  }
  return children;
}

/** Short values side by side; long ones whole, one below the other. */
function changeChildren({ label, before, after }: ChangesElement["items"][number], say: Words): Children {
  const [was, will] = [before, after].map((side) =>
    side === undefined ? "" : cleanText(jsonSide(side, say)),
  );
  if (was === undefined || will === undefined) return undefined;
  const isShort = was.length + will.length <= SHORT_VALUE && !/\n/.test(was + will);
  const isOneSided = before === undefined || after === undefined;
  if (isShort) return pairs([[label, isOneSided ? `${was}${will}` : `${was} → ${will}`]]);
  if (isOneSided || before === null || before === "") return sectionOf(`${label}\n${will || was}`);
  return together([
    sectionOf(`${label}, ${say.cards.before}\n${was}`),
    sectionOf(`${label}, ${say.cards.after}\n${will}`),
  ]);
}
