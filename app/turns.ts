import { isDeepStrictEqual } from "node:util";

import type { Logger } from "pino";

import type { Views } from "#contract/core.ts";
import type { EmbedPort } from "#contract/model.ts";
import type { Statements } from "#contract/statement.ts";
import type { FailPoint } from "#src/base/fail-point.ts";
import { newId } from "#src/base/ids.ts";
import { live } from "#src/base/live.ts";
import type { Redactor } from "#src/base/redact.ts";
import { sleep } from "#src/base/time.ts";
import type { Membership, NameOf } from "#src/ledger/eligibility.ts";
import type { Ledger } from "#src/ledger/ledger.ts";
import type { Transact } from "#src/ledger/transact.ts";
import type { ManagedToolBox } from "#src/mcp/tool-box.ts";
import { createModelSelector, type ModelSelector } from "#src/model/selector.ts";
import { type Watch, watchedModel, watchedPlanner } from "#src/observe/watched.ts";
import { type ArgumentChecker, createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createPlanner } from "#src/plan/planner.ts";
import { loadPrompts, type Prompts, samplingPrompt } from "#src/plan/prompts.ts";
import { createToolSelector } from "#src/plan/select-tools.ts";
import { createToolMeaning } from "#src/plan/tool-meaning.ts";
import type { ChannelPolicy } from "#src/policy/channels.ts";
import { createShowsTool, offeredInMode } from "#src/policy/modes.ts";
import { withTrustInReads } from "#src/policy/reads.ts";
import type { Settings } from "#src/settings/load.ts";
import type { Store } from "#src/store/open.ts";
import { createToolVectors } from "#src/store/tool-vectors.ts";
import { createApprovalCalls } from "#src/turn/approval-calls.ts";
import { createDispatcher } from "#src/turn/dispatch.ts";
import type { TurnSignals } from "#src/turn/events.ts";
import { createFiles, type Files } from "#src/turn/files.ts";
import type { createTurnCredentials } from "#src/turn/inbox.ts";
import type { Journal } from "#src/turn/journal.ts";
import { createKnownNames } from "#src/turn/known-names.ts";
import { createMemory, type Memory } from "#src/turn/memory.ts";
import { createPlanMore } from "#src/turn/more.ts";
import { createOrchestrator, type RunTurn } from "#src/turn/orchestrator.ts";
import { createQuestions, createSampling, type Questions } from "#src/turn/questions.ts";
import type { TurnQueue } from "#src/turn/queue.ts";
import { createReview } from "#src/turn/review.ts";
import { createRunner, type Runner } from "#src/turn/runner.ts";
import { createServerWait } from "#src/turn/server-wait.ts";
import { createPlanAboutRequests } from "#src/turn/about-requests.ts";
import { createPlanTypedDecision } from "#src/turn/typed-decision.ts";
import { createPlanUndo } from "#src/turn/undo.ts";

import { peopleInPlans, type PeopleParts } from "./people.ts";
import { commandsOf } from "./settings.ts";
import { watchedClaims } from "./watch.ts";

const HISTORY_TOKENS = 1_200;
/** How often a replica looks for stops that were asked for at another, in milliseconds. */
const STOP_POLL_MS = 1_000;

/**
 * How long a turn waits while the servers are asked for the first time which names they know: it can do without, and
 * reads worse then.
 */
const FIRST_NAMES_MS = 2_000;

export interface TurnParts extends Watch, Pick<Store, "db" | "kind" | "now" | "vectors"> {
  settings: Settings;
  /** The folder of the stages' prompts. */
  prompts: string;
  embedder: () => EmbedPort | undefined;
  /** Throws for a view that there is not. */
  viewsOf: (settings: Settings) => { views: Views; statements: Statements };
  tools: ManagedToolBox;
  channels: ChannelPolicy;
  transact: Transact;
  signals: TurnSignals;
  failPoint: FailPoint;
  journal: Journal;
  queue: TurnQueue;
  ledger: Ledger;
  people: PeopleParts;
  membership: Membership;
  /** See Persons.knownName. */
  knownName: NameOf;
  sealed: ReturnType<typeof createTurnCredentials>;
  redactor: Redactor;
  log: Logger;
  leaseMs: number;
  /** What people read in a channel is written in. */
  language: (channel: string) => string | undefined;
}

