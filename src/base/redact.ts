import { isDeepStrictEqual } from "node:util";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { literally } from "./matching.ts";
import { CountersignError } from "./errors.ts";
import { isObject } from "./json.ts";

const MASK = "[redacted]";
/** Shorter values are too common to search for. */
const SHORTEST = 6;
const SECRET_KEY =
  /(^|[_\-.])(pass(word|wd|phrase)?|secret|token|api[_-]?key|authorization|cookie|credential|private[_-]?key)s?($|[_\-.])/i;

/** Masks secrets in anything that leaves by log, audit or card. */
export interface Redactor {
  text(value: string): string;
  json(value: JsonValue): JsonValue;
  /** Masks only the secret values that are known: for data in which a key such as `token` may be harmless. */
  known(value: JsonValue): JsonValue;
}

/**
 * A redactor that masks values under keys that name a secret (`api_token`, `Authorization`), and the
 * given secret values wherever they stand. Values under six characters are too common to search for.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST))].toSorted(
    (a, b) => b.length - a.length,
  );
  // One pass, however many there are, so that what stands for one is not taken for another.
  const any = new RegExp(known.map(literally).join("|"), "g");

  function text(value: string): string {
    return known.length === 0 ? value : value.replaceAll(any, MASK);
  }

  /** What holds no secret comes back as it is. */
  function walk(value: JsonValue, isSecret: (key: string) => boolean): JsonValue {
    if (typeof value === "string") return text(value);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => walk(item, isSecret));
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [
      key,
      isSecret(key) && item !== null && item !== "" ? MASK : walk(item, isSecret),
    ]);
    return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
  }

  return {
    text,
    json: (value) => walk(value, isSecretKey),
    known: (value) => (known.length === 0 ? value : walk(value, () => false)),
  };
}

/** The same, which also masks the values of secret arguments in `args` wherever a server or a text repeats them. */
export function withSecretsOf(args: JsonValue, redactor: Redactor): Redactor {
  const own = createRedactor(
    secretArguments(args).flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]),
  );
  return {
    text: (value) => own.text(redactor.text(value)),
    json: (value) => own.json(redactor.json(value)),
    known: (value) => own.known(redactor.known(value)),
  };
}

/** What stands in arguments under names that say it is a secret, as far as it can be searched for. */
export function secretArguments(args: JsonValue): string[] {
  const found = new Set<string>();
  collectSecrets(args, false, found);
  return [...found].filter((value) => value.length >= SHORTEST);
}

function collectSecrets(data: JsonValue, isSecret: boolean, found: Set<string>): void {
  if (typeof data === "string" || typeof data === "number") {
    if (isSecret) found.add(String(data));
  } else if (typeof data === "object" && data !== null) {
    for (const [key, value] of Object.entries(data))
      collectSecrets(value, isSecret || isSecretKey(key), found);
  }
}

/**
 * Puts back what was masked in arguments that a person edited without seeing their secrets: the value that
 * `original` has where `edited` still has the mask. A mask stands for one value alone: where it is not
 * certain for which, as in a list whose masked entries were moved about, the edit is refused.
 * Throws `bad_args`.
 */
export function unmask(edited: JsonObject, original: JsonObject, redactor: Redactor): JsonObject {
  return putBack(edited, original, redactor.json(original), []) as JsonObject;
}

type Place = readonly (string | number)[];

function putBack(edited: JsonValue, original: JsonValue, shown: JsonValue, at: Place): JsonValue {
  if (!hasMask(edited)) return edited;
  if (isDeepStrictEqual(edited, shown)) return original;
  if (typeof edited === "string") return putBackText(edited, original, shown, at);
  if (Array.isArray(edited)) {
    if (Array.isArray(original) && Array.isArray(shown)) return putBackList(edited, original, shown, at);
    throw uncertain(at);
  }
  if (typeof edited !== "object" || edited === null) return edited;
  if (!isObject(original) || !isObject(shown)) throw uncertain(at);
  return Object.fromEntries(
    Object.entries(edited).map(([key, item]) => {
      if (!hasMask(item)) return [key, item];
      const before = Object.hasOwn(original, key) ? original[key] : undefined;
      const seen = Object.hasOwn(shown, key) ? shown[key] : undefined;
      if (before === undefined || seen === undefined) throw uncertain([...at, key]);
      return [key, putBack(item, before, seen, [...at, key])];
    }),
  );
}

/** Text around a mask may change, as long as there is one, and was one. */
function putBackText(edited: string, original: JsonValue, shown: JsonValue, at: Place): string {
  if (typeof original !== "string" || typeof shown !== "string") throw uncertain(at);
  const [before = "", after, ...more] = shown.split(MASK);
  const [start = "", end, ...others] = edited.split(MASK);
  if (after === undefined || end === undefined || more.length > 0 || others.length > 0) throw uncertain(at);
  return start + original.slice(before.length, original.length - after.length) + end;
}

/**
 * An entry is known by what is shown of it; one that was changed in its place, while all others are the same
 * as before, is that one.
 */
function putBackList(
  edited: readonly JsonValue[],
  original: readonly JsonValue[],
  shown: readonly JsonValue[],
  at: Place,
): JsonValue[] {
  return edited.map((item, index) => {
    if (!hasMask(item)) return item;
    const same = original.filter((_, place) => isDeepStrictEqual(shown[place], item));
    const [first] = same;
    if (first !== undefined && same.every((one) => isDeepStrictEqual(one, first))) return first;
    const othersStay =
      edited.length === shown.length &&
      edited.every((other, place) => place === index || isDeepStrictEqual(other, shown[place]));
    const before = original[index];
    const seen = shown[index];
    if (first !== undefined || !othersStay || before === undefined || seen === undefined)
      throw uncertain([...at, index]);
    return putBack(item, before, seen, [...at, index]);
  });
}

function hasMask(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes(MASK);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasMask);
}

function uncertain(at: Place): CountersignError {
  const where = at.join(".");
  return new CountersignError(
    "bad_args",
    `${where}: ${MASK} stands for a hidden value, and it is not certain which one is meant here. Leave hidden values where they were, or write the value itself.`,
    { details: { fields: at.slice(0, 1).map(String) } },
  );
}

/** Whether a key names a secret: `apiToken`, `api_token`, `x-api-key`; not `next_page_token_count` or `tokens` of a model. */
export function isSecretKey(key: string): boolean {
  const snake = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
  return SECRET_KEY.test(snake) && !/^(next_)?(page|progress|prompt|answer)_?tokens?$/i.test(snake);
}
