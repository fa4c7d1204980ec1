import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SelectQueryNode } from "kysely";
import { onTestFinished } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { statementById } from "#src/base/plain-statement.ts";
import type { Membership } from "#src/ledger/eligibility.ts";
import { createLedger, type Ledger } from "#src/ledger/ledger.ts";
import type { ReadyTurn } from "#src/ledger/moves.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import type { Db } from "#src/store/schema.ts";
import { buildTool } from "#test/builders.ts";

export const ana: ActorId = "slack:T1:ANA";
export const ben: ActorId = "slack:T1:BEN";
export const chloe: ActorId = "slack:T1:CHLOE";
/** In no channel and no group. */
export const mallory: ActorId = "slack:T1:MALLORY";

export const deleteIssue: Tool = buildTool("jira.delete_issue", {
  description: "Delete an issue.",
  digest: "d".repeat(64),
});

export const asks: PolicyDecision = {
  decision: "ask",
  rule: "default",
  approvers: ["requester"],
  excludeRequester: false,
  quorum: 1,
  ttlMs: 60_000,
  reasonRequired: false,
  idempotent: false,
};

export interface LedgerBench {
  db: Db;
  ledger: Ledger;
  transact: Transact;
  /** Moves the clock on, in milliseconds. */
  pass(ms: number): void;
  /** Turns that were told to go on. */
  continued: ReadyTurn[];
  /** Who is in the channel; everybody else is not. */
  members: Set<ActorId>;
  /** Who is in the group `leads`. */
  leads: Set<ActorId>;
  /** A change of a turn that waits for a decision. */
  request(more?: Partial<PolicyDecision>, args?: JsonObject): Promise<Approval>;
  /** The state of the turn, of the call and of the request. */
  states(approval: Approval): Promise<{ turn: string; call: string; approval: string }>;
  /** The kinds of the audit entries of a request, in order. */
  audited(approval: Approval): Promise<string[]>;
  /** How often requests were read since the bench was opened. */
  reads(): number;
  /** Another worker over the same store. */
  worker(name: string): Ledger;
}

/** A ledger over a real store of its own, with a clock that stands. */
export async function openBench(): Promise<LedgerBench> {
  const folder = await mkdtemp(join(tmpdir(), "ledger-"));
  const store = await openEmbeddedStore(folder);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { kind } = store;
  let reads = 0;
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      if (SelectQueryNode.is(node) && JSON.stringify(node.from).includes('"approvals"')) reads += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  let time = Date.UTC(2026, 10, 21, 12);
  const now = (): number => time;
  const continued: ReadyTurn[] = [];
  const members = new Set<ActorId>([ana, ben, chloe]);
  const leads = new Set<ActorId>([chloe]);
  const membership: Membership = {
    inChannel: (actor) => Promise.resolve(members.has(actor)),
    inGroup: (actor, group) => Promise.resolve(group === "leads" && leads.has(actor)),
    isGuest: () => Promise.resolve(false),
  };
  const transact = createTransact(db, { kind, redactor: createRedactor(["swordfish"]), now });
  const worker = (name: string): Ledger =>
    createLedger({
      db,
      kind,
      transact,
      membership,
      now,
      worker: name,
      leaseMs: 1_000,
      failPoint: () => undefined,
      enqueue: () => Promise.resolve(),
      onContinue: (turn) => continued.push(turn),
    });
  const ledger = worker("first");

  async function request(
    more: Partial<PolicyDecision> = {},
    args: JsonObject = { issue_key: "DEMO-1" },
  ): Promise<Approval> {
    const turnId = newId("turn");
    const callId = newId("call");
    await db
      .insertInto("turns")
      .values({
        id: turnId,
        surface: "slack",
        actor: ana,
        conversation_id: "c1",
        channel: "general",
        message: "delete it",
        event_key: null,
        state: "pending_confirmation",
        allow_summarization: 1,
        created_at: time,
        updated_at: time,
        result: null,
        error: null,
        stopped_by: null,
        attempts: 0,
        epoch: 0,
      })
      .execute();
    await db
      .insertInto("calls")
      .values({
        id: callId,
        turn_id: turnId,
        step: 1,
        place: 0,
        tool_id: deleteIssue.id,
        server: "jira",
        args: JSON.stringify(args),
        state: "planned",
        approval_id: null,
        repeatable: 0,
        outcome: null,
        started_at: null,
        ended_at: null,
      })
      .execute();
    const { approval } = await transact((tx, note) =>
      ledger.request(tx, note, {
        turnId,
        callId,
        conversationId: "c1",
        channel: "general",
        tool: deleteIssue,
        args,
        statement: statementById(deleteIssue.id, args),
        requestedBy: ana,
        decision: { ...asks, ...more },
      }),
    );
    return approval;
  }

  return {
    db,
    reads: () => reads,
    ledger,
    transact,
    pass: (ms) => void (time += ms),
    continued,
    members,
    leads,
    request,
    worker,
    async states({ id, turnId }) {
      const turn = await db
        .selectFrom("turns")
        .select("state")
        .where("id", "=", turnId)
        .executeTakeFirstOrThrow();
      const call = await db
        .selectFrom("calls")
        .select("state")
        .where("approval_id", "=", id)
        .executeTakeFirstOrThrow();
      const approval = await ledger.get(id);
      return { turn: turn.state, call: call.state, approval: approval?.state ?? "missing" };
    },
    async audited({ id }) {
      const rows = await db
        .selectFrom("audit")
        .select("kind")
        .where("approval_id", "=", id)
        .orderBy("seq")
        .execute();
      return rows.map((row) => row.kind);
    },
  };
}
