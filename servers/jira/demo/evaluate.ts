import { stemmer } from "stemmer";

import { fold, foldName, pickName, pickPerson } from "#servers/kit/names.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import { fieldKinds, type FieldName } from "../jql/fields.ts";
import { compareMoment, type Condition, jqlError, type Query, toMoment, type Value } from "../jql/parse.ts";
import { type DemoIssue, type DemoState, linksOf, peopleOf, statusCategory } from "./state.ts";

export interface EvaluationContext {
  state: DemoState;
  /** The id of the person who asks. */
  me: string;
  now: Date;
}

type Predicate = (issue: DemoIssue) => boolean;

type Clause = Extract<Condition, { kind: "clause" }>;

/** A test for issues. Names that do not exist are errors (`bad_jql`), as they are in Jira. */
export function toPredicate(condition: Condition | undefined, context: EvaluationContext): Predicate {
  if (condition === undefined) return () => true;
  if (condition.kind === "not") {
    const inner = toPredicate(condition.part, context);
    return (issue) => !inner(issue);
  }
  if (condition.kind !== "clause") {
    const parts = condition.parts.map((part) => toPredicate(part, context));
    return condition.kind === "and"
      ? (issue) => parts.every((t) => t(issue))
      : (issue) => parts.some((t) => t(issue));
  }
  return clauseTest(condition, context);
}

function clauseTest(clause: Clause, context: EvaluationContext): Predicate {
  const { field, operator, values } = clause;
  if (operator === "is empty") return (issue) => valuesOf(field, issue, context.state).length === 0;
  if (operator === "is not empty") return (issue) => valuesOf(field, issue, context.state).length > 0;
  const kind = fieldKinds[field];
  if (kind === "text") return textTest(clause, context);
  if (kind === "date") return dateTest(clause, context);
  if (kind === "rank" && /[<>]/.test(operator)) return rankTest(clause, context);
  const wanted = new Set(values.map((value) => fold(resolve(field, value, context))));
  // As in Jira, != and not in leave out issues where the field is empty.
  const negated = operator === "!=" || operator === "not in";
  return (issue) => {
    const own = valuesOf(field, issue, context.state).map(fold);
    return own.length > 0 && own.some((value) => wanted.has(value)) !== negated;
  };
}

function textTest({ field, operator, values }: Clause, context: EvaluationContext): Predicate {
  const wanted = values.map(textOf).join(" ");
  return (issue) =>
    containsWords(valuesOf(field, issue, context.state).join("\n"), wanted) !== (operator === "!~");
}

function dateTest({ field, operator, values }: Clause, context: EvaluationContext): Predicate {
  const moments = values.map((value) => toMoment(value, context.now));
  const sign = operator === "in" || operator === "not in" || operator === "!=" ? "=" : operator;
  const negated = operator === "!=" || operator === "not in";
  return (issue) => {
    const own = valuesOf(field, issue, context.state)[0];
    if (own === undefined) return false;
    return moments.some((moment) => compareMoment(Date.parse(own), sign, moment)) !== negated;
  };
}

/** Higher priorities come first in the list of them. */
function rankTest({ field, operator, values }: Clause, context: EvaluationContext): Predicate {
  const [value] = values;
  if (value === undefined) return () => false;
  const ranks = context.state.priorities;
  const limit = ranks.indexOf(resolve(field, value, context));
  return (issue) => {
    const above = limit - ranks.indexOf(issue.priority);
    if (operator === ">") return above > 0;
    if (operator === ">=") return above >= 0;
    return operator === "<" ? above < 0 : above <= 0;
  };
}

/** The stored value a JQL value means, such as the id of a person. */
function resolve(field: FieldName, value: Value, context: EvaluationContext): string {
  const { state } = context;
  if (fieldKinds[field] === "person" && isMe(value)) return context.me;
  const text = textOf(value);
  try {
    switch (field) {
      case "project":
        return findProject(text, state).key;
      case "status": {
        const names = state.statuses.map(({ name }) => name);
        return pickName("status", text, names);
      }
      case "statusCategory":
        return categoryOf(text);
      case "type":
        return pickName("type", text, state.types);
      case "priority":
        return pickName("priority", text, state.priorities);
      case "assignee":
      case "reporter":
        return pickPerson(text, peopleOf(state)).id;
      default:
        return text;
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw jqlError(value.at, error.message);
    throw error;
  }
}

/** The project of a key or a name. Throws `unknown_project`. */
export function findProject(text: string, state: DemoState): DemoState["projects"][number] {
  const found = state.projects.find(
    ({ key, name }) => foldName(key) === foldName(text) || foldName(name) === foldName(text),
  );
  if (found !== undefined) return found;
  const known = state.projects.map(({ key, name }) => `${key} (${name})`).join(", ");
  throw new ToolFailure("unknown_project", `unknown project "${text}". Projects: ${known}`);
}

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["todo", "todo"],
  ["new", "todo"],
  ["inprogress", "in_progress"],
  ["indeterminate", "in_progress"],
  ["done", "done"],
  ["complete", "done"],
]);

