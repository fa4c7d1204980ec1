import type { KnownName } from "#contract/plan.ts";

import type { Referents } from "./refer.ts";
import { unquoted } from "./sheet.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

const POLITE = "(?:(?:please|pls|can you|could you|and|also|now|ok)[\\s,]+)*";
const ADD = "(?:add|append|put|write)(?:\\s+(?:this|the\\s+following))?";
const LINE =
  "(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?(?:line|paragraph|sentence|bullet(?:\\s+point)?|point|section|row|item|entry)";
const END = "(?:\\s+(?:at|to)\\s+the\\s+(?:end|bottom))?";
const PAGE = "(?:the\\s+)?page\\s+(?<id>\\d+)(?:\\s+page)?";
const ON_PAGE = '(?:the\\s+|our\\s+)?(?<page>[^\\s,.;:"“”][^,.;:"“”]{1,60}?)';
/** What stands before the text: a colon, or "saying that". */
const SAYS =
  "(?:\\s*:\\s+|,?\\s+(?:saying|(?:that|which)\\s+says|reading|to\\s+say|with\\s+(?:the\\s+)?(?:text|words|content|following))(?:\\s*:)?(?:\\s+that)?\\s+|\\s*[.?!]\\s+(?:the\\s+)?(?:text|content)\\s+(?:is|should\\s+be|would\\s+be)\\s*:?\\s+)";
/** "A section “Open questions”", "a heading called Next steps" */
const SECTION =
  '(?:an?|another)\\s+(?:new\\s+)?(?:section|heading|chapter)\\s+(?:(?:called|named|titled|about)\\s+)?(?:[“"](?<quoted>[^“”"]{2,80})[”"]|(?<heading>[^“”":;,.]{2,60}?))';

/** "Add a line to page 2007: …", "add “…” to the end of page 2007" */
const toPage = (page: string): RegExp[] =>
  [
    `${ADD}\\s+(?:${LINE}${END}\\s+)?(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${page}${END}\\s*:\\s+(?<text>\\S.*)`,
    `${ADD}\\s+${LINE}${END}\\s+(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${page}${END}${SAYS}(?<text>\\S.*)`,
    `${ADD}\\s+${SECTION}${END}\\s+(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${page}${END}(?:${SAYS}|\\s+with\\s+|\\s*\\n\\s*)(?<text>\\S.*)`,
    `${ADD}\\s+["“](?<text>[^"”]+)["”]\\s+(?:(?:at|to)\\s+the\\s+(?:end|bottom)\\s+of|to|on|in)\\s+${page}\\W*`,
    // "The on-call guide: add that …", "the release calendar: …, please write that onto the page"
    `(?:on\\s+)?${page}\\s*:\\s*${POLITE}${ADD}\\s+(?:that\\s+)?(?!(?:an?|the|one)\\s+(?:comment|label)\\b)(?<text>\\S.*)`,
    `(?:on\\s+)?${page}\\s*:\\s*(?<text>\\S.*?)\\s*[,.;]\\s+${POLITE}(?:write|put|add|note)\\s+(?:that|this|it)\\s+(?:on|onto|to|in|into)\\s+(?:the|that)\\s+page\\W*`,
    `(?:on|in|to)\\s+${page}\\s*,?\\s*${POLITE}${ADD}(?:\\s+${LINE})?${END}\\s*:\\s+(?<text>\\S.*)`,
    `on\\s+${page}\\s+there\\s+should\\s+be\\s+["“](?<text>[^"”]+)["”](?:\\s+in\\s+the\\s+[^,.;]{3,30})?(?:\\s*,\\s*(?:can|could)\\s+you\\s+add(?:\\s+(?:it|that))?)?\\W*`,
  ].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));
const TO_PAGE = toPage(PAGE);
const TO_CALLED = toPage(ON_PAGE);
const IT = "(?:\\s+(?:to|in|on|of)\\s+(?:it|that|this|the)(?:\\s+page)?)?";
/** "Add a line at the end: …", of the page on the screen. */
const TO_SHOWN = [
  `${ADD}\\s+(?:to|on|in)\\s+(?:that|this|the)\\s+page${END}\\s*:\\s+(?<text>\\S.*)`,
  `${ADD}\\s+(?:${LINE}${END}${IT}|(?:to|at)\\s+the\\s+(?:end|bottom)(?:\\s+of\\s+(?:it|that|this|the)(?:\\s+page)?)?)${SAYS}(?<text>\\S.*)`,
  `${ADD}\\s+${SECTION}${END}${IT}(?:${SAYS}|\\s+with\\s+|\\s*\\n\\s*)(?<text>\\S.*)`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));

