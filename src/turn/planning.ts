import type { PastTurn, PlannedStep, Planner, ToolExample } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { TurnEvent } from "#contract/turn.ts";

import { actorName } from "../base/actor.ts";
import { canonicalJson } from "../base/digest.ts";
import type { Db } from "../store/schema.ts";
import { readPastTurns } from "./history.ts";
import type { Journal } from "./journal.ts";
import { declaredFieldNames, presentCalls, type ResultContext, toObservations } from "./results.ts";
import type { CallRecord, StoredTurn } from "./rows.ts";

export interface PlanningDeps extends ResultContext {
  db: Db;
  journal: Journal;
  planner: Planner;
  tools: ToolBox;
  /** The tools that a channel offers. */
  offered: (tools: Tool[], channel: string) => Tool[];
  examples: ToolExample[];
  /** The most planning steps of one turn. */
  maxSteps: number;
  now: () => number;
}

/** Makes the plans of a turn, each once: what the journal has is not planned again. */
export interface Planning {
  /** The plan of a step, and whether it was made just now; undefined when the step limit is reached. */
  planOf(
    turn: StoredTurn,
    step: number,
    signal: AbortSignal,
  ): Promise<{ plan: PlannedStep; isNew: boolean } | undefined>;
}

/** `statusEvent` tells people that the planner is being asked, and that its calls are being made. */
export function createPlanning(
  deps: PlanningDeps,
  statusEvent: (turn: StoredTurn, phase: "planning" | "executing_tools") => TurnEvent,
): Planning {
  const { journal, planner, tools } = deps;

  async function history(turn: StoredTurn): Promise<PastTurn[]> {
    const past = await readPastTurns(deps.db, turn);
    // A reply may hold tool data; in privacy mode the planner gets the questions only.
    return turn.allowSummarization ? past : past.map((one) => ({ ...one, reply: "" }));
  }

  return {
    async planOf(turn, step, signal) {
      const recorded = await journal.plans(turn.id);
      const known = recorded.find((one) => one.step === step);
      if (known !== undefined) return { plan: known.plan, isNew: false };
      if (step > deps.maxSteps) return undefined;
      await journal.planIntent(turn, step, statusEvent(turn, "planning"));
      const calls = await journal.calls(turn.id);
      const input = {
        message: turn.message,
        ...(turn.quote === undefined ? {} : { quote: turn.quote }),
        ...(turn.call === undefined ? {} : { call: turn.call }),
        actorName: knownName(turn),
        tools: deps.offered(tools.tools(), turn.channel),
        examples: deps.examples,
        observations: toObservations(presentCalls(calls, deps), turn.allowSummarization, (id) =>
          declaredFieldNames(tools.find(id)),
        ),
        history: await history(turn),
        now: new Date(deps.now()),
      };
      const plan = withoutRepetition(await planner.decide(input, signal), calls);
      signal.throwIfAborted();
      const event = plan.outcome.kind === "calls" ? statusEvent(turn, "executing_tools") : undefined;
      await journal.planOutcome(turn, step, plan, { find: (id) => tools.find(id), event });
      return { plan, isNew: true };
    },
  };
}

/** The name by which tools may know the person: the terminal's and the playground's defaults are not one. */
function knownName(turn: StoredTurn): string {
  const name = actorName(turn.actor);
  return turn.surface === "http" && name !== "local" ? name : "";
}

/** A model that plans the same calls again has nothing to add: answer with what is there. */
function withoutRepetition(plan: PlannedStep, calls: CallRecord[]): PlannedStep {
  if (plan.outcome.kind !== "calls" || calls.length === 0) return plan;
  const made = new Set(calls.map((call) => canonicalJson([call.toolId, call.args])));
  const isNew = plan.outcome.calls.some((call) => !made.has(canonicalJson([call.tool, call.args])));
  return isNew
    ? plan
    : {
        ...plan,
        outcome: { kind: "final" },
        notice: "The same calls were planned again, so the answer is made from what they brought.",
      };
}
