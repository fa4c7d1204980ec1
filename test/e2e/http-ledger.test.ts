import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ledgerConfig } from "./ledger-config.ts";
import {
  askFor,
  cleanUpAll,
  decide,
  follow,
  type HostedProduct,
  request,
  say,
  startHosted,
  startProduct,
  storedIssues,
  temporaryFolder,
  type WireDecision,
  type WireError,
  type WirePending,
  type WireToolResult,
} from "./support.ts";

interface WireApproval extends WirePending {
  turn_id: string;
  lookup?: { tool: string; args: object };
  grants?: { max_ttl_ms: number; max_uses: number; vary: string[] };
  replaced_by?: string;
}

interface WireGrant {
  grant_id: string;
  approval_id: string;
  session_id: string;
  state: string;
  uses: number;
  revoked_by?: string;
}

let product: HostedProduct;

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  product = await startHosted({ config: withDesk(ledgerConfig(), folder) });
});
afterAll(cleanUpAll);

/** The same with a server whose tool takes a password and says it again. */
function withDesk(config: object, effects: string): object {
  const { servers, commands } = config as { servers: object[]; commands: object };
  const desk = { name: "desk", command: ["node", "test/fakes/mcp-desk.ts"], env: { DESK_FOLDER: effects } };
  return {
    ...config,
    servers: [...servers, desk],
    commands: { ...commands, desk: { server: "desk", subcommands: { sign_in: "sign_in" } } },
  };
}

function edit<Body = WireApproval>(
  id: string,
  args: object,
  actor?: string,
): Promise<{ status: number; body: Body }> {
  return request<Body>(product, "POST", `/approvals/${id}/edit`, { args, ...(actor && { actor }) });
}

async function read(id: string, from: { url: string } = product): Promise<WireApproval> {
  return (await request<WireApproval>(from, "GET", `/approvals/${id}`)).body;
}

async function grantsOf(session: string): Promise<WireGrant[]> {
  const path = `/grants?session_id=${session}`;
  return (await request<{ grants: WireGrant[] }>(product, "GET", path)).body.grants;
}

function create(title: string, session: string): Promise<{ turnId: string; pending: WirePending }> {
  return askFor(product, `create an issue in DEMO titled '${title}'`, { session_id: session, actor: "ana" });
}

describe("a secret argument", () => {
  it("[ops.logs] leaves in no part of a turn, its events or its request, and reaches the server", async () => {
    const [typed, edited] = ["swordfish-81", "tr0ub4dor-92"];
    const message = `/desk sign_in user=ana password=${typed}`;
    const { turnId, pending } = await askFor(product, message, { session_id: "secret", actor: "ana" });
    const raw = async (path: string, accept: string): Promise<string> =>
      (await fetch(`${product.url}${path}`, { headers: { accept } })).text();
    const everything = async (...ids: string[]): Promise<string[]> =>
      Promise.all([
        raw(`/agent/turns/${turnId}`, "application/json"),
        ...ids.map((id) => raw(`/approvals/${id}`, "application/json")),
      ]);
    const waiting = await everything(pending.approval_id);
    for (const text of waiting) expect(around(text, typed)).toBe("");

    const again = await edit(pending.approval_id, { user: "ana", password: edited }, "ana");
    const { approval_id: id } = again.body;
    const decided = await decide(product, id, "approve", { actor: "ana" });
    expect(decided).toMatchObject({ status: 200, body: { outcome: "approved" } });
    const events = await raw(`/agent/turns/${turnId}?after=0`, "text/event-stream");
    const done = [...(await everything(pending.approval_id, id)), events];
    // It was sent as it is, and the turn that is looked at is the one in which it was.
    expect(readFileSync(join(folder, "effects.log"), "utf8")).toBe(`ana:${edited}\n`);
    expect(done[0]).toContain("Hello ana.");
    expect(events).toContain("Hello ana.");
    for (const text of [...done, JSON.stringify([again.body, decided.body])]) {
      for (const secret of [typed, edited]) expect(around(text, secret)).toBe("");
    }
  });
});

/** What stands around a word, to tell where it got out. */
function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return at === -1 ? "" : text.slice(Math.max(0, at - 120), at + word.length);
}

