import type { Case, Expectation } from "./cases.ts";
import { proposes, toCase } from "./referents.ts";

/** Two orders in one message, of one issue and of two, with what people put between them. */
export function chainedCases(): Case[] {
  return WISHES.flatMap((one, at) =>
    WISHES.flatMap((other, nth) => {
      if (one.field === other.field) return [];
      const turn = at * 5 + nth * 3;
      const joint = JOINTS[turn % JOINTS.length] ?? " and ";
      const next = JOINTS[(turn + 4) % JOINTS.length] ?? " and ";
      const first = one.said.replace("$", "DEMO-4");
      return [
        toCase(
          "one",
          "chained",
          [first + joint + other.said.replace("$", "it")],
          both(one, "DEMO-4", other, "DEMO-4"),
        ),
        toCase(
          "two",
          "chained",
          [first + next + other.said.replace("$", "OPS-9")],
          both(one, "DEMO-4", other, "OPS-9"),
        ),
      ];
    }),
  );
}

const JOINTS = [
  " and ",
  ", then ",
  " and then ",
  "; ",
  ". ",
  ". also ",
  ", and ",
  " & ",
  " and also ",
  ", ",
  "\n",
  " plus ",
  " + ",
];

export interface Wish {
  field: string;
  said: string;
  call: (key: string) => { tool: string; args: Record<string, unknown> };
}

export const assigned = (said: string, assignee: string): Wish => ({
  field: "assignee",
  said,
  call: (key) => ({ tool: "assign_issue", args: { issue_key: key, assignee } }),
});
export const moved = (said: string, status: string): Wish => ({
  field: "status",
  said,
  call: (key) => ({ tool: "transition_issue", args: { issue_key: key, status } }),
});
export const changed = (said: string, field: string, value: unknown): Wish => ({
  field,
  said,
  call: (key) => ({ tool: "update_issue", args: { issue_key: key, fields: { [field]: value } } }),
});
export const commented = (said: string): Wish => ({
  field: "comment",
  said,
  call: (key) => ({ tool: "add_comment", args: { issue_key: key, body: "we ship on monday" } }),
});

const WISHES: readonly Wish[] = [
  assigned("assign $ to ben", "ben"),
  assigned("give $ to chloe", "chloe"),
  moved("move $ to in review", "In Review"),
  moved("close $", "Done"),
  moved("start $", "In Progress"),
  changed("set $ to highest", "priority", "Highest"),
  changed("make $ low priority", "priority", "Low"),
  changed("set the due date of $ to 2031-12-10", "due_date", "2031-12-10"),
  changed("rename $ to 'Wish list'", "summary", "Wish list"),
  commented("comment 'we ship on monday' on $"),
];

/** Changes of fields of one issue are one call. */
export function both(one: Wish, key: string, other: Wish, second: string): Expectation {
  const [first, then] = [one.call(key), other.call(second)];
  const isOneCall = first.tool === "update_issue" && then.tool === "update_issue" && key === second;
  if (!isOneCall) return { calls: [first, then] };
  const fields = [first, then].map(({ args }) => args["fields"]);
  return {
    one_of: [
      proposes("update_issue", { issue_key: key, fields: Object.assign({}, ...fields) as object }),
      { calls: [first, then] },
    ],
  };
}
