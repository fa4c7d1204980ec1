import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import MiniSearch from "minisearch";

import { openJsonStore } from "#servers/kit/data.ts";
import { fold, isMe, pickPerson } from "#servers/kit/names.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { IssueFilter } from "../arguments.ts";
import { type CallContext, fromCursor, type JiraBackend, toCursor } from "../backend.ts";
import { countBy } from "../count.ts";
import { composeJql, type Jql, jqlText, type SiteNames } from "../jql/compose.ts";
import { parseJql } from "../jql/parse.ts";
import type { IssueSummary } from "../schemas.ts";
import {
  addComment,
  addIssue,
  addLink,
  type Author,
  changeIssue,
  findIssue,
  moveIssue,
  removeIssue,
} from "./changes.ts";
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