describe("editing a request", () => {
  it("[approve.edit] replaces it by one with the new arguments, a new key and an effect of its own", async () => {
    const { pending, turnId } = await create("Printer on fire", "edit");
    const args = { project: "DEMO", summary: "Printer is hot", labels: ["heat"] };
    const { status, body: edited } = await edit(pending.approval_id, args, "ben");
    expect(status).toBe(200);
    expect(edited).toMatchObject({
      state: "pending",
      args,
      turn_id: turnId,
      requested_by: "http:ben",
      approvals: [],
      effect: { before: null, after: { summary: "Printer is hot", labels: ["heat"] } },
    });
    expect(edited.key).not.toBe(pending.key);
    expect(await read(pending.approval_id)).toMatchObject({
      state: "superseded",
      replaced_by: edited.approval_id,
      note: "edited by ben",
    });
    const events = await follow(product, turnId);
    expect(events.at(-1)?.data).toMatchObject({ pending_confirmation: { approval_id: edited.approval_id } });

    const late = await decide(product, pending.approval_id, "approve", { actor: "ana" });
    expect(late).toMatchObject({ status: 409, body: { outcome: "void" } });
    const decided = await decide(product, edited.approval_id, "approve", { actor: "ben" });
    expect(decided).toMatchObject({ status: 200, body: { outcome: "approved" } });
    const done = (await follow(product, turnId)).at(-1);
    expect(done?.data).toMatchObject({ tool_result: { ok: true, args } });
    expect(storedIssues(product.dataDir, "Printer on fire")).toEqual([]);
    expect(storedIssues(product.dataDir, "Printer is hot")).toHaveLength(1);
  });

  it("[approve.edit] [http.turn] is refused with what is wrong, and the request goes on waiting", async () => {
    const { pending } = await create("Kettle on fire", "edit-wrong");
    const id = pending.approval_id;
    const wrong = await edit<WireError>(id, { project: "DEMO", labels: "heat" }, "ana");
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: { code: "bad_args", details: { fields: ["summary", "labels"] } } },
    });
    const refusals = [
      [await edit(id, { project: "OPS", summary: "x" }, "ana"), 403, "denied_by_policy"],
      [await edit(id, pending.args, "mallory"), 403, "not_eligible"],
      [await edit("appr_none", {}, "ana"), 404, "not_found"],
      [await request(product, "POST", `/approvals/${id}/edit`, { args: [] }), 400, "bad_request"],
      [await request(product, "POST", `/approvals/${id}/edit`, { args: {}, sudo: true }), 400, "bad_request"],
      [await request(product, "POST", `/approvals/${id}/lookup`, { actor: "ana" }), 409, "not_unknown"],
    ] as const;
    for (const [answer, status, code] of refusals)
      expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(await read(id)).toMatchObject({ state: "pending", args: pending.args });

    await decide(product, id, "deny", { actor: "ana" });
    const late = await edit<WireError>(id, { project: "DEMO", summary: "x" }, "ana");
    expect(late).toMatchObject({ status: 409, body: { error: { code: "not_pending" } } });
  });
});

