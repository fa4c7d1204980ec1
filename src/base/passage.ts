import { stemmer } from "stemmer";

import { oneLine } from "./text.ts";
import { DAY_MS } from "./time.ts";

/** A part of a page that says one thing. */
interface Passage {
  text: string;
  /** Stems of its words, and of the headings above it. */
  own: ReadonlySet<string>;
  above: ReadonlySet<string>;
  heading: string;
  isCode: boolean;
  /** Of a row of a table that begins with a day. */
  days?: DaySpan;
}

interface DaySpan {
  from: number;
  to: number;
}

interface Question {
  title: string;
  question: string;
  now: Date;
  /** So much of the question's words, by weight, a passage has to have by itself. */
  least?: number;
}

/** Longer pages are read so far. */
const MOST_CHARS = 30_000;
const MOST_PASSAGES = 600;
/** Of a longer one the beginning counts. */
const PASSAGE_CHARS = 500;
const SHOWN_CHARS = 240;
/** Of the words of a question its passage has at least so many, by their weight. */
const LEAST_SHARE = 0.25;
const OF_HEADING = 0.4;
const OF_TITLE = 0.6;
const FITTING = 1.5;
/** What a page is about stands first. */
const OF_LEAD = 0.2;
/** So much of the best one's worth says as much. */
const NEARLY = 0.9;
const MOST_SHOWN = 2;

const ASKING = new Set(
  (
    "a about again all am an and any are as at be been but by can could did do does doing for from get give go going " +
    "got had has have here how i if in into is it its just know let long many may me mean means might much must my need no not now of off " +
    "far often old on one or our ours out page please pls really say says shall she should show so some soon still take takes tell " +
    "than that the their them then there these they thing this those to today tomorrow too up us want was we were what " +
    "when where which who whose why wiki ok okay hi hey hello will with would week year you your whats next before after happen happens fast mine he his her him"
  ).split(" "),
);

const NUMBER =
  "(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half an?|several)";
const UNIT = "(?:second|sec|minute|min|hour|day|week|month|year|s|h)s?";
/** "38 minutes", "half a working day", "a week". */
const SPAN = `(?:${NUMBER}[ -](?:\\w+ )?${UNIT}|an? (?:minute|hour|day|week))\\b`;
const MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";

/** What a question asks for, with how an answer to it looks. */
const KINDS: readonly (readonly [asked: RegExp, answer: RegExp | "code"])[] = [
  [
    /\bhow often\b/i,
    new RegExp(`\\b(?:every|each|once|twice|daily|weekly|monthly|hourly)\\b|(?<!\\w)${SPAN}`, "i"),
  ],
  [
    /\bhow (?:long|fast|soon|quick(?:ly)?|old)\b|\bhow (?:much|many) (?:time|minutes|hours|days|weeks)\b/i,
    new RegExp(`(?<!\\w)${SPAN}`, "i"),
  ],
  [/\bhow much\b|\b(?:budget|costs?|price|pay|paid)\b/i, /[€$£]/],
  [
    /\bhow (?:much|many)\b|\b(?:limit|maximum|minimum)\b/i,
    new RegExp(`\\d|[€$£%]|(?<!\\w)${NUMBER} \\w`, "i"),
  ],
  [
    /\bwhen\b|\bwhat (?:day|date|time)\b|\bwhich (?:day|week)\b|\b(?:deadline|until)\b/i,
    new RegExp(
      `\\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:${MONTH})[a-z]*|\\d{1,2}:\\d\\d|20\\d\\d)\\b|(?<!\\w)${SPAN}`,
      "i",
    ),
  ],
  [
    /\bwho(?:m|se)?\b/i,
    /(?<=[\p{L}\d,] |Who: )(?!\w+day\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\b)\p{Lu}\p{Ll}+/u,
  ],
  [/\bcommands?\b|\bhow (?:do|can|to|does)\b|\bscript\b/i, "code"],
];

