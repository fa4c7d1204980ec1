import { describe, expect, it, vi } from "vitest";

import type { FailPointName } from "#src/base/fail-point.ts";
import { AUDIT_GENESIS, hashAuditRow } from "#src/ledger/audit.ts";
import type { Row } from "#src/store/schema.ts";

import {
  askFor,
  decide,
  follow,
  type HostedProduct,
  jiraOnly,
  type LiveTurn,
  readStore,
  readTurn,
  request,
  type RunningProduct,
  sayLive,
  startHosted,
  startProduct,
  storedIssues,
  temporaryFolder,
  type WirePending,
} from "./support.ts";

// Every test starts several processes, and other tests start theirs beside it.
vi.setConfig({ testTimeout: 240_000 });

/** Starts the product on a data folder with a fail point set. */
function startFailing(
  failPoint: string,
  dataDir: string,
  config: object = jiraOnly(),
): Promise<RunningProduct> {
  return startProduct({ config, dataDir, env: { COUNTERSIGN_FAIL_POINT: failPoint } });
}

/** The chain of audit entries holds: no gap in the numbers, every hash right and on the one before it. */
function expectUnbrokenAudit(dataDir: string): void {
  const rows = readStore<Row<"audit">>(dataDir, "select * from audit order by seq");
  expect(rows.length).toBeGreaterThan(0);
  let prev = AUDIT_GENESIS;
  for (const [index, row] of rows.entries()) {
    expect(row.seq).toBe(index + 1);
    expect(row.prev).toBe(prev);
    expect(row.hash).toBe(hashAuditRow(row));
    prev = row.hash;
  }
}

/** How often a kind of audit entry stands for an approval. */
function entries(dataDir: string, kind: string, approvalId: string): number {
  return readStore(dataDir, "select seq from audit where kind = ? and approval_id = ?", kind, approvalId)
    .length;
}

/** Waits until the check holds, however busy the machine is. */
function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000 });
}

async function approval(product: { url: string }, id: string): Promise<WirePending> {
  return (await request<WirePending>(product, "GET", `/approvals/${id}`)).body;
}

describe("kill -9 while an approval is pending", () => {
  it("[approve.durable] [turn.recover] after the restart it waits, and approving creates one issue", async () => {
    const first = await startProduct({ config: jiraOnly() });
    const title = "Asked before the power cut";
    const { turnId, pending } = await askFor(first, `create an issue in DEMO titled '${title}'`);
    await first.kill();

    const second = await startHosted({ config: jiraOnly(), dataDir: first.dataDir });
    const waiting = await request<{ approvals: WirePending[] }>(second, "GET", "/approvals?state=pending");
    expect(waiting.body.approvals).toEqual([
      expect.objectContaining({
        approval_id: pending.approval_id,
        key: pending.key,
        args: pending.args,
        effect: pending.effect,
        expires_at: pending.expires_at,
      }),
    ]);
    expect(storedIssues(first.dataDir, title)).toEqual([]);
    const seen = (await follow(second, turnId)).length;
    expect((await decide(second, pending.approval_id, "approve")).body.outcome).toBe("approved");
    expect((await follow(second, turnId, seen)).at(-1)).toMatchObject({
      event: "result",
      data: { tool_result: { ok: true } },
    });
    expect(storedIssues(first.dataDir, title)).toHaveLength(1);
    expect((await decide(second, pending.approval_id, "approve")).body.outcome).toBe("already_decided");
    await second.stop();
    expect(storedIssues(first.dataDir, title)).toHaveLength(1);
    expectUnbrokenAudit(first.dataDir);
  });
});

