// Learns what sentences want of a tracker from `scripts/sense/*.tsv`, and writes `src/plan/builtin/{sense,asked}.json`.
// With `--check` nothing is written: each fifth of the examples is judged by what the others teach.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { COLUMNS, featuresOf, plainWords } from "../src/plan/builtin/sense-model.ts";

/** What is told apart: each head has one of its values. */
type Heads = Record<string, readonly string[]>;

interface Example {
  columns: [column: number, weight: number][];
  /** The value that is right for each head; undefined where nothing is learnt of it. */
  right: (number | undefined)[];
}

interface Lesson {
  name: string;
  heads: Heads;
  examples: Example[];
  digest: string;
  /** The words that such messages are made of, where they are to be known. */
  words?: string;
}

/** What changes nothing. */
const LOOKS: ReadonlySet<string> = new Set(["told", "show", "find", "wiki"]);
/** What is said of a list beside its form; the first value holds where nothing is said. */
const LISTED: Heads = {
  form: ["other", "list", "count", "group"],
  state: ["", "open", "todo", "progress", "review", "done"],
  holder: ["", "me", "PERSON", "nobody"],
  reporter: ["", "by-me", "by-PERSON"],
  type: ["", "bug", "task", "story", "epic"],
  priority: ["", "highest", "urgent", "high", "medium", "low"],
  due: ["", "overdue", "due-date", "due-soon", "due-none", "due-any"],
  made: ["", "made-date", "made-new"],
  moved: ["", "moved-date", "moved-new", "stale"],
  order: ["", "by-prio", "by-due", "by-newest", "by-oldest", "by-updated", "by-stalest"],
  one: ["", "one"],
  per: ["", "per-person", "per-status", "per-priority", "per-type", "per-project"],
};
const EPOCHS = 30;
const RATE = 0.15;
const DECAY = 3e-4;
/** What the features are multiplied with: they have the length 1. */
const STRETCH = 5;
const SEEDS = [7, 11, 13];
/** Columns of fewer examples teach nothing. */
const LEAST = 4;
/** A word belongs to lists that so many of them have, and that is so much rarer in what is no list at most. */
const SAID = 2;
const RARER = 0.151;
/** Weights are rounded to so many steps up and down. */
const LEVELS = 31;

function readLessons(): Lesson[] {
  const [said, asked, remarks] = [linesOf("examples.tsv"), linesOf("lists.tsv"), linesOf("remarks.tsv")];
  const senses = [...new Set(said.lines.map(({ label }) => label))].toSorted();
  // Short remarks, and the orders that sound like them, say nothing of lists.
  const sayings = [...said.lines, ...remarks.lines].map(({ label, text }) =>
    toExample(text, { sense: senses }, [label]),
  );
  // What is said to other ends is no list; "find" is said of both.
  const others = said.lines
    .filter(({ label }) => label !== "find")
    .map(({ text }) => toExample(text, LISTED, ["other"]));
  const lists = asked.lines.map(({ label, text }) => toExample(text, LISTED, label.split(" ")));
  return [
    {
      name: "sense",
      heads: { sense: senses },
      examples: sayings,
      digest: digestOf(said.source + remarks.source),
    },
    {
      name: "asked",
      heads: LISTED,
      examples: [...lists, ...others],
      digest: digestOf(said.source + asked.source),
      words: wordsOf(asked.lines, said.lines),
    },
  ];
}

/** The words of what asks for lists, in order; what is said rather to other ends tells a topic. */
function wordsOf(asked: readonly Line[], said: readonly Line[]): string {
  const isList = ({ label }: Line): boolean => label !== "other";
  const others = [...asked.filter((line) => !isList(line)), ...said.filter(({ label }) => label !== "find")];
  const [lists, rest] = [countWords(asked.filter(isList)), countWords(others)];
  const share = asked.filter(isList).length / others.length;
  return [...lists]
    .filter(([word, count]) => count >= SAID && count >= RARER * share * (rest.get(word) ?? 0))
    .map(([word]) => word)
    .toSorted()
    .join(" ");
}

