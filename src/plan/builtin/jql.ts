import type { JsonObject } from "#contract/json.ts";

import { asText } from "../model-text.ts";
import { type Slot, toSlots } from "../slot.ts";
import type { ToolEntry } from "./tool-index.ts";

const day = { type: "string", format: "date" };
const word = { type: "string" };

/** What people ask of Jira issues, as arguments of a search that takes them one by one. */
const CONDITIONS: readonly Slot[] = toSlots({
  type: "object",
  properties: {
    query: word,
    project: { ...word, examples: ["DEMO", "OPS"] },
    type: { ...word, examples: ["Bug", "Story", "Task", "Epic"] },
    status: { ...word, examples: ["To Do", "In Progress", "In Review", "Done"] },
    status_category: { ...word, enum: ["open", "todo", "in_progress", "done"] },
    priority: { ...word, examples: ["High"] },
    labels: { type: "array", items: word },
    assignee: { ...word, examples: ["none"] },
    reporter: word,
    created_after: day,
    created_before: day,
    updated_after: day,
    updated_before: day,
    due_after: day,
    due_before: day,
    order_by: { ...word, enum: ["created", "updated", "due", "priority"] },
    order: { ...word, enum: ["asc", "desc"] },
  },
});

const LEFT_OUT =
  /^\W*(?:(?:and|but)\s+)?(?:(?:would you|please|that|which)\s+)*(?:(?:are|is)\s+)?(?:not|without|except(?:\s+for)?|excluding|exclude|leav(?:e|ing)\s+out|minus|other\s+than|apart\s+from|but\s+no)\s+(?:the\s+)?(?:ones?\s+)?(?:(?:that|which)\s+are\s+)?(?:already\s+|currently\s+)?(?:in\s+)?(?:the\s+)?(?:(bug|task|story|stories|epic|incident)s?|(review|progress|to[ -]?do|backlog)|(highest|high|medium|low|lowest)(?:\s+prio(?:rity)?)?)(?:\s+ones?)?\W*$/i;

/**
 * "Exclude the ones in review", "not the epics": the last search without what has this type, state or priority, where
 * the tool takes JQL beside conditions, and conditions that JQL can say.
 */
export function leftOut(text: string, args: JsonObject, { slots }: ToolEntry): JsonObject | undefined {
  const [found, type, state, priority] = LEFT_OUT.exec(text) ?? [];
  const slot = slots.find(({ name, required }) => name === "jql" && !required);
  const isKnown = Object.keys(args).every(
    (name) => name === "limit" || CONDITIONS.some((each) => each.name === name),
  );
  if (found === undefined || slot === undefined || !isKnown) return undefined;
  const STATES: Record<string, string> = { review: "In Review", progress: "In Progress", backlog: "Backlog" };
  const condition =
    type !== undefined
      ? `issuetype != ${type.replace(/ies$/i, "y")}`
      : priority !== undefined
        ? `priority != ${priority}`
        : `status != "${STATES[(state ?? "").toLowerCase()] ?? "To Do"}"`;
  const { [slot.name]: jql = "", ...rest } = composeJql(args, slot) ?? {};
  const [where = "", order = ""] = asText(jql).split(/(?= ?ORDER BY )/);
  const parts = [where, condition].filter((part) => part !== "").join(" AND ");
  return { ...rest, [slot.name]: `${parts}${order === "" ? "" : ` ${order.trim()}`}` };
}

/** The argument in which a search of another Jira server wants JQL, where it asks for nothing else. */
export function jqlSlot({ slots, changing, tool }: ToolEntry): Slot | undefined {
  if (changing || slots.some(({ name }) => /^(?:query|project|status)$/.test(name))) return undefined;
  const isJql = ({ name, description }: Slot): boolean =>
    /jql/i.test(name) || (/search/i.test(name) && /\bjql\b/i.test(description));
  return /search|find|query/i.test(tool.name)
    ? slots.find((slot) => slot.required && isJql(slot))
    : undefined;
}

/** The entry as if it took each condition by itself. */
export function withConditions(entry: ToolEntry, slot: Slot): ToolEntry {
  const others = entry.slots.filter(
    ({ name, required }) => name !== slot.name && !required && !CONDITIONS.some((each) => each.name === name),
  );
  return {
    ...entry,
    slots: [...CONDITIONS, ...others],
    intents: new Set([...entry.intents, "search"]),
    takesTopic: true,
  };
}

/** The arguments with their conditions as one text of JQL; undefined where there are none. */
export function composeJql(args: JsonObject, slot: Slot): JsonObject | undefined {
  const names = new Set(CONDITIONS.map(({ name }) => name));
  const text = (name: string): string | undefined =>
    typeof args[name] === "string" ? args[name] : undefined;
  const quoted = (value: string): string =>
    /^[\w-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const same = (field: string, name: string): string[] => {
    const values = (text(name) ?? "")
      .split(/\s*,\s*/)
      .filter((value) => value !== "")
      .map(quoted);
    if (values.length > 1) return [`${field} in (${values.join(", ")})`];
    return values.map((value) => `${field} = ${value}`);
  };
  const since = (field: string): string[] => [
    ...(text(`${field}_after`) === undefined ? [] : [`${field} >= ${text(`${field}_after`) ?? ""}`]),
    ...(text(`${field}_before`) === undefined ? [] : [`${field} <= ${text(`${field}_before`) ?? ""}`]),
  ];
  const category = {
    open: "statusCategory != Done",
    todo: 'statusCategory = "To Do"',
    in_progress: 'statusCategory = "In Progress"',
    done: "statusCategory = Done",
  };
  const broad = text("status_category") as keyof typeof category | undefined;
  const query = text("query");
  const parts = [
    ...same("project", "project"),
    ...same("issuetype", "type"),
    ...same("status", "status"),
    ...(broad === undefined ? [] : [category[broad]]),
    ...same("priority", "priority"),
    ...(Array.isArray(args["labels"])
      ? args["labels"].map((label) => `labels = ${quoted(asText(label))}`)
      : []),
    ...(text("assignee") === "none" ? ["assignee is EMPTY"] : same("assignee", "assignee")),
    ...same("reporter", "reporter"),
    ...["created", "updated", "due"].flatMap(since),
    ...(query === undefined ? [] : [`text ~ "${query.replaceAll(/["\\]/g, String.raw`\$&`)}"`]),
  ];
  const order =
    text("order_by") === undefined
      ? ""
      : ` ORDER BY ${text("order_by") ?? ""} ${(text("order") ?? "desc").toUpperCase()}`;
  if (parts.length === 0 && order === "") return undefined;
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
  return { [slot.name]: `${parts.join(" AND ")}${order}`.trim(), ...rest };
}
