import MiniSearch from "minisearch";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Observation, PlannedCommand, ToolExample } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { type Slot, splitName, toSlots, toValue } from "../slot.ts";
import type { Clause } from "./clause.ts";
import { type Intent, intentsOfTool, isChangeVerb, isChanging, isRead, nameVerbs, verbsIn } from "./verbs.ts";
import { createSynonyms, stemOf, STOP_WORDS, type Synonyms, tokenize } from "./words.ts";

/** A catalogue made ready for ranking. */
export interface ToolIndex {
  entries: ToolEntry[];
  /** The tools that do several things, each as one, without any of these selected. */
  wholes: ToolEntry[];
  /** Stems of the things that any tool's name speaks of, with what means the same. */
  things: Set<string>;
  /** How many tools have a required argument of this name. */
  usage: Map<string, number>;
  /** Lexical scores (BM25+) by tool id, the best being 1. */
  rank(clause: Clause): Map<string, number>;
}

interface Document {
  id: string;
  name: string;
  title: string;
  description: string;
  fields: string;
  examples: string;
}

const BOOST = { name: 3, title: 2, description: 1, fields: 0.7, examples: 2 };

/** Builds the index a tool at a time: it rests after each, so that whoever runs it may let others have their turn. */
export function* buildToolIndex(
  tools: Tool[],
  examples: ToolExample[],
  synonyms: Synonyms,
): Generator<void, ToolIndex> {
  const sentencesOf = (tool: Tool): string[] =>
    examples.filter((each) => each.tool === tool.id || each.tool === tool.name).map((each) => each.message);
  const search = new MiniSearch<Document>({
    fields: ["name", "title", "description", "fields", "examples"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term || null,
    searchOptions: { combineWith: "OR", boost: BOOST },
  });
  const entries: ToolEntry[] = [];
  const wholes: ToolEntry[] = [];
  for (const real of tools) {
    const sentences = sentencesOf(real);
    const operations = operationsOf(real);
    for (const { tool, set } of operations) {
      const entry = toEntry(tool, { tool: real.id, args: set }, sentences, synonyms);
      // A server may offer a tool of the name that an operation of another one is given here.
      if (search.has(tool.id)) continue;
      entries.push(entry);
      search.add(toDocument(entry, sentencesOf(tool)));
    }
    if (operations.some(({ tool }) => tool.id !== real.id))
      wholes.push(toEntry(real, { tool: real.id, args: {} }, sentences, synonyms));
    yield;
  }

  return {
    entries,
    wholes,
    things: new Set(entries.flatMap((entry) => [...entry.kin, ...entry.places])),
    usage: countNames(entries),
    rank(clause) {
      const weights = weigh(clause, synonyms);
      if (weights.size === 0) return new Map();
      const found = search.search([...weights.keys()].join(" "), {
        boostTerm: (term) => weights.get(term) ?? 1,
      });
      const best = found[0]?.score ?? 1;
      return new Map(found.map(({ id, score }) => [String(id), score / best]));
    },
  };
}

function countNames(entries: ToolEntry[]): Map<string, number> {
  const usage = new Map<string, number>();
  for (const { slots } of entries)
    for (const slot of slots) if (slot.required) usage.set(slot.name, (usage.get(slot.name) ?? 0) + 1);
  return usage;
}

function toDocument(entry: ToolEntry, examples: string[]): Document {
  const { tool } = entry;
  return {
    id: tool.id,
    name: [...entry.objects, ...entry.verbs, ...entry.places].join(" "),
    title: stems(tool.title ?? ""),
    description: stems(tool.description),
    fields: [...entry.fields, ...entry.slots.map((slot) => stems(slot.description))].join(" "),
    examples: examples.map(stems).join(" "),
  };
}

function stems(text: string): string {
  return tokenize(text, 400)
    .map(({ stem }) => stem)
    .join(" ");
}

/** What is searched for or said counts little beside what is asked for. */
function weigh(clause: Clause, synonyms: Synonyms): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (stem: string, weight: number): void => {
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  for (const token of clause.tokens.slice(0, 60)) {
    const quiet = token.start >= Math.min(clause.topic?.start ?? Infinity, clause.tail?.start ?? Infinity);
    const weight = quiet ? 0.15 : 1;
    if (STOP_WORDS.has(token.lower) || /^\p{L}+-\d+$/u.test(token.text)) continue;
    add(token.stem, weight);
    if (!quiet) for (const other of synonyms.get(token.stem) ?? []) add(other, weight * 0.6);
  }
  return weights;
}

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

/** One thing that a tool does. Of a tool that does one thing only, the tool itself. */
export interface Operation {
  /** As if it were a tool of its own, with a name, a description and arguments of its own. */
  tool: Tool;
  /** The arguments that make the real tool do it. */
  set: JsonObject;
}

/** Arguments that say what a tool shall do. */
const SELECTORS = ["action", "operation", "op", "command", "method", "task"];
const MAX_OPERATIONS = 40;

/**
 * What a tool can do. Some servers have few tools for many things, told apart by a required argument such
 * as `action`, whose description says what each of its values does, and those of the other arguments
 * for which they are required. Never throws, whatever the schema holds.
 */
export function operationsOf(tool: Tool): Operation[] {
  const slots = toSlots(tool.inputSchema);
  const selector = slots.find(
    ({ name, kind, required }) => required && kind === "enum" && SELECTORS.includes(name.toLowerCase()),
  );
  const values = selector?.values ?? [];
  if (selector === undefined || values.length < 2 || values.length > MAX_OPERATIONS)
    return [{ tool, set: {} }];
  return values.map((value) => {
    const said = saidOf(selector, value);
    const reads = readsOnly(tool.name, value, said);
    const name = nameOf(tool, value, said, reads);
    const { title: _, ...rest } = tool;
    const [about = ""] = tool.description.split(/(?<=[.!?])\s/, 1);
    const description = said === "" ? about : `${said}. ${about}`;
    const inputSchema = schemaOf(tool.inputSchema, slots, selector, value, reads);
    return {
      tool: {
        ...rest,
        id: `${tool.id}#${value}`,
        name,
        description,
        inputSchema,
        // What the server says of the whole tool goes first.
        annotations: { readOnlyHint: reads, ...tool.annotations },
      },
      set: { [selector.name]: value },
    };
  });
}

/** What the selector's description says of a value: "get: fetch an issue; create: a new issue". */
function saidOf({ description }: Slot, value: string): string {
  const parts = description.split(/[;\n]|\.\s/).map((part) => part.trim());
  const part = parts.find((each) => each.toLowerCase().startsWith(`${value.toLowerCase()}:`));
  return part === undefined ? "" : part.slice(value.length + 1).trim();
}

/**
 * `get` of `jira_issues` is `get_jira_issues`, and of `jira_view` too: a verb of the value leads. Where only
 * the tool's own name has the verb, its values are things: `projects` of `jira_search`, of which is said
 * "list all", is `list_projects_jira`.
 */
function nameOf(tool: Tool, value: string, said: string, reads: boolean): string {
  const own = splitName(tool.name);
  const words = splitName(value);
  const verb = own.find((word) => verbsIn(word).length > 0);
  const things = thingsOf(own);
  if (beginsWithVerb(value)) {
    // `mark_read` does not read.
    const [first = "", ...others] = words;
    return [first, ...others.filter((word) => reads || !isReadVerb(word)), ...things].join("_");
  }
  if (verb === undefined || (!reads && isReadVerb(verb))) return [...words, ...things].join("_");
  const first = splitName(said).find((word) => verbsIn(word).length > 0);
  return [first ?? verb, ...words, ...own.filter((word) => word !== verb)].join("_");
}

/** At the end a verb is a noun: `issue_comment` is about comments, and does not comment. */
function thingsOf(own: readonly string[]): string[] {
  const isVerb = (word: string): boolean => verbsIn(word).length > 0;
  const last = own.at(-1) ?? "";
  const things = own.filter((word) => !isVerb(word));
  if (own.length < 2 || !isVerb(last)) return things;
  return [...things, `${last.replace(/y$/, "ie").replace(/(?<=ch|sh|[sx])$/, "e")}s`];
}

function isReadVerb(word: string): boolean {
  const intents = verbsIn(word);
  return intents.length > 0 && intents.every(isRead);
}

function schemaOf(
  schema: JsonSchema,
  slots: readonly Slot[],
  selector: Slot,
  value: string,
  reads: boolean,
): JsonSchema {
  const others = slots.filter(({ name }) => name !== selector.name);
  const taken = others.filter((slot) => {
    const isForOthers =
      /\brequired for\b/i.test(slot.description) && !isFor("required|optional", slot, value);
    return !isForOthers || (!reads && !["key", "id", "code"].includes(slot.kind));
  });
  const properties = schema.properties as JsonObject;
  return {
    type: "object",
    properties: Object.fromEntries(taken.map(({ name }) => [name, properties[name] ?? {}])),
    required: taken.filter((slot) => slot.required || isFor("required", slot, value)).map(({ name }) => name),
  };
}

/** "Required for: get, update" */
function isFor(how: string, { description }: Slot, value: string): boolean {
  const lists = description.matchAll(new RegExp(`\\b(?:${how}) for:?\\s+([^.;]*)`, "gi"));
  return [...lists].some(([, list = ""]) => list.split(/[^\w-]+/).includes(value));
}

const LOOKS =
  /^(?:get|show|read|fetch|describe|view|retrieve|list|enumerate|search|find|query|lookup|export|download|display|inspect|count|peek|see|ls)$/;
/** Words that are a change wherever they stand, in the word itself or as a description says it. */
const CHANGES =
  /\b(?:delete|remove|drop|destroy|erase|purge|truncate|create|update|insert|modify|overwrite|mark|send)s?\b/i;
/** What a read lists may be a verb as well; these are read where the tool's own name says that it reads. */
const READ_OF_A_READ = /^(?:select|all|one|by|status|info|details)$/;

/**
 * Whether an operation only reads: its value has a verb that looks, or is a thing that a tool whose name
 * looks can look at, or its description begins with such a verb; and neither has one that changes. `said`
 * is what the selector's description says of the value. A word that is not known may change something.
 */
function readsOnly(toolName: string, value: string, said: string): boolean {
  const words = splitName(value);
  const [first = ""] = words;
  if (CHANGES.test(words.join(" ")) || isChangeVerb(first)) return false;
  // "fetch_and_run"
  if (words.some((word, at) => /^(?:and|or|then)$/.test(words[at - 1] ?? "") && isChangeVerb(word)))
    return false;
  const steps = said.split(/[,;]|\b(?:and|or|then)\b/).map((step) => splitName(step)[0] ?? "");
  if (CHANGES.test(said) || steps.some((step) => isChangeVerb(step))) return false;
  if (looks(first) || looks(steps[0] ?? "")) return true;
  const isSeen = READ_OF_A_READ.test(first) || isThing(first, toolName);
  return isSeen && (words.some(looks) || hasReadVerb(toolName));
}

/** Whether the value says itself what is done: it begins with a verb. */
function beginsWithVerb(value: string): boolean {
  const [first = ""] = splitName(value);
  return looks(first) || isChangeVerb(first) || verbsIn(first).length > 0;
}

function looks(word: string): boolean {
  return LOOKS.test(word) || LOOKS.test(word.replace(/(?:es|s)$/, ""));
}

function hasReadVerb(name: string): boolean {
  const verbs = verbsIn(name);
  return verbs.length > 0 && verbs.every(isRead);
}

/** More than one of them, a thing that teams at work speak of, or one that the tool's own name speaks of. */
function isThing(word: string, toolName: string): boolean {
  return (
    /[a-z]{2}[^s]s$/.test(word) ||
    splitName(toolName).some((own) => stemOf(own) === stemOf(word)) ||
    THINGS.has(stemOf(word))
  );
}

const THINGS: ReadonlySet<string> = new Set(createSynonyms().keys());

const NOT_FOUND = /not found|no such|does(?: not|n't) exist|unknown|404|enoent|cannot find|could not find/i;

function errorOf({ permit, error, facts }: Observation): string {
  return permit === undefined || error === undefined ? (facts.error ?? "") : error.reveal(permit);
}

/**
 * One more step where another tool may mend the last: a thing that a read did not find under its key is
 * searched for on the same server, once.
 */
export function mend(observations: readonly Observation[], index: ToolIndex): PlannedCommand | undefined {
  const last = observations.at(-1);
  if (!last || last.ok || observations.length > 1) return undefined;
  const failed = index.entries.find(
    ({ call }) =>
      call.tool === last.tool &&
      Object.entries(call.args).every(([name, value]) => last.args[name] === value),
  );
  if (!failed || failed.changing || !NOT_FOUND.test(errorOf(last))) return undefined;
  const [text] = Object.entries(last.args)
    .filter(([name]) => !Object.hasOwn(failed.call.args, name))
    .map(([, value]) => value)
    .filter((value) => typeof value === "string");
  if (text === undefined) return undefined;
  for (const entry of index.entries) {
    const related =
      entry.tool.server === failed.tool.server && [...entry.kin].some((stem) => failed.kin.has(stem));
    const slot = entry.slots.find((each) => each.kind === "query");
    const others = entry.slots.some((each) => each.required && each !== slot);
    if (!related || !slot || others || entry.changing || !entry.intents.has("search")) continue;
    return {
      command: "QUERY",
      tool: entry.call.tool,
      args: { ...entry.call.args, [slot.name]: toValue(slot, text) },
    };
  }
  return undefined;
}
