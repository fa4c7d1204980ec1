import { inflateSync } from "node:zlib";

import { COLUMNS, featuresOf } from "./sense-features.ts";
import learnt from "./sense.json" with { type: "json" };

/**
 * What a sentence at work wants of a tracker: a change of one kind, a look, something from the wiki, or nothing
 * ("told"). `scripts/sense/examples.tsv` says by examples what each of them is.
 */
export type Sense = (typeof learnt.senses)[number];

export interface Read {
  sense: Sense;
  /** How likely that is, of 1. */
  sure: number;
}

let table: { row: Int32Array; weights: Int8Array } | undefined;

/**
 * What a sentence means, by a linear model over its words and their neighbours that was learnt from examples. Records,
 * people and dates in it are to be replaced by KEY, PERSON and DATE.
 */
export function senseOf(sentence: string): Read {
  const { row, weights } = (table ??= unpack());
  const { senses, scale } = learnt;
  const scores = senses.map(() => 0);
  for (const [column, weight] of featuresOf(sentence)) {
    const from = row[column] ?? -1;
    if (from < 0) continue;
    for (let at = 0; at < scores.length; at += 1)
      scores[at] = (scores[at] ?? 0) + (weights[from + at] ?? 0) * weight * scale;
  }
  const most = Math.max(...scores);
  const all = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  return { sense: senses[scores.indexOf(most)] ?? "told", sure: 1 / all };
}

/** Where each column's weights begin, and the weights: those of a column that few examples have are not kept. */
function unpack(): { row: Int32Array; weights: Int8Array } {
  const bytes = inflateSync(Buffer.from(learnt.weights, "base64"));
  const row = new Int32Array(COLUMNS).fill(-1);
  const size = learnt.senses.length;
  const kept = bytes.subarray(0, COLUMNS / 8);
  let next = 0;
  for (let column = 0; column < COLUMNS; column += 1) {
    if (((kept[column >> 3] ?? 0) & (1 << (column & 7))) === 0) continue;
    row[column] = next;
    next += size;
  }
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset + kept.length, next);
  return { row, weights };
}
