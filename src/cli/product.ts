import { fileURLToPath } from "node:url";

import type { Surface } from "#contract/actor.ts";
import type { Approval, Grant } from "#contract/approval.ts";
import type { Core, SurfaceStatus } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessagePort, MessageRef, Presenter, TurnView } from "#contract/present.ts";
import type { Suggest } from "#contract/suggest.ts";
import type { TurnRequest } from "#contract/turn.ts";
import { createViews } from "#views/manager.ts";
import type { Keyv } from "keyv";
import type { Logger } from "pino";

import { createFailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { createRedactor } from "../base/redact.ts";
import { waitingFor } from "../ledger/deciders.ts";
import { createLedger } from "../ledger/ledger.ts";
import { maskApproval } from "../ledger/mask.ts";
import { createTransact } from "../ledger/commit.ts";
import { createToolBox } from "../mcp/pool.ts";
import { requireSandbox } from "../mcp/sandbox.ts";
import { createModelSelector } from "../model/selector.ts";
import { createLog, type LogTarget } from "../observe/log.ts";
import { createArgumentChecker } from "../plan/arguments.ts";
import { createBuiltinPlanner } from "../plan/builtin/planner.ts";
import { createPlanner } from "../plan/planner.ts";
import { loadPrompts } from "../plan/prompts.ts";
import { createToolSelector } from "../plan/select-tools.ts";
import { createToolWatch } from "../plan/tool-watch.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import { createShowsTool } from "../policy/withheld.ts";
import { createPresenter } from "../present/presenter.ts";
import { readMessageRef } from "../present/message-ref.ts";
import { readSnapshot } from "../present/snapshot.ts";
import type { Settings } from "../settings/load.ts";
import { createKeyv } from "../store/keyv.ts";
import { toStoreError } from "../store/open.ts";
import { createSealedKeyv } from "../store/sealed.ts";
import type { Tx } from "../store/schema.ts";
import { createCardCalls } from "../turn/card-calls.ts";
import { createDispatcher } from "../turn/dispatch.ts";
import { readEvents, streamEvents } from "../turn/events.ts";
import { createChanges } from "../turn/changes.ts";
import { createInbox } from "../turn/inbox.ts";
import { withoutPrompts } from "../turn/inspect.ts";
import { createJournal } from "../turn/journal.ts";
import { createOrchestrator } from "../turn/orchestrator.ts";
import { createPreview } from "../turn/preview.ts";
import { createFiles } from "../turn/files.ts";
import { createQuestions } from "../turn/questions.ts";
import { createSuggest } from "../turn/suggest.ts";
import { createPrivacy } from "../turn/privacy.ts";
import { createRunner } from "../turn/runner.ts";
import { createTurnSignals } from "../turn/signals.ts";
import { type Announce, createAuditAnchor } from "./audit-anchor.ts";
import { commandsOf } from "./command-info.ts";
import { createCommandReader } from "./command-reader.ts";
import { createHealth } from "./health.ts";
import { createMembership, type PlatformMembers } from "./membership.ts";
import { openQueue, openStore } from "./open-store.ts";
import { openSealer } from "./open-sealer.ts";
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
  /** The message that shows a turn on a chat platform; undefined while there is none. */
  messageOf(turnId: string): Promise<MessageRef | undefined>;
  /** Values for an argument that is being typed. */
  suggest: Suggest;
  /** Plain state of one kind that outlives the process. */
  state<Value>(namespace: string): Keyv<Value>;
  /** The same, encrypted in the store: for tokens and other secrets. Names of keys are not encrypted. */
  sealed<Value>(namespace: string): Keyv<Value>;
  /** Adds a chat platform to what `Core.health` tells. */
  watch(surface: string, status: () => SurfaceStatus): void;
  /** Where the product says something by itself, such as the audit head; `channel` is of that surface. */
  announceThrough(surface: Surface, announce: Announce): void;
  /** Connects to the servers, looks for the model and takes up unfinished turns. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

const HISTORY_TOKENS = 1_200;
const EXPIRY_SWEEP_MS = 5_000;
const SHUTDOWN_GRACE_MS = 8_000;
/** Short, so that another replica takes over soon; kept up by a heartbeat three times as often. */
const LEASE_MS = 10_000;
const STOP_POLL_MS = 1_000;
const EVENT_POLL_MS = 250;
const CHANGES_POLL_MS = 1_000;

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
  await requireSandbox(settings.servers, env);
  const store = await openStore(settings, log);
  const { db, kind, now } = store;
  const sealer = await openSealer(settings, store, log);

  const tools = createToolBox({
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
    verdicts: createKeyv(db, "mcp-verdict"),
    sessions: createKeyv(db, "mcp-session"),
  });
  const models = createModelSelector({ ...settings.model, log });
  const channels = createChannelPolicy(settings.policy, settings.channels);
  const policy = channels.decide;
  const showsTool = createShowsTool(
    settings.privacy.withhold,
    settings.servers.flatMap((server) => (server.privacy.summarize ? [] : [server.name])),
  );
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
      const { provider, fallback } = settings.model;
      return { fallBack: provider === "auto" || fallback.includes("builtin") };
    },
    select: createToolSelector(settings.limits.tool_tokens),
    resultChars: settings.limits.result_chars_to_model,
    historyTokens: HISTORY_TOKENS,
    tokensPerTurn: settings.limits.tokens_per_turn,
    secret: newId("prompt"),
  });

  const signals = createTurnSignals(kind === "postgres" ? EVENT_POLL_MS : 0);
  const failPoint = createFailPoint(env);
  const transact = createTransact(db, { kind, redactor, now });
  const journal = createJournal({ db, kind, transact, now, signals, failPoint });
  const queue = await openQueue(settings, { journal, log });
  const membership = createMembership(settings.policy.groups, options.members);
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    enqueue: (tx, turn) => queue.enqueue(tx, turn),
    membership,
    now,
    worker: newId("worker"),
    leaseMs: LEASE_MS,
    onContinue: (turn) => queue.wake(turn),
  });
  const preview = createPreview(tools);
  const questions = createQuestions({ db, kind, transact, signals, now, redactor, log, leaseMs: LEASE_MS });
  // The embedded store has one process: whoever waited for these answers is gone.
  if (kind === "sqlite") await questions.closeUnheard();
  const { ask } = questions;
  const files = createFiles({ db, now, log });
  const dispatcher = createDispatcher({ tools, policy, journal, ledger, now, failPoint, preview, ask, files });
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
    showsTool,
    language: (channel) => settings.channels[channel]?.language,
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
    await questions.closeUnheard(turnId);
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
  const privacy = createPrivacy({
    db,
    transact,
    configured: (channel) => settings.channels[channel]?.privacy?.summarize ?? settings.privacy.summarize,
    membership,
    hasAdmins: Object.hasOwn(settings.policy.groups, "admins"),
    now,
  });
  const changes = createChanges({ db, pollMs: CHANGES_POLL_MS, log });
  const surfaces = new Map<string, () => SurfaceStatus>();
  const anchor = createAuditAnchor(settings, store, log);
  const toolWatch = createToolWatch({
    tools: () => tools.tools(),
    known: createKeyv(db, "tool-digests"),
    now,
    log,
    onChange: (change) =>
      transact((_tx, note) => {
        note({ kind: "tool.changed", data: { ...change } });
        return Promise.resolve();
      }),
  });
  const health = createHealth({ version, tools, models, store, surfaces, toolWatch });
  let sweep: NodeJS.Timeout | undefined;
  let isClosing = false;

  async function accept(
    request: TurnRequest,
    also?: (tx: Tx, turnId: string) => Promise<void>,
  ): Promise<{ turnId: string; duplicate: boolean }> {
    try {
      const { summarize } = await privacy.privacy(request.channel);
      const allowSummarization = request.allowSummarization !== false && summarize;
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
  const maskedGrant = (grant: Grant): Grant => ({
    ...grant,
    args: redactor.json(grant.args) as JsonObject,
  });
  const core: Core = {
    submit: (request) => accept(request),
    events: (turnId, streaming) => streamEvents(db, signals, turnId, streaming),
    eventsSoFar: (turnId) => readEvents(db, turnId, 0),
    turn: (turnId) => journal.turn(turnId),
    async steps(turnId) {
      const steps = await journal.steps(turnId);
      return settings.model.inspect ? steps : withoutPrompts(steps);
    },
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
    grants: async (conversationId) => (await ledger.grants(conversationId)).map(maskedGrant),
    revokeGrant: async (grantId, actor) => maskedGrant(await ledger.revokeGrant(grantId, actor)),
    settle: async (request) => masked(await ledger.settle(request)),
    file: (id) => files.get(id),
    questions: (filter) => questions.list(filter),
    question: (id) => questions.get(id),
    answer: (request) => questions.answer(request),
    commands: () => commands,
    ...createCommandReader({ commands, tools, checker }),
    approvalsFor: async (actor) =>
      (await waitingFor(actor, await ledger.list({ state: "pending" }), membership)).map(masked),
    ...privacy,
    onChange: (listener) => changes.onChange(listener),
  };

  async function sweepRequests(): Promise<void> {
    await ledger.expireDue();
    await ledger.remindDue();
  }

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
    messageOf: (turnId) => readMessageRef(db, turnId),
    suggest: createSuggest({ tools, policy, sources: (name) => settings.commands[name] }),
    state: (namespace) => createKeyv(db, namespace),
    sealed: (namespace) => createSealedKeyv(db, namespace, sealer),
    watch: (surface, status) => void surfaces.set(surface, status),
    announceThrough: anchor.announceThrough,
    async ready() {
      await Promise.all([tools.start(), models.start()]);
      await toolWatch.look();
      tools.onChange(() => void toolWatch.look());
      if (isClosing) return;
      // Turns that were accepted meanwhile wait until the servers have told their tools.
      const recovered = await runner.start();
      if (recovered > 0) log.info({ turns: recovered }, "unfinished turns taken up");
      await sweepRequests();
      if (isClosing) return;
      sweep = setInterval(() => {
        sweepRequests().catch((error: unknown) =>
          log.warn({ error }, "requests could not be expired or reminded of, will be tried again"),
        );
      }, EXPIRY_SWEEP_MS);
      anchor.start();
    },
    async close() {
      isClosing = true;
      clearInterval(sweep);
      anchor.stop();
      await runner.close(SHUTDOWN_GRACE_MS);
      await Promise.all([changes.close(), ...presenters.map((presenter) => presenter.stop())]);
      models.stop();
      await tools.stop();
      await store.close();
    },
  };
}
