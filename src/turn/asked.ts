import type { Card, CardElement, FieldsElement, SectionElement, TableElement } from "#contract/card.ts";

import { ABOUT_LINKS, WHY_NOT } from "../base/asked-links.ts";
import { isQuestion, MOST_ASKED, passagesFor, questionIn } from "../base/passage.ts";
import { labelText } from "../base/statement.ts";
import { oneLine } from "../base/text.ts";
import type { Words } from "../base/words/en.ts";

/** What people ask of a record, and the fields that answer it: of an issue, or of a page. */
const ASKED: readonly (readonly [RegExp, ...labels: string[]])[] = [
  [
    /\b(?:who|which (?!issues|tickets|bugs|ones)\w+)\b.*\b(?:reported|opened|created|raised|filed|logged|wrote)\b|\b(?:reporter|reported by)\b/i,
    "Reporter",
    "Created",
  ],
  [
    /\bwho(?:['’]?s|se)?\b.*\b(?:assigned|has|have|owns?|owner|responsible|got (?:it|this|that)|(?:is|['’]s) (?:it|this|that) with|on (?:it|this|[A-Z]\w*-\d+)|doing|does|tak(?:es|ing|en)|handl(?:es|ing)|look(?:s|ing) after|work(?:s|ing) on|plate|in charge)\b|\bassignee\b|\bwho(?:['’]?s|\s+is)\s+on\s+the\s+\w|\b(?:was|is)\s+(?:that|it)\s+\p{L}+['’]s\W*$|\b(?:does|is|has)\s+(?:any|some)(?:one|body)\b.*\b(?:work(?:s|ing)?|doing|busy|on (?:it|this|that|[A-Z]\w*-\d+))\b|^\W*(?:is|are)\s+(?:any|some)(?:one|body)\s+(?:already\s+)?on\b/iu,
    "Assignee",
  ],
  [
    /\bwhen\b.*\b(?:due|deadline|has to be|needed|supposed to)\b|\bwhen will\b.*\b(?:done|ready|finished|live|fixed|solved|out)\b|^\W*eta\W*$|\b(?:due date|deadline)\b|\b(?:is due|overdue)\b|^\W*(?:is|are|was)\b[^.?!]*\bdue\b/i,
    "Due",
  ],
  [
    /\b(?:when|how long ago)\b.*\b(?:created|opened|reported|raised|filed|logged)\b|\bhow old\b|\bhow long\b.*\bopen\b/i,
    "Created",
  ],
  [
    /\b(?:when|last)\b.*\b(?:updated|changed|touched|edited)\b|\blast (?:change|edit|update)\b|\bwho\b.*\b(?:updated|changed|edited|touched)\b/i,
    "Updated",
    "Last change",
  ],
  [
    /\b(?:which|what)\s+(?:are\s+(?:the|its)\s+)?(?:labels?|tags?)\b|\blabels? (?:does|has|of|on)\b/iu,
    "Labels",
  ],
  [/\b(?:which|what)\b.*\bepic\b/i, "Epic"],
];

