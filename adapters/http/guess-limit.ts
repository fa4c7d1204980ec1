import { isIPv6 } from "node:net";

/** What came of looking at a token that somebody presented. */
export interface Guess<Found> {
  found: Found | undefined;
  /** Wrong or not looked at, as too many were wrong before it. Milliseconds. */
  retryAfterMs?: number;
}

export interface GuessLimit {
  /** `look` gives undefined for a token that is not known. It may not be called at all. */
  guess<Found>(address: string, token: string, look: (token: string) => Found | undefined): Guess<Found>;
}

const WINDOW_MS = 60_000;
/** Wrong tokens in a minute from one address, and from one address with one beginning. */
const MOST_NEAR = 10;
/** Wrong tokens in a minute with one beginning, from wherever. */
const MOST_WIDE = 100;
/** A token of this length is not found by guessing whole ones. */
const LONG = 20;
/** Addresses and beginnings that are remembered; the one that was silent the longest is forgotten first. */
const MOST_KEPT = 5_000;

/**
 * Bounds how fast tokens can be guessed, by address and by how the token begins. Behind a proxy all people have
 * one address: there the guesses of one lock out another only where the token is short enough to be guessed, or
 * begins as the guesses do.
 */
export function createGuessLimit(now: () => number = () => performance.now()): GuessLimit {
  const addresses = createCounter(MOST_NEAR, now);
  const near = createCounter(MOST_NEAR, now);
  const wide = createCounter(MOST_WIDE, now);

  return {
    guess(address, token, look) {
      const from = networkOf(address);
      const start = token.slice(0, Math.min(8, Math.ceil(token.length / 3)));
      const both = `${from} ${start}`;
      const ofAddress = addresses.wait(from);
      const wait = Math.max(near.wait(both), wide.wait(start), token.length < LONG ? ofAddress : 0);
      if (wait > 0) return { found: undefined, retryAfterMs: wait };
      const found = look(token);
      if (found !== undefined) return { found };
      addresses.add(from);
      near.add(both);
      wide.add(start);
      if (ofAddress > 0) return { found: undefined, retryAfterMs: ofAddress };
      return { found: undefined };
    },
  };
}

interface Counter {
  add(key: string): void;
  /** Milliseconds until the next one is let through; 0: now. */
  wait(key: string): number;
}

function createCounter(most: number, now: () => number): Counter {
  const counts = new Map<string, { count: number; until: number }>();
  return {
    add(key) {
      const known = counts.get(key);
      const current =
        known === undefined || known.until <= now() ? { count: 0, until: now() + WINDOW_MS } : known;
      counts.delete(key);
      counts.set(key, { ...current, count: current.count + 1 });
      const [oldest] = counts.keys();
      if (counts.size > MOST_KEPT && oldest !== undefined) counts.delete(oldest);
    },
    wait(key) {
      const known = counts.get(key);
      if (known === undefined || known.count < most) return 0;
      // Who is held back and goes on is not silent.
      counts.delete(key);
      counts.set(key, known);
      return Math.max(0, known.until - now());
    },
  };
}

/** An IPv6 network of 64 bits is usually one customer's; each of its addresses would be a new one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...rest];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
