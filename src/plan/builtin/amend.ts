import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName, PlanInput } from "#contract/plan.ts";
import { isObject } from "../../base/json.ts";
import type { Slot } from "../slot.ts";
import type { DateReader } from "./dates.ts";
import { WORK } from "./nouns.ts";
import { createSheet, unquoted } from "./sheet.ts";
import { withTitledKeys } from "./titles.ts";
import { tokenize } from "./words.ts";

const LEADS =
  /^\W*(?:(?:and|also|but|or|please|pls|ah|oh|ok(?:ay)?|no|nope|wait|(?:i['’]?m )?sorry|oops|ups|hm+|actually|rather|better|plus|with|then)\b[\s,.!:–-]*)*(?:add\s+(?=due\b|an?\s+due\b|label\b|prio)|(?:please\s+)?(?:make|set|mark|change)\s+(?:it|that|this)\s+(?:an?\s+|to\s+|as\s+)?|(?:make|set|change)\s+(?=the\s+|its\s+)|i meant?\s+|as\s+(?=an?\b)|put\s+(?:it|that|this)\s+(?=in\b|under\b))?/iu;
const TRAILS =
  /(?:,?\s+(?:please|pls|sorry|too|as well|instead|rather|actually|then|thanks|thx)|\s+(?:is|would be|will be)\s+(?:enough|fine|ok(?:ay)?|better|sufficient|plenty))+[\s.!]*$/iu;
const TITLE =
  /^\W*(?:(?:no|and|please|pls|actually|sorry|wait)\b[\s,]*)*(?:(?:the\s+)?(?:title|summary)(?:\s*[:=]\s*|\s+(?:should|shall)\s+be\s+|\s+is\s+)|(?:re)?(?:name|title|call)\s+(?:it|that|this)(?:\s+to)?\s*:?\s+|change\s+the\s+(?:title|summary)\s+to\s*:?\s+)(\S.*)$/isu;
const KEY = /[A-Z]\w*-\d/;
const ANOTHER = new RegExp(
  `^\\W*(?:(?:and|also|ok(?:ay)?|then|please|pls|oh|now|sorry|so|ah)\\b[\\s,]*)*(?:(?:create|add|file|open|make)\\s+)?(?:(?:another|one more|a (?:second|third|fourth)|(?:the )?next)(?:\\s+(?:one|(?<type>${WORK})))?|one|an?\\s+(?<type>${WORK}))\\s*(?:(?:called|titled|named)\\s+|[:–-]\\s+)(?<title>\\S.*)$`,
  "isu",
);

/** "And another one: crash on exit", behind an order for a new record, as an order for the like, such as a `thing` is. */
export function anotherOf(message: string, thing: string): string | undefined {
  const { type = thing, title } = ANOTHER.exec(message)?.groups ?? {};
  if (title === undefined) return undefined;
  return /^["“].*["”]$/s.test(title) ? `create a ${type} titled ${title}` : `create a ${type}: ${title}`;
}

const MOST_CHARS = 200;
/** "18:00, not 17:00", "the truck comes on Wednesdays, not Thursdays" */
const SWAPPED =
  /^\W*(?:(?:no|sorry|oops|ups|wait|actually|and|oh|ah)\b[\s,]*)*(?<right>[^.;]{1,80}?)(?<!\b(?:do|does|did|is|are|was|were|am|can|could|will|would|should|must|may|have|has|had))\s*,?\s+(?:and\s+)?not\s+(?<wrong>[^,.;]{1,40}?)(?:[,.;!]\s.*)?[\s.!]*$/isu;

/** "Put Dmitri instead of Farid" */
const INSTEAD =
  /^\W*(?:(?:no|sorry|oops|ups|wait|actually|and|oh|ah|please|pls|but)\b[\s,]*)*(?:(?:put|write|say|use|take|name|make\s+(?:it|that))\s+)?(?<right>[^.;,]{1,80}?)(?:\s+(?:there|in\s+(?:it|there)))?\s*,?\s+(?:instead\s+of|in\s+place\s+of)\s+(?<wrong>[^,.;]{1,40}?)(?:\s+(?:please|pls|there|in\s+(?:it|there)))*[\s.!]*$/isu;

/**
 * The arguments of a change that waits, with the words of its text that a message says otherwise. Undefined where these
 * words are not in it, or more than once.
 */
export function swappedArgs(
  message: string,
  args: JsonObject,
  slots: readonly Slot[],
): JsonObject | undefined {
  const said = message.replaceAll(/\s+/g, " ");
  if (said.length > MOST_CHARS || !/ (?:not|of) /.test(said)) return undefined;
  const { right = "", wrong = "" } = (INSTEAD.exec(said) ?? SWAPPED.exec(said))?.groups ?? {};
  const all = leavesOf(slots, args);
  // Who is on it may be meant as well as who is named in its text.
  const isHeld = ({ slot, value }: Leaf): boolean =>
    !TEXTS.has(slot.kind) && typeof value === "string" && value.toLowerCase() === wrong.toLowerCase();
  if (all.some(isHeld)) return undefined;
  const leaves = all.filter(({ slot }) => TEXTS.has(slot.kind));
  const [only, ...others] = leaves.flatMap(({ path, value }) => {
    if (wrong === "" || typeof value !== "string") return [];
    const at = value.toLowerCase().indexOf(wrong.toLowerCase());
    const isOnce = at !== -1 && at === value.toLowerCase().lastIndexOf(wrong.toLowerCase());
    return isOnce ? [{ path, value, at }] : [];
  });
  if (only === undefined || others.length > 0) return undefined;
  const words = right.split(/\s+/);
  const count = wrong.split(/\s+/).length;
  const runs = words.slice(count - 1).map((_word, at) => words.slice(at, at + count).join(" "));
  // "5 to 7 working days, not 3 to 5": what looks like it stands for it.
  const instead = runs.findLast((run) => shapeOf(run) === shapeOf(wrong)) ?? runs.at(-1);
  if (instead === undefined) return undefined;
  const { path, value, at } = only;
  return withValue(args, path, value.slice(0, at) + instead + value.slice(at + wrong.length));
}

function shapeOf(text: string): string {
  return text
    .replaceAll(/\d+/g, "0")
    .replaceAll(/\p{Lu}\p{L}*/gu, "A")
    .replaceAll(/\p{Ll}{4,}/gu, "a");
}

/** One value of a call: where it stands, and the argument's slot. */
interface Leaf {
  path: readonly string[];
  slot: Slot;
  value: JsonValue;
}

/**
 * The arguments of a change that waits, with the one value that a message wishes otherwise: "monday is better", "no:
 * “Foo baz”", "Dmitri instead". Undefined where the message says more than such a value, or more than one may be meant.
 */
export function revisedArgs(
  input: Pick<PlanInput, "message" | "known" | "now">,
  args: JsonObject,
  slots: readonly Slot[],
  dates: DateReader,
): JsonObject | undefined {
  const { message } = input;
  const bare = message.replace(LEADS, "").replace(TRAILS, "");
  const isMarked = bare !== message;
  const leaves = leavesOf(slots, args);
  const texts = leaves.filter(({ slot }) => TEXTS.has(slot.kind));
  const [text] = texts;
  const wording = (SAID.exec(message) ?? (text?.slot.kind === "title" ? TITLE.exec(message) : null))?.[1];
  if (wording !== undefined && text !== undefined && texts.length === 1 && leaves.length === 2)
    return withValue(args, text.path, unquoted(wording));
  const said = bare
    .replace(/^(?:(?:to|for|on|as|by|in(?!\s+(?:an?|\d+|\p{L}+)\s+(?:day|week|month)s?\b))\s+)+/iu, "")
    .replace(/[\s.!?,]+$/, "");
  if (said === "" || (/^done$/i.test(said) && !isMarked)) return undefined;
  const isMeant =
    /^\W*(?:\p{L}+\W+){0,3}i meant?\b/iu.test(message) &&
    !KEY.test(said) &&
    texts.length === 1 &&
    leaves.length === 2;
  // What was worked out from the record that it was for is not true of another.
  const isOfRecord = leaves.some(({ slot }) => slot.kind === "list" || slot.words.includes("version"));
  const found = leaves.flatMap((leaf) => {
    if (leaf.slot.kind === "key" && (isOfRecord || !I_MEANT.test(message))) return [];
    const isText = TEXTS.has(leaf.slot.kind) && texts.length === 1;
    const value =
      valueFor(leaf, said, input, dates) ??
      (isText
        ? textFor(leaf, said, isMarked && (isMeant || (leaves.length === 2 && isLike(leaf, said))))
        : undefined);
    return value === undefined ? [] : [{ path: leaf.path, value, isNew: value !== leaf.value }];
  });
  const [only, ...others] = found;
  return only?.isNew === true && others.length === 0 ? withValue(args, only.path, only.value) : undefined;
}

const I_MEANT = /^\W*(?:\p{L}+\W+){0,3}(?:i meant?|make (?:it|that))\b/iu;

/** "No, say: we deploy on Tuesday" */
const SAID =
  /^\W*(?:(?:no|nope|wait|sorry|oops|ups|actually|please|pls|ah|oh)\b[\s,]*)*(?:say|write|i meant?|make (?:it|that)|change (?:it|that|the (?:text|comment|title)) to|(?:it|that) should (?:say|read|be))\s*:\s*(\S.*)$/isu;

const TEXTS: ReadonlySet<string> = new Set(["title", "body", "text"]);
const NUMBER = /\d+(?:[.,]\d+)*/g;

/** "I meant Show the full price", or "make that 41" where the text has one number. */
function textFor({ value }: Leaf, said: string, isMeant: boolean): string | undefined {
  if (typeof value !== "string") return undefined;
  const numbers = value.match(NUMBER) ?? [];
  if (/^\d+(?:[.,]\d+)*$/.test(said) && numbers.length === 1) return value.replace(NUMBER, said);
  return isMeant && said.split(/\s+/).length > 1 ? said : undefined;
}

/** Whether it is most of the words of a title over again: "Wish lists", where "Wish list" waits. */
function isLike({ slot, value }: Leaf, said: string): boolean {
  if (slot.kind !== "title" || typeof value !== "string") return false;
  const stems = new Set(tokenize(value).map(({ stem }) => stem));
  const words = tokenize(said);
  return words.filter(({ stem }) => stems.has(stem)).length * 2 >= Math.max(words.length, stems.size);
}

function leavesOf(slots: readonly Slot[], args: JsonObject, path: readonly string[] = []): Leaf[] {
  return slots.flatMap((slot) => {
    const { [slot.name]: value } = args;
    const own = [...path, slot.name];
    if (isObject(value)) return leavesOf(slot.nested, value, own);
    return value === undefined ? [] : [{ path: own, slot, value }];
  });
}

function valueFor(
  { slot, value }: Leaf,
  said: string,
  { known = [], now }: Pick<PlanInput, "known" | "now">,
  dates: DateReader,
): string | undefined {
  if (typeof value !== "string") return undefined;
  const { quotes } = createSheet(said);
  const [quote] = quotes;
  if (slot.kind === "title" || slot.kind === "body" || slot.kind === "text")
    return quotes.length === 1 && quote?.start === 0 && quote.end === said.length ? quote.value : undefined;
  if (quote !== undefined) return undefined;
  // "Sorry, I meant the app store screenshots"
  if (slot.kind === "key") {
    const key = new RegExp(`^show (${KEY.source}*)$`, "u").exec(
      withTitledKeys(`show ${said}`, known, []).text,
    )?.[1];
    return key !== undefined && known.some(({ id }) => id === value) ? key : undefined;
  }
  const lower = said.toLowerCase();
  const isCalled = ({ id, name }: KnownName): boolean =>
    [id, name, name.split(" ")[0]].some((one) => one?.toLowerCase() === lower);
  const was = known.filter(({ kind, id, name }) => kind === "person" && (id === value || name === value));
  // "Unassign it", and then: rather to somebody.
  if (was.length > 0 || (slot.kind === "person" && /^(?:unassigned|none|nobody)$/i.test(value))) {
    const [person, ...others] = known.filter((one) => one.kind === "person" && isCalled(one));
    return person === undefined || others.length > 0
      ? undefined
      : was.length === 0 || was[0]?.id === value
        ? person.id
        : person.name;
  }
  if (slot.kind === "status")
    return known.find(({ kind, name }) => kind === "status" && isState(lower, name))?.name;
  if (/^\d{4}-\d\d-\d\d$/.test(value)) {
    const day = dates.find(said, now);
    const isAll = day !== undefined && said.slice(0, day.start).trim() === "" && day.end === said.length;
    return isAll ? isoDay(day.value) : undefined;
  }
  const level = lower.replace(/^(?:prio(?:rity)?|status|type)\s+/, "").replace(/\s+prio(?:rity)?$/, "");
  return [...slot.values, ...slot.examples].find((one) => one.toLowerCase() === level);
}

/** "Review" is "In Review". */
function isState(said: string, name: string): boolean {
  return name.toLowerCase() === said || name.toLowerCase() === `in ${said}`;
}

function isoDay(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function withValue(args: JsonObject, [name = "", ...rest]: readonly string[], value: string): JsonObject {
  const { [name]: inner } = args;
  return { ...args, [name]: rest.length > 0 && isObject(inner) ? withValue(inner, rest, value) : value };
}