describe("kill -9 during a running read", () => {
  it("[turn.recover] after the restart the turn shows one answer, and what waited follows", async () => {
    const config = jiraOnly({ delayMs: 60 });
    const first = await startProduct({ config });
    const running = await sayLive(first, "/jira export DEMO", { session_id: "reads" });
    const waiting = await sayLive(first, "/jira DEMO-1", { session_id: "reads" });
    await running.until((event) => event.event === "progress" && event.data.progress !== undefined);
    await first.kill();

    const second = await startHosted({ config, dataDir: first.dataDir });
    for (const { turnId } of [running, waiting]) {
      const events = await follow(second, turnId);
      expect(events.at(-1)).toMatchObject({ event: "result", data: { tool_result: { ok: true } } });
      expect(events.filter((event) => event.event === "result" || event.event === "error")).toHaveLength(1);
      expect(await readTurn(second, turnId)).toMatchObject({ state: "done" });
    }
    const exported = await readTurn(second, running.turnId);
    expect(exported.result?.tool_results).toHaveLength(1);
    expect(exported.result?.tool_result?.rows).toBeGreaterThan(20);
    const [slow, quick] = [running, waiting].map(
      ({ turnId }) =>
        readStore<{ started_at: number; ended_at: number }>(
          first.dataDir,
          "select started_at, ended_at from calls where turn_id = ?",
          turnId,
        )[0],
    );
    expect(quick?.started_at).toBeGreaterThanOrEqual(slow?.ended_at ?? Infinity);
    expectUnbrokenAudit(first.dataDir);
  });

  it("[turn.recover] SIGTERM in the middle of a read: the turn ends or is taken up, and nothing is lost", async () => {
    const config = jiraOnly({ delayMs: 40 });
    const first = await startProduct({ config });
    const turn = await sayLive(first, "/jira export OPS", { session_id: "term" });
    await turn.until((event) => event.event === "progress" && event.data.progress !== undefined);
    expect(await first.stop()).toBe(0);
    const second = await startHosted({ config, dataDir: first.dataDir });
    const events = await follow(second, turn.turnId);
    expect(events.filter((event) => event.event === "result")).toHaveLength(1);
    expect(await readTurn(second, turn.turnId)).toMatchObject({ state: "done" });
  });
});

describe("kill -9 in the middle of a change", () => {
  const title = "Changed in the dark";

  /** Approves a change in a process that dies at the fail point; resolves when it has. */
  async function dieWhileChanging(
    failPoint: FailPointName,
  ): Promise<{ dataDir: string; turnId: string; approvalId: string }> {
    const dataDir = await temporaryFolder();
    const product = await startFailing(failPoint, dataDir);
    const { turnId, pending } = await askFor(product, `create an issue in DEMO titled '${title}'`);
    // The decision is durable before the call runs; the answer may be lost with the process.
    await decide(product, pending.approval_id, "approve").catch(() => undefined);
    expect((await product.ended).signal).toBe("SIGKILL");
    return { dataDir, turnId, approvalId: pending.approval_id };
  }

  /** The restarted product, once it has said that nobody knows what became of the call. */
  async function restartToUnknown(died: {
    dataDir: string;
    turnId: string;
    approvalId: string;
  }): Promise<{ product: HostedProduct; seen: number }> {
    const product = await startHosted({ config: jiraOnly(), dataDir: died.dataDir });
    const events = await follow(product, died.turnId);
    expect(events.at(-1)).toMatchObject({
      event: "result",
      data: {
        pending_confirmation: { approval_id: died.approvalId, state: "unknown" },
        reply: expect.stringContaining("Did this happen? Create"),
      },
    });
    expect(await approval(product, died.approvalId)).toMatchObject({ state: "unknown" });
    expect(await readTurn(product, died.turnId)).toMatchObject({ state: "pending_confirmation" });
    return { product, seen: events.length };
  }

  it("[approve.unknown] before anything was sent: the outcome is unknown and it is not sent by itself", async () => {
    const died = await dieWhileChanging("intent.after");
    expect(storedIssues(died.dataDir, title)).toHaveLength(0);
    const { product, seen } = await restartToUnknown(died);
    expect(storedIssues(died.dataDir, title)).toHaveLength(0);
    expect((await decide(product, died.approvalId, "approve")).body.outcome).toBe("already_decided");

    const stranger = await request(product, "POST", `/approvals/${died.approvalId}/settle`, {
      outcome: "did_not",
      actor: "mallory",
    });
    expect(stranger).toMatchObject({ status: 403, body: { error: { code: "not_eligible" } } });
    const settled = await request(product, "POST", `/approvals/${died.approvalId}/settle`, {
      outcome: "did_not",
      note: "looked at the board",
    });
    expect(settled).toMatchObject({ status: 200, body: { approval: { state: "failed" } } });
    expect((await follow(product, died.turnId, seen)).at(-1)?.event).toBe("result");
    expect(await readTurn(product, died.turnId)).toMatchObject({
      state: "done",
      result: { tool_result: { tool_id: "jira.create_issue", ok: false } },
    });
    const again = await request(product, "POST", `/approvals/${died.approvalId}/settle`, {
      outcome: "happened",
    });
    expect(again).toMatchObject({ status: 409, body: { error: { code: "not_unknown" } } });
    await product.stop();
    expect(storedIssues(died.dataDir, title)).toHaveLength(0);
    expectUnbrokenAudit(died.dataDir);
  });

  it("[approve.unknown] after it was sent it is unknown, over restarts too, and not sent again", async () => {
    const died = await dieWhileChanging("send.after");
    expect(storedIssues(died.dataDir, title)).toHaveLength(1);
    const once = await restartToUnknown(died);
    await once.product.stop();
    const { product, seen } = await restartToUnknown(died);
    expect(seen).toBe(once.seen);
    expect(entries(died.dataDir, "approval.unknown", died.approvalId)).toBe(1);
    expect(storedIssues(died.dataDir, title)).toHaveLength(1);

    const settled = await request(product, "POST", `/approvals/${died.approvalId}/settle`, {
      outcome: "happened",
    });
    expect(settled).toMatchObject({ status: 200, body: { approval: { state: "done" } } });
    expect((await follow(product, died.turnId, seen)).at(-1)?.event).toBe("result");
    expect(await readTurn(product, died.turnId)).toMatchObject({
      state: "done",
      result: { tool_result: { tool_id: "jira.create_issue", ok: true } },
    });
    await product.stop();
    expect(storedIssues(died.dataDir, title)).toHaveLength(1);
    expect(entries(died.dataDir, "approval.executing", died.approvalId)).toBe(1);
    expectUnbrokenAudit(died.dataDir);
  });
});

