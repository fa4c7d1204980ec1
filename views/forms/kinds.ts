import type { FormFieldKind, FormOption } from "#contract/form.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { messageOf } from "#src/base/errors.ts";
import { isObject, jsonFault } from "#src/base/json.ts";
import { en } from "#src/base/words/en.ts";

import { exactText } from "../cards/exact.ts";

/** What a field takes; each option with the value that it stands for. */
export interface FieldShape {
  kind: FormFieldKind;
  options?: (FormOption & { choice: JsonValue })[];
}

const JSON_SHAPE: FieldShape = { kind: "json" };

/** Text above this length is written in a box of several lines. */
const LINE_LENGTH = 120;

/**
 * The shape for an argument: by its schema, unless the value it has now cannot be written in that
 * shape and read back as the same; then JSON, which can hold any.
 */
export function shapeFor(
  schema: JsonValue | undefined,
  name: string,
  value: JsonValue | undefined,
): FieldShape {
  const shape = shapeOf(isObject(schema) ? schema : {}, name, value);
  if (value === undefined) return shape;
  const text = toFieldText(shape, value);
  if (text === undefined || text === "") return JSON_SHAPE;
  const back = parseFieldText(shape, text);
  return back.ok && isSame(back.value, value) ? shape : JSON_SHAPE;
}

function shapeOf(schema: JsonObject, name: string, value: JsonValue | undefined): FieldShape {
  const choices = choicesOf(schema);
  if (choices !== undefined) return toSelect(choices);
  const type = typeOf(schema);
  switch (type) {
    case "string":
      return { kind: textKind(schema, name, value) };
    case "integer":
    case "number":
    case "boolean":
      return { kind: type };
    case "array":
      return isObject(schema["items"]) && typeOf(schema["items"]) === "string"
        ? { kind: "list" }
        : JSON_SHAPE;
    default:
      return JSON_SHAPE;
  }
}

/** The one type that a schema allows, null aside. */
export function typeOf(schema: JsonObject): string | undefined {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return type;
  const types = Array.isArray(type) ? type : [anyOf, oneOf].find((all) => Array.isArray(all))?.map(namedType);
  const [only, ...more] = (types ?? []).filter((one) => one !== "null");
  return typeof only === "string" && more.length === 0 ? only : undefined;
}

function namedType(schema: JsonValue): JsonValue {
  return isObject(schema) ? (schema["type"] ?? null) : null;
}

function choicesOf(schema: JsonObject): { value: JsonValue; label?: string }[] | undefined {
  const { enum: values, oneOf, anyOf } = schema;
  if (Array.isArray(values)) return values.map((value) => ({ value }));
  const titled = [oneOf, anyOf].find((all) => Array.isArray(all));
  if (titled === undefined || titled.length === 0) return undefined;
  const constants = titled.filter((one) => isObject(one)).filter((one) => Object.hasOwn(one, "const"));
  if (constants.length !== titled.length) return undefined;
  return constants.map((one) => ({
    value: one["const"] ?? null,
    ...(typeof one["title"] === "string" ? { label: one["title"] } : {}),
  }));
}

/** Texts stand for themselves; where other values are among them, all are written as JSON. */
function toSelect(choices: { value: JsonValue; label?: string }[]): FieldShape {
  const asText = choices.every(({ value }) => typeof value === "string" && isSafe(value) && value !== "");
  const options = choices.map(({ value, label }) => {
    const text = asText && typeof value === "string" ? value : exactText(JSON.stringify(value));
    return { value: text, label: label ?? text, choice: value };
  });
  return { kind: "select", options };
}

function textKind(schema: JsonObject, name: string, value: JsonValue | undefined): FormFieldKind {
  const format = formatOf(schema);
  if (format === "date" && (value === undefined || isDate(value))) return "date";
  if (isLong(schema, name, value)) return "long_text";
  return format === undefined && PERSON.test(name) ? "person" : "text";
}

/** The format of a text, also where it may be null instead. */
function formatOf({ format, anyOf, oneOf }: JsonObject): JsonValue | undefined {
  const branches = [anyOf, oneOf].find((all) => Array.isArray(all)) ?? [];
  return (
    format ?? branches.filter((one) => isObject(one)).find((one) => one["format"] !== undefined)?.["format"]
  );
}

/** Names of arguments that take a person; those that end in `id` or `key` want no name. */
const PERSON = /(?:^|_)(?:assignee|reporter|owner|approver|reviewer|author|assigned_to|assignee_name)$/i;

/** A day of the calendar as RFC 3339 writes it. */
function isDate(value: JsonValue): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isLong(schema: JsonObject, name: string, value: JsonValue | undefined): boolean {
  if (typeof value === "string" && (value.includes("\n") || value.length > LINE_LENGTH)) return true;
  const { maxLength, description, contentMediaType } = schema;
  return (
    (typeof maxLength === "number" && maxLength > 1000) ||
    typeof contentMediaType === "string" ||
    (typeof description === "string" && /\bmarkdown\b|several lines|multi-?line/i.test(description)) ||
    /(^|_)(body|description|comment|content|markdown)$/i.test(name)
  );
}

