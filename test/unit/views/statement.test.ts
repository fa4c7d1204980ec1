import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementInput } from "#contract/statement.ts";
import { alreadyText, askText, changesNothing, doneText, groupText } from "#src/base/statement.ts";
import { buildApproval, buildTool } from "#test/builders.ts";
import { approvalCard } from "#views/cards/approval.ts";
import { createIssueStatement } from "#views/jira/statement.ts";
import { createStatements } from "#views/statement.ts";

const statements = createStatements();

let clients: Record<"jira" | "confluence", Client>;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "statements-"));
  const open = async (name: string): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const script = join(import.meta.dirname, `../../../servers/${name}/main.ts`);
    const env = { ...process.env, COUNTERSIGN_DATA: join(folder, name) } as Record<string, string>;
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], env }));
    return client;
  };
  const [jira, confluence] = await Promise.all([open("jira"), open("confluence")]);
  clients = { jira, confluence };
});

afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.close()));
});

async function call(server: "jira" | "confluence", name: string, args: JsonObject): Promise<JsonValue> {
  const result = await clients[server].callTool({ name, arguments: args });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as JsonValue;
}

/** What is known of a call of a bundled server before it is made, as the product finds it out. */
async function known(server: "jira" | "confluence", name: string, args: JsonObject): Promise<StatementInput> {
  const tool = buildTool(`${server}.${name}`, { name, server });
  const read = statements.read({ tool, args });
  return read === undefined
    ? { tool, args, preview: await call(server, name, { ...args, dry_run: true }) }
    : { tool, args, record: await call(server, read.tool, read.args) };
}

async function statementOf(
  server: "jira" | "confluence",
  name: string,
  args: JsonObject,
): Promise<Statement> {
  return statements.of(await known(server, name, args));
}

describe("what would change nothing", () => {
  it.each<[JsonValue, JsonValue, boolean]>([
    [{ status: "Done", points: 3 }, { status: "Done" }, true],
    [{ labels: ["a", "b"] }, { labels: ["b", "a"] }, true],
    [{ status: "Done" }, { status: "Done", note: "new" }, false],
    [{ status: "Done" }, {}, false],
    [null, { title: "New" }, false],
    [{ title: "Old" }, null, false],
    ["same", "same", false],
  ])("[card.statement] %j to %j: %s", (before, after, is) => {
    expect(changesNothing(before, after)).toBe(is);
  });
});

it("[card.statement] a title that the sentence cuts stands among what is asked for", () => {
  const tool = buildTool("create_issue");
  const summary =
    "The cart is emptied after a failed payment, although the customer only wanted to choose another card";
  const { object, changes } = createIssueStatement({ tool, args: { project: "DEMO", summary } });
  expect(object?.title).toBe(summary);
  expect(changes).toContainEqual(expect.objectContaining({ label: "Title", after: summary }));
  const short = createIssueStatement({ tool, args: { project: "DEMO", summary: "Printer on fire" } });
  expect(short.changes).toEqual([]);
});