/** Says something to a process that may die at any moment; undefined when it died before it acknowledged. */
async function sayToDying(
  product: { url: string },
  message: string,
  extra: Record<string, unknown>,
): Promise<LiveTurn | undefined> {
  const turn = await sayLive(product, message, extra).catch(() => undefined);
  await turn?.end();
  return turn;
}

/**
 * Each point costs a start of the product: `npm test` dies at those where a state can be lost or doubled
 * and that no test above dies at, `npm run test:crash` at every one.
 */
const isLong = process.env["CRASH_POINTS"] === "all";
/** Once or not at all: a test that is left out would count as one that this machine cannot run. */
const inLongForm = isLong ? [1] : [];

function chosen(points: FailPointName[], short: FailPointName[]): FailPointName[] {
  return isLong ? points : points.filter((point) => short.includes(point));
}

/**
 * The points from the last that a turn passes to the first. Of those that the short form dies at, a turn that died at
 * one is taken up by the process that has the next set, which the turn does not pass again. The long form ends each
 * turn in a process that lives: what a read brought is written with what comes of it, so its recovery passes them all.
 */
const LAST_TO_FIRST: FailPointName[] = [
  "end.after",
  "end.before",
  "plan.after",
  "plan.before",
  "outcome.after",
  "send.after",
  "intent.after",
  "intent.before",
];