function countWords(lines: readonly Line[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of lines)
    for (const word of new Set(plainWords(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

interface Line {
  label: string;
  text: string;
}

function linesOf(name: string): { source: string; lines: Line[] } {
  const source = readFileSync(new URL(`sense/${name}`, import.meta.url), "utf8");
  const lines = source
    .trimEnd()
    .split("\n")
    .map((line, at) => {
      const [label = "", text, ...more] = line.split("\t");
      if (text === undefined || more.length > 0)
        throw new Error(`${name}:${String(at + 1)}: expected LABELS<tab>SENTENCE, got ${line}`);
      return { label, text };
    });
  return { source, lines };
}

function digestOf(source: string): string {
  return createHash("sha256").update(source).digest("hex");
}

function toExample(text: string, heads: Heads, labels: readonly string[]): Example {
  const sets = Object.values(heads);
  const strange = labels.find((label) => !sets.some((values) => values.includes(label)));
  if (strange !== undefined) throw new Error(`${strange} is no label, before: ${text}`);
  // What is no list has nothing of one.
  const isOther = labels.includes("other");
  return {
    columns: [...featuresOf(text)],
    right: sets.map((values, at) =>
      isOther && at > 0
        ? undefined
        : Math.max(
            0,
            values.findIndex((value) => labels.includes(value)),
          ),
    ),
  };
}

/** Numbers from 0 to 1, the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

/** The mean of what is learnt in several orders: of one order the last examples say too much. */
function learn(heads: Heads, from: readonly Example[]): Float64Array {
  const all = SEEDS.map((seed) => learnInOrder(heads, from, seed));
  return (all[0] ?? new Float64Array()).map((_, at) =>
    all.reduce((sum, weights) => sum + (weights[at] ?? 0) / all.length, 0),
  );
}

/** Multinomial logistic regression of each head by AdaGrad: the weights of each column, one for each value. */
function learnInOrder(heads: Heads, from: readonly Example[], seed: number): Float64Array {
  const size = sizeOf(heads);
  const random = createRandom(seed);
  const [weights, squares] = [new Float64Array(COLUMNS * size), new Float64Array(COLUMNS * size)];
  for (let epoch = 0; epoch < EPOCHS; epoch += 1)
    for (const { right, columns } of shuffled(from, random)) {
      const shares = likelihoods(heads, weights, columns);
      let begin = 0;
      shares.forEach((own, head) => {
        const good = right[head];
        if (good !== undefined) {
          own[good] = (own[good] ?? 0) - 1;
          for (const [column, weight] of columns)
            for (let at = 0; at < own.length; at += 1) {
              const place = column * size + begin + at;
              const slope = (own[at] ?? 0) * weight * STRETCH + DECAY * (weights[place] ?? 0);
              squares[place] = (squares[place] ?? 0) + slope * slope;
              weights[place] =
                (weights[place] ?? 0) - (RATE * slope) / (Math.sqrt(squares[place] ?? 0) + 0.1);
            }
        }
        begin += own.length;
      });
    }
  return weights;
}

function sizeOf(heads: Heads): number {
  return Object.values(heads).flat().length;
}

function likelihoods(heads: Heads, weights: Float64Array, columns: Example["columns"]): number[][] {
  const size = sizeOf(heads);
  const scores = Array.from({ length: size }, () => 0);
  for (const [column, weight] of columns)
    for (let at = 0; at < size; at += 1)
      scores[at] = (scores[at] ?? 0) + (weights[column * size + at] ?? 0) * weight * STRETCH;
  let begin = 0;
  return Object.values(heads).map(({ length }) => {
    const own = scores.slice(begin, begin + length);
    begin += length;
    const most = Math.max(...own);
    const raised = own.map((score) => Math.exp(score - most));
    const all = raised.reduce((sum, score) => sum + score, 0);
    return raised.map((score) => score / all);
  });
}

function check({ name, heads, examples }: Lesson): void {
  const sets = Object.values(heads);
  const mixed = shuffled(examples, createRandom(SEEDS[0] ?? 1));
  const judged = Array.from({ length: 5 }, (_, fold) => {
    const weights = learn(
      heads,
      mixed.filter((_, at) => at % 5 !== fold),
    );
    return mixed
      .filter((_, at) => at % 5 === fold)
      .map(({ right, columns }) => {
        const shares = likelihoods(heads, weights, columns);
        const [first = 0] = right;
        const all = shares.map((own) => own.indexOf(Math.max(...own)));
        const values = sets[0] ?? [];
        return {
          meant: values[first] ?? "",
          read: values[all[0] ?? 0] ?? "",
          sure: Math.min(...shares.map((own, at) => (right[at] === undefined ? 1 : Math.max(...own)))),
          wrong: right.flatMap((value, at) => (value === undefined || value === all[at] ? [] : [at])),
        };
      });
  }).flat();
  const isNone = (value: string): boolean => LOOKS.has(value) || value === "other";
  const lists = judged.filter(({ meant }) => !isNone(meant));
  const right = judged.filter(({ wrong }) => wrong.length === 0).length;
  const lines = [
    `${name}: ${String(judged.length)} examples, ${((100 * right) / judged.length).toFixed(1)} % read right`,
  ];
  for (const least of [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
    const read = judged.filter((one) => one.sure >= least && !isNone(one.read));
    const good = read.filter(({ wrong }) => wrong.length === 0).length;
    const none = read.filter((one) => isNone(one.meant)).length;
    lines.push(
      `sure of ${String(least)}: ${String(good)} of ${String(lists.length)} read right, ` +
        `${String(read.length - good - none)} as another, ${String(none)} of ${String(judged.length - lists.length)} that are none`,
    );
  }
  if (sets.length > 1)
    Object.keys(heads).forEach((head, at) => {
      const bad = lists.filter(({ wrong }) => wrong.includes(at)).length;
      lines.push(`${head}: ${((100 * bad) / lists.length).toFixed(1)} % wrong`);
    });
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** The weights as whole numbers of one byte, of the columns that enough examples have. */
function packed({ heads, examples }: Lesson): { scale: number; weights: string } {
  const size = sizeOf(heads);
  const weights = learn(heads, examples);
  const counts = new Uint32Array(COLUMNS);
  for (const { columns } of examples)
    for (const [column] of columns) counts[column] = (counts[column] ?? 0) + 1;
  const most = weights.reduce((high, weight) => Math.max(high, Math.abs(weight)), 0);
  const kept = new Uint8Array(COLUMNS / 8);
  const values: number[] = [];
  counts.forEach((count, column) => {
    if (count < LEAST) return;
    kept[column >> 3] = (kept[column >> 3] ?? 0) | (1 << (column & 7));
    for (let at = 0; at < size; at += 1)
      values.push(Math.round(((weights[column * size + at] ?? 0) / most) * LEVELS));
  });
  const bytes = Buffer.concat([kept, Buffer.from(Int8Array.from(values).buffer)]);
  return { scale: (most / LEVELS) * STRETCH, weights: deflateSync(bytes, { level: 9 }).toString("base64") };
}

for (const lesson of readLessons()) {
  const { name, heads, digest, words } = lesson;
  if (process.argv.includes("--check")) check(lesson);
  else {
    const file = new URL(`../src/plan/builtin/${name}.json`, import.meta.url);
    writeFileSync(file, `${JSON.stringify({ digest, heads, words, ...packed(lesson) }, null, 2)}\n`);
  }
}
