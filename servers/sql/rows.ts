/** What a query found. A number that JavaScript cannot hold exactly comes as text, bytes as their number. */
export interface Rows {
  columns: string[];
  rows: Value[][];
  /** There are more rows than were asked for, or than one answer may hold. */
  truncated: boolean;
}

export type Value = string | number | boolean | null;

/** Characters of one value; and of all, which keeps an answer far below what a client takes. */
const VALUE_CHARS = 4000;
const ALL_CHARS = 400_000;

/** Takes at most `most` rows from a source that may be endless, each value as JSON has it. */
export function takeRows(columns: string[], source: Iterable<unknown[]>, most: number): Rows {
  const rows: Value[][] = [];
  let chars = 0;
  for (const row of source) {
    if (rows.length >= most || chars > ALL_CHARS) return { columns, rows, truncated: true };
    const values = row.map(toValue);
    chars += values.reduce<number>((sum, value) => sum + String(value).length, 0);
    rows.push(values);
  }
  return { columns, rows, truncated: false };
}

function toValue(value: unknown): Value {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}
