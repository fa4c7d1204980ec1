import { jqlError } from "./error.ts";

export interface Token {
  kind: "word" | "string" | "symbol" | "end";
  /** Without quotes; words as they were written. */
  text: string;
  /** Offset of the first character. */
  at: number;
}

const symbols = ["!=", "!~", ">=", "<=", "&&", "||", "(", ")", ",", "=", "~", ">", "<", "!"] as const;

const wordPattern = /[^\s()=!~<>,"'|&]+/y;

/** Cuts JQL into tokens, the last of kind `end`. Throws `bad_jql` for an open quote or a stray sign. */
export function tokenize(jql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < jql.length) {
    const char = jql.charAt(at);
    if (/\s/.test(char)) {
      at += 1;
      continue;
    }
    const symbol = symbols.find((candidate) => jql.startsWith(candidate, at));
    if (char === '"' || char === "'") {
      const { text, end } = readQuoted(jql, at);
      tokens.push({ kind: "string", text, at });
      at = end;
    } else if (symbol !== undefined) {
      tokens.push({ kind: "symbol", text: symbol, at });
      at += symbol.length;
    } else {
      const text = readWord(jql, at);
      tokens.push({ kind: "word", text, at });
      at += text.length;
    }
  }
  tokens.push({ kind: "end", text: "", at: jql.length });
  return tokens;
}

/** Where a top-level `ORDER BY` starts; the length of the query without one. */
export function orderStart(jql: string): number {
  const tokens = tokenize(jql);
  const index = tokens.findLastIndex((token, i) => isWord(token, "order") && isWord(tokens[i + 1], "by"));
  return tokens[index]?.at ?? jql.length;
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === "word" && token.text.toLowerCase() === word;
}

function readQuoted(jql: string, start: number): { text: string; end: number } {
  const quote = jql.charAt(start);
  let text = "";
  for (let at = start + 1; at < jql.length; at += 1) {
    const char = jql.charAt(at);
    if (char === quote) return { text, end: at + 1 };
    if (char === "\\") at += 1;
    text += jql.charAt(at);
  }
  throw jqlError(start, `the quote ${quote} is never closed`);
}

function readWord(jql: string, at: number): string {
  wordPattern.lastIndex = at;
  const text = wordPattern.exec(jql)?.[0];
  if (text === undefined) throw jqlError(at, `unexpected "${jql.charAt(at)}"`);
  return text;
}
