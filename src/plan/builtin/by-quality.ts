import type { RowFacts, ShownRecord } from "#contract/plan.ts";
import { literally } from "../../base/matching.ts";

/** Rows that a part of a message picks by how they are: "the one with the nearest deadline". */
export interface Picked {
  /** Where the part stands in the message. */
  index: number;
  said: string;
  /** None or several where it is not clear which one is meant. */
  rows: ShownRecord[];
}

const ONE = "(?:one|issue|ticket|bug|story|task)";
const ENDS = "(?=\\s*(?:$|[,.;:!?]|(?:to|and|as|is|can|please|pls|then)\\b))";
const FIRST_DUE = new RegExp(
  `\\bthe\\s+${ONE}\\s+(?:(?:(?:that|which)\\s*(?:['’]s|is)\\s+)?due\\s+(?:first|next|soonest|earliest)|with\\s+the\\s+(?:nearest|earliest|closest|next|soonest)\\s+(?:due\\s+date|deadline))`,
  "iu",
);
const RANKED = new RegExp(
  `(?<!\\b(?:to|as|at|is|be|of|with|by|for)\\s)\\bthe\\s+(?:(?<high>most\\s+(?:urgent|important)|highest(?:[ -]prio(?:rity)?)?)|(?<low>least\\s+(?:urgent|important)|lowest(?:[ -]prio(?:rity)?)?))(?:\\s+${ONE}(?:\\s+(?:of|among)\\s+(?:them|these|those))?\\b|${ENDS})`,
  "iu",
);
const LEVEL = new RegExp(
  `\\bthe\\s+(?<level>highest|high|medium|low|lowest)(?:[ -]prio(?:rity)?)?\\s+${ONE}\\b`,
  "iu",
);
const NOBODYS = new RegExp(
  `\\bthe\\s+(?:unassigned\\s+${ONE}\\b|${ONE}\\s+(?:(?:without|with\\s+no)\\s+(?:an?\\s+)?(?:owner|assignee)|(?:that\\s+|which\\s+)?(?:nobody|no[ -]one)\\s+(?:has|owns|is\\s+on|works\\s+on)|(?:that['’]?s\\s+|that\\s+is\\s+)?unassigned))`,
  "iu",
);
const UNDATED = new RegExp(
  `\\bthe\\s+${ONE}\\s+(?:without|with\\s+no|(?:that|which)\\s+has\\s+no)\\s+(?:an?\\s+)?(?:due\\s+date|deadline|date)\\b`,
  "iu",
);
const STANDS = new RegExp(
  `\\bthe\\s+${ONE}\\s+(?:(?:that|which)\\s*(?:['’]s|is)\\s+|still\\s+|already\\s+)*(?<state>in[ -]review|in[ -]progress)\\b|\\bthe\\s+${ONE}\\s+(?:that\\s*(?:['’]s|is)|which\\s+is|still|already)\\s+(?:in\\s+)?(?<other>review|to[ -]?do|done)\\b`,
  "iu",
);
/** "The story, not the bug" */
const TYPED = new RegExp(`\\bthe\\s+(?<type>bug|story|task|epic)(?:\\s+one)?${ENDS}`, "iu");
const AGED = new RegExp(
  `\\bthe\\s+(?:(?<new>newest|newer|most\\s+recent)|oldest|older)\\s+(?:${ONE}|of\\s+(?:them|these|those))\\b`,
  "iu",
);
const LEVELS = ["lowest", "low", "medium", "high", "highest"];

/** The rows of a list, and whether it goes on behind them. */
interface List {
  rows: readonly ShownRecord[];
  goesOn?: true;
}

/**
 * The rows that a message picks by their due date, priority, age, state or owner; undefined where it picks none so. Of a
 * list that goes on nobody can tell which has the most or the least of something.
 */
