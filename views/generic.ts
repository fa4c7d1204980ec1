import type { CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";

import { changeView, isChange } from "./change.ts";
import { createBudget } from "./generic/budget.ts";
import { toElements } from "./generic/elements.ts";
import { leftOut } from "./generic/table.ts";
import { tidy } from "./generic/tidy.ts";
import { isObject, unpack } from "./json.ts";
import { count, humanise, oneLine } from "./text.ts";
import type { ViewResult } from "./view.ts";

/** Shows any result of any tool: tables, fields, nested sections, text. Fits everything. */
export function genericView(input: ViewInput): ViewResult {
  const source = unpack(sourceOf(input));
  if (isChange(source)) return changeView({ ...input, data: source });
  const { value: data, left } = tidy(source);
  const record = recordName(data);
  const rows = record === undefined ? rowsOf(data) : undefined;
  const body: CardElement[] =
    data === null || data === "" || (Array.isArray(data) && data.length === 0)
      ? [{ type: "text", text: Array.isArray(data) ? "The list is empty." : "The tool returned nothing." }]
      : toElements(data, createBudget());
  const name = oneLine(humanise(input.name), 100);
  const what = record ?? (rows === undefined ? undefined : count(rows, "row"));
  return {
    card: {
      kind: "result",
      title: oneLine(what === undefined ? `${name} (${input.toolId})` : `${name}: ${what}`),
      elements: [
        { type: "header", text: name, eyebrow: oneLine(input.toolId, 100) },
        ...body,
        ...(left.length === 0 ? [] : [leftOut(left.join(", "))]),
      ],
    },
    ...(rows === undefined ? {} : { rows }),
  };
}

/** Some servers give structured content that is empty and say everything in the text. */
function sourceOf(input: ViewInput): JsonValue {
  const empty = input.data === null || (isObject(input.data) && Object.keys(input.data).length === 0);
  return empty && input.text !== undefined && input.text !== "" ? input.text : input.data;
}

/** "SHOP-1 Printer on fire": a result that is one thing with a key or an id, and a summary or a title. */
function recordName(data: JsonValue): string | undefined {
  if (!isObject(data)) return undefined;
  const [name] = [data["summary"], data["title"]].filter((each) => typeof each === "string" && each !== "");
  const [mark] = [data["key"], data["id"]].filter(
    (each) => typeof each === "string" || typeof each === "number",
  );
  return typeof name !== "string" || mark === undefined ? undefined : `${mark} ${name}`;
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
