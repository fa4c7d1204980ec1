import type { JsonObject } from "#contract/json.ts";

import { createSheet, QUOTED } from "./sheet.ts";

/** What a message may refer to without naming it. */
export interface Referents {
  /** "it": the thing that was spoken of last. */
  thing?: string;
  /** "the second one": what was found last, in the order in which people saw it. */
  listed: readonly string[];
  /** The message before, for "and DEMO-3?". */
  before?: string;
  /** What was searched for last, for "and in the wiki?". */
  query?: string;
}

const KEY = /(?<![\p{L}\p{N}_-])[A-Za-z][A-Za-z0-9_]{0,15}-\d{1,9}(?![\p{L}\p{N}_-])/u;
const NOUN = "(?:one|issue|ticket|bug|story|task|page|document|result|hit|match|item|entry)";
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const ORDINAL = new RegExp(
  `\\b(?:the\\s+)?(?:(?<word>${ORDINALS.join("|")}|last)|(?<number>\\d{1,2})(?:st|nd|rd|th))\\s+${NOUN}\\b`,
  "i",
);
const PRONOUN = new RegExp(`\\b(?:(?:that|this|the same)\\s+${NOUN}|it)\\b(?!['’])`, "i");
const POSSESSIVE = /\bits\s+(\p{L}[\p{L} ]{1,30}?)(?=\s+(?:to|as|is)\b|\s*[:=]|\s*$)/iu;
/** Wishes about a thing that need not name it: "comment 'on it'". */
const BARE: RegExp = new RegExp(
  `^\\s*((?:please\\s+)?(?:add a comment|leave a comment|comment|reply))(?=\\s*(?:$|[${QUOTED}:]|saying\\b))`,
  "i",
);

/**
 * The message with what it refers to in its words: "close it" becomes "close OPS-9", "show the second
 * one" "show DEMO-8". What is quoted or stands behind a colon is left alone, as is a message that names
 * a thing itself.
 */
export function resolveReferences(message: string, { thing, listed, before, query }: Referents): string {
  const and = /^(?:and|what about|how about)\s(.+)$/i
    .exec(message.trim())?.[1]
    ?.trim()
    .replace(/\?$/, "")
    .trimEnd();
  if (and !== undefined) {
    const key = new RegExp(`^${KEY.source}$`, "u").exec(and)?.[0];
    if (key !== undefined)
      return before !== undefined && KEY.test(before) ? before.replace(KEY, key) : `show ${key}`;
    const place = /^(?:in|on)\s+(?:the\s+)?([\p{L} ]{2,30})$/iu.exec(and)?.[1];
    if (place !== undefined && query !== undefined) return `search the ${place} for ${query}`;
  }
  const { masked } = createSheet(message);
  const end = /(?<=[\p{L}\p{N}]):\s/u.exec(masked)?.index ?? masked.length;
  const head = masked.slice(0, end);
  if (KEY.test(head)) return message;
  const ordinal = ORDINAL.exec(head);
  if (ordinal !== null) {
    const found = listed.at(placeOf(ordinal.groups ?? {}));
    if (found !== undefined) return put(message, ordinal.index, ordinal[0].length, named(found));
  }
  if (thing === undefined) return message;
  const possessive = POSSESSIVE.exec(head);
  if (possessive !== null)
    return put(message, possessive.index, possessive[0].length, `the ${possessive[1] ?? ""} of ${thing}`);
  const pronoun = PRONOUN.exec(head);
  if (pronoun !== null) {
    const isPage = /page|document/i.test(pronoun[0]);
    return put(message, pronoun.index, pronoun[0].length, isPage ? `page ${thing}` : named(thing));
  }
  const bare = BARE.exec(head);
  return bare === null
    ? message
    : put(message, bare.index, bare[0].length, `${bare[1] ?? ""} on ${named(thing)}`);
}

/** Whether a wish speaks of a thing that it does not name. */
export function refersToSomething(wish: string): boolean {
  const { masked } = createSheet(wish);
  const head = masked.slice(0, /(?<=[\p{L}\p{N}]):\s/u.exec(masked)?.index);
  if (KEY.test(head)) return false;
  return PRONOUN.test(head) || POSSESSIVE.test(head) || ORDINAL.test(head) || BARE.test(head);
}

/** The key or id of a call's arguments: what "it" is after that call. */
export function thingOf(args: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === "string" && /(?:^|_)(?:key|id)$/i.test(name) && value.length <= 60) return value;
  }
  return undefined;
}

/** What a message that says nothing else than "the second one" points at. */
export function pointedAt(message: string, listed: readonly string[]): string | undefined {
  const [whole, groups] = [message.trim().replace(/[.!]$/, ""), ORDINAL.exec(message)];
  return groups?.[0] === whole ? listed.at(placeOf(groups.groups ?? {})) : undefined;
}

/** A bare number would be read as a number: pages are named as such. */
function named(thing: string): string {
  return /^\d+$/.test(thing) ? `page ${thing}` : thing;
}

function placeOf({ word, number }: Record<string, string | undefined>): number {
  if (number !== undefined) return Number(number) - 1;
  return word?.toLowerCase() === "last" ? -1 : ORDINALS.indexOf(word?.toLowerCase() ?? "");
}

function put(message: string, start: number, length: number, text: string): string {
  return `${message.slice(0, start)}${text}${message.slice(start + length)}`;
}
