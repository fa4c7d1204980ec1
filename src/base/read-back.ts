import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ReadBack } from "#contract/tool.ts";

import { isObject } from "./json.ts";

/** Members under which records keep what people call a thing. */
const NAMES = ["name", "title", "key", "id", "login", "email", "value"];

/**
 * What a record has in the field of an argument's name, as people would write it: a list of things by their names, a
 * person by theirs. Undefined where it has no such field, or only what nobody could write.
 */
export function valueBefore(record: JsonValue | undefined, name: string): JsonValue | undefined {
  const fields = record === undefined ? undefined : recordOf(record);
  const value = fields?.[name];
  if (fields === undefined || !Object.hasOwn(fields, name) || value === undefined) return undefined;
  if (!Array.isArray(value)) return nameOf(value);
  const names = value.map(nameOf);
  return names.every((one) => one !== undefined) ? names : undefined;
}

/** A thing by the first of its names; undefined for one that has none. */
function nameOf(value: JsonValue): JsonValue | undefined {
  if (!isObject(value)) return Array.isArray(value) ? undefined : value;
  const names = NAMES.map((name) => value[name]);
  return names.find((name) => typeof name === "string" || typeof name === "number");
}

/** The arguments that a record has a field of the same name for. */
export function fieldsIn(record: JsonValue, args: JsonObject): JsonObject {
  const fields = recordOf(record) ?? {};
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(fields, name)));
}

/**
 * What reading a record again says of a change to it, by the arguments that it has fields for. What is neither as it
 * was asked nor as it was before, such as a text that the server wrote in its own way, counts for nothing; undefined
 * where nothing can be told.
 */
export function compareReadBack(
  args: JsonObject,
  { before, after }: { before: JsonValue; after: JsonValue },
): ReadBack | undefined {
  const [then, now] = [recordOf(before), recordOf(after)];
  let compared = 0;
  const notApplied: string[] = [];
  for (const [name, wanted] of Object.entries(args)) {
    if (now === undefined || !Object.hasOwn(now, name)) continue;
    const found = now[name] ?? null;
    if (isSame(wanted, found)) compared += 1;
    else if (then !== undefined && Object.hasOwn(then, name) && isSame(then[name] ?? null, found)) {
      compared += 1;
      notApplied.push(name);
    }
  }
  return compared === 0 ? undefined : { notApplied };
}

/** Itself, or what stands alone in an envelope such as `{issue: {…}}`. */
function recordOf(data: JsonValue): JsonObject | undefined {
  if (!isObject(data)) return undefined;
  const [only, ...others] = Object.values(data);
  return others.length === 0 && only !== undefined && isObject(only) ? only : data;
}

/** Whether what stands in a record is what an argument asks for. */
export function isSame(wanted: JsonValue, found: JsonValue): boolean {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    const left = [...found];
    return wanted.length === found.length && wanted.every((item) => take(left, item));
  }
  const texts = textsOf(found).map(asMoment);
  return textsOf(wanted)
    .map(asMoment)
    .some((text) => texts.includes(text));
}

/** A day is the same as its first moment: `2026-01-05` and `2026-01-05T00:00:00Z`. */
function asMoment(text: string): string {
  const at = /^\d{4}-\d\d-\d\d(?:t[\d:.]+(?:z|[+-]\d\d:?\d\d))?$/.test(text)
    ? Date.parse(text.toUpperCase())
    : Number.NaN;
  return Number.isNaN(at) ? text : String(at);
}

/** Removes the first that is the same; false where none is. */
function take(left: JsonValue[], item: JsonValue): boolean {
  const at = left.findIndex((one) => isSame(item, one));
  if (at === -1) return false;
  left.splice(at, 1);
  return true;
}

/** A plain value, or what names a thing, without regard to case. */
function textsOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return [JSON.stringify(value)];
  if (!isObject(value)) return [String(value).trim().toLowerCase()];
  return NAMES.flatMap((name) => {
    const member = value[name];
    return typeof member === "string" || typeof member === "number"
      ? [String(member).trim().toLowerCase()]
      : [];
  });
}
