import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";

import { CountersignError, messageOf } from "./errors.ts";
import { canonicalJson, isObject } from "./json.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

/** What checking a value found. `unchecked` says why it was given up. */
export type SchemaResult = { errors: ErrorObject[] } | { unchecked: string };

export interface SchemaCheck {
  /** What the schema asks for and is not looked at. */
  readonly ignored: readonly string[];
  /** Never throws. With `defaults` it fills those in. */
  check: (value: JsonValue) => SchemaResult;
}

/** Subschemas: so many take Ajv up to 0.15 s, once. */
const mostSubschemas = 400;
/** Characters and instructions of all patterns together: they take 40 ms to compile, and 4 MB as long as they are kept. */
const mostOfPatterns = 10_000;
/** Values in `enum`, `const` and lists of names, all together. */
const mostListed = 20_000;
const mostDepth = 64;
/** Subschemas met, texts looked through and values compared, in one check; takes some 20 ms. */
const mostWork = 500_000;
const mostErrors = 1_000;
const longestFormatted = 2_048;

/**
 * Schemas are other people's: any dialect, unknown keywords, references in circles, expressions and
 * lists made to take for ever. Compiling one and checking by it takes a bounded time; what is beyond
 * that is left unchecked, as the server looks at its arguments itself.
 * Throws `bad_schema` where nothing of it can be used.
 */
export function compileSchema(
  schema: JsonSchema,
  { defaults = false, all = true }: { defaults?: boolean; all?: boolean } = {},
): SchemaCheck {
  const { $schema: dialect, $async: asynchronous, ...body } = schema;
  if (asynchronous !== undefined) throw badSchema("it is asynchronous");
  const ignored: string[] = [];
  const meter = new Meter();
  const patternOf = createPatterns();
  const old = typeof dialect === "string" && /draft-0[4-7]/.test(dialect);
  const ajv = new (old ? Ajv : Ajv2020)({
    strict: false,
    allErrors: all,
    useDefaults: defaults,
    logger: false,
    validateSchema: false,
    meta: false,
    // One that is referred to a thousand times is compiled once.
    inlineRefs: false,
    code: { regExp: meteredRegExp(meter, patternOf) },
  });
  addGuards(ajv, meter);
  let validate: ReturnType<Ajv["compile"]>;
  try {
    validate = ajv.compile(tame(body, patternOf, ignored));
  } catch (error) {
    throw error instanceof CountersignError ? error : badSchema(messageOf(error));
  }
  return {
    ignored,
    check(value) {
      meter.reset();
      try {
        if (validate(value)) return { errors: [] };
        return { errors: (validate.errors ?? []).slice(0, mostErrors) };
      } catch (error) {
        // Too much work, or a stack that a circle of references used up.
        return { unchecked: messageOf(error) };
      }
    },
  };
}

/** Ends a check that would take too long. */
class Meter {
  #left = 0;

  reset(): void {
    this.#left = mostWork;
  }

  charge(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new Error("checking it takes too long");
  }
}

function meteredRegExp(
  meter: Meter,
  patternOf: PatternOf,
): NonNullable<NonNullable<Options["code"]>["regExp"]> {
  const build = (source: string): { test: (text: string) => boolean; toString: () => string } => {
    const pattern = patternOf(source);
    return {
      // Ajv keeps them by what this says.
      toString: () => source,
      test(text) {
        if (pattern === undefined) return true;
        const steps = pattern.steps(text);
        meter.charge(steps / 4);
        return pattern.matches(text) ?? true;
      },
    };
  };
  // Only for code that is written to a file.
  return Object.assign(build, { code: "" });
}

/** A pattern made ready; undefined for one that is not run. */
type PatternOf = (source: string) => Pattern | undefined;

/** The patterns of one schema, each compiled once. */
function createPatterns(): PatternOf {
  const known = new Map<string, Pattern | undefined>();
  let left = mostOfPatterns;

  function compile(source: string): Pattern | undefined {
    left -= source.length;
    if (left < 0) return undefined;
    try {
      const pattern = compilePattern(source);
      left -= pattern.size;
      return left < 0 ? undefined : pattern;
    } catch {
      return undefined;
    }
  }

  return (source) => {
    if (!known.has(source)) known.set(source, compile(source));
    return known.get(source);
  };
}

/** Stands in every subschema: what it costs to look at one value by it. */
const costKeyword = "x-countersign-cost";

