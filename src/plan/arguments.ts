import type { ErrorObject } from "ajv";

import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { type JsonFault, jsonFault } from "../base/json.ts";
import { compileSchema } from "../base/schema-check.ts";

/**
 * `fields` names the top-level arguments that are missing or ill-typed, to ask a person for;
 * arguments that the tool does not have are in `message` only, as nobody can supply them.
 */
export type CheckedArguments =
  | { ok: true; args: JsonObject }
  | { ok: false; fields: string[]; message: string; faults: { name: string; message: string }[] };

export interface ArgumentChecker {
  /** Never throws and never changes `args`. Defaults are not filled in: an approval shows what is sent. */
  check(tool: Tool, args: JsonObject): CheckedArguments;
}

type Validator = (args: JsonObject) => ErrorObject[];

/** Megabytes at the worst; the one that was longest unused goes. */
const MAX_COMPILED = 200;

/** A checker with its own cache of compiled schemas, by tool digest. */
export function createArgumentChecker(): ArgumentChecker {
  const compiled = new Map<string, Validator>();

  function validatorOf(tool: Tool): Validator {
    const validator = compiled.get(tool.digest) ?? compile(tool.inputSchema);
    compiled.delete(tool.digest);
    compiled.set(tool.digest, validator);
    const [oldest] = compiled.keys();
    if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
    return validator;
  }

  return {
    check(tool, args) {
      const fault = jsonFault(args, { texts: true });
      if (fault !== undefined) return unsound(fault);
      const validate = validatorOf(tool);
      const errors = validate(args);
      if (errors.length === 0) return { ok: true, args };
      const mended = mend(args, errors, tool.inputSchema);
      const left = mended ? validate(mended) : errors;
      if (left.length === 0 && mended) return { ok: true, args: mended };
      return { ok: false, fields: fieldsOf(left), message: describe(left), faults: faultsOf(left) };
    },
  };
}

/** Arguments that could not be sent as they are shown, whatever the schema says of them. */
function unsound({ field, why }: JsonFault): CheckedArguments {
  const fields = field === undefined ? [] : [field];
  const message = `${field ?? "arguments"}: ${why}`;
  return { ok: false, fields, message, faults: fields.map((name) => ({ name, message: why })) };
}

/** What cannot be compiled, or takes too long to check, is held to its list of required fields. */
function compile(schema: JsonSchema): Validator {
  const fallback = requiredOnly(schema);
  try {
    const { check } = compileSchema(schema);
    return (args) => {
      const verdict = check(args);
      return "errors" in verdict ? verdict.errors : fallback(args);
    };
  } catch {
    return fallback;
  }
}

function requiredOnly(schema: JsonSchema): Validator {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name) => typeof name === "string");
  return (args) =>
    names
      .filter((name) => !Object.hasOwn(args, name))
      .map((name) => ({
        keyword: "required",
        instancePath: "",
        schemaPath: "#/required",
        params: { missingProperty: name },
        message: `must have required property '${name}'`,
      }));
}

/** A copy with every change that loses nothing: "5" as 5 and back, "true" as true, null left out. */
function mend(args: JsonObject, errors: ErrorObject[], schema: JsonSchema): JsonObject | undefined {
  const copy = structuredClone(args);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  let changed = false;
  for (const error of errors) {
    if (error.keyword !== "type" && error.keyword !== "enum") continue;
    const path = error.instancePath.split("/").slice(1).map(unescapePointer);
    const name = path.pop();
    if (name === undefined) continue;
    const holder = path.reduce<JsonValue | undefined>(step, copy);
    const value = step(holder, name);
    if (value === undefined || typeof holder !== "object" || holder === null) continue;
    if (value === null && holder === copy && !required.has(name)) {
      delete copy[name];
      changed = true;
      continue;
    }
    const better = error.keyword === "type" ? converted(value, typesOf(error)) : undefined;
    if (better === undefined) continue;
    if (Array.isArray(holder)) holder[Number(name)] = better;
    else holder[name] = better;
    changed = true;
  }
  return changed ? copy : undefined;
}

function step(holder: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof holder !== "object" || holder === null) return undefined;
  if (Array.isArray(holder)) return holder[Number(name)];
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function typesOf(error: ErrorObject): string[] {
  const type: unknown = error.params.type;
  return Array.isArray(type) ? type.map(String) : [String(type)];
}

function converted(value: JsonValue, types: string[]): JsonValue | undefined {
  for (const type of types) {
    if ((type === "integer" || type === "number") && typeof value === "string") {
      const number = Number(value);
      const exact = value.trim() !== "" && String(number) === value && Number.isFinite(number);
      if (exact && (type === "number" || Number.isSafeInteger(number))) return number;
    }
    if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
    if (
      type === "string" &&
      typeof value === "number" &&
      (Number.isSafeInteger(value) || !Number.isInteger(value))
    )
      return String(value);
  }
  return undefined;
}

function fieldsOf(errors: ErrorObject[]): string[] {
  const names = errors.map(fieldOf);
  return [...new Set(names.filter((name) => name !== undefined))];
}

function fieldOf(error: ErrorObject): string | undefined {
  const [, first] = error.instancePath.split("/");
  if (first !== undefined) return unescapePointer(first);
  if (error.keyword === "required" || error.keyword === "dependentRequired")
    return String(error.params.missingProperty);
  return undefined;
}

/** What is wrong with each field, said beside it. */
function faultsOf(errors: ErrorObject[]): { name: string; message: string }[] {
  return fieldsOf(errors).map((name) => ({
    name,
    message: describe(errors.filter((error) => fieldOf(error) === name)),
  }));
}

function describe(errors: ErrorObject[]): string {
  const lines = errors.slice(0, 5).map((error) => {
    const where = error.instancePath === "" ? "" : `${error.instancePath.slice(1).replaceAll("/", ".")} `;
    if (error.keyword === "required")
      return `${where}expected ${String(error.params.missingProperty)}, got nothing`;
    if (error.keyword === "additionalProperties" || error.keyword === "unevaluatedProperties") {
      const name: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
      return `${where}expected only the tool's own arguments, got ${String(name).slice(0, 60)}`;
    }
    if (error.keyword === "enum")
      return `${where}expected one of ${clip(JSON.stringify(error.params.allowedValues))}`;
    return `${where}${error.message ?? `fails ${error.keyword}`}`;
  });
  return [...new Set(lines)].join("; ");
}

function clip(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
