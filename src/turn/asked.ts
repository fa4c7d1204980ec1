import type { Card, CardElement, FieldsElement, SectionElement } from "#contract/card.ts";

import { ABOUT_LINKS } from "../base/asked-links.ts";
import { labelText } from "../base/statement.ts";
import type { Words } from "../base/words/en.ts";

/** What people ask of a record, and the fields that answer it: of an issue, or of a page. */
const ASKED: readonly (readonly [RegExp, ...labels: string[]])[] = [
  [
    /\bwho\b.*\b(?:reported|opened|created|raised|filed|logged|wrote)\b|\b(?:reporter|reported by)\b/i,
    "Reporter",
    "Created",
  ],
  [
    /\bwho(?:['’]?s|se)?\b.*\b(?:assigned|has|have|owns?|owner|responsible|on it|doing|does|tak(?:es|ing|en)|handl(?:es|ing)|look(?:s|ing) after|work(?:s|ing) on|plate|in charge)\b|\bassignee\b/i,
    "Assignee",
  ],
  [
    /\bwhen\b.*\b(?:due|deadline|has to be|needed|supposed to)\b|\b(?:due date|deadline)\b|\b(?:is due|overdue)\b/i,
    "Due",
  ],
  [/\b(?:when|how long ago)\b.*\b(?:created|opened|reported|raised|filed|logged)\b|\bhow old\b/i, "Created"],
  [
    /\b(?:when|last)\b.*\b(?:updated|changed|touched|edited)\b|\blast (?:change|edit|update)\b|\bwho\b.*\b(?:updated|changed|edited)\b/i,
    "Updated",
    "Last change",
  ],
  [/\b(?:which|what)\b.*\b(?:labels?|tags?)\b/i, "Labels"],
  [/\b(?:which|what)\b.*\bepic\b/i, "Epic"],
];

const ABOUT_BADGES =
  /\b(?:status|state|priority|prio|type|kind)\b|\bis (?:it|this|[A-Z]\w*-\d+) an? (?:bug|task|story|epic)\b/i;
const ABOUT_COMMENTS = /\bcomment(?:s|ed)?\b|\bwhat did (?!it\b|this\b|that\b|the\b)\p{L}+ (?:say|write)\b/iu;
const QUESTION = /\?|^\W*(?:(?:and|so)\s+)?(?:what|which|who|is|are|does|do|has|have|show|list|tell)\b/i;
const MOST_LINKS = 5;

/**
 * What a question about a record asks for, of its card: "Assignee: Ben Okafor", "is blocked by OPS-4 Database disk". Empty
 * where it is about none of its parts, or where there is none.
 */
export function askedPart({ elements }: Card, message: string, say: Words): string[] {
  return (
    [askedField, askedBadges, askedLinks, askedComments]
      .map((part) => part(elements, message, say))
      .find((said) => said.length > 0) ?? []
  );
}

function askedField(elements: readonly CardElement[], message: string, say: Words): string[] {
  const [, ...labels] = ASKED.find(([pattern]) => pattern.test(message)) ?? [];
  const fields = elements.find((element): element is FieldsElement => element.type === "fields");
  // A record has one of these.
  const item = labels
    .map((label) => fields?.items.find((one) => one.label === labelText(label, say)))
    .find((one) => one !== undefined);
  if (!item || item.value === null) return [];
  return [`${item.label}: ${typeof item.value === "object" ? item.value.text : String(item.value)}`];
}

/** Status, type and priority stand beside the title. */
function askedBadges(elements: readonly CardElement[], message: string): string[] {
  if (!ABOUT_BADGES.test(message)) return [];
  const badges = elements.flatMap((element) => (element.type === "header" ? (element.badges ?? []) : []));
  return badges.length === 0 ? [] : [badges.map(({ text }) => text).join(" · ")];
}

function askedLinks(elements: readonly CardElement[], message: string, say: Words): string[] {
  const kinds = ABOUT_LINKS.flatMap(([pattern, kind]) => (pattern.test(message) ? [kind] : []));
  const section = sectionOf(elements, (amount) => say.views.linked(amount));
  const links = section?.elements.flatMap((element) => (element.type === "list" ? element.items : [])) ?? [];
  const meant = links.filter(({ detail = "" }) => kinds.some((kind) => kind.test(detail)));
  // What else was read has no links that could be missing.
  if (kinds.length > 0 && meant.length === 0)
    return isIssue(elements, say) && QUESTION.test(message) ? [say.reply.noSuchLink] : [];
  return meant
    .slice(0, MOST_LINKS)
    .map(({ text, detail = "" }) =>
      `${detail} ${text}`.trim().replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    );
}

/** How many there are, and the newest. */
function askedComments(elements: readonly CardElement[], message: string, say: Words): string[] {
  if (!ABOUT_COMMENTS.test(message)) return [];
  const section = sectionOf(elements, (amount) => say.views.comments(amount));
  const newest = section?.elements.find((element): element is SectionElement => element.type === "section");
  if (section === undefined)
    return isIssue(elements, say) && QUESTION.test(message) ? [say.reply.noComments] : [];
  if (newest === undefined) return [];
  const text = newest.elements.map((element) => (element.type === "text" ? element.text : "")).join(" ");
  return [section.title, `${newest.title}: “${text.trim()}”`];
}

function isIssue(elements: readonly CardElement[], say: Words): boolean {
  const fields = elements.find((element): element is FieldsElement => element.type === "fields");
  return fields?.items.some(({ label }) => label === labelText("Assignee", say)) === true;
}

/** The section whose title counts so. */
function sectionOf(
  elements: readonly CardElement[],
  titleOf: (amount: number) => string,
): SectionElement | undefined {
  return elements.find(
    (element): element is SectionElement =>
      element.type === "section" && element.title === titleOf(Number(/\d+/.exec(element.title)?.[0])),
  );
}
