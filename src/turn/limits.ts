import type { ActorId } from "#contract/actor.ts";
import type { LimitedTurn, LimitKind, LimitScope } from "#contract/turn.ts";

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../base/time.ts";
import type { Words } from "../base/words/en.ts";
import type { Tx } from "../store/schema.ts";

/** So many of something within a time, in milliseconds. */
export interface Rate {
  amount: number;
  withinMs: number;
}

export interface LimitSettings {
  per_person: Rates;
  per_channel: Rates;
  per_workspace: Rates;
  /** How long a request over a limit may wait, in milliseconds; absent: it is refused. */
  wait?: number;
}

type Rates = { [Kind in LimitKind]?: Rate };

/** Whose a turn is. */
type Turn = { actor: ActorId; channel: string };

/** What people may ask for within a time, counted in the store, so that replicas and restarts count together. */
export interface Limits {
  /**
   * Counts a turn, in the transaction that accepts it; tells which limit it is over. One that is to be refused is
   * not counted.
   */
  accept(tx: Tx, turn: Turn): Promise<LimitedTurn | undefined>;
  /** Counts what a turn has used, in the transaction that records it; tells which limit keeps it from going on. */
  spend(tx: Tx, turn: Turn, used: Used): Promise<LimitedTurn | undefined>;
}

export type Used = { [Kind in Exclude<LimitKind, "turns">]: number };

export interface LimitsOptions {
  /** As they are now. */
  settings: () => LimitSettings;
  /** What all actors of one person have in common. */
  personOf: (actor: ActorId) => string;
  now: () => number;
}

/** One limit that counts for a turn. */
interface Limit {
  key: string;
  scope: LimitScope;
  what: LimitKind;
  rate: Rate;
}

/** What was used and has come back is forgotten with every so-manieth counting. */
const FORGET_EVERY = 1_000;

/**
 * Each limit is one number: until when all that was used has come back, at an even pace. So there is no hour at which
 * everybody begins anew, nothing to reset, and what a process that dies has used stays used.
 */
export function createLimits({ settings, personOf, now }: LimitsOptions): Limits {
  let counted = 0;

  function limitsOf({ actor, channel }: Turn, kinds: readonly LimitKind[]): Limit[] {
    const { per_person: person, per_channel: ofChannel, per_workspace: workspace } = settings();
    const scopes: [LimitScope, string, Rates][] = [
      ["person", personOf(actor), person],
      ["channel", channel, ofChannel],
      ["workspace", workspaceOf(channel), workspace],
    ];
    return scopes.flatMap(([scope, whose, rates]) =>
      kinds.flatMap((what) => {
        const rate = rates[what];
        return rate === undefined ? [] : [{ key: `${what} ${scope} ${whose}`, scope, what, rate }];
      }),
    );
  }

  /** Adds to what was used; returns until when each is. In the order of their keys, so that nobody waits in a circle. */
  async function add(tx: Tx, limits: readonly Limit[], amountOf: (limit: Limit) => number) {
    const at = now();
    const rows = limits.map((limit) => ({
      key: limit.key,
      until: at + amountOf(limit) * eachMs(limit.rate),
    }));
    const written = await tx
      .insertInto("used")
      .values(rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
      .onConflict((conflict) =>
        conflict.column("key").doUpdateSet((eb) => ({
          until: eb
            .case()
            .when("used.until", ">", at)
            .then(eb("used.until", "+", eb("excluded.until", "-", at)))
            .else(eb.ref("excluded.until"))
            .end(),
        })),
      )
      .returning(["key", "until"])
      .execute();
    counted += 1;
    if (counted % FORGET_EVERY === 0)
      await tx
        .deleteFrom("used")
        .where("until", "<", at - DAY_MS)
        .execute();
    return new Map(written.map(({ key, until }) => [key, until]));
  }

  /** The limit that holds the longest among those that leave no room; `room`: for how much there has to be some. */
  function over(
    limits: readonly Limit[],
    used: ReadonlyMap<string, number>,
    room: (limit: Limit) => number,
  ): LimitedTurn | undefined {
    const at = now();
    const reached = limits.flatMap(({ key, scope, what, rate }): LimitedTurn[] => {
      const full = (used.get(key) ?? 0) + room({ key, scope, what, rate }) * eachMs(rate) - rate.withinMs;
      return full <= at ? [] : [{ scope, what, ...rate, until: full }];
    });
    return reached.toSorted((a, b) => b.until - a.until)[0];
  }

  return {
    async accept(tx, turn) {
      const limits = limitsOf(turn, ["turns", "calls", "tokens"]);
      if (limits.length === 0) return undefined;
      const own = ({ what }: Limit): number => (what === "turns" ? 1 : 0);
      const used = await add(tx, limits, own);
      // The turn itself is counted; of calls and tokens there has to be one left.
      const limited = over(limits, used, (limit) => 1 - own(limit));
      if (limited === undefined) return undefined;
      const { wait = 0 } = settings();
      if (limited.until - now() <= wait) return { ...limited, waits: true };
      await add(tx, limits, (limit) => -own(limit));
      return limited;
    },
    async spend(tx, turn, used) {
      const limits = limitsOf(turn, ["calls", "tokens"]).filter(({ what }) => usedOf(used, what) > 0);
      if (limits.length === 0) return undefined;
      const after = await add(tx, limits, ({ what }) => usedOf(used, what));
      // What has begun and may wait is not cut short: the next request of the person waits the longer.
      return settings().wait === undefined ? over(limits, after, () => 0) : undefined;
    },
  };
}

function usedOf(used: Used, what: LimitKind): number {
  return what === "turns" ? 0 : used[what];
}

/** How long one takes to come back, in milliseconds. */
function eachMs({ amount, withinMs }: Rate): number {
  return withinMs / amount;
}

/** `slack:T1` of `slack:T1:C1`; `http` of all that is asked over HTTP. */
function workspaceOf(channel: string): string {
  const [surface = "", place = ""] = channel.split(":");
  return surface === "slack" || surface === "discord" ? `${surface}:${place}` : surface;
}

/** What a person reads who is over a limit: what it is, and when it ends. */
export function limitedText(limited: LimitedTurn, say: Words): string {
  const { scope, what, amount, withinMs, until, waits } = limited;
  // Moments are shown to the minute.
  const at = say.moment(new Date(Math.ceil(until / MINUTE_MS) * MINUTE_MS));
  const words = say.limited;
  const rate = `${words.amount[what](amount)} ${words.per[unitOf(withinMs)]}`;
  return `${words[scope](rate)} ${waits === true ? words.waits(at) : words.again(at)}`;
}

function unitOf(ms: number): keyof Words["limited"]["per"] {
  if (ms === DAY_MS) return "day";
  if (ms === HOUR_MS) return "hour";
  return ms === MINUTE_MS ? "minute" : "second";
}
