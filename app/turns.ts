import type { Logger } from "pino";

import type { CommandInfo, Views } from "#contract/core.ts";
import type { EmbedPort } from "#contract/model.ts";
import type { Planner } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { FailPoint } from "#src/base/fail-point.ts";
import { newId } from "#src/base/ids.ts";
import type { Redactor } from "#src/base/redact.ts";
import type { Ledger } from "#src/ledger/ledger.ts";
import type { Transact } from "#src/ledger/transact.ts";
import { createModelSelector, type ModelSelector } from "#src/model/selector.ts";
import { type ArgumentChecker, createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createPlanner } from "#src/plan/planner.ts";
import { loadPrompts, samplingPrompt } from "#src/plan/prompts.ts";
import { createToolSelector } from "#src/plan/select-tools.ts";
import { createToolMeaning, type ToolMeaningOptions } from "#src/plan/tool-meaning.ts";
import type { ChannelPolicy } from "#src/policy/channels.ts";
import type { createShowsTool } from "#src/policy/withheld.ts";
import type { Settings } from "#src/settings/load.ts";
import type { Store } from "#src/store/open.ts";
import { createApprovalCalls } from "#src/turn/approval-calls.ts";
import { createDispatcher, createPreview } from "#src/turn/dispatch.ts";
import type { TurnSignals } from "#src/turn/events.ts";
import { createFiles, type Files } from "#src/turn/files.ts";
import type { createTurnCredentials } from "#src/turn/inbox.ts";
import type { Journal } from "#src/turn/journal.ts";
import type { Memory } from "#src/turn/memory.ts";
import { createOrchestrator } from "#src/turn/orchestrator.ts";
import { createQuestions, createSampling, type Questions } from "#src/turn/questions.ts";
import type { TurnQueue } from "#src/turn/queue.ts";
import { createRunner, type Runner } from "#src/turn/runner.ts";

/** How often a replica looks for stops that were asked for at another, in milliseconds. */
const STOP_POLL_MS = 1_000;

export interface TurnRoomParts {
  settings: Settings;
  store: Pick<Store, "db" | "kind" | "now">;
  log: Logger;
  redactor: Redactor;
  views: Views;
  tools: ToolBox;
  models: ModelSelector;
  planner: Planner;
  checker: ArgumentChecker;
  channels: ChannelPolicy;
  showsTool: ReturnType<typeof createShowsTool>;
  signals: TurnSignals;
  failPoint: FailPoint;
  transact: Transact;
  journal: Journal;
  queue: TurnQueue;
  ledger: Ledger;
  memory: Memory;
  credentials: ReturnType<typeof createTurnCredentials>;
  leaseMs: number;
}

/** What runs turns and makes their calls. */
export interface TurnRoom {
  runner: Runner;
  cardCalls: ReturnType<typeof createApprovalCalls>;
  questions: Questions;
  files: Files;
}

export async function openTurns(parts: TurnRoomParts): Promise<TurnRoom> {
  const { settings, log, redactor, views, tools, models, planner, checker, channels, showsTool } = parts;
  const { signals, failPoint, transact, journal, queue, ledger, memory, credentials, leaseMs } = parts;
  const { db, kind, now } = parts.store;
  const policy = channels.decide;
  const preview = createPreview(tools);
  const questions = createQuestions({ db, kind, transact, signals, now, redactor, log, leaseMs });
  // The embedded store has one process: whoever waited for these answers is gone.
  if (kind === "sqlite") await questions.closeUnheard();
  const files = createFiles({ db, now, log });
  const sample = createSampling({
    policy,
    ask: (turn, draft, signal) => questions.ask(turn, draft, signal),
    model: () => models.current().port,
    toPrompt: samplingPrompt,
    showsTool,
  });
  const dispatcher = createDispatcher({
    tools,
    policy,
    journal,
    ledger,
    now,
    failPoint,
    preview,
    credentials: (turnId) => credentials.of(turnId),
    ask: (turn, draft, signal) => questions.ask(turn, draft, signal),
    files,
    sample,
  });
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
    recall: (turn, signal) => memory.recall(turn, signal),
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
    run: createLoggedRun(
      async (turnId, signal) => {
        await questions.closeUnheard(turnId);
        await run(turnId, signal);
        void memory.remember(turnId);
      },
      { journal, now, log },
    ),
    now,
    log,
    stopPollMs: kind === "postgres" ? STOP_POLL_MS : 0,
  });
  const cardCalls = createApprovalCalls({
    tools,
    policy,
    ledger,
    transact,
    preview,
    credentials: (turnId) => credentials.of(turnId),
    check: (tool, args) => checker.check(tool, args),
    now,
    views,
    redactor,
  });
  return { runner, cardCalls, questions, files };
}

type Run = (turnId: string, signal: AbortSignal) => Promise<void>;

/** Runs a turn and tells the log how it went. */
function createLoggedRun(
  run: Run,
  { journal, now, log }: { journal: Journal; now: () => number; log: Logger },
): Run {
  return async (turnId, signal) => {
    const begun = now();
    await run(turnId, signal);
    const turn = await journal.turn(turnId);
    const { conversationId, state, result, error } = turn ?? {};
    const timings = result?.timings;
    const ms = now() - begun;
    log.info({ turn: turnId, conversation: conversationId, state, ms, timings, error }, "turn ran");
    for (const call of result?.toolResults ?? []) {
      log.debug({ turn: turnId, tool: call.toolId, ok: call.ok, ms: call.durationMs }, "call");
    }
  };
}

const HISTORY_TOKENS = 1_200;

/** Who plans: the models that the settings name, or none. */
export interface PlanningRoom {
  models: ModelSelector;
  checker: ArgumentChecker;
  planner: Planner;
  /** Told of the catalogue as it is now, to be ready for choosing among it. Never rejects. */
  see(tools: readonly Tool[]): Promise<void>;
  close(): void;
}

export async function openPlanning(
  settings: Settings,
  parts: {
    /** The folder of the stages' prompts. */
    folder: string;
    commands: CommandInfo[];
    find: (name: string) => Tool | undefined;
    embedder: () => EmbedPort | undefined;
    vectors: ToolMeaningOptions["kept"];
    now: () => number;
    log: Logger;
  },
): Promise<PlanningRoom> {
  const prompts = await loadPrompts(parts.folder);
  const models = createModelSelector({ ...settings.model, log: parts.log });
  const builtin = createBuiltinPlanner();
  const checker = createArgumentChecker();
  const meaning = createToolMeaning({
    // Without a model that plans nobody would read what is chosen.
    embedder: () =>
      settings.model.tools_by_meaning && models.current().port !== undefined ? parts.embedder() : undefined,
    kept: parts.vectors,
    now: parts.now,
    log: parts.log,
  });
  const select = createToolSelector(settings.limits.tool_tokens, (input, signal) =>
    meaning.rank(input, signal),
  );
  const planner = createPlanner({
    prompts,
    checker,
    commands: () => parts.commands,
    find: parts.find,
    builtin,
    model: () => models.current().port,
    onModelFailure: () => {
      void models.refresh();
      const { provider, fallback } = settings.model;
      return { fallBack: provider === "auto" || fallback.includes("builtin") };
    },
    select,
    resultChars: settings.limits.result_chars_to_model,
    historyTokens: HISTORY_TOKENS,
    tokensPerTurn: settings.limits.tokens_per_turn,
    secret: newId("prompt"),
  });
  return {
    models,
    checker,
    planner,
    async see(tools) {
      if (await select.prepare(tools)) meaning.prepare(tools);
    },
    close() {
      models.stop();
      meaning.close();
    },
  };
}
