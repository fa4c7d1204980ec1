import type {
  KnownName,
  Observation,
  PastTurn,
  PlanInput,
  PlannedStep,
  Planner,
  Recalled,
  ToolExample,
} from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { TurnEvent } from "#contract/turn.ts";

import { isMeant, withFixed } from "../base/fixed-arguments.ts";
import { canonicalJson, isObject } from "../base/json.ts";
import { permitIf, taint } from "../base/tainted.ts";
import { toolById } from "../base/tool-names.ts";
import type { Db } from "../store/schema.ts";
import { quoteFor, readPastTurns } from "./history.ts";
import { tokensOf } from "./notes.ts";
import { plannerOf, presentCalls, type PresentedCall, type ResultContext } from "./results.ts";
import type { CallRecord, RecordedPlan, StoredTurn } from "./rows.ts";
import type { TurnRun } from "./run.ts";
import type { ServerWait } from "./server-wait.ts";

export interface PlanningDeps extends ResultContext {
  db: Db;
  planner: Planner;
  tools: ToolBox;
  /** The tools that a turn is offered where it is. */
  offered: (tools: Tool[], turn: Pick<StoredTurn, "channel" | "mode">) => Tool[];
  examples: ToolExample[];
  /** What is known of these servers without asking. */
  known?: (servers: ReadonlySet<string>) => Promise<readonly KnownName[]>;
  /** The most planning steps of one turn. */
  maxSteps: number;
  /** Whether results of a tool may be shown to a model where the turn allows it. Default: all may. */
  showsTool?: (toolId: string) => boolean;
  /** What answers are written in, in a channel; undefined: as people ask. */
  language?: (channel: string) => string | undefined;
  /** Puts people into a plan as their servers know them; asks the person where nobody knows. */
  resolvePeople?: (run: TurnRun, plan: PlannedStep, signal: AbortSignal) => Promise<PlannedStep>;
  /** What people call who asks; empty where nobody knows. */
  nameOf?: (turn: StoredTurn) => Promise<string>;
  /** Outputs of earlier turns that resemble the message; none where the turn is private. */
  recall?: (turn: StoredTurn, signal: AbortSignal) => Promise<Recalled[]>;
  /** See `createServerWait`. */
  awaitServers?: ServerWait;
  /** What needs no planner, such as "undo" and "show more". */
  said?: readonly PlanSaid[];
}

/** Plans what a message says in so many words; undefined for every other turn, which is the planner's. */
export type PlanSaid = (
  turn: StoredTurn,
  step: number,
  signal: AbortSignal,
) => Promise<PlannedStep | undefined>;

/** The language of answers where the turn is, if one is set. */
function languageOf(turn: StoredTurn, { language }: Pick<PlanningDeps, "language">): { language?: string } {
  const set = language?.(turn.channel);
  return set === undefined ? {} : { language: set };
}

/** A plan, and whether it was made just now; undefined when the step limit is reached. */
type PlanOf = (
  run: TurnRun,
  step: number,
  signal: AbortSignal,
) => Promise<{ plan: PlannedStep; isNew: boolean } | undefined>;

/**
 * Makes the plans of a turn, each once: what the journal has is not planned again. `statusEvent` tells
 * people that the planner is being asked, and that its calls are being made.
 */
export function createPlanning(
  deps: PlanningDeps,
  statusEvent: (turn: StoredTurn, phase: "planning" | "executing_tools") => TurnEvent,
): PlanOf {
  const { planner, tools } = deps;
  return async (run, step, signal) => {
    const { turn, plans: recorded, calls } = run;
    const known = recorded.find((one) => one.step === step);
    if (known !== undefined) return { plan: known.plan, isNew: false };
    if (step > deps.maxSteps) return undefined;
    // What is taken back is tried first.
    const isSlow = turn.undoes !== undefined || planner.isQuick?.(turn) !== true;
    await run.planIntent(step, statusEvent(turn, "planning"), isSlow);
    if (step === 1) await deps.awaitServers?.(run, signal);
    const decide = async (): Promise<PlannedStep> => {
      for (const plan of isLong(turn) ? [] : (deps.said ?? [])) {
        const said = await plan(turn, step, signal);
        if (said !== undefined) return said;
      }
      return planner.decide(
        await toPlanInput(turn, presentCalls(calls, deps), recorded, deps, signal),
        signal,
      );
    };
    const planned = await decide();
    // Before policy, dry run and card: what is approved is who is meant.
    const resolved = (await deps.resolvePeople?.(run, planned, signal)) ?? planned;
    const plan = withoutRepetition(withFixedArguments(resolved, turn, tools), calls);
    signal.throwIfAborted();
    const event = plan.outcome.kind === "calls" ? statusEvent(turn, "executing_tools") : undefined;
    run.planOutcome(step, plan, { find: (id) => toolById(tools, id), event });
    return { plan, isNew: true };
  };
}

