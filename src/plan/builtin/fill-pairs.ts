import type { Slot } from "../slot.ts";
import { ANY_QUOTED, type Filling, isOpen, put, valueOf } from "./filling.ts";

const OLD = /^(?:old|former|before|find|search|original|previous|current|from)$/;
const NEW = /^(?:new|replacement|replace|after|instead|updated|to|with)$/;
const WORD = "[\\p{L}\\p{N}_.:@-]*[\\p{L}\\p{N}_]";
const SWAPS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:replace|change|swap|substitute|exchange|turn|rename|correct|fix|update|edit)\\b[^:]{0,40}?(?<old>${ANY_QUOTED})\\s*(?:,\\s*)?(?:with|by|to|for|into|as|->|→|=>)\\s+(?<new>${ANY_QUOTED})`,
    "diu",
  ),
  new RegExp(
    `(?<new>${ANY_QUOTED})\\s+(?:instead of|in place of|rather than)\\s+(?<old>${ANY_QUOTED})`,
    "diu",
  ),
  new RegExp(
    `(?<old>${ANY_QUOTED})\\s+(?:should|must|has to|needs to)\\s+(?:be|become|read)\\s+(?<new>${ANY_QUOTED})`,
    "diu",
  ),
  // One word without quotes: "replace foo with bar", "change 8080 to 9090".
  new RegExp(
    `\\b(?:(?:replace|swap|substitute)\\s+(?=\\S)|change\\s+(?=\\S*\\d))(?<old>${WORD})\\s+(?:with|by|to|for)\\s+(?<new>${WORD})(?=[\\s.]|$)`,
    "diu",
  ),
];

/** `replace "a" with "b"` for what takes a text and the one that stands instead of it, by itself or in a list of such. */
export function fillPairs(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "list" || !slot.required || !isOpen(filling, slot)) continue;
    const pair = pairOf(slot.nested);
    const found = pair && swapIn(filling);
    if (!pair || !found) continue;
    put(filling, slot, [{ [pair.old.name]: found.old, [pair.new.name]: found.new }], found, 1);
  }
  const own = pairOf(filling.entry.slots.filter((slot) => slot.required && isOpen(filling, slot)));
  const found = own && swapIn(filling);
  if (!own || !found) return;
  put(filling, own.old, found.old, found, 0.5);
  put(filling, own.new, found.new, found, 0.5);
}

/** Two texts of which one takes the place of the other, and nothing else that has to be given. */
function pairOf(slots: readonly Slot[]): { old: Slot; new: Slot } | undefined {
  const texts = slots.filter(({ kind, required }) => required && /^(?:text|body|title)$/.test(kind));
  const before = texts.find(({ words }) => OLD.test(words[0] ?? ""));
  const after = texts.find(({ words }) => NEW.test(words[0] ?? ""));
  return before && after && before !== after ? { old: before, new: after } : undefined;
}

function swapIn(filling: Filling): { old: string; new: string; start: number; end: number } | undefined {
  const { masked } = filling.sheet;
  for (const pattern of SWAPS) {
    const { indices, index, 0: all = "" } = pattern.exec(masked) ?? {};
    const [from, to] = [indices?.groups?.["old"], indices?.groups?.["new"]];
    if (index === undefined || !from || !to) continue;
    const read = ([start, end]: [number, number]): string =>
      valueOf(filling, { value: masked.slice(start, end), start, end });
    return { old: read(from), new: read(to), start: index, end: index + all.length };
  }
  return undefined;
}
