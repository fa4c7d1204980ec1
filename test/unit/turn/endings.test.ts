import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { CallOutcome } from "#contract/tool.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { readAudit, verifyAudit } from "#src/ledger/audit.ts";
import { createPolicy } from "#src/policy/policy.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { storeTrouble } from "#src/store/store-errors.ts";
import { readEvents } from "#src/turn/events.ts";
import { followEvents } from "#src/turn/follow.ts";

import { buildTool } from "#test/builders.ts";

import { ana, createTurnHouse, type TurnHouse } from "./house.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-turn-"));
  store = await openEmbeddedStore(folder);
});

afterEach(async () => {
  const verdict = await verifyAudit(store.db);
  if (!verdict.ok) throw new Error(verdict.broken.why);
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const never = (): AbortSignal => new AbortController().signal;

async function approve(house: TurnHouse, approval: Approval): Promise<void> {
  const reply = await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  expect(reply.outcome).toBe("approved");
}

async function auditKinds(approvalId: string): Promise<string[]> {
  const kinds: string[] = [];
  for await (const row of readAudit(store.db)) if (row.approval_id === approvalId) kinds.push(row.kind);
  return kinds;
}

/** Marks a stop as another process did that died before it could make it. */
async function promiseStop(turnId: string): Promise<void> {
  await store.db
    .updateTable("turns")
    .set({ state: "running", stopped_by: ana })
    .where("id", "=", turnId)
    .execute();
}

it("[approve.edit] a request that is edited while another of the turn runs waits on", async () => {
  const calling = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<CallOutcome>();
  const calls = [1, 2].map((n) => ({ command: "TASK" as const, tool: "box.change", args: { n } }));
  const house = createTurnHouse(store, {
    call: () => {
      calling.resolve();
      return answer.promise;
    },
    planner: {
      decide: async ({ observations }) => ({
        planner: "builtin",
        attempts: [],
        outcome: observations.length > 0 ? { kind: "final" } : { kind: "calls", calls },
      }),
      respond: async ({ localReply }) => ({ reply: localReply }),
    },
  });
  const conversation = { conversationId: "http:c", channel: "http:c" };
  const { turnId } = await house.inbox.accept({ surface: "http", actor: ana, ...conversation, message: "x" });
  await house.run(turnId, never());
  const asked = await house.ledger.list({ turnId });
  const [one, two] = [1, 2].map((n) => asked.find(({ args }) => args["n"] === n));
  if (one === undefined || two === undefined) throw new Error("expected two requests");
  await approve(house, one);
  const running = house.run(turnId, never());
  await calling.promise;
  const args = { n: 22 };
  const tool = buildTool("box.change", { digest: "d".repeat(64), trusted: false });
  const decision = createPolicy({ default: "ask", rules: [] })(tool, args);
  const shown = { tool, decision, statement: statementById(tool.id, args), targets: [] };
  await house.ledger.edit({ approvalId: two.id, actor: ana, args }, shown);
  answer.resolve({ ok: true, data: { changed: true } });
  await running;
  expect((await house.journal.turn(turnId))?.state).toBe("pending_confirmation");
  const edited = (await house.ledger.list({ turnId })).find(({ args: own }) => own["n"] === 22);
  expect(edited?.state).toBe("pending");
});

it("[turn.recover] days are counted from when a message came, however late it is planned", async () => {
  const days: Date[] = [];
  const house = createTurnHouse(store, {
    planner: {
      decide: ({ now, observations }) => {
        days.push(now);
        const calls = [{ command: "TASK" as const, tool: "box.change", args: {} }];
        return Promise.resolve({
          planner: "builtin",
          attempts: [],
          outcome: observations.length > 0 ? { kind: "final" } : { kind: "calls", calls },
        });
      },
      respond: ({ localReply }) => Promise.resolve({ reply: localReply }),
    },
  });
  const conversation = { conversationId: "http:c", channel: "http:c" };
  const message = "due tomorrow";
  const { turnId } = await house.inbox.accept({ surface: "http", actor: ana, ...conversation, message });
  const before = store.now() - 24 * 3_600_000;
  await store.db.updateTable("turns").set({ created_at: before }).where("id", "=", turnId).execute();
  await house.run(turnId, never());
  await approve(house, await house.requestOf(turnId));
  await house.run(turnId, never());
  expect(days.map((day) => day.getTime())).toEqual([before, before]);
});

describe("a turn that ends closes its requests", () => {
  it("[approve.once] a turn stopped between approval and call: void, nothing is sent", async () => {
    const house = createTurnHouse(store);
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    expect(await house.runner.stop(turnId, ana)).toMatchObject({ stopped: true });
    expect(await house.requestOf(turnId)).toMatchObject({
      state: "void",
      note: "the turn was stopped before the call was sent",
    });
    await house.run(turnId, never());
    expect(house.sent()).toBe(0);
    expect(await auditKinds(approval.id)).toContain("approval.void");
    const late = await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(late.outcome).toBe("void");
  });

  it("[approve.once] [turn.recover] a stop that was promised before a crash holds after it", async () => {
    const house = createTurnHouse(store);
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    await promiseStop(turnId);
    await house.run(turnId, never());
    expect(house.sent()).toBe(0);
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "stopped" });
    expect(await house.requestOf(turnId)).toMatchObject({ state: "void" });
  });

  it("[approve.once] what cannot be read before the call leaves it unsent, and is not said to be unknown", async () => {
    let isBroken = false;
    const house = createTurnHouse(store, {
      credentials: () =>
        isBroken ? Promise.reject(new Error("the key is gone")) : Promise.resolve(undefined),
    });
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    isBroken = true;
    await house.run(turnId, never());
    expect(house.sent()).toBe(0);
    expect(await house.requestOf(turnId)).toMatchObject({
      state: "void",
      note: "the turn ended before the call was sent",
    });
  });

  it("[approve.unknown] a call that was sent before the stopped turn ends is unknown, and can be settled", async () => {
    const house = createTurnHouse(store);
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    await store.db
      .updateTable("approvals")
      .set({ state: "executing", lease_owner: "worker_dead", lease_until: store.now() + 30_000 })
      .where("id", "=", approval.id)
      .execute();
    await promiseStop(turnId);
    await house.run(turnId, never());
    expect(await house.requestOf(turnId)).toMatchObject({
      state: "unknown",
      note: "the turn ended after the call was sent",
    });
    expect(house.sent()).toBe(0);
    const settled = await house.ledger.settle({ approvalId: approval.id, actor: ana, outcome: "happened" });
    expect(settled.state).toBe("done");
  });

  it("[turn.recover] a stopped turn does not go on to wait for a person", async () => {
    let stop: () => Promise<unknown> = () => Promise.resolve();
    const house = createTurnHouse(store, {
      observe: (ledger) => ({
        ...ledger,
        isGranted: async (draft) => {
          await stop();
          return ledger.isGranted(draft);
        },
      }),
    });
    const { turnId } = await house.inbox.accept({
      surface: "http",
      actor: ana,
      conversationId: "http:one",
      channel: "http:one",
      message: "change it",
    });
    stop = () => house.runner.stop(turnId, ana);
    await house.run(turnId, never());
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "stopped" });
    expect(await house.ledger.list({ turnId })).toEqual([]);
  });
});

