import { fits, sameWord, type Slot, splitName, toValue, upperCodes } from "../slot.ts";
import {
  closedValues,
  type Filling,
  inTopic,
  isOpen,
  isTaken,
  matchPiece,
  namedValues,
  put,
} from "./filling.ts";
import { type Piece, QUOTED, TAKEN } from "./sheet.ts";
import { isChangeVerb } from "./verbs.ts";
import { isZone } from "./zones.ts";
import { stemOf, STOP_WORDS, type Token, tokenize, wordSet } from "./words.ts";

/** A value that the sentence holds, and the words around it. */
export interface Anchor extends Piece {
  /** Stems of the words before it up to the value before, the nearest first. */
  before: string[];
  /** Stems of the words behind it, up to where something else is said. */
  after: string[];
  /** The word right before it, such as a preposition. */
  lead: string;
}

/** What stands before a value by what its argument is for; of an argument that is one end of something also the other. */
const ROLES: readonly [RegExp, RegExp][] = [
  [
    /^(?:from|origin|source|start|starting|departure|sender|base)$/,
    /^(?:from|between|leaving|starting|off)$/,
  ],
  [
    /^(?:to|destination|target|end|ending|arrival|recipient|into)$/,
    /^(?:to|into|towards|until|and|reach|reaching)$/,
  ],
  [
    /^(?:location|city|place|country|region|state|county|jurisdiction|continent|area|town|address|venue|timezone|room|floor|building|office)$/,
    /^(?:in|at|near|around|inside|for|of|from)$/,
  ],
  [/^(?:platform|console|exchange|website)$/, /^(?:on|from)$/],
  [/^(?:team|club)$/, /^(?:for|at)$/],
  [/^(?:language|format)$/, /^(?:to|into|in|as)$/],
  [/^(?:author|artist|composer|creator|director|band|painter|sculptor)$/, /^(?:by|from|of)$/],
  [/^(?:restaurant|hotel|shop|store|museum|theater|theatre|company)$/, /^(?:at|of)$/],
  [/^(?:environment|env|branch|channel|folder|stage)$/, /^(?:in|to|on|from)$/],
];

/** Words of an argument's name and description that tell nothing of its value. */
export const DULL: ReadonlySet<string> = wordSet(
  `name number value string code default optional type list given e.g such example used use which whose first second
  third format yyyy mm dd hh in of the required may include specify specified amount size total count`,
);

/** Different words for one unit. */
const UNITS: ReadonlyMap<string, string> = new Map(
  `kg kilo kilos kilogram kilograms kgs
g gram grams
lb lbs pound pounds
cm centimeter centimeters centimetre centimetres
mm millimeter millimeters millimetre millimetres
m meter meters metre metres
km kilometer kilometers kilometre kilometres
mile miles mi
ft foot feet
s sec secs second seconds
min mins minute minutes
h hr hrs hour hours
day days
week weeks
month months
year years annual annually yearly
% percent percentage rate
usd dollar dollars $
eur euro euros €
person persons people guest guests
adult adults
ticket tickets seat seats
night nights`
    .split("\n")
    .flatMap((line) => {
      const words = line.split(" ");
      return words.map((word): [string, string] => [word, words[0] ?? word]);
    }),
);

/** A unit that is written right behind its number: "70kg". */
export const UNIT_BEHIND = "(?:kg|cm|mm|km|m|ft|g|lbs?|h|min|s)(?![\\p{L}\\p{N}])";

const UNIT_NAMES =
  "kg|g|lbs?|mg|cm|mm|m|km|ft|inch(?:es)?|miles?|meters?|metres?|kilometers?|kilometres?|centimeters?|centimetres?|feet|yards?|celsius|fahrenheit|kelvin|kilograms?|grams?|pounds?|liters?|litres?|gallons?";
const UNIT = new RegExp(`^(?:${UNIT_NAMES})$`, "i");

const known = (word: string): string => UNITS.get(word.toLowerCase()) ?? stemOf(word.toLowerCase());