/** What answers a question, and how much of it. */
interface Answer {
  /** The likeliest first, each of at most some 240 characters. More than one where it is hard to say which. */
  passages: string[];
  /** How much of the question the first one has: some 1 for all its words; what looks like an answer counts as well. */
  share: number;
  /** How many words of the question tell something, and how many passages have one of them. */
  telling: number;
  met: number;
}

const NONE: Answer = { passages: [], share: 0, telling: 0, met: 0 };

/**
 * The passages of a page in markdown that answer a question: sentences, points of lists, rows of tables with their heads,
 * or lines of code. Empty where none has enough of the question's words.
 */
export function passagesFor(markdown: string, { title, question: asking, now, least }: Question): Answer {
  const question = asking.replace(ORDINAL_DAY, "$1 ");
  const asked = [...stemsOf(question.replace(IN_TWO_WEEKS, "").replace(FROM_DAY, ""))];
  const passages = passagesOf(markdown.slice(0, MOST_CHARS), now);
  const named = stemsOf(title);
  const weightOf = (stem: string): number => {
    const count = passages.filter(({ own, above }) => own.has(stem) || above.has(stem)).length;
    return Math.log(1 + passages.length / Math.max(1, count)) * (named.has(stem) ? OF_TITLE : 1);
  };
  const weights = asked.map((stem) => ({ stem, weight: weightOf(stem) }));
  const weigh = (share: (stem: string) => number): number =>
    weights.reduce((sum, { stem, weight }) => sum + weight * share(stem), 0);
  const looks = KINDS.filter(([pattern]) => pattern.test(question))
    .map(([, kind]) => kind)
    .find((kind) => passages.some((passage) => isLike(passage, kind)));
  const day = dayAsked(question, now);
  const isNext = question.length <= MOST_ASKED && NEXT_ONE.test(question);
  const word = /\b(?:when|how|who|why|where|what)\b/.exec(question.toLowerCase())?.[0];
  const scored = passages
    .map((passage, at) => {
      const { own, above, heading, days } = passage;
      const words = weigh((stem) => (own.has(stem) ? 1 : above.has(stem) ? OF_HEADING : 0));
      const fits = looks !== undefined && isLike(passage, looks);
      // "Who is on call?" is of now, where nothing else is asked.
      const isAll = asked.every((stem) => own.has(stem) || above.has(stem) || named.has(stem));
      const of = day ?? (isAll && WHO_IS.test(question) ? dayAsked("today", now) : undefined);
      // "When is the next freeze?" is of one that is not over.
      const isAhead = isNext && days !== undefined && days.to > now.getTime();
      const isOfDay = of !== undefined && days !== undefined && days.from <= of && of < days.to;
      const more =
        (word !== undefined && heading.startsWith(word) ? 1 : 0) +
        (at === 0 ? OF_LEAD : 0) +
        // A name in a sentence is less of a command than a line of code.
        (fits ? (looks === "code" && !passage.isCode ? FITTING / 2 : FITTING) : 0) +
        // A command answers what asks for one.
        (passage.isCode && looks !== "code" ? -FITTING : 0) +
        (isAhead ? FITTING : 0) +
        (isOfDay ? 2 * FITTING : 0);
      return { passage, words, fits, score: words + more, looks: (fits ? 0.3 : 0) + (isOfDay ? 0.5 : 0) };
    })
    .toSorted((one, other) => other.score - one.score);
  const [best] = scored;
  // "How long did it take?" of an issue in which one length is said
  const [only, ...others] =
    asked.length === 0 && least !== undefined ? scored.filter(({ fits }) => fits) : [];
  if (only !== undefined && others.length === 0)
    return { passages: [oneLine(only.passage.text, SHOWN_CHARS)], share: 1, telling: 0, met: 0 };
  const inTitle = weigh((stem) => (named.has(stem) ? 1 : 0));
  if (best === undefined || best.score <= OF_LEAD) return NONE;
  const all = weigh(() => 1);
  if (best.words + inTitle <= 0 || best.words + inTitle < LEAST_SHARE * all) return NONE;
  // "How long did it take?" asks for a length, of what the title says already.
  const isKind = best.looks > 0 && asked.every((stem) => named.has(stem));
  if (least !== undefined && !isKind && best.words < least * all) return NONE;
  // What only looks like an answer has none of the question's words but those of the page's title.
  if (best.words === 0 && !asked.every((stem) => named.has(stem))) return NONE;
  const { own, above } = best.passage;
  const has = (stem: string): number => (own.has(stem) ? 1 : above.has(stem) || named.has(stem) ? 0.5 : 0);
  const said = asked.reduce((sum, stem) => sum + has(stem), 0);
  return {
    passages: scored
      .filter(({ score }) => score >= NEARLY * best.score)
      .slice(0, MOST_SHOWN)
      .map(({ passage }) => oneLine(passage.text, SHOWN_CHARS)),
    share: said / Math.max(1, asked.length) + best.looks,
    telling: asked.length,
    met: passages.filter((passage) => asked.some((stem) => passage.own.has(stem))).length,
  };
}

