import { inflateSync } from "node:zlib";

/** What a sentence is about is replaced by one of these before it is read. */
const MASKS = ["KEY", "PERSON", "DATE", "LABEL", "EPIC", "PROJECT"] as const;
const MASK: ReadonlySet<string> = new Set(MASKS);
const WORD = /["“][^"”]{1,200}["”]|[\p{L}]+(?:['’]\p{Ll}+)?|\d+|->|→|[?!.,;:]/gu;
/** So many columns the words of a sentence are hashed into. */
export const COLUMNS = 1 << 16;
/** Where a sentence is longer, its end says no more. */
const MOST_WORDS = 60;

/** The columns of a sentence with what each weighs: its words, their pairs, and the parts of words. */
export function featuresOf(sentence: string): Map<number, number> {
  const words = [...sentence.matchAll(WORD)].slice(0, MOST_WORDS).map(([word]) => plain(word));
  const columns = new Map<number, number>();
  const put = (name: string, weight: number): void => {
    columns.set(columnOf(name), weight);
  };
  const row = ["<", ...words, ">"];
  row.forEach((word, at) => {
    put(word, 1);
    if (at > 0) put(`${row[at - 1] ?? ""} ${word}`, 1);
  });
  for (const word of words) {
    if (MASK.has(word) || !/^\p{L}{2,}/u.test(word)) continue;
    const whole = `^${word}$`;
    for (const size of [3, 4, 5])
      for (let at = 0; at + size <= whole.length; at += 1) put(`*${whole.slice(at, at + size)}`, 0.7);
  }
  const length = Math.hypot(...columns.values());
  for (const [column, weight] of columns) columns.set(column, weight / length);
  return columns;
}

/** The words of a sentence in lower case, but for what stands for something in it. */
export function plainWords(sentence: string): string[] {
  const words = sentence.match(/[\p{L}]+(?:['’]\p{Ll}+)?/gu) ?? [];
  return words.filter((word) => !MASK.has(word.replace(/['’]s$/, ""))).map(plain);
}

function plain(word: string): string {
  if (MASK.has(word)) return word;
  if (/^["“]/.test(word)) return "QUOTE";
  return /^\d/.test(word) ? "#" : word.toLowerCase().replace("’", "'");
}

/** FNV-1a. */
function columnOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (COLUMNS - 1);
}

/** What `npm run sense` learnt: the values that are told apart, head by head, and what each column says of them. */
export interface Learnt {
  heads: Readonly<Record<string, readonly string[]>>;
  scale: number;
  /** Which columns are kept, a bit each, and then a byte for each value of each of them; deflated, in base64. */
  weights: string;
}

export interface Read<Value extends string = string> {
  value: Value;
  /** How likely that is, of 1. */
  sure: number;
}

/** A reader of sentences: for each head the likeliest value. The weights are unpacked when first asked for. */
export function createReader<Head extends string>(
  learnt: Learnt & { heads: Readonly<Record<Head, readonly string[]>> },
): (sentence: string) => Record<Head, Read> {
  const heads = Object.entries<readonly string[]>(learnt.heads);
  const size = heads.reduce((sum, [, values]) => sum + values.length, 0);
  let table: { row: Int32Array; weights: Int8Array } | undefined;
  return (sentence) => {
    const { row, weights } = (table ??= unpack(learnt.weights, size));
    const scores = new Float64Array(size);
    for (const [column, weight] of featuresOf(sentence)) {
      const from = row[column] ?? -1;
      if (from < 0) continue;
      for (let at = 0; at < size; at += 1)
        scores[at] = (scores[at] ?? 0) + (weights[from + at] ?? 0) * weight * learnt.scale;
    }
    let begin = 0;
    const read = heads.map(([head, values]) => {
      const own = scores.subarray(begin, begin + values.length);
      begin += values.length;
      const most = Math.max(...own);
      const all = own.reduce((sum, score) => sum + Math.exp(score - most), 0);
      return [head, { value: values[own.indexOf(most)] ?? "", sure: 1 / all }] as const;
    });
    return Object.fromEntries(read) as Record<Head, Read>;
  };
}

/** Where each column's weights begin, and the weights: those of a column that few examples have are not kept. */
function unpack(packed: string, size: number): { row: Int32Array; weights: Int8Array } {
  const bytes = inflateSync(Buffer.from(packed, "base64"));
  const row = new Int32Array(COLUMNS).fill(-1);
  const kept = bytes.subarray(0, COLUMNS / 8);
  let next = 0;
  for (let column = 0; column < COLUMNS; column += 1) {
    if (((kept[column >> 3] ?? 0) & (1 << (column & 7))) === 0) continue;
    row[column] = next;
    next += size;
  }
  return { row, weights: new Int8Array(bytes.buffer, bytes.byteOffset + kept.length, next) };
}
