import type { KnownName } from "#contract/plan.ts";

import type { Referents } from "./refer.ts";
import { createSheet } from "./sheet.ts";
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
  const name = called?.["page"] ?? "";
  const isShown = thing !== undefined;
  const meant = pageMeant(name, known);
  const page = meant !== undefined && isTitle(name, "to ", meant, known, isShown) ? meant : undefined;
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

interface Title {
  page: KnownName;
  lower: string;
  stems: ReadonlySet<string>;
}

const kept = new WeakMap<readonly KnownName[], readonly Title[]>();

function titlesOf(known: readonly KnownName[]): readonly Title[] {
  const before = kept.get(known);
  if (before !== undefined) return before;
  const titles = known.flatMap((page): Title[] =>
    page.kind === "page"
      ? [
          {
            page,
            lower: page.name.toLowerCase(),
            stems: new Set(tokenize(page.name).map(({ stem }) => stem)),
          },
        ]
      : [],
  );
  kept.set(known, titles);
  return titles;
}

/** The one page that is called so, or that alone has all of its words: "dev" is development. */
export function pageCalled(said: string, known: readonly KnownName[]): KnownName | undefined {
  const lower = said.trim().toLowerCase();
  const titles = titlesOf(known);
  const exact = titles.filter((title) => title.lower === lower);
  const telling = tokenize(said).filter((token) => !STOP_WORDS.has(token.lower));
  const has = ({ stems }: Title, stem: string): boolean =>
    stems.has(stem) || (stem.length >= LEAST_PREFIX && [...stems].some((word) => word.startsWith(stem)));
  const like =
    telling.length === 0 ? [] : titles.filter((title) => telling.every(({ stem }) => has(title, stem)));
  const [only, ...others] = exact.length > 0 ? exact : like;
  return others.length === 0 ? only?.page : undefined;
}

const LEAST_PREFIX = 3;

/** As `pageCalled`, also by what pages are called beside their titles: "the on-call rota" is the On-call guide. */
export function pageMeant(said: string, known: readonly KnownName[]): string | undefined {
  const plain = said.replace(new RegExp(`^(?:the|our)\\s+`, "iu"), "");
  const number = /^page\s+(\d+)$/i.exec(plain)?.[1];
  const short = plain.replace(new RegExp(`${BEHIND}$`, "iu"), "");
  return number ?? (pageCalled(plain, known) ?? (short === "" ? undefined : pageCalled(short, known)))?.id;
}

/** A page that a message calls, and the message without that: "the on-call rota", "Meeting rules, rule 2: …". */
export function pageIn(
  message: string,
  known: readonly KnownName[],
  isShown: boolean,
): { id: string; said: string } | undefined {
  const words = [...message.matchAll(/[\p{L}\p{N}][\p{L}\p{N}&'’-]*/gu)].slice(0, MOST_WORDS);
  const { quotes } = createSheet(message);
  for (let count = Math.min(MOST_TITLE, words.length); count > 0; count -= 1) {
    for (const [at, first] of words.entries()) {
      const last = words[at + count - 1];
      if (last === undefined) break;
      const [start, end] = [first.index, last.index + last[0].length];
      const called = message.slice(start, end);
      const quote = quotes.find((one) => start < one.end && end > one.start);
      // What is quoted calls a page as a whole, or is what it says.
      const isOther =
        quote !== undefined && (quote.value !== called || !INTO_PAGE.test(message.slice(0, quote.start)));
      const isWithin = [first[0], last[0]].some((word) => STOP_WORDS.has(word.toLowerCase()));
      if (isOther || isWithin || /[,.;:!?"“”]/.test(called)) continue;
      const id = pageMeant(called, known);
      if (id === undefined || !isTitle(called, message.slice(0, start), id, known, isShown)) continue;
      // "A sixth rule to our meeting rules" calls it by its last two words.
      let from = at;
      const most = quote === undefined ? at + count : at;
      for (let next = at + 1; next < most; next += 1) {
        const begin = words[next]?.index ?? start;
        const own = message.slice(begin, end);
        const isOwn =
          pageMeant(own, known) === id && isTitle(own, message.slice(0, begin), id, known, isShown);
        if (isOwn && !STOP_WORDS.has((words[next]?.[0] ?? "").toLowerCase())) from = next;
      }
      const before = message
        .slice(0, quote?.start ?? words[from]?.index ?? start)
        .replace(LEADS_TO_PAGE, " ");
      const behind = message.slice(quote?.end ?? end).replace(NOUN_BEHIND, "");
      return { id, said: `${before} ${behind}` };
    }
  }
  return undefined;
}

const INTO_PAGE = /(?:^|\b(?:in|on|to|from|of|page)\s+(?:the\s+)?)$/iu;
const NOUN_BEHIND = new RegExp(`^\\s+(?:${PAGE_NOUNS})\\b`, "iu");
const MOST_WORDS = 80;
const MOST_TITLE = 6;
const LEADS_TO_PAGE =
  /\s*\b(?:(?:in|on|to|from|of|off|out of|onto|into)\s+)?(?:the|our)?\s*(?:(?:wiki\s+)?page\s*)?$/iu;

/** Whether words call a page by themselves: by two words of its title, or by one as a page. */
function isTitle(
  called: string,
  before: string,
  id: string,
  known: readonly KnownName[],
  isShown: boolean,
): boolean {
  if (/^page\s+\d+$/i.test(called)) return true;
  const noun = new RegExp(`^(?:${PAGE_NOUNS})$`, "iu");
  const words = tokenize(called).filter(({ lower }) => !STOP_WORDS.has(lower));
  const stems = words.filter(({ lower }) => !noun.test(lower));
  // "The handbook", where no page is on the screen that has one.
  if (stems.length === 0)
    return (
      !isShown &&
      words.length === 1 &&
      !/^pages?$/i.test(called) &&
      /\b(?:in|on|to|from|of)\s+the\s+$/iu.test(before)
    );
  const isNamed = new RegExp(`\\s(?:${PAGE_NOUNS})$`, "iu").test(called);
  // "In the mobile app" is a project.
  const isOther = known.some(
    ({ kind, name }) => kind === "project" && name.toLowerCase() === called.toLowerCase(),
  );
  if (isOther) return false;
  if (stems.length > 1 || isNamed) return true;
  const title = known.find((one) => one.id === id)?.name ?? "";
  // "The glossary" is the Glossary of shop words; "operations" is no page of runbooks.
  const [main = ""] = title.split(/:|\sof\s/);
  return (
    tokenize(main).length === 1 &&
    (before.trim() === "" || /\b(?:in|on|to|from|of|into)\s+(?:the\s+|our\s+)?$/iu.test(before))
  );
}

const ROW = new RegExp(`^\\W*${POLITE}${ADD}\\s+(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?row\\b`, "iu");

/** "27 November, Emi, matcha roll" as a row of a table, where it has several cells. */
function asRow(text: string): string {
  const own = text.replace(/^\|\s*|\s*\|$/g, "").replace(/[\s.]+$/, "");
  const cells = own.split(own.includes("|") ? /\s*\|\s*/ : /\s*[,;]\s+/);
  return cells.length < 2 || own.includes("\n") ? text : `| ${cells.join(" | ")} |`;
}
