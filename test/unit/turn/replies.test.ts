import { marked, type Tokens } from "marked";
import { describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolCallResult } from "#contract/turn.ts";
import {
  approvalReply,
  localReply,
  questionReply,
  statusReply,
  waitingReply,
  withAsides,
} from "#src/turn/replies.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { buildTool, buildToolResult } from "#test/builders.ts";

const result = (more: Partial<ToolCallResult> = {}): ToolCallResult =>
  buildToolResult({
    data: { secret: "swordfish" },
    card: { kind: "result", title: "swordfish: 3 issues", elements: [] },
    ...more,
  });

const failed = result({ ok: false, error: { code: "timeout", message: "swordfish did not answer" } });

describe("the reply without a model", () => {
  it("[llm.builtin] says what was found, in the words of the cards, and nothing beside it", () => {
    const line = "swordfish: 3 issues";
    expect(localReply([result(), failed])).toBe(
      `- ${line}\n- Search issues failed: swordfish did not answer`,
    );
    expect(localReply([result(), result()], { mayTell: (at) => at === 1 })).toBe(
      `- Ran “Search issues”, 3 rows, 1.2 s.\n- ${line}`,
    );
    expect(localReply([])).not.toBe("");
    // What was looked for stands beside it: only what was found is told.
    const none = result({ rows: 0, card: { kind: "result", title: "No issues found", elements: [] } });
    expect(localReply(withAsides([none, result({ rows: 2 })]))).not.toContain("No issues");
    expect(localReply([none, result({ rows: 2 })])).toContain("No issues");
    expect(localReply(withAsides([none, none]))).toContain("No issues");
  });

  it("[plan.cite] begins with the field that was asked about, and with none where nothing asks for it", () => {
    const card = {
      kind: "result" as const,
      title: "DEMO-1: Login",
      elements: [
        {
          type: "fields" as const,
          items: [
            { label: "Assignee", value: "Ben *Okafor*" },
            { label: "Due", value: "26 Nov 2026" },
          ],
        },
      ],
    };
    const asked = (message: string): string => localReply([result({ card })], { message });
    expect(asked("who is working on DEMO-1?")).toBe("**Assignee: Ben \\*Okafor\\*** · DEMO-1: Login");
    expect(asked("when is that due")).toBe("**Due: 26 Nov 2026** · DEMO-1: Login");
    expect(asked("is DEMO-1 due this week?")).toBe("**Due: 26 Nov 2026** · DEMO-1: Login");
    expect(asked("is anybody on it?")).toContain("**Assignee: ");
    for (const other of ["show me DEMO-1", "who reported it?"]) expect(asked(other)).toBe("DEMO-1: Login");
    expect(asked("which labels has it?")).toBe("**Labels: not set** · DEMO-1: Login");
  });

  it("[plan.cite] begins with the state, the links or the comments that were asked about", () => {
    const card = {
      kind: "result" as const,
      title: "OPS-8: Deploy",
      elements: [
        {
          type: "header" as const,
          text: "Deploy",
          badges: [{ text: "To Do" }, { text: "Bug" }, { text: "High" }],
        },
        { type: "fields" as const, items: [{ label: "Assignee", value: null }] },
        {
          type: "section" as const,
          title: "Linked issues (2)",
          elements: [
            {
              type: "list" as const,
              items: [
                { text: "OPS-9 Fridays", detail: "blocks" },
                { text: "OPS-4 Disk", detail: "is blocked by" },
              ],
            },
          ],
        },
        {
          type: "section" as const,
          title: "Comments (2)",
          elements: [
            {
              type: "section" as const,
              title: "Ben Okafor, 24 Nov 2026",
              elements: [{ type: "text" as const, text: "Copy at *63 %*." }],
            },
          ],
        },
        {
          type: "section" as const,
          title: "History (4)",
          elements: [
            {
              type: "table" as const,
              columns: ["When", "Who", "Field", "From", "To"].map((label) => ({ label })),
              rows: [
                ["4 Nov", "Emi Tanaka", "status", "Done", "To Do"],
                ["3 Nov", "Ben Okafor", "status", "In Review", "Done"],
                ["2 Nov", "Ben Okafor", "status", "To Do", "In Review"],
                ["1 Nov", "Ana Lindqvist", "priority", "Low", "High"],
              ],
            },
          ],
        },
      ],
    };
    const asked = (message: string): string => localReply([result({ card })], { message });
    for (const message of [
      "is OPS-8 a bug?",
      "what's the status of it",
      "which priority has it?",
      "is OPS-8 done?",
      "has it been started yet?",
    ])
      expect(asked(message)).toBe("**To Do · Bug · High** · OPS-8: Deploy");
    for (const message of ["what blocks OPS-8", "is it blocked?", "what is OPS-8 waiting for"])
      expect(asked(message)).toBe("**Is blocked by OPS-4 Disk** · OPS-8: Deploy");
    for (const message of [
      "what does it block?",
      "what is blocked by OPS-8",
      "what depends on OPS-8?",
      "what's waiting on the deploy ticket",
      "which tickets wait for it?",
    ])
      expect(asked(message)).toBe("**Blocks OPS-9 Fridays** · OPS-8: Deploy");
    expect(asked("what is it linked to?")).toContain(
      "**Blocks OPS-9 Fridays** · **Is blocked by OPS-4 Disk**",
    );
    for (const message of ["who commented on it", "how many comments are there", "what did ben say?"])
      expect(asked(message)).toBe(
        "**Comments (2)** · **Ben Okafor, 24 Nov 2026: “Copy at \\*63 %\\*.”** · OPS-8: Deploy",
      );
    expect(asked("is it a duplicate?")).toBe("**No link says so** · OPS-8: Deploy");
    expect(asked("what was the last comment and who wrote it?")).toContain("**Comments (2)**");
    expect(asked("when did it go to high priority?")).toContain(
      "**Priority: Low → High (Ana Lindqvist, 1 Nov)**",
    );
    expect(asked("who closed it?")).toContain("**Status: In Review → Done (Ben Okafor, 3 Nov)**");
    expect(asked("when was it moved to in review")).toContain(
      "**Status: To Do → In Review (Ben Okafor, 2 Nov)**",
    );
    expect(asked("who reopened it?")).toContain("**Status: Done → To Do (Emi Tanaka, 4 Nov)**");
    expect(asked("who assigned it to ben?")).toBe("OPS-8: Deploy");
    // What it is like is told in passing.
    expect(asked("who has the high priority one?")).not.toContain("Priority");
    // What is not there is said, and not left out.
    expect(asked("which epic is it in?")).toBe("**Epic: not set** · OPS-8: Deploy");
    expect(asked("when will it be done?")).toBe("**Due: not set** · OPS-8: Deploy");
    expect(asked("link to OPS-8")).toBe("OPS-8: Deploy");
    expect(asked("show me OPS-8")).toBe("OPS-8: Deploy");
    // What has no links by its nature lacks none.
    const found = result({ card: { ...card, elements: [] } });
    expect(localReply([found], { message: "what is related to OPS-8?" })).toBe("OPS-8: Deploy");
  });

  it("[plan.cite] names each record with a link to where it is, if the result says where", () => {
    const at = (title: string, href: string): string =>
      localReply([
        result({ card: { kind: "result", title, elements: [{ type: "header", text: title, href }] } }),
      ]);
    expect(at("DEMO-1: Login", "https://jira.example/browse/DEMO-1")).toBe(
      "[DEMO-1: Login](https://jira.example/browse/DEMO-1)",
    );
    expect(at("DEMO-1", "javascript:alert(1)")).toBe("DEMO-1");
    for (const title of [
      "a](https://evil.example) b",
      "[Bug] x",
      "a\\",
      String.raw`a\](b`,
      "![a",
      "*b* `c`",
    ]) {
      const [paragraph] = marked.lexer(at(title, "https://jira.example/a(b)c")) as Tokens.Paragraph[];
      expect(paragraph?.tokens).toMatchObject([{ type: "link", href: "https://jira.example/a%28b%29c" }]);
      const [link] = (paragraph?.tokens ?? []) as Tokens.Link[];
      expect(link?.tokens.map((token) => (token as Tokens.Text).text).join("")).toBe(title);
    }
  });

  it("[plan.cite] stays under 150 words, and says how much more there is", () => {
    const many = Array.from({ length: 80 }, () => result());
    const reply = localReply(many);
    expect(reply.split(/\s+/).length).toBeLessThan(150);
    expect(reply).toMatch(/\n- … and \d+ more\.$/);
    const wordy = result({ card: { kind: "result", title: "word ".repeat(400), elements: [] } });
    expect(localReply([wordy, result()]).split(/\s+/).length).toBeLessThan(150);
    expect(localReply([wordy])).toMatch(/word …$/);
    const [, left] = /and (\d+) more/.exec(reply) ?? [];
    expect(reply.match(/swordfish/g)).toHaveLength(80 - Number(left));
  });

  it("leaves the words of data words, as replies are Markdown", () => {
    const titled = (title: string): string =>
      localReply([result({ card: { kind: "result", title, elements: [] } })]);
    const read = (text: string): string => text.replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "");
    for (const title of [
      "*bold* _it_ ~~off~~ `code` [click](https://evil.example) <https://evil.example> <b>",
      "# heading",
      "- item",
      "1. item",
      "> quote",
      "www.evil.example ana@evil.example &lt;",
      "| a | b |",
      "[a]: https://evil.example",
      "![a](https://evil.example/a.png) [b][a] **",
      "* item",
      "***",
      "~~~",
      "---",
      "a\\",
      String.raw`back\slash`,
    ]) {
      expect(read(titled(title))).toBe(title);
      const tokens = marked.lexer(titled(title)) as { type: string; tokens?: { type: string }[] }[];
      expect(tokens.map(({ type }) => type)).toEqual(["paragraph"]);
      const inner = new Set(tokens.flatMap(({ tokens: parts = [] }) => parts.map(({ type }) => type)));
      expect([...inner].filter((type) => type !== "text" && type !== "escape")).toEqual([]);
    }
    for (const usual of ["DEMO-1: snake_case (In Progress)", "[Bug] 5 * 3 <3 | C:\\dir & more"]) {
      expect(titled(usual)).toBe(usual);
    }
    const table = localReply(
      ["a | b", "--- | ---", "c | d"].map((title) =>
        result({ card: { kind: "result", title, elements: [] } }),
      ),
    );
    expect(marked.lexer(table).map(({ type }) => type)).toEqual(["list"]);
  });

  it("[privacy.mode] in privacy mode names tool, rows and time, and nothing of what a tool said", () => {
    expect(statusReply([result()])).toBe("Ran “Search issues”, 3 rows, 1.2 s.");
    expect(statusReply([result({ rows: 1, durationMs: 40 })])).toBe("Ran “Search issues”, 1 row, 0.0 s.");
    const { rows: _rows, ...plain } = result();
    expect(statusReply([plain])).toBe("Ran “Search issues”, 1.2 s.");
    expect(statusReply([failed])).toBe("“Search issues” failed (timeout) after 1.2 s.");
    expect(statusReply([result(), failed])).not.toContain("swordfish");
    expect(statusReply([])).toBe("Nothing was run.");
  });

  describe("[plan.missing-args] asks for exactly what is missing, in words", () => {
    const properties: JsonObject = {
      issue_key: { type: "string" },
      pageId: { type: "string", title: "PageId" },
      project: { type: "string" },
      summary: { type: "string", title: "Title" },
      q: { type: "string", description: "Words to look for, such as: deploy" },
    };
    const ask = (title: string, fields: string[], name = "some_tool"): string =>
      questionReply(
        { tool: `server.${name}`, args: {}, fields },
        buildTool(`server.${name}`, { title, inputSchema: { type: "object", properties } }),
      );

    it.each([
      ["Assign a Jira issue", ["issue_key"], "Which Jira issue should I assign?"],
      ["Comment on a Jira issue", ["issue_key"], "Which Jira issue should I comment on?"],
      ["Export a project's issues", ["project"], "Which project's issues should I export?"],
      ["Move a page to another space", ["pageId"], "Which page should I move to another space?"],
      ["Create a Jira issue", ["summary"], "To create a Jira issue I need the title."],
      [
        "Create a Jira issue",
        ["project", "issue_key", "summary"],
        "To create a Jira issue I need the project, the issue key and the title.",
      ],
      ["Search *pages*", ["q"], String.raw`To search \*pages\* I need the words to look for.`],
      ["Weather", ["project"], "For “Weather” I need the project."],
    ])("%s: %j", (title, fields, words) => {
      expect(ask(title, fields)).toBe(words);
    });

    it("by the names as words where there are no titles, also while the server is down", () => {
      expect(ask("", ["parent_page", "body"], "create_page")).toBe(
        "To create page I need the parent page and the body.",
      );
      expect(questionReply({ tool: "jira.create_issue", args: {}, fields: ["summary"] })).toBe(
        "To create issue I need the summary.",
      );
    });
  });
});