function addGuards(ajv: Ajv, meter: Meter): void {
  const cost: FuncKeywordDefinition = {
    keyword: costKeyword,
    schemaType: "number",
    errors: false,
    before: "$ref",
    compile: (weight: number) => (value: unknown) => {
      meter.charge(weight + sizeOf(value));
      return true;
    },
  };
  ajv.addKeyword(cost);
  // Ajv's own compares every pair.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    compile: (isWanted: boolean) => (items: unknown[]) => {
      if (!isWanted) return true;
      const written = items.map((item) => {
        const text = canonicalJson(item);
        meter.charge(1 + text.length / 16);
        return text;
      });
      return new Set(written).size === items.length;
    },
  });
  for (const name of textFormats) {
    const isValid = toTest(addFormats.default.get(name));
    ajv.addFormat(name, (text: string) => {
      meter.charge(text.length);
      return text.length > longestFormatted || isValid(text);
    });
  }
  ajv.addFormat("url", (text: string) => text.length > longestFormatted || URL.canParse(text));
  ajv.addFormat("regex", true);
  for (const name of ["int32", "int64", "float", "double", "password", "binary"] as const)
    ajv.addFormat(name, addFormats.default.get(name));
}

/** Those of texts are an expression or a function, or hold one. */
function toTest(given: unknown): (text: string) => boolean {
  const format = isObject(given) && "validate" in given ? given.validate : given;
  if (format instanceof RegExp) return (text) => text.search(format) !== -1;
  return (text) => typeof format !== "function" || Reflect.apply(format, undefined, [text]) === true;
}

const textFormats = `
  date time date-time iso-time iso-date-time duration uri uri-reference uri-template email
  hostname ipv4 ipv6 uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte`
  .trim()
  .split(/\s+/) as FormatName[];

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length / 16;
  if (Array.isArray(value)) return value.length / 4;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Their values are data, not schemas. */
const dataKeywords = new Set(["const", "default", "dependentRequired", "enum"]);
/** Nothing is checked by them, and examples may be large. */
const annotations = new Set(["$comment", "description", "examples", "title"]);
/** Their values are schemas by names that people choose. */
const mapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/**
 * A copy with its cost in every subschema, and without the expressions that cannot be run. Throws
 * `bad_schema` where it is too large, too deep, or refers to where no cost can stand.
 */
function tame(schema: JsonSchema, patternOf: PatternOf, ignored: string[]): JsonSchema {
  let subschemas = 0;
  let listed = 0;

  function walk(value: JsonValue, depth: number): JsonValue {
    if (depth > mostDepth) throw badSchema(`it is nested more than ${mostDepth} levels deep`);
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    if (typeof value !== "object" || value === null) return value;
    subschemas += 1;
    if (subschemas > mostSubschemas) throw badSchema(`it has more than ${mostSubschemas} subschemas`);
    const before = listed;
    const own = Object.entries(value).flatMap(([keyword, part]) => member(keyword, part, depth));
    const weight = 1 + own.length + listed - before;
    const named = own.some(([keyword]) => keyword === "patternProperties");
    const lost = !named && Object.hasOwn(value, "patternProperties");
    // Which properties an expression left out would have named is not known.
    const kept = lost
      ? own.filter(([keyword]) => !/^(?:additional|unevaluated)Properties$/.test(keyword))
      : own;
    return Object.fromEntries([...kept, [costKeyword, weight]]);
  }

  function member(keyword: string, part: JsonValue, depth: number): [string, JsonValue][] {
    if (annotations.has(keyword)) return [];
    if (keyword === "$ref" || keyword === "$dynamicRef" || keyword === "$recursiveRef") {
      if (typeof part !== "string" || /%|\/(?:const|default|enum)(?:\/|$)/.test(part))
        throw badSchema("it refers to data as if that were a schema");
      return [[keyword, part]];
    }
    if (keyword === "pattern" && typeof part === "string") return isRun(part) ? [[keyword, part]] : [];
    if (dataKeywords.has(keyword) || isNames(part)) {
      listed += countValues(part, mostListed - listed);
      if (listed > mostListed) throw badSchema(`it lists more than ${mostListed} values`);
      return [[keyword, part]];
    }
    if (!mapKeywords.has(keyword)) return [[keyword, walk(part, depth + 1)]];
    if (!isObject(part)) return [];
    if (keyword === "patternProperties" && !Object.keys(part).every((source) => isRun(source))) return [];
    return [[keyword, walkMap(part, depth + 1)]];
  }

  function walkMap(map: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(map).filter(
      ([, part]) => isObject(part) || typeof part === "boolean" || isNames(part),
    );
    return Object.fromEntries(
      entries.map(([name, part]) => [name, isNames(part) ? part : walk(part, depth)]),
    );
  }

  function isRun(source: string): boolean {
    if (patternOf(source) !== undefined) return true;
    ignored.push(`the pattern ${JSON.stringify(source.slice(0, 60))}`);
    return false;
  }

  return walk(schema, 0) as JsonSchema;
}

/** A list without any object or list in it, such as `required`. */
function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}

/** How many values there are in one, counted up to a limit. */
function countValues(value: JsonValue, limit: number): number {
  let count = 0;
  const open: JsonValue[] = [value];
  while (open.length > 0 && count <= limit) {
    const next = open.pop();
    count += 1;
    if (typeof next !== "object" || next === null) continue;
    for (const item of Object.values(next)) open.push(item);
  }
  return count;
}

function badSchema(why: string): CountersignError {
  return new CountersignError("bad_schema", `The schema cannot be used: ${why}.`);
}
