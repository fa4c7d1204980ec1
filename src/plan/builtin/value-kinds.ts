/** What a value is, so that another one of its kind may stand in its place. */
export type ValueKind =
  | "time"
  | "date"
  | "number"
  | "count"
  | "ordinal"
  | "weekday"
  | "month"
  | "letter"
  | "name";

export interface Valued {
  kind: ValueKind;
  text: string;
  start: number;
  end: number;
}

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
/** The most telling first. */
const KINDS: readonly (readonly [ValueKind, string])[] = [
  ["time", "\\d{1,2}:\\d{2}"],
  ["date", `\\d{1,2}(?:st|nd|rd|th)?\\s+${MONTH}(?:\\s+\\d{4})?|${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?`],
  ["number", "\\d[\\d.,]*\\d|\\d"],
  ["ordinal", "first|second|third|fourth|fifth|last|\\d{1,2}(?:st|nd|rd|th)"],
  [
    "count",
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|half",
  ],
  ["month", MONTH],
  ["weekday", "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"],
];
const VALUE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${KINDS.map(([kind, source]) => `(?<${kind}>${source})`).join("|")}|(?<word>\\p{L}+))(?![\\p{L}\\p{N}])`,
  "giu",
);

/** A name as it is compared: in lower case, and without accents. */
export function folded(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The values of a text, from left to right. `names` are first names, folded. */
export function valuesIn(text: string, names: ReadonlySet<string>): Valued[] {
  return [...text.matchAll(VALUE)].flatMap(({ index, 0: found, groups }): Valued[] => {
    const kind = KINDS.map(([own]) => own).find((own) => groups?.[own] !== undefined);
    const word = /^\p{Lu}$/u.test(found) && !/[AI]/.test(found) ? "letter" : undefined;
    const own = kind ?? (names.has(folded(found)) ? "name" : word);
    // "How often we make one" counts nothing.
    const isPronoun = /^one$/i.test(found) && STANDS_FOR.test(text.slice(0, index));
    // "May" is a month, and "may" none.
    return own === undefined || isPronoun || (own === "month" && !/^\p{Lu}/u.test(found))
      ? []
      : [{ kind: own, text: found, start: index, end: index + found.length }];
  });
}

const STANDS_FOR =
  /\b(?:make|makes|made|need|needs|want|wants|get|have|another|other|this|that|which|each|every|any|no|last|new)\s+$/i;

/** What a value is that begins so; undefined where it is only words. */
export function kindOf(text: string, names: ReadonlySet<string>): ValueKind | undefined {
  const [first] = valuesIn(text, names);
  return first !== undefined && /^[\W\s]*$/u.test(text.slice(0, first.start)) ? first.kind : undefined;
}
