import type { JsonSchema, JsonValue } from "#contract/json.ts";

import { jsonFault } from "../base/json.ts";
import { compilePattern, type Pattern } from "../base/pattern.ts";

/**
 * What an argument is for, read from its schema, name and description: `key` is an issue-like key
 * (DEMO-12), `keys` several of them, `code` a short capital code (DEMO), `id` one token, `choice` one of a few words that the
 * schema does not list, `text` anything.
 */
type SlotKind =
  | "key"
  | "keys"
  | "code"
  | "id"
  | "person"
  | "status"
  | "choice"
  | "query"
  | "title"
  | "body"
  | "path"
  | "url"
  | "email"
  | "date"
  | "date-time"
  | "integer"
  | "number"
  | "boolean"
  | "enum"
  | "list"
  | "object"
  | "cursor"
  | "text";

/** One argument of a tool. */
export interface Slot {
  name: string;
  /** The name in lower-case words: `issue_key` and `issueKey` are `issue`, `key`. */
  words: string[];
  description: string;
  required: boolean;
  kind: SlotKind;
  /** The values of the schema's enum, as strings; a list's slot has those of its items. */
  values: string[];
  /** The JSON type of a list's items, where the schema says it. */
  items?: string;
  /** The schema's examples that are strings. */
  examples: string[];
  pattern?: Pick<Pattern, "matches"> | undefined;
  /** Of an object's own properties, or those of a list's items. */
  nested: Slot[];
}

const ISSUE_KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;
const MAX_NESTING = 3;

/** The arguments of a schema in its own order. Never throws, whatever the schema holds. */
export function toSlots(schema: JsonSchema, depth = 0): Slot[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(objectOf(schema.properties)).map(([name, property]) =>
    toSlot(name, objectOf(property), required.has(name), depth),
  );
}

/** The kind of record that an argument takes the key of, by its name: "epic" for `epic_key`. */
export function recordOf({ kind, words }: Pick<Slot, "kind" | "words">): string | undefined {
  const named = words.filter((word) => !/^(?:keys?|ids?|or|number|code)$/.test(word));
  return kind === "key" && named.length > 0 ? named.join(" ") : undefined;
}

function toSlot(name: string, property: JsonSchema, required: boolean, depth: number): Slot {
  const schema = simplify(property);
  const description = textOf(property.description) || textOf(schema.description);
  const words = splitName(name);
  const kind = kindOf(words, schema, description);
  const values = kind === "list" ? enumOf(simplify(objectOf(schema.items))) : enumOf(schema);
  const pattern = toPattern(schema.pattern);
  const items = schema.items === undefined ? "" : textOf(simplify(objectOf(schema.items)).type);
  return {
    name,
    words,
    description,
    required,
    kind,
    values,
    examples: stringsOf([property.examples, schema.examples, objectOf(schema.items).examples].flat()),
    ...(pattern ? { pattern } : {}),
    ...(items === "" ? {} : { items }),
    nested:
      depth < MAX_NESTING && (kind === "object" || items === "object")
        ? toSlots(kind === "object" ? schema : simplify(objectOf(schema.items)), depth + 1)
        : [],
  };
}

export function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** The branch of a union that is not null. */
function simplify(schema: JsonSchema): JsonSchema {
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(union)) continue;
    const branch = union.map(objectOf).find((each) => each.type !== "null");
    if (branch) return branch;
  }
  return schema;
}

function kindOf(words: string[], schema: JsonSchema, description: string): SlotKind {
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  const types = [schema.type].flat();
  const type = types.find((each) => each !== "null") ?? (schema.properties ? "object" : "string");
  if (enumOf(schema).length > 0) return "enum";
  if (type === "integer" || type === "number" || type === "boolean" || type === "object") return type;
  if (has("keys") && !has("project", "space", "api") && (type === "array" || type === "string"))
    return "keys";
  if (type === "array") return "list";
  return stringKind(words, schema, description);
}

function stringKind(words: string[], schema: JsonSchema, description: string): SlotKind {
  const last = words.at(-1) ?? "";
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  if (schema.format === "date" || schema.format === "date-time" || schema.format === "email")
    return schema.format;
  if (schema.format === "uri" || last === "url" || last === "uri" || last === "link") return "url";
  if (
    has("path", "file", "filename", "directory", "dir", "folder") ||
    ((last === "source" || last === "destination") &&
      (description === "" || /path|file|folder|director/i.test(description)))
  )
    return "path";
  if (
    has("epic", "parent", "issue") &&
    (isKeyExample(schema, description) || /\bissue key\b/i.test(description))
  )
    return "key";
  if (has("cursor", "token") || words.join(" ") === "page token") return "cursor";
  if (has("query", "search", "keyword", "keywords", "term", "question", "q")) return "query";
  if (has("assignee", "owner", "person", "user", "reporter", "author", "member", "username")) return "person";
  if (has("status", "state", "stage")) return "status";
  if (has("priority", "severity", "type", "kind", "category", "resolution")) return "choice";
  if (last === "key") return isKeyLike(words, schema, description) ? "key" : "code";
  if (has("email") || (/^(?:to|cc|bcc|recipient)$/.test(last) && /\be-?mail address/i.test(description)))
    return "email";
  if (last === "date" || last === "due" || last === "deadline") return "date";
  if (last === "id" || last === "ids" || last === "uuid" || last === "number") return "id";
  if (has("project", "space", "repo", "board") || last === "team") return "code";
  if (has("title", "summary", "subject", "headline", "name")) return "title";
  if (has("body", "content", "text", "message", "comment", "description", "note", "markdown")) return "body";
  return "text";
}

