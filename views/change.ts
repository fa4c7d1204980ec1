import type { CardElement, ChangesElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { oneLine } from "#src/base/text.ts";
import { humanise } from "#src/base/tool-words.ts";

import { fitsCell, toCell } from "./generic/table.ts";
import { foldedFields, resultView, statusBadge, type ViewResult } from "./parts.ts";
import { compactJson, hrefOf, memberOf, toTitle } from "./text.ts";

type Side = JsonObject | null;
interface Change extends JsonObject {
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

/** What a change did, or would do: one line per field, and the thing it was done to. */
export function changeView(input: ViewInput): ViewResult {
  const { data } = input;
  if (!isChange(data)) throw new TypeError("expected before and after, each an object or null");
  const { before, after, ...rest } = data;
  const dryRun = rest["dry_run"] === true;
  const target = [rest["issue"], rest["page"]].find((item) => isObject(item) && nameOfTarget(item) !== "");
  const subject = nameOfTarget(isObject(target) ? target : (after ?? before ?? {}));
  const title = toTitle(
    `${verbOf(before, after, dryRun)}: ${subject === "" ? humanise(input.name) : subject}`,
  );

  const elements: CardElement[] = [
    {
      type: "header",
      text: title,
      eyebrow: oneLine(input.toolId, 100),
      ...(dryRun ? { badges: [{ text: "nothing changed yet", tone: "info" as const }] } : {}),
    },
    changesElement(before, after),
  ];
  if (isObject(target)) elements.push(targetLine(target));
  return resultView(title, [...elements, ...foldedFields("Details", rest)]);
}

/**
 * Two sides of a change field by field, those that differ first. A side that is no object is shown
 * whole as "Value".
 */
export function changesElement(before: JsonValue, after: JsonValue): ChangesElement {
  const sides = [before, after].every((side) => side === null || isObject(side));
  if (!sides) return { type: "changes", items: [{ label: "Value", before, after }] };
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const items = names.map((name) => ({
    label: humanise(oneLine(name, 80)),
    before: readable(memberOf(old, name)),
    after: readable(memberOf(now, name)),
  }));
  const differs = (item: (typeof items)[number]): boolean =>
    JSON.stringify(item.before) !== JSON.stringify(item.after);
  return {
    type: "changes",
    items: [...items.filter(differs), ...items.filter((item) => !differs(item))],
  };
}

/** Named things by name, short lists in a row; anything too deep to draw as its JSON text. */
function readable(value: JsonValue | undefined): JsonValue {
  if (typeof value !== "object" || value === null) return value ?? null;
  if (fitsCell(value)) {
    const cell = toCell(value);
    return typeof cell === "object" ? null : cell;
  }
  const { text, cut } = compactJson(value, 100_000);
  return cut ? `${text} (cut here; see JSON)` : value;
}

function verbOf(before: Side, after: Side, dryRun: boolean): string {
  if (before === null) return dryRun ? "Would create" : "Created";
  if (after === null) return dryRun ? "Would delete" : "Deleted";
  return dryRun ? "Would change" : "Changed";
}

function nameOfTarget(target: JsonObject): string {
  const { key, summary, title, name } = target;
  const words = [summary, title, name].find((part) => typeof part === "string" && part !== "");
  return [key, words]
    .map((part) => (typeof part === "string" ? part : ""))
    .join(" ")
    .trim();
}

function targetLine(target: JsonObject): CardElement {
  const { url, status, status_category: category } = target;
  return {
    type: "list",
    items: [
      {
        text: oneLine(nameOfTarget(target), 200),
        ...(typeof url === "string" ? hrefOf(url) : {}),
        ...(typeof status === "string"
          ? { badges: [statusBadge(status, typeof category === "string" ? category : null)] }
          : {}),
      },
    ],
  };
}
