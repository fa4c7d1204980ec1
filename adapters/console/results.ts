import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

/** Something that was shown, under the number that `/show` and `/json` name it by. */
export interface Shown {
  number: number;
  label: string;
  card: Card;
  data: JsonValue;
}

/** How many results stay open to `/show`; the oldest go first. */
const KEPT = 200;

export class Results {
  readonly #shown: Shown[] = [];
  #last = 0;

  add(label: string, card: Card, data: JsonValue): Shown {
    this.#last += 1;
    const shown = { number: this.#last, label, card, data };
    this.#shown.push(shown);
    if (this.#shown.length > KEPT) this.#shown.shift();
    return shown;
  }

  /** By number; without one the newest. */
  find(number?: number): Shown | undefined {
    return number === undefined ? this.#shown.at(-1) : this.#shown.find((shown) => shown.number === number);
  }

  numbers(): number[] {
    return this.#shown.map((shown) => shown.number);
  }
}
