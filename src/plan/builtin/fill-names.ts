import { fits, type Slot, splitName, toValue } from "../slot.ts";

import {
  closedValues,
  type Filling,
  inTopic,
  isOpen,
  labelsOf,
  matchPiece,
  put,
  valueOf,
} from "./filling.ts";
import { TAKEN } from "./sheet.ts";
import { hasVerb } from "./verbs.ts";
import { DULL, isOwnWord } from "./bind.ts";
import { NUMBER_WORDS, stemOf, STOP_WORDS, THINGS, tokenize, wordSet } from "./words.ts";
import { isClock, isDuration } from "./fill-values.ts";
import { isZone } from "./zones.ts";
import { NO_CODES } from "./fill-codes.ts";

const NAME = "[\\p{L}\\p{N}_][\\p{L}\\p{N}_./@-]*";
const PROPER =
  "\\p{Lu}[\\p{L}\\p{N}'’&./_-]*(?:,?\\s+(?:(?:of|de|the|and)\\s+)?\\p{Lu}[\\p{L}\\p{N}'’&.-]*)*(?<!\\.)";
const NO_NAMES =
  /^(?:in|on|of|to|for|from|with|between|and|or|the|a|an|is|are|was|that|this|it|all|by|at|into|named|called|healthy|up|down|now|please|about)$/i;
/** What says which of several is meant, and names none of them. */
const PICKS = wordSet(
  "wrong right old older oldest new newer newest same last latest first second third next upcoming coming previous current other yesterday today tomorrow my our your his her their some any one few every each both another again default whole",
);
const NAMED_KINDS = wordSet("text title code id");

/** What stands before a name that is the value of an argument, by a word of the argument. */
const PREPOSITIONS: readonly [RegExp, string][] = [
  [/^(?:target|other|against)$/, "from|with|and|against|to|than"],
  [/^base$/, "from|against|to|into|onto|based on|off"],
  [/^head$/, "from"],
  [/^(?:from|origin|source|start|departure|sender)$/, "from|starting (?:at|from)|leaving|based on|off"],
  [/^(?:to|destination|target|end|arrival|recipient|into)$/, "to|into|towards|against|arriving (?:at|in)"],
  [
    /^(?:location|city|place|country|region|state|county|jurisdiction|continent|area|town|address|venue|timezone|room|floor|building|office)$/,
    "in|at|near|around|for|of|from",
  ],
  [/^languages?$/, "to|into|in"],
  [/^(?:repo|repository|project|space|board)$/, "in|of|for|on|from|to"],
  [/^(?:environment|env|branch|channel|folder|region|stage)$/, "in|to|on|from"],
  [/^(?:author|artist|composer|creator|director|by)$/, "by|from|of"],
];

/**
 * Names behind the thing they belong to ("the service payments", "employee Dmitri Petrov"), behind the
 * preposition that fits their argument ("from Berlin to Lisbon"), or the only one there is behind any.
 */
export function fillNames(filling: Filling): void {
  const { entry } = filling;
  if (entry.slots.some((slot) => slot.kind === "key")) return;
  const makes = entry.intents.has("create") || entry.intents.has("comment");
  for (const slot of entry.slots) {
    if (
      !isOpen(filling, slot) ||
      isZone(slot) ||
      isClock(slot) ||
      isDuration(slot) ||
      !(NAMED_KINDS.has(slot.kind) || (slot.kind === "person" && slot.required))
    )
      continue;
    if (makes && (slot.kind === "title" || slot.kind === "text")) {
      if (slot.required && slot.words.some((word) => entry.objects.has(stemOf(word))))
        fillNewName(filling, slot);
      else if (slot.required && slot.words.join() === "name") fillOwnName(filling, slot);
      const role = PREPOSITIONS.find(([word]) => slot.words.some((each) => word.test(each)))?.[1];
      if (
        isOpen(filling, slot) &&
        slot.kind === "text" &&
        role !== undefined &&
        /base|head|from|source|origin/.test(slot.words.join(" "))
      )
        fillBehind(filling, slot, role);
      continue;
    }
    if (slot.required && entry.changing && fillDirect(filling, slot)) continue;
    if (slot.required && fillBehindNoun(filling, slot)) continue;
    if (slot.kind === "title" && !slot.required && !entry.changing && fillTitled(filling, slot)) continue;
    if (slot.required && isOpen(filling, slot) && fillBefore(filling, slot)) continue;
    if (!entry.changing && slot.words.join() === "sha") fillBranch(filling, slot);
    if (!slot.required && slot.kind === "text" && entry.changing && fillNamed(filling, slot)) continue;
    const own = PREPOSITIONS.find(([word]) => slot.words.some((each) => word.test(each)))?.[1];
    if (own !== undefined && (slot.required || slot.kind !== "code")) fillBehind(filling, slot, own);
    else if (slot.required && (slot.kind === "code" || slot.kind === "text" || slot.kind === "title"))
      fillBehind(filling, slot, entry.changing ? "of|for" : "in|of|for|on|about");
  }
}

