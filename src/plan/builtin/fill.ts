import type { JsonObject } from "#contract/json.ts";

import { type Slot, toValue } from "../slot.ts";
import type { Clause } from "./clause.ts";
import {
  canonicalChoice,
  END,
  fillChoices,
  fillDates,
  fillLists,
  fillQuery,
  fillStatus,
  fillSwitches,
  fillTexts,
  FREE,
  leftovers,
} from "./fill-text.ts";
import {
  fillCodes,
  fillForms,
  fillIds,
  fillKeys,
  fillNames,
  fillNumbers,
  fillPeople,
} from "./fill-values.ts";
import {
  ANY_QUOTED,
  type FillContext,
  type Filling,
  isOpen,
  isTaken,
  labelsOf,
  matchPiece,
  toDay,
  valueOf,
} from "./filling.ts";
import { createSheet, QUOTED, TAKEN } from "./sheet.ts";
import type { ToolEntry } from "./tool-index.ts";
import type { Token } from "./words.ts";

export interface Filled {
  entry: ToolEntry;
  args: JsonObject;
  /** Required arguments that the sentence does not hold. */
  missing: string[];
  /** How much in the sentence speaks for this tool: keys, people, codes. */
  strong: number;
  /** Arguments that only got what was left over. */
  guessed: number;
  /** Keys that this tool has no use for. */
  strayKeys: number;
  strayQuotes: number;
  strayPaths: number;
  /** Words that neither the tool nor its arguments explain. */
  stray: Token[];
}

/** Fills a tool's arguments from a clause: first what has a form of its own, then words, then free text. */
export function fill(entry: ToolEntry, clause: Clause, around: FillContext): Filled {
  const filling: Filling = {
    entry,
    clause,
    around,
    sheet: createSheet(clause.text),
    args: {},
    strong: 0,
    guessed: 0,
  };
  for (const step of [
    fillKeys,
    fillForms,
    fillIds,
    fillObjects,
    fillNumbers,
    fillPeople,
    fillCodes,
    fillLists,
    fillStatus,
    fillSwitches,
    fillChoices,
    fillDates,
    fillNames,
    fillTexts,
    fillQuery,
  ])
    step(filling);
  const named = new Set(Object.keys(filling.args));
  return {
    entry,
    args: inSchemaOrder(entry, filling.args),
    missing: entry.slots.filter((slot) => slot.required && !named.has(slot.name)).map((slot) => slot.name),
    strong: filling.strong,
    guessed: filling.guessed,
    strayKeys: clause.keys.filter((key) => !isTaken(filling, key.start)).length,
    strayQuotes: filling.sheet.openQuotes().length,
    strayPaths: [...filling.sheet.masked.matchAll(/(?<=^|[\s,])(?:~|\.{1,2})?\/[\w.-]+/g)].length,
    stray: leftovers(filling),
  };
}

function inSchemaOrder(entry: ToolEntry, args: JsonObject): JsonObject {
  return Object.fromEntries(
    entry.slots
      .filter((slot) => Object.hasOwn(args, slot.name))
      .map((slot) => [slot.name, args[slot.name] ?? null]),
  );
}

/** "set the priority of DEMO-3 to high": named fields for an argument that is an object. */
function fillObjects(filling: Filling): void {
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

const COMMON_FIELDS =
  "summary title description priority labels assignee status due_date type name body".split(" ");

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
