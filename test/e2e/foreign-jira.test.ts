import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { refuse, tooMany, unknownCaller } from "#test/fakes/jira-rest/refusal.ts";
import { startJiraRest } from "#test/fakes/jira-rest/server.ts";
import type { JiraRest } from "#test/fakes/jira-rest/server.ts";

import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  projectRoot,
  readTurn,
  request,
  say,
  startHosted,
} from "./support.ts";
import type { HostedProduct, WireResult } from "./support.ts";

const TOKEN = "ATATT-countersign-canary-71c2";
const BASIC = Buffer.from(`ana@shop.example:${TOKEN}`).toString("base64");

let jira: JiraRest;
let product: HostedProduct;

/** As an operator has it, but with the installed server in place of one that is fetched. */
function preset(): string {
  const text = readFileSync(join(projectRoot, "config/examples/jira-npm.yaml"), "utf8");
  const command = '[npx, -y, "@nexus2520/jira-mcp-server"]';
  expect(text).toContain(command);
  const installed = "[node, node_modules/@nexus2520/jira-mcp-server/build/index.js]";
  return `${text.replace(command, installed)}\nmodel: { provider: builtin }\n`;
}

beforeAll(async () => {
  jira = await startJiraRest(TOKEN);
  cleanUp(() => jira.close(), "file");
  product = await startHosted({
    endsWith: "file",
    config: preset(),
    env: {
      JIRA_BASE_URL: jira.url,
      JIRA_EMAIL: "ana@shop.example",
      JIRA_API_TOKEN: TOKEN,
      SOMEBODY_ELSES_SECRET: "not for this server",
      NODE_OPTIONS: "--no-warnings",
    },
  });
});
afterAll(cleanUpAll);
beforeEach(() => void jira.heard.splice(0));

/** The lines of a card's tables. */
function rowsOf(result: WireResult): unknown[][] {
  return found(result.tool_result?.card, "rows").flatMap((rows) => rows as unknown[][]);
}

/** Of the thing itself, not of what is nested in it. */
function fieldsOf(result: WireResult): Record<string, unknown> {
  const [items = []] = found(result.tool_result?.card, "items") as { label: string; value: unknown }[][];
  return Object.fromEntries(items.map(({ label, value }) => [label, value]));
}

/** Every member of this name, at any depth. */
function found(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(key === name ? [item] : []),
    ...found(item, name),
  ]);
}

async function answerTo(message: string): Promise<WireResult> {
  const { body } = await say(product, message, { session_id: message.slice(0, 60) });
  expect(body.pending_confirmation).toBeUndefined();
  return body;
}

/** Approves what a message asks for; what the turn then ends with. */
async function approved(message: string): Promise<WireResult> {
  const { turnId, pending } = await askFor(product, message, { session_id: message.slice(0, 60) });
  expect(jira.changes()).toEqual([]);
  const seen = (await follow(product, turnId)).length;
  expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("approved");
  const last = (await follow(product, turnId, seen)).at(-1);
  expect(last?.event).toBe("result");
  return last?.data as unknown as WireResult;
}

