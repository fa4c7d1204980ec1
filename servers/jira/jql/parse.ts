import { ToolFailure } from "#servers/kit/tool.ts";

import { fieldKinds, type FieldName, fieldOf, type Operator, operatorsOf } from "./fields.ts";

export type Value =
  | { kind: "text"; text: string; at: number }
  | { kind: "function"; name: string; args: string[]; at: number };

export type Condition =
  | { kind: "and" | "or"; parts: Condition[] }
  | { kind: "not"; part: Condition }
  | { kind: "clause"; field: FieldName; operator: Operator; values: Value[]; at: number };

export interface Query {
  /** Absent: every issue. */
  where?: Condition;
  order: { field: FieldName; direction: "asc" | "desc" }[];
}

/** Longest query in characters and deepest nesting that are read. */
const maxLength = 10_000;
const maxDepth = 100;

/** Reads the subset of JQL that `supported` names. Throws `bad_jql` for everything else. */
export function parseJql(jql: string): Query {
  if (jql.length > maxLength) {
    throw jqlError(maxLength, `the query is too long (${jql.length} characters, at most ${maxLength})`);
  }
  return new Parser(tokenize(jql)).query();
}

class Parser {
  readonly #tokens: Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  query(): Query {
    const where = this.#peek().kind === "end" || isWord(this.#peek(), "order") ? undefined : this.#or();
    const order = this.#takeWord("order") ? this.#order() : [];
    const rest = this.#peek();
    if (rest.kind !== "end") {
      throw jqlError(
        rest.at,
        `expected AND, OR, ORDER BY or the end, got "${rest.text}" (quote a value that has spaces: status = "In Progress")`,
      );
    }
    return where === undefined ? { order } : { where, order };
  }

  #or(): Condition {
    const parts = [this.#and()];
    while (this.#takeWord("or") || this.#takeSymbol("||")) parts.push(this.#and());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "or", parts };
  }

  #and(): Condition {
    const parts = [this.#unary()];
    while (this.#takeWord("and") || this.#takeSymbol("&&")) parts.push(this.#unary());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "and", parts };
  }

  #unary(): Condition {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw jqlError(this.#peek().at, `nested deeper than ${maxDepth} levels`);
    const condition = this.#unaryInside();
    this.#depth -= 1;
    return condition;
  }

  #unaryInside(): Condition {
    if (this.#takeWord("not") || this.#takeSymbol("!")) return { kind: "not", part: this.#unary() };
    if (!this.#takeSymbol("(")) return this.#clause();
    const inner = this.#or();
    this.#expectSymbol(")");
    return inner;
  }

  #clause(): Condition {
    const token = this.#next();
    const field = token.kind === "symbol" || token.kind === "end" ? undefined : fieldOf(token.text);
    if (field === undefined) throw expected("a field", token);
    const at = this.#peek().at;
    let operator = this.#operator();
    const values: Value[] = [];
    if (operator === "in" || operator === "not in") values.push(...this.#list());
    else if (operator !== "is empty" && operator !== "is not empty") {
      const value = this.#value();
      // "assignee = EMPTY" is how the equality operators spell "is empty".
      if (value !== "empty") values.push(value);
      else if (operator === "=") operator = "is empty";
      else if (operator === "!=") operator = "is not empty";
      else throw jqlError(at, `${operator} cannot be used with EMPTY`);
    }
    if (!operatorsOf[fieldKinds[field]].includes(operator)) {
      throw jqlError(
        at,
        `${field} cannot be used with ${operator} (only with ${operatorsOf[fieldKinds[field]].join(", ")})`,
      );
    }
    return { kind: "clause", field, operator, values, at: token.at };
  }

  #operator(): Operator {
    const token = this.#next();
    if (token.kind === "symbol") {
      const found = (["=", "!=", "~", "!~", ">", ">=", "<", "<="] as const).find(
        (sign) => sign === token.text,
      );
      if (found !== undefined) return found;
    }
    if (isWord(token, "in")) return "in";
    if (isWord(token, "not") && this.#takeWord("in")) return "not in";
    if (isWord(token, "is")) {
      const negated = this.#takeWord("not");
      if (this.#takeWord("empty") || this.#takeWord("null")) return negated ? "is not empty" : "is empty";
      throw expected(`EMPTY after "is"`, this.#peek());
    }
    throw expected("an operator", token);
  }

  #list(): Value[] {
    const values: Value[] = [];
    if (!this.#takeSymbol("(")) {
      throw expected("a list in parentheses", this.#peek());
    }
    do {
      const at = this.#peek().at;
      const value = this.#value();
      if (value === "empty") throw jqlError(at, "EMPTY cannot be in a list: use is empty");
      values.push(value);
    } while (this.#takeSymbol(","));
    this.#expectSymbol(")");
    return values;
  }

  #value(): Value | "empty" {
    const token = this.#next();
    if (token.kind === "symbol" || token.kind === "end") {
      throw expected("a value", token);
    }
    if (token.kind === "word" && this.#takeSymbol("(")) {
      const args: string[] = [];
      while (this.#peek().kind === "word" || this.#peek().kind === "string") {
        args.push(this.#next().text);
        if (!this.#takeSymbol(",")) break;
      }
      this.#expectSymbol(")");
      return { kind: "function", name: token.text, args, at: token.at };
    }
    if (isWord(token, "empty") || isWord(token, "null")) return "empty";
    return { kind: "text", text: token.text, at: token.at };
  }

  #order(): Query["order"] {
    if (!this.#takeWord("by")) throw expected("BY after ORDER", this.#peek());
    const order: Query["order"] = [];
    do {
      const token = this.#next();
      const field = token.kind === "symbol" || token.kind === "end" ? undefined : fieldOf(token.text);
      if (field === undefined || field === "text" || field === "comment") {
        throw expected("a field to order by", token);
      }
      const descending = this.#takeWord("desc");
      if (!descending) this.#takeWord("asc");
      order.push({ field, direction: descending ? "desc" : "asc" });
    } while (this.#takeSymbol(","));
    return order;
  }

  #peek(): Token {
    return this.#tokens[this.#index] ?? { kind: "end", text: "", at: 0 };
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#index += 1;
    return token;
  }

  #takeWord(word: string): boolean {
    if (!isWord(this.#peek(), word)) return false;
    this.#index += 1;
    return true;
  }

  #takeSymbol(symbol: string): boolean {
    const token = this.#peek();
    if (token.kind !== "symbol" || token.text !== symbol) return false;
    this.#index += 1;
    return true;
  }

  #expectSymbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) {
      throw expected(`"${symbol}"`, this.#peek());
    }
  }
}

function expected(what: string, token: Token): ToolFailure {
  const got = token.kind === "end" ? "the end" : `"${token.text}"`;
  return jqlError(token.at, `expected ${what}, got ${got}`);
}

/** A moment in milliseconds since the epoch; a value without a time of day stands for that whole day in `=`. */
export interface Moment {
  ms: number;
  wholeDay: boolean;
}

const dayMs = 86_400_000;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };

const datePattern = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?$/;

/** The moment a JQL value means, in UTC. Throws `bad_jql`. */
export function toMoment(value: Value, now: Date): Moment {
  if (value.kind === "function") return fromFunction(value.name, value.args, value.at, now);
  const offset = offsetMs(value.text);
  if (offset !== undefined) return { ms: now.getTime() + offset, wholeDay: false };
  const match = datePattern.exec(value.text);
  if (match === null)
    throw jqlError(value.at, `"${value.text}" is not a date (2026-11-30, "2026-11-30 14:00", -7d)`);
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const ms = Date.UTC(year, month - 1, day, hours, minutes);
  if (new Date(ms).getUTCDate() !== day || hours > 23 || minutes > 59) {
    throw jqlError(value.at, `"${value.text}" is not a date of the calendar`);
  }
  return { ms, wholeDay: match[4] === undefined };
}

/** "-7d", "2w", "+1h" in milliseconds. */
function offsetMs(text: string): number | undefined {
  const match = /^([+-]?\d{1,6})([mhdw])$/i.exec(text);
  const unit = unitMs[match?.[2]?.toLowerCase() ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

function fromFunction(name: string, args: string[], at: number, now: Date): Moment {
  const shift = args[0] === undefined ? 0 : offsetMs(args[0]);
  if (shift === undefined || args.length > 1) throw jqlError(at, `${name}() takes one offset such as -1d`);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const weekday = (now.getUTCDay() + 6) % 7;
  const starts: Record<string, [from: number, to: number]> = {
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    week: [Date.UTC(year, month, day - weekday), Date.UTC(year, month, day - weekday + 7)],
    month: [Date.UTC(year, month), Date.UTC(year, month + 1)],
    year: [Date.UTC(year, 0), Date.UTC(year + 1, 0)],
  };
  const folded = name.toLowerCase();
  if (folded === "now") return { ms: now.getTime() + shift, wholeDay: false };
  const [, end, unit] = /^(start|end)of(day|week|month|year)$/.exec(folded) ?? [];
  const range = unit === undefined ? undefined : starts[unit];
  if (range === undefined) throw jqlError(at, `${name}() is not a date`);
  return { ms: (end === "start" ? range[0] : range[1] - 1) + shift, wholeDay: false };
}

export function compareMoment(ms: number, operator: string, moment: Moment): boolean {
  switch (operator) {
    case ">":
      return ms > moment.ms;
    case ">=":
      return ms >= moment.ms;
    case "<":
      return ms < moment.ms;
    case "<=":
      return ms <= moment.ms;
    default:
      return moment.wholeDay ? ms >= moment.ms && ms < moment.ms + dayMs : ms === moment.ms;
  }
}

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

function isWord(token: Token | undefined, word: string): boolean {
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

/** What the demo store understands, for every message about JQL that it does not. */
const supported: string =
  "Supported: the fields project, key, type, status, statusCategory, priority, assignee, reporter, labels, epic " +
  "(or parent), summary, description, comment, text, created, updated, due, issueLinkType; the operators =, !=, ~, !~, >, >=, <, <=, " +
  "in (…), not in (…), is empty, is not empty; AND, OR, NOT and parentheses; currentUser(), now(), startOfDay(), " +
  "startOfWeek(), startOfMonth(), startOfYear() and their endOf…(); dates such as 2026-11-30 or -7d; " +
  "ORDER BY field ASC|DESC.";

/** A query that cannot be run: code `bad_jql`, with the place counted in characters from 1. */
export function jqlError(at: number, problem: string): ToolFailure {
  return new ToolFailure("bad_jql", `JQL, character ${at + 1}: ${problem}. ${supported}`);
}
