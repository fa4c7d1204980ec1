import type { ChangesElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { StatementChange } from "#contract/statement.ts";
import { labelText } from "#src/base/statement.ts";
import { en, type Words } from "#src/base/words/en.ts";

import { humanDate } from "../text.ts";
import { exactJson, exactLine, exactText } from "./exact.ts";

/** What will differ, or what a new thing will have. */
export function changeElements(changes: readonly StatementChange[], say: Words): ChangesElement[] {
  const items = changes.map(({ label, before, after }) => ({
    label: exactLine(labelText(label, say)),
    ...(before === undefined ? {} : { before: sideOf(label, before, say) }),
    ...(after === undefined ? {} : { after: sideOf(label, after, say) }),
  }));
  return items.length === 0 ? [] : [{ type: "changes", items }];
}

/** Fields that name who does something; statements say "nobody" where it is no one. */
const PEOPLE: ReadonlySet<string> = new Set(["Assignee", "Assigned to"]);

/** To the minute, so that nothing is lost where people read it as a date. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::00(?:\.0+)?)?Z$/;

function sideOf(label: string, value: JsonValue, say: Words): JsonValue {
  if (typeof value === "string" && MOMENT.test(value)) return humanDate(value, say);
  if (PEOPLE.has(label) && value === en.approval.nobody) return say.approval.nobody;
  return visibleValue(typeof value === "string" ? say.value(value) : value);
}

/** Line breaks stay (a page's text has them); what cannot be seen is written out. */
export function visibleValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return exactText(value);
  return typeof value === "object" && value !== null ? exactJson(value) : value;
}
