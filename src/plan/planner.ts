import type { CommandInfo } from "#contract/core.ts";
import type { ModelPort } from "#contract/model.ts";
import type { PlanInput, PlannedStep, Planner } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { codeOf } from "../base/errors.ts";
import type { ArgumentChecker } from "./arguments.ts";
import { parseCommand } from "./commands.ts";
import { decideWithModel, toOutcome } from "./decide-with-model.ts";
import type { Prompts } from "./prompts.ts";
import { parsePlan } from "./protocol.ts";
import { respondWithModel } from "./respond.ts";

export interface PlannerOptions {
  prompts: Prompts;
  checker: ArgumentChecker;
  commands: () => CommandInfo[];
  find: (name: string) => Tool | undefined;
  /** The built-in planner, in the protocol's text. */
  builtin: { plan(input: PlanInput): string };
  /** The model to use now; undefined when there is none. */
  model: () => ModelPort | undefined;
  /** Told when the model did not answer; `fallBack` says whether the built-in planner may take over. */
  onModelFailure: () => { fallBack: boolean };
  /** Tools worth putting into the prompt, most relevant first. */
  select: (message: string, tools: Tool[]) => Tool[];
  /** The most characters of tool results that a prompt shows. */
  resultChars: number;
}

/**
 * Plans by slash command, by model, or without one. A model that does not answer is replaced by the
 * built-in planner for this step where the provider is chosen automatically, and the reply says so.
 */
export function createPlanner(options: PlannerOptions): Planner {
  function decideByCommand(input: PlanInput): PlannedStep | undefined {
    const command = parseCommand(input.message, options.commands(), { find: options.find });
    if (command === undefined) return undefined;
    const attempts = [{ raw: input.message }];
    // A command is one call: once it was made, it is answered.
    if (input.observations.length > 0) return { planner: "command", outcome: { kind: "final" }, attempts };
    if (command.kind === "help") {
      return { planner: "command", outcome: { kind: "message", message: command.message }, attempts };
    }
    const checked = options.checker.check(command.tool, command.args);
    const tool = command.tool.id;
    if (!checked.ok) {
      const question = { tool, args: command.args, fields: checked.fields };
      return { planner: "command", outcome: { kind: "question", question }, attempts };
    }
    return {
      planner: "command",
      outcome: { kind: "calls", calls: [{ command: "QUERY", tool, args: checked.args }] },
      attempts,
    };
  }

  function decideWithout(input: PlanInput, notice?: string): PlannedStep {
    const raw = options.builtin.plan(input);
    const parsed = parsePlan(raw, { find: options.find }, options.checker);
    const fault = parsed.ok ? {} : { fault: parsed.fault.message };
    return {
      planner: "builtin",
      outcome: toOutcome(parsed),
      attempts: [{ raw, ...fault }],
      ...(notice === undefined ? {} : { notice }),
    };
  }

  return {
    async decide(input, signal) {
      const byCommand = decideByCommand(input);
      if (byCommand !== undefined) return byCommand;
      const model = options.model();
      if (model === undefined) return decideWithout(input);
      const chosen = options.select(input.message, input.tools);
      const step = await decideWithModel(model, input, chosen, options, signal);
      const { outcome } = step;
      if (outcome.kind !== "failed" || !outcome.code.startsWith("model_")) return step;
      if (!options.onModelFailure().fallBack) return step;
      const instead = decideWithout(input, `${model.model} did not answer (${outcome.message}).`);
      return { ...instead, attempts: [...step.attempts, ...instead.attempts] };
    },

    async respond(input, signal) {
      const model = input.planner === "builtin" || input.planner === "command" ? undefined : options.model();
      if (model === undefined || input.observations.length === 0) return { reply: input.localReply };
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

function isModelFailure(error: unknown): boolean {
  return codeOf(error)?.startsWith("model_") === true;
}
