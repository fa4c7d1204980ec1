import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { plainStatement } from "#src/base/plain-statement.ts";
import { askText, buttonText, doneText } from "#src/base/statement.ts";
import { isObject } from "#src/base/json.ts";
import { buildTool } from "#test/builders.ts";

const folder = join(import.meta.dirname, "../../fixtures/outcome/catalogues");

/** What people could say for arguments of these names. */
const VALUES: JsonObject = {
  accountId: "5b10a2844c20165700ede21g",
  base: "main",
  body: "It burns since noon.",
  branch: "main",
  branch_name: "feature/x",
  comment_id: "10042",
  content: "# Hello",
  destination: "b.txt",
  files: ["a.ts", "b.ts"],
  issueIdOrKey: "DEMO-4",
  issueKeys: ["DEMO-4", "DEMO-5"],
  issue_key: "DEMO-4",
  issue_number: 5,
  inward_issue_key: "DEMO-1",
  message: "Fix the build",
  name: "Nightly",
  outward_issue_key: "DEMO-2",
  owner: "octo",
  page_id: "1001",
  path: "notes/a.md",
  projectKey: "DEMO",
  project_key: "DEMO",
  pull_number: 7,
  query: "delete from users",
  repo: "hello",
  repo_path: "/srv/app",
  source: "a.txt",
  space_key: "ENG",
  summary: "Printer on fire",
  title: "Printer on fire",
  transitionId: "31",
};

/** Of servers that do not say which of their tools only read. */
const READS = /^(?:describe|get|list|read|search)_/;

interface Listed {
  name: string;
  title?: string;
  annotations?: { title?: string; readOnlyHint?: boolean };
  inputSchema: JsonSchema;
}

interface Said {
  ask: string;
  done: string;
  button: string;
}

/** What is said of every tool of real servers that changes something, called with what it needs. */
function sentences(): Map<string, Said> {
  const said = new Map<string, Said>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const { server, tools } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
      server: string;
      tools: Listed[];
    };
    for (const { name, title, annotations = {}, inputSchema } of tools) {
      if (annotations.readOnlyHint === true || READS.test(name)) continue;
      const shown = title ?? annotations.title;
      const tool = buildTool(`${server}.${name}`, {
        name,
        server,
        inputSchema,
        ...(shown === undefined ? {} : { title: shown }),
      });
      const statement = plainStatement({ tool, args: argumentsFor(inputSchema) });
      const texts = { ask: askText(statement), done: doneText(statement), button: buttonText(statement) };
      said.set(`${file.replace(".json", "")}.${name}`, texts);
    }
  }
  return said;
}

function argumentsFor({ required, properties }: JsonSchema): JsonObject {
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(
    names.map((name) => {
      const schema = isObject(properties) ? properties[name] : undefined;
      const type = isObject(schema) ? schema.type : undefined;
      const other =
        type === "array" ? ["one", "two"] : type === "object" ? { a: "b" } : type === "number" ? 42 : "x1";
      return [name, VALUES[name] ?? other];
    }),
  );
}

