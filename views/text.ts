import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isHttpUrl } from "#src/base/http.ts";
import { jsonFault, parseJson } from "#src/base/json.ts";
import { momentText } from "#src/base/moments.ts";
import { oneLine } from "#src/base/text.ts";
import { en, type Words } from "#src/base/words/en.ts";

/** A card's title: one line that fits every platform. */
export function toTitle(text: string): string {
  return oneLine(text, 150);
}

/** `{ href }` for an address that may be linked, else nothing: made to be spread. */
export function hrefOf(url: string | null | undefined): { href?: string } {
  return url != null && isHttpUrl(url) ? { href: url } : {};
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** What an ISO 8601 date or time says; undefined for anything else. */
function readDate(text: string): { at: Date; hasTime: boolean; hasZone: boolean } | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", zone] = match;
  const date = `${year}-${month}-${day}`;
  // A day that does not exist (31 February) would silently become another one.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  if (hour === undefined) return { at: midnight, hasTime: false, hasZone: false };
  const offset = zone === undefined ? "Z" : zone.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2");
  const at = new Date(`${date}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(at.getTime()) ? undefined : { at, hasTime: true, hasZone: zone !== undefined };
}

/**
 * An ISO 8601 date as "21 Nov 2026", a time as "21 Nov 2026, 14:05 UTC" (without "UTC" where the
 * source names no zone). Undefined for anything else.
 */
export function parseDate(text: string, say: Words = en): string | undefined {
  const read = readDate(text);
  if (read === undefined) return undefined;
  const { at, hasTime, hasZone } = read;
  if (!hasTime) return say.day(at);
  return hasZone ? momentText(at) : momentText(at).slice(0, -" UTC".length);
}

/** As `parseDate`; what is no date stays as it is. */
export function humanDate(text: string, say: Words): string {
  return parseDate(text, say) ?? text;
}

/** The day alone, for tables; what is no date stays as it is. */
export function humanDay(text: string, say: Words): string {
  const read = readDate(text);
  return read === undefined ? text : say.day(read.at);
}

/** Milliseconds since the epoch as "21 Nov 2026, 14:05 UTC". */
export function humanTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : momentText(time);
}

/** A member of its own: names come from outside, and may be `constructor`. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The object or array that a string holds as JSON text, else the value itself. */
export function unpackJson(value: JsonValue): JsonValue {
  if (typeof value !== "string" || value.length > 2_000_000 || !/^\s*[[{]/.test(value)) return value;
  const parsed = parseJson(value);
  return typeof parsed === "object" && jsonFault(parsed) === undefined ? parsed : value;
}

/** Deeper values are left out of `compactJson`. */
const MAX_DEPTH = 12;

/**
 * A value as JSON text of about `max` characters at most. Unlike `JSON.stringify` it takes any depth
 * and stops early; `cut` says that something is missing.
 */
export function compactJson(value: JsonValue, max: number): { text: string; cut: boolean } {
  const writer = { text: "", cut: false };
  write(value, max, 0, writer);
  if (writer.text.length <= max) return writer;
  return { text: `${writer.text.slice(0, max - 1).toWellFormed()}…`, cut: true };
}

function write(value: JsonValue, max: number, depth: number, writer: { text: string; cut: boolean }): void {
  if (writer.text.length > max) {
    writer.cut = true;
  } else if (typeof value === "string") {
    writer.text += JSON.stringify(value.slice(0, max + 1));
  } else if (typeof value !== "object" || value === null) {
    writer.text += JSON.stringify(value);
  } else if (depth === MAX_DEPTH) {
    writer.text += "…";
    writer.cut = true;
  } else {
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    writer.text += open;
    let comma = "";
    for (const [key, item] of Object.entries(value)) {
      if (writer.text.length > max) break;
      writer.text += Array.isArray(value) ? comma : `${comma}${JSON.stringify(key.slice(0, max + 1))}:`;
      comma = ",";
      write(item, max, depth + 1, writer);
    }
    writer.text += close;
  }
}

/**
 * "Ana Lindqvist (ana)" for an object that only names something: a name or title, and perhaps an id
 * or key beside it. Undefined for any other.
 */
export function nameOf(value: JsonObject): string | undefined {
  const { id, key, name, title, summary, ...rest } = value;
  const names = [name, title, summary].filter((item) => item !== undefined);
  const ids = [id, key].filter((item) => item !== undefined);
  const [only] = names;
  if (Object.keys(rest).length > 0 || names.length !== 1 || ids.length > 1) return undefined;
  if (typeof only !== "string" || only === "") return undefined;
  const [mark] = ids;
  if (mark == null || mark === "") return only;
  return typeof mark === "string" || typeof mark === "number" ? `${only} (${mark})` : undefined;
}
