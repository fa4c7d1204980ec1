import { isDeepStrictEqual } from "node:util";

import type { CommandInfo } from "#contract/core.ts";
import type { ModelPort } from "#contract/model.ts";
import type { JsonObject } from "#contract/json.ts";
import type {
  ArgSources,
  ParsedPlan,
  PlanInput,
  PlannedCall,
  PlannedOutcome,
  PlannedStep,
  Planner,
} from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { toolById } from "../base/tool-names.ts";
import { en } from "../base/words/en.ts";
import { isModelFailure } from "./ask-model.ts";
import type { BuiltinPlanner } from "./builtin/planner.ts";
import { type BuiltinPlan, quoted } from "./builtin/scene.ts";
import { type ParsedCommand, parseCommand } from "./commands.ts";
import { decideWithModel, type ModelPlanOptions, toOutcome } from "./decide-with-model.ts";
import { checkCalls, countTaken, isForeign } from "./gate.ts";
import type { Prompts } from "./prompts.ts";
import { parsePlan } from "./protocol.ts";
import { respondWithModel } from "./respond.ts";
import type { SelectTools } from "./select-tools.ts";
import { withSources } from "./sources.ts";

export interface PlannerOptions extends ModelPlanOptions {
  commands: () => CommandInfo[];
  /** The built-in planner, in the protocol's text; absent, for comparison: what a model fails at fails. */
  builtin: Pick<BuiltinPlanner, "plan" | "prepare"> | undefined;
  /** Whether the built-in planner plans what is anchored in every value, without a model. Default: it does. */
  isAnchoredAtOnce?: boolean;
  /** The model to use now; undefined when there is none. */
  model: () => ModelPort | undefined;
  /** Prompts of one channel's own; undefined: `prompts`. */
  promptsOf?: (channel: string) => Prompts | undefined;
  /** Told when the model did not answer. */
  onModelFailure: () => void;
  /** Tools worth putting into the prompt. */
  select: SelectTools;
  /** The most tokens that models may use for one turn; beyond it the turn is answered without one. */
  tokensPerTurn: number;
}

/**
 * Plans by slash command, by model, or without one. What a model does not bring, or brings and may not
 * have, the built-in planner does from there on, with all that the turn has found, and the reply says so.
 */