/** "create the branch hotfix-2": a technical name behind the word for the new thing. */
function fillNewName(filling: Filling, slot: Slot): void {
  const things = slot.words.filter((word) => filling.entry.objects.has(stemOf(word))).join("|");
  const name = new RegExp(
    `\\b(?:${things})\\s+(?:called\\s+|named\\s+)?([\\p{L}][\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?![\\w/])`,
    "diu",
  );
  // "A branch hotfix from main": any word where nothing more is said of it.
  const plain = new RegExp(
    `\\b(?:${things})\\s+(?:called\\s+|named\\s+)?([\\p{L}\\p{N}_-]+)(?=\\s*[.!]*\\s*$|\\s*[,;${TAKEN}]|\\s+(?:in|from|on|off|based)\\b)`,
    "diu",
  );
  const found = matchPiece(filling.sheet.masked, name, true) ?? matchPiece(filling.sheet.masked, plain, true);
  if (found && isName(filling, slot, found.value)) put(filling, slot, valueOf(filling, found), found, 1);
}

/** What a thing is called for short. */
const SHORT: Readonly<Record<string, string>> = {
  repository: "repo(?:sitory)?",
  directory: "(?:directory|folder|dir)",
};

/** "Version 4.2", "the label reviewed": one word behind the word for the thing that a tool makes. */
function fillOwnName(filling: Filling, slot: Slot): void {
  const { entry, sheet } = filling;
  const things = splitName(entry.tool.name).filter(
    (word) => entry.objects.has(stemOf(word)) && !entry.places.has(stemOf(word)),
  );
  const last = things.at(-1);
  if (last === undefined) return;
  const thing = SHORT[last] ?? last;
  const found = matchPiece(
    sheet.masked,
    new RegExp(
      `(?:\\b(?:the|an?)\\s+)?(?:new\\s+)?\\b${thing}\\s+(?:called\\s+|named\\s+)?([\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.-]*[\\p{L}\\p{N}])?)(?=\\s*(?:[,;.!]?\\s*$|[,;]|${TAKEN})|\\s+(?:in|on|to|for|from|with|of|and)\\b)`,
      "diu",
    ),
    true,
  );
  if (found && isName(filling, slot, found.value)) put(filling, slot, valueOf(filling, found), found, 0.5);
}

/** "The commits on develop", of which the branch stands where a commit may. */
function fillBranch(filling: Filling, slot: Slot): void {
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(
      `\\b(?:on|from|of|in)\\s+(?:the\\s+)?(?:branch\\s+)?(${NAME})(?:\\s+branch)?(?=\\s*[?.!]*\\s*$|\\s*${TAKEN}|\\s+(?:in|of|on|from)\\b)`,
      "diu",
    ),
    true,
  );
  if (found && isName(filling, slot, found.value)) put(filling, slot, valueOf(filling, found), found, 0.5);
}

/** "Into our organisation acme": one word behind what the argument is called, where nothing else follows. */
function fillNamed(filling: Filling, slot: Slot): boolean {
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(
      `\\b(?:(?:in|into|to|for|with|under)\\s+)?(?:(?:the|our|my)\\s+)?(?<![\\p{L}-])(?:${labelsOf(slot).join("|")})\\s+(?:called\\s+|named\\s+)?(${NAME})(?=\\s*[.!]*\\s*$|\\s+(?:and|with|in|to|for)\\b)`,
      "diu",
    ),
    true,
  );
  if (!found || !isName(filling, slot, found.value)) return false;
  put(filling, slot, toValue(slot, valueOf(filling, found)), found, 0.5);
  return true;
}

