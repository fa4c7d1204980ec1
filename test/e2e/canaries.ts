import type { JsonValue } from "#contract/json.ts";

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Canaries {
  /** A tool result of a random shape that holds canaries everywhere. */
  result(): { [key: string]: JsonValue };
  /** Every canary that was given out. */
  all: string[];
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".split("");
/** What may stand in the middle of a canary: all of it is written differently in some encoding. */
const SEAMS = ['"', "\\", "\n", "é", "\u2028", "<", "/", "😀", " ", "|", "\t"];

export function createCanaries(random: () => number): Canaries {
  const all: string[] = [];
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

  function canary(): string {
    const letters = Array.from({ length: 24 }, () => pick(LETTERS)).join("");
    all.push(letters);
    return random() < 0.5 ? letters : `${letters.slice(0, 12)}${pick(SEAMS)}${letters.slice(12)}`;
  }

  function count(): number {
    // Digits are a canary as well, as large as a number holds exactly.
    const digits = 1e14 + Math.floor(random() * 8e14);
    all.push(String(digits));
    return digits;
  }

  function value(depth: number): JsonValue {
    const kind = random();
    if (depth === 0 || kind < 0.45)
      return random() < 0.15 ? count() : `${pick(["", "see ", "note: "])}${canary()}`;
    if (kind < 0.65) return Array.from({ length: 1 + Math.floor(random() * 4) }, () => value(depth - 1));
    if (kind < 0.72) return pick([null, true, 0, ""]);
    const size = 1 + Math.floor(random() * 4);
    return Object.fromEntries(
      Array.from({ length: size }, () => [random() < 0.3 ? canary() : pick(KEYS), value(depth - 1)]),
    );
  }

  function result(): { [key: string]: JsonValue } {
    const text = {
      type: "text",
      text: pick([canary(), JSON.stringify(value(2)), `${canary()} ${canary()}`]),
    };
    const content: JsonValue[] = [text];
    if (random() < 0.2) {
      const uri = `file:///${encodeURIComponent(canary())}`;
      content.push({ type: "resource", resource: { uri, mimeType: "text/plain", text: canary() } });
    }
    if (random() < 0.1) {
      content.push({ type: "resource_link", uri: "file:///a", name: canary(), description: canary() });
    }
    const structured = value(4);
    const isObject = typeof structured === "object" && structured !== null && !Array.isArray(structured);
    return {
      content,
      ...(random() < 0.6 ? { structuredContent: isObject ? structured : { items: structured } } : {}),
      ...(random() < 0.25 ? { isError: true } : {}),
    };
  }

  return { result, all };
}

const KEYS = ["id", "title", "items", "data", "name", "error", "message", "rows", "total", "url", "BEGIN"];

const WINDOW = 10;

/**
 * Searches what went over a wire for pieces of ten letters of canaries: raw, JSON-escaped however often,
 * split by anything that is no letter or digit, and in base64 or hex at any offset. Gives the canaries.
 */
export function createSearch(canaries: readonly string[]): (wire: string) => string[] {
  const plain = new Map<string, string>();
  const encoded = new Map<string, string>();
  for (const canary of canaries) {
    for (const piece of windows(canary)) plain.set(piece, canary);
    for (const piece of windows(Buffer.from(canary).toString("hex"))) plain.set(piece, canary);
    for (const offset of [0, 1, 2]) {
      // Whole groups of three bytes only: what stands before and behind changes the others.
      const bytes = Buffer.from(canary).subarray(offset);
      const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
      for (const piece of windows(whole)) encoded.set(piece, canary);
    }
  }
  return (wire) => {
    const found = new Set<string>();
    const add = (canary: string | undefined): void => {
      if (canary !== undefined) found.add(canary);
    };
    const unescaped = wire
      .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/\\+[nrtbf]/g, " ");
    for (const piece of windows(unescaped.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))) add(plain.get(piece));
    for (const piece of windows(wire.replaceAll(/[^A-Za-z0-9+/]/g, ""))) add(encoded.get(piece));
    return [...found];
  };
}

function* windows(text: string): Generator<string> {
  for (let at = 0; at + WINDOW <= text.length; at += 1) yield text.slice(at, at + WINDOW);
}
