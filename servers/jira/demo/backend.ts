import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import MiniSearch from "minisearch";

import { openJsonStore } from "#servers/kit/data.ts";
import { fold, isMe, pickPerson } from "#servers/kit/names.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { IssueFilter } from "../arguments.ts";
import {
  type CallContext,
  fromCursor,
  type IssueFields,
  type JiraBackend,
  type LinkType,
  type NewIssue,
  toCursor,
} from "../backend.ts";
import { countBy } from "../count.ts";
import { composeJql, type Jql, jqlText, type SiteNames } from "../jql/compose.ts";
import { parseJql } from "../jql/parse.ts";
import type { IssueSummary } from "../schemas.ts";
import {
  compareKeys,
  type EvaluationContext,
  findProject,
  searchWords,
  sortIssues,
  stem,
  toPredicate,
  wordsOf,
} from "./evaluate.ts";
import { seedState } from "./seed.ts";
import {
  browseUrl,
  type DemoIssue,
  type DemoState,
  peopleOf,
  presentIssue,
  presentSummary,
  toPerson,
} from "./state.ts";

export interface DemoOptions {
  /** Where changes are kept, as `jira-demo.json`. */
  folder: string;
  /** Who "me" is: an id or a name of the demo site. */
  me: string;
  /** Waiting time for each issue of a search or an export, in milliseconds. */
  delayMs: number;
  now: () => Date;
}

