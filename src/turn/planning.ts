import type { PastTurn, PlannedStep, Planner, ToolExample } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

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
  /** The plan of a step; undefined when the step limit is reached. */
  planOf(turn: StoredTurn, step: number, signal: AbortSignal): Promise<PlannedStep | undefined>;
}

/** `onPlanning` tells people before the planner is asked. */
export function createPlanning(
  deps: PlanningDeps,
  onPlanning: (turn: StoredTurn) => Promise<void>,
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
      if (known !== undefined) return known.plan;
      if (step > deps.maxSteps) return undefined;
      await onPlanning(turn);
      await journal.planIntent(turn, step);
      const calls = await journal.calls(turn.id);
      const input = {
        message: turn.message,
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
      await journal.planOutcome(turn, step, plan, (id) => tools.find(id));
      return plan;
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
