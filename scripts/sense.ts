// Learns what sentences want of a tracker from `scripts/sense/examples.tsv`, and writes `src/plan/builtin/sense.json`.
// With `--check` nothing is written: each fifth of the examples is judged by what the others teach.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { COLUMNS, featuresOf } from "../src/plan/builtin/sense-features.ts";

interface Example {
  sense: number;
  columns: [column: number, weight: number][];
}

/** What changes nothing. */
const LOOKS: ReadonlySet<string> = new Set(["told", "show", "find", "wiki"]);
const EPOCHS = 40;
const RATE = 0.1;
const DECAY = 1e-4;
/** What the features are multiplied with: they have the length 1. */
const STRETCH = 5;
const SEED = 7;
/** Columns of fewer examples teach nothing. */
const LEAST = 4;
/** Weights are rounded to so many steps up and down. */
const LEVELS = 31;

const source = readFileSync(new URL("sense/examples.tsv", import.meta.url), "utf8");
const lines = source.trimEnd().split("\n");
const said = lines.map((line, at) => {
  const [sense = "", text, ...more] = line.split("\t");
  if (text === undefined || more.length > 0)
    throw new Error(`examples.tsv:${String(at + 1)}: expected SENSE<tab>SENTENCE, got ${line}`);
  return { sense, text };
});
const senses = [...new Set(said.map(({ sense }) => sense))].toSorted();
const examples = said.map(({ sense, text }) => ({
  sense: senses.indexOf(sense),
  columns: [...featuresOf(text)],
}));

/** Numbers from 0 to 1, the same in each run. */
function createRandom(): () => number {
  let state = SEED;
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

/** Multinomial logistic regression by AdaGrad: the weights of each column, one for each sense. */
function learn(from: readonly Example[]): Float64Array {
  const size = senses.length;
  const random = createRandom();
  const [weights, squares] = [new Float64Array(COLUMNS * size), new Float64Array(COLUMNS * size)];
  for (let epoch = 0; epoch < EPOCHS; epoch += 1)
    for (const { sense, columns } of shuffled(from, random)) {
      const shares = likelihoods(weights, columns);
      shares[sense] = (shares[sense] ?? 0) - 1;
      for (const [column, weight] of columns)
        for (let at = 0; at < size; at += 1) {
          const place = column * size + at;
          const slope = (shares[at] ?? 0) * weight * STRETCH + DECAY * (weights[place] ?? 0);
          squares[place] = (squares[place] ?? 0) + slope * slope;
          weights[place] = (weights[place] ?? 0) - (RATE * slope) / (Math.sqrt(squares[place] ?? 0) + 0.1);
        }
    }
  return weights;
}

function likelihoods(weights: Float64Array, columns: Example["columns"]): number[] {
  const scores = senses.map(() => 0);
  for (const [column, weight] of columns)
    for (let at = 0; at < scores.length; at += 1)
      scores[at] = (scores[at] ?? 0) + (weights[column * scores.length + at] ?? 0) * weight * STRETCH;
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const all = raised.reduce((sum, score) => sum + score, 0);
  return raised.map((score) => score / all);
}

function check(): void {
  const mixed = shuffled(examples, createRandom());
  const judged = Array.from({ length: 5 }, (_, fold) => {
    const weights = learn(mixed.filter((_, at) => at % 5 !== fold));
    return mixed
      .filter((_, at) => at % 5 === fold)
      .map(({ sense, columns }) => {
        const shares = likelihoods(weights, columns);
        const sure = Math.max(...shares);
        return { meant: senses[sense] ?? "", read: senses[shares.indexOf(sure)] ?? "", sure };
      });
  }).flat();
  const right = judged.filter(({ meant, read }) => meant === read).length;
  process.stdout.write(
    `${String(judged.length)} examples, ${((100 * right) / judged.length).toFixed(1)} % read right\n`,
  );
  const changes = judged.filter(({ meant }) => !LOOKS.has(meant)).length;
  for (const least of [0.5, 0.6, 0.7, 0.8, 0.9]) {
    const read = judged.filter((one) => one.sure >= least && !LOOKS.has(one.read));
    const good = read.filter((one) => one.read === one.meant).length;
    const none = read.filter((one) => LOOKS.has(one.meant)).length;
    process.stdout.write(
      `sure of ${String(least)}: ${String(good)} of ${String(changes)} changes read right, ` +
        `${String(read.length - good - none)} as another, ${String(none)} of ${String(judged.length - changes)} that are none\n`,
    );
  }
}

/** The weights as whole numbers of one byte, of the columns that enough examples have. */
function packed(weights: Float64Array): { scale: number; weights: string } {
  const size = senses.length;
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

if (process.argv.includes("--check")) check();
else {
  const file = new URL("../src/plan/builtin/sense.json", import.meta.url);
  const digest = createHash("sha256").update(source).digest("hex");
  writeFileSync(file, `${JSON.stringify({ digest, senses, ...packed(learn(examples)) }, null, 2)}\n`);
}
