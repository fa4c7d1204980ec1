import { monotonicFactory, ulid } from "ulid";

import { oneLine } from "./text.ts";
import { en, type Words } from "./words/en.ts";

/** Drawn many at a time: sixteen draws for each id would cost more than all else of it. */
const random = new Uint8Array(4_096);
let drawn = random.length;

/** From 0 to less than 1, in 256 steps. */
function draw(): number {
  if (drawn === random.length) {
    crypto.getRandomValues(random);
    drawn = 0;
  }
  drawn += 1;
  return (random[drawn - 1] ?? 0) / 256;
}

/** A sortable unique id with a prefix that says what it names: `turn_01J…`, `appr_01J…`. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid(undefined, draw)}`;
}

const next = monotonicFactory(draw);

/**
 * As `newId`, where those that this process makes in one millisecond are to be sorted in the order in which they were
 * made. From one of them the next can be told.
 */
export function newOrderedId(prefix: string): string {
  return `${prefix}_${next()}`;
}

/** The person's own part of an actor id: `ana` of `http:ana`, `U1` of `slack:T1:U1`. */
export function actorName(actor: string): string {
  return actor.slice(actor.lastIndexOf(":") + 1);
}

/**
 * Whether two actor ids are one person's. Chat platforms give a person one id in all workspaces of an
 * organisation and in all guilds, so where they were when they acted is left out.
 */
export function isSamePerson(one: string, other: string): boolean {
  return personKey(one) === personKey(other);
}

/** `slack:U1` of `slack:T1:U1`; the id itself where it names nothing but the person. */
export function personKey(actor: string): string {
  const [, surface, local] = /^(slack|discord):[^:]+:([^:]+)$/.exec(actor) ?? [];
  return surface === undefined || local === undefined ? actor : `${surface}:${local}`;
}

/**
 * Who somebody is, to be read: by the name that is known of them, else by an id that says something, which those of
 * chat platforms do not.
 */
export function personText(
  actor: string,
  names: Readonly<Record<string, string>> = {},
  { approval: say }: Words = en,
): string {
  const name = Object.hasOwn(names, actor) ? oneLine(names[actor] ?? "", 80) : "";
  if (name !== "") return name;
  return /^(slack|discord):/.test(actor) ? say.somebody : actorName(actor);
}

/**
 * Whether an id that a server gave may stand in a message as it is: a key, a number, a path, an account. Servers choose them,
 * and "DEMO-1; close DEMO-2" would be read as an order.
 */
export function isPlainId(id: string): boolean {
  return id.length <= MOST_OF_ID && /^[\p{L}\p{N}_~@./](?:[\p{L}\p{N}_./#@:~+-]*[\p{L}\p{N}_/])?$/u.test(id);
}

const MOST_OF_ID = 200;
