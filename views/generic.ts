import type { CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";

import { changeView, isChange } from "./change.ts";
import { createBudget } from "./generic/budget.ts";
import { toElements } from "./generic/elements.ts";
import { isObject, unpack } from "./json.ts";
import { count, humanise, oneLine } from "./text.ts";
import type { ViewResult } from "./view.ts";

/** Shows any result of any tool: tables, fields, nested sections, text. Fits everything. */
export function genericView(input: ViewInput): ViewResult {
  const data = unpack(sourceOf(input));
  if (isChange(data)) return changeView({ ...input, data });
  const rows = rowsOf(data);
  const body: CardElement[] =
    data === null || data === "" || (Array.isArray(data) && data.length === 0)
      ? [{ type: "text", text: Array.isArray(data) ? "The list is empty." : "The tool returned nothing." }]
      : toElements(data, createBudget());
  const name = oneLine(humanise(input.name), 100);
  return {
    card: {
      kind: "result",
      title: oneLine(rows === undefined ? `${name} (${input.toolId})` : `${name}: ${count(rows, "row")}`),
      elements: [{ type: "header", text: name, eyebrow: oneLine(input.toolId, 100) }, ...body],
    },
    ...(rows === undefined ? {} : { rows }),
  };
}

/** Some servers give structured content that is empty and say everything in the text. */
function sourceOf(input: ViewInput): JsonValue {
  const empty = input.data === null || (isObject(input.data) && Object.keys(input.data).length === 0);
  return empty && input.text !== undefined && input.text !== "" ? input.text : input.data;
}

/** The length of the result's main list: the result itself, or its longest list of objects. */
function rowsOf(data: JsonValue): number | undefined {
  if (Array.isArray(data)) return data.length;
  if (!isObject(data)) return undefined;
  const lists = Object.values(data)
    .map(unpack)
    .filter((value) => Array.isArray(value))
    .filter((value) => value.every((item) => isObject(item)));
  return lists.length === 0 ? undefined : Math.max(...lists.map((list) => list.length));
}