describe("kill -9 at every point between two durable writes", () => {
  it("[turn.recover] every accepted message is answered once, whatever point of a read it dies at", async () => {
    const dataDir = await temporaryFolder();
    const turnsOf = (point: string): string[] =>
      readStore<{ id: string }>(
        dataDir,
        "select id from turns where conversation_id = ?",
        `http:${point}`,
      ).map((row) => row.id);

    /** Ends whatever is unfinished in a process that lives. */
    async function finishAll(): Promise<HostedProduct> {
      const product = await startHosted({ config: jiraOnly(), dataDir });
      for (const { id } of readStore<{ id: string }>(dataDir, "select id from turns"))
        await follow(product, id);
      return product;
    }

    // A read that dies is made again, so the points within it kill its recovery too.
    const points = chosen(
      [...LAST_TO_FIRST, "inbox.after", "inbox.before"],
      ["intent.after", "inbox.after", "inbox.before"],
    );
    for (const point of points) {
      if (isLong) await (await finishAll()).stop();
      const product = await startFailing(point, dataDir).catch(() => undefined);
      if (product !== undefined) {
        await sayToDying(product, "/jira DEMO-1", { session_id: point });
        expect((await product.ended).signal).toBe("SIGKILL");
      }
      if (point === "inbox.before") break;
      if (product === undefined || turnsOf(point).length === 0) {
        await (await finishAll()).stop();
        const again = await startFailing(point, dataDir);
        await sayToDying(again, "/jira DEMO-1", { session_id: point });
        expect((await again.ended).signal).toBe("SIGKILL");
      }
      expect(turnsOf(point)).toHaveLength(1);
    }

    const product = await finishAll();
    expect(turnsOf("inbox.before")).toEqual([]);
    for (const point of points.slice(0, -1)) {
      const [turnId = ""] = turnsOf(point);
      const events = await follow(product, turnId);
      expect(events.filter((event) => event.event === "result" || event.event === "error")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ event: "result", data: { tool_result: { ok: true } } });
      expect((await readTurn(product, turnId)).result?.tool_results).toHaveLength(1);
    }
    expectUnbrokenAudit(dataDir);
  });

  it("[turn.order] [turn.recover] a message sent again after the crash is one turn and one request", async () => {
    const message = "create an issue in DEMO titled 'Sent again'";
    const event = { session_id: "again", event_id: "evt-7" };
    const points: FailPointName[] = ["inbox.before", "inbox.after", "request.before", "request.after"];
    for (const point of isLong ? points : ["request.before"]) {
      const dataDir = await temporaryFolder();
      const first = await startFailing(point, dataDir);
      await sayToDying(first, message, event);
      expect((await first.ended).signal).toBe("SIGKILL");
      const second = await startHosted({ config: jiraOnly(), dataDir });
      const { turnId, pending } = await askFor(second, message, event);
      expect(readStore(dataDir, "select id from turns")).toEqual([{ id: turnId }]);
      expect(readStore(dataDir, "select id, state from approvals")).toEqual([
        { id: pending.approval_id, state: "pending" },
      ]);
      await second.stop();
    }
  });

  it("[approve.once] [approve.unknown] [turn.recover] a change happens at most once", async () => {
    const titleOf = (point: string): string => `Approved at ${point}`;
    const points = chosen(
      [...LAST_TO_FIRST, "continuation.before", "decision.after", "decision.before"],
      // At the decision itself others die: test/e2e/several-requests.test.ts.
      ["end.before", "send.after", "continuation.before"],
    );
    const first = await startProduct({ config: jiraOnly() });
    const { dataDir } = first;
    const asked: { point: FailPointName; turnId: string; id: string }[] = [];
    for (const point of points) {
      const { turnId, pending } = await askFor(first, `create an issue in DEMO titled '${titleOf(point)}'`, {
        session_id: point,
      });
      asked.push({ point, turnId, id: pending.approval_id });
    }
    await first.kill();

    for (const [n, { point, id }] of asked.entries()) {
      const before = asked[n - 1];
      if (before !== undefined && (isLong || point === "continuation.before")) {
        // The one before it died so early that its recovery passes this point too.
        const living = await startHosted({ config: jiraOnly(), dataDir });
        await follow(living, before.turnId);
        await living.stop();
      }
      const product = await startFailing(point, dataDir);
      if (before !== undefined) await follow(product, before.turnId);
      await decide(product, id, "approve").catch(() => undefined);
      expect((await product.ended).signal).toBe("SIGKILL");
    }

    const product = await startHosted({ config: jiraOnly(), dataDir });
    const found: Record<string, { state: string; issues: number; turn: string; sent: number }> = {};
    for (const { point, turnId, id } of asked) {
      await follow(product, turnId);
      found[point] = {
        state: (await approval(product, id)).state,
        issues: storedIssues(dataDir, titleOf(point)).length,
        turn: (await readTurn(product, turnId)).state,
        sent: entries(dataDir, "approval.executing", id),
      };
    }
    const done = { state: "done", issues: 1, turn: "done", sent: 1 };
    const unknown = { state: "unknown", turn: "pending_confirmation", sent: 1 };
    const expected: Record<string, object> = {
      "decision.before": { state: "pending", issues: 0, turn: "pending_confirmation", sent: 0 },
      "decision.after": done,
      "continuation.before": done,
      "intent.before": done,
      "intent.after": { ...unknown, issues: 0 },
      "send.after": { ...unknown, issues: 1 },
      "outcome.after": done,
      "plan.before": done,
      "plan.after": done,
      "end.before": done,
      "end.after": done,
    };
    expect(found).toEqual(Object.fromEntries(points.map((point) => [point, expected[point]])));
    expectUnbrokenAudit(dataDir);
  });
});

