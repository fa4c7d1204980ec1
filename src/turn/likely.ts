import { distance } from "fastest-levenshtein";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { NextStep } from "#contract/plan.ts";

import { isObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";

/** As many buttons as people read; of a list that is not much longer all of it, for the last one may be meant. */
const MOST = 4;
const ALL = 6;
const MAX_MESSAGE = 4000;
/** How servers list what they would take, the names that the bundled ones use first. */
const LIST =
  /(?:possible(?: values)?|people|fits several people|did you mean|allowed values|available|valid (?:values|options)|one of)[:\s]+(.+?)(?:\. |\.?$)/is;

/**
 * The same call with values that the server says it would take, in place of the one that it refused: "In Progress",
 * "In Review". None where its message does not quote a value of the call, or lists nothing.
 */
export function likelyValues(tool: string, args: JsonObject, message: string): NextStep[] {
  const text = message.slice(0, MAX_MESSAGE);
  const list = LIST.exec(text)?.[1];
  const refused = Object.entries(args).flatMap(([name, value]) => quotedIn(text, [name], value));
  const [only] = refused;
  if (list === undefined || /^(?:none|nothing)\b/i.test(list)) return [];
  if (only === undefined || refused.length > 1) return [];
  const wanted = only.value.toLowerCase();
  // What is spelled nearly so comes first; of what is not, the server's own order says more.
  const far = (title: string): number => {
    const edits = distance(title.toLowerCase(), wanted);
    return edits > wanted.length / 3 ? Infinity : edits;
  };
  const values = valuesOf(list).filter(({ value }) => value !== only.value);
  return values
    .toSorted((one, other) => (far(one.title) === far(other.title) ? 0 : far(one.title) - far(other.title)))
    .slice(0, values.length > ALL ? MOST : ALL)
    .map(({ title, value }) => ({
      kind: "value",
      tool,
      args: put(args, only.path, value),
      fields: [],
      title,
    }));
}

interface Refused {
  path: readonly string[];
  value: string;
}

function quotedIn(text: string, path: readonly string[], value: JsonValue): Refused[] {
  if (typeof value === "string") {
    const isQuoted =
      value !== "" && [`"${value}"`, `'${value}'`, `“${value}”`].some((one) => text.includes(one));
    return isQuoted ? [{ path, value }] : [];
  }
  if (!isObject(value) || path.length > 1) return [];
  return Object.entries(value).flatMap(([name, inner]) => quotedIn(text, [...path, name], inner));
}

/** "Done, In Review" and "Ana Lindqvist (ana), Ben Okafor (ben)", whose ids are the values. */
function valuesOf(list: string): { title: string; value: string }[] {
  return list
    .split(/,\s+|;\s+|\s+or\s+/)
    .map((part) => oneLine(part.replaceAll(/^["'“]|["'”]$/g, ""), 60).trim())
    .filter((part) => part !== "" && part !== "…")
    .map((part) => {
      const [, name, id] = /^(.+?) \(([^()]+)\)$/.exec(part) ?? [];
      return name === undefined || id === undefined
        ? { title: part, value: part }
        : { title: name, value: id };
    });
}

function put(args: JsonObject, [name = "", ...rest]: readonly string[], value: string): JsonObject {
  const inner = args[name];
  return { ...args, [name]: rest.length > 0 && isObject(inner) ? put(inner, rest, value) : value };
}
