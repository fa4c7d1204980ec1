import nock from "nock";

import type { CallContext, JiraBackend } from "#servers/jira/backend.ts";
import { createRemoteBackend } from "#servers/jira/rest/backend.ts";

export const cloudUrl = "http://127.0.0.1:8081";
const dataCenterUrl = "http://127.0.0.1:8082";

export function cloud(): JiraBackend {
  return createRemoteBackend(`${cloudUrl}/`, { kind: "basic", email: "ana@example.com", token: "secret" });
}

/** Behind a context path, as Data Center often is. */
export function dataCenter(): JiraBackend {
  return createRemoteBackend(`${dataCenterUrl}/jira`, { kind: "bearer", token: "secret" });
}

/** Fails when Jira was not asked for everything that was prepared. */
export function endScopes(): void {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  if (pending.length > 0) throw new Error(`expected these requests too: ${pending.join(", ")}`);
}

/** Jira that accepts only the credentials it was given. */
export function cloudScope(): nock.Scope {
  const authorization = `Basic ${Buffer.from("ana@example.com:secret").toString("base64")}`;
  return nock(cloudUrl, { reqheaders: { authorization } });
}

export function dataCenterScope(): nock.Scope {
  return nock(`${dataCenterUrl}/jira`, { reqheaders: { authorization: "Bearer secret" } });
}

export function call(progress: CallContext["progress"] = async () => {}): CallContext {
  return { signal: new AbortController().signal, progress };
}

/** A paragraph in Atlassian's document format. */
export function adf(text: string): nock.DataMatcherMap {
  return { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}

const status = {
  name: "In Progress",
  id: "3",
  statusCategory: { id: 4, key: "indeterminate", name: "In Progress" },
};

/** The fields both services give for an issue in a list. */
export function listed(key: string, assignee: object | null): object {
  return {
    id: "10001",
    self: `http://127.0.0.1/rest/api/issue/${key}`,
    key,
    fields: {
      summary: `Summary of ${key}`,
      issuetype: { id: "10004", name: "Bug", subtask: false },
      status,
      priority: { id: "2", name: "High" },
      assignee,
      updated: "2026-11-20T18:05:06.000+0100",
    },
  };
}
