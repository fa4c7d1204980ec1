import type { Card } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";

import { createBudget } from "../generic/budget.ts";
import { toElements } from "../generic/elements.ts";
import { isObject } from "../json.ts";
import { oneLine } from "../text.ts";

/** What each error code means for the person who asked; see CallErrorCode. */
const MEANING: ReadonlyMap<string, string> = new Map([
  ["transport", "The connection to the server failed."],
  ["protocol", "The server answered in a way that the protocol does not allow."],
  ["tool_error", "The tool ran and reported an error."],
  ["invalid_result", "The result does not have the form that the tool promises."],
  ["timeout", "The tool took longer than its time limit."],
  ["cancelled", "The call was stopped."],
  ["too_large", "The result is larger than the limit."],
  ["server_down", "The server is not running; nothing was sent."],
  ["unknown_tool", "There is no such tool."],
]);

/** A call that brought no result, in the server's own words. */
export function failedCard(input: ViewInput): Card {
  const code = input.error?.code ?? "tool_error";
  const message = input.error?.message ?? input.text ?? "The tool gave no reason.";
  const meaning = MEANING.get(code) ?? `Error code: ${code}.`;
  const { args } = input;
  return {
    kind: "error",
    title: oneLine(`${input.toolId} failed: ${message}`),
    elements: [
      { type: "header", text: `${oneLine(input.toolId, 100)} failed`, badges: [{ text: code, tone: "bad" }] },
      { type: "error", message: message === "" ? "The tool gave no reason." : message, detail: meaning },
      ...(isObject(args) && Object.keys(args).length > 0
        ? [
            {
              type: "section" as const,
              title: "Arguments",
              folded: true,
              elements: toElements(args, createBudget(), 1),
            },
          ]
        : []),
    ],
  };
}
