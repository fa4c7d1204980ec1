import type { Planner } from "#contract/plan.ts";
import type { ToolBox } from "#contract/tool.ts";
import type { Views } from "#contract/core.ts";
import type { Logger } from "pino";

import type { FailPoint } from "../base/fail-point.ts";
import type { Redactor } from "../base/redact.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Transact } from "../ledger/transact.ts";
import type { ModelSelector } from "../model/selector.ts";
import type { ArgumentChecker } from "../plan/arguments.ts";
import { samplingPrompt } from "../plan/sampling-prompt.ts";
import type { ChannelPolicy } from "../policy/channels.ts";
import type { createShowsTool } from "../policy/withheld.ts";
import type { Settings } from "../settings/load.ts";
import type { Store } from "../store/open.ts";
import { createCardCalls } from "../turn/card-calls.ts";
import type { createTurnCredentials } from "../turn/turn-credentials.ts";
import { createDispatcher } from "../turn/dispatch.ts";
import { createFiles, type Files } from "../turn/files.ts";
import type { Journal } from "../turn/journal-port.ts";
import type { Memory } from "../turn/memory.ts";
import { createOrchestrator } from "../turn/orchestrator.ts";
import { createPreview } from "../turn/preview.ts";
import { createQuestions, type Questions } from "../turn/questions.ts";
import type { TurnQueue } from "../turn/queue.ts";
import { createRunner, type Runner } from "../turn/runner.ts";
import { createSampling } from "../turn/sampling.ts";
import type { TurnSignals } from "../turn/signals.ts";
import { createLoggedRun } from "./logged-run.ts";

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
  cardCalls: ReturnType<typeof createCardCalls>;
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
  const cardCalls = createCardCalls({
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