/** "restart payments in staging": what directly follows the tool's own verb, up to a preposition. */
function fillDirect(filling: Filling, slot: Slot): boolean {
  const { wish, entry, sheet } = filling;
  if (wish.head === undefined || !hasVerb(entry.verbs, wish.head.stem) || slot.kind === "id") return false;
  const match =
    /^\s+(?:back\s+)?(?:to\s+)?(?:the\s+)?([\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_/-])?)(?=\s*(?:$|[,.!?])|\s+(?:in|on|to|from|at)\b)/u.exec(
      sheet.masked.slice(wish.head.end),
    );
  const value = match?.[1] ?? "";
  if (match === null || !isName(filling, slot, value) || entry.kin.has(stemOf(value.toLowerCase())))
    return false;
  put(filling, slot, toValue(slot, value), { start: wish.head.end, end: wish.head.end + match[0].length }, 1);
  return true;
}

/** "the develop branch", "the customers table": a name before the word for what it is of. */
function fillBefore(filling: Filling, slot: Slot): boolean {
  const nouns = slot.words.filter((word) => !/^(?:name|id|key|code|path)$/.test(word));
  if (nouns.length !== 1) return false;
  const lead = slot.words.length < 2 ? "(?:in|of|from|to|on)\\s+the\\s+" : "(?:the\\s+|to\\s+)";
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(`\\b${lead}(${NAME})\\s+${nouns[0] ?? ""}(?![\\p{L}])`, "diu"),
    true,
  );
  if (!found || !isName(filling, slot, found.value)) return false;
  put(filling, slot, toValue(slot, valueOf(filling, found)), found, 1);
  return true;
}

/** "open the page Feature flags": a title behind the word for the thing, up to the end. */
function fillTitled(filling: Filling, slot: Slot): boolean {
  const { entry, sheet, wish } = filling;
  const match =
    /(?<![\p{L}\p{N}])(\p{L}+)\s+(?:called\s+|named\s+|titled\s+)?(?=[\p{Lu}\uE001])(?!I\b)/u.exec(
      sheet.masked,
    );
  const isNoun = match !== null && match.index > 0 && entry.kin.has(stemOf((match[1] ?? "").toLowerCase()));
  if (!isNoun || wish.keys.length > 0) return false;
  const start = match.index + match[0].length;
  const quote = sheet.quoteAt(start);
  const value = quote ? quote.value : sheet.text.slice(start).replace(/[\s?!.]+$/, "");
  if (value.length < 2 || (!quote && sheet.masked.slice(start).includes(TAKEN))) return false;
  put(filling, slot, value, { start: match.index, end: quote?.end ?? sheet.text.length }, 1);
  return true;
}