function isKeyExample(schema: JsonSchema, description: string): boolean {
  return /\b[A-Z][A-Z0-9]*-\d+\b/.test([description, ...stringsOf([schema.examples].flat())].join(" "));
}

function isKeyLike(words: string[], schema: JsonSchema, description: string): boolean {
  const isKey = toPattern(schema.pattern)?.matches("DEMO-12");
  if (isKey !== undefined) return isKey;
  if (["project", "space", "api", "team", "board"].some((word) => words.includes(word))) return false;
  return isKeyExample(schema, description) || !/\b(?:api|secret)\b/i.test(description);
}

/** Whether a text can be the slot's value; false only where it plainly is not. */
export function fits(slot: Slot, value: string): boolean {
  const text = value.trim();
  if (text === "") return false;
  if (slot.kind === "enum") return slot.values.some((each) => sameWord(each, text));
  if (
    slot.pattern &&
    text.length <= 200 &&
    slot.pattern.matches(text) === false &&
    slot.pattern.matches(text.toUpperCase()) === false
  )
    return false;
  switch (slot.kind) {
    case "key":
      return ISSUE_KEY.test(text);
    case "code":
      return /^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(text);
    case "id":
    case "path":
    case "cursor":
      return !/\s/.test(text);
    case "url":
      return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text);
    case "email":
      return /^\S+@\S+$/.test(text);
    case "integer":
      return /^[+-]?\d+$/.test(text);
    case "number":
      return Number.isFinite(Number(text));
    case "boolean":
      return /^(true|false|yes|no|on|off)$/i.test(text);
    case "date":
    case "date-time":
      return /\d/.test(text);
    case "object":
      return text.startsWith("{");
    default:
      return true;
  }
}

/** A text as a value of the slot's type; the text itself where it does not fit, for the schema to judge. */
export function toValue(slot: Slot, text: string): JsonValue {
  const trimmed = text.trim();
  if (!fits(slot, text) && slot.kind !== "list") return trimmed;
  switch (slot.kind) {
    case "integer":
    case "number":
      return Number(trimmed);
    case "boolean":
      return /^(true|yes|on)$/i.test(trimmed);
    case "enum":
      return slot.values.find((each) => sameWord(each, trimmed)) ?? trimmed;
    case "key":
      return trimmed.toUpperCase();
    case "code":
      return upperCodes(slot) ? trimmed.toUpperCase() : trimmed;
    case "list":
      return (
        jsonList(trimmed) ??
        trimmed
          .split(/\s*,\s*/)
          .filter((item) => item !== "")
          .map((item) => slot.values.find((each) => sameWord(each, item)) ?? item)
      );
    case "object":
      try {
        const value = JSON.parse(trimmed) as JsonValue;
        return jsonFault(value) === undefined ? value : trimmed;
      } catch {
        return trimmed;
      }
    default:
      return trimmed;
  }
}

/** A list that is written as JSON; lists of anything but words can be given no other way. */
function jsonList(text: string): JsonValue[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return Array.isArray(value) && jsonFault(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the slot's codes are written in capitals: its pattern or its description says so. */
export function upperCodes(slot: Slot): boolean {
  const takesCapitals = slot.pattern?.matches("DEMO");
  if (takesCapitals !== undefined) return takesCapitals && slot.pattern?.matches("demo") === false;
  if (slot.examples.length > 0) return slot.examples.every((each) => /^[A-Z][A-Z0-9_]*$/.test(each));
  return /\b[A-Z]{2,10}\b/.test(slot.description.replace(/\b(API|URL|ID|JSON|JQL|CQL|HTML|REST|MCP)\b/g, ""));
}

/** Equal but for case, spaces, dashes and underscores. */
export function sameWord(one: string, other: string): boolean {
  return one.toLowerCase().replace(/[\s_-]/g, "") === other.toLowerCase().replace(/[\s_-]/g, "");
}

function enumOf(schema: JsonSchema): string[] {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const];
  return stringsOf(values);
}

function stringsOf(values: (JsonValue | undefined)[]): string[] {
  return values.filter((value) => typeof value === "string");
}

const slotPattern = { length: 200, size: 200, steps: 100_000 };

/**
 * Compiled when it is first asked: slots are made of every tool of a catalogue, and an engine for each of their
 * patterns would take gigabytes of a large one. One that cannot be run says nothing of any text.
 */
function toPattern(source: JsonValue | undefined): Slot["pattern"] {
  if (typeof source !== "string") return undefined;
  return { matches: (text) => compiled(source)?.matches(text) };
}

const compiledLately = new Map<string, Pattern | undefined>();
const MOST_COMPILED = 50;

function compiled(source: string): Pattern | undefined {
  if (compiledLately.has(source)) return compiledLately.get(source);
  if (compiledLately.size >= MOST_COMPILED) compiledLately.clear();
  let pattern: Pattern | undefined;
  try {
    pattern = compilePattern(source, slotPattern);
  } catch {
    pattern = undefined;
  }
  compiledLately.set(source, pattern);
  return pattern;
}

function objectOf(value: JsonValue | undefined): JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
