import { afterAll, beforeAll, expect, it } from "vitest";

import {
  cleanUpAll,
  follow,
  request,
  type HostedProduct,
  say,
  startHosted,
  type WirePending,
  type WireResult,
  type WireTurn,
} from "./support.ts";

interface WireDecision {
  outcome: string;
  message: string;
  approval: WirePending & { state: string };
  turn_id: string;
}

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted();
});
afterAll(cleanUpAll);

async function ask(title: string, session: string): Promise<{ result: WireResult; pending: WirePending }> {
  const { body } = await say(product, `create an issue in DEMO titled '${title}'`, { session_id: session });
  if (body.pending_confirmation === undefined) throw new Error(`no request in ${JSON.stringify(body)}`);
  return { result: body, pending: body.pending_confirmation };
}

/** How many issues with exactly this title exist. */
async function issuesTitled(title: string): Promise<number> {
  const { body } = await say(product, `/jira search ${title}`, { session_id: "count" });
  const issues = (body.tool_result?.data.issues ?? []) as { summary: string }[];
  return issues.filter((issue) => issue.summary === title).length;
}

function decide(id: string, body: object): Promise<{ status: number; body: WireDecision }> {
  return request<WireDecision>(product, "POST", `/approvals/${id}/decision`, body);
}

it("[approve.two-phase] [approve.card] [card.notify] waits for approval with arguments and effect", async () => {
  const { pending, result } = await ask("Printer on fire", "two-phase");
  expect(pending).toMatchObject({
    tool_id: "jira.create_issue",
    args: { project: "DEMO", summary: "Printer on fire" },
    effect: { before: null, after: { summary: "Printer on fire" } },
    requested_by: "http:local",
    quorum: 1,
    approvals: [],
  });
  expect(Object.keys(pending.args)).toHaveLength(2);
  expect(pending.key).toMatch(/^[0-9a-f]{64}$/);
  expect(new Date(String(pending.expires_at)).getTime()).toBeGreaterThan(Date.now());
  expect(result.tool_results.every(({ tool_id: id }) => id !== "jira.create_issue")).toBe(true);
  expect(await issuesTitled("Printer on fire")).toBe(0);

  const list = await request<{ approvals: WirePending[] }>(product, "GET", "/approvals?state=pending");
  expect(list.body.approvals.map(({ approval_id: id }) => id)).toContain(pending.approval_id);
  const waitingFor = async (who: string): Promise<string[]> => {
    const path = `/approvals?waiting_for=${who}`;
    const { body } = await request<typeof list.body>(product, "GET", path);
    return body.approvals.map(({ approval_id: id }) => id);
  };
  expect(await waitingFor("me")).toContain(pending.approval_id);
  expect(await waitingFor("nobody")).not.toContain(pending.approval_id);
  const one = await request(product, "GET", `/approvals/${pending.approval_id}`);
  expect(one).toMatchObject({
    status: 200,
    body: { approval_id: pending.approval_id, state: "pending", turn_id: result.turn_id },
  });
});

it("[approve.two-phase] [http.turn] runs an approved change once; a second vote is already_decided", async () => {
  const { pending, result } = await ask("Kettle on fire", "approve");
  const before = (await follow(product, String(result.turn_id))).length;
  const approved = await decide(pending.approval_id, { decision: "approve", actor: "local", reason: "hot" });
  expect(approved).toMatchObject({ status: 200, body: { outcome: "approved", turn_id: result.turn_id } });
  const after = await follow(product, String(result.turn_id), before);
  expect(after.at(-1)).toMatchObject({
    event: "result",
    data: { tool_result: { tool_id: "jira.create_issue", ok: true, args: { summary: "Kettle on fire" } } },
  });
  const again = await decide(pending.approval_id, { decision: "approve" });
  expect(again).toMatchObject({ status: 409, body: { outcome: "already_decided" } });
  expect(await issuesTitled("Kettle on fire")).toBe(1);

  const turn = await request<WireTurn>(product, "GET", `/agent/turns/${result.turn_id}`);
  expect(turn.body).toMatchObject({ state: "done", result: { tool_result: { ok: true } } });
  expect(turn.body.result).not.toHaveProperty("pending_confirmation");
  const { body } = await request<WireDecision["approval"]>(
    product,
    "GET",
    `/approvals/${pending.approval_id}`,
  );
  expect(body).toMatchObject({
    state: "done",
    approvals: [{ actor: "http:local", decision: "approve", reason: "hot" }],
  });
});

