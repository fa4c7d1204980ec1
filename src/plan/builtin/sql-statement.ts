/** A statement of SQL, up to its semicolon or the end; what may be English as well has to be in capitals. */
export const STATEMENT =
  "(?:SELECT\\s[^;]*?\\sFROM\\s|[Ss]elect\\s+(?:\\*|count\\(|\\w+(?:\\s*,\\s*\\w+)+\\s+from\\s|\\w+\\s+from\\s+\\w+\\s+where\\s+\\w+\\s*[=<>])|(?:INSERT|insert) (?:INTO|into)\\s|(?:UPDATE|update)\\s\\S+\\s(?:SET|set)\\s[^;]*?=|DELETE FROM\\s|delete from \\w+ where\\s|(?:CREATE|DROP|ALTER) TABLE\\s|create table \\w+\\s*\\()[^;]*";

/** What the first word of a statement does; undefined where the text is none. */
export function statementVerb(text: string): string | undefined {
  return new RegExp(`^${STATEMENT}`, "u").test(text) ? /^\w+/.exec(text)?.[0].toLowerCase() : undefined;
}