/**
 * What shall stand below the text of a page, as the order for a tool that can add to one: nothing that is there is
 * written over. Undefined where it is no such order.
 */
export function asAppended(
  message: string,
  { thing }: Referents,
  known: readonly KnownName[],
): string | undefined {
  const read = (patterns: readonly RegExp[]): Record<string, string | undefined> | undefined =>
    patterns.map((pattern) => pattern.exec(message)?.groups).find(Boolean);
  const called = read(TO_CALLED);
  const page = called === undefined ? undefined : pageMeant(called["page"] ?? "", known);
  const found = read(TO_PAGE) ?? (page === undefined ? undefined : { ...called, id: page });
  const shown = thing !== undefined && /^\d+$/.test(thing.id) ? read(TO_SHOWN) : undefined;
  const { id = shown === undefined ? undefined : thing?.id, ...said } = found ?? shown ?? {};
  const heading = said["quoted"] ?? said["heading"];
  const own = said["text"]?.trim();
  const below = heading === undefined || own === undefined ? own : `## ${heading.trim()}\n\n${own}`;
  const text = below !== undefined && ROW.test(message) ? asRow(below) : below;
  // In quotes of a kind of their own, so that all of it is text, with the quotes that are in it.
  return id === undefined || text === undefined || /[«»]/.test(text)
    ? undefined
    : `update page ${id}, append «${text}»`;
}

/** What pages are called beside their titles: "the on-call rota", "the onboarding doc". */
const PAGE_NOUNS =
  "page|wiki|doc|docs|document|article|guide|handbook|runbook|checklist|register|rota|table|list|calendar";
const BEHIND = `(?:\\s+(?:${PAGE_NOUNS}))*`;

/** The one page that is called so, or that alone has all of its words. */
export function pageCalled(said: string, known: readonly KnownName[]): KnownName | undefined {
  const lower = said.trim().toLowerCase();
  const pages = known.filter(({ kind }) => kind === "page");
  const exact = pages.filter(({ name }) => name.toLowerCase() === lower);
  const telling = tokenize(said).filter((token) => !STOP_WORDS.has(token.lower));
  const like = pages.filter(({ name }) => {
    const own = new Set(tokenize(name).map(({ stem }) => stem));
    return telling.length > 0 && telling.every(({ stem }) => own.has(stem));
  });
  const [only, ...others] = exact.length > 0 ? exact : like;
  return others.length === 0 ? only : undefined;
}

/** As `pageCalled`, also by what pages are called beside their titles: "the on-call rota" is the On-call guide. */
function pageMeant(said: string, known: readonly KnownName[]): string | undefined {
  const plain = said.replace(new RegExp(`^(?:the|our)\\s+`, "iu"), "");
  const number = /^page\s+(\d+)$/i.exec(plain)?.[1];
  const short = plain.replace(new RegExp(`${BEHIND}$`, "iu"), "");
  return number ?? (pageCalled(plain, known) ?? (short === "" ? undefined : pageCalled(short, known)))?.id;
}

const QUOTE = '["“](?<quoted>[^"“”]{1,2000})["”]';
const HEADED =
  '(?:the\\s+)?(?:(?:section|part|heading|chapter|list)\\s+)?["“]?(?<under>[^\\s,.;:"“”][^,.;:"“”]{1,60}?)["”]?(?:\\s+(?:section|part|heading|chapter|list))?';
const TOLD_TEXT = "(?<text>\\S.*)";
const OLD =
  '(?:(?:the\\s+(?:words?|text|line|sentence)\\s+)?["“](?<old>[^"“”]{1,500})["”]|(?<said>[^,;:"“”]{2,100}?))';
const NOW = '(?:["“](?<new>[^"“”]{1,2000})["”]|(?<now>[^;:"“”]{1,200}?))';
const PART = "(?:line|bullet(?:\\s+point)?|point|item|entry|row|sentence|paragraph|step)";
const ABOUT_PART =
  "(?:about|with|on|for|of|from|that\\s+(?:says|mentions)|which\\s+(?:says|mentions)|saying|mentioning)";
