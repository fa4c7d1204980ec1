/** Whose a piece of work is. */
export interface Owner {
  person: string;
  channel: string;
}

/** Who has how much of what runs, and who had something last: whoever has least goes first. */
export interface Shares {
  began(of: Owner | undefined): void;
  ended(of: Owner | undefined): void;
  /**
   * Whether the one goes before the other: whose person has less running, then whose channel has, then whose person
   * has waited longer since something of theirs began. What is nobody's comes first. False where nothing tells them
   * apart: then the older one does.
   */
  isBefore(one: Owner | undefined, other: Owner | undefined): boolean;
}

/** Of so many people it is remembered when something of theirs began last. */
const MOST_PEOPLE = 10_000;

export function createShares(): Shares {
  const people = new Map<string, number>();
  const channels = new Map<string, number>();
  /** By person, the longest ago first. */
  const last = new Map<string, number>();
  let count = 0;

  function change(running: Map<string, number>, key: string, by: number): void {
    const now = (running.get(key) ?? 0) + by;
    if (now === 0) running.delete(key);
    else running.set(key, now);
  }

  function rankOf({ person, channel }: Owner): number[] {
    return [people.get(person) ?? 0, channels.get(channel) ?? 0, last.get(person) ?? 0];
  }

  return {
    began(of) {
      if (of === undefined) return;
      change(people, of.person, 1);
      change(channels, of.channel, 1);
      last.delete(of.person);
      last.set(of.person, (count += 1));
      if (last.size > MOST_PEOPLE) last.delete(last.keys().next().value ?? "");
    },
    ended(of) {
      if (of === undefined) return;
      change(people, of.person, -1);
      change(channels, of.channel, -1);
    },
    isBefore(one, other) {
      if (one === undefined || other === undefined) return one === undefined && other !== undefined;
      const theirs = rankOf(other);
      for (const [at, rank] of rankOf(one).entries()) {
        const difference = rank - (theirs[at] ?? 0);
        if (difference !== 0) return difference < 0;
      }
      return false;
    },
  };
}