describe("statements of the bundled servers", () => {
  it.each<[string, JsonObject, string]>([
    [
      "create_issue",
      { project: "DEMO", type: "Bug", summary: "Printer on fire" },
      "Create a bug “Printer on fire” in DEMO",
    ],
    [
      "assign_issue",
      { issue_key: "DEMO-4", assignee: "ben" },
      "Assign DEMO-4 “.+” to Ben Okafor \\(from .+\\)",
    ],
    [
      "assign_issue",
      { issue_key: "DEMO-4", assignee: "unassigned" },
      "Unassign DEMO-4 “.+”(?: \\(from .+\\))?",
    ],
    [
      "update_issue",
      { issue_key: "DEMO-4", fields: { priority: "high" } },
      "Change the priority of DEMO-4 “.+” to High \\(from .+\\)",
    ],
    [
      "update_issue",
      { issue_key: "DEMO-4", fields: { summary: "Better" } },
      "Rename DEMO-4 “.+” to “Better”",
    ],
    [
      "update_issue",
      { issue_key: "DEMO-4", fields: { priority: "High", labels: ["a"] } },
      "Change the priority and labels of DEMO-4 “.+” to priority High and labels a",
    ],
    [
      "update_issue",
      { issue_key: "DEMO-4", fields: { due_date: "2026-12-24" } },
      "Change the due date of DEMO-4 “.+” to 24 Dec 2026(?: \\(from .+\\))?",
    ],
    ["add_comment", { issue_key: "MOB-7", body: "Fixed." }, "Add a comment to MOB-7 “.+”"],
    [
      "link_issues",
      { from_key: "DEMO-1", to_key: "DEMO-2", type: "blocks" },
      "Link DEMO-1 “.+”: it blocks DEMO-2 “.+”",
    ],
    ["delete_issue", { issue_key: "DEMO-5" }, "Delete DEMO-5 “.+” permanently"],
  ])("[card.statement] jira %s %j: %s", async (name, args, sentence) => {
    const statement = await statementOf("jira", name, args);
    expect(askText(statement)).toMatch(new RegExp(`^${sentence}$`));
    if (name !== "create_issue") expect(statement.object?.href).toMatch(/^https?:/);
  });

  it("[card.statement] names the labels that come and go", async () => {
    const { labels: had } = (await call("jira", "get_jira_issue", { issue_key: "DEMO-1" })) as {
      labels: string[];
    };
    const [first = "", ...rest] = had;
    expect(first).not.toBe("");
    const said = async (labels: string[]): Promise<string> =>
      askText(await statementOf("jira", "update_issue", { issue_key: "DEMO-1", fields: { labels } }));
    expect(await said([...had, "urgent"])).toMatch(/^Add label urgent to DEMO-1 “.+”$/);
    expect(await said([...had, "urgent", "to,Ana"])).toMatch(
      /^Add labels urgent and “to,Ana” to DEMO-1 “.+”$/,
    );
    expect(await said(rest)).toMatch(new RegExp(`^Remove label ${first} from DEMO-1 “.+”$`));
    expect(await said(["urgent"])).toMatch(
      new RegExp(`^Replace the labels of DEMO-1 “.+” with urgent \\(from ${first}.*\\)$`),
    );
    const unknown = { tool: buildTool("jira.update_issue", { name: "update_issue", server: "jira" }) };
    expect(
      askText(statements.of({ ...unknown, args: { issue_key: "DEMO-1", fields: { labels: ["urgent"] } } })),
    ).toBe("Set the labels of DEMO-1 to urgent");
  });

  it.each<[string, JsonObject, string]>([
    ["transition_issue", { issue_key: "DEMO-1", status: "Done" }, "DEMO-1 “.+” is already Done"],
    [
      "assign_issue",
      { issue_key: "DEMO-1", assignee: "ben" },
      "DEMO-1 “.+” is already assigned to Ben Okafor",
    ],
    [
      "update_issue",
      { issue_key: "DEMO-1", fields: { priority: "High" } },
      "DEMO-1 “.+” already has the priority High",
    ],
  ])("[card.statement] says what is so already: %s %j", async (name, args, sentence) => {
    expect(alreadyText(await statementOf("jira", name, args))).toMatch(new RegExp(`^${sentence}$`));
  });

  it("[card.statement] names what a page change does to which page", async () => {
    const list = (await call("confluence", "search_confluence", { query: "release" })) as {
      results: { id: string; title: string }[];
    };
    const { id = "", title = "" } = list.results[0] ?? {};
    const { version, body } = (await call("confluence", "get_page", { page_id: id })) as {
      version: number;
      body: string;
    };
    const said = async (name: string, args: JsonObject): Promise<string> =>
      askText(await statementOf("confluence", name, args));
    expect(await said("update_page", { page_id: id, title: "New name", version })).toBe(
      `Rename “${title}” to “New name”`,
    );
    const rewrite = await statementOf("confluence", "update_page", {
      page_id: id,
      body: `${body}\n\nOne more line.`,
      version,
    });
    expect(askText(rewrite)).toBe(`Change the text of “${title}”`);
    const added = await statementOf("confluence", "update_page", {
      page_id: id,
      append: "One more line.",
      version,
    });
    expect(askText(added)).toBe(`Add to the text of “${title}”`);
    expect(added.changes[0]?.after).toContain("One more line.");
    expect(JSON.stringify(added.changes).length).toBeLessThan(body.length);
    // Only what differs, with the line before it.
    expect(JSON.stringify(rewrite.changes).length).toBeLessThan(body.length);
    expect(rewrite.changes[0]?.after).toContain("One more line.");
    expect(await said("add_page_comment", { page_id: id, body: "Thanks" })).toBe(
      `Add a comment to “${title}”`,
    );
    expect(await said("delete_page", { page_id: id })).toMatch(
      new RegExp(`^Delete “${title}” from .+ \\(it goes to the trash\\)$`),
    );
    const space = { space: "ENG", title: "Fresh", body: "Text" };
    expect(await said("create_page", space)).toMatch(/^Create a page “Fresh” in \w/);
  });

  it("[card.statement] names the section that something is added to, and shows the line that changes", async () => {
    const { version, title } = (await call("confluence", "get_page", { page_id: "3002" })) as {
      version: number;
      title: string;
    };
    const of = (args: JsonObject): Promise<Statement> =>
      statementOf("confluence", "update_page", { page_id: "3002", version, ...args });
    const more = await of({ append: "Get a chair", under: "Day one" });
    expect(askText(more)).toBe(`Add to the text of “${title}” under “Day one”`);
    expect(askText({ ...more, language: "de" })).toBe(`Text von „${title}“ unter „Day one“ ergänzen`);
    const edited = await of({
      passage: "Lunch with the whole team",
      replacement: "Cake with the whole team",
    });
    expect(askText(edited)).toBe(
      `Change “Lunch with the whole team” to “Cake with the whole team” in “${title}”`,
    );
    expect(askText({ ...edited, language: "de" })).toBe(
      `Text von „${title}“ von „Lunch with the whole team“ in „Cake with the whole team“ ändern`,
    );
    const ticked = await of({ passage: "[ ] Choose your mug", replacement: "[x] Choose your mug" });
    expect(askText(ticked)).toBe(`Change the text of “${title}”`);
    expect(edited.changes).toEqual([
      {
        label: "Text",
        before: expect.stringMatching(/^…\n.*\n- \[ \] Lunch with.*\n.*\n…$/u) as string,
        after: expect.stringMatching(/^…\n.*\n- \[ \] Cake with.*\n.*\n…$/u) as string,
      },
    ]);
    expect(edited.canUndo).toBeUndefined();
    const tool = buildTool("wiki.update_page", { name: "update_page" });
    expect(statements.of({ tool, args: { page_id: "9", passage: "old", version } }).changes).toEqual([
      { label: "Text", before: "old", after: "" },
    ]);
  });

  it("[card.statement] shows a row of a table under the heads of its columns", async () => {
    const of = async (page_id: string, args: JsonObject): Promise<Statement> => {
      const { version } = (await call("confluence", "get_page", { page_id })) as { version: number };
      return statementOf("confluence", "update_page", { page_id, version, ...args });
    };
    const more = await of("3012", { append: "| 27 November 2026 | Emi | Matcha roll | Lost a bet |" });
    expect(askText(more)).toBe("Add a row to the table of “The cake register”");
    expect(more.changes).toEqual([
      { label: "Date", after: "27 November 2026" },
      { label: "Who", after: "Emi" },
      { label: "Cake", after: "Matcha roll" },
      { label: "Because", after: "Lost a bet" },
    ]);
    const other = await of("2003", {
      passage: "| 2 December | Ana | Emi |",
      replacement: "| 2 December | Ben | Emi |",
    });
    expect(other.changes).toEqual([{ label: "Phone (2 December)", before: "Ana", after: "Ben" }]);
    const renamed = await of("2003", {
      passage: "| 2 December | Ana | Emi |",
      replacement: "| 3 December | Ana | Emi |",
    });
    expect(renamed.changes).toMatchObject([{ label: "Text" }]);
    // Of a row that stands there already it is not known which is meant.
    const again = await of("3012", { append: "| 3 July 2026 | Farid | Basbousa | Sold 10,000 mugs |" });
    expect(again.changes).toMatchObject([{ label: "Text" }]);
  });

  it("[card.statement] says before the click what cannot be undone, and what differs", async () => {
    const gone = await statementOf("jira", "delete_issue", { issue_key: "DEMO-5" });
    expect(gone).toMatchObject({ isDestructive: true, canUndo: false });
    expect(gone.changes.map(({ label }) => label)).toEqual(["Type", "Status", "Assigned to"]);
    const assigned = await statementOf("jira", "assign_issue", { issue_key: "DEMO-4", assignee: "ben" });
    expect(assigned).toMatchObject({ isDestructive: false, canUndo: true });
    expect(assigned.changes).toEqual([
      { label: "Assignee", before: expect.any(String) as string, after: "Ben Okafor" },
    ]);
  });

  it("[card.statement] counts several of a kind, and tells the past of what was done", async () => {
    const args = { project: "DEMO", type: "Bug", summary: "Printer on fire" };
    const bug = await statementOf("jira", "create_issue", args);
    expect(groupText([bug, { ...bug, object: { kind: "bug", title: "Smoke" } }])).toBe(
      "Create 2 bugs in DEMO",
    );
    const data = await call("jira", "create_issue", args);
    const tool = buildTool("jira.create_issue", { name: "create_issue" });
    expect(doneText(statements.of({ tool, args, preview: data }))).toMatch(
      /^Created a bug DEMO-\d+ “Printer on fire” in DEMO$/,
    );
  });

  it.each([
    [
      "jira",
      "create_issue",
      {
        project: "DEMO",
        summary: "Printer on fire",
        type: "Bug",
        description: "In the kitchen.",
        priority: "High",
        assignee: "Ben Okafor",
        labels: ["urgent"],
        epic_key: "DEMO-2",
        due_date: "2026-12-04",
      },
    ],
    ["confluence", "create_page", { space: "ENG", title: "Fire drill", body: "Leave.", parent_id: "1001" }],
    ["confluence", "update_page", { page_id: "1001", title: "Fire drill", body: "Leave.", version: 14 }],
  ] as const)("[card.statement] says each value of %s.%s once", async (server, name, given) => {
    const { tools } = await clients[server].listTools();
    const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
    const instead = new Set(
      name === "update_page" ? ["dry_run", "append", "under", "passage", "replacement"] : ["dry_run"],
    );
    // An argument that is new to the tool belongs here as well.
    expect(Object.keys(given).toSorted()).toEqual(
      Object.keys(properties)
        .filter((one) => !instead.has(one))
        .toSorted(),
    );
    const args = JSON.parse(JSON.stringify(given)) as JsonObject;
    const tool = buildTool(`${server}.${name}`, { name, server });
    for (const input of [{ tool, args }, await known(server, name, args)]) {
      const labels = statements.of(input).changes.map(({ label }) => label);
      expect(labels).toEqual([...new Set(labels)]);
    }
  });

  it("[card.statement] falls back to the tool's own words where the data does not fit", () => {
    const tool = buildTool("github.create_issue", { name: "create_issue", title: "Create an issue" });
    const args = { owner: "octo", repo: "hello", title: "X" };
    expect(askText(statements.of({ tool, args }))).toBe("Create issue “X” in octo/hello");
    const odd = buildTool("other.delete_issue", { name: "delete_issue" });
    expect(askText(statements.of({ tool: odd, args: { issue_key: "A-1" }, preview: { before: 5 } }))).toBe(
      "Delete issue A-1",
    );
  });

  it("[card.statement] quotes what nobody has looked up", () => {
    const tool = buildTool("other.assign_issue", { name: "assign_issue" });
    const args = { issue_key: "A-1", assignee: "Ben (from nobody), as agreed" };
    expect(askText(statements.of({ tool, args }))).toBe("Assign A-1 to “Ben (from nobody), as agreed”");
  });
});