describe("a Jira server that nobody here wrote, from its preset", () => {
  it("[plan.commands] [view.fallback] reads an issue by command, shown as a person reads it", async () => {
    const read = await answerTo("/jira SHOP-1");
    expect(read.tool_result).toMatchObject({
      tool_id: "jira.jira_issues",
      args: { action: "get", issueKey: "SHOP-1" },
      ok: true,
      view: "GenericView",
    });
    expect(read.tool_result?.card.title).toBe("Jira issues: SHOP-1 Checkout loses the basket after login");
    expect(fieldsOf(read)).toMatchObject({
      Key: "SHOP-1",
      Status: "In Progress",
      Priority: "High",
      Assignee: "Ben Okafor",
      Labels: "checkout, login",
      Description: "The basket is empty after a guest signs in.",
      Created: "1 Nov 2026, 09:00 UTC",
    });
    // Addresses of the API tell a person nothing.
    expect(JSON.stringify(read.tool_result?.card)).not.toContain("/rest/api/");
    expect(jira.heard[0]).toMatchObject({ method: "GET", path: "/rest/api/3/issue/SHOP-1", status: 200 });
  });

  it("[view.fallback] draws what a search finds as a table", async () => {
    const list = await answerTo('/jira search "project = SHOP ORDER BY key"');
    expect(found(list.tool_result?.card, "columns")).toEqual([
      ["Key", "ID", "Summary", "Status", "Priority", "Updated", "Assignee"].map((label) => ({ label })),
    ]);
    expect(rowsOf(list)).toEqual([
      [
        "SHOP-1",
        "10001",
        "Checkout loses the basket after login",
        "In Progress",
        "High",
        "11 Nov 2026, 10:30 UTC",
        "Ben Okafor",
      ],
      [
        "SHOP-2",
        "10002",
        "Print a receipt with every order",
        "To Do",
        "Medium",
        "12 Nov 2026, 10:30 UTC",
        null,
      ],
      [
        "SHOP-3",
        "10003",
        "Translate the order mails",
        "Done",
        "Low",
        "13 Nov 2026, 10:30 UTC",
        "Ana Lindqvist",
      ],
    ]);
    expect(list.tool_result?.rows).toBe(3);
  });

  it("[llm.builtin] is planned for in plain words, by what each of its actions does", async () => {
    const read = await answerTo("show me SHOP-2");
    expect(read.tool_result).toMatchObject({ args: { action: "get", issueKey: "SHOP-2" }, ok: true });
    const projects = await answerTo("list the projects");
    expect(projects.tool_result).toMatchObject({ args: { action: "projects" }, ok: true });
    expect(JSON.stringify(projects.tool_result?.card)).toContain("Operations");
    const { pending } = await askFor(product, "create a bug in SHOP: the printer is on fire");
    expect(pending).toMatchObject({
      tool_id: "jira.jira_issues",
      args: { action: "create", projectKey: "SHOP", issueType: "Bug", summary: "the printer is on fire" },
    });
    expect(jira.changes()).toEqual([]);
  });

  it("[approve.two-phase] [approve.policy] changes Jira once, after a person approved it", async () => {
    const created = await approved(
      '/jira create projectKey=SHOP issueType=Story summary="Wrap gifts" description="With a bow."',
    );
    expect(created.tool_result).toMatchObject({ ok: true, tool_id: "jira.jira_issues" });
    expect(JSON.stringify(created.tool_result?.card)).toContain("SHOP-4");
    expect(jira.changes()).toHaveLength(1);
    expect(jira.world.issues.filter(({ summary }) => summary === "Wrap gifts")).toMatchObject([
      { key: "SHOP-4", issueType: "Story", status: "To Do" },
    ]);

    jira.heard.splice(0);
    await approved("comment on SHOP-4: paper is out of stock");
    expect(jira.changes()).toMatchObject([{ path: "/rest/api/3/issue/SHOP-4/comment", status: 201 }]);
    expect(jira.world.issues.at(-1)?.comments).toHaveLength(1);

    jira.heard.splice(0);
    await approved("/jira move issueKey=SHOP-4 transitionId=31");
    expect(jira.changes()).toMatchObject([{ path: "/rest/api/3/issue/SHOP-4/transitions", status: 204 }]);
    const read = await answerTo("/jira SHOP-4");
    expect(fieldsOf(read)).toMatchObject({ Status: "Done", Description: "With a bow." });
    expect(JSON.stringify(read.tool_result?.card)).toContain("paper is out of stock");
  });

  it("[approve.two-phase] [approve.policy] never hears of what a person denies", async () => {
    const { turnId, pending } = await askFor(product, "/jira comment issueKey=SHOP-3 comment=never");
    const seen = (await follow(product, turnId)).length;
    expect((await decide(product, pending.approval_id, "deny")).body.outcome).toBe("denied");
    await follow(product, turnId, seen);
    expect((await readTurn(product, turnId)).state).toBe("done");
    const late = await decide(product, pending.approval_id, "approve");
    expect(late.body.outcome).not.toBe("approved");
    expect(jira.heard).toEqual([]);
  });
});

