import type { KnownName } from "#contract/plan.ts";

import { withEpicKeys } from "./containers.ts";
import { DAY } from "./dates.ts";
import { KEY, STOP_WORDS } from "./words.ts";

/** One value of a new issue in plain words, "" for none. */
export interface Detail {
  text: string;
  /** What it is: a bug, a task, a story. */
  type?: string;
  /** An order for the issue once it is there. */
  further?: string;
  /** Nobody is to have it. */
  isNobodys?: true;
}

/** What stands around a value and says nothing more. */
const LEAD =
  /^(?:(?:and|also|plus|but|so|then|please|pls|plz|oh|ah|no(?!\s+(?:assignee|one|hurry|rush|prio))|wait|actually|sorry|ok(?:ay)?|maybe|probably|just|with)\b[\s,:]*)*(?:(?:i['’]?d say|let['’]?s say|make (?:it|that)|(?:put|file|move) (?:it|that)(?= (?:in|on|under)\b)|set (?:it )?to|set|be(?=\s+due\b)|(?:could|can|may) (?:it|that|this) (?:go|be|get|have))\s+(?=\S)|goes\s+(?=in|under)|(?:it|this|that)(?:['’]?s|\s+(?:is|goes|belongs(?! to\b)|should (?:also )?(?:be|go|have|get|hang|sit|stand)|shall (?:be|have)|has|gets|needs|can be))?\s+(?:an?\s+(?=(?:bug|task|story)\b))?|(?:its|the)\s+(?=prio|due|type|label|tag|epic|project|assignee|owner|description))?(?:also\s+)?/iu;
const TRAIL =
  /(?:[\s,]+(?:please|pls|plz|thanks|thx|thank you|cheers|for now|i (?:think|guess|suppose)|i['’]?d say|if you ask me|of course|actually|in fact|maybe|perhaps|probably|for this(?: one)?|then|too|as well|instead|rather|again|yet|if possible)|\s+(?:is|would be|will be|should be)\s+(?:fine|enough|ok(?:ay)?|good|plenty|better|right|sufficient)|\s+(?:would|will|should)\s+do|\s+(?:should|shall|has to|must)\s+be\s+on\s+it)*[\s.!?]*$/iu;

const LEVEL = "highest|high|medium|low|lowest|urgent|critical";
/** Behind one label what follows may be another, or something else that is said of the issue. */
const LABEL = '(?!(?:and|assign|due|for|with|prio|priority|in|to|it|please|pls|on|by|under|as)\\b)[\\w"“”-]+';
const BY_DAY = `(?:by|until|till|before|due|to be (?:done|ready) by)\\s+(?:(?:the|this|coming)\\s+)?`;
const ENDS = "christmas|easter|new year|end of (?:the |next |this )?\\p{L}+(?: \\d{4})?";
const OTHERS_DAY = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|next \\p{L}+|tomorrow|today|tonight|${ENDS}|${DAY})(?:\\s+(?:morning|noon|evening|night|afternoon))?`;

/**
 * The value that a piece of a message gives a new issue, where it says nothing else: "high prio", "for Ben", "labels
 * tls and ops", "due Friday", "it belongs to the checkout epic", "link it to OPS-3".
 */
export function detailOf(piece: string, known: readonly KnownName[]): Detail | undefined {
  if (piece.length > MOST_CHARS) return undefined;
  const said = piece.trim().replace(/^\((.*)\)$/su, "$1");
  // "A task, not a bug"
  if (NOT_THAT.test(said)) return { text: "" };
  // "It only hurts people who order a lot, so me"
  if (/^so\s+(?:me|myself)\W*$/i.test(said)) return undefined;
  const plain = said
    .replace(/^(?:it|this|that)\s+(?=belongs to\b)/i, "")
    .replace(OF_THIS, "part of ")
    .replace(FOR_THEM, "")
    .replace(LEAD, "")
    .replace(TRAIL, "");
  if (plain === "")
    return /\b(?:please|pls|plz|thanks|thank you|thx|cheers)\b/i.test(said) ? { text: "" } : undefined;
  for (const [pattern, read] of readersOf(known)) {
    const match = pattern.exec(plain);
    const detail = match === null ? undefined : read(match.slice(1).find(Boolean) ?? "", known);
    if (detail !== undefined) return detail;
  }
  return undefined;
}

/** "This is meant for App version 2.0", "it is rather a thing for Operations" */
const OF_THIS =
  /^(?:it|this|that)(?:['’]s|\s+(?:is|was))\s+(?:actually\s+)?meant\s+(?:for|as\s+part\s+of)\s+/i;
const FOR_THEM =
  /^(?:it|this|that)(?:['’]s|\s+is|\s+sounds\s+like)\s+(?:rather|more|really|actually)\s+(?:an?\s+)?(?:(?:thing|matter|job|topic|ticket|one)\s+)?(?=for\b)/i;
const NOT_THAT = /^not\s+(?:an?\s+)?(?:bug|task|story|highest|high|medium|lowest|low)$/i;
/** More is a sentence. */
const MOST_CHARS = 90;

type Reader = (value: string, known: readonly KnownName[]) => Detail | undefined;

const read = new WeakMap<readonly KnownName[], (readonly [RegExp, Reader])[]>();

function readersOf(known: readonly KnownName[]): (readonly [RegExp, Reader])[] {
  const before = read.get(known);
  if (before !== undefined) return before;
  const hasProjects = known.some(({ kind }) => kind === "project");
  const made = toReaders(
    namesOf(known, "person"),
    hasProjects ? namesOf(known, "project") : "[A-Z][A-Z0-9_]{1,9}",
  );
  read.set(known, made);
  return made;
}

function toReaders(people: string, projects: string): (readonly [RegExp, Reader])[] {
  const text =
    (before: string): Reader =>
    (value) => ({ text: before + value });
  const mine: Reader = () => ({ text: "assigned to me" });
  // Where nobody says who there is, a name is what something is assigned to.
  const anyone = people === NOBODY ? "(?!me\\b)\\p{L}[\\p{L}.-]*" : people;
  const table: readonly (readonly [string, Reader])[] = [
    [
      "(?:type\\s*(?:is|:)?\\s*|as\\s+)?(?:an?\\s+)?(bug|task|story)",
      (type) => ({ text: "", type: type.toLowerCase() }),
    ],
    [
      `((?:in\\s+)?(?:${projects})\\s+(?:bug|task|story)|(?:an?\\s+)?(?:bug|task|story)\\s+(?:in|for)\\s+(?:the\\s+)?(?:${projects}))`,
      (given, known) => {
        // "A bug in DEMO" is a DEMO bug.
        const value = given.replace(/^(?:an?\s+)?(\S+)\s+(?:in|for)\s+(?:the\s+)?(.+)$/iu, "$2 $1");
        const [, place = "", type = ""] = /^(?:in\s+)?(.*)\s+(\S+)$/iu.exec(value) ?? [];
        const code = codeOf(place, known);
        return code === undefined ? undefined : { text: `in ${code}`, type: type.toLowerCase() };
      },
    ],
    [
      // "No hurry so low prio"
      `(?:not (?:so |very |that |really )?(?:urgent|important)|(?:there(?:['’]?s| is) )?no (?:hurry|rush))(?:,?\\s+(?:(?:so|just|hence)\\s+)?(${LEVEL})(?:[ -]?prio(?:rity)?)?)?`,
      (level) => ({ text: `priority ${level === "" ? "low" : level.toLowerCase()}` }),
    ],
    ["normal(?:[ -]prio(?:rity)?)?", () => ({ text: "priority medium" })],
    [
      `(?:(?:the\\s+)?prio(?:rity)?\\s*(?:(?:is|should be|shall be|can be|to|:|=)(?!\\p{L}))?\\s*)?(?:to\\s+|at\\s+|on\\s+)?(${LEVEL})(?:[ -]?prio(?:rity)?)?(?:\\s*,?\\s*not\\s+(?:${LEVEL}))?`,
      (level) => ({ text: `priority ${level.toLowerCase()}` }),
    ],
    [
      `(?:(?:add|put|give it)\\s+)?(?:(?:the|an?)\\s+)?(?:labels?|tags?|labell?ed|tagged)(?:\\s+(?:it|this))?(?:\\s+(?:as|with|is|are|should be|shall be))?\\s*:?\\s+(${LABEL}(?:(?:\\s*,\\s*|\\s+and\\s+|\\s*&\\s*|\\s+)${LABEL}){0,4})(?:\\s+(?:on|onto|to)\\s+(?:it|this|that))?`,
      (value) => labelled(value),
    ],
    [
      `(?:(?:re)?assign(?:ed|ee)?(?:\\s+(?:it|this|that))?(?:\\s+(?:is|to|should be|shall be))?\\s*:?|for|to|on|owner(?:\\s+is)?\\s*:?|lead|(?:give|hand)(?:\\s+(?:it|this|that))?\\s+to|goes\\s+to)\\s+(me|myself|${people})`,
      text("assigned to "),
    ],
    [`assign(?:ed)?(?:\\s+(?:it|this|that))?\\s+to\\s+(${anyone})`, text("assigned to ")],
    [`(?:put|set)\\s+(me|${people})\\s+on\\s+(?:it|this|that)`, text("assigned to ")],
    [
      `(${people})\\s+(?:(?:as\\s+(?:the\\s+)?(?:assignee|owner))|(?:should|can|could|will|must|shall|has to|wants to|would)\\s+(?:do|take|have|get|own|handle|fix|look at)(?:\\s+(?:it|this|that)(?:\\s+(?:in|within|today|tomorrow|then)\\b.*)?)?|(?:takes|does|gets|has|owns|handles)\\s+(?:it|this|that)|(?:asked|asks|wants|volunteered|offered|would\\s+like)\\s+(?:for\\s+(?:it|this|that)|to\\s+(?:have|do|take|own|get)\\s+(?:it|this|that)))`,
      text("assigned to "),
    ],
    [`(${people}|me|myself)`, text("assigned to ")],
    [
      "(?:(?:it['’]?s|that['’]?s|all|also)\\s+)?mine(?:\\s+(?:too|also))?|i(?:['’]?ll|\\s+will|\\s+can|['’]?d)?\\s+(?:do|take|have|handle|fix|look\\s+(?:after|at|into)|take\\s+care\\s+of|deal\\s+with|work\\s+on|pick|sort|own)\\s+(?:it|this|that)(?:\\s+(?:up|out))?(?:\\s+(?:myself|on))?|i(?:['’]?m|\\s+am)\\s+on\\s+it|assign\\s+me",
      mine,
    ],
    [
      "(?:leave\\s+(?:it|that)\\s+(?:with\\s+)?)?(?:unassigned|without\\s+(?:an\\s+)?assignee|no\\s+assignee|nobody|no[ -]one)(?:\\s+(?:on\\s+it|assigned|is\\s+on\\s+it|has\\s+it|has\\s+to\\s+have\\s+it|needs?(?:\\s+to\\s+have)?\\s+it|for\\s+now|yet))*",
      () => ({ text: "", isNobodys: true }),
    ],
    [
      `(?:under|in|into|to|for|part of|epic(?:\\s+is)?)\\s*:?\\s*(?:the\\s+)?(?:epic\\s+)?(${KEY})(?:\\s+epic)?|(${KEY})\\s+is\\s+(?:the|its)\\s+epic`,
      text("under epic "),
    ],
    [
      '((?:(?:under|in|into|inside|to|for|part of)\\s+)?(?:the\\s+)?[^,;:]*\\bepic\\b[^,;]*|(?:under|part of|belongs to)\\s+[^,;:]+|(?:to|in|into)\\s+["“][^"”]+["”])',
      epicCalled,
    ],
    [
      `(?:(?:in|for|to|on|belongs to)\\s+(?:the\\s+)?)?(?:project\\s*:?\\s*)?(${projects})(?:\\s+(?:project|board|space))?`,
      (name, known) => {
        const code = codeOf(name, known);
        return code === undefined ? undefined : { text: `in ${code}` };
      },
    ],
    ["(?:in|for|on)\\s+(?:the\\s+repo(?:sitory)?\\s+)?([\\w.-]+\\/[\\w.-]+)", text("in ")],
    [
      `(?:due(?:\\s+(?:date|on|by|at|in))?|deadline(?:\\s+is)?|until|by)\\s*:?\\s+(?:is\\s+|on\\s+|the\\s+|(?:should|shall|must|can)\\s+be\\s+)?(${OTHERS_DAY})`,
      text("due "),
    ],
    ["due\\s+(?!to\\b)([^\\s].{1,20}\\d.{0,10})", text("due ")],
    [
      `(?:(?:must|has\\s+to|have\\s+to|needs\\s+to|need\\s+to)\\s+be\\s+)?(?:done|finished|ready|needed|live)\\s+(?:by|until|before|till)\\s+(${OTHERS_DAY})`,
      text("due "),
    ],
    [`${BY_DAY}(${OTHERS_DAY})`, text("due ")],
    [`((?!next (?:quarter|year|sprint|release|time)\\b)${OTHERS_DAY})`, text("due ")],
    [
      `((?:link|connect|relate|tie)(?:ed|s)?\\s+(?:(?:it|this|that)\\s+)?(?:to|with)\\s+\\S.*|(?:(?:it|that|this|which)\\s+)?(?:is\\s+)?(?:blocks|blocked by|relates to|related to|duplicates|depends on)\\s+${KEY})`,
      (value) => ({ text: "", further: linkOf(value) }),
    ],
  ];
  return table.map(([pattern, reader]) => [new RegExp(`^(?:${pattern})$`, "iu"), reader] as const);
}

function linkOf(value: string): string {
  return /^(?:link|connect|relate|tie)/i.test(value)
    ? value.replace(/^\S+\s+(?:(?:it|this|that)\s+)?(?:to|with)\s+/i, "link it to ")
    : value
        .replace(/^(?:(?:it|that|this|which)\s+)?(?:is\s+)?/i, "it ")
        .replace(/^it blocked by\b/i, "it is blocked by")
        .replace(/^it related? to\b/i, "it relates to");
}

function labelled(value: string): Detail | undefined {
  const words = value
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+/i)
    .map((word) => word.replaceAll(/["“”]/g, ""));
  const named = words.filter((word) => word !== "");
  // "Label search and exactly this title": words that say nothing are no labels.
  const end = named.findIndex(
    (word) => STOP_WORDS.has(word.toLowerCase()) || /^(?:exactly|should)$/i.test(word),
  );
  const labels = end === -1 ? named : named.slice(0, end);
  if (
    named
      .slice(labels.length)
      .some((word) => !/^(?:title|name|exactly)$/i.test(word) && !STOP_WORDS.has(word.toLowerCase()))
  )
    return undefined;
  return labels.length === 0 ? undefined : { text: labelsText(labels) };
}

export function labelsText(labels: readonly string[]): string {
  return labels.length === 1
    ? `label ${labels[0] ?? ""}`
    : `labels ${labels.map((label) => `"${label}"`).join(" and ")}`;
}

/** What a text says of a new issue, where every piece of it is such a value: "it's a bug, high, for Ben". */
export function detailsIn(text: string, known: readonly KnownName[]): Detail[] | undefined {
  const said = text
    .split(/\s*[,;!]\s*|\.(?:\s+|$)/)
    // "Labels mail and customer" is one.
    .flatMap((piece) => (detailOf(piece, known) === undefined ? piece.split(/\s+and\s+/i) : [piece]))
    .filter((piece) => piece.trim() !== "");
  const details = said.map((piece) => detailOf(piece, known));
  const whole = details.filter((detail) => detail !== undefined);
  const kinds = whole.flatMap(({ text }) => /^(?!label)\S+/.exec(text)?.[0] ?? []);
  // "Small, medium and high" are no three priorities.
  const isTwice = new Set(kinds).size < kinds.length;
  return details.length === 0 || whole.length < details.length || isTwice ? undefined : whole;
}

/** "The checkout redesign epic", "under accounts and login": where one epic is called so, which is found by it later. */
function epicCalled(said: string, known: readonly KnownName[]): Detail | undefined {
  const bare = said
    .replace(/^(?:under|in|into|inside|to|for|part of|belongs to)\s+/i, "")
    .replace(/^(?:the\s+)?epic(?:\s+is)?\s*:?\s+/i, "")
    .replace(/^(?:about|on|called|named)\s+/i, "")
    .replaceAll(/["“”]/g, "");
  const isNamed = /\bepic\b|^(?:under|part of|belongs to)\b|^\w+\s+["“]/i.test(said);
  const named = /\bepic\b/i.test(bare) ? bare : isNamed ? `the epic ${bare.replace(/^the\s+/i, "")}` : "";
  const isOne = new RegExp(`^(?:the\\s+)?epic\\s+${KEY}$`, "iu").test(withEpicKeys(named, known).text);
  return isOne ? { text: `under ${named}` } : undefined;
}

/** The code of the one project that is called so, by its code, its name or a word of that. */
export function codeOf(said: string, known: readonly KnownName[]): string | undefined {
  const lower = said.toLowerCase();
  const projects = known.filter(({ kind }) => kind === "project");
  // Where nobody says which there are, a code in capitals is one.
  if (projects.length === 0) return /^[A-Z][A-Z0-9_]{1,9}$/.test(said) ? said : undefined;
  const found = projects.filter(({ id, name }) =>
    [id, name, ...name.split(" ").filter((word) => word.length > 2)].some(
      (each) => each.toLowerCase() === lower,
    ),
  );
  const codes = new Set(found.map(({ id }) => id));
  return codes.size === 1 ? found[0]?.id : undefined;
}

const NOBODY = "(?!)";

/** What people and projects are called, as alternatives of a pattern; what matches nothing where none are known. */
function namesOf(known: readonly KnownName[], kind: string): string {
  const names = known
    .filter((one) => one.kind === kind)
    .flatMap(({ id, name }) => [name, id, ...name.split(" ").filter((word) => word.length > 2)])
    .filter((name) => /^[\p{L}\p{N}][\p{L}\p{N} .'’-]*$/u.test(name))
    .toSorted((one, other) => other.length - one.length);
  return names.length === 0 ? NOBODY : [...new Set(names)].join("|").replaceAll(".", "\\.");
}