describe("a turn that pauses", () => {
  it("[approve.once] a decision between the last look at the request and the pause is not lost", async () => {
    let decideNow = false;
    const house: TurnHouse = createTurnHouse(store, {
      observe: (ledger) => ({
        ...ledger,
        list: async (filter) => {
          const listed = await ledger.list(filter);
          const [approval] = listed;
          if (decideNow && approval !== undefined) {
            decideNow = false;
            await approve(house, approval);
          }
          return listed;
        },
      }),
    });
    const { turnId } = await house.askForChange();
    // Another run looks at the request, as after a crash in the middle of an edit.
    await store.db.updateTable("turns").set({ state: "running" }).where("id", "=", turnId).execute();
    decideNow = true;
    await house.run(turnId, never());
    expect(await house.requestOf(turnId)).toMatchObject({ state: "done" });
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "done" });
    expect(house.sent()).toBe(1);
  });

  it("[turn.recover] is not run again until somebody makes it ready, and shows its card once", async () => {
    const house = createTurnHouse(store);
    const { turnId } = await house.askForChange();
    const before = await readEvents(store.db, turnId, 0);
    await house.run(turnId, never());
    expect(await readEvents(store.db, turnId, 0)).toEqual(before);
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "pending_confirmation" });
  });

  it("[turn.recover] a run whose claim was given to another process leaves the turn to that one", async () => {
    const lost = new AbortController();
    const house = createTurnHouse(store, {
      call: () => {
        lost.abort(new Error("no longer active under this worker's claim"));
        return Promise.resolve({
          ok: false,
          data: null,
          error: { code: "cancelled", message: "stopped", sent: "no" },
        });
      },
    });
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    await house.run(turnId, lost.signal);
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "running" });
  });

  it("[turn.recover] a turn that the store cannot take is told to who waits for it, and goes on later", async () => {
    const long = "x".repeat(1_000_000);
    const house = createTurnHouse(store, {
      retryMs: 1,
      planner: {
        decide: () =>
          Promise.resolve({ planner: "builtin", attempts: [], outcome: { kind: "message", message: long } }),
        respond: ({ localReply }) => Promise.resolve({ reply: localReply }),
      },
    });
    const { turnId } = await house.inbox.accept({
      surface: "http",
      actor: ana,
      conversationId: "http:full",
      channel: "http:full",
      message: "tell me a lot",
    });
    // The next page that is needed is refused, as on a full disk.
    await sql`pragma max_page_count = 1`.execute(store.db);
    const read = async (): Promise<string[]> => {
      const types: string[] = [];
      const events = followEvents({ db: store.db, signals: house.signals })(turnId, { signal: never() });
      for await (const { event } of events) types.push(event.type);
      return types;
    };
    const waiting = read();
    await house.runner.start();
    await expect(waiting).rejects.toMatchObject({
      code: "store_full",
      message: expect.stringMatching(/I have your message.* try again by myself.*Free some space/),
    });
    expect((await house.journal.turn(turnId))?.state).not.toBe("failed");

    await sql`pragma max_page_count = 1000000`.execute(store.db);
    for (let hears = true; hears;)
      hears = await read().then(
        () => false,
        () => true,
      );
    const done = await house.journal.turn(turnId);
    expect([done?.state, done?.result?.reply.slice(0, 4)]).toEqual(["done", "xxxx"]);
    await house.runner.close(0);
  });

  it("[turn.recover] [approve.once] an approved change waits out a full disk", async () => {
    const house = createTurnHouse(store, {
      observe: (ledger) => ({ ...ledger, claim: () => Promise.reject(storeTrouble("store_full")) }),
    });
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    for (let tried = 0; tried < 20; tried += 1)
      await expect(house.run(turnId, never())).rejects.toMatchObject({ code: "store_full" });
    expect(await house.requestOf(turnId)).toMatchObject({ state: "approved" });
    // Another process takes it up, and knows nothing of that.
    const next = createTurnHouse(store);
    await next.run(turnId, never());
    expect(await next.requestOf(turnId)).toMatchObject({ state: "done" });
    expect([house.sent(), next.sent()]).toEqual([0, 1]);
  });

  it("[turn.recover] a turn of which something cannot be read is given up", async () => {
    const house = createTurnHouse(store, {
      observe: (ledger) => ({
        ...ledger,
        claim: () => Promise.reject(storeTrouble("store_damaged")),
      }),
    });
    const { turnId, approval } = await house.askForChange();
    await approve(house, approval);
    for (let tried = 0; tried < 5; tried += 1)
      await expect(house.run(turnId, never())).rejects.toMatchObject({ code: "store_damaged" });
    await house.run(turnId, never());
    expect(await house.journal.turn(turnId)).toMatchObject({ state: "failed" });
    expect(house.sent()).toBe(0);
  });
});
