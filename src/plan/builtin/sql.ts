import type { Slot } from "../slot.ts";
import { type Filling, isOpen, put } from "./filling.ts";
import { statementVerb } from "./sql-statement.ts";

const VERBS = /\b(?:select|insert|update|delete|create|drop|alter)\b/gi;

/** The statements that a tool takes in an argument; all where it names none, undefined where it takes no SQL. */
function accepted(
  { entry }: Filling,
  { kind, words, description }: Slot,
): ((verb: string) => boolean) | undefined {
  const text = `${entry.tool.description} ${description}`;
  if (!(kind === "query" || words.includes("sql")) || !/\bSQL/i.test(text)) return undefined;
  const verbs = new Set((text.match(VERBS) ?? []).map((verb) => verb.toLowerCase()));
  return (verb) => verbs.size === 0 || verbs.has(verb);
}

const TABLE =
  "(?:the\\s+)?(?:table\\s+)?((?!(?:them|those|these|it|this|that|us|you|me|her|him|all)\\b)[a-z_]\\w*)(?:\\s+table)?";
const ROWS = "(?:rows|records|entries|lines)";
const COUNT = new RegExp(
  `^how many ${ROWS}(?: are| do we have| does)?(?: there)?(?: in)? ${TABLE}(?: have| has)?\\W*$`,
  "i",
);
const ALL = new RegExp(
  `\\b(?:everything|all(?: the)?(?: ${ROWS}| data)?|(?:the )?(?:(?:first|top) )?(\\d+) ${ROWS}|the (?:${ROWS}|contents?)) (?:in|from|of) ${TABLE}(?: where (\\w+) (?:is|=|equals) (.+?))?\\W*$`,
  "i",
);

/** A statement as it was said, or a read of one table that words ask for. */
export function fillSql(filling: Filling): void {
  const { entry, sheet, wish } = filling;
  for (const slot of entry.slots) {
    const takes = accepted(filling, slot);
    if (takes === undefined || !isOpen(filling, slot)) continue;
    const said = sheet.openQuotes().find(({ value }) => statementVerb(value) !== undefined);
    if (said && takes(statementVerb(said.value) ?? "")) put(filling, slot, said.value, said, 2);
    if (said || entry.changing || !takes("select")) continue;
    const count = COUNT.exec(wish.text);
    const [, limit, table, column, value] = ALL.exec(wish.text) ?? [];
    const all =
      table === undefined
        ? undefined
        : [
            `SELECT * FROM ${table}`,
            ...(column === undefined || value === undefined
              ? []
              : [`WHERE ${column} = '${value.replaceAll("'", "''")}'`]),
            ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
          ].join(" ");
    const query = count ? `SELECT COUNT(*) FROM ${count[1] ?? ""}` : all;
    if (query !== undefined) put(filling, slot, query, { start: 0, end: wish.text.length }, 3);
  }
}

/** "The two about passkeys": words that were taken for a statement are none. */
export function dropNoSql(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    const value = filling.args[slot.name];
    if (typeof value === "string" && /^[\p{L}\p{N}'’ -]+$/u.test(value) && takesSql(filling, slot))
      if (statementVerb(value) === undefined) delete filling.args[slot.name];
  }
}

/** Whether an argument takes SQL, and so no other words. */
export function takesSql(filling: Filling, slot: Slot): boolean {
  return accepted(filling, slot) !== undefined;
}