/** What plans turns, runs them and makes their calls. */
export interface Turns {
  models: ModelSelector;
  memory: Memory;
  checker: ArgumentChecker;
  runner: Runner;
  approvalCalls: ReturnType<typeof createApprovalCalls>;
  questions: Questions;
  files: Files;
  /** Makes ready for choosing among the tools as they are now. Never rejects. */
  seeTools(): Promise<void>;
  /**
   * Reads everything anew for other settings, and changes nothing; `take` has the turns that begin from then on use
   * it. Rejects where a prompt or a view is wrong.
   */
  prepare(settings: Settings): Promise<{ havePromptsChanged: boolean; take: () => void }>;
  close(): void;
}

/** What the settings make of planning and running; a turn ends with the one it began with. */
interface Planning {
  settings: Settings;
  /** The texts of all prompts. */
  prompts: string;
  models: ModelSelector;
  showsTool: (toolId: string) => boolean;
  select: ReturnType<typeof createToolSelector>;
  approvalCalls: Turns["approvalCalls"];
  run: RunTurn;
}

export async function openTurns(parts: TurnParts): Promise<Turns> {
  const { db, kind, now, log, tools, embedder } = parts;
  const { memory: memorySettings } = parts.settings;
  const policy: ChannelPolicy["decide"] = (tool, args, channel) =>
    withTrustInReads(parts.channels.decide(tool, args, channel), tool, () => tools.tools());
  const models = live(() => planning.models);
  /** Without a model that plans nobody would read what is found by meaning. */
  const embedderIf = (wanted: boolean): EmbedPort | undefined =>
    wanted && models.current().port !== undefined ? embedder() : undefined;

  const checker = createArgumentChecker();
  const meaning = createToolMeaning({
    embedder: () => embedderIf(planning.settings.model.tools_by_meaning),
    kept: createToolVectors(db, now),
    now,
    log,
  });
  const memory = createMemory({
    ...parts,
    embedder: () => embedderIf(memorySettings.enabled),
    showsTool: (toolId) => planning.showsTool(toolId),
    maxAgeMs: memorySettings.max_age,
    tokens: memorySettings.tokens,
  });
  const names = createKnownNames({ tools, policy, now });
  const questions = createQuestions({ ...parts, onAccepted: parts.people.onAccepted });
  // The embedded store has one process: whoever waited for these answers is gone.
  if (kind === "sqlite") await questions.closeUnheard();
  const files = createFiles(parts);

  let planning = await plan(parts.settings);

  async function plan(settings: Settings, before?: Planning): Promise<Planning> {
    const { model, limits } = settings;
    const showsTool = createShowsTool(
      settings.privacy.withhold,
      settings.servers.flatMap((server) => (server.privacy.summarize ? [] : [server.name])),
    );
    const commands = commandsOf(settings);
    const { prompts, promptsOf, texts } = await openPrompts(settings, parts.prompts);
    const shown = parts.viewsOf(settings);
    const isSameModel = before !== undefined && isDeepStrictEqual(before.settings.model, model);
    const models = isSameModel
      ? before.models
      : createModelSelector({ ...model, log, watched: (port) => watchedModel(port, parts) });
    const select = createToolSelector(limits.tool_tokens, (input, signal) => meaning.rank(input, signal));
    const made = createPlanner({
      prompts,
      promptsOf,
      checker,
      commands: () => commands,
      find: (name) => tools.find(name),
      builtin: createBuiltinPlanner(),
      isAnchoredAtOnce: model.anchored === "builtin",
      model: () => models.current().port,
      onModelFailure: () => void models.refresh(),
      select,
      resultChars: limits.result_chars_to_model,
      historyTokens: HISTORY_TOKENS,
      tokensPerTurn: limits.tokens_per_turn,
      budget: {
        decisionTokens: model.budget.decision_tokens,
        responseTokens: model.budget.response_tokens,
        responseMs: model.budget.response_time,
      },
      secret: newId("prompt"),
    });
    const planner = watchedPlanner(made, parts);
    const calls = {
      ...parts,
      ...shown,
      policy,
      review: createReview({
        ...parts,
        ...shown,
        policy,
        actingAs: async (tool, { actor, channel }) =>
          actor && parts.people.resolver.actingAs(tool, actor, channel),
      }),
      credentials: (turnId: string) => parts.sealed.of(turnId),
      ask: questions.ask.bind(questions),
    };
    const sample = createSampling({
      ...calls,
      model: () => models.current().port,
      toPrompt: samplingPrompt,
      showsTool,
    });
    const run = createOrchestrator({
      ...calls,
      said: [
        createPlanTypedDecision(calls),
        createPlanUndo(calls),
        createPlanMore(calls),
        createPlanAboutRequests({ ...parts, nameOf: parts.knownName }),
      ],
      awaitServers: createServerWait({
        servers: () => tools.servers(),
        onChange: (listener) => tools.onChange(listener),
        commands,
      }),
      dispatcher: createDispatcher({
        ...calls,
        ledger: watchedClaims(parts.ledger, parts.tracer),
        files,
        sample,
      }),
      planner,
      offered: (all, { channel, mode }) =>
        offeredInMode(parts.channels.offered(all, channel), mode).filter(
          (tool) => !parts.people.accounts.isSearch(tool),
        ),
      examples: settings.examples,
      known: async (servers) => {
        await Promise.race([names.refresh(), sleep(FIRST_NAMES_MS)]);
        return names.list(servers);
      },
      maxSteps: limits.steps,
      showsTool,
      recall: (turn, signal) => memory.recall(turn, signal),
      ...peopleInPlans(parts.people, questions.ask.bind(questions)),
      onContinue: (turn) => runner.wake(turn),
      closeUnheard: (turnId) => questions.closeUnheard(turnId),
    });
    const approvalCalls = createApprovalCalls({
      ...calls,
      check: (tool, args) => checker.check(tool, args),
      people: (tool, args, by) => parts.people.resolver.edited(tool, args, by),
    });
    return { settings, prompts: texts, models, showsTool, select, approvalCalls, run };
  }

  async function seeTools(): Promise<void> {
    void names.refresh();
    if (await planning.select.prepare(tools.tools())) meaning.prepare(tools.tools());
  }

  const logged: RunTurn = async (turnId, signal, how) => {
    const begun = now();
    const { run } = planning;
    const turn = await parts.tracer.run(turnId, () => run(turnId, signal, how));
    void memory.remember(turnId);
    const { conversationId, state, result, error } = turn ?? {};
    const ms = now() - begun;
    const timings = result?.timings;
    log.info({ turn: turnId, conversation: conversationId, state, ms, timings, error }, "turn ran");
    return turn;
  };
  const runner = createRunner({ ...parts, run: logged, stopPollMs: kind === "postgres" ? STOP_POLL_MS : 0 });

  return {
    models,
    memory,
    checker,
    runner,
    approvalCalls: live(() => planning.approvalCalls),
    questions,
    files,
    seeTools,
    async prepare(settings) {
      const before = planning;
      const next = await plan(settings, before);
      const isOtherModel = next.models !== before.models;
      // Looked for before anybody needs it.
      if (isOtherModel) await next.models.start();
      return {
        havePromptsChanged: next.prompts !== before.prompts,
        take() {
          planning = next;
          if (isOtherModel) before.models.stop();
          void seeTools();
        },
      };
    },
    close() {
      models.stop();
      meaning.close();
      memory.close();
    },
  };
}

/** The product's prompts, with what the operator has of their own over them, everywhere and in single channels. */
async function openPrompts(
  { model, channels }: Settings,
  folder: string,
): Promise<{ prompts: Prompts; promptsOf: (channel: string) => Prompts | undefined; texts: string }> {
  const shipped = await loadPrompts(folder);
  const prompts = model.prompts === undefined ? shipped : await loadPrompts(model.prompts, shipped);
  const own = new Map<string, Prompts>();
  for (const [name, channel] of Object.entries(channels))
    if (channel.prompts !== undefined) own.set(name, await loadPrompts(channel.prompts, prompts));
  return { prompts, promptsOf: (channel) => own.get(channel), texts: JSON.stringify([prompts, ...own]) };
}
