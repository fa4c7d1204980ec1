import MiniSearch from "minisearch";

import type { SearchRequest } from "../backend.ts";
import { composeJql } from "../jql/compose.ts";
import { parseJql } from "../jql/parse.ts";
import { isMe, isNobody, pickPerson } from "../names.ts";
import { findProject, sortIssues, toTest, type Viewpoint } from "./evaluate.ts";
import { peopleOf } from "./present.ts";
import type { DemoIssue } from "./state.ts";
import { searchWords, stem, wordsOf } from "./words.ts";

/** The issues a request asks for, in its order, and the JQL that asks for the same. */
export function searchIssues(request: SearchRequest, view: Viewpoint): { found: DemoIssue[]; jql: string } {
  const { state } = view;
  const filters: SearchRequest = {
    ...request,
    ...(request.project === undefined ? {} : { project: findProject(request.project, state).key }),
  };
  const assignee = assigneeCondition(request.assignee, view);
  // The caller's own query is read by itself, so that an error names the place in it.
  const own = parseJql(request.jql ?? "");
  const others = parseJql(composeJql({ ...filters, query: undefined, jql: undefined }, { assignee }));
  const tests = [toTest(own.where, view), toTest(others.where, view)];
  const passing = state.issues.filter((issue) => tests.every((test) => test(issue)));
  const ordered = sortIssues(passing, own.order.length > 0 ? own.order : others.order, state);
  const jql = composeJql(filters, { assignee });
  const query = request.query?.trim() ?? "";
  if (query === "") return { found: ordered, jql };
  return { found: rank(query, ordered, own.order.length > 0), jql };
}

function assigneeCondition(text: string | undefined, { state }: Viewpoint): string | undefined {
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