describe("what Jira refuses", () => {
  it.each([
    ["404", "/jira SHOP-99", undefined, "Issue does not exist or you do not have permission to see it."],
    ["401", "/jira SHOP-1", unknownCaller(), "Client must be authenticated to access this resource."],
    [
      "403",
      "/jira SHOP-1",
      refuse(403, ["You do not have the permission."]),
      "You do not have the permission.",
    ],
    ["429", "/jira SHOP-1", tooMany(30), "Rate limit exceeded."],
    [
      "400",
      '/jira search "colour = red"',
      undefined,
      "Field 'colour' does not exist or you do not have permission",
    ],
  ])("[view.fallback] is shown in the server's words (%s)", async (status, message, refusal, words) => {
    if (refusal !== undefined) jira.refuseNext(refusal);
    const { tool_result: result, reply, turn_id: turn } = await answerTo(message);
    expect(jira.heard[0]?.status).toBe(Number(status));
    expect(result).toMatchObject({ ok: false, is_error: true, error: { code: "tool_error" } });
    expect(result?.error?.message).toContain(words);
    expect(JSON.stringify(result?.card)).toContain(words);
    expect(reply).toContain(words);
    expect((await readTurn(product, String(turn))).state).toBe("done");
  });

  it("[approve.two-phase] is the outcome of an approved change that Jira does not take, field by field", async () => {
    const refused = await approved("/jira create projectKey=SHOP issueType=Wish summary=Snow");
    expect(refused.tool_result).toMatchObject({ ok: false, error: { code: "tool_error" } });
    expect(JSON.stringify(refused.tool_result?.card)).toContain("issuetype: Specify a valid issue type");
    expect(jira.changes()).toMatchObject([{ method: "POST", path: "/rest/api/3/issue", status: 400 }]);
    const { body } = await request<{ approvals: { args: { summary?: string }; state: string }[] }>(
      product,
      "GET",
      "/approvals?state=failed",
    );
    expect(body.approvals.map(({ args }) => args.summary)).toContain("Snow");
  });
});

describe("the token of that server", () => {
  it("[mcp.sandbox] reaches the server alone, whose environment holds nothing else that is not allowed", async () => {
    const line = await product.line((each) => each.server === "jira" && typeof each.pid === "number");
    const environment = readFileSync(`/proc/${String(line.pid)}/environ`, "utf8")
      .split("\0")
      .filter((entry) => entry !== "");
    const names = environment.map((entry) => entry.split("=", 1)[0] ?? "");
    const allowed = ["PATH", "HOME", "LANG", "TZ", "TERM", "USER", "TMPDIR", "COUNTERSIGN_DATA"];
    expect(names.filter((name) => !allowed.includes(name)).toSorted()).toEqual([
      "JIRA_API_TOKEN",
      "JIRA_BASE_URL",
      "JIRA_EMAIL",
    ]);
    expect(environment).toContain(`JIRA_API_TOKEN=${TOKEN}`);
  });

  it("[ops.logs] is in no event, log line, audit entry, approval or file", async () => {
    // A server may say it back.
    jira.refuseNext(refuse(400, [`The token ${TOKEN} is too old.`]));
    const told = await answerTo("/jira SHOP-1");
    expect(told.tool_result).toMatchObject({ ok: false });
    expect(JSON.stringify(told.tool_result)).toContain("is too old");
    const { turnId, pending } = await askFor(product, "/jira comment issueKey=SHOP-1 comment=done");
    await decide(product, pending.approval_id, "deny");
    await follow(product, turnId);

    const texts: string[] = [JSON.stringify(told), JSON.stringify(product.log)];
    for (const path of [
      "/approvals",
      "/approvals?state=denied",
      "/health",
      "/tools",
      `/agent/turns/${turnId}`,
    ]) {
      const { status, body } = await request(product, "GET", path);
      // An answer that says what is wrong with the question has nothing in which a secret could be.
      expect([path, status]).toEqual([path, 200]);
      texts.push(JSON.stringify(body));
    }
    expect(texts.join("\n")).toContain(pending.approval_id);
    await product.stop();
    for (const file of readdirSync(product.dataDir, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) texts.push(readFileSync(join(file.parentPath, file.name), "latin1"));
    }
    expect(texts.length).toBeGreaterThan(7);
    for (const text of texts) {
      expect(text.includes(TOKEN)).toBe(false);
      expect(text.includes(BASIC)).toBe(false);
    }
  });
});
