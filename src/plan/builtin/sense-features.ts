/** What a sentence is about is replaced by one of these before it is read. */
const MASKS = ["KEY", "PERSON", "DATE", "LABEL", "EPIC"] as const;
const MASK: ReadonlySet<string> = new Set(MASKS);
const WORD = /["“][^"”]{1,200}["”]|[\p{L}]+(?:['’]\p{Ll}+)?|\d+|->|→|[?!.,;:]/gu;
/** So many columns the words of a sentence are hashed into. */
export const COLUMNS = 1 << 16;
/** Where a sentence is longer, its end says no more. */
const MOST_WORDS = 60;

/** The columns of a sentence with what each weighs: its words, pairs and runs of three, and the parts of long words. */
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
    if (at > 1) {
      put(`${row[at - 2] ?? ""} ${row[at - 1] ?? ""} ${word}`, 1);
      put(`${row[at - 2] ?? ""} _ ${word}`, 1);
    }
  });
  for (const word of words) {
    if (MASK.has(word) || !/^\p{L}{4,}/u.test(word)) continue;
    const whole = `^${word}$`;
    for (const size of [4, 5])
      for (let at = 0; at + size <= whole.length; at += 1) put(`*${whole.slice(at, at + size)}`, 0.5);
  }
  const length = Math.hypot(...columns.values());
  for (const [column, weight] of columns) columns.set(column, weight / length);
  return columns;
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
