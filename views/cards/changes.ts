import type { ChangesElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { StatementChange } from "#contract/statement.ts";

import { exactJson, exactLine, exactText } from "./exact.ts";

/** What will differ, or what a new thing will have. */
export function changeElements(changes: readonly StatementChange[]): ChangesElement[] {
  const items = changes.map(({ label, before, after }) => ({
    label: exactLine(label),
    ...(before === undefined ? {} : { before: visibleValue(before) }),
    ...(after === undefined ? {} : { after: visibleValue(after) }),
  }));
  return items.length === 0 ? [] : [{ type: "changes", items }];
}

/** Line breaks stay (a page's text has them); what cannot be seen is written out. */
export function visibleValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return exactText(value);
  return typeof value === "object" && value !== null ? exactJson(value) : value;
}
