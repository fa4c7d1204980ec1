import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { createLedger, type Ledger } from "#src/ledger/ledger.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import type { Store } from "#src/store/open.ts";
import { openBossQueue } from "#src/turn/boss-queue.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createInbox } from "#src/turn/inbox.ts";
import type { TurnQueue } from "#src/turn/queue.ts";

import type { Places } from "./places.ts";
import { type Row, timeAll } from "./table.ts";

const DECISIONS = 500;

/** Decisions as a click makes them: vote, state, audit entry and the job of the continuation in one commit. */
export async function benchLedger(places: Places): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["embedded", "postgres"] as const) {
    const { store, url } = await places.store(kind);
    const queue =
      kind === "postgres"
        ? await openBossQueue({
            connectionString: url,
            db: store.db,
            graceMs: 10_000,
            log: { warn: () => undefined },
          })
        : undefined;
    for (const atOnce of [1, 16]) {
      const { ledger, transact } = openLedger(store, queue);
      const pending: string[] = [];
      for (let at = 0; at < DECISIONS; at += 1) pending.push(await addPending(store, ledger, transact));
      const figures = await timeAll(pending, atOnce, async (approvalId) => {
        const reply = await ledger.decide({ approvalId, actor: "http:ana", decision: "approve" });
        if (reply.outcome !== "approved") throw new Error(`expected approved, got ${reply.outcome}`);
      });
      rows.push({ what: `${kind}, ${atOnce} at once`, figures });
    }
    await queue?.drain();
  }
  return rows;
}

function openLedger(store: Store, queue: TurnQueue | undefined): { ledger: Ledger; transact: Transact } {
  const { db, kind, now } = store;
  const transact = createTransact(db, { kind, redactor: createRedactor([]), now });
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint: () => undefined,
    enqueue: (tx, turn) => queue?.enqueue(tx, turn) ?? Promise.resolve(),
    membership: {
      inChannel: () => Promise.resolve(true),
      inGroup: () => Promise.resolve(false),
      isGuest: () => Promise.resolve(false),
    },
    now,
    worker: newId("worker"),
    leaseMs: 30_000,
    onContinue: () => undefined,
  });
  return { ledger, transact };
}

/** A turn that waits for a request, as the orchestrator leaves it. */
async function addPending(store: Store, ledger: Ledger, transact: Transact): Promise<string> {
  const { now } = store;
  const inbox = createInbox({
    transact,
    signals: createTurnSignals(0),
    now,
    failPoint: () => undefined,
    enqueue: () => Promise.resolve(),
  });
  const conversationId = newId("http:bench");
  const { turnId } = await inbox.accept({
    surface: "http",
    actor: "http:ana",
    conversationId,
    channel: conversationId,
    message: "/counter append one",
  });
  const callId = newId("call");
  const args = { id: callId };
  return transact(async (tx, note) => {
    await tx
      .insertInto("calls")
      .values({
        id: callId,
        turn_id: turnId,
        step: 1,
        place: 0,
        tool_id: "counter.append",
        server: "counter",
        args: JSON.stringify(args),
        state: "planned",
        approval_id: null,
        repeatable: 0,
        outcome: null,
        started_at: null,
        ended_at: null,
      })
      .execute();
    const { approval } = await ledger.request(tx, note, {
      turnId,
      callId,
      conversationId,
      channel: conversationId,
      tool: {
        id: "counter.append",
        server: "counter",
        name: "append",
        description: "Appends a line.",
        inputSchema: { type: "object" },
        annotations: {},
        trusted: true,
        digest: "0".repeat(64),
      },
      args,
      statement: statementById("counter.append", args),
      requestedBy: "http:ana",
      decision: {
        decision: "ask",
        rule: "bench",
        approvers: ["requester"],
        excludeRequester: false,
        quorum: 1,
        ttlMs: 3_600_000,
        reasonRequired: false,
        idempotent: false,
      },
    });
    await tx.updateTable("turns").set({ state: "pending_confirmation" }).where("id", "=", turnId).execute();
    return approval.id;
  });
}