function categoryOf(text: string): string {
  const category = CATEGORIES.get(foldName(text));
  if (category !== undefined) return category;
  throw new ToolFailure(
    "unknown_category",
    `unknown status category "${text}". Possible: "To Do", "In Progress", Done`,
  );
}

function isMe(value: Value): boolean {
  if (value.kind === "function") return value.name.toLowerCase() === "currentuser" && value.args.length === 0;
  return value.text.toLowerCase() === "me";
}

function textOf(value: Value): string {
  if (value.kind === "text") return value.text;
  throw jqlError(value.at, `${value.name}() cannot be used here`);
}

function valuesOf(field: FieldName, issue: DemoIssue, state: DemoState): string[] {
  switch (field) {
    case "labels":
      return issue.labels;
    case "issueLinkType":
      return linksOf(issue.key, state).map(({ type }) => type);
    case "comment":
      return issue.comments.map(({ body }) => body);
    case "text":
      return [issue.summary, issue.description, ...issue.comments.map(({ body }) => body)];
    case "statusCategory":
      return [statusCategory(issue, state)];
    case "description":
      return issue.description === "" ? [] : [issue.description];
    default:
      return issue[field] === null ? [] : [issue[field]];
  }
}

/** Sorts as ORDER BY says, empty values last, ties by key. */
export function sortIssues(issues: DemoIssue[], order: Query["order"], state: DemoState): DemoIssue[] {
  return issues.toSorted((a, b) => {
    for (const { field, direction } of order) {
      const [left, right] = [sortKey(field, a, state), sortKey(field, b, state)];
      if (left === right) continue;
      if (left === "" || right === "") return left === "" ? 1 : -1;
      const sign = left < right ? -1 : 1;
      return direction === "desc" ? -sign : sign;
    }
    return compareKeys(a.key, b.key);
  });
}

export function compareKeys(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function sortKey(field: FieldName, issue: DemoIssue, state: DemoState): string | number {
  switch (field) {
    case "priority":
      return -state.priorities.indexOf(issue.priority);
    case "status":
      return state.statuses.findIndex(({ name }) => name === issue.status);
    case "key": {
      const [project = "", number = "0"] = issue.key.split("-");
      return `${project} ${number.padStart(9, "0")}`;
    }
    case "assignee":
    case "reporter":
      return fold(state.people[issue[field] ?? ""] ?? "");
    default:
      return fold(valuesOf(field, issue, state).join(" "));
  }
}

/** Words that say nothing about what is looked for. */
const stopWords: ReadonlySet<string> = new Set(
  "a about all an and any are as at be by do for from has have how i in is it its me my of on or our that the this to was we what when where which who why with find show list search give issue issues ticket tickets jira".split(
    " ",
  ),
);

/** The words of a text, folded; issue keys stay whole. */
export function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}_]+(?:-\d+)?/gu) ?? [];
}

/** Words as they are indexed: "teapots" and "teapot" are one. */
export function stem(word: string): string {
  return stemmer(word);
}

/** The words of a question worth looking for; all of them when there are no others. */
export function searchWords(query: string): string[] {
  const words = wordsOf(query);
  const telling = words.filter((word) => !stopWords.has(word));
  return telling.length > 0 ? telling : words;
}

/** JQL's `~`: every word of `wanted` is in the text; "log*" matches by its beginning. */
function containsWords(text: string, wanted: string): boolean {
  const words = wordsOf(text);
  const stems = new Set(words.map(stem));
  return (fold(wanted).match(/[\p{L}\p{N}_]+(?:-\d+)?\*?/gu) ?? []).every((word) =>
    word.endsWith("*")
      ? words.some((candidate) => candidate.startsWith(word.slice(0, -1)))
      : stems.has(stem(word)),
  );
}
