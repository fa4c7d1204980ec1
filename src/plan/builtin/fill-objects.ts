import type { JsonObject } from "#contract/json.ts";

import { type Slot, toValue } from "../slot.ts";
import { toDay } from "./dates.ts";
import { END, FREE } from "./fill-text.ts";
import { canonicalChoice } from "./fill-words.ts";
import { ANY_QUOTED, type Filling, isOpen, labelsOf, matchPiece, valueOf } from "./filling.ts";
import { QUOTED, TAKEN } from "./sheet.ts";

/** "set the priority of DEMO-3 to high": named fields for an argument that is an object. */
export function fillObjects(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "object" || !isOpen(filling, slot) || !(slot.required || filling.entry.changing))
      continue;
    const fields = readFields(filling, slot);
    if (Object.keys(fields).length > 0) filling.args[slot.name] = fields;
  }
}

function readFields(filling: Filling, slot: Slot): JsonObject {
  const fields: JsonObject = {};
  const { sheet, clause, around } = filling;
  const nested = slot.nested.length > 0 ? slot.nested : describedFields(slot);
  if (clause.head?.lower === "rename") {
    const title = nested.find((each) => each.kind === "title");
    const found = matchPiece(
      sheet.masked,
      new RegExp(`\\b(?:to|as|into)\\s+(${ANY_QUOTED}|${FREE})${END}`, "diu"),
      true,
    );
    if (found) {
      fields[title?.name ?? "title"] = valueOf(filling, found);
      sheet.take(found.start, found.end);
    }
  }
  for (const field of nested) {
    const labels = labelsOf(field).join("|");
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:the |its )?(?:${labels})(?![\\p{L}\\p{N}])\\s*(?:(?:of|on|for|in)\\s+(?:\\p{L}+\\s+)?${TAKEN}+)?\\s*(?:to|as|is|=|:)?\\s*(${ANY_QUOTED}|${FREE})(?=\\s*(?:$|[${QUOTED}${TAKEN},;\\n]|\\band\\b))`,
      "diu",
    );
    const found = matchPiece(sheet.masked, pattern, true);
    if (!found) continue;
    const text = valueOf(filling, found).replace(/\s+(?:please|pls|plz|thanks)$/i, "");
    fields[field.name] = toFieldValue(field, text, around);
    sheet.take(found.start, found.end);
  }
  return fields;
}

function toFieldValue(field: Slot, text: string, around: Filling["around"]): JsonObject[string] {
  if (field.kind === "date" || field.words.includes("due")) {
    const date = around.dates.find(text, around.now);
    if (date) return toDay(date.value);
  }
  if (field.kind === "person" && /^(?:me|myself)$/i.test(text)) return around.actorName || "me";
  const value = toValue(field, text);
  return typeof value === "string" ? canonicalChoice(field.name, value, field.values) : value;
}

const COMMON_FIELDS = [
  "summary",
  "title",
  "description",
  "priority",
  "labels",
  "assignee",
  "status",
  "due_date",
  "type",
  "name",
  "body",
];

/** Where a schema leaves the fields of an object open, its description names them. */
function describedFields(slot: Slot): Slot[] {
  const text = slot.description.toLowerCase();
  const named = COMMON_FIELDS.filter((name) => text.includes(name.replace("_", " ")) || text.includes(name));
  return (named.length > 0 ? named : COMMON_FIELDS).map((name) => ({
    name,
    words: name.split("_"),
    description: "",
    required: false,
    kind: name === "labels" ? "list" : name === "summary" || name === "title" ? "title" : "text",
    values: [],
    examples: [],
    nested: [],
  }));
}
