import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { type Slot, splitName, toSlots } from "../slot.ts";
import { isChangeVerb, isRead, verbsIn } from "./verbs.ts";
import { stemOf, THINGS } from "./words.ts";

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

/** Whether an argument that may be left out says which of several things a tool does: `operation` of "add, set, remove". */
export function isSelector({ name, kind, values, required }: Slot): boolean {
  const isVerb = (value: string): boolean => verbsIn(value).length > 0 || isChangeVerb(value.toLowerCase());
  return (
    !required &&
    kind === "enum" &&
    values.length > 1 &&
    SELECTORS.includes(name.toLowerCase()) &&
    values.every(isVerb)
  );
}

/** The verbs that people say for a value of such an argument. */
export function selectedBy(value: string): string[] {
  return value === "remove" || value === "delete" ? ["remove", "delete", "drop", "clear"] : [value];
}

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
