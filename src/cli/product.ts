import { fileURLToPath } from "node:url";

import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { MessagePort, Presenter, TurnView } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";
import { createViews } from "#views/manager.ts";
import type { Keyv } from "keyv";
import type { Logger } from "pino";

import { createFailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { createRedactor } from "../base/redact.ts";
import { createLedger } from "../ledger/ledger.ts";
import { maskApproval } from "../ledger/mask.ts";
import { createTransact } from "../ledger/commit.ts";
import { createToolBox } from "../mcp/pool.ts";
import { createModelSelector } from "../model/selector.ts";
import { createLog, type LogTarget } from "../observe/log.ts";
import { createArgumentChecker } from "../plan/arguments.ts";
import { createBuiltinPlanner } from "../plan/builtin/planner.ts";
import { createPlanner } from "../plan/planner.ts";
import { loadPrompts } from "../plan/prompts.ts";
import { createToolSelector } from "../plan/select-tools.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import { createPresenter } from "../present/presenter.ts";
import { readSnapshot } from "../present/snapshot.ts";
import type { Settings } from "../settings/load.ts";
import { createKeyv } from "../store/keyv.ts";
import { toStoreError } from "../store/open.ts";
import type { Tx } from "../store/schema.ts";
import { createCardCalls } from "../turn/card-calls.ts";
import { createDispatcher } from "../turn/dispatch.ts";
import { readEvents, streamEvents } from "../turn/events.ts";
import { createInbox } from "../turn/inbox.ts";
import { createJournal } from "../turn/journal.ts";
import { createOrchestrator } from "../turn/orchestrator.ts";
import { createPreview } from "../turn/preview.ts";
import { createRunner } from "../turn/runner.ts";
import { createTurnSignals } from "../turn/signals.ts";
import { commandsOf } from "./command-info.ts";
import { createHealth } from "./health.ts";
import { createMembership, type PlatformMembers } from "./membership.ts";
import { openQueue, openStore } from "./open-store.ts";
import { secretsOf } from "./secrets.ts";
import { version } from "./version.ts";

const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** The running product without its surfaces. */
export interface Product {
  core: Core;
  log: Logger;
  version: string;
  /** Shows turns on a chat platform; stopped by `close`, once running turns have ended. */
  present(port: MessagePort): Presenter;
  /** A turn as its message shows it; undefined when there is none. */
  view(turnId: string): Promise<TurnView | undefined>;
  /** Plain state of one kind that outlives the process. */
  state<Value>(namespace: string): Keyv<Value>;
  /** Connects to the servers, looks for the model and takes up unfinished turns. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A small model loses its way among more. */
const TOOLS_IN_PROMPT = 24;
const EXPIRY_SWEEP_MS = 5_000;
const SHUTDOWN_GRACE_MS = 8_000;
/** Short, so that another replica takes over soon; kept up by a heartbeat three times as often. */
const LEASE_MS = 10_000;
const STOP_POLL_MS = 1_000;
const EVENT_POLL_MS = 250;

/** Builds the product from its settings: the one place that knows every room. */
export async function createProduct(
  settings: Settings,
  options: { log: LogTarget; env: NodeJS.ProcessEnv; members?: PlatformMembers },
): Promise<Product> {
  const { env } = options;
  const redactor = createRedactor(secretsOf(settings, env));
  const log = await createLog({ level: env.LOG_LEVEL ?? "info", redactor, target: options.log });
  const prompts = await loadPrompts(`${root}prompts`);
  const views = createViews(settings.views, (message) => log.warn({}, message));
  const store = await openStore(settings, log);
  const { db, kind, now } = store;

  const tools = createToolBox({
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
    verdicts: createKeyv(db, "mcp-verdict"),
  });
  const models = createModelSelector({ ...settings.model, log });
  const channels = createChannelPolicy(settings.policy, settings.channels);
  const policy = channels.decide;
  const commands = commandsOf(settings);
  const builtin = createBuiltinPlanner();
  const checker = createArgumentChecker();
  const planner = createPlanner({
    prompts,
    checker,
    commands: () => commands,
    find: (name) => tools.find(name),
    builtin,
    model: () => models.current().port,
    onModelFailure: () => {
      void models.refresh();
      return { fallBack: settings.model.provider === "auto" };
    },
    select: createToolSelector(TOOLS_IN_PROMPT),
    resultChars: settings.limits.result_chars_to_model,
  });

  const signals = createTurnSignals(kind === "postgres" ? EVENT_POLL_MS : 0);
  const failPoint = createFailPoint(env);
  const transact = createTransact(db, { kind, redactor, now });
  const journal = createJournal({ db, kind, transact, now, signals, failPoint });
  const queue = await openQueue(settings, { journal, log });
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    enqueue: (tx, turn) => queue.enqueue(tx, turn),
    membership: createMembership(settings.policy.groups, options.members),
    now,
    worker: newId("worker"),
    leaseMs: LEASE_MS,
    onContinue: (turn) => queue.wake(turn),
  });
  const preview = createPreview(tools);
  const dispatcher = createDispatcher({ tools, policy, journal, ledger, now, failPoint, preview });
  const run = createOrchestrator({
    db,
    journal,
    ledger,
    dispatcher,
    planner,
    tools,
    offered: channels.offered,
    views,
    redactor,
    examples: settings.examples,
    maxSteps: settings.limits.steps,
    now,
    onContinue: (turn) => queue.wake(turn),
  });
  const runner = createRunner({
    db,
    transact,
    journal,
    queue,
    signals,
    run: logged,
    now,
    log,
    stopPollMs: kind === "postgres" ? STOP_POLL_MS : 0,
  });
  async function logged(turnId: string, signal: AbortSignal): Promise<void> {
    const begun = now();
    await run(turnId, signal);
    const turn = await journal.turn(turnId);
    const { conversationId, state, result, error } = turn ?? {};
    log.info(
      {
        turn: turnId,
        conversation: conversationId,
        state,
        ms: now() - begun,
        timings: result?.timings,
        error,
      },
      "turn ran",
    );
    for (const call of result?.toolResults ?? []) {
      log.debug({ turn: turnId, tool: call.toolId, ok: call.ok, ms: call.durationMs }, "call");
    }
  }

  const cardCalls = createCardCalls({
    tools,
    policy,
    ledger,
    transact,
    preview,
    check: (tool, args) => checker.check(tool, args),
    now,
    views,
    redactor,
  });
  const inbox = createInbox({ db, transact, now, failPoint, enqueue: (tx, turn) => queue.enqueue(tx, turn) });
  const health = createHealth({ version, tools, models, store });
  let sweep: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function accept(
    request: TurnRequest,
    also?: (tx: Tx, turnId: string) => Promise<void>,
  ): Promise<{ turnId: string; duplicate: boolean }> {
    const mayShow = settings.channels[request.channel]?.privacy?.summarize ?? settings.privacy.summarize;
    const allowSummarization = request.allowSummarization !== false && mayShow;
    try {
      const accepted = await inbox.accept({ ...request, allowSummarization }, also);
      log.info(
        { turn: accepted.turnId, conversation: request.conversationId, actor: request.actor },
        "turn accepted",
      );
      if (!accepted.duplicate)
        queue.wake({ turnId: accepted.turnId, conversationId: request.conversationId });
      return accepted;
    } catch (error) {
      throw toStoreError(error);
    }
  }

  const presenters: Presenter[] = [];
  const masked = (approval: Approval): Approval => maskApproval(approval, redactor);
  const core: Core = {
    submit: (request) => accept(request),
    events: (turnId, streaming) => streamEvents(db, signals, turnId, streaming),
    eventsSoFar: (turnId) => readEvents(db, turnId, 0),
    turn: (turnId) => journal.turn(turnId),
    steps: (turnId) => journal.steps(turnId),
    conversation: (id) => inbox.conversation(id),
    conversations: (surface, limit) => inbox.conversations(surface, limit),
    stop: (turnId, actor) => runner.stop(turnId, actor),
    tools: () => tools.tools().map((tool) => ({ tool, decision: policy(tool, {}, "").decision })),
    health: () => health(sweep !== undefined),
    approvals: async (filter) => (await ledger.list(filter)).map(masked),
    async approval(id) {
      const approval = await ledger.get(id);
      return approval === undefined ? undefined : masked(approval);
    },
    async decide(request) {
      const reply = await ledger.decide(request);
      return { ...reply, approval: masked(reply.approval) };
    },
    edit: async (request) => masked(await cardCalls.edit(request)),
    lookup: (approvalId, actor) => cardCalls.lookup(approvalId, actor),
    grants: (conversationId) => ledger.grants(conversationId),
    revokeGrant: (grantId, actor) => ledger.revokeGrant(grantId, actor),
    settle: async (request) => masked(await ledger.settle(request)),
    commands: () => commands,
  };

  return {
    core,
    log,
    version,
    present(port) {
      const worker = newId("worker");
      const parts = { db, kind, accept, port, signals, now, redactor, worker, failPoint, log };
      const presenter = createPresenter({ ...parts, leaseMs: LEASE_MS });
      presenters.push(presenter);
      return presenter;
    },
    async view(turnId) {
      if ((await journal.turn(turnId)) === undefined) return undefined;
      return (await readSnapshot({ db, kind, now, redactor }, turnId)).view;
    },
    state: (namespace) => createKeyv(db, namespace),
    async ready() {
      await Promise.all([tools.start(), models.start()]);
      if (isClosing) return;
      // Turns that were accepted meanwhile wait until the servers have told their tools.
      const recovered = await runner.start();
      if (recovered > 0) log.info({ turns: recovered }, "unfinished turns taken up");
      await ledger.expireDue();
      if (isClosing) return;
      sweep = setInterval(() => {
        ledger
          .expireDue()
          .catch((error: unknown) => log.warn({ error }, "expiry sweep failed, will be tried again"));
      }, EXPIRY_SWEEP_MS);
    },
    async close() {
      isClosing = true;
      clearInterval(sweep);
      await runner.close(SHUTDOWN_GRACE_MS);
      await Promise.all(presenters.map((presenter) => presenter.stop()));
      models.stop();
      await tools.stop();
      await store.close();
    },
  };
}