/** What people ask of how a record became as it is, with the field whose changes tell. */
const ABOUT_CHANGES: readonly (readonly [RegExp, field: RegExp])[] = [
  [
    /\b(?:who|when|how long)\b.*\b(?:set|made?|changed?|raised?|lowered?|bumped?|become|became|went|go|got|been)\b.*\b(?:priority|prio|highest|high|medium|lowest|low)\b/i,
    /^priority$/i,
  ],
  [/\bwho assigned\b|\b(?:when|how long)\b.*\bassigned\b/i, /^assignee$/i],
  [
    /\b(?:who|when)\b(?! (?:will|should|can|must|does|do|is due)\b).*\b(?:closed?|finished|resolved?|fixed|solved|rejected|reopened?|started?|moved?|decided)\b|\b(?:who|when|how long)\b(?! (?:will|should|can|must|is due)\b).*\b(?:set|put|sent|moved?|changed?|went|go|got|been)\b.*\b(?:status|in(?:to)? progress|in(?:to)? review|won['’]t do)\b|\bsince when\b.*\b(?:in progress|in review|to do|backlog|done|closed|rejected)\b/i,
    /^status$/i,
  ],
];
const ABOUT_BADGES =
  /\b(?:status|state|priority|prio|type|kind)\b|^\W*(?:(?:and|so)\s+)?(?:is|are|was|has|have)\s+(?!.*\b(?:who|what|when)\b)[^.?!,]*\b(?:done|closed|finished|started|begun|open|resolved|fixed|in (?:progress|review))(?:\s+(?:yet|already|now|by now|again))?\W*$|\bis (?:it|this|[A-Z]\w*-\d+) an? (?:bug|task|story|epic)\b/i;
const ABOUT_COMMENTS =
  /\bcomment(?:s|ed)?\b|\bdid\s+(?:any|some)(?:one|body)\s+(?:answer|reply|react|respond)\b|\bwh?at did (?!it\b|this\b|that\b|the\b)\p{L}+ (?:(?:just|last|then|really) )?(?:say|write|answer|reply|complain|mention|ask)\b|\blast (?:thing|words?)\b.*\b(?:wrote|said|posted)\b|\bwh?at was it \p{L}+ (?:said|wrote)\b|\bwho (?:else )?(?:has )?(?:written|wrote|said (?:something|anything))\b.*\b(?:on|to|about|under) (?:it|this|that)\b/iu;
const QUESTION = /\?|^\W*(?:(?:and|so)\s+)?(?:what|which|who|is|are|does|do|has|have|show|list|tell)\b/i;
/** A passage with less of a question is more often wrong than right. */
const LEAST_SHARE = 0.5;
const MOST_OF_IT = 0.5;
const MOST_LINKS = 5;

/** What of a record answers a question. */
interface Asked {
  parts: string[];
  /** How much of the question a passage of its text has, some 1 for all of it. */
  share: number;
}

/** "Who does the beta test and when is it due?" asks two things. */
const ONE_AND_MORE =
  /\s*[,;]?\s+and\s+(?=(?:(?:since|by|until)\s+when|who|whose|when|what|which|how|why|is\s+it|did\s+(?:any|some)(?:one|body))\b)/i;
const MOST_QUESTIONS = 3;

/**
 * What a question about a record asks for, of its card: "Assignee: Ben Okafor", "is blocked by OPS-4 Database disk", or the
 * sentence of its text that answers. Empty where it is about none of its parts, or where there is none.
 */
export function askedOf({ elements }: Card, message: string, say: Words): Asked {
  // "The last comment, and who wrote it" asks nothing about the record.
  const inTurn = ABOUT_COMMENTS.test(message)
    ? [askedComments, askedChange, askedField, askedBadges, askedLinks]
    : [askedBoxes, askedChildren, askedChange, askedField, askedBadges, askedLinks];
  const partsOf = (question: string): string[] =>
    inTurn.map((part) => part(elements, question, say)).find((said) => said.length > 0) ?? [];
  const questions = message.length > MOST_ASKED ? [message] : message.split(ONE_AND_MORE);
  const each = questions.length > MOST_QUESTIONS ? [] : questions.map(partsOf);
  // Where one of them is none of a record's, all of it is one question.
  const parts = each.length > 1 && each.every((said) => said.length > 0) ? each.flat() : partsOf(message);
  if (parts.length > 0) return { parts: [...new Set(parts)], share: 1 };
  return ABOUT_COMMENTS.test(message) ? { parts: [], share: 0 } : askedPassage(elements, message, say);
}

/** Whether a card is of something that people read, and of no issue. */
export function isPageCard({ elements }: Card, say: Words): boolean {
  return elements.some(({ type }) => type === "fields") && !isIssue(elements, say);
}

/** The boxes of a text that are not ticked, or those that are. */
function askedBoxes(elements: readonly CardElement[], message: string): string[] {
  if (message.length > MOST_ASKED || !ABOUT_BOXES.test(message) || !isQuestion(message)) return [];
  const boxes = textsOf(elements)
    .flatMap((text) => text.split("\n"))
    .flatMap((line) => {
      const [, mark, said = ""] = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[([ xX])\]\s+(.+)$/.exec(line) ?? [];
      return mark === undefined ? [] : [{ isTicked: mark !== " ", said }];
    });
  const isTicked = !NOT_TICKED.test(message);
  return boxes
    .filter((box) => box.isTicked === isTicked)
    .slice(0, MOST_BOXES)
    .map(({ said }) => `${isTicked ? "☑" : "☐"} ${oneLine(said, 240)}`);
}

const ABOUT_BOXES =
  /\b(?:un)?ticked\b|\bunchecked\b|\bcrossed off\b|\b(?:boxes|check ?list|to-?dos?|action items?|open points)\b|\bstill\s+(?:missing|open|to do|left|outstanding)\b|\bmissing\s+(?:in|on|from)\b|\bleft to do\b/i;
const NOT_TICKED =
  /\b(?:not|un\w+|still|open|missing|left|to-?dos?|remaining|outstanding)\b|\b(?:is|are|was|has|have)n['’]?t\b/i;
const MOST_BOXES = 8;

/** The pages below a page. */
function askedChildren(elements: readonly CardElement[], message: string, say: Words): string[] {
  if (message.length > MOST_ASKED || !ABOUT_CHILDREN.test(message)) return [];
  const section = sectionOf(elements, (amount) => say.views.pagesBelow(amount));
  const items = section?.elements.flatMap((element) => (element.type === "list" ? element.items : [])) ?? [];
  return items.slice(0, MOST_BOXES).map(({ text }) => text);
}

const ABOUT_CHILDREN =
  /\b(?:child|sub)[- ]?pages?\b|\b(?:which|what|any)\b.*\bpages?\b.*\b(?:under|below|beneath|inside)\b/i;

/** What stands in sections and outside of them. */
function textsOf(elements: readonly CardElement[]): string[] {
  return elements
    .flatMap((element) => (element.type === "section" ? element.elements : [element]))
    .flatMap((element) => (element.type === "text" ? [element.text] : []));
}

function askedField(elements: readonly CardElement[], message: string, say: Words): string[] {
  const [, ...labels] = ASKED.find(([pattern]) => pattern.test(message)) ?? [];
  const fields = elements.find((element): element is FieldsElement => element.type === "fields");
  // A record has one of these.
  const item = labels
    .map((label) => fields?.items.find((one) => one.label === labelText(label, say)))
    .find((one) => one !== undefined);
  if (!item || item.value === null) {
    const [label] = labels;
    const isMissing = label !== undefined && MAY_BE_UNSET.has(label) && QUESTION.test(message);
    return isMissing && isIssue(elements, say) ? [say.reply.notSet(labelText(label, say))] : [];
  }
  return [`${item.label}: ${typeof item.value === "object" ? item.value.text : String(item.value)}`];
}

/** Who closed it did not reopen it. */
const ENDS = /\b(?:closed?|finished|resolved?|fixed|solved|rejected)\b/i;
const ENDED = /\b(?:done|closed|resolved|finished|won['’]t|rejected|cancel\p{L}*)/iu;
const MAY_BE_UNSET: ReadonlySet<string> = new Set(["Due", "Epic", "Labels"]);

/** The newest change of the field that is asked about, to the value where one is named. */
function askedChange(elements: readonly CardElement[], message: string, say: Words): string[] {
  const [, field] = ABOUT_CHANGES.find(([pattern]) => pattern.test(message)) ?? [];
  const section = sectionOf(elements, (amount) => say.views.history(amount));
  const table = section?.elements.find((element): element is TableElement => element.type === "table");
  if (field === undefined || table === undefined) return [];
  const changes = table.rows
    .map((row) => row.map((cell) => (cell === null || typeof cell === "object" ? "" : String(cell))))
    .filter(([, , name = ""]) => field.test(name))
    .filter(([, , , , to = ""]) => !ENDS.test(message) || ENDED.test(to));
  const isNamed = ([, , , , to = ""]: string[]): boolean =>
    to !== "" && new RegExp(`\\b${to.replaceAll(/[^\p{L}\p{N} ]/gu, ".")}\\b`, "iu").test(message);
  const [at = "", who = "", name = "", from = "", to = ""] = changes.find(isNamed) ?? changes[0] ?? [];
  return name === ""
    ? []
    : [say.reply.changedBy(capital(name), from, to, [who, at].filter((part) => part !== "").join(", "))];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
    // Of two records that are named, the other one may say it.
    return isIssue(elements, say) &&
      QUESTION.test(message) &&
      !WHY_NOT.test(message) &&
      (message.match(/\b[A-Z]\w*-\d+\b/g)?.length ?? 0) < 2
      ? [say.reply.noSuchLink]
      : [];
  return meant
    .slice(0, MOST_LINKS)
    .map(({ text, detail = "" }) =>
      `${detail} ${text}`.trim().replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    );
}

/** How many there are, and the newest, of whom the message names if they wrote one. */
function askedComments(elements: readonly CardElement[], message: string, say: Words): string[] {
  if (!ABOUT_COMMENTS.test(message)) return [];
  const section = sectionOf(elements, (amount) => say.views.comments(amount));
  const all =
    section?.elements.filter((element): element is SectionElement => element.type === "section") ?? [];
  const words = new Set(plain(message).match(/\p{L}+/gu));
  const isNamed = ({ title }: SectionElement): boolean => words.has(/^\p{L}+/u.exec(plain(title))?.[0] ?? "");
  const newest = all.find(isNamed) ?? all[0];
  if (section === undefined)
    return isIssue(elements, say) && QUESTION.test(message) ? [say.reply.noComments] : [];
  if (newest === undefined) return [];
  const text = newest.elements.map((element) => (element.type === "text" ? element.text : "")).join(" ");
  return [section.title, `${newest.title}: “${text.trim()}”`];
}

/** In small letters without their marks: "chloe" is Chloé. */
function plain(text: string): string {
  return text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** What a page or an issue says that answers. */
function askedPassage(elements: readonly CardElement[], message: string, say: Words): Asked {
  const header = elements.find((element) => element.type === "header");
  const isRecord = elements.some(({ type }) => type === "fields");
  if (!isQuestion(message) || header === undefined || !isRecord) return { parts: [], share: 0 };
  const isOfIssue = isIssue(elements, say);
  const comments = isOfIssue ? sectionOf(elements, (amount) => say.views.comments(amount)) : undefined;
  const text = textsOf([...elements, ...(comments?.elements ?? [])]).join("\n\n");
  const { passages, share } = passagesFor(text, {
    title: header.text,
    question: questionIn(message.replace(OF_RECORD, "")),
    now: new Date(),
    // What an issue is about stands in its title already.
    ...(isOfIssue ? { least: MOST_OF_IT } : {}),
  });
  return share < LEAST_SHARE
    ? { parts: [], share: 0 }
    : { parts: passages.map((passage) => `“${passage}”`), share };
}

/** "What does the beta test ticket say: how many …", "according to the description of DEMO-10, what …" */
const OF_RECORD =
  /^\W*(?:what\s+does\s+[^:,.?]{3,80}?\s+say\s*[:,–-]|according\s+to\s+[^:,.?]{3,80}?,|in\s+the\s+(?:ticket|issue|bug|story|task|description|comments?)\b[^:,.?]{0,80}?,|[A-Za-z]\w*-\d+\s*[,:–-])\s*(?=\p{L})/iu;

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
