import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { CommandInfo, Core } from "#contract/core.ts";
import { createViews } from "#views/manager.ts";
import type { Logger } from "pino";

import { createFailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { createRedactor, isSecretKey } from "../base/redact.ts";
import { createLedger } from "../ledger/ledger.ts";
import { createTransact } from "../ledger/transact.ts";
import { createToolBox } from "../mcp/pool.ts";
import { createModelSelector } from "../model/selector.ts";
import { createLog, type LogTarget } from "../observe/log.ts";
import { createArgumentChecker } from "../plan/arguments.ts";
import { createBuiltinPlanner } from "../plan/builtin/planner.ts";
import { createPlanner } from "../plan/planner.ts";
import { loadPrompts } from "../plan/prompts.ts";
import { createToolSelector } from "../plan/select-tools.ts";
import { createPolicy } from "../policy/policy.ts";
import type { Settings } from "../settings/load.ts";
import { openEmbeddedStore, toStoreError } from "../store/open.ts";
import { createDispatcher } from "../turn/dispatch.ts";
import { streamEvents } from "../turn/events.ts";
import { createInbox } from "../turn/inbox.ts";
import { createJournal } from "../turn/journal.ts";
import { createOrchestrator } from "../turn/orchestrator.ts";
import { createRunner } from "../turn/runner.ts";
import { createTurnSignals } from "../turn/signals.ts";
import { createHealth } from "./health.ts";
import { localMembership } from "./membership.ts";

const root: string = fileURLToPath(new URL("../../", import.meta.url));

export const version: string = (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;

/** The running product without its surfaces. */
export interface Product {
  core: Core;
  log: Logger;
  version: string;
  /** Connects to the servers, looks for the model and takes up unfinished turns. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A small model loses its way among more. */
const TOOLS_IN_PROMPT = 24;
const EXPIRY_SWEEP_MS = 5_000;
const SHUTDOWN_GRACE_MS = 8_000;
const LEASE_MS = 30_000;
const STORE_RETRY_MS = 5_000;

/** Builds the product from its settings: the one place that knows every room. */
export async function createProduct(settings: Settings, options: { log: LogTarget; env: NodeJS.ProcessEnv }): Promise<Product> {
  const { env } = options;
  const redactor = createRedactor(secretsOf(settings, env));
  const log = await createLog({ level: env.LOG_LEVEL ?? "info", redactor, target: options.log });
  const prompts = await loadPrompts(`${root}prompts`);
  const views = createViews(settings.views, (message) => log.warn({}, message));
  const store = await openEmbeddedStore(settings.data_dir);
  const now = (): number => Date.now();

  const tools = createToolBox({
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
  });
  const models = createModelSelector({ ...settings.model, log });
  const policy = createPolicy(settings.policy);
  const commands = commandsOf(settings);
  const builtin = createBuiltinPlanner();
  const planner = createPlanner({
    prompts,
    checker: createArgumentChecker(),
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

  const signals = createTurnSignals();
  const failPoint = createFailPoint(env);
  const { db, kind } = store;
  const transact = createTransact(db, { kind, redactor, now });
  const journal = createJournal({ db, kind, transact, now, signals, failPoint });
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    // The embedded queue reads what is ready from the turns table.
    enqueue: () => Promise.resolve(),
    membership: localMembership,
    now,
    worker: newId("worker"),
    leaseMs: LEASE_MS,
    onContinue: (turn) => runner.add(turn),
  });
  const run = createOrchestrator({
    db: store.db,
    journal,
    ledger,
    dispatcher: createDispatcher({ tools, policy, journal, ledger, now, failPoint }),
    planner,
    tools,
    views,
    redactor,
    examples: settings.examples,
    maxSteps: settings.limits.steps,
    now,
    onContinue: (turn) => runner.add(turn),
  });
  const started = Promise.withResolvers<void>();
  const runner = createRunner({
    db: store.db,
    journal,
    // A turn that arrives while the servers are still being asked for their tools waits for them.
    run: (turnId, signal) => started.promise.then(() => logged(turnId, signal)),
    now,
    log,
    retryMs: STORE_RETRY_MS,
  });
  async function logged(turnId: string, signal: AbortSignal): Promise<void> {
    const begun = now();
    await run(turnId, signal);
    const turn = await journal.turn(turnId);
    const { conversationId, state, result, error } = turn ?? {};
    log.info(
      { turn: turnId, conversation: conversationId, state, ms: now() - begun, timings: result?.timings, error },
      "turn ran",
    );
    for (const call of result?.toolResults ?? []) {
      log.debug({ turn: turnId, tool: call.toolId, ok: call.ok, ms: call.durationMs }, "call");
    }
  }

  const inbox = createInbox({ db, transact, now, failPoint });
  const health = createHealth({ version, tools, models, store });
  let sweep: NodeJS.Timeout | undefined;

  const core: Core = {
    async submit(request) {
      const mayShow = settings.channels[request.channel]?.privacy?.summarize ?? settings.privacy.summarize;
      const allowSummarization = request.allowSummarization !== false && mayShow;
      try {
        const accepted = await inbox.accept({ ...request, allowSummarization });
        log.info({ turn: accepted.turnId, conversation: request.conversationId, actor: request.actor }, "turn accepted");
        if (!accepted.duplicate) runner.add({ turnId: accepted.turnId, conversationId: request.conversationId });
        return accepted;
      } catch (error) {
        throw toStoreError(error);
      }
    },
    events: (turnId, streaming) => streamEvents(store.db, signals, turnId, streaming),
    turn: (turnId) => journal.turn(turnId),
    steps: (turnId) => journal.steps(turnId),
    conversation: (id) => inbox.conversation(id),
    conversations: (surface, limit) => inbox.conversations(surface, limit),
    stop: (turnId, actor) => runner.stop(turnId, actor),
    tools: () => tools.tools().map((tool) => ({ tool, decision: policy(tool, {}).decision })),
    health: () => health(sweep !== undefined),
    approvals: (filter) => ledger.list(filter),
    approval: (id) => ledger.get(id),
    decide: (request) => ledger.decide(request),
    settle: (request) => ledger.settle(request),
    commands: () => commands,
  };

  return {
    core,
    log,
    version,
    async ready() {
      await Promise.all([tools.start(), models.start()]);
      const recovered = await runner.recover();
      if (recovered > 0) log.info({ turns: recovered }, "unfinished turns taken up");
      await ledger.expireDue();
      sweep = setInterval(() => {
        ledger.expireDue().catch((error: unknown) => log.warn({ error }, "expiry sweep failed, will be tried again"));
      }, EXPIRY_SWEEP_MS);
      started.resolve();
    },
    async close() {
      clearInterval(sweep);
      await runner.close(SHUTDOWN_GRACE_MS);
      models.stop();
      await tools.stop();
      await store.close();
    },
  };
}

function commandsOf(settings: Settings): CommandInfo[] {
  return Object.entries(settings.commands).map(([name, command]) => ({
    name,
    server: command.server,
    ...(command.default === undefined ? {} : { defaultTool: command.default }),
    subcommands: Object.entries(command.subcommands).map(([sub, tool]) => ({ name: sub, tool })),
  }));
}

/** Every secret the process knows of, so that none can leave by log, audit or card. */
function secretsOf(settings: Settings, env: NodeJS.ProcessEnv): string[] {
  const fromEnv = Object.entries(env).flatMap(([key, value]) => (value !== undefined && isSecretKey(key) ? [value] : []));
  const fromServers = settings.servers.flatMap((server) =>
    Object.entries(server.env).flatMap(([key, value]) => (isSecretKey(key) ? [value] : [])),
  );
  return [
    ...fromEnv,
    ...fromServers,
    ...settings.http.tokens.map((one) => one.token),
    settings.model.gemini.api_key,
    settings.model.openai.api_key,
    settings.slack.bot_token,
    settings.slack.app_token,
    settings.slack.signing_secret,
    settings.discord.token,
  ];
}