/** The words around a place: those before it, and those behind it up to the next preposition. */
export function anchorAt({ sheet }: Filling, value: string, start: number, end: number): Anchor {
  const left = sheet.masked.slice(Math.max(0, start - 80), start);
  const clause = left.slice(Math.max(...[TAKEN, QUOTED, ";"].map((mark) => left.lastIndexOf(mark))) + 1);
  // A number before this one has its own words.
  const own = /(?:^|.*\d[\d.,%]*)(\D*)$/s.exec(clause)?.[1] ?? clause;
  const words = tokenize(own.replaceAll(/[%$€]/g, " ")).toReversed();
  const right = /^(?:\s*-?\s*(?:[%$€]|[\p{L}²³°]+)){0,4}/u.exec(sheet.masked.slice(end))?.[0] ?? "";
  const next =
    right.split(/\b(?:in|on|at|by|for|from|with|and|or|to|of|over|is|are|a|an|the)\b/i, 1)[0] ?? "";
  return {
    value,
    start,
    end,
    before: words
      .filter(({ lower }) => !STOP_WORDS.has(lower))
      .slice(0, 4)
      .map(({ lower }) => known(lower)),
    after: (next.match(/[%$€]|[\p{L}]+/gu) ?? []).map(known),
    lead: words.find(({ lower }) => !/^(?:the|an?|my|our|city)$/.test(lower))?.lower ?? "",
  };
}

/** How much the words around a value speak for an argument. */
function affinity(slot: Slot, anchor: Anchor, ofBehind = 1): number {
  const own = weightsOf(slot);
  const best = (stems: readonly string[], fade: number): number =>
    Math.max(0, ...stems.map((stem, at) => (own.get(stem) ?? 0) * fade ** at));
  const behind = anchor.after.reduce((sum, stem, at) => sum + (own.get(stem) ?? 0) * 0.9 ** at, 0);
  return best(anchor.before, 0.75) + Math.min(behind, 2.5) * ofBehind;
}

const cache = new WeakMap<Slot, Map<string, number>>();

function weightsOf(slot: Slot): Map<string, number> {
  let weights = cache.get(slot);
  if (weights === undefined) {
    weights = new Map();
    for (const { lower } of tokenize(slot.description, 20))
      if (!STOP_WORDS.has(lower) && !DULL.has(lower)) weights.set(known(lower), 1);
    for (const word of slot.words)
      if (!DULL.has(word)) weights.set(known(word), 2).set(known(word.replace(/(?<=\w{3})name$/, "")), 2);
    cache.set(slot, weights);
  }
  return weights;
}

/** How well a preposition fits what an argument is for; below zero where it is said of the other end. */
function roleScore({ words, description }: Slot, { lead }: Anchor): number {
  const inName = ROLES.filter(([own]) => words.some((word) => own.test(word)));
  const [ends, ...others] = inName;
  if (ends !== undefined) {
    if (ends[1].test(lead)) return others.length > 0 ? 2.2 : 2;
    const isEnd = ROLES.slice(0, 2).some(([own]) => words.some((word) => own.test(word)));
    const isOther = ROLES.slice(0, 2).some(
      ([own, said]) => said.test(lead) && !words.some((word) => own.test(word)),
    );
    return isEnd && isOther ? -2 : 0;
  }
  const said = tokenize(description, 8).map(({ lower }) => lower);
  return ROLES.slice(2).some(([own, cue]) => said.some((word) => own.test(word)) && cue.test(lead)) ? 1.2 : 0;
}

/** "Santa Clara County" is a county. */
function ownScore({ words }: Slot, { value }: Anchor): number {
  const [last, ...others] = tokenize(value).toReversed();
  return last && others.length > 0 && words.some((word) => stemOf(word) === last.stem) ? 1.5 : 0;
}

/**
 * Gives values to arguments, the pair first for which the words speak most: what the argument is called and
 * described as, and the preposition before the value. Pairs below `least` are left.
 */
