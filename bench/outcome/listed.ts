import type { Case } from "./cases.ts";
import type { Condition } from "./conditions.ts";
import { toCase } from "./referents.ts";

/** Lists and counts under two or three conditions, in the orders and words in which people say them. */
export function listedCases(): Case[] {
  return FORMS.flatMap((form, at) =>
    THINGS.flatMap(([things, type], nth) =>
      [0, 1, 2].flatMap((more) => {
        const turn = at * 7 + nth * 3 + more * 5;
        const [state, ofState] = STATES[turn % STATES.length] ?? ["", {}];
        const [place, ofPlace] = PLACES[(turn + more) % PLACES.length] ?? ["", {}];
        const [who, ofWho] = PEOPLE[(turn + at) % PEOPLE.length] ?? ["", {}];
        const [urgent, ofUrgent] = PRIORITIES[(turn + nth) % PRIORITIES.length] ?? ["", {}];
        const said = form
          .replace("STATE", state)
          .replace("THINGS", things)
          .replace("PLACE", place)
          .replace("WHO", who)
          .replace("URGENT", urgent);
        const where: Condition = {
          ...type,
          ...(form.includes("STATE") ? ofState : {}),
          ...(form.includes("PLACE") ? ofPlace : {}),
          ...(form.includes("WHO") ? ofWho : {}),
          ...(form.includes("URGENT") ? ofUrgent : {}),
        };
        return [
          toCase(
            "listed",
            "listed",
            [said],
            said.startsWith("how many") ? { count: where } : { keys: { where } },
          ),
        ];
      }),
    ),
  );
}

type Part = readonly [said: string, condition: Condition];

const THINGS: readonly Part[] = [
  ["bugs", { type: "Bug" }],
  ["tasks", { type: "Task" }],
  ["stories", { type: "Story" }],
  ["tickets", {}],
];
const STATES: readonly Part[] = [
  ["open", { category: "open" }],
  ["finished", { category: "done" }],
  ["unfinished", { category: "open" }],
  ["in progress", { status: "In Progress" }],
  ["in review", { status: "In Review" }],
  ["done", { category: "done" }],
];
const PLACES: readonly Part[] = [
  ["in OPS", { project: "OPS" }],
  ["in the demo shop", { project: "DEMO" }],
  ["of the mobile app", { project: "MOB" }],
  ["in MOB", { project: "MOB" }],
  ["from DEMO", { project: "DEMO" }],
];
const PEOPLE: readonly Part[] = [
  ["assigned to ben", { assignee: "ben" }],
  ["that chloé has", { assignee: "chloe" }],
  ["reported by emi", { reporter: "emi" }],
  ["for farid", { assignee: "farid" }],
  ["that nobody has", { assignee: "none" }],
  ["of mine", { assignee: "ana" }],
  ["I reported", { reporter: "ana" }],
];
const PRIORITIES: readonly Part[] = [
  ["with high priority", { priority: "High" }],
  ["with priority low", { priority: "Low" }],
  ["of highest priority", { priority: "Highest" }],
];
const FORMS: readonly string[] = [
  "show me the THINGS PLACE that are STATE",
  "which THINGS PLACE are STATE?",
  "all THINGS WHO PLACE",
  "list THINGS PLACE WHO",
  "are there any THINGS WHO PLACE",
  "THINGS URGENT PLACE",
  "PLACE, which THINGS are STATE",
  "what THINGS are there PLACE URGENT",
  "do we have THINGS PLACE WHO",
  "how many THINGS PLACE are STATE",
  "how many THINGS WHO are STATE",
  "how many THINGS are there URGENT PLACE",
  "can you list the THINGS URGENT WHO please",
  "I need a list of all THINGS PLACE WHO",
  "give me THINGS WHO that are STATE",
  "THINGS PLACE WHO, only the ones that are STATE",
];
