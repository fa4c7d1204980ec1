import type { JsonObject } from "#contract/json.ts";
import type { ArgSources, PlanInput, ShownRecord } from "#contract/plan.ts";

import { shownIn } from "../../base/records.ts";
import { sayableName } from "./people.ts";
import { headOf, toReferents } from "./refer.ts";
import { KEY } from "./words.ts";

/** What stands for a person or a record that only the record it is said of names. */
export interface Described {
  of: "person" | "record";
  /** The key of the record that has to be read first. */
  key: string;
  /** The message with what the record says in its place; undefined where it does not say so, or of several. */
  resolve: (record: ShownRecord) => { text: string; put: string } | undefined;
}

const IT = "it|this(?:\\s+one)?|that(?:\\s+one)?";
const NOUN = "(?:one|issue|ticket|bug|story|task|thing)";
/** "The one blocking DEMO-1", "the ticket that it is blocked by" */
const LINKED = new RegExp(
  `\\b(?:the|that)\\s+${NOUN}\\s+(?:(?:that|which)\\s+)?(?:(?:is\\s+)?(?<way>blocking|blocks|causing|causes|duplicating|duplicates|holding\\s+up|holds\\s+up)\\s+(?<of>${KEY}|${IT})|(?<by>${KEY}|${IT})\\s+is\\s+(?<passive>blocked|caused|duplicated)\\s+by|(?<to>${KEY}|${IT})\\s+(?<active>blocks|causes|duplicates))(?![\\p{L}\\d-])`,
  "iu",
);
/** "Whoever reported it" */
const PERSON = new RegExp(
  `\\b(?:whoever|who|the\\s+(?:one|person|colleague)\\s+(?:who|that))\\s+(?:has\\s+)?(?<did>reported|opened|filed|created|raised)\\s+(?<of>${KEY}|${IT})(?![\\p{L}\\d-])`,
  "iu",
);
const NOTHING =
  /^\W*(?:(?:i\s+see|ok(?:ay)?|and|now|then|so|also|please|pls|what\s+about|show(?:\s+me)?|open|what(?:['’]?s|\s+is)|thanks?|right|good)(?![\p{L}])\W*)*$/iu;
const HANDS = /\b(?:assign|give|hand|pass|to)\s+(?:\S+\s+){0,6}?$/i;

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
  const person = PERSON.exec(head);
  const isHanded = person !== null && HANDS.test(head.slice(0, person.index));
  if (person !== null && isHanded && thing?.people === undefined) {
    const key = keyOf(person.groups?.["of"] ?? "");
    if (key === undefined) return undefined;
    return {
      of: "person",
      key,
      resolve: ({ people = [] }) => {
        const reporter = people.find(({ role }) => /^(?:reporter|author|creator)$/.test(role));
        const name = reporter && sayableName(reporter.name, known);
        return name === undefined ? undefined : { text: put(person, name), put: name };
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
    key,
    resolve: ({ links = [] }) => {
      const meant = links.filter(
        ({ how }) => how.toLowerCase().includes(stem) && /\bby\b/i.test(how) === isBy,
      );
      const [only, ...others] = meant;
      return only === undefined || others.length > 0 || !isKey(only.id)
        ? undefined
        : { text: put(linked, only.id), put: only.id };
    },
  };
}

function isKey(text: string): boolean {
  return new RegExp(`^${KEY}$`, "u").test(text);
}

/** The record that a read of it brought, if its first result is that. */
export function recordFirst({ observations }: PlanInput, key: string): ShownRecord | undefined {
  const [seen] = observations;
  if (seen?.permit === undefined || !seen.ok || !Object.values(seen.args).includes(key)) return undefined;
  return shownIn(seen.data.reveal(seen.permit)).record;
}

/** Of the arguments of a call those that the record gave. */
export function sourcesFrom(args: JsonObject, value: string, tool: string): ArgSources {
  const names = Object.entries(args).flatMap(([name, own]) => (own === value ? [name] : []));
  return Object.fromEntries(names.map((name) => [name, { from: "result", ref: tool }]));
}