/** "Change … to", and "swap … for": "change the backup for 25 November to Farid" has its "for" within. */
const REPLACED = (where: string): string[] => [
  `(?:replace|change|swap|correct|update|set|fix)\\s+${OLD}${where}\\s+(?:by|with|to|into)\\s+${NOW}`,
  `(?:swap|exchange)\\s+${OLD}${where}\\s+for\\s+${NOW}`,
];
const HERE = "(?:\\s+(?:in|on|from|of|to)\\s+(?:it|there|this|that|(?:the|this|that)\\s+page)|\\s+there)?";
const CLOSE = "(?:\\s+(?:please|pls|again|now))?[\\s.!]*";

/** Each with the page it is for, by what it is called; `under`, `text` and so on as they are said. */
const PAGE_EDITS = [
  `${ADD}\\s+(?:${LINE}\\s+)?${QUOTE}\\s+(?:to|under|in|into|below)\\s+${HEADED}\\s+(?:on|in|of)\\s+${ON_PAGE}${CLOSE}`,
  `${ADD}(?:\\s+${LINE})?\\s+(?:to|under|in|into|below)\\s+${HEADED}\\s+(?:on|in|of)\\s+${ON_PAGE}${SAYS}${TOLD_TEXT}`,
  `(?:in|on)\\s+${ON_PAGE}\\s*,?\\s+${ADD}\\s+${QUOTE}\\s+(?:to|under|in|into|below)\\s+${HEADED}${CLOSE}`,
  `${ADD}\\s+${SECTION.replace("quoted", "title")}${END}\\s+(?:to|on|in|of)\\s+${ON_PAGE}${CLOSE}`,
  ...REPLACED("").flatMap((order) => [
    `(?:in|on)\\s+${ON_PAGE}\\s*,?\\s+${POLITE}${order}${CLOSE}`,
    `${order}\\s+(?:in|on)\\s+${ON_PAGE}${CLOSE}`,
  ]),
  ...REPLACED(`\\s+(?:in|on|of)\\s+${ON_PAGE}`).map((order) => `${order}${CLOSE}`),
  `(?:put|set|write|make)\\s+${NOW}\\s+instead\\s+of\\s+${OLD}\\s+(?:in|on|into)\\s+${ON_PAGE}${CLOSE}`,
  `(?:put|set|write|make|enter)\\s+${NOW}\\s+(?:as|for)\\s+(?:the\\s+)?(?<said>\\S+\\s+(?:for|on|of|in|from)\\s+[^,;:"“”]{2,60}?)\\s+(?:in|on|into)\\s+${ON_PAGE}(?:\\s+instead\\s+of\\s+\\S+)?${CLOSE}`,
  `(?:put|set|write|make|enter)\\s+${NOW}\\s+(?:in\\s+)?(?:as|for)\\s+(?:the\\s+)?(?<column>[\\p{L}-]+)\\s+(?:in|on|into)\\s+${ON_PAGE}\\s+instead\\s+of\\s+(?<former>[^,;:"“”]{2,60}?)${CLOSE}`,
  `(?:remove|delete|drop)\\s+(?<said>[\\p{L}\\s]{2,40}?)['’]s\\s+(?<part>row|entry|line|item|point|bullet)\\s+(?:from|in|on|of|off)\\s+${ON_PAGE}${CLOSE}`,
  `${ON_PAGE}\\s+(?:still\\s+|wrongly\\s+)?says\\s+${OLD}\\s*,?\\s*(?:but\\s+)?(?:(?:it|that)\\s+)?(?:should\\s+(?:be|say)|has\\s+to\\s+be|is\\s+now|make\\s+(?:it|that)|change\\s+(?:it|that)\\s+to)\\s+${NOW}${CLOSE}`,
  `(?:remove|delete|drop|strike|take\\s+out|cross\\s+out)\\s+(?:(?:the\\s+)?(?<part>${PART})\\s+(?:${ABOUT_PART}\\s+)?)?${OLD}\\s+(?:from|in|on|of|off)\\s+${ON_PAGE}${CLOSE}`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));

