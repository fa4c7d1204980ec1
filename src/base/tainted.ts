import type { DataPermit, Tainted } from "#contract/tainted.ts";

const WITHHELD = "[withheld]";

class TaintedValue<Value> implements Tainted<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(permit: DataPermit): Value {
    // Types hold this already; a permit that was cast into being does not pass either.
    if (!granted.has(permit)) throw new TypeError("expected a permit to show tool data, got something else");
    return this.#value;
  }

  toString(): string {
    return WITHHELD;
  }

  toJSON(): string {
    return WITHHELD;
  }
}

const PERMIT = Object.freeze({}) as DataPermit;
const granted: ReadonlySet<DataPermit> = new Set([PERMIT]);

/** Wraps what came from a tool. */
export function taint<Value>(value: Value): Tainted<Value> {
  return new TaintedValue(value);
}

/** A permit where a model may see tool data, as `{permit}` to spread, else nothing. */
export function permitIf(mayShow: boolean): { permit?: DataPermit } {
  return mayShow ? { permit: PERMIT } : {};
}
