import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Planner } from "#contract/plan.ts";
import type { CallOutcome, ToolBox } from "#contract/tool.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createLedger, type Ledger } from "#src/ledger/ledger.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { createPolicy } from "#src/policy/policy.ts";
import type { Store } from "#src/store/open.ts";
import { createDispatcher } from "#src/turn/dispatch.ts";
import { createTurnSignals, type TurnSignals } from "#src/turn/events.ts";
import { createInbox, type Inbox } from "#src/turn/inbox.ts";
import { Journal } from "#src/turn/journal.ts";
import { createOrchestrator, type RunTurn } from "#src/turn/orchestrator.ts";
import { createEmbeddedQueue } from "#src/turn/queue.ts";
import { createReview } from "#src/turn/review.ts";
import { createRunner, type Runner } from "#src/turn/runner.ts";
import { createViews } from "#views/manager.ts";
import { createStatements } from "#views/statement.ts";
import { buildTool } from "#test/builders.ts";

export const ana: ActorId = "http:ana";

/** A change that a rule asks about, on a server of its own. */
const change = buildTool("box.change", {
  description: "Changes something.",
  digest: "d".repeat(64),
  trusted: false,
});

/** The turn's room on a store, with a planner that plans the one change and a tool box that counts. */
export interface TurnHouse {
  journal: Journal;
  ledger: Ledger;
  inbox: Inbox;
  runner: Runner;
  signals: TurnSignals;
  run: RunTurn;
  /** How often the change was sent. */
  sent(): number;
  /** Accepts a message and runs its turn until it asks. */
  askForChange(): Promise<{ turnId: string; approval: Approval }>;
  /** The only request of a turn, as it stands. */
  requestOf(turnId: string): Promise<Approval>;
}

export interface TurnHouseOptions {
  /** Takes the place of the call itself. */
  call?: (signal: AbortSignal) => Promise<CallOutcome>;
  /** What people gave for the turn's calls. */
  credentials?: () => Promise<undefined>;
  /** Takes the place of the planner. */
  planner?: Planner;
  /** Changes how the orchestrator sees the ledger. */
  observe?: (ledger: Ledger) => Ledger;
  /** How long a turn waits that the store did not take, in milliseconds. */
  retryMs?: number;
}

export function createTurnHouse(store: Store, options: TurnHouseOptions = {}): TurnHouse {
  const { db, kind, now } = store;
  const redactor = createRedactor([]);
  const failPoint = (): void => undefined;
  const transact = createTransact(db, { kind, redactor, now });
  const signals = createTurnSignals(0);
  const journal = new Journal({ db, kind, transact, now, signals, failPoint });
  const queue = createEmbeddedQueue({
    unfinished: () => journal.unfinished(),
    retryMs: options.retryMs ?? 60_000,
    now,
  });
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    enqueue: (tx, turn) => queue.enqueue(tx, turn),
    membership: {
      inChannel: () => Promise.resolve(true),
      inGroup: () => Promise.resolve(false),
      isGuest: () => Promise.resolve(false),
    },
    now,
    worker: "worker_one",
    leaseMs: 30_000,
    onContinue: (turn) => queue.wake(turn),
  });
  let sent = 0;
  const tools: ToolBox = {
    tools: () => [change],
    find: (name) => (name === change.id ? change : undefined),
    servers: () => [],
    call({ signal }) {
      sent += 1;
      return options.call?.(signal) ?? Promise.resolve({ ok: true, data: { changed: true } });
    },
  };
  const planner: Planner = options.planner ?? {
    decide: ({ observations }) =>
      Promise.resolve({
        planner: "builtin",
        attempts: [],
        outcome:
          observations.length > 0
            ? { kind: "final" }
            : { kind: "calls", calls: [{ command: "TASK", tool: change.id, args: {} }] },
      }),
    respond: ({ localReply }) => Promise.resolve({ reply: localReply }),
  };
  const policy = createPolicy({ default: "ask", rules: [] });
  const statements = createStatements();
  const review = createReview({ tools, policy, statements, redactor });
  const files = { keep: () => Promise.resolve([]) };
  const ask = () => Promise.resolve({ action: "cancel" as const });
  const seen = options.observe?.(ledger) ?? ledger;
  const run = createOrchestrator({
    db,
    journal,
    ledger: seen,
    dispatcher: createDispatcher({
      tools,
      policy,
      ledger: seen,
      now,
      failPoint,
      review,
      ask,
      files,
      log: { info: () => undefined },
      ...(options.credentials && { credentials: options.credentials }),
    }),
    planner,
    policy,
    tools,
    views: createViews({}, () => undefined),
    statements,
    redactor,
    offered: (all) => all,
    examples: [],
    maxSteps: 8,
    now,
    onContinue: (turn) => queue.wake(turn),
  });
  const log = { warn: () => undefined };
  const runner = createRunner({ db, transact, journal, queue, signals, run, now, log, stopPollMs: 0 });
  const inbox = createInbox({ transact, signals, now, failPoint, enqueue: () => Promise.resolve() });

  async function requestOf(turnId: string): Promise<Approval> {
    const [approval] = await ledger.list({ turnId });
    if (approval === undefined) throw new Error(`turn ${turnId} made no request`);
    return approval;
  }

  return {
    journal,
    ledger,
    inbox,
    runner,
    signals,
    run,
    sent: () => sent,
    requestOf,
    async askForChange() {
      const { turnId } = await inbox.accept({
        surface: "http",
        actor: ana,
        conversationId: "http:one",
        channel: "http:one",
        message: "change it",
      });
      await run(turnId, new AbortController().signal);
      return { turnId, approval: await requestOf(turnId) };
    },
  };
}
