import type { Approval } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessagePort, Place, Presenter } from "#contract/present.ts";
import type { TurnEvent, TurnRequest } from "#contract/turn.ts";
import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { createLedger, type Ledger } from "#src/ledger/ledger.ts";
import { createTransact } from "#src/ledger/transact.ts";
import type { PolicyRule } from "#src/policy/policy.ts";
import { createPresenter, type PresenterOptions } from "#src/present/presenter.ts";
import type { Store } from "#src/store/open.ts";
import type { Db, Row } from "#src/store/schema.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createInbox } from "#src/turn/inbox.ts";
import { Journal } from "#src/turn/journal.ts";
import type { TurnRun } from "#src/turn/run.ts";
import { ana, anyone, decisionOf, makeTool } from "#test/ledger/desk.ts";
import type { StorePair } from "#test/ledger/stores.ts";
import { buildTurnResult } from "#test/builders.ts";

import { createPlatform, type Platform } from "./platform.ts";

export const LEASE_MS = 30_000;

/** One process of the product, so far as it shows turns; the test plays what runs them. */
export interface Process {
  presenter: Presenter;
  ledger: Ledger;
  journal: Journal;
  db: Db;
  /** Says something in a thread of its own, or in the given one. */
  say(request?: Partial<TurnRequest>, place?: Place): Promise<string>;
  begin(turnId: string): Promise<TurnRun>;
  emit(turn: TurnRun, ...events: TurnEvent[]): Promise<void>;
  finish(turn: TurnRun, reply: string): Promise<void>;
  fail(turn: TurnRun, message: string): Promise<void>;
  /** Ends the turn with a request, as the orchestrator does. */
  ask(turn: TurnRun, asked?: Asked): Promise<Approval>;
  /** Begins and finishes the turn. */
  answer(turnId: string, reply?: string): Promise<void>;
}

interface Asked {
  args?: JsonObject;
  rule?: Partial<PolicyRule>;
}

export interface Stage {
  kind: StorePair["kind"];
  /** The clock of the store stands still unless the test moves it. */
  clock: { now: number };
  platform: Platform;
  db: Db;
  /** Begins a process on the first or second replica's connection; it is stopped with the test. */
  open(changes?: Partial<PresenterOptions> & { on?: "first" | "second" }): Promise<Process>;
  message(turnId: string): Promise<Row<"messages">>;
  warnings: string[];
}

const PACE: PresenterOptions["pace"] = {
  minEditMs: 0,
  refreshMs: 3_600_000,
  retry: { minMs: 1, maxMs: 2 },
};

export function createStage(pair: StorePair, cleanUp: (work: () => Promise<void>) => void): Stage {
  const clock = { now: pair.first.now() };
  const platform = createPlatform();
  const warnings: string[] = [];
  const { db } = pair.first;

  async function open(changes: Parameters<Stage["open"]>[0] = {}): Promise<Process> {
    const { on = "first", ...options } = changes;
    const process = createProcess(pair[on], { clock, port: platform.port(), warnings, options });
    await process.presenter.start();
    cleanUp(() => process.presenter.stop());
    return process;
  }

  return {
    kind: pair.kind,
    clock,
    platform,
    db,
    open,
    warnings,
    message: (turnId) =>
      db.selectFrom("messages").selectAll().where("turn_id", "=", turnId).executeTakeFirstOrThrow(),
  };
}

interface Shared {
  clock: { now: number };
  port: MessagePort;
  warnings: string[];
  options: Partial<PresenterOptions>;
}

/** A process on an open store; its presenter is not started yet. */
export function createProcess(
  { db, kind }: Pick<Store, "db" | "kind">,
  { clock, port, warnings, options }: Shared,
): Process {
  const now = (): number => clock.now;
  const redactor = createRedactor([]);
  const worker = newId("worker");
  const { failPoint = () => undefined } = options;
  const enqueue = (): Promise<void> => Promise.resolve();
  const transact = createTransact(db, { kind, redactor, now });
  // Also on the embedded store: a test may have two processes there.
  const signals = createTurnSignals(20);
  const journal = new Journal({ db, kind, transact, now, signals, failPoint });
  const inbox = createInbox({ transact, signals, now, failPoint, enqueue });
  const yes = (): Promise<boolean> => Promise.resolve(true);
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    enqueue,
    membership: { inChannel: yes, inGroup: yes, isGuest: () => Promise.resolve(false) },
    now,
    worker,
    leaseMs: LEASE_MS,
    onContinue: () => undefined,
  });
  const presenter = createPresenter({
    db,
    kind,
    accept: (request, also) => inbox.accept(request, also),
    port,
    signals,
    now,
    redactor,
    worker,
    leaseMs: LEASE_MS,
    failPoint,
    log: {
      info: () => undefined,
      warn: (_, message) => void warnings.push(message),
    },
    pollMs: 5,
    sweepMs: 5,
    gatherMs: 0,
    ...options,
    pace: { ...PACE, ...options.pace },
  });

  const self: Process = {
    presenter,
    ledger,
    journal,
    db,

    async say(request = {}, place = { channel: "C1", thread: newId("thread") }) {
      const { turnId } = await presenter.submit(
        {
          surface: "slack",
          actor: ana,
          conversationId: newId("conversation"),
          channel: "slack:T1:C1",
          message: "please",
          ...request,
        },
        place,
      );
      return turnId;
    },

    async begin(turnId) {
      const run = await journal.open(turnId, { isCounted: true, isFresh: false });
      if (run === undefined) throw new Error(`${turnId} does not go on`);
      return run;
    },

    async emit(run, ...events) {
      for (const event of events) await run.emit(event);
    },

    async finish(run, reply) {
      const result = buildTurnResult(reply);
      await run.end({ state: "done", result, events: [done, { type: "result", result }] });
    },

    async fail(run, message) {
      const error = { code: "internal_error", message };
      await run.end({
        state: "failed",
        error,
        events: [done, { type: "error", ...error }],
      });
    },

    async ask(run, { args = { project: "DEMO", summary: newId("title") }, rule = anyone } = {}) {
      const { turn } = run;
      const tool = makeTool();
      const callId = newId("call");
      await db
        .insertInto("calls")
        .values({
          id: callId,
          turn_id: turn.id,
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
      let approval: Approval | undefined;
      await run.end(async (tx, note) => {
        const requested = await ledger.request(tx, note, {
          turnId: turn.id,
          callId,
          conversationId: turn.conversationId,
          channel: turn.channel,
          tool,
          args,
          statement: statementById(tool.id, args),
          requestedBy: turn.actor,
          decision: decisionOf(rule, tool, args),
        });
        approval = requested.approval;
        const result = { ...buildTurnResult("This needs approval."), pendingConfirmation: approval };
        const status: TurnEvent = { type: "status", phase: "awaiting_approval", elapsedMs: 1 };
        return { state: "pending_confirmation", result, events: [status, { type: "result", result }] };
      });
      if (approval === undefined) throw new Error("nothing was asked");
      return approval;
    },

    async answer(turnId, reply = "Done.") {
      await self.finish(await self.begin(turnId), reply);
    },
  };
  return self;
}

const done: TurnEvent = { type: "status", phase: "done", elapsedMs: 1 };

export const progress = (message: string): TurnEvent => ({ type: "progress", message });
export const status = (phase: Extract<TurnEvent, { type: "status" }>["phase"]): TurnEvent => ({
  type: "status",
  phase,
  elapsedMs: 1,
});
