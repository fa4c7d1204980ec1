import { lexer, type Tokens } from "marked";
import { z } from "zod";

import { toAdf } from "../kit/adf-from-markdown.ts";
import { ToolFailure } from "../kit/tool.ts";
import { fromStorage, toStorage } from "./storage.ts";

/** Rows of a table that are to be added to one: Markdown lines such as `| 3 July | Farid |`, each of as many cells. */
export interface Rows {
  columns: number;
  lines: string[];
}

/** A text that is nothing but rows of a table, without a head; undefined for any other. */
export function rowsIn(markdown: string): Rows | undefined {
  const lines = markdown
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const isRow = (line: string): boolean => /^\|.*\|$/.test(line) && !/^\|(?:\s*:?-+:?\s*\|)+$/.test(line);
  if (lines.length === 0 || !lines.every(isRow)) return undefined;
  const [columns = 0, ...others] = lines.map((line) => line.slice(1, -1).split(/(?<!\\)\|/).length);
  return others.every((count) => count === columns) ? { columns, lines } : undefined;
}

/** The tables of Markdown: of how many columns each is, and where its last row ends. */
function tablesOf(markdown: string): { columns: number; end: number }[] {
  let at = 0;
  return lexer(markdown).flatMap((token) => {
    const start = at;
    at += token.raw.length;
    return token.type === "table"
      ? [{ columns: (token as Tokens.Table).header.length, end: start + token.raw.trimEnd().length }]
      : [];
  });
}

/**
 * Throws `unclear_table` where a page has other tables than people see of it in Markdown: one in a panel, in a cell, or in
 * an example of code.
 */
function checkSame(columns: readonly number[], markdown: string): void {
  const seen = tablesOf(markdown).map((one) => one.columns);
  if (columns.length === seen.length && columns.every((count, at) => count === seen[at])) return;
  throw new ToolFailure(
    "unclear_table",
    "expected to tell which table of the page the row is for, but some stand inside others: add it in Confluence",
  );
}

/** Markdown with rows behind those of its last table of as many columns. Throws `no_table` where there is none. */
export function withRows(markdown: string, { columns, lines }: Rows): string {
  const tables = tablesOf(markdown);
  const end = tables.findLast((one) => one.columns === columns)?.end;
  if (end === undefined)
    throw noTable(
      columns,
      tables.map((one) => one.columns),
    );
  return `${markdown.slice(0, end)}\n${lines.join("\n")}${markdown.slice(end)}`;
}

/** The same of Confluence's storage format, which stays to the letter otherwise. */
export function withRowsInStorage(stored: string, rows: Rows): string {
  const tables = [...stored.matchAll(/<table\b[^>]*>.*?<\/table>/gsu)];
  const columnsOf = (table: string): number =>
    (/<tr\b.*?<\/tr>/su.exec(table)?.[0].match(/<t[hd]\b/gu) ?? []).length;
  checkSame(
    tables.map(([text]) => columnsOf(text)),
    fromStorage(stored),
  );
  const table = tables.findLast(([text]) => columnsOf(text) === rows.columns);
  if (table === undefined)
    throw noTable(
      rows.columns,
      tables.map(([text]) => columnsOf(text)),
    );
  const end = table.index + table[0].lastIndexOf("</tr>") + "</tr>".length;
  const [, ...added] = toStorage(asTable(rows)).match(/<tr>.*?<\/tr>/gsu) ?? [];
  return stored.slice(0, end) + added.join("") + stored.slice(end);
}

/** The same of the blocks of an Atlassian document, which is `markdown`. */
export function withRowsInAdf(blocks: readonly unknown[], markdown: string, rows: Rows): unknown[] {
  const tables = blocks.map((block) => table.safeParse(block).data);
  const columnsOf = (one: z.infer<typeof table> | undefined): number => one?.content[0]?.content.length ?? 0;
  checkSame(
    tables.flatMap((one) => (one === undefined ? [] : [columnsOf(one)])),
    markdown,
  );
  const at = tables.findLastIndex((one) => columnsOf(one) === rows.columns);
  const found = tables[at];
  if (found === undefined)
    throw noTable(
      rows.columns,
      tables.flatMap((one) => (one === undefined ? [] : [columnsOf(one)])),
    );
  const [made] = toAdf(asTable(rows)).content;
  const [, ...added] = made?.content ?? [];
  return blocks.with(at, { ...found, content: [...found.content, ...added] });
}

const table = z.looseObject({
  type: z.literal("table"),
  content: z.array(z.looseObject({ content: z.array(z.unknown()) })),
});

/** With a head that says nothing, which is left out of what comes of it. */
function asTable({ columns, lines }: Rows): string {
  const row = (cell: string): string => `|${` ${cell} |`.repeat(columns)}`;
  return [row(" "), row("---"), ...lines].join("\n");
}

function noTable(columns: number, there: readonly number[]): ToolFailure {
  const tables =
    there.length === 0 ? "it has no table" : `its tables have ${[...new Set(there)].join(" and ")} columns`;
  return new ToolFailure(
    "no_table",
    `expected a table of ${columns} columns on the page, as the new row has ${columns} cells; ${tables}`,
  );
}
