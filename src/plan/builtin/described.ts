import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ArgSources, Observation, PlanInput, ShownRecord } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { shownIn } from "../../base/records.ts";
import { DICTATES } from "./padding.ts";
import { sayableName } from "./people.ts";
import { headOf, toReferents } from "./refer.ts";
import { KEY } from "./words.ts";

/** A record that was read, and all that its server says of it. */
export interface ReadRecord {
  record: ShownRecord;
  data: JsonObject;
}

/** What stands for a person, a record or a value that only the record it is said of names. */
export interface Described {
  of: "person" | "record" | { value: string };
  /** The records that have to be read first: their keys, or what they are called ("the beta test"). */
  reads: readonly string[];
  /** The message with what the records say in its place; undefined where they do not say so, or of several. */
  resolve: (records: readonly ReadRecord[]) => { text: string; put: readonly string[] } | undefined;
}

const IT = "it|this(?:\\s+one)?|that(?:\\s+one)?";
const NOUN = "(?:one|issue|ticket|bug|story|task|thing)";
/** "The one blocking DEMO-1", "the ticket that it is blocked by" */
const LINKED = new RegExp(
  `\\b(?:the|that)\\s+${NOUN}\\s+(?:(?:that|which)\\s+)?(?:(?:is\\s+)?(?<way>blocking|blocks|causing|causes|duplicating|duplicates|holding\\s+up|holds\\s+up)\\s+(?<of>${KEY}|${IT})|(?<by>${KEY}|${IT})\\s+is\\s+(?<passive>blocked|caused|duplicated)\\s+by|(?<to>${KEY}|${IT})\\s+(?<active>blocks|causes|duplicates))(?![\\p{L}\\d-])`,
  "iu",
);
/** A record by words of its title, up to the end of what is said of it. */
export const CALLED =
  "(?<called>the\\s+(?!(?:same|other|rest|last|first|next|others|end|start|beginning|middle|day|week\\p{L}*|month|\\p{L}+day|holidays?)(?!\\p{L})|\\d)(?:[\\p{L}\\d'’-]+\\s+){0,4}?[\\p{L}\\d'’-]+)(?=\\s*(?:[.,;!?]|$)|\\s+(?:and|please|pls|too|is|has)\\b)";
const WHOEVER =
  "(?:whoever|whom?ever|who|the\\s+(?:one|person|colleague|guy)\\s+(?:who|that))(?:\\s+(?:has|is|currently|now))*";
const WROTE = "reported|opened|filed|created|raised";
const HOLDS =
  "has(?:\\s+got)?|owns|works\\s+on|working\\s+on|on|does|doing|assigned\\s+to|looks\\s+after|got";
