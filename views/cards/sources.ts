import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell } from "#contract/card.ts";
import type { ArgSource } from "#contract/plan.ts";
import { cutText } from "#src/base/text.ts";

import { exactLine, exactName, visibleLine } from "./exact.ts";

/**
 * Where the arguments come from that nobody said in the message, those from one place together. What a model
 * made up comes first and has a badge, so that nobody overlooks it.
 */
export function sourceElements({ args, sources = {} }: Pick<Approval, "args" | "sources">): CardElement[] {
  const groups = new Map<string, string[]>([[GUESS, []]]);
  for (const [name, source] of Object.entries(sources)) {
    const words = wordsOf(source);
    if (words === undefined || !Object.hasOwn(args, name)) continue;
    groups.set(words, [...(groups.get(words) ?? []), cutText(exactName(name), 80)]);
  }
  const items = [...groups]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]): { label: string; value: Cell } => ({
      label: names.join(", "),
      value: text === GUESS ? { text, tone: "warn" } : text,
    }));
  if (items.length === 0) return [];
  return [{ type: "section", title: "Not from the message", elements: [{ type: "fields", items }] }];
}

const GUESS = "assumed by the model";

/** Undefined where the person who asked said it, or filled it in. */
function wordsOf({ from, ref }: ArgSource): string | undefined {
  switch (from) {
    case "history":
      return ref === undefined
        ? "from earlier in this conversation"
        : `as in the earlier message “${visibleLine(ref, 120)}”`;
    case "result":
      return ref === undefined ? "from an earlier result" : `from the result of ${exactLine(ref)}`;
    case "default":
      return "the tool’s own default";
    case "model":
      return GUESS;
    case "fixed":
      return "set by the configuration";
    case "form":
      return ref === "edit" ? "changed in the form" : undefined;
    // Credentials are no argument of the request that people see.
    case "credential":
    case "message":
    default:
      return undefined;
  }
}
