import type { ActorId } from "#contract/actor.ts";
import type { Approval, CallTarget, PolicyDecision } from "#contract/approval.ts";
import type { AuditVerdict } from "#contract/audit.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { readAudit, verifyAudit } from "#src/ledger/audit.ts";
import { createLedger, type Ledger } from "#src/ledger/ledger.ts";
import { createTransact, type Transact } from "#src/ledger/transact.ts";
import { toolDigest } from "#src/mcp/catalogue/catalogue.ts";
import { createPolicy, type PolicyRule, type PolicySettings } from "#src/policy/policy.ts";
import type { Db } from "#src/store/schema.ts";

import type { StorePair } from "./stores.ts";

/** The longest a worker may be silent, in milliseconds. */
export const LEASE_MS = 30_000;

export const ana: ActorId = "slack:T1:ana";
export const ben: ActorId = "slack:T1:ben";
export const chloe: ActorId = "slack:T1:chloe";
export const dmitri: ActorId = "slack:T1:dmitri";
/** In no channel and no group. */
export const stranger: ActorId = "slack:T2:mallory";
/** A member of the channel with a restricted account. */
export const guest: ActorId = "slack:T1:guest";

/** Who belongs where. Tests change it as people come and go. */
interface People {
  channel: Set<ActorId>;
  guests: Set<ActorId>;
  groups: Record<string, Set<ActorId>>;
  /** Runs while a platform is asked, before it answers. */
  whileAsked?: () => Promise<void> | void;
  /** Pairs of actors who are one person. */
  same: [ActorId, ActorId][];
  /** Runs while two are compared. */
  whileCompared?: () => void;
}

/** Two ledgers over one store, as two replicas have them, with a clock and people of the test's own. */
export interface Desk {
  kind: StorePair["kind"];
  db: Db;
  first: Ledger;
  second: Ledger;
  transact: Transact;
  /** What the clock of the store says, in milliseconds since the epoch. */
  clock: { now: number };
  people: People;
  /** Turns that the ledgers told of after the commit. */
  continued: string[];
  /** Records a request as a turn does: the turn ends with it in the same transaction. */
  ask(request?: AskFor): Promise<Approval>;
  /** How often a continuation of the turn was put into the queue. */
  jobs(turnId: string): Promise<number>;
  /** How often an entry of this kind stands in the chain for the approval. */
  entries(kind: string, approvalId?: string): Promise<number>;
  verify(): Promise<AuditVerdict>;
}

export interface AskFor {
  tool?: Tool;
  args?: JsonObject;
  targets?: CallTarget[];
  rule?: Partial<PolicyRule>;
  by?: ActorId;
  conversation?: string;
  /** Which replica runs the turn. */
  on?: "first" | "second";
}

export function makeTool(changes: Partial<Tool> = {}): Tool {
  const tool = {
    id: "jira.create_issue",
    server: "jira",
    name: "create_issue",
    description: "Creates an issue",
    inputSchema: { type: "object", properties: { project: { type: "string" }, summary: { type: "string" } } },
    annotations: { readOnlyHint: false },
    trusted: true,
    ...changes,
  };
  return { ...tool, digest: toolDigest({ outputSchema: undefined, ...tool }) };
}

/** A decision of the real policy with one rule over every tool. */
export function decisionOf(rule: Partial<PolicyRule>, tool: Tool, args: JsonObject): PolicyDecision {
  const settings: PolicySettings = { default: "ask", rules: [{ tools: ["*"], decision: "ask", ...rule }] };
  return createPolicy(settings)(tool, args);
}

export const anyone: Partial<PolicyRule> = { approvers: ["channel"] };

