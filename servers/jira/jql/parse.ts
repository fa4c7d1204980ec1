import { jqlError } from "./error.ts";
import { fieldKinds, fieldOf, operatorsOf, type FieldName, type Operator } from "./fields.ts";
import { isWord, tokenize, type Token } from "./lexer.ts";

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
    if (field === undefined) throw jqlError(token.at, `expected a field, got ${describe(token)}`);
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
      throw jqlError(this.#peek().at, `expected EMPTY after "is", got ${describe(this.#peek())}`);
    }
    throw jqlError(token.at, `expected an operator, got ${describe(token)}`);
  }

  #list(): Value[] {
    const values: Value[] = [];
    if (!this.#takeSymbol("(")) {
      throw jqlError(this.#peek().at, `expected a list in parentheses, got ${describe(this.#peek())}`);
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
      throw jqlError(token.at, `expected a value, got ${describe(token)}`);
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
    if (!this.#takeWord("by"))
      throw jqlError(this.#peek().at, `expected BY after ORDER, got ${describe(this.#peek())}`);
    const order: Query["order"] = [];
    do {
      const token = this.#next();
      const field = token.kind === "symbol" || token.kind === "end" ? undefined : fieldOf(token.text);
      if (field === undefined || field === "text" || field === "comment") {
        throw jqlError(token.at, `expected a field to order by, got ${describe(token)}`);
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
      throw jqlError(this.#peek().at, `expected "${symbol}", got ${describe(this.#peek())}`);
    }
  }
}

function describe(token: Token): string {
  return token.kind === "end" ? "the end" : `"${token.text}"`;
}