/** The value as the text of a field; undefined where the shape cannot express it. */
export function toFieldText(shape: FieldShape, value: JsonValue): string | undefined {
  switch (shape.kind) {
    case "date":
      return isDate(value) && typeof value === "string" ? value : undefined;
    case "text":
    case "person":
    case "long_text":
      if (typeof value !== "string" || !isSafe(value) || value.trim() === "") return undefined;
      return shape.kind !== "long_text" && value.includes("\n") ? undefined : value;
    case "number":
    case "integer":
      return typeof value === "number" ? (Object.is(value, -0) ? "-0" : String(value)) : undefined;
    case "boolean":
      return typeof value === "boolean" ? String(value) : undefined;
    case "select":
      return shape.options?.find(({ choice }) => isSame(choice, value))?.value;
    case "list": {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      const texts = value.filter((item): item is string => typeof item === "string" && isSafe(item));
      return texts.length === value.length ? texts.join("\n") : undefined;
    }
    default:
      return exactText(JSON.stringify(value, null, 2));
  }
}

/** The text of a field that is not empty as a value of its kind. */
export function parseFieldText(shape: FieldShape, text: string): ParsedValue {
  switch (shape.kind) {
    case "text":
    case "person":
    case "long_text":
      return { ok: true, value: text };
    case "date":
      if (isDate(text.trim())) return { ok: true, value: text.trim() };
      return fault(en.recorded.expectedDay(quoted(text)));
    case "number":
    case "integer":
      return parseExactNumber(text.trim(), shape.kind === "integer");
    case "boolean":
      if (text === "true" || text === "false") return { ok: true, value: text === "true" };
      return fault(en.recorded.expectedBoolean(quoted(text)));
    case "select": {
      const option = shape.options?.find((one) => one.value === text);
      if (option !== undefined) return { ok: true, value: option.choice };
      const known = shape.options?.map((one) => one.value).join(", ") ?? "";
      return fault(en.recorded.expectedOneOf(known, quoted(text)));
    }
    case "list":
      if (text.trim() === "[]") return { ok: true, value: [] };
      return { ok: true, value: text.split(/\r?\n/).filter((line) => line.trim() !== "") };
    default:
      return parseExactJson(text);
  }
}

/** Whether a text passes through every platform's inputs unchanged. */
function isSafe(text: string): boolean {
  return text.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(text);
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** What a text was read as, or why it is none. */
export type ParsedValue = { ok: true; value: JsonValue } | { ok: false; message: string };

function fault(message: string): ParsedValue {
  return { ok: false, message };
}

/** No number that is kept exactly has more digits. */
const LONGEST = 400;
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A number that is exactly what was typed, or why there is none. */
function parseExactNumber(text: string, whole: boolean): ParsedValue {
  if (text.length > LONGEST || !NUMBER.test(text) || (whole && !INTEGER.test(text))) {
    const { expectedWhole, expectedNumber } = en.recorded;
    return fault((whole ? expectedWhole : expectedNumber)(JSON.stringify(text.slice(0, 60))));
  }
  const value = Number(text);
  return isExact(text, value) ? { ok: true, value } : fault(TOO_EXACT);
}

const TOO_EXACT = en.recorded.tooExact();

/** A JSON value in which every number is exactly what was typed. */
function parseExactJson(text: string): ParsedValue {
  let inexact: string | undefined;
  // The third parameter is ECMA-262's JSON.parse source text access, which the type library does not know yet.
  const watch = (_key: string, value: unknown, ...context: { source?: string }[]): unknown => {
    const source = context[0]?.source;
    if (typeof value === "number" && source !== undefined && !isExact(source, value)) inexact ??= source;
    return value;
  };
  try {
    // Without the watch first: it is called from the inside out, which uses up the stack.
    const flaw = jsonFault(JSON.parse(text), { texts: true });
    if (flaw !== undefined) return fault(`${flaw.why}.`);
    const value = JSON.parse(text, watch) as JsonValue;
    return inexact === undefined ? { ok: true, value } : fault(`${inexact.slice(0, 60)}: ${TOO_EXACT}`);
  } catch (error) {
    return fault(en.recorded.expectedJson(messageOf(error)));
  }
}

/** Whether no digit was lost. */
function isExact(source: string, value: number): boolean {
  return Number.isFinite(value) && digitsOf(source) === digitsOf(String(value));
}

/** The significant digits of a number's text. */
function digitsOf(text: string): string {
  return text.replace(/e.*$/i, "").replaceAll(/[^\d]/g, "").replace(/^0+/, "").replace(/0+$/, "");
}