describe("allowing the same for a while", () => {
  function comment(text: string, session: string): ReturnType<typeof say> {
    return say(product, `comment on DEMO-1: ${text}`, { session_id: session, actor: "ana" });
  }
  function approve(id: string, grant: object): Promise<{ status: number; body: WireDecision & WireError }> {
    return request(product, "POST", `/approvals/${id}/decision`, {
      decision: "approve",
      actor: "ben",
      grant,
    });
  }

  it("[approve.policy] runs what the grant covers, as often as allowed, and nothing else", async () => {
    const { pending, turnId } = await askFor(product, "comment on DEMO-1: first", {
      session_id: "grant",
      actor: "ana",
    });
    expect(await read(pending.approval_id)).toMatchObject({
      grants: { max_ttl_ms: 1_800_000, max_uses: 2, vary: ["body"] },
    });
    const { body } = await approve(pending.approval_id, { ttl: "10m" });
    expect(body.outcome).toBe("approved");
    await follow(product, turnId);
    const [grant] = await grantsOf("grant");
    expect(grant).toMatchObject({
      session_id: "grant",
      tool_id: "jira.add_comment",
      args: { issue_key: "DEMO-1", body: "first" },
      vary: ["body"],
      granted_by: "http:ben",
      approval_id: pending.approval_id,
      max_uses: 2,
      uses: 0,
      state: "active",
    });

    for (const text of ["second", "third"]) {
      const { body: again } = await comment(text, "grant");
      expect(again.tool_result).toMatchObject({ ok: true, args: { issue_key: "DEMO-1", body: text } });
    }
    expect(await grantsOf("grant")).toMatchObject([{ uses: 2, state: "used_up" }]);
    expect((await comment("fourth", "grant")).body.pending_confirmation).toBeDefined();
    expect((await comment("elsewhere", "grant-other")).body.pending_confirmation).toBeDefined();
    const { approvals } = (
      await request<{ approvals: WireApproval[] }>(product, "GET", "/approvals?session_id=grant&state=done")
    ).body;
    expect(approvals[0]?.approvals).toMatchObject([
      { actor: "http:ben", reason: `grant ${grant?.grant_id}, use 2 of 2` },
    ]);
  });

  it("[approve.policy] is taken back by who gave it, and not by strangers", async () => {
    const { pending } = await askFor(product, "comment on DEMO-2: first", {
      session_id: "revoke",
      actor: "ana",
    });
    await approve(pending.approval_id, { ttl: "30m", uses: 1 });
    const [grant] = await grantsOf("revoke");
    const path = `/grants/${grant?.grant_id}/revoke`;
    const revoked = await request<{ grant: WireGrant }>(product, "POST", path, { actor: "ben" });
    expect(revoked).toMatchObject({
      status: 200,
      body: { grant: { state: "revoked", revoked_by: "http:ben" } },
    });
    expect((await request(product, "POST", path, { actor: "ben" })).status).toBe(200);
    const none = await request<WireError>(product, "POST", "/grants/grant_none/revoke", {});
    expect(none).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    const { body } = await say(product, "comment on DEMO-2: second", { session_id: "revoke", actor: "ana" });
    expect(body.pending_confirmation).toBeDefined();
  });

  it("[approve.policy] never goes beyond the rule: what it does not offer is refused and decides nothing", async () => {
    const { pending } = await askFor(product, "comment on DEMO-3: first", {
      session_id: "wide",
      actor: "ana",
    });
    for (const grant of [{ ttl: "31m" }, { ttl: "5m", uses: 3 }]) {
      const refused = await approve(pending.approval_id, grant);
      expect(refused).toMatchObject({ status: 409, body: { error: { code: "grant_refused" } } });
    }
    const { pending: plain } = await create("Lamp on fire", "wide");
    expect(await approve(plain.approval_id, { ttl: "5m" })).toMatchObject({
      status: 409,
      body: { error: { code: "grant_refused" } },
    });
    for (const grant of [{ ttl: "soon" }, { ttl: "0m" }, { ttl: "5m", uses: 0 }, {}]) {
      const { status, body } = await approve(pending.approval_id, grant);
      expect([status, body.error.code, JSON.stringify(body.error.details)]).toEqual([
        400,
        "bad_request",
        expect.stringContaining('"field":"grant.'),
      ]);
    }
    const deny = { decision: "deny", actor: "ben", grant: { ttl: "5m" } };
    const denied = await request<WireError>(
      product,
      "POST",
      `/approvals/${pending.approval_id}/decision`,
      deny,
    );
    expect(denied).toMatchObject({ status: 400, body: { error: { details: { field: "grant" } } } });
    expect(await read(pending.approval_id)).toMatchObject({ state: "pending", approvals: [] });
    expect(await read(plain.approval_id)).toMatchObject({ state: "pending", approvals: [] });
    expect(await grantsOf("wide")).toEqual([]);
  });
});

describe("an unknown outcome", () => {
  it("[approve.unknown] is looked up with the call's own arguments, and then settled by a person", async () => {
    const dataDir = await temporaryFolder();
    const config = ledgerConfig();
    const doomed = await startProduct({ dataDir, config, env: { COUNTERSIGN_FAIL_POINT: "send.after" } });
    const { pending } = await askFor(doomed, "create an issue in DEMO titled 'Cable on fire'", {
      session_id: "unknown",
      actor: "ana",
    });
    await decide(doomed, pending.approval_id, "approve", { actor: "ana" }).catch(() => undefined);
    expect((await doomed.ended).signal).toBe("SIGKILL");

    const revived = await startHosted({ dataDir, config });
    const approval = await read(pending.approval_id, revived);
    await follow(revived, approval.turn_id);
    expect(await read(pending.approval_id, revived)).toMatchObject({
      state: "unknown",
      lookup: { tool: "jira.search_issues", args: { query: "Cable on fire" } },
    });
    const path = `/approvals/${pending.approval_id}`;
    const stranger = await request(revived, "POST", `${path}/lookup`, { actor: "mallory" });
    expect(stranger).toMatchObject({ status: 403, body: { error: { code: "not_eligible" } } });
    const looked = await request<{ tool_result: WireToolResult }>(revived, "POST", `${path}/lookup`, {
      actor: "ben",
    });
    expect(looked.status).toBe(200);
    expect(looked.body.tool_result).toMatchObject({
      tool_id: "jira.search_issues",
      ok: true,
      args: { query: "Cable on fire" },
      view: "JiraSearchView",
      card: { kind: "result" },
    });
    const found = looked.body.tool_result.data.issues as { summary: string }[];
    expect(found.map(({ summary }) => summary)).toContain("Cable on fire");
    expect(await read(pending.approval_id, revived)).toMatchObject({ state: "unknown" });

    const settled = await request<{ approval: WireApproval }>(revived, "POST", `${path}/settle`, {
      actor: "ben",
      outcome: "happened",
    });
    expect(settled.body.approval).toMatchObject({ state: "done", note: "ben settled it: it happened" });
    expect(storedIssues(dataDir, "Cable on fire")).toHaveLength(1);
  });
});
