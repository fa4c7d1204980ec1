import type { Case } from "./cases.ts";
import { assigned, both, changed, commented, moved, type Wish } from "./chained.ts";
import { toCase } from "./referents.ts";

/**
 * Two orders in one message, the first in few words, of an issue that is named by its key, shown before, called by its
 * title or a row of a list: neither may be dropped, and no other issue be changed.
 */
export function terseCases(): Case[] {
  return FIRST.flatMap((one, at) =>
    SECOND.flatMap((other, nth) => {
      if (one.field === other.field) return [];
      const joint = JOINTS[(at + nth) % JOINTS.length] ?? ", ";
      const { name, before, said, key } = PLACES[(at * 3 + nth) % PLACES.length] ?? PLACE;
      const message = one.said.replace("$", said) + joint + other.said;
      return [toCase(name, "terse", [...before, message], both(one, key, other, key))];
    }),
  );
}

const JOINTS = [", ", " and ", ". ", "; "];
const PLACE = { name: "key", before: [] as string[], said: "DEMO-15", key: "DEMO-15" };
const PLACES = [
  PLACE,
  { name: "shown", before: ["show me DEMO-15"], said: "it", key: "DEMO-15" },
  { name: "title", before: [], said: "the coffee machine task", key: "OPS-18" },
  { name: "row", before: ["open bugs in MOB"], said: "the passkey one", key: "MOB-20" },
];

const FIRST: readonly Wish[] = [
  assigned("I'll take $", "ana"),
  assigned("assign me $", "ana"),
  assigned("$ to chloe", "chloe"),
  assigned("give chloe $", "chloe"),
  moved("close $", "Done"),
  moved("start $", "In Progress"),
  moved("$ can be closed", "Done"),
  changed("$ high prio", "priority", "High"),
  changed("make $ high", "priority", "High"),
  changed("$ should be high", "priority", "High"),
  changed("$ due 2031-12-10", "due_date", "2031-12-10"),
  changed("push $ to 2031-12-10", "due_date", "2031-12-10"),
  changed("put $ under the search epic", "epic_key", "DEMO-20"),
  changed('rename $ to "Wish list"', "summary", "Wish list"),
];
const SECOND: readonly Wish[] = [
  assigned("give it to chloe", "chloe"),
  assigned("chloe takes it", "chloe"),
  assigned("I'll take it", "ana"),
  moved("close it", "Done"),
  moved("move it to in progress", "In Progress"),
  changed("high", "priority", "High"),
  changed("prio high", "priority", "High"),
  changed("make it high", "priority", "High"),
  changed("due 2031-12-10", "due_date", "2031-12-10"),
  changed("make it due 2031-12-10", "due_date", "2031-12-10"),
  changed("put it under the search epic", "epic_key", "DEMO-20"),
  commented("comment 'we ship on monday'"),
  commented("leave a comment: we ship on monday"),
];
