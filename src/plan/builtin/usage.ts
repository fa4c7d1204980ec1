import type { Filled } from "./fill.ts";
import type { ToolIndex } from "./tool-index.ts";
import { stemOf } from "./words.ts";

/**
 * Of two tools that take the same key, the one whose argument most tools share is the plain one, and of
 * those the one that is about what the key names.
 */
export function usageScore({ entry, args }: Filled, index: ToolIndex): number {
  const slots = entry.slots.filter((slot) => slot.required && Object.hasOwn(args, slot.name));
  if (slots.length === 0) return 0;
  const most = Math.max(1, ...slots.map((slot) => index.usage.get(slot.name) ?? 0));
  const isOwn = slots.some(
    ({ kind, words }) => kind === "key" && words.some((word) => entry.objects.has(stemOf(word))),
  );
  return 0.6 * (1 - 1 / most) + (isOwn ? 0.1 : 0);
}

/** An update that only says of what, and not what would be different. */
export function changesNothing({ entry, args }: Filled): boolean {
  if (entry.intents.size !== 1 || !entry.intents.has("update")) return false;
  const named = entry.slots.filter((slot) => Object.hasOwn(args, slot.name));
  const rest = entry.slots.filter((slot) => !slot.required && slot.kind !== "boolean");
  return rest.length > 0 && named.length > 0 && named.every(({ kind }) => kind === "key" || kind === "id");
}
