import type { Approval } from "#contract/approval.ts";
import type { CardElement, ListElement } from "#contract/card.ts";
import type { ArgSource } from "#contract/plan.ts";

import { exactLine, exactName, visibleLine } from "./exact.ts";

/**
 * Where the arguments come from that nobody said in the message, those from one place together. What a model
 * made up comes first and has a badge, so that nobody overlooks it.
 */
export function sourceElements({ args, sources = {} }: Pick<Approval, "args" | "sources">): CardElement[] {
  const known = Object.entries(sources).filter(([name]) => Object.hasOwn(args, name));
  const told = known.flatMap(([name, source]) => {
    const words = wordsOf(source);
    return words === undefined ? [] : [{ name: exactName(name), words, isGuess: source.from === "model" }];
  });
  if (told.length === 0) return [];
  const groups = Map.groupBy(told, ({ words }) => words);
  const items = [...groups].map(([words, group]): ListElement["items"][number] & { isGuess: boolean } => {
    const isGuess = group.some((one) => one.isGuess);
    const text = group.map(({ name }) => name).join(", ");
    return { text, isGuess, ...(isGuess ? { badges: [{ text: words, tone: "warn" }] } : { detail: words }) };
  });
  const sorted = items
    .toSorted((a, b) => Number(b.isGuess) - Number(a.isGuess))
    .map(({ isGuess: _, ...item }) => item);
  return [{ type: "section", title: "Not from the message", elements: [{ type: "list", items: sorted }] }];
}

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
      return "assumed by the model";
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