/**
 * Nobody says "undo" or "approve it" in so many characters, and their patterns would look through all of them for
 * seconds in which nobody else is answered.
 */
const MOST_SAID = 2_000;

function isLong({ message, call, undoes }: StoredTurn): boolean {
  return message.length > MOST_SAID && call === undefined && undoes === undefined;
}

/** Of turns that run; read anew where less may be shown than before. */
const histories = new WeakMap<StoredTurn, { isOpen: boolean; history: PastTurn[] }>();

async function historyOf(turn: StoredTurn, db: Db): Promise<PastTurn[]> {
  const known = histories.get(turn);
  const isOpen = turn.allowSummarization;
  if (known?.isOpen === isOpen) return known.history;
  const history = await readPastTurns(db, turn);
  histories.set(turn, { isOpen, history });
  return history;
}

/** What the planner is told of a turn, for its decisions and its answer alike. */
export async function toPlanInput(
  turn: StoredTurn,
  presented: PresentedCall[],
  recorded: RecordedPlan[],
  deps: PlanningDeps,
  signal: AbortSignal,
): Promise<PlanInput> {
  const offered = deps.offered(deps.tools.tools(), turn);
  const later = recorded.find(({ plan }) => plan.later !== undefined)?.plan.later;
  return {
    message: turn.message,
    ...quoteFor(turn, turn.quote),
    ...(turn.call === undefined ? {} : { call: turn.call }),
    actorName: (await deps.nameOf?.(turn)) ?? "",
    tools: offered,
    examples: deps.examples,
    ...(deps.known === undefined
      ? {}
      : { known: await deps.known(new Set(offered.map(({ server }) => server))) }),
    observations: observationsOf(turn, presented, recorded, deps),
    ...(later === undefined ? {} : { later }),
    history: await historyOf(turn, deps.db),
    // A day is counted from when it was said, in each step, and after a restart.
    now: new Date(turn.createdAt),
    conversationId: turn.conversationId,
    recalled: (await deps.recall?.(turn, signal)) ?? [],
    spentTokens: tokensOf(recorded.flatMap(({ plan }) => plan.attempts)),
    isHandedOver: plannerOf(recorded) === "builtin" && recorded.length > 0,
    ...languageOf(turn, deps),
    channel: turn.channel,
  };
}

/** What the calls of a turn brought, with what earlier steps made of it, and what of it a model may see. */
export function observationsOf(
  turn: StoredTurn,
  presented: PresentedCall[],
  recorded: RecordedPlan[],
  { tools, showsTool = () => true }: Pick<PlanningDeps, "tools" | "showsTool">,
): Observation[] {
  const made = recorded.flatMap(({ plan }) => plan.perceptions ?? []);
  return presented.map(({ call: { id, toolId, args }, result: { ok, data, error, rows } }) => {
    const perceived = made.find((one) => one.call === id);
    const declared = toolById(tools, toolId)?.outputSchema?.properties;
    return {
      id,
      tool: toolId,
      args,
      ok,
      data: taint(data),
      ...(error === undefined ? {} : { error: taint(error.message) }),
      ...permitIf(turn.allowSummarization && showsTool(toolId)),
      facts: {
        ...(rows === undefined ? {} : { rows }),
        // Keys of a result may be data, such as names of customers: only what the tool declares is told.
        fields: isObject(declared) ? Object.keys(declared).slice(0, 40) : [],
        ...(error === undefined ? {} : { error: error.code }),
      },
      ...(perceived === undefined ? {} : { perception: taint(perceived.perception) }),
    };
  });
}

/** What the product sets itself is in a call before policy, dry run and approval see it. */
function withFixedArguments(
  plan: PlannedStep,
  { id: turnId, channel, actor }: StoredTurn,
  tools: ToolBox,
): PlannedStep {
  if (plan.outcome.kind !== "calls") return plan;
  const calls = plan.outcome.calls.map((call) => {
    const tool = toolById(tools, call.tool);
    if (tool?.fixed === undefined) return call;
    const args = withFixed(tool, call.args, { turnId, channel, actor }, call.sources);
    const set = tool.fixed.filter(({ name, value }) => Object.hasOwn(args, name) && !isMeant(name, value));
    const fixed = Object.fromEntries(set.map(({ name }) => [name, { from: "fixed" as const }]));
    return { ...call, args, sources: { ...call.sources, ...fixed } };
  });
  return { ...plan, outcome: { ...plan.outcome, calls } };
}

/** A model that plans the same calls again has nothing to add: answer with what is there. */
function withoutRepetition(plan: PlannedStep, calls: CallRecord[]): PlannedStep {
  if (plan.outcome.kind !== "calls" || calls.length === 0) return plan;
  const made = new Set(calls.map((call) => canonicalJson([call.toolId, call.args])));
  const isNew = plan.outcome.calls.some((call) => !made.has(canonicalJson([call.tool, call.args])));
  return isNew ? plan : { ...plan, outcome: { kind: "final" } };
}
