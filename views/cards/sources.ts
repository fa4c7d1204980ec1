import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell } from "#contract/card.ts";
import type { ArgSource } from "#contract/plan.ts";
import { wordsFor } from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

import { exactLine, exactName, visibleLine } from "./exact.ts";

/**
 * Where the arguments come from that nobody said in the message, those from one place together. What a model
 * made up comes first and has a badge, so that nobody overlooks it.
 */
export function sourceElements({
  args,
  sources = {},
  statement,
}: Pick<Approval, "args" | "sources" | "statement">): CardElement[] {
  const say = wordsFor(statement);
  const guess = say.approval.assumed;
  const groups = new Map<string, string[]>([[guess, []]]);
  for (const [name, source] of Object.entries(sources)) {
    const words = sourceText(source, say);
    if (words === undefined || !Object.hasOwn(args, name)) continue;
    groups.set(words, [...(groups.get(words) ?? []), cutText(exactName(name), 80)]);
  }
  const items = [...groups]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]): { label: string; value: Cell } => ({
      label: names.join(", "),
      value: text === guess ? { text, tone: "warn" } : text,
    }));
  if (items.length === 0) return [];
  return [{ type: "section", title: say.details.notFromMessage, elements: [{ type: "fields", items }] }];
}

/** Undefined where the person who asked said it, or filled it in. */
function sourceText({ from, ref }: ArgSource, { details: say, approval, quote }: Words): string | undefined {
  switch (from) {
    case "history":
      return ref === undefined ? say.fromEarlier : say.asInMessage(quote(visibleLine(ref, 120)));
    case "result":
      return ref === undefined ? say.fromEarlierResult : say.fromResultOf(exactLine(ref));
    case "default":
      return say.toolDefault;
    case "model":
      return approval.assumed;
    case "fixed":
      return say.fixed;
    case "form":
      return ref === "edit" ? say.fromForm : undefined;
    // Credentials are no argument of the request that people see.
    case "credential":
    case "message":
    default:
      return undefined;
  }
}
