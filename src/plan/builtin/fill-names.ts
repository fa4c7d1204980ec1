import { fits, type Slot, toValue } from "../slot.ts";
import { type Filling, inTopic, isOpen, put } from "./filling.ts";
import { STOP_WORDS, stemOf } from "./words.ts";

const NAME = "[\\p{L}\\p{N}_][\\p{L}\\p{N}_./@-]*";
const BEHIND = "\\b(?:in|of|for|on)\\s+(?:the\\s+)?";
const KINDS = new Set(["text", "title", "code", "id"]);
const NO_NAMES =
  /^(?:in|on|of|to|for|from|with|and|or|the|a|an|is|are|was|that|this|it|all|by|at|into|named|called|healthy|up|down|now|please|about)$/i;

/**
 * Names behind the thing they belong to ("the service payments", "employee Dmitri Petrov", "invoice
 * INV-2044"), and at the end behind a preposition ("latest commits in web-shop"), for required
 * arguments of tools that make nothing new.
 */
export function fillNames(filling: Filling): void {
  const { entry } = filling;
  if (entry.intents.has("create") || entry.intents.has("comment")) return;
  // Where a key is wanted, what looks like one is that.
  if (entry.slots.some((slot) => slot.kind === "key")) return;
  for (const slot of entry.slots) {
    if (!slot.required || !isOpen(filling, slot) || !KINDS.has(slot.kind)) continue;
    if (!fillBehindNoun(filling, slot)) fillBehindPreposition(filling, slot);
  }
}

function fillBehindNoun(filling: Filling, slot: Slot): boolean {
  const { masked } = filling.sheet;
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(\\p{L}+)\\s+(?:called\\s+|named\\s+)?(${NAME}(?:\\s+\\p{Lu}[\\p{L}-]+){0,2})`,
    "dgu",
  );
  for (let from = 0; ;) {
    pattern.lastIndex = from;
    const match = pattern.exec(masked);
    const place = match?.indices?.[2];
    if (match === null || place === undefined) return false;
    from = match.index + (match[1]?.length ?? 1);
    const stem = stemOf((match[1] ?? "").toLowerCase());
    const isLabel = filling.entry.objects.has(stem) || slot.words.some((word) => stemOf(word) === stem);
    const value = match[2] ?? "";
    if (!isLabel || !isName(filling, slot, value) || inTopic(filling, place[0])) continue;
    put(filling, slot, toValue(slot, value), match.index, place[1]);
    filling.strong += 1;
    return true;
  }
}

function fillBehindPreposition(filling: Filling, slot: Slot): boolean {
  if (slot.kind !== "code" && slot.kind !== "text") return false;
  const { masked } = filling.sheet;
  const match =
    new RegExp(`${BEHIND}(${NAME})\\s*[?.!]*$`, "du").exec(masked) ??
    // In the middle it has to look like a name of something technical: "did the builds of web-shop pass".
    new RegExp(`${BEHIND}(\\p{L}[\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?=\\s)`, "du").exec(masked);
  const place = match?.indices?.[1];
  const value = match?.[1] ?? "";
  if (match === null || place === undefined || !isName(filling, slot, value)) return false;
  if (inTopic(filling, place[0]) && place[1] < masked.length) return false;
  put(filling, slot, toValue(slot, value), match.index, place[1]);
  filling.strong += 0.5;
  return true;
}

function isName({ entry }: Filling, slot: Slot, value: string): boolean {
  const stem = stemOf(value.toLowerCase());
  const [first = ""] = value.split(/\s+/);
  if (NO_NAMES.test(first) || STOP_WORDS.has(first.toLowerCase())) return false;
  if (entry.objects.has(stem) || entry.verbs.has(stem)) return false;
  return slot.kind === "code" ? /^[\p{L}][\p{L}\p{N}_./-]*$/u.test(value) : fits(slot, value);
}
