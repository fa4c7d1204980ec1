import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { type Slot, splitName, toSlots } from "../slot.ts";
import type { Synonyms } from "./synonyms.ts";
import { type Intent, intentsOfTool, isChanging, nameVerbs } from "./verbs.ts";
import { STOP_WORDS, stemOf, tokenize } from "./words.ts";

/** What the planner knows of one tool, worked out once per catalogue. */
export interface ToolEntry {
  tool: Tool;
  /** What is called: the tool's id and the arguments that select one of the things it does. */
  call: { tool: string; args: JsonObject };
  slots: Slot[];
  intents: Set<Intent>;
  changing: boolean;
  /** Stems of the verb in its name. */
  verbs: Set<string>;
  /** Stems of the things its name speaks of. */
  objects: Set<string>;
  /** Those and what means the same. */
  kin: Set<string>;
  /** Stems of its server's name and title. */
  places: Set<string>;
  /** Stems of its arguments' names. */
  fields: Set<string>;
  /** Stems of all its words. */
  vocabulary: Set<string>;
}

/** `examples` are the sentences that the configuration gives for the tool; `call` as in ToolEntry. */
export function toEntry(
  tool: Tool,
  call: ToolEntry["call"],
  examples: string[],
  synonyms: Synonyms,
): ToolEntry {
  const verbs = nameVerbs(tool);
  const objects = new Set(
    splitName(tool.name)
      .map(stemOf)
      .filter((stem) => !verbs.has(stem)),
  );
  const slots = likeliest(toSlots(tool.inputSchema));
  const fields = new Set(slots.flatMap((slot) => slot.words).map(stemOf));
  const words = tokenize([tool.title ?? "", tool.description, ...examples].join(" "), 400)
    .filter(({ lower }) => !STOP_WORDS.has(lower))
    .map(({ stem }) => stem);
  return {
    tool,
    call,
    slots,
    intents: intentsOfTool(tool),
    changing: isChanging(tool),
    verbs,
    objects,
    kin: new Set([...objects].flatMap((stem) => [stem, ...(synonyms.get(stem) ?? [])])),
    places: new Set(splitName(tool.server).map(stemOf)),
    fields,
    vocabulary: new Set([...objects, ...verbs, ...fields, ...words]),
  };
}

/** A sentence is looked through for each of them, and holds few. */
const MOST_SLOTS = 100;

/** Of very many arguments those that are required, and the first of the others. */
function likeliest(slots: Slot[]): Slot[] {
  if (slots.length <= MOST_SLOTS) return slots;
  const others = slots.filter(({ required }) => !required);
  const kept = new Set([...slots.filter(({ required }) => required), ...others].slice(0, MOST_SLOTS));
  return slots.filter((slot) => kept.has(slot));
}
