import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";

import type { ConfigDocument, Substituted } from "./document.ts";
import { type ConfigProblem, foundText, type Path, pathText } from "./problem.ts";
import { fileSchema } from "./schema.ts";

/** Where problems are looked up: the file's name, its text and its data with the environment filled in. */
export interface ProblemContext {
  file: string;
  document: ConfigDocument;
  substituted: Substituted;
}

/** How many issues become problems; further ones are counted. */
const LOOKED_AT = 200;

/** A problem at a path of the file. */
export function problemAt(
  context: ProblemContext,
  path: Path,
  text: { expected: string; fix?: string },
): ConfigProblem {
  const { file, document, substituted } = context;
  const fromEnvironment = substituted.replaced.has(JSON.stringify(path));
  return {
    file,
    ...document.placeOf(path),
    path: pathText(path),
    found: foundText(valueAt(substituted.data, path), path, fromEnvironment),
    ...text,
  };
}

/** What zod found, as problems: one for each unknown key, one for each other issue. */
export function problemsOfIssues(
  context: ProblemContext,
  issues: readonly z.core.$ZodIssue[],
): ConfigProblem[] {
  const keysAt = rememberedKeys();
  return issues.slice(0, LOOKED_AT).flatMap((issue) => {
    const path = toPath(issue.path);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.slice(0, LOOKED_AT).map((key) => unknownKey(context, path, key, keysAt(path)));
    }
    if (issue.code === "invalid_key") return [invalidKey(context, path, issue)];
    return [problemAt(context, path, { expected: expectedText(issue), ...fixOf(issue, context, path) })];
  });
}

function toPath(path: readonly PropertyKey[]): Path {
  return path.map((part) => (typeof part === "symbol" ? String(part) : part));
}

/** How many problems there are, also those that `problemsOfIssues` leaves out. */
export function countProblems(issues: readonly z.core.$ZodIssue[]): number {
  let count = 0;
  for (const issue of issues) count += issue.code === "unrecognized_keys" ? issue.keys.length : 1;
  return count;
}

function unknownKey(
  context: ProblemContext,
  path: Path,
  key: string,
  known: readonly string[],
): ConfigProblem {
  const nearest = known.length === 0 || key.length > 60 ? undefined : closest(key, known);
  const near = nearest !== undefined && distance(key, nearest) <= Math.max(2, Math.floor(key.length / 3));
  return {
    file: context.file,
    ...context.document.placeOfKey(path, key),
    path: pathText([...path, key]),
    expected: "a known key",
    found: JSON.stringify(key.slice(0, 60)),
    fix: near ? `did you mean \`${nearest}\`?` : `known here: ${known.join(", ")}`,
  };
}

function invalidKey(context: ProblemContext, path: Path, issue: z.core.$ZodIssueInvalidKey): ConfigProblem {
  const key = String(path.at(-1) ?? "");
  return {
    file: context.file,
    ...context.document.placeOfKey(path.slice(0, -1), key),
    path: pathText(path),
    expected: issue.issues.map((inner) => expectedText(inner)).join(" and "),
    found: JSON.stringify(key.slice(0, 60)),
  };
}

/** The messages in the schemas say what is expected; zod's own are put into the same form here. */
function expectedText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeNames[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return own(issue) ?? `at least ${issue.minimum}${unitOf(issue.origin, issue.minimum)}`;
    case "too_big":
      return own(issue) ?? `at most ${issue.maximum}${unitOf(issue.origin, issue.maximum)}`;
    default:
      return issue.message;
  }
}

/** The message of a schema; zod's own start with a word of their own. */
function own(issue: z.core.$ZodIssue): string | undefined {
  return /^(Too|Invalid|Unrecognized)\b/.test(issue.message) ? undefined : issue.message;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function unitOf(origin: string, count: number | bigint): string {
  const unit = { string: "character", array: "entry" }[origin];
  if (unit === undefined) return "";
  if (count === 1) return ` ${unit}`;
  return unit === "entry" ? " entries" : ` ${unit}s`;
}

function fixOf(issue: z.core.$ZodIssue, context: ProblemContext, path: Path): { fix?: string } {
  const value = valueAt(context.substituted.data, path);
  if (value === null) return { fix: "remove the key or give it a value" };
  if (issue.code !== "invalid_value" || typeof value !== "string") return {};
  const values = issue.values.map(String);
  const nearest = closest(value.slice(0, 60), values);
  return distance(value.slice(0, 60), nearest) <= 3 ? { fix: `did you mean \`${nearest}\`?` } : {};
}

/** The value at a path, or `undefined` where there is none. */
function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
}

/** The keys that the schema knows at a path; the schema is written out once, which takes a while. */
function rememberedKeys(): (path: Path) => string[] {
  let schema: SchemaNode | undefined;
  return (path) => {
    schema ??= z.toJSONSchema(fileSchema, { io: "input" }) as SchemaNode;
    return knownKeys(schema, path);
  };
}

function knownKeys(schema: SchemaNode, path: Path): string[] {
  let node: SchemaNode | undefined = schema;
  for (const part of path) {
    if (typeof part === "number") node = node?.items;
    else {
      const further = node?.additionalProperties;
      node = node?.properties?.[part] ?? (typeof further === "object" ? further : undefined);
    }
  }
  return Object.keys(node?.properties ?? {}).filter((key) => key !== "$schema");
}

/** The environment knows only text: what it put where a number or truth value belongs is read as one. */
export function withTypedReplacements(
  substituted: Substituted,
  issues: readonly z.core.$ZodIssue[],
): Substituted {
  const data: unknown = structuredClone(substituted.data);
  for (const issue of issues) {
    if (issue.code !== "invalid_type" || !substituted.replaced.has(JSON.stringify(issue.path))) continue;
    const parent = valueAt(data, issue.path.slice(0, -1).map(keyOf));
    const key = keyOf(issue.path.at(-1) ?? "");
    const typed = readAs(issue.expected, valueAt(data, issue.path.map(keyOf)));
    if (typed === undefined || typeof parent !== "object" || parent === null) continue;
    Object.defineProperty(parent, key, { value: typed });
  }
  return { ...substituted, data };
}

function keyOf(part: PropertyKey): string | number {
  return typeof part === "symbol" ? String(part) : part;
}

function readAs(expected: string, value: unknown): number | boolean | undefined {
  if (typeof value !== "string") return undefined;
  if (expected === "boolean" && /^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
  if (/^(number|int)$/.test(expected) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return undefined;
}
