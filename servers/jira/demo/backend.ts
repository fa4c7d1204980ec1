import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { openJsonStore } from "#servers/kit/data.ts";
import { ToolFailure } from "#servers/kit/failure.ts";

import type { CallContext, JiraBackend } from "../backend.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import type { IssueSummary } from "../model.ts";
import { isMe, pickPerson } from "../names.ts";
import {
  addComment,
  addIssue,
  addLink,
  changeIssue,
  findIssue,
  moveIssue,
  removeIssue,
  type Author,
} from "./changes.ts";
import { compareKeys, findProject } from "./evaluate.ts";
import { browseUrl, peopleOf, presentIssue, presentSummary, toPerson } from "./present.ts";
import { searchIssues } from "./search.ts";
import { seedState } from "./seed.ts";
import type { DemoIssue, DemoState } from "./state.ts";

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