export function pickedIn(head: string, { rows, goesOn }: List): Picked | undefined {
  if (rows.length < 2) return undefined;
  const least = (valueOf: (facts: RowFacts) => number | undefined): ShownRecord[] => {
    const found = goesOn === true ? [] : leastOf(rows, valueOf);
    return found.length === 0 ? [...rows] : found;
  };
  const isDated = rows.every(({ facts = {} }) => ageOf(facts, 1) !== undefined);
  const whose = whoseOf(rows);
  const readers: [RegExp, (groups: Record<string, string | undefined>) => ShownRecord[]][] = [
    [FIRST_DUE, () => least(({ due = "" }) => (due === "" ? undefined : Date.parse(due)))],
    [RANKED, ({ high }) => least((facts) => rankOf(facts, high === undefined ? 1 : -1))],
    [LEVEL, ({ level }) => rows.filter(({ facts }) => isSame(facts?.priority, level))],
    [NOBODYS, () => rows.filter(({ facts }) => facts?.assignee === "")],
    [UNDATED, () => rows.filter(({ facts }) => facts?.due === "")],
    [
      STANDS,
      ({ other = "", state = other }) => rows.filter(({ facts }) => isSame(facts?.status, asState(state))),
    ],
    [
      AGED,
      (groups) =>
        isDated ? least((facts) => ageOf(facts, groups["new"] === undefined ? 1 : -1)) : [...rows],
    ],
    [whose, ({ one, other }) => rows.filter(({ facts }) => isOf(facts, one ?? other ?? ""))],
  ];
  const typed = TYPED.exec(head);
  const ofType = rows.filter(({ facts }) => isSame(facts?.type, typed?.groups?.["type"]));
  if (typed !== null && ofType.length === 1) return { index: typed.index, said: typed[0], rows: ofType };
  for (const [pattern, find] of readers) {
    const found = pattern.exec(head);
    if (found !== null && rows.some(({ facts }) => facts !== undefined))
      return { index: found.index, said: found[0], rows: find(found.groups ?? {}) };
  }
  return undefined;
}

/** "Emi's one", "the one of Emi": of somebody who has one of them. */
function whoseOf(rows: readonly ShownRecord[]): RegExp {
  const names = rows.flatMap(({ facts }) => [facts?.assignee ?? "", ...(facts?.assignee ?? "").split(" ")]);
  const all = [...new Set(names)].filter((name) => name.length > 2).map(literally);
  const name = all.length === 0 ? "(?!)" : all.join("|");
  return new RegExp(
    `\\bthe\\s+${ONE}\\s+(?:of|from|with|assigned\\s+to)\\s+(?<one>${name})(?![\\p{L}'’])|(?<![\\p{L}])(?<other>${name})['’]s\\s+${ONE}\\b`,
    "iu",
  );
}

function isOf(facts: RowFacts | undefined, name: string): boolean {
  const whole = facts?.assignee?.toLowerCase() ?? "";
  return [whole, ...whole.split(" ")].includes(name.toLowerCase());
}

function isSame(fact: string | undefined, said: string | undefined): boolean {
  return fact !== undefined && fact.toLowerCase() === said?.toLowerCase();
}

function asState(said: string): string {
  const plain = said.toLowerCase().replaceAll("-", " ");
  return plain === "review" ? "in review" : plain.replace(/^todo$/, "to do");
}

function rankOf({ priority = "" }: RowFacts, sign: number): number | undefined {
  const at = LEVELS.indexOf(priority.toLowerCase());
  return at === -1 ? undefined : sign * at;
}

/** Ordered by when it was created; undefined where it does not say. */
function ageOf({ created = "" }: RowFacts, sign: number): number | undefined {
  const at = Date.parse(created);
  return Number.isNaN(at) ? undefined : sign * at;
}

/** The rows with the least value; several where they are alike. */
function leastOf(
  rows: readonly ShownRecord[],
  valueOf: (facts: RowFacts) => number | undefined,
): ShownRecord[] {
  const valued = rows.flatMap((row) => {
    const value = row.facts === undefined ? undefined : valueOf(row.facts);
    return value === undefined ? [] : [{ row, value }];
  });
  const least = Math.min(...valued.map(({ value }) => value));
  return valued.filter(({ value }) => value === least).map(({ row }) => row);
}
