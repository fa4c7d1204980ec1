declare const permit: unique symbol;

/** The right to show what tools said to a model. Where summarisation is off, nobody has one. */
export interface DataPermit {
  readonly [permit]: true;
}

/**
 * What a tool said. It is neither text nor JSON, so it fits nothing that goes to a model: whoever wants
 * to show it must `reveal` it, and for that needs a permit. Turned into text or JSON it says only that
 * something is withheld.
 */
export interface Tainted<Value> {
  reveal(permit: DataPermit): Value;
}