describe("kill -9 while people correct, let expire and settle", () => {
  it("[approve.edit] [turn.recover] an edit stands or falls whole", async () => {
    const dataDir = await temporaryFolder();
    const before = await startFailing("edit.before", dataDir);
    const { turnId, pending } = await askFor(before, "create an issue in DEMO titled 'Edited in the dark'");
    const args = { ...pending.args, summary: "Edited in the light" };
    const edit = (product: { url: string }): Promise<unknown> =>
      request(product, "POST", `/approvals/${pending.approval_id}/edit`, { args }).catch(() => undefined);
    await edit(before);
    expect((await before.ended).signal).toBe("SIGKILL");

    const after = await startFailing("edit.after", dataDir);
    expect(await approval(after, pending.approval_id)).toMatchObject({
      state: "pending",
      args: pending.args,
    });
    await edit(after);
    expect((await after.ended).signal).toBe("SIGKILL");

    const product = await startHosted({ config: jiraOnly(), dataDir });
    await eventually(async () =>
      expect(await readTurn(product, turnId)).toMatchObject({
        state: "pending_confirmation",
        result: { pending_confirmation: { args, state: "pending" } },
      }),
    );
    expect(await approval(product, pending.approval_id)).toMatchObject({ state: "superseded" });
    expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("void");
    const { result } = await readTurn(product, turnId);
    const id = result?.pending_confirmation?.approval_id ?? "";
    expect((await decide(product, id, "approve")).body.outcome).toBe("approved");
    await eventually(async () => expect(await readTurn(product, turnId)).toMatchObject({ state: "done" }));
    await product.stop();
    expect(storedIssues(dataDir, "Edited in the light")).toHaveLength(1);
    expect(storedIssues(dataDir, "Edited in the dark")).toHaveLength(0);
    expectUnbrokenAudit(dataDir);
  });

  it.each(inLongForm)(
    "[approve.expiry] [turn.recover] a request due at the kill is closed once, and its turn ends",
    async () => {
      const dataDir = await temporaryFolder();
      const config = jiraOnly({
        policy: { rules: [{ tools: ["jira.create_issue"], decision: "ask", ttl: "1s" }] },
      });
      const first = await startFailing("expire.before", dataDir, config);
      const { turnId, pending } = await askFor(first, "create an issue in DEMO titled 'Too late'");
      expect((await first.ended).signal).toBe("SIGKILL");
      const second = await startFailing("expire.after", dataDir, config).catch(() => undefined);
      if (second !== undefined) expect((await second.ended).signal).toBe("SIGKILL");
      const product = await startHosted({ config, dataDir });
      await eventually(async () => expect(await readTurn(product, turnId)).toMatchObject({ state: "done" }));
      expect(await approval(product, pending.approval_id)).toMatchObject({ state: "expired" });
      expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("expired");
      expect(entries(dataDir, "approval.expired", pending.approval_id)).toBe(1);
      await product.stop();
      expect(storedIssues(dataDir, "Too late")).toHaveLength(0);
      expectUnbrokenAudit(dataDir);
    },
  );

  it.each(inLongForm)(
    "[approve.unknown] what is settled is settled once, and a dead takeover is taken over",
    async () => {
      const dataDir = await temporaryFolder();
      const first = await startFailing("send.after", dataDir);
      const { turnId, pending } = await askFor(first, "create an issue in DEMO titled 'Taken over twice'");
      await decide(first, pending.approval_id, "approve").catch(() => undefined);
      expect((await first.ended).signal).toBe("SIGKILL");
      const second = await startFailing("takeover.after", dataDir).catch(() => undefined);
      if (second !== undefined) expect((await second.ended).signal).toBe("SIGKILL");
      expect(entries(dataDir, "approval.taken_over", pending.approval_id)).toBe(1);

      const settle = (product: { url: string }): Promise<{ status: number } | undefined> =>
        request(product, "POST", `/approvals/${pending.approval_id}/settle`, { outcome: "happened" }).catch(
          () => undefined,
        );
      const unknown = (product: { url: string }): Promise<void> =>
        eventually(async () =>
          expect(await approval(product, pending.approval_id)).toMatchObject({ state: "unknown" }),
        );
      for (const point of ["settle.before", "settle.after"]) {
        const product = await startFailing(point, dataDir);
        await unknown(product);
        expect(await settle(product)).toBeUndefined();
        expect((await product.ended).signal).toBe("SIGKILL");
      }
      const product = await startHosted({ config: jiraOnly(), dataDir });
      expect(await settle(product)).toMatchObject({ status: 409, body: { error: { code: "not_unknown" } } });
      await eventually(async () => expect(await readTurn(product, turnId)).toMatchObject({ state: "done" }));
      await product.stop();
      expect(storedIssues(dataDir, "Taken over twice")).toHaveLength(1);
      expect(entries(dataDir, "approval.done", pending.approval_id)).toBe(1);
      expectUnbrokenAudit(dataDir);
    },
  );
});