describe("statements of the configuration", () => {
  const words = {
    "github.create_issue": {
      statement: "Open an issue in {owner}/{repo}: {title}",
      done: "Opened an issue in {owner}/{repo}: {title}",
    },
    "github.close_*": {
      statement: "Close {object} in {owner}/{repo}",
      object: { read: "get_issue", kind: "issue", label: "#{number}", title: "title", url: "links.html" },
      destructive: false,
      undo: true,
    },
    archive: { statement: "Archive {name}", undo: { within: 30 * 86_400_000 } },
    pay: { statement: "Pay “{amount.value}” to {to}", destructive: true, undo: false },
  };
  const own = createStatements(words);
  const github = (name: string): StatementInput["tool"] =>
    buildTool(`github.${name}`, { name, server: "github" });

  it("[card.undo] say until when there is a way back", () => {
    const statement = own.of({ tool: buildTool("files.archive", { name: "archive" }), args: { name: "Q3" } });
    expect(statement).toMatchObject({ canUndo: true, undoMs: 30 * 86_400_000 });
    const texts = (approval: Partial<Approval>): string =>
      JSON.stringify(approvalCard(buildApproval({ statement, ...approval })).elements);
    expect(texts({ state: "pending" })).toContain("Can be undone within 30 days.");
    const decidedAt = Date.UTC(2026, 10, 1, 12);
    expect(texts({ state: "done", decidedAt })).toContain("Can be undone until 1 Dec 2026, 12:00 UTC.");
  });

  it("[card.statement] fill a sentence with arguments", () => {
    const statement = own.of({
      tool: github("create_issue"),
      args: { owner: "octo", repo: "hello", title: "X “y", body: "B" },
    });
    expect(askText(statement)).toBe('Open an issue in octo/hello: “X "y”');
    expect(doneText(statement)).toBe('Opened an issue in octo/hello: “X "y”');
    expect(statement.changes).toEqual([{ label: "Body", after: "B" }]);
  });

  it("[card.statement] read the record and link it", () => {
    const args = { owner: "octo", repo: "hello", issue_number: 5 };
    const tool = github("close_issue");
    expect(own.read({ tool, args })).toEqual({ tool: "get_issue", args });
    const record = { number: 5, title: "Printer on fire", links: { html: "https://example.com/5" } };
    const statement = own.of({ tool, args, record });
    expect(askText(statement)).toBe("Close #5 “Printer on fire” in octo/hello");
    expect(doneText(statement)).toBe("Closed #5 “Printer on fire” in octo/hello");
    expect(statement).toMatchObject({
      object: { kind: "issue", href: "https://example.com/5" },
      canUndo: true,
    });
  });

  it("[card.statement] say what the record has otherwise, and whatever the sentence leaves out or cuts", () => {
    const track = createStatements({
      modify: {
        statement: "Change {object} to {state}: {remark}",
        object: { read: "get", label: "R-{item.id}", title: "item.title" },
      },
    });
    const item = { id: 7, title: "Printer", state: "open", due: null, labels: [{ name: "old" }], team: "A" };
    const remark = "long ".repeat(30);
    const args = {
      id: 7,
      state: "closed",
      title: "Scanner",
      due: "2026-12-01",
      labels: ["old", "new"],
      team: "a",
      remark,
    };
    const statement = track.of({ tool: buildTool("track.modify"), args, record: { item } });
    expect(statement.changes).toEqual([
      { label: "State", before: "open", after: "closed" },
      { label: "Title", before: "Printer", after: "Scanner" },
      { label: "Due", before: null, after: "2026-12-01" },
      { label: "Labels", before: ["old"], after: ["old", "new"] },
      { label: "Team", after: "a" },
      { label: "Remark", after: remark },
    ]);
    // Nothing is known of it: what the sentence says stands there once.
    const unread = track.of({ tool: buildTool("track.modify"), args: { id: 7, state: "closed" } });
    expect(unread.changes).toEqual([{ label: "ID", after: 7 }]);
  });

  it("[card.statement] take dotted members and bare names", () => {
    const tool = buildTool("bank.pay", { name: "pay" });
    const statement = own.of({ tool, args: { amount: { value: 12 }, to: "Ana Lindqvist" } });
    expect(askText(statement)).toBe("Pay “12” to “Ana Lindqvist”");
    expect(statement).toMatchObject({ isDestructive: true, canUndo: false });
  });
});