export function pair(
  slots: readonly Slot[],
  anchors: readonly Anchor[],
  least: (slot: Slot) => number,
  take: (slot: Slot, anchor: Anchor) => boolean,
  withRoles = false,
): void {
  const pairs = slots.flatMap((slot) =>
    anchors.map((anchor) => ({
      slot,
      anchor,
      // "A Tennis player, Serena Williams": what a name is of stands before it.
      score:
        affinity(slot, anchor, withRoles ? 0.8 : 1) +
        (withRoles ? roleScore(slot, anchor) + ownScore(slot, anchor) : 0),
    })),
  );
  const done = new Set<unknown>();
  for (const { slot, anchor, score } of pairs.toSorted((one, other) => other.score - one.score)) {
    if (done.has(slot) || done.has(anchor) || score < least(slot) || !take(slot, anchor)) continue;
    done.add(slot).add(anchor);
  }
}

const PROPER =
  /(?<![\p{L}\p{N}@./_-])\p{Lu}[\p{L}\p{N}'’&._-]*(?:(?:,?\s+(?:(?:of|de|del|di|da|the|la|van|von|der)\s+)?)\p{Lu}[\p{L}\p{N}'’&._-]*)*/gu;
/** Where a name ends a sentence, and the next one begins: "Liverpool F.C. Include …". */
const ENDED =
  /\.\s+(?:Include|Provide|Return|Find|Show|Give|Get|Consider|Use|Please|What|Which|How|I|The|Also|It|Don|Do)\b.*$/s;
