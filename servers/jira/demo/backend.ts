import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import MiniSearch from "minisearch";

import { openJsonStore } from "#servers/kit/data.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import {
  type CallContext,
  fromCursor,
  type IssueSummary,
  type JiraBackend,
  type SearchRequest,
  toCursor,
} from "../backend.ts";
import { composeJql } from "../jql/compose.ts";
import { parseJql } from "../jql/parse.ts";
import { isMe, isNobody, pickPerson } from "../names.ts";
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
      const { request, at } = fromCursor(asked);
      const state = store.read();
      const { found, jql } = searchIssues(request, { state, me: me(state), now: options.now() });
      const start = typeof at === "number" ? at : 0;
      const end = start + request.limit;
      const page = found.slice(start, end);
      // Only a search that reaches over the whole store takes long enough to be watched.
      const whole = found.length === state.issues.length || request.limit >= state.issues.length;
      if (whole) await walk(state.issues, "read", state, call);
      return {
        issues: page.map((issue) => presentSummary(issue, state)),
        total: found.length,
        next_cursor: end < found.length ? toCursor(request, end) : null,
        jql,
      };
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

/** The issues a request asks for, in its order, and the JQL that asks for the same. */
function searchIssues(request: SearchRequest, view: EvaluationContext): { found: DemoIssue[]; jql: string } {
  const { state } = view;
  const filters: SearchRequest = {
    ...request,
    ...(request.project === undefined ? {} : { project: findProject(request.project, state).key }),
  };
  const assignee = assigneeCondition(request.assignee, view);
  // The caller's own query is read by itself, so that an error names the place in it.
  const own = parseJql(request.jql ?? "");
  const others = parseJql(composeJql({ ...filters, query: undefined, jql: undefined }, { assignee }));
  const tests = [toPredicate(own.where, view), toPredicate(others.where, view)];
  const passing = state.issues.filter((issue) => tests.every((test) => test(issue)));
  const ordered = sortIssues(passing, own.order.length > 0 ? own.order : others.order, state);
  const jql = composeJql(filters, { assignee });
  const query = request.query?.trim() ?? "";
  if (query === "") return { found: ordered, jql };
  return { found: rank(query, ordered, own.order.length > 0), jql };
}

function assigneeCondition(text: string | undefined, { state }: EvaluationContext): string | undefined {
  if (text === undefined) return undefined;
  if (isMe(text)) return "assignee = currentUser()";
  if (isNobody(text)) return "assignee is EMPTY";
  return `assignee = ${pickPerson(text, peopleOf(state)).id}`;
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