/** Of the page on the screen. */
const SHOWN_EDITS = [
  `${QUOTE}\\s+(?:to|under|in|into|below)\\s+${HEADED}(?:\\s+(?:too|as\\s+well))?${CLOSE}`,
  `${ADD}\\s+(?:${LINE}\\s+)?${QUOTE}\\s+(?:to|under|in|into|below)\\s+${HEADED}${CLOSE}`,
  `${ADD}(?:\\s+${LINE})?\\s+(?:to|under|into|below)\\s+${HEADED}${SAYS}${TOLD_TEXT}`,
  ...REPLACED("").map((order) => `${order}${HERE}${CLOSE}`),
  `(?:put|set|write|make)\\s+${NOW}\\s+instead\\s+of\\s+${OLD}${HERE}${CLOSE}`,
  `(?:put|set|write|make|enter)\\s+${NOW}\\s+(?:as|for)\\s+(?:the\\s+)?(?<said>\\S+\\s+(?:for|on|of|in|from)\\s+[^,;:"“”]{2,60}?)(?:\\s+instead\\s+of\\s+\\S+)?${HERE}${CLOSE}`,
  `(?:it|this|the\\s+page)\\s+(?:still\\s+|wrongly\\s+)?says\\s+${OLD}\\s*,?\\s*(?:but\\s+)?(?:(?:it|that)\\s+)?(?:should\\s+(?:be|say)|has\\s+to\\s+be|is\\s+now|make\\s+(?:it|that)|change\\s+(?:it|that)\\s+to)\\s+${NOW}${CLOSE}`,
  `(?:remove|delete|drop|strike|take\\s+out|cross\\s+out)\\s+(?:the\\s+)?(?<part>${PART})\\s+(?:${ABOUT_PART}\\s+)?${OLD}${HERE}${CLOSE}`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));

/** What is no text of a page: its title and labels, and the fields of issues. */
const NO_TEXT =
  /^(?:the\s+)?(?:end|bottom|top|title|name|labels?|tags?|comments?|parent|space|status|state|priority|assignee|owner|due(?:\s+date)?|type|summary|description|epic|sprint|it|this|that|them|these|everything|all)(?:\s|$)|\b[A-Z]\w*-\d+\b/iu;
const MOST_EDIT = 2_500;

/**
 * A change within the text of a page as the order for a tool that can make it: more under a heading, another text in place
 * of one that is there, a line that goes. The page is the one that is called so, or the one on the screen. Undefined where
 * it is no such order, or nobody knows which page is meant.
 */
export function asPageEdit(
  message: string,
  { thing }: Referents,
  known: readonly KnownName[],
): string | undefined {
  if (message.length > MOST_EDIT || /[«»]/.test(message)) return undefined;
  const isPage = thing !== undefined && /^\d+$/.test(thing.id);
  const tries = [
    ...PAGE_EDITS.map((pattern) => ({ pattern, isHere: false })),
    ...(isPage ? SHOWN_EDITS.map((pattern) => ({ pattern, isHere: true })) : []),
  ];
  for (const { pattern, isHere } of tries) {
    const said = pattern.exec(message)?.groups;
    if (said === undefined) continue;
    const id = isHere ? thing?.id : pageMeant(said["page"] ?? "", known);
    const order = id === undefined ? undefined : orderOf(said);
    if (id !== undefined && order !== undefined) return `update page ${id}, ${order}`;
  }
  return undefined;
}

function orderOf(said: Record<string, string | undefined>): string | undefined {
  const heading = said["title"] ?? said["heading"];
  if (heading !== undefined) return `append «## ${heading.trim()}»`;
  const text = said["quoted"] ?? said["text"];
  const { under } = said;
  if (text !== undefined && under !== undefined)
    return NO_TEXT.test(under) ? undefined : `append «${unquoted(text.trim())}», under «${under.trim()}»`;
  const { old, part } = said;
  const { column, former } = said;
  const words = column === undefined ? said["said"]?.trim() : `${former ?? ""} as ${column}`;
  const now = said["new"] ?? said["now"]?.trim();
  const isRemoved = now === undefined;
  // "Remove the printer from the office guide" says no words that stand there.
  if (words !== undefined && (NO_TEXT.test(words) || (isRemoved && part === undefined))) return undefined;
  const what = old ?? (part === undefined ? (words ?? "") : `${part} about ${words ?? ""}`);
  return `passage «${what}»${isRemoved ? "" : ` replacement «${now}»`}`;
}

const ROW = new RegExp(`^\\W*${POLITE}${ADD}\\s+(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?row\\b`, "iu");

/** "27 November, Emi, matcha roll" as a row of a table, where it has several cells. */
function asRow(text: string): string {
  const own = text.replace(/^\|\s*|\s*\|$/g, "").replace(/[\s.]+$/, "");
  const cells = own.split(own.includes("|") ? /\s*\|\s*/ : /\s*[,;]\s+/);
  return cells.length < 2 || own.includes("\n") ? text : `| ${cells.join(" | ")} |`;
}