function fillBehindNoun(filling: Filling, slot: Slot): boolean {
  const { masked } = filling.sheet;
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(\\p{L}+)\\s+(?:account\\s+|record\\s+|profile\\s+)?(?:called\\s+|named\\s+)?(${NAME}(?:\\s+\\p{Lu}[\\p{L}-]+){0,2})`,
    "dgu",
  );
  for (let from = 0; ;) {
    pattern.lastIndex = from;
    const match = pattern.exec(masked);
    const place = match?.indices?.[2];
    if (match === null || place === undefined) return false;
    from = match.index + (match[1]?.length ?? 1);
    const stem = stemOf((match[1] ?? "").toLowerCase());
    const isLabel =
      (filling.entry.kin.has(stem) &&
        !PICKS.has((match[1] ?? "").toLowerCase()) &&
        !(filling.entry.places.has(stem) && /^\p{Ll}+$/u.test(match[2] ?? ""))) ||
      slot.words.some((word) => stemOf(word) === stem);
    // "Movies starring Leonardo DiCaprio"; "proteins found in the membrane" names nothing.
    const doing = /^(?:\p{Ll}+(?:ing|ed)|found|made|held|sent|kept|given|shown|taken|written)(?=\s)/u.exec(
      masked.slice(place[0]),
    );
    const value = (match[2] ?? "")
      .slice(doing ? doing[0].length : 0)
      .trim()
      .replace(/,+$|(?<!\b\p{L})\.+$/u, "");
    // "a hotel room" names no city.
    const isOther =
      !slot.words.some((word) => stemOf(word) === stem) &&
      !/\p{Lu}|\d|[_./-]/u.test(match[2] ?? "") &&
      filling.entry.slots.filter((each) => each.required && NAMED_KINDS.has(each.kind)).length > 1;
    if (!isLabel || isOther || value === "" || !isName(filling, slot, value) || inTopic(filling, place[0]))
      continue;
    put(filling, slot, toValue(slot, value), { start: match.index, end: place[1] }, 1);
    return true;
  }
}

function fillBehind(filling: Filling, slot: Slot, prepositions: string): void {
  const { masked } = filling.sheet;
  const own = slot.words.filter((word) => word.length > 2 && !/^(?:from|into)$/.test(word)).join("|");
  const refs = slot.words.some((word) => /^(?:base|head|target|ref|revision)$/.test(word))
    ? "(?:(?:branch|commit|tag)\\s+)?"
    : "";
  const before = `\\b(?:${prepositions})\\s+(?:the\\s+)?(?:city of\\s+)?${refs}${own === "" ? "" : `(?:(?:${own})\\s+)?`}`;
  const sources = [
    `(?<=${before})(${PROPER})`,
    `(?<=${before})(${NAME})\\s*[?.!]*$`,
    ...(filling.entry.changing ? [] : [`(?<=${before})(\\p{Ll}+ \\p{Ll}+)\\s*[?.!]*$`]),
    // In the middle it has to look like a name of something technical: "did the builds of web-shop pass".
    `(?<=${before})(\\p{L}[\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?=\\s)`,
  ];
  // "from the develop branch"
  if (slot.words.some((word) => /^(?:base|head|ref|branch)$/.test(word)))
    sources.unshift(`(?<=${before})(${NAME})(?=\\s+branch\\b)`);
  // "which columns does orders have"
  if (!filling.entry.changing && slot.required)
    sources.push(`(?<=\\b(?:does|do)\\s+(?:the\\s+)?)(${NAME})(?=\\s+(?:have|contain|hold)\\b)`);
  // "from release in /srv/shop"
  if (slot.words.some((word) => /^(?:base|head|target|ref|branch)$/.test(word)))
    sources.push(
      `(?<=${before})(${NAME})(?=\\s+(?:in|on|to|of|for|titled|called|named|with|and)\\b|\\s*[,:;])`,
    );
  for (const source of sources) {
    const match = new RegExp(source, "du").exec(masked);
    const place = match?.indices?.[1];
    const value = (match?.[1] ?? "").replace(/[.,]+$/, "").replace(/['’]s$/, "");
    if (match === null || place === undefined || value.includes(TAKEN) || !isName(filling, slot, value))
      continue;
    if (inTopic(filling, place[0]) && place[1] < masked.replace(/\W+$/, "").length && !/^\p{Lu}/u.test(value))
      continue;
    const cue = new RegExp(`${before}$`, "iu").exec(masked.slice(0, place[0]));
    put(
      filling,
      slot,
      toValue(slot, value),
      { start: cue?.index ?? place[0], end: place[0] + value.length },
      0.5,
    );
    return;
  }
}

function isName(filling: Filling, slot: Slot, value: string): boolean {
  const { entry } = filling;
  const stem = stemOf(value.toLowerCase());
  const [first = ""] = value.split(/\s+/);
  if (
    slot.words.some((word) => stemOf(word) === stem) ||
    (slot.kind === "code" && NO_CODES.has(first.toLowerCase()))
  )
    return false;
  if (/^[A-Z][A-Z0-9_]*-\d+$/.test(value) && slot.kind !== "id") return false;
  if (/^\d+$/.test(value) && (slot.kind === "person" || slot.kind === "code")) return false;
  if (
    PICKS.has(first.toLowerCase()) ||
    (DULL.has(value.toLowerCase()) && !entry.changing) ||
    (entry.changing && THINGS.has(stem) && !value.endsWith("s"))
  )
    return false;
  if (value === "" || NO_NAMES.test(first) || STOP_WORDS.has(first.toLowerCase())) return false;
  if (closedValues(slot).length > 0) return false;
  if (!entry.changing && /^[\p{Ll} ]+$/u.test(value))
    if (tokenize(value).some((word) => entry.vocabulary.has(word.stem) || entry.places.has(word.stem)))
      return false;
  if (Object.hasOwn(NUMBER_WORDS, value.toLowerCase()) || isOwnWord(filling, value)) return false;
  if (
    entry.kin.has(stem) ||
    entry.places.has(stem) ||
    entry.verbs.has(stem) ||
    (slot.kind === "id" && !/\d/.test(value))
  )
    return false;
  return slot.kind === "code" ? /^[\p{L}][\p{L}\p{N}_./-]*$/u.test(value) : fits(slot, value);
}