/** The embedded store: the demo site's issues and whatever was changed in them. */
export function createDemoBackend(options: DemoOptions): JiraBackend {
  const store = openJsonStore<DemoState>(join(options.folder, "jira-demo.json"), () =>
    seedState(options.now()),
  );

  function me(state: DemoState): string {
    return pickPerson(options.me, peopleOf(state)).id;
  }

  function author(state: DemoState): Author {
    return { me: me(state), at: options.now().toISOString() };
  }

  function viewOf(state: DemoState): EvaluationContext {
    return { state, me: me(state), now: options.now() };
  }

  /** Reports every issue it passes. Throws `cancelled` when the caller gives up. */
  async function walk(
    issues: DemoIssue[],
    verb: string,
    state: DemoState,
    call: CallContext,
  ): Promise<IssueSummary[]> {
    const walked: IssueSummary[] = [];
    for (const issue of issues) {
      if (options.delayMs > 0)
        await sleep(options.delayMs, undefined, { signal: call.signal }).catch(() => {});
      if (call.signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled");
      walked.push(presentSummary(issue, state));
      await call.progress(walked.length, issues.length, `${verb} ${issue.key}`);
    }
    return walked;
  }

  return {
    kind: "demo",
    get self() {
      return me(store.read());
    },
    async issue(key) {
      const state = store.read();
      return presentIssue(findIssue(key, state), state);
    },
    async children(epicKey) {
      const state = store.read();
      const children = state.issues.filter((issue) => issue.epic === epicKey);
      return children
        .toSorted((a, b) => compareKeys(a.key, b.key))
        .map((issue) => presentSummary(issue, state));
    },
    async search(asked, call) {
      const { filter, at } = fromCursor(asked);
      const { limit } = asked;
      const state = store.read();
      const { found, jql } = await searchIssues(filter, viewOf(state));
      const start = typeof at === "number" ? at : 0;
      const end = start + limit;
      const page = found.slice(start, end);
      // Only a search that reaches over the whole store takes long enough to be watched.
      const whole = found.length === state.issues.length || limit >= state.issues.length;
      if (whole) await walk(state.issues, "read", state, call);
      return {
        issues: page.map((issue) => presentSummary(issue, state)),
        total: found.length,
        next_cursor: end < found.length ? toCursor(filter, end) : null,
        jql: jqlText(jql),
      };
    },
    async count(filter, by) {
      const state = store.read();
      const { found, jql } = await searchIssues(filter, viewOf(state));
      const issues = found.map((issue) => presentIssue(issue, state));
      const groups = by === undefined ? [] : countBy(issues, by);
      return { total: issues.length, groups, complete: true, jql: jql.where };
    },
    async exportIssues(projectKey, call) {
      const state = store.read();
      const { key } = findProject(projectKey, state);
      const issues = state.issues
        .filter((issue) => issue.project === key)
        .toSorted((a, b) => compareKeys(a.key, b.key));
      return { project: key, issues: await walk(issues, "exported", state, call) };
    },
    async projects() {
      const state = store.read();
      return state.projects.map(({ key, name, lead }) => ({
        key,
        name,
        lead: toPerson(lead, state),
        issues: state.issues.filter((issue) => issue.project === key).length,
        url: browseUrl(key),
      }));
    },
    async choices(projectKey) {
      const state = store.read();
      const { key, name } = findProject(projectKey, state);
      return { key, name, types: state.types, priorities: state.priorities };
    },
    async findPerson(text) {
      const people = peopleOf(store.read());
      return pickPerson(isMe(text) ? options.me : text, people);
    },
    async people(text) {
      const wanted = fold(text).replace(/^@/, "");
      const found = peopleOf(store.read()).map((person) => ({
        ...person,
        email: `${person.id}@acme.example.com`,
      }));
      return found.filter(
        ({ id, name, email }) =>
          [id, email].includes(wanted) ||
          fold(name)
            .split(" ")
            .some((_, at, words) => words.slice(at).join(" ").startsWith(wanted)),
      );
    },
    async transitions(key) {
      const state = store.read();
      findIssue(key, state);
      return state.statuses.map(({ name, category }) => ({ id: name, name, status: name, category }));
    },
    async linkTypes() {
      return store.read().linkTypes;
    },
    async create(issue) {
      return store.update((state) => addIssue(state, issue, author(state)));
    },
    async update(key, fields) {
      store.update((state) => changeIssue(state, key, fields, author(state)));
    },
    async transition(key, { status }) {
      store.update((state) => moveIssue(state, key, status, author(state)));
    },
    async comment(key, body) {
      const comment = store.update((state) => addComment(state, key, body, author(state)));
      return { ...comment, author: toPerson(comment.author, store.read()) };
    },
    async link(type, from, to) {
      store.update((state) => addLink(state, type, from, to, author(state)));
    },
    async remove(key) {
      store.update((state) => removeIssue(state, key, author(state)));
    },
  };
}

/** The issues a filter asks for, in its order, and the JQL that asks for the same. */
async function searchIssues(
  filter: IssueFilter,
  view: EvaluationContext,
): Promise<{ found: DemoIssue[]; jql: Jql }> {
  const { state } = view;
  const { query, ...conditions } = filter;
  const names = namesOf(state);
  const [jql, tested] = await Promise.all([composeJql(filter, names), composeJql(conditions, names)]);
  // The caller's own query is read as it came, so that an error names the place in it.
  const where = toPredicate(parseJql(filter.jql ?? tested.where).where, view);
  const found = sortIssues(state.issues.filter(where), parseJql(tested.order).order, state);
  const ordered = filter.order_by !== undefined || filter.order !== undefined;
  return { found: query === undefined ? found : rank(query, found, ordered), jql };
}

function namesOf(state: DemoState): SiteNames {
  const lists = {
    type: state.types,
    status: state.statuses.map(({ name }) => name),
    priority: state.priorities,
  };
  return {
    project: async (text) => findProject(text, state).key,
    list: async (what) => lists[what],
    person: async (text) => pickPerson(text, peopleOf(state)).id,
    epicField: "parent",
    everything: "",
  };
}

/** Those that hold all words of the query, best match first unless the order is given. */
function rank(query: string, issues: DemoIssue[], keepOrder: boolean): DemoIssue[] {
  const index = new MiniSearch<Record<string, string>>({
    idField: "key",
    fields: ["key", "summary", "description", "labels", "comments"],
    tokenize: wordsOf,
    processTerm: stem,
  });
  index.addAll(
    issues.map((issue) => ({
      key: issue.key,
      summary: issue.summary,
      description: issue.description,
      labels: issue.labels.join(" "),
      comments: issue.comments.map(({ body }) => body).join("\n"),
    })),
  );
  const results = index.search(query, {
    tokenize: searchWords,
    combineWith: "AND",
    // "tea" finds "teapot", but DEMO-1 is not DEMO-10.
    prefix: (term) => term.length >= 3 && !/\d/.test(term),
    boost: { key: 10, summary: 4, labels: 3, comments: 0.5 },
  });
  const place = new Map(results.map(({ id }, position) => [String(id), position]));
  const found = issues.filter(({ key }) => place.has(key));
  return keepOrder ? found : found.toSorted((a, b) => (place.get(a.key) ?? 0) - (place.get(b.key) ?? 0));
}

/** Who changes something, and when (ISO 8601). */
interface Author {
  me: string;
  at: string;
}

/** The issue of a key. Throws `unknown_issue`. */
function findIssue(key: string, state: DemoState): DemoIssue {
  const found = state.issues.find((issue) => issue.key === key);
  if (found !== undefined) return found;
  const project = state.projects.find((candidate) => key.startsWith(`${candidate.key}-`));
  const known = state.projects.map((candidate) => candidate.key).join(", ");
  throw new ToolFailure(
    "unknown_issue",
    project === undefined
      ? `there is no issue ${key}. Projects: ${known}`
      : `there is no issue ${key}. ${project.name} has keys from ${project.key}-1 to ${project.key}-${project.nextNumber - 1}`,
  );
}

function addIssue(state: DemoState, issue: NewIssue, { me, at }: Author): string {
  const project = findProject(issue.project, state);
  const key = `${project.key}-${project.nextNumber}`;
  project.nextNumber += 1;
  state.issues.push({
    key,
    project: project.key,
    type: issue.type,
    summary: issue.summary,
    status: "To Do",
    priority: issue.priority ?? "Medium",
    assignee: issue.assignee?.id ?? null,
    reporter: me,
    labels: issue.labels ?? [],
    epic: issue.epic_key ?? null,
    created: at,
    updated: at,
    due: issue.due_date ?? null,
    description: issue.description ?? "",
    comments: [],
    history: [],
  });
  return key;
}

/** Records each field that changes; a field that is undefined stays as it is. */
function changeIssue(state: DemoState, key: string, fields: IssueFields, author: Author): void {
  const issue = findIssue(key, state);
  const { summary, type, description, priority, assignee, labels, epic_key: epic, due_date: due } = fields;
  const id = assignee === null ? null : assignee?.id;
  const wanted = { summary, type, description, priority, assignee: id, labels, epic, due };
  for (const [name, value] of Object.entries(wanted) as [keyof typeof wanted, string | string[] | null][]) {
    if (value === undefined) continue;
    const [from, to] = [issue[name], value].map((side) => {
      if (Array.isArray(side)) return side.join(" ");
      return name === "assignee" && side !== null ? (state.people[side] ?? side) : side;
    });
    if (from === undefined || to === undefined || from === to) continue;
    record(issue, author, name === "due" ? "due date" : name, from, to);
    Object.assign(issue, { [name]: value });
  }
}

function moveIssue(state: DemoState, key: string, status: string, author: Author): void {
  const issue = findIssue(key, state);
  if (issue.status === status) return;
  record(issue, author, "status", issue.status, status);
  issue.status = status;
}

function addComment(
  state: DemoState,
  key: string,
  body: string,
  { me, at }: Author,
): DemoIssue["comments"][number] {
  const issue = findIssue(key, state);
  const comment = { id: String(state.nextCommentId), author: me, created: at, body };
  state.nextCommentId += 1;
  issue.comments.push(comment);
  issue.updated = at;
  return comment;
}

function addLink(state: DemoState, type: LinkType, from: string, to: string, author: Author): void {
  const [source, target] = [findIssue(from, state), findIssue(to, state)];
  const symmetric = type.outward === type.inward;
  const exists = state.links.some(
    (link) =>
      link.type === type.name &&
      ((link.from === from && link.to === to) || (symmetric && link.from === to && link.to === from)),
  );
  if (exists) return;
  state.links.push({ type: type.name, from, to });
  record(source, author, "link", null, `${type.outward} ${to}`);
  record(target, author, "link", null, `${type.inward} ${from}`);
}

function removeIssue(state: DemoState, key: string, author: Author): void {
  findIssue(key, state);
  state.issues = state.issues.filter((issue) => issue.key !== key);
  state.links = state.links.filter((link) => link.from !== key && link.to !== key);
  for (const child of state.issues.filter((issue) => issue.epic === key)) {
    record(child, author, "epic", key, null);
    child.epic = null;
  }
}

function record(
  issue: DemoIssue,
  { me, at }: Author,
  field: string,
  from: string | null,
  to: string | null,
): void {
  issue.history.push({ at, author: me, field, from, to });
  issue.updated = at;
}