describe("the sentence for a request", () => {
  const base: Approval = {
    id: "appr_1",
    turnId: "t1",
    conversationId: "c1",
    channel: "http:c1",
    key: "",
    toolId: "jira.delete_issue",
    toolDescription: "",
    args: {},
    statement: statementById("jira.delete_issue", {}),
    state: "pending",
    rule: "default",
    requestedBy: "http:ana",
    approvers: ["requester"],
    excludeRequester: false,
    reasonRequired: false,
    quorum: 1,
    votes: [],
    createdAt: 0,
    expiresAt: 0,
  };
  const say = (more: Partial<Approval>): string | undefined => approvalReply({ ...base, ...more });

  it("[approve.two-phase] says who has to approve", () => {
    const two = { quorum: 2, excludeRequester: true };
    expect(say({})).toBe("Delete an issue? Waiting for approval by ana.");
    expect(say({ approvers: ["channel"] })).toContain("by anyone.");
    const inSlack = { approvers: ["channel"], channel: "slack:T1:C1" };
    expect(say(inSlack)).toContain("by anyone in the channel.");
    expect(say({ approvers: ["group:leads", "http:ben"] })).toContain("by ben or anyone of the group leads.");
    expect(say({ ...two, approvers: ["channel"] })).toContain("by two people other than ana.");
    expect(say({ ...two, approvers: ["http:ben", "http:chloe"] })).toContain("by ben and chloe.");
    const others = ["DEMO-1", "DEMO-2"].map((issue_key) => ({
      ...base,
      statement: statementById("jira.delete_issue", { issue_key }),
    }));
    expect(waitingReply(others)).toBe("Delete issues DEMO-1 and DEMO-2? Waiting for 2 approvals.");
    expect(waitingReply([base])).toBe(say({}));
  });

  it("[approve.expiry] says how it ended, and that nothing was changed", () => {
    const votes: Approval["votes"] = [{ actor: "http:ben", decision: "deny", at: 0 }];
    expect(say({ state: "denied", votes, note: "not today" })).toMatch(
      /^Delete .+: denied by ben, reason: not today\. Nothing was changed\.$/,
    );
    // Who has no name here is named by the card, and nobody reads an id.
    const unnamed = votes.map((vote) => ({ ...vote, actor: "slack:T1:U1" as const }));
    expect(say({ state: "denied", votes: unnamed })).toMatch(/^Delete .+: denied\. Nothing was changed\.$/);
    expect(say({ state: "expired", note: "nobody decided in time" })).toContain("Nothing was changed");
    expect(say({ state: "void", note: "the tool changed" })).toContain("the tool changed");
    expect(say({ state: "superseded" })).toContain("Nothing was changed");
  });

  it("[approve.unknown] never says that an unknown outcome changed nothing", () => {
    const reply = say({ state: "unknown" });
    expect(reply).toContain("Did this happen? Delete an issue.");
    expect(reply).toContain("not tried again");
    expect(reply).not.toContain("Nothing was changed");
  });

  it("leaves the word to the call once it ran", () => {
    expect(say({ state: "done" })).toBeUndefined();
    expect(say({ state: "failed" })).toBeUndefined();
  });
});
