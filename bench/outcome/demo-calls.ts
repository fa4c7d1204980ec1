import { fold } from "./conditions.ts";
import { dayOf, type DemoData } from "./demo-data.ts";
import { type Args, type Call, isObject, matches } from "./match.ts";

/**
 * One form for calls of the demo's tools that change the same: people by their ids, assigning as `assign_issue`,
 * links from the outward end. `actor` is who "me" is.
 */
export function canonicalDemoCall(demo: DemoData, actor: string): (call: Call) => Call {
  const person = (value: unknown): unknown =>
    typeof value === "string" ? personOf(value, demo, actor) : value;
  return (call) => {
    const args: Args = { ...call.args };
    if (args.dry_run === false) delete args.dry_run;
    for (const name of ["issue_key", "from_key", "to_key", "epic_key"])
      if (typeof args[name] === "string") args[name] = args[name].toUpperCase();
    if ("assignee" in args) args.assignee = person(args.assignee ?? "none");
    if (isObject(args.fields) && "assignee" in args.fields) {
      const { assignee, ...fields } = args.fields;
      const who = person(assignee ?? "none");
      if (Object.keys(fields).length === 0)
        return { ...call, tool: "assign_issue", args: { issue_key: args.issue_key, assignee: who } };
      args.fields = { ...fields, assignee: who };
    }
    return call.tool === "link_issues" ? { ...call, args: outward(args) } : { ...call, args };
  };
}

const NOBODY: ReadonlySet<string> = new Set(["", "none", "nobody", "no one", "unassigned"]);

function personOf(text: string, demo: DemoData, actor: string): string {
  const wanted = fold(text.trim());
  if (NOBODY.has(wanted)) return "none";
  if (wanted === "me") return actor;
  const found = [...demo.people].find(([id, name]) => {
    const full = fold(name);
    return id === wanted || full === wanted || full.split(" ").includes(wanted);
  });
  return found?.[0] ?? text;
}

const INWARD: Readonly<Record<string, string>> = {
  "is blocked by": "blocks",
  "is caused by": "causes",
  "is duplicated by": "duplicates",
};

const NAMES: Readonly<Record<string, string>> = {
  relates: "relates to",
  "related to": "relates to",
  "is related to": "relates to",
  duplicate: "duplicates",
};

function outward(args: Args): Args {
  const type = String(args.type).toLowerCase();
  const { from_key: from, to_key: to } = args;
  const name = NAMES[type] ?? INWARD[type] ?? type;
  // An expected type may be a form, such as `{any_of: [relates to, blocks]}`: where that fits, either end may come first.
  const isRelated = isObject(args.type) ? matches("relates to", args.type) : name === "relates to";
  const isTurned = type in INWARD || (isRelated && String(from) > String(to));
  return {
    ...args,
    type: isObject(args.type) ? args.type : name,
    from_key: isTurned ? to : from,
    to_key: isTurned ? from : to,
  };
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * Expected arguments with what only the run knows filled in: `{row: 2}` is the record in that row of the last list,
 * `{in_days: 3}` and `{weekday: friday}` (the next one; on a Friday also today) are dates.
 */
export function fillIn(value: unknown, now: Date, row: (at: number) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => fillIn(one, now, row));
  if (!isObject(value)) return value;
  if (typeof value.row === "number") return row(value.row) ?? `no row ${value.row}`;
  if (typeof value.in_days === "number") return dayOf(now, value.in_days);
  if (typeof value.weekday === "string") {
    const ahead = (WEEKDAYS.indexOf(value.weekday) - now.getUTCDay() + 7) % 7;
    return { any_of: ahead === 0 ? [dayOf(now, 0), dayOf(now, 7)] : [dayOf(now, ahead)] };
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillIn(one, now, row)]));
}
