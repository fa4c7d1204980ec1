/** Numbers that a seed decides: the same seed gives the same order of actions. */
export interface Random {
  /** A whole number from 0 up to and without `below`. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("expected something to pick from");
      return item;
    },
    shuffled(items) {
      const mixed = [...items];
      for (let at = mixed.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        const [a, b] = [mixed[at], mixed[other]];
        if (a !== undefined && b !== undefined) [mixed[at], mixed[other]] = [b, a];
      }
      return mixed;
    },
  };
}
