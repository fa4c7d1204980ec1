import type { CommandInfo } from "#contract/core.ts";
import type { ModelPort } from "#contract/model.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PlanInput, PlannedOutcome, PlannedStep, Planner } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { toolById } from "../base/tool-names.ts";
import { isModelFailure } from "./ask-model.ts";
import type { BuiltinPlanner } from "./builtin/planner.ts";
import { parseCommand } from "./commands.ts";
import { decideWithModel, type ModelPlanOptions, toOutcome } from "./decide-with-model.ts";
import { parsePlan } from "./protocol.ts";
import { respondWithModel } from "./respond.ts";
import type { SelectTools } from "./select-tools.ts";

export interface PlannerOptions extends ModelPlanOptions {
  commands: () => CommandInfo[];
  /** The built-in planner, in the protocol's text. */
  builtin: Pick<BuiltinPlanner, "plan" | "prepare">;
  /** The model to use now; undefined when there is none. */
  model: () => ModelPort | undefined;
  /** Told when the model did not answer; `fallBack` says whether the built-in planner may take over. */
  onModelFailure: () => { fallBack: boolean };
  /** Tools worth putting into the prompt. */
  select: SelectTools;
  /** The most tokens that models may use for one turn; beyond it the turn is answered without one. */
  tokensPerTurn: number;
}

/**
 * Plans by slash command, by model, or without one. A model that does not answer is replaced by the
 * built-in planner for this step where the provider is chosen automatically, and the reply says so.
 */
export function createPlanner(options: PlannerOptions): Planner {
  /** What a person filled in is one call, as a command is. */
  function decideByForm(input: PlanInput): PlannedStep | undefined {
    const { call } = input;
    if (call === undefined) return undefined;
    const attempts = [{ raw: JSON.stringify(call) }];
    if (input.observations.length > 0) return { planner: "command", outcome: { kind: "final" }, attempts };
    const tool = toolById(options, call.tool);
    if (tool === undefined) {
      const message = `The tool ${call.tool} is not there now; its server may be down. Nothing was sent.`;
      return { planner: "command", outcome: { kind: "message", message }, attempts };
    }
    return { planner: "command", outcome: checkedCall(tool, call.args), attempts };
  }

  function checkedCall(tool: Tool, args: JsonObject): PlannedOutcome {
    const checked = options.checker.check(tool, args);
    if (!checked.ok) return { kind: "question", question: { tool: tool.id, args, fields: checked.fields } };
    return { kind: "calls", calls: [{ command: "QUERY", tool: tool.id, args: checked.args }] };
  }

  function decideByCommand(input: PlanInput): PlannedStep | undefined {
    const command = parseCommand(input.message, options.commands(), { find: options.find });
    if (command === undefined) return undefined;
    const attempts = [{ raw: input.message }];
    // A command is one call: once it was made, it is answered.
    if (input.observations.length > 0) return { planner: "command", outcome: { kind: "final" }, attempts };
    if (command.kind === "help") {
      return { planner: "command", outcome: { kind: "message", message: command.message }, attempts };
    }
    return { planner: "command", outcome: checkedCall(command.tool, command.args), attempts };
  }

  async function decideWithout(input: PlanInput, notice?: string): Promise<PlannedStep> {
    await options.builtin.prepare(input);
    const plan = options.builtin.plan(input);
    const parsed = parsePlan(plan.text, { find: options.find }, options.checker);
    const fault = parsed.ok ? {} : { fault: parsed.fault.message };
    const notices = [notice, plan.notice].filter((one) => one !== undefined);
    return {
      planner: "builtin",
      outcome: toOutcome(parsed),
      attempts: [{ raw: plan.text, ...fault }],
      ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    };
  }

  /** What was found is shown; no further model is asked. */
  function outOfTokens(spent: number): PlannedStep {
    const notice = `The models have used ${spent} tokens for this turn, of ${options.tokensPerTurn} allowed, so it ends with what was found.`;
    const planner = options.model()?.provider ?? "builtin";
    return { planner, outcome: { kind: "final", local: true }, attempts: [], notice };
  }

  /** The results are there: a model that fails now must not lose them. */
  function withWhatIsThere(step: PlannedStep, why: string): PlannedStep {
    const notice = `The model did not answer any more (${why}), so this is what was found until then.`;
    return { ...step, outcome: { kind: "final", local: true }, notice };
  }

  return {
    async decide(input, signal) {
      const byCommand = decideByForm(input) ?? decideByCommand(input);
      if (byCommand !== undefined) return byCommand;
      const model = options.model();
      if (model === undefined) return decideWithout(input);
      const spent = input.spentTokens ?? 0;
      if (spent >= options.tokensPerTurn) return outOfTokens(spent);
      const chosen = await options.select(input, signal);
      const step = await decideWithModel(model, input, chosen, options, signal);
      const { outcome } = step;
      if (outcome.kind !== "failed" || !outcome.code.startsWith("model_")) return step;
      const isReplaced = options.onModelFailure().fallBack;
      if (!isReplaced) return input.observations.length === 0 ? step : withWhatIsThere(step, outcome.message);
      const instead = await decideWithout(input, `${model.model} did not answer (${outcome.message}).`);
      return { ...instead, attempts: [...step.attempts, ...instead.attempts] };
    },

    async respond(input, signal) {
      const model = input.planner === "builtin" || input.planner === "command" ? undefined : options.model();
      const mayRead = input.observations.some(({ permit }) => permit !== undefined);
      if (model === undefined || !(mayRead || (input.recalled ?? []).length > 0))
        return { reply: input.localReply };
      if ((input.spentTokens ?? 0) >= options.tokensPerTurn) return { reply: input.localReply };
      try {
        return await respondWithModel(model, input, options, signal);
      } catch (error) {
        if (!isModelFailure(error) || signal.aborted) throw error;
        // The results are there: a model that fails now must not lose them.
        options.onModelFailure();
        return { reply: input.localReply };
      }
    },
  };
}