const NEXT_ONE = /\bwhen\b.*\b(?:next|upcoming|coming)\b(?!\s+(?:week|month|year|sprint)\b)/i;

/** Whether a message asks something, with a mark or without: "how long does a restore take", "restore drill, how long". */
export function isQuestion(message: string): boolean {
  return ASKS.test(message);
}

const ASKS =
  /\?\W*$|\b(?:like|want|need)\s+to\s+know\b|[,;]\s+(?:what|which|who|when|where|why|how)\b|^\W*(?:(?:and|so|ok|hey|hi)\W+)*(?:what(?:['’]?s)?|which|who(?:['’]?s)?|when|where|why|how|is|are|does|do|can|may|must|should)\b/i;

/** The sentence of a message that asks; all of it where none does: "how many do we lose? I need it for a slide". */
export function questionIn(message: string): string {
  const one = message.split(/(?<=[.!?])\s+/).findLast((sentence) => /\?\W*$/.test(sentence)) ?? message;
  return mainClause(one).asked;
}

/** "Where are the ribbons, Marie prints blanks again": what is asked, and what is told behind it, "" for nothing. */
export function mainClause(question: string): { asked: string; told: string } {
  // What is longer is no question with a reason, and each of its commas would be looked behind.
  if (question.length > MOST_ASKED) return { asked: question, told: "" };
  const at = [...question.matchAll(/\s*(?:,|\s[–-])\s+/gu)].find(
    ({ index, 0: joint }) =>
      question.slice(0, index).trim().split(/\s+/).length >= LEAST_ASKED &&
      TOLD_BEHIND.test(question.slice(index + joint.length)),
  );
  // Where the mark stands behind it, that asks as well: "landing at eleven, will the firm pay a taxi?".
  if (at === undefined || /[.!?:;\n]\s+\S|\?\W*$/.test(question)) return { asked: question, told: "" };
  return { asked: `${question.slice(0, at.index)}?`, told: question.slice(at.index + at[0].length) };
}

/** More characters are no question alone. */
export const MOST_ASKED = 500;
/** Fewer words ask for nothing by themselves. */
const LEAST_ASKED = 4;
/** A clause of its own: at least four words that ask nothing, and limit nothing. */
const TOLD_BEHIND =
  /^(?!(?:and\s+)?(?:who|what|which|when|where|why|how|is|are|do|does|did|can|could|may|must|should|will|would|has|have|had|was|were|any|or|in|on|at|for|per|with|without|of|from|to|by|under|over|only|but|not|except|including|sorted|newest|oldest|then|if|unless|as|\p{L}+ing|too)\b|.*\b(?:ones?|too|also|as\s+well|please|included)\b)(?=\p{L})(?:\S+\s+){3,}\S+\W*$/iu;