/** "Whoever reported it", "the owner of DEMO-4", "DEMO-4's assignee" */
const PERSON = new RegExp(
  [
    `(?<![\\p{L}\\d-])${WHOEVER}\\s+(?:(?<wrote>${WROTE})|${HOLDS})\\s+(?:(?<of>${KEY}|${IT})(?![\\p{L}\\d-]|['’])|${CALLED})`,
    `(?<![\\p{L}\\d-])(?:the\\s+)?(?:current\\s+)?(?:(?<author>reporter|creator|author)|owner|assignee)\\s+of\\s+(?<by>${KEY})(?![\\p{L}\\d-]|['’])`,
    `(?<whose>${KEY})['’]s\\s+(?:current\\s+)?(?:(?<creator>reporter|creator|author)|owner|assignee)(?![\\p{L}\\d-])`,
  ].join("|"),
  "giu",
);
const NOTHING =
  /^\W*(?:(?:i\s+see|ok(?:ay)?|and|now|then|so|also|please|pls|what\s+about|show(?:\s+me)?|open|what(?:['’]?s|\s+is)|thanks?|right|good)(?![\p{L}])\W*)*$/iu;
/** What follows is what something shall be called. */
export const RENAMES: RegExp = /\b(?:re(?:name|title|word)|call|name|titled?|summary|description)\b/i;
const HANDS =
  /\b(?:(?:re)?assign|give|hand|pass|owner|assignee|goes?|belongs?)\b[^.;!?]*\bto\s+(?:the\s+)?$|\b(?:(?:re)?assign|give|hand|pass)\s+$|^\W*(?:(?:and|then|back|over|please|pls|so|no|ok(?:ay)?)\W+)*to\s+$/iu;

/**
 * What a message calls by a record that is not on the screen with all that it says: its reporter, or what it is linked to.
 * Undefined where nothing is called so, or where the screen tells it.
 */
export function describedIn(input: PlanInput): Described | undefined {
  const head = headOf(input.message);
  const { thing } = toReferents(input, []);
  const known = (input.known ?? []).filter(({ kind }) => kind === "person");
  const keyOf = (said: string): string | undefined => {
    const id = isKey(said) ? said.toUpperCase() : thing?.id;
    return id !== undefined && isKey(id) ? id : undefined;
  };
  const put = (found: RegExpExecArray, value: string): string => {
    const [ahead, behind] = [head.slice(0, found.index), head.slice(found.index + found[0].length)];
    // "And now the one it blocks" shows it.
    if (NOTHING.test(ahead) && NOTHING.test(behind)) return `show ${value}`;
    return input.message.slice(0, found.index) + value + input.message.slice(found.index + found[0].length);
  };
  const person = [...head.matchAll(PERSON)].find(({ index }) => {
    const ahead = head.slice(0, index);
    return HANDS.test(ahead) && !DICTATES.test(ahead) && !RENAMES.test(ahead);
  });
  if (person !== undefined) {
    const { wrote, of, author, by, whose, creator, called } = person.groups ?? {};
    // "Assign DEMO-4 to whoever reported it": what is named in the same breath.
    const named = new Set(head.slice(0, person.index).match(new RegExp(KEY, "gu")));
    const [near = ""] = named.size === 1 ? named : [];
    const key = called ?? keyOf([of, by, whose].find((one) => one !== undefined && isKey(one)) ?? near);
    const isAuthor = (wrote ?? author ?? creator) !== undefined;
    // Who reported what is on the screen is known.
    if (key === undefined || (isAuthor && key === thing?.id && thing.people !== undefined)) return undefined;
    const roles = isAuthor ? /^(?:reporter|author|creator)$/ : /^(?:assignee|owner)$/;
    return {
      of: "person",
      reads: [key],
      resolve: ([read]) => {
        const one = read?.record.people?.find(({ role }) => roles.test(role));
        const name = one && sayableName(one.name, known);
        return name === undefined ? undefined : { text: put(person, name), put: [name] };
      },
    };
  }
  const linked = LINKED.exec(head);
  const { way = "", of, by, passive, to } = linked?.groups ?? {};
  const key = keyOf(of ?? by ?? to ?? "");
  if (linked === null || key === undefined) return undefined;
  // What blocks it is what it is blocked by.
  const isBy = way !== "" || passive !== undefined;
  const stem = /block|hold/i.test(linked[0]) ? "block" : /caus/i.test(linked[0]) ? "caus" : "duplic";
  return {
    of: "record",
    reads: [key],
    resolve: ([read]) => {
      const meant = (read?.record.links ?? []).filter(
        ({ how }) => how.toLowerCase().includes(stem) && /\bby\b/i.test(how) === isBy,
      );
      const [only, ...others] = meant;
      return only === undefined || others.length > 0 || !isKey(only.id)
        ? undefined
        : { text: put(linked, only.id), put: [only.id] };
    },
  };
}

export function isKey(text: string): boolean {
  return new RegExp(`^${KEY}$`, "u").test(text);
}

/** The record that a read of it, or of what it is called, brought. */
export function readOf(seen: Observation | undefined, said: string): ReadRecord | undefined {
  if (seen?.permit === undefined || !seen.ok) return undefined;
  if (isKey(said) && !Object.values(seen.args).includes(said)) return undefined;
  const data = seen.data.reveal(seen.permit);
  const { record } = shownIn(data);
  return record === undefined || !isObject(data) ? undefined : { record, data };
}

/** The rows that a search for it brought. */
export function rowsOf(seen: Observation | undefined): ShownRecord[] {
  return seen?.permit === undefined || !seen.ok ? [] : shownIn(seen.data.reveal(seen.permit)).rows;
}

/** Of the arguments of a call those that hold what a record gave. */
export function sourcesFrom(args: JsonObject, values: readonly string[], tool: string): ArgSources {
  const holds = (value: JsonValue): boolean =>
    typeof value === "string" ? values.includes(value) : isObject(value) && Object.values(value).some(holds);
  const names = Object.entries(args).flatMap(([name, own]) => (holds(own) ? [name] : []));
  return Object.fromEntries(names.map((name) => [name, { from: "result", ref: tool }]));
}