export function createPlanner(options: PlannerOptions): Planner {
  /** What a person filled in is one call, as a command is. */
  function decideByForm(input: PlanInput): PlannedStep | undefined {
    const { call } = input;
    if (call === undefined) return undefined;
    const attempts = [{ raw: JSON.stringify(call) }];
    if (input.observations.length > 0 && input.later !== undefined) return undefined;
    if (input.observations.length > 0) return { planner: "command", outcome: { kind: "final" }, attempts };
    const tool = toolById(options, call.tool);
    if (tool === undefined) {
      const message = `The tool ${call.tool} is not there now; its server may be down. Nothing was sent.`;
      return { planner: "command", outcome: { kind: "message", message }, attempts };
    }
    const command = parseCommand(input.message, options.commands(), { find: options.find });
    const outcome = checkedCall(tool, call.args, setBy(command));
    // What was asked for beside what was asked about is not lost by a form.
    const { tool: asked, later } = input.history.at(-1)?.question ?? {};
    return { planner: "command", outcome, attempts, ...(asked === call.tool && later ? { later } : {}) };
  }

  function checkedCall(tool: Tool, args: JsonObject, set: JsonObject): PlannedOutcome {
    const checked = options.checker.check(tool, args);
    if (!checked.ok) return { kind: "question", question: { tool: tool.id, args, fields: checked.fields } };
    const names = Object.keys(set).filter((name) => isDeepStrictEqual(args[name], set[name]));
    const sources: ArgSources = Object.fromEntries(names.map((name) => [name, { from: "fixed" }]));
    return { kind: "calls", calls: [{ command: "QUERY", tool: tool.id, args: checked.args, sources }] };
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
    return { planner: "command", outcome: checkedCall(command.tool, command.args, setBy(command)), attempts };
  }

  async function decideWithout(input: PlanInput): Promise<PlannedStep> {
    return (await planWithout(input)).step;
  }

  /** The built-in planner's step, and whether its values are all anchored, so that no model would know better. */
  async function planWithout(input: PlanInput): Promise<{ step: PlannedStep; isAnchored: boolean }> {
    const { builtin } = options;
    if (builtin === undefined) throw new TypeError("expected a built-in planner or a model, got neither");
    await builtin.prepare(input);
    const plan = builtin.plan(input);
    const read = (text: string): ParsedPlan => parsePlan(text, { find: options.find }, options.checker);
    const parsed = together(read(plan.text), (plan.further ?? []).map(read));
    const fault = parsed.ok ? {} : { fault: parsed.fault.message };
    const held = heldToTargets(toldOf(toOutcome(parsed), plan.sources), input);
    const outcome = withLater(withChoices(held.outcome, plan), plan.later);
    // What is asked about when the first of it is done is named now.
    const titles = held.rest.map(({ tool }) => toolById(options, tool)?.title ?? tool);
    const rest = titles.length === 0 ? [] : [en.recorded.asksRest(quoted(titles))];
    const notice = [plan.notice ?? [], rest].flat().join(" ");
    const step: PlannedStep = {
      planner: "builtin",
      outcome,
      attempts: [{ raw: [plan.text, ...(plan.further ?? [])].join("\n"), ...fault }],
      ...(notice === "" ? {} : { notice }),
      ...(plan.later === undefined ? {} : { later: plan.later }),
      ...(plan.meant === undefined || plan.meant.length === 0 ? {} : { meant: plan.meant }),
      ...(plan.asks === undefined ? {} : { asks: plan.asks }),
      ...(plan.replaces === true && outcome.kind === "calls" ? { replaces: true } : {}),
    };
    return { step, isAnchored: plan.isAnchored && outcome.kind === "calls" };
  }

  /** As much of a plan as needs no question, or the question; and the calls that it is for later. */
  function heldToTargets(
    outcome: PlannedOutcome,
    input: PlanInput,
  ): { outcome: PlannedOutcome; rest: readonly PlannedCall[] } {
    const calls = outcome.kind === "calls" ? outcome.calls : [];
    for (const [at, call] of calls.entries()) {
      const isOfSeveral = calls.some((other) => other !== call && other.tool === call.tool);
      const verdict = checkCalls([call], { ...input, isBuiltin: true, isOfSeveral });
      if (!("question" in verdict)) continue;
      // What stands before it is whole: the question is for when that is done.
      return at === 0
        ? { outcome: { kind: "question", question: verdict.question }, rest: [] }
        : { outcome: { kind: "calls", calls: calls.slice(0, at) }, rest: calls.slice(at) };
    }
    return { outcome, rest: [] };
  }

  /** A refusal, with what may have been meant and what each of these still needs. */
  function withChoices(outcome: PlannedOutcome, { choices }: BuiltinPlan): PlannedOutcome {
    if (outcome.kind !== "message" || choices === undefined) return outcome;
    const needed = choices.map((choice) => {
      const tool = toolById(options, choice.tool);
      const checked = tool && options.checker.check(tool, choice.args);
      return checked?.ok === false ? { ...choice, fields: checked.fields } : choice;
    });
    return { ...outcome, choices: needed };
  }

  /** What was found is shown; no further model is asked. */
  function outOfTokens(spent: number): PlannedStep {
    const notice = `This request reached its limit of ${options.tokensPerTurn} model tokens (${spent} used), so here is what was found so far.`;
    const planner = options.model()?.provider ?? "builtin";
    return { planner, outcome: { kind: "final", local: true }, attempts: [], notice };
  }

  /** The step as it may be followed, or why it may not. */
  function judge(step: PlannedStep, input: PlanInput, model: string): PlannedStep | string {
    const { outcome } = step;
    if (outcome.kind === "failed") {
      if (!outcome.code.startsWith("model_")) return `The plan of ${model} could not be used.`;
      options.onModelFailure();
      return `${model} did not answer (${outcome.message}).`;
    }
    if (outcome.kind !== "calls" && outcome.kind !== "question") return step;
    const calls = outcome.kind === "calls" ? outcome.calls : [outcome.question];
    const verdict = checkCalls(calls, { ...input, isLoose: step.planner !== "ollama" });
    if ("ok" in verdict) return step;
    if ("refused" in verdict) return `The plan of ${model} was not used: ${verdict.refused}.`;
    const asked = outcome.kind === "question" ? outcome.question.fields : [];
    const fields = [...new Set([...asked, ...verdict.question.fields])];
    return { ...step, outcome: { kind: "question", question: { ...verdict.question, fields } } };
  }

  /** The rest of the turn without the model whose step this is. Nothing that was found is lost. */
  async function takeOver(step: PlannedStep, input: PlanInput, handover: string): Promise<PlannedStep> {
    let own = await decideWithout(input);
    const made = input.observations;
    if (own.outcome.kind === "final" && made.length > 0 && made.every(({ ok }) => ok)) {
      // What the model called counted for what the request asks for, and need not have been that.
      const first = await decideWithout({ ...input, observations: [] });
      const calls = first.outcome.kind === "calls" ? first.outcome.calls : [];
      if (calls.length > 0 && !calls.some(({ tool }) => made.some((one) => one.tool === tool))) own = first;
    }
    const isLost = made.length > 0 && (own.outcome.kind === "message" || own.outcome.kind === "failed");
    return {
      ...own,
      ...(isLost ? { outcome: { kind: "final", local: true } } : {}),
      attempts: [...step.attempts, ...own.attempts],
      ...(step.perceptions === undefined ? {} : { perceptions: step.perceptions }),
      handover,
    };
  }

  /**
   * Whether the built-in planner would first call something else than a local model. Such models are small,
   * and what the built-in planner reads out of a request it has read out of its words.
   */
  async function isContradicted(step: PlannedStep, input: PlanInput): Promise<boolean> {
    const isIdle = step.outcome.kind === "final" && (input.recalled ?? []).length === 0;
    // Nothing was looked up: the built-in planner at least says what it can do.
    if (isIdle && input.observations.length === 0) return true;
    if (step.planner !== "ollama" || input.observations.length > 0 || isForeign(input.message)) return false;
    const { outcome } = await decideWithout(input);
    if (outcome.kind !== "calls") return false;
    const planned = step.outcome.kind === "calls" ? step.outcome.calls : [];
    if (countTaken(input.message, outcome.calls) < countTaken(input.message, planned)) return false;
    return !outcome.calls.some(({ tool }) => planned.some((one) => one.tool === tool));
  }

  /** With the prompts of the channel. */
  function optionsFor({ channel }: PlanInput): PlannerOptions {
    const prompts = channel === undefined ? undefined : options.promptsOf?.(channel);
    return prompts === undefined ? options : { ...options, prompts };
  }

  const planner: Planner = {
    isQuick: ({ message, call }) =>
      call !== undefined ||
      options.model() === undefined ||
      parseCommand(message, options.commands(), { find: options.find }) !== undefined,

    async decide(input, signal) {
      const byCommand = decideByForm(input) ?? decideByCommand(input);
      if (byCommand !== undefined) return byCommand;
      const model = options.model();
      if (model === undefined || input.isHandedOver === true) return decideWithout(input);
      const spent = input.spentTokens ?? 0;
      if (spent >= options.tokensPerTurn) return outOfTokens(spent);
      const isFirst = input.observations.length === 0;
      if (isFirst && options.builtin !== undefined && options.isAnchoredAtOnce !== false) {
        const { step, isAnchored } = await planWithout(input);
        if (isAnchored) return step;
      }
      const chosen = await options.select(input, signal);
      const step = await decideWithModel(model, input, chosen, optionsFor(input), signal);
      if (options.builtin === undefined) return step;
      const judged = judge(step, input, model.model);
      if (typeof judged === "string") return takeOver(step, input, judged);
      if (!(await isContradicted(judged, input))) return judged;
      return takeOver(step, input, `What ${model.model} planned does not fit the request.`);
    },

    async respond(input, signal) {
      const model = input.planner === "builtin" || input.planner === "command" ? undefined : options.model();
      const mayRead = input.observations.some(({ permit }) => permit !== undefined);
      if (model === undefined || !(mayRead || (input.recalled ?? []).length > 0))
        return { reply: input.localReply };
      if ((input.spentTokens ?? 0) >= options.tokensPerTurn) return { reply: input.localReply };
      try {
        const tools = await options.select(input, signal);
        return await respondWithModel(model, input, tools, optionsFor(input), signal);
      } catch (error) {
        if (!isModelFailure(error) || signal.aborted) throw error;
        // The results are there: a model that fails now must not lose them.
        options.onModelFailure();
        return { reply: input.localReply };
      }
    },
  };
  return {
    ...planner,
    decide: async (input, signal) =>
      withSources(await planner.decide(input, signal), input, (id) => toolById(options, id)),
  };
}

/** The arguments that the configuration sets in a command. */
function setBy(command: ParsedCommand | undefined): JsonObject {
  return command?.kind === "call" ? command.set : {};
}

/** The calls with what the planner says of the arguments of each. */
function toldOf(outcome: PlannedOutcome, sources: readonly ArgSources[]): PlannedOutcome {
  if (outcome.kind !== "calls") return outcome;
  return { ...outcome, calls: outcome.calls.map((call, at) => ({ ...call, sources: sources[at] ?? {} })) };
}

/** Blocks that belong together as one plan, up to the first that cannot be used. */
function together(first: ParsedPlan, further: readonly ParsedPlan[]): ParsedPlan {
  if (!first.ok) return first;
  const bad = further.findIndex(({ ok }) => !ok);
  const usable = bad === -1 ? further : further.slice(0, bad);
  return { ok: true, commands: [first, ...usable].flatMap((plan) => (plan.ok ? plan.commands : [])) };
}

/** A question with what is asked for behind its answer. */
function withLater(outcome: PlannedOutcome, later: string[] | undefined): PlannedOutcome {
  return outcome.kind === "question" && later !== undefined
    ? { ...outcome, question: { ...outcome.question, later } }
    : outcome;
}
