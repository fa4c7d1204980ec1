import type { JsonSchema, JsonValue } from "#contract/json.ts";

import { isObject } from "./json.ts";

const WORDS: ReadonlySet<string> = new Set(
  "assignee assignees owner owners person people user users username usernames reporter reporters author authors creator creators member members reviewer reviewers watcher watchers approver approvers requester requesters recipient recipients mentioned involves".split(
    " ",
  ),
);
/** What such a word may stand in and still name people. */
const BESIDE: ReadonlySet<string> = new Set(
  "new old issue task ticket page account id ids name names key login email by to from the".split(" "),
);
const MAX_DEPTH = 3;

/**
 * Where a tool's arguments name people, as paths of members: `assignee`, `fields.reporter`. Texts and lists of texts
 * alone; by their names, as descriptions speak of people everywhere.
 */
export function personArguments(schema: JsonSchema, depth = 0): string[][] {
  if (depth > MAX_DEPTH || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, property]): string[][] => {
    const plain = branchesOf(property);
    if (plain.some(takesText) && namesPeople(name)) return [[name]];
    return plain.flatMap((one) => personArguments(one, depth + 1)).map((path) => [name, ...path]);
  });
}

function namesPeople(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => WORDS.has(word)) && words.every((word) => WORDS.has(word) || BESIDE.has(word));
}

/** A schema and what it may be instead. */
function branchesOf(property: JsonValue | undefined): JsonSchema[] {
  if (!isObject(property)) return [];
  const unions = [property.anyOf, property.oneOf].flatMap((one) => (Array.isArray(one) ? one : []));
  return [property, ...unions.flatMap((one) => (isObject(one) ? [one] : []))] as JsonSchema[];
}

function takesText(schema: JsonSchema): boolean {
  const types = [schema.type].flat();
  if (types.includes("string")) return schema.enum === undefined;
  return types.includes("array") && isObject(schema.items) && takesText(schema.items);
}
