import type { JsonObject } from "#contract/json.ts";
import type { PendingQuestion } from "#contract/plan.ts";

import { type Slot, fits, toValue } from "../slot.ts";
import type { Wish } from "./wish.ts";
import type { ToolEntry } from "./tool-index.ts";
import { fill } from "./fill.ts";
import { type FillContext, labelsOf } from "./filling.ts";
import { createSheet } from "./sheet.ts";

/** A message that takes back what was asked for. */
export const NEVER_MIND: RegExp =
  /^\s*(?:never ?mind|forget (?:it|that|about it)|cancel(?: that| it)?|stop|no(?: thanks| thank you)?|nothing|leave it)\s*[.!]*\s*$/i;

/**
 * The call that was asked about with the message as its answer, or undefined where the message is no
 * answer to these fields.
 */
export function answerQuestion(
  question: PendingQuestion,
  message: string,
  entry: ToolEntry,
  wish: Wish,
  around: FillContext,
): JsonObject | undefined {
  const slots = question.fields
    .map((name) => entry.slots.find((slot) => slot.name === name))
    .filter((slot) => slot !== undefined);
  const known = Object.fromEntries(
    Object.entries(question.args).filter(([name]) => !question.fields.includes(name)),
  );
  const text = unquoted(message);
  if (text === "" || slots.length === 0) return undefined;

  // The labels of the answer tell its parts apart: "project DEMO, titled 'Printer on fire'".
  const filled = fill(entry, wish, around).args;
  const labelled = slots.filter((slot) => Object.hasOwn(filled, slot.name));
  if (labelled.length === slots.length && (slots.length > 1 || !isText(slots[0])))
    return { ...known, ...pick(filled, slots) };

  const [only] = slots;
  if (slots.length === 1 && only) {
    if (only.kind === "object") return undefined;
    if (!fits(only, text)) return labelled.length === 1 ? { ...known, ...pick(filled, slots) } : undefined;
    return { ...known, [only.name]: self(only, toValue(only, text)) };
  }
  return answerInOrder(slots, message, known);
}

/** "DEMO, Printer on fire" or two lines: the parts in the order of the question. */
function answerInOrder(slots: Slot[], message: string, known: JsonObject): JsonObject | undefined {
  const parts = message.split(/\s*\n\s*|\s*[,;]\s+/, slots.length).map(unquoted);
  const [first] = parts;
  if (first === undefined) return undefined;
  const whole =
    parts.length === slots.length
      ? [...parts.slice(0, -1), unquoted(message.slice(message.lastIndexOf(parts.at(-1) ?? "")))]
      : [unquoted(message)];
  const args: JsonObject = { ...known };
  const open = [...slots];
  for (const part of whole) {
    const at = open.findIndex((slot) => fits(slot, part));
    const [slot] = at === -1 ? [] : open.splice(at, 1);
    if (!slot) return undefined;
    const label = new RegExp(`^(?:the\\s+)?(?:${labelsOf(slot).join("|")})\\s*[:=]\\s*`, "iu");
    args[slot.name] = toValue(slot, part.replace(label, ""));
  }
  return args;
}

function isText(slot: Slot | undefined): boolean {
  return slot !== undefined && ["title", "body", "text", "query"].includes(slot.kind);
}

function self(slot: Slot, value: JsonObject[string]): JsonObject[string] {
  return slot.kind === "person" && typeof value === "string" && /^(?:me|myself)$/i.test(value) ? "me" : value;
}

function pick(args: JsonObject, slots: Slot[]): JsonObject {
  return Object.fromEntries(slots.map((slot) => [slot.name, args[slot.name] ?? null]));
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  const [quote] = createSheet(trimmed).quotes;
  return quote?.start === 0 && quote.end === trimmed.length ? quote.value : trimmed;
}
