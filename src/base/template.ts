import type { JsonObject, JsonValue } from "#contract/json.ts";

import { isObject } from "./json.ts";

/** `{name}` and `{name.member}` within a text. */
const PLACE = /\{([^{}]*)\}/g;
const PATH = /^[^\s{}.]+(?:\.[^\s{}.]+)*$/;

/** What is wrong with a text that has places for values; undefined where nothing is. */
export function templateFault(text: string): string | undefined {
  const bad = [...text.matchAll(PLACE)].find(([, path = ""]) => !PATH.test(path));
  if (bad !== undefined)
    return `the name of an argument between braces, such as {title} or {fields.title}; found ${bad[0]}`;
  return /[{}]/.test(text.replaceAll(PLACE, ""))
    ? "braces in pairs around the names of arguments, such as {title}"
    : undefined;
}

export type TemplatePart = { words: string } | { path: string };

/** A text in its words and its places, in their order. */
export function templateParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACE)) {
    if (match.index > end) parts.push({ words: text.slice(end, match.index) });
    parts.push({ path: match[1] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ words: text.slice(end) });
  return parts;
}

/** The value at a dotted path; a name with a dot in it goes before a path. */
export function valueAt(data: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!isObject(data)) return undefined;
  if (Object.hasOwn(data, path)) return data[path];
  const [first = "", ...rest] = path.split(".");
  if (!Object.hasOwn(data, first)) return undefined;
  return rest.length === 0 ? data[first] : valueAt(data[first], rest.join("."));
}

/** Arguments with the values of others: a text that is one place alone becomes the value itself. */
export function fillArguments(args: JsonObject, from: JsonObject): JsonObject | undefined {
  const filled: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    const parts = typeof value === "string" ? templateParts(value) : [];
    const [only] = parts;
    if (typeof value !== "string" || !parts.some((part) => "path" in part)) filled[name] = value;
    else if (parts.length === 1 && only !== undefined && "path" in only) {
      const found = valueAt(from, only.path);
      if (found === undefined) return undefined;
      filled[name] = found;
    } else {
      const texts = parts.map((part) =>
        "words" in part ? part.words : plainValue(valueAt(from, part.path)),
      );
      if (texts.includes(undefined)) return undefined;
      filled[name] = texts.join("");
    }
  }
  return filled;
}

/** A value as text; undefined for what is no plain value. */
export function plainValue(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