/** A key names a record, and nothing else. */
const KEY = /^[A-Z][A-Z0-9_]*-\d+$/;
const STREET = /\b(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Square|Boulevard|Blvd)$/;
const NO_NAME =
  /^(?:I|I['’].*|A|An|The|What|Which|Who|When|Where|How|Is|Are|Do|Does|Did|Can|Could|And|Or|Please|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)$/;

/** Names that are written with capitals and not taken yet; the first word of a sentence is none. */
export function properNames(filling: Filling): Anchor[] {
  const { sheet } = filling;
  return [...sheet.masked.matchAll(PROPER)].flatMap(({ 0: found, index }) => {
    const isFirst = /(?:^|[.!?]\s+)$/.test(sheet.masked.slice(0, index));
    const whole = found
      .replace(ENDED, "")
      .replace(/,?\s+(?:I|Can|Could|Please|What|How|And|But|So|Find|Show|Give|Include)$/, "");
    const rest = isFirst ? whole.replace(/^\S+\s*(?:(?:of|de|the|la)\s+)?/, "") : whole;
    const value = rest.replace(/,+$|(?<!\b\p{L})\.+$/u, "").replace(/['’]s?$/, "");
    const start = index + whole.length - rest.length;
    if (value === "" || NO_NAME.test(value) || KEY.test(value) || isOwnWord(filling, value)) return [];
    // What somebody dictates is no name.
    const { tail } = filling.wish;
    if (filling.entry.changing && tail && index >= tail.start && index < tail.end) return [];
    const house = STREET.test(value) ? /\d+[a-z]?\s+$/.exec(sheet.masked.slice(0, start))?.[0] : undefined;
    if (house !== undefined)
      return [anchorAt(filling, house + value, start - house.length, start + value.length)];
    return [anchorAt(filling, value, start, start + value.length)];
  });
}

/** "GDP" of a tool that reads the GDP: a word that the tool says of itself. */
export function isOwnWord({ entry: { tool, slots } }: Filling, value: string): boolean {
  const isExample = ({ values, examples, description }: Slot): boolean =>
    [...values, ...examples].some((each) => sameWord(each, value)) ||
    /\b(?:e\.g|such as|like|for example|for instance)\b.*/is.exec(description)?.[0].includes(value) === true;
  if (!/^\p{Lu}/u.test(value) || slots.some(isExample)) return false;
  const words = tokenize(value);
  const own = tokenize(`${splitName(tool.name).join(" ")} ${tool.description}`, 100);
  const isOwn = ({ text, lower }: Token): boolean =>
    own.some(
      (word) =>
        word.text === text || (word.lower === lower && (words.length > 1 || /^\p{Lu}{2,}$/u.test(text))),
    );
  return words.every(isOwn);
}

const NAMES = wordSet("text title code person");

/** Whether a name has the form of the examples that the argument's description gives: codes in capitals. */
function hasForm(slot: Slot, value: string): boolean {
  const examples = namedValues(slot);
  const isCode = examples.length > 0 && examples.every((each) => /^[A-Z]{2,4}$/.test(each));
  if (closedValues(slot).length > 0) return false;
  if (slot.kind === "code" && upperCodes(slot) && !/^[A-Z][A-Z0-9_]+$/.test(value)) return false;
  return fits(slot, value) && (!isCode || /^[A-Z]{2,5}$/.test(value));
}

/** Where a value ends with the word behind it that says what it is: "2 adults", "45 kg". */
export function endWithUnit({ sheet }: Filling, slot: Slot, { end }: Piece): number {
  const unit =
    /^\s*-?\s*(?:[%$€]|(?:cubic\s+|square\s+)?[\p{L}²³°]+)/u.exec(sheet.masked.slice(end))?.[0] ?? "";
  const word = /(?:[%$€]|[\p{L}²³°]+)$/u.exec(unit)?.[0] ?? "";
  return weightsOf(slot).has(known(word)) || UNIT.test(word) || /^(?:percent|%|dollars?|euros?)$/i.test(word)
    ? end + unit.length
    : end;
}

/** Names with capitals for the arguments that their prepositions and the words around them speak for. */
export function bindNames(filling: Filling): void {
  const { entry } = filling;
  const slots = entry.slots.filter(
    (slot) =>
      NAMES.has(slot.kind) && isOpen(filling, slot) && (slot.required || !entry.takesTopic) && !isProse(slot),
  );
  const take = (slot: Slot, anchor: Anchor): boolean => {
    // "on GitHub" says where, and is no branch.
    if (entry.places.has(stemOf(anchor.value.toLowerCase()))) return false;
    if (isTaken(filling, anchor.start) || !hasForm(slot, anchor.value) || inTopicOf(filling, anchor))
      return false;
    put(filling, slot, toValue(slot, anchor.value), anchor, 0.5);
    return true;
  };
  const places = slots.filter(({ words }) => /^(?:city|country|state)$/.test(words.at(-1) ?? ""));
  const names = properNames(filling).flatMap((name) => {
    // "Tokyo, Japan", for what takes the two apart.
    const [town = "", land, ...more] = name.value.split(/,\s+/);
    if (land === undefined || more.length > 0) return [name];
    const [only] = places;
    if (places.length === 1 && only?.words.at(-1) === "city" && !/\bstate\b|,\s*[A-Z]/.test(only.description))
      return [{ ...name, value: town }];
    if (places.length !== 2) return [name];
    return [
      { ...name, value: town, end: name.start + town.length },
      { ...name, value: land, start: name.end - land.length, before: ["country", "state"], lead: "in" },
    ];
  });
  pair(slots, names, (slot) => (slot.required ? 1.4 : 1.9), take, true);
}

/** "The user 'Sam'", of what is read: quoted names go where the word before them points, the last one to what is left. */
export function bindQuotes(filling: Filling): void {
  const { entry, sheet } = filling;
  if (entry.changing || entry.takesTopic) return;
  const open = (): Slot[] =>
    entry.slots.filter(
      (slot) =>
        slot.required &&
        isOpen(filling, slot) &&
        (slot.kind === "title" || (NAMES.has(slot.kind) && !isProse(slot))),
    );
  const take = (slot: Slot, quote: Anchor): boolean => {
    if (!fits(slot, quote.value)) return false;
    put(filling, slot, toValue(slot, quote.value), quote, 0.5);
    return true;
  };
  const quotes = sheet.openQuotes().map(({ value, start, end }) => anchorAt(filling, value, start, end));
  // What is said of a quotation is said before it.
  pair(
    open(),
    quotes.map((quote) => ({ ...quote, after: [] })),
    () => 1.4,
    take,
  );
  const [left, ...lefts] = sheet.openQuotes();
  const named = open().filter(({ words, description }) =>
    open().some((each) => /^(?:name|title)$/.test(each.words.at(-1) ?? ""))
      ? /^(?:name|title)$/.test(words.at(-1) ?? "")
      : /\b(?:name|title)\b/i.test(description),
  );
  const [slot, ...others] = named.length === 1 ? named : open();
  const isText = entry.slots.some(
    (each) => each.required && isOpen(filling, each) && /^(?:list|body|query)$/.test(each.kind),
  );
  if (left && slot && !isText && lefts.length + others.length === 0)
    take(slot, anchorAt(filling, left.value, left.start, left.end));
}

/** What searches look for is no name of anything. */
function inTopicOf(filling: Filling, { start }: Anchor): boolean {
  return filling.entry.slots.some(({ kind }) => kind === "query") && inTopic(filling, start);
}

/** Texts that are written or have a form of their own are no names. */
function isProse(slot: Slot): boolean {
  return (
    isZone(slot) ||
    /^(?:time|timestamp)$/.test(slot.words.at(-1) ?? "") ||
    slot.words.some((word) =>
      /^(?:title|summary|subject|message|text|body|description|comment|note|label|query|sql|jql|cql|expression|fields|expand|reason|goal)$/.test(
        word,
      ),
    )
  );
}

/** "vegan", "cm": a value that the argument's own description gives as an example. */
export function bindExamples(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "text" || !isOpen(filling, slot) || isProse(slot)) continue;
    if (!slot.required && filling.entry.takesTopic) continue;
    if (/^units?$/.test(slot.words.at(-1) ?? "")) {
      fillUnit(filling, slot);
      continue;
    }
    const found = filling.wish.tokens.find(
      ({ text, lower, start }) =>
        !isTaken(filling, start) &&
        !inTopicOf(filling, { start } as Anchor) &&
        !isOwnWord(filling, text) &&
        namedValues(slot).some((value) => value.toLowerCase() === lower && value.length > 2),
    );
    const whole =
      found && properNames(filling).find(({ start, end }) => start <= found.start && end >= found.end);
    if (found) put(filling, slot, whole?.value ?? found.text, whole ?? found, 0.5);
  }
}

/** "In miles", "to km/h": what a result shall be given in, which the units of what is given do not say. */
function fillUnit(filling: Filling, slot: Slot): void {
  const { entry, sheet } = filling;
  const unit = `(?:${UNIT_NAMES})(?:(?:\\/|\\s+per\\s+)[\\p{L}²³]+)?(?![\\p{L}/])`;
  // "The unit of the radius" is the one that stands behind it.
  const isOfValue = entry.slots.some(
    (other) =>
      other !== slot &&
      other.words.some((word) => word.length > 3 && slot.description.toLowerCase().includes(word)),
  );
  const found =
    matchPiece(sheet.masked, new RegExp(`\\b(?:in|to|into|as|using)\\s+(${unit})`, "diu"), true) ??
    (isOfValue ? matchPiece(sheet.text, new RegExp(`(?<=\\d\\s*)(${unit})`, "diu")) : undefined);
  if (!found) return;
  const named = namedValues(slot).find(
    (value) => known(value) === known(found.value) || sameWord(value, found.value),
  );
  put(filling, slot, named ?? found.value, found);
}

/** Whether an argument is what people, teams, firms or places are called, which is written with a capital. */
function isProper({ words }: Slot): boolean {
  return words.some((word) =>
    /^(?:location|city|country|state|county|company|player|team|artist|author|actor|league|season|platform|university|person|currency)$/.test(
      word,
    ),
  );
}

/** What is left of the sentence is the value of the one argument that is left. */
export function bindRest(
  filling: Filling,
  leftovers: (filling: Filling) => { start: number; end: number }[],
): void {
  const { entry, sheet } = filling;
  const open = entry.slots.filter((slot) => slot.required && isOpen(filling, slot));
  const [slot] = open;
  if (entry.slots.some(({ kind }) => kind === "query" || kind === "key")) return;
  // "Open a PR" says what is opened.
  const isThing = (value: string): boolean =>
    /^[PM]Rs?$/.test(value) || entry.objects.has(stemOf(value.toLowerCase()));
  const names = properNames(filling).filter(
    ({ start, value }) => !isTaken(filling, start) && !isThing(value),
  );
  const isFree = (each: Slot): boolean => NAMES.has(each.kind) && !isProse(each) && isOpen(filling, each);
  const free =
    open.length > 0
      ? open.filter(isFree)
      : entry.slots.filter((each) => isFree(each) && each.words.at(-1) === "name");
  // As many names as arguments: in their order.
  if (free.length > 0 && free.length === names.length) {
    for (const [at, each] of free.entries()) {
      const name = names[at];
      if (name && hasForm(each, name.value))
        put(filling, each, toValue(each, name.value), name, namedValues(each).length > 0 ? 0.4 : 0);
    }
    return;
  }
  const { head, verbless } = filling.wish;
  if (slot === undefined || open.length !== 1 || !isFree(slot) || entry.changing) return;
  // An order that no tool follows is no value: "merge develop into main".
  if (verbless && head?.start === 0 && isChangeVerb(head.lower)) return;
  const left = leftovers(filling).filter(
    ({ start, end }) => !/^(?:next|last|past|coming|within)$/i.test(sheet.text.slice(start, end)),
  );
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined || left.length > 3) return;
  // "the branch develop"
  const isLabel = (token: { start: number; end: number }): boolean =>
    entry.vocabulary.has(stemOf(sheet.text.slice(token.start, token.end).toLowerCase()));
  const from = left.length > 1 && isLabel(first) ? (left[1] ?? first) : first;
  // "The board game 'Ticket to Ride'" names no platform.
  if (from === last && isLabel(from) && sheet.quotes.length > 0) return;
  const text = sheet.text.slice(from.start, last.end);
  if (isProper(slot) && !/\p{Lu}|\d/u.test(text)) return;
  // "main with release" are two.
  if (/(?:^|\s)(?:with|from|to|and|between|against|than|does|do|has|have|is|are)\s/i.test(text)) return;
  if (!/^[\p{L}\p{N}'’& -]+$/u.test(text) || sheet.masked.slice(from.start, last.end) !== text) return;
  put(filling, slot, toValue(slot, text), { start: first.start, end: last.end });
  filling.guessed += 0.5;
}

/** "between the Lakers and the Bulls": the names for a list that nothing else was found for. */
export function bindNameList(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "list" || !slot.required || !isOpen(filling, slot)) continue;
    if (slot.items !== undefined && slot.items !== "string") continue;
    const names = properNames(filling).filter(({ start }) => !isTaken(filling, start));
    const [first, last] = [names[0], names.at(-1)];
    // "with mushrooms and olives"
    const item = "\\p{Ll}[\\p{L}-]+(?: \\p{Ll}[\\p{L}-]+)?";
    const plain = new RegExp(
      `\\b(?:with|containing|including)\\s+((?:${item},\\s*)*${item}\\s*,?\\s+and\\s+${item})(?=\\s*(?:$|[,.!?]|(?:to|for|in|on|at|from)\\b))`,
      "du",
    );
    const listed = names.length < 2 ? matchPiece(filling.sheet.masked, plain, true) : undefined;
    if (listed) {
      put(filling, slot, listed.value.split(/\s*,\s*(?:and\s+)?|\s+and\s+/), listed, 0.5);
      continue;
    }
    // "open the entries for Maria Santos", "forget Project Falcon"
    const isOnly =
      /names?$/i.test(slot.name) && filling.entry.slots.filter(({ required }) => required).length === 1;
    if (!first || !last || (names.length < 2 && !isOnly)) continue;
    put(
      filling,
      slot,
      names.map(({ value }) => value),
      { start: first.start, end: last.end },
      0.5,
    );
  }
}
