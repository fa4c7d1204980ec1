import type { ChangesElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { oneLine } from "#src/base/text.ts";
import { labelText } from "#src/base/statement.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";

import { fitsCell, toCell } from "./generic/table.ts";
import { compactJson, memberOf } from "./text.ts";

export type Side = JsonObject | null;
export interface Change extends JsonObject {
  before: Side;
  after: Side;
}

/** Whether a result tells of a change: the fields it touches, before and after. */
export function isChange(data: JsonValue): data is Change {
  if (!isObject(data)) return false;
  const { before, after } = data;
  const sides = [before, after];
  return sides.every((side) => side === null || isObject(side)) && sides.some((side) => isObject(side));
}

/**
 * Two sides of a change field by field, those that differ first. A side that is no object is shown
 * whole as "Value".
 */
export function changesElement(before: JsonValue, after: JsonValue, say: Words): ChangesElement {
  const sides = [before, after].every((side) => side === null || isObject(side));
  if (!sides) return { type: "changes", items: [{ label: labelText("Value", say), before, after }] };
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const items = names.map((name) => ({
    label: labelText(humanise(oneLine(name, 80)), say),
    before: readable(memberOf(old, name), say),
    after: readable(memberOf(now, name), say),
  }));
  const differs = (item: (typeof items)[number]): boolean =>
    JSON.stringify(item.before) !== JSON.stringify(item.after);
  return {
    type: "changes",
    items: [...items.filter(differs), ...items.filter((item) => !differs(item))],
  };
}

/** Named things by name, short lists in a row; anything too deep to draw as its JSON text. */
function readable(value: JsonValue | undefined, { views: say }: Words): JsonValue {
  if (typeof value !== "object" || value === null) return value ?? null;
  if (fitsCell(value)) {
    const cell = toCell(value);
    return typeof cell === "object" ? null : cell;
  }
  const { text, cut } = compactJson(value, 100_000);
  return cut ? `${text} ${say.cutHere}` : value;
}