export function createDesk(pair: StorePair, leaseMs: number = LEASE_MS): Desk {
  const clock = { now: pair.first.now() };
  const now = (): number => clock.now;
  const people: People = {
    channel: new Set([ana, ben, chloe, dmitri, guest]),
    guests: new Set([guest]),
    groups: {},
    same: [],
  };
  const continued: string[] = [];
  const { kind } = pair;
  const redactor = createRedactor([]);
  const transactOf = (db: Db): Transact => createTransact(db, { kind, redactor, now });

  async function areSame(one: ActorId, other: ActorId): Promise<boolean> {
    people.whileCompared?.();
    return people.same.some((pair) => pair.includes(one) && pair.includes(other));
  }

  function ledgerOf(db: Db, worker: string): Ledger {
    return createLedger({
      db,
      kind,
      transact: transactOf(db),
      failPoint: () => undefined,
      // A row of the same transaction: a job that is undone with it was never there.
      enqueue: async (tx, { turnId }) => {
        await tx
          .insertInto("kv")
          .values({ key: `job:${turnId}:${newId("job")}`, value: "", expires_at: null })
          .execute();
      },
      membership: {
        async inChannel(actor) {
          await people.whileAsked?.();
          return people.channel.has(actor);
        },
        async inGroup(actor, group) {
          await people.whileAsked?.();
          return people.groups[group]?.has(actor) ?? false;
        },
        async isGuest(actor) {
          await people.whileAsked?.();
          return people.guests.has(actor);
        },
        areSame,
        mayBeSame: areSame,
      },
      now,
      worker,
      leaseMs,
      onContinue: ({ turnId }) => continued.push(turnId),
    });
  }

  const { db } = pair.first;
  const transact = transactOf(db);
  const desk: Desk = {
    kind,
    db,
    first: ledgerOf(db, "worker_first"),
    second: ledgerOf(pair.second.db, "worker_second"),
    transact,
    clock,
    people,
    continued,

    async ask(request = {}) {
      const { tool = makeTool(), args = { project: "DEMO", summary: newId("title") } } = request;
      const { by = ana, conversation = newId("conversation"), rule = anyone, on = "first" } = request;
      const { targets = [] } = request;
      const turnId = newId("turn");
      const callId = newId("call");
      const replica = on === "first" ? pair.first : pair.second;
      return transactOf(replica.db)(async (tx, note) => {
        await tx
          .insertInto("turns")
          .values({
            id: turnId,
            surface: "slack",
            actor: by,
            conversation_id: conversation,
            channel: "slack:T1:C1",
            message: "please",
            event_key: null,
            state: "running",
            allow_summarization: 1,
            created_at: now(),
            updated_at: now(),
            result: null,
            error: null,
            stopped_by: null,
            attempts: 0,
            epoch: 1,
          })
          .execute();
        await tx
          .insertInto("calls")
          .values({
            id: callId,
            turn_id: turnId,
            step: 1,
            place: 0,
            tool_id: tool.id,
            server: tool.server,
            args: JSON.stringify(args),
            state: "planned",
            approval_id: null,
            repeatable: 0,
            outcome: null,
            started_at: null,
            ended_at: null,
          })
          .execute();
        const { approval } = await desk[on].request(tx, note, {
          turnId,
          callId,
          conversationId: conversation,
          channel: "slack:T1:C1",
          tool,
          args,
          targets,
          statement: statementById(tool.id, args),
          sources: Object.fromEntries(Object.keys(args).map((name) => [name, { from: "message" }])),
          requestedBy: by,
          decision: decisionOf(rule, tool, args),
        });
        await tx
          .updateTable("turns")
          .set({ state: "pending_confirmation" })
          .where("id", "=", turnId)
          .execute();
        return approval;
      });
    },

    async jobs(turnId) {
      const rows = await db.selectFrom("kv").select("key").where("key", "like", `job:${turnId}:%`).execute();
      return rows.length;
    },

    async entries(entryKind, approvalId) {
      let count = 0;
      for await (const row of readAudit(db)) {
        if (row.kind === entryKind && (approvalId === undefined || row.approval_id === approvalId))
          count += 1;
      }
      return count;
    },

    verify: () => verifyAudit(db),
  };
  return desk;
}

/** What a call brought, as a worker records it. */
export const happened = { ok: true, data: { key: "DEMO-99" } };
