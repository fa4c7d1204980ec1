import { closest, distance } from "fastest-levenshtein";

import { ToolFailure } from "./tool.ts";

export interface Person {
  id: string;
  name: string;
}

/** Lower case without accents: "Chloé" and "chloe" are one name. */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** Also without spaces and dashes: "in-progress" and "In Progress" are one status. */
export function foldName(text: string): string {
  return fold(text).replace(/[\s_-]+/g, "");
}

/** The name that was meant, as it is spelled in `names`; "bugs" means Bug where nothing is called Bugs. */
export function findName(text: string, names: readonly string[]): string | undefined {
  const folded = foldName(text);
  const meant = [folded, folded.replace(/ies$/, "y"), folded.replace(/s$/, "")];
  return meant
    .map((wanted) => names.find((name) => foldName(name) === wanted))
    .find((name) => name !== undefined);
}

/** As findName. Throws a ToolFailure that lists the names. */
export function pickName(kind: string, text: string, names: readonly string[]): string {
  const found = findName(text, names);
  if (found !== undefined) return found;
  throw new ToolFailure(
    `unknown_${kind}`,
    `unknown ${kind} "${text}"${hint(text, names)}. Possible: ${names.join(", ") || "none"}`,
  );
}

/**
 * The one person meant by an id, a name or a part of a name. Throws a ToolFailure: `ambiguous_user`
 * names those who match, `unknown_user` those who exist.
 */
export function pickPerson(text: string, people: readonly Person[]): Person {
  const wanted = fold(text).replace(/^@/, "");
  const exact = people.filter((person) => fold(person.id) === wanted || fold(person.name) === wanted);
  const matches = exact.length > 0 ? exact : people.filter((person) => hasPart(fold(person.name), wanted));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  if (matches.length > 1) {
    throw new ToolFailure(
      "ambiguous_user",
      `"${text}" fits several people: ${listPeople(matches)}. Name one of them, or give the id`,
    );
  }
  throw new ToolFailure("unknown_user", `unknown user "${text}". People: ${listPeople(people) || "none"}`);
}

export function isMe(text: string): boolean {
  return /^(me|myself|i|currentuser\(\))$/i.test(text.trim());
}

export function isNobody(text: string): boolean {
  return /^(unassigned|unassign|nobody|no one|none|null)$/i.test(text.trim());
}

function listPeople(people: readonly Person[]): string {
  return listSome(people.map(({ name, id }) => `${name} (${id})`));
}

/** At most 20 of them, for a message. */
export function listSome(names: readonly string[]): string {
  return [...names.slice(0, 20), ...(names.length > 20 ? ["…"] : [])].join(", ");
}

/** A part counts from the start of a word: "lind" is in "Ana Lindqvist", "a" alone is too. */
function hasPart(name: string, wanted: string): boolean {
  return wanted !== "" && (name.startsWith(wanted) || name.includes(` ${wanted}`));
}

function hint(text: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const nearest = closest(text, [...names]);
  return distance(fold(text), fold(nearest)) <= 2 ? ` (did you mean ${nearest}?)` : "";
}