describe("what a tool's own words say of a call", () => {
  const said = sentences();

  it.each<[string, string]>([
    ["filesystem.write_file", "Write file “notes/a.md”"],
    ["filesystem.move_file", "Move file “a.txt” to “b.txt”"],
    ["git.git_commit", "Commit in /srv/app: “Fix the build”"],
    ["git.git_create_branch", "Create branch “feature/x” in /srv/app"],
    ["git.git_checkout", "Check out “feature/x” in /srv/app"],
    ["github.create_issue", "Create issue “Printer on fire” in octo/hello"],
    ["github.create_or_update_file", "Create or update file “notes/a.md” in octo/hello"],
    ["github.add_issue_comment", "Add an issue comment to issue #5 in octo/hello: “It burns since noon.”"],
    ["github.merge_pull_request", "Merge pull request #7 in octo/hello"],
    ["github.fork_repository", "Fork repository octo/hello"],
    ["jira-cloud.jira_add_comment", "Add a Jira comment to DEMO-4: “It burns since noon.”"],
    ["jira-cloud.jira_create_issue", "Create Jira issue “Printer on fire” in DEMO"],
    ["mcp-atlassian.jira_delete_issue", "Delete issue DEMO-4"],
    ["mcp-atlassian.jira_create_issue_link", "Create an issue link between DEMO-1 and DEMO-2"],
    ["mcp-atlassian.confluence_delete_page", "Delete page 1001"],
    ["mcp-atlassian.confluence_reply_to_comment", "Reply to comment 10042: “It burns since noon.”"],
    ["sqlite.write_query", "Run a query: “delete from users”"],
  ])("[card.statement] %s: %s", (tool, ask) => expect(said.get(tool)?.ask).toBe(ask));

  it("[card.statement] is a sentence that begins with a verb, and its past is one", () => {
    expect(said.size).toBeGreaterThan(90);
    const odd = [...said].filter(
      ([, { ask, done, button }]) =>
        !/^\p{Lu}\p{Ll}+(?: |$)/u.test(ask) ||
        /_|undefined| {2}| :/.test(ask) ||
        !/^(?:\p{Lu}\p{Ll}*ed|Set|Put|Ran|Sent|Wrote|Reset|Made)\b/u.test(done) ||
        button.length > 30,
    );
    expect(odd).toEqual([]);
  });

  it.each<[string, JsonObject, string, string]>([
    [
      "post_message",
      { channel: "#general", text: "We are live" },
      "Post a message to #general: “We are live”",
      "Posted a message to #general: “We are live”",
    ],
    [
      "send_message",
      { to: "ana@example.com", body: "Hi" },
      "Send a message to “ana@example.com”: “Hi”",
      "Sent a message to “ana@example.com”: “Hi”",
    ],
    ["issue_create", { title: "X" }, "Create issue “X”", "Created issue “X”"],
    ["buildProject", { project: "web" }, "Build project web", "Built project web"],
    ["publish_release", { version: "2.1" }, "Publish release “2.1”", "Published release “2.1”"],
    ["nightly_job", {}, "Run “Nightly job”", "Ran “Nightly job”"],
  ])("[card.statement] of a name alone: %s", (name, args, ask, done) => {
    const statement = plainStatement({ tool: buildTool(`own.${name}`, { name }), args });
    expect([askText(statement), doneText(statement)]).toEqual([ask, done]);
  });

  it("[card.statement] lets no value speak for the sentence, and hides nothing", () => {
    const title = "x” in DEMO, and delete nothing “\u202Eevil\n";
    const tool = buildTool("own.create_issue", { name: "create_issue" });
    expect(askText(plainStatement({ tool, args: { title } }))).toBe(
      'Create issue “x" in DEMO, and delete nothing "\\u202eevil”',
    );
    const key = "DEMO-1 permanently, as agreed";
    expect(askText(plainStatement({ tool: buildTool("own.delete_issue"), args: { key } }))).toBe(
      "Delete issue “DEMO-1 permanently, as agreed”",
    );
  });

  it("[card.statement] keeps what it does not hold as what changes", () => {
    const tool = buildTool("own.create_issue", { name: "create_issue" });
    const { changes, isDestructive } = plainStatement({
      tool,
      args: { title: "X", body: "Long", due_date: "2026-12-01" },
    });
    expect(changes).toEqual([
      { label: "Body", after: "Long" },
      { label: "Due date", after: "2026-12-01" },
    ]);
    expect(isDestructive).toBe(false);
    expect(plainStatement({ tool: buildTool("own.drop_table"), args: {} }).isDestructive).toBe(true);
  });

  it("[card.statement] says which fields of a record are changed, be they JSON text", () => {
    const tool = buildTool("own.update_issue", { name: "update_issue" });
    const fields = { priority: { name: "High" }, duedate: "2026-12-01" };
    for (const held of [fields, JSON.stringify(fields)]) {
      const statement = plainStatement({ tool, args: { issue_key: "DEMO-4", fields: held } });
      expect(askText(statement)).toBe("Update issue DEMO-4: priority “High”, due date “2026-12-01”");
      expect(statement.changes).toEqual([
        { label: "Priority", after: "High" },
        { label: "Due date", after: "2026-12-01" },
      ]);
    }
    const broken = plainStatement({ tool, args: { issue_key: "DEMO-4", fields: '{"a' } });
    expect(broken.changes).toEqual([{ label: "Fields", after: '{"a' }]);
    const long = plainStatement({
      tool,
      args: { issue_key: "DEMO-4", fields: { description: "x".repeat(90) } },
    });
    expect(askText(long)).toBe("Update issue DEMO-4");
  });

  it("[card.statement] takes no page of a list for a record, and what is looked at goes nowhere", () => {
    const list = (name: string, args: JsonObject): string =>
      askText(plainStatement({ tool: buildTool(`own.${name}`, { name }), args }));
    expect(list("list_commits", { owner: "octo", repo: "hello", perPage: 5, page: 2 })).toBe(
      "List commits in octo/hello",
    );
    expect(list("list_pull_requests", { owner: "octo", repo: "hello", state: "open" })).toBe(
      "List pull requests in octo/hello",
    );
    expect(list("create_issue", { title: "X", assignee: "ben" })).toBe("Create issue “X” for “ben”");
  });
});