it("[approve.two-phase] changes nothing when denied, and says so", async () => {
  const { pending, result } = await ask("Fridge on fire", "deny");
  const denied = await decide(pending.approval_id, { decision: "deny", reason: "it is cold" });
  expect(denied).toMatchObject({ status: 200, body: { outcome: "denied", approval: { state: "denied" } } });
  const events = await follow(product, String(result.turn_id));
  expect(events.at(-1)?.event).toBe("result");
  expect(await issuesTitled("Fridge on fire")).toBe(0);
});

it("[approve.eligible] refuses whoever may not approve, and the request goes on waiting", async () => {
  const { pending } = await ask("Toaster on fire", "eligible");
  const refused = await decide(pending.approval_id, { decision: "approve", actor: "mallory" });
  expect(refused).toMatchObject({
    status: 403,
    body: { outcome: "not_eligible", approval: { state: "pending" } },
  });
  expect(refused.body.message).not.toBe("");
  expect(await issuesTitled("Toaster on fire")).toBe(0);
});

it("[approve.key] answers approved_keys with the continuation's result", async () => {
  const { pending, result } = await ask("Oven on fire", "keys");
  const keys = { session_id: "keys", approved_keys: [pending.key] };

  const foreign = await request(product, "POST", "/agent/turn", { ...keys, session_id: "keys-other" });
  expect(foreign).toMatchObject({ status: 404, body: { error: { code: "unknown_key" } } });
  const mallory = await request(product, "POST", "/agent/turn", { ...keys, actor: "mallory" });
  expect(mallory).toMatchObject({ status: 403, body: { error: { code: "not_eligible" } } });
  expect(await issuesTitled("Oven on fire")).toBe(0);

  // What names nothing is no error, and changes nothing.
  const approved = await request<WireResult>(product, "POST", "/agent/turn", {
    ...keys,
    approved_keys: [pending.key, "0".repeat(64)],
  });
  expect(approved.status).toBe(200);
  expect(approved.body).toMatchObject({
    turn_id: result.turn_id,
    tool_result: { tool_id: "jira.create_issue", ok: true, args: { summary: "Oven on fire" } },
  });
  const again = await request(product, "POST", "/agent/turn", keys);
  expect(again).toMatchObject({ status: 200, body: { turn_id: result.turn_id, tool_result: { ok: true } } });
  expect(await issuesTitled("Oven on fire")).toBe(1);
});

it("[http.turn] names what is wrong with a decision", async () => {
  const unknown = await decide("appr_none", { decision: "approve" });
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  const { pending } = await ask("Lamp on fire", "wrong");
  for (const [body, field] of [
    [{}, "decision"],
    [{ decision: "maybe" }, "decision"],
    [{ decision: "approve", sudo: true }, "sudo"],
    [{ decision: "approve", actor: "slack:T1:U1" }, "actor"],
  ] as const) {
    expect(await decide(pending.approval_id, body)).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", details: { field } } },
    });
  }
  const settled = await request(product, "POST", `/approvals/${pending.approval_id}/settle`, {
    outcome: "happened",
  });
  expect(settled).toMatchObject({ status: 409, body: { error: { code: "not_unknown" } } });
  expect((await request(product, "GET", "/approvals?state=maybe")).status).toBe(400);
});

it("[approve.quorum] [card.people] counts a page in which nobody signed in once, whomever it acts as", async () => {
  const { body } = await say(product, "delete MOB-20", { session_id: "quorum", actor: "ana" });
  const id = String(body.pending_confirmation?.approval_id);
  const sign = async (actor: string, headers: Record<string, string>): Promise<[number, string]> => {
    const response = await fetch(`${product.url}/approvals/${id}/decision`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body: JSON.stringify({ decision: "approve", actor, reason: "a duplicate" }),
    });
    const { outcome, message } = (await response.json()) as WireDecision;
    return [response.status, `${outcome}: ${message}`];
  };
  const page = { origin: product.url };
  expect(await sign("ben", page)).toEqual([200, expect.stringMatching(/^recorded/)]);
  expect(await sign("chloe", page)).toEqual([403, expect.stringContaining("on this page everybody counts")]);
  const key = { session_id: "quorum", actor: "chloe", approved_keys: [body.pending_confirmation?.key] };
  const byKey = await fetch(`${product.url}/agent/turn`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", ...page },
    body: JSON.stringify(key),
  });
  expect(byKey.status).not.toBe(200);
  // A program on this machine says who it is, and is believed.
  expect(await sign("chloe", {})).toEqual([200, expect.stringMatching(/^approved/)]);
});