function isLike({ text, isCode }: Passage, looks: RegExp | "code"): boolean {
  return looks === "code" ? isCode || /`[^`]+`/.test(text) : looks.test(text);
}

function stemsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.flatMap((word) =>
      ASKING.has(word) || /^\p{L}$/u.test(word) ? [] : [stemmer(word === "db" ? "database" : word)],
    ),
  );
}

/** The parts of a page, line by line, each with the stems of what stands above and around it. */
function passagesOf(markdown: string, now: Date): Passage[] {
  const passages: Passage[] = [];
  let heading = "";
  let paragraph: string[] = [];
  let header: string[] = [];
  let isInCode = false;
  const add = (said: string, above: ReadonlySet<string>, more: Partial<Passage> = {}): void => {
    const text = (more.isCode === true ? said : plainText(said)).slice(0, PASSAGE_CHARS);
    if (text === "" || passages.length >= MOST_PASSAGES) return;
    passages.push({
      text,
      own: stemsOf(text),
      above,
      heading: heading.toLowerCase(),
      isCode: false,
      ...more,
    });
  };
  const flush = (): void => {
    const text = paragraph.join(" ");
    paragraph = [];
    if (text === "") return;
    // A sentence is about what the others of its paragraph are about.
    const above = stemsOf(`${heading} ${text}`);
    for (const { segment } of SENTENCES.segment(text)) add(segment, above);
  };
  for (const line of markdown.split(/\r?\n/)) {
    if (passages.length >= MOST_PASSAGES) break;
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const row = isInCode ? undefined : /^\s*\|(.*)\|\s*$/.exec(line)?.[1];
    const cells = row?.split(/(?<!\\)\|/).map((cell) => plainText(cell.slice(0, PASSAGE_CHARS)));
    if (cells === undefined) header = [];
    if (isFence) {
      flush();
      isInCode = !isInCode;
    } else if (isInCode) add(line.trim(), stemsOf(heading), { isCode: true });
    else if (/^\s{0,3}#{1,6}\s/.test(line)) {
      flush();
      heading = line.replace(/^[\s#]+/, "").slice(0, PASSAGE_CHARS);
    } else if (cells !== undefined) {
      flush();
      const days = spanOf(cells[0] ?? "", now);
      if (header.length === 0) header = cells;
      else if (!cells.every((cell) => /^:?-*:?$/.test(cell)))
        add(
          rowText(header, cells),
          stemsOf(`${heading} ${header.join(" ").slice(0, PASSAGE_CHARS)}`),
          days === undefined ? {} : { days },
        );
    } else if (/^\s*(?:[-*+]|\d{1,3}[.)])\s/.test(line)) {
      flush();
      paragraph.push(line.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s)?/, ""));
    } else if (line.trim() === "") flush();
    else
      paragraph.push(
        line
          .trim()
          .replace(/^>\s?/, "")
          .replace(/^\[![A-Z]+\]\s*/, ""),
      );
  }
  flush();
  return withEnds(passages);
}

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });

/** "Mug day: the first Monday of the month", or "25 November · Phone: Emi · Backup: Dmitri". */
function rowText(header: readonly string[], [first = "", ...others]: readonly string[]): string {
  if (others.length === 1) return `${first}: ${others[0] ?? ""}`;
  const told = others.flatMap((cell, at) => (cell === "" ? [] : [`${header[at + 1] ?? ""}: ${cell}`]));
  return [first, ...told].join(" · ");
}

/** Markdown's marks fall away, but for code. */
function plainText(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]]{0,300})\]\([^)\s]{0,500}\)/g, "$1")
    .replaceAll(/\*\*|__|(?<!\w)[*_]|[*_](?!\w)|^\[![A-Z]+\]\s*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const DAY = new RegExp(`^(?:\\d{1,2}\\.?(?:\\s|$)|\\d{4}-\\d\\d-\\d\\d|(?:${MONTH})[a-z]*\\.?\\s+\\d)`, "i");

/** The days that the first cell of a row names: one, or from one to another; undefined where it names none. */
function spanOf(cell: string, now: Date): DaySpan | undefined {
  const [first = "", last] = cell.split(/\s+(?:to|until)\s+|\s*[–-]\s*/);
  if (!DAY.test(first)) return undefined;
  const until = last === undefined ? undefined : dayOf(last, now);
  const month = last === undefined ? "" : last.replace(/^\d{1,2}\s*/, "");
  const from = dayOf(first, now) ?? dayOf(`${first} ${month}`, now);
  if (from === undefined) return undefined;
  return { from, to: until === undefined ? Infinity : until + DAY_MS };
}

/** "25 November", "Nov 25, 2026", "2026-11-25", at midnight UTC. */
function dayOf(text: string, now: Date): number | undefined {
  const plain = text.replace(new RegExp(`^((?:${MONTH})[a-z]*)\\.?\\s+(\\d{1,2}),?`, "i"), "$2 $1");
  const found = new RegExp(`^(\\d{1,2})\\.?\\s+(${MONTH})[a-z]*\\.?(?:\\s+(\\d{4}))?`, "i").exec(plain);
  const [, day = "", month = "", year = String(now.getUTCFullYear())] = found ?? [];
  const at = Date.parse(found === null ? plain.slice(0, 10) : `${day} ${month} ${year} UTC`);
  return Number.isNaN(at) || (found === null && !/^\d{4}-/.test(plain)) ? undefined : at;
}

/** A row that names where something begins lasts until the next one. */
function withEnds(passages: readonly Passage[]): Passage[] {
  const starts = passages.flatMap(({ days }) => (days === undefined ? [] : [days.from]));
  return passages.map((passage) => {
    const { days } = passage;
    if (days === undefined || days.to !== Infinity) return passage;
    const next = Math.min(...starts.filter((start) => start > days.from));
    return { ...passage, days: { from: days.from, to: next === Infinity ? days.from + 7 * DAY_MS : next } };
  });
}

/** As `Date` counts them. */
export const WEEKDAYS: readonly string[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

const WHO_IS = /\bwho(?:['’]?s|\s+is|\s+has)\b/i;
/** "The 25th of November" */
const ORDINAL_DAY = new RegExp(
  `\\b(?:the\\s+)?(\\d{1,2})(?:st|nd|rd|th)\\s+(?:of\\s+)?(?=(?:${MONTH}))`,
  "i",
);
const IN_TWO_WEEKS = /\bin two weeks\b/i;
/** When it is asked for, and nothing that the answer says. */
const FROM_DAY = /\bfrom\s+(?:on\s+)?(?:sun|mon|tues|wednes|thurs|fri|satur)day(?:\s+on(?:wards)?)?\b/i;

const IN_QUESTION = new RegExp(
  `\\b\\d{1,2}\\.?\\s+(?:${MONTH})[a-z]*\\b|\\b(?:${MONTH})[a-z]*\\.?\\s+\\d{1,2}\\b|\\b20\\d\\d-\\d\\d-\\d\\d\\b`,
  "i",
);

/** The day that a question is about, at midnight UTC; undefined where it names none. */
function dayAsked(question: string, now: Date): number | undefined {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  if (/\b(?:today|tonight|now|currently|this week|at the moment)\b/i.test(question)) return today;
  if (/\btomorrow\b/i.test(question)) return today + DAY_MS;
  if (/\bnext week\b/i.test(question)) return today + 7 * DAY_MS;
  if (IN_TWO_WEEKS.test(question)) return today + 14 * DAY_MS;
  const date = IN_QUESTION.exec(question)?.[0];
  if (date !== undefined) return dayOf(date, now);
  const name = /\b(?:on|next|this|from)\s+(\w+day)\b/i.exec(question)?.[1]?.toLowerCase() ?? "";
  const weekday = WEEKDAYS.indexOf(name);
  return weekday === -1 ? undefined : today + ((weekday - now.getDay() + 7) % 7) * DAY_MS;
}
