import type { JsonObject } from "#contract/json.ts";

import type { Clause } from "./clause.ts";
import type { ToolEntry } from "./entry.ts";
import { fillCodes, fillForms, fillIds, fillKeys, fillNumbers } from "./fill-entities.ts";
import { fillNames } from "./fill-names.ts";
import { fillPeople } from "./fill-people.ts";
import { fillObjects } from "./fill-objects.ts";
import { fillQuery, fillTexts, leftovers } from "./fill-text.ts";
import { fillChoices, fillDates, fillLists, fillStatus, fillSwitches } from "./fill-words.ts";
import { type Filling, type Surroundings, isTaken } from "./filling.ts";
import { createSheet } from "./sheet.ts";
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
export function fill(entry: ToolEntry, clause: Clause, around: Surroundings): Filled {
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
