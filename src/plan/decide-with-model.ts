import type { ModelPort } from "#contract/model.ts";
import type { ParsedPlan, PlanInput, PlannedOutcome, PlannedStep } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import type { ArgumentChecker } from "./arguments.ts";
import { buildPlannerPrompt } from "./planner-prompt.ts";
import type { Prompts } from "./prompts.ts";
import { isFinalAnswer, parsePlan } from "./protocol.ts";
import { decisionSchema, renderStructured } from "./structured.ts";

export interface ModelPlanOptions {
  prompts: Prompts;
  checker: ArgumentChecker;
  find: (name: string) => Tool | undefined;
  resultChars: number;
}

/** How much of an unusable answer is shown back to the model. */
const SHOWN_BACK_CHARS = 2_000;

/**
 * Decides with a model: one prompt, and one repair when the answer does not parse. What goes wrong is an
 * outcome (`plan_invalid`, or the model's error), so that the prompts are kept; rejects when aborted.
 */
export async function decideWithModel(
  model: ModelPort,
  input: PlanInput,
  tools: Tool[],
  options: ModelPlanOptions,
  signal: AbortSignal,
): Promise<PlannedStep> {
  const prompt = buildPlannerPrompt(options.prompts.template, input, tools, options.resultChars);
  const schema = decisionSchema(tools);
  const attempts: PlannedStep["attempts"] = [];

  async function attempt(text: string): Promise<ParsedPlan> {
    let raw = "";
    try {
      const request = {
        stage: "decision",
        system: options.prompts.decision,
        prompt: text,
        schema,
        signal,
      } as const;
      raw = (await model.generate(request)).text;
    } catch (error) {
      attempts.push({ prompt: text, raw, fault: messageOf(error) });
      throw error;
    }
    const parsed = parsePlan(renderStructured(raw), { find: options.find }, options.checker);
    attempts.push({ prompt: text, raw, ...(parsed.ok ? {} : { fault: parsed.fault.message }) });
    return parsed;
  }

  try {
    let parsed = await attempt(prompt);
    if (!parsed.ok) {
      parsed = await attempt(`${prompt}\n${describeFault(parsed.fault.message, attempts.at(-1)?.raw ?? "")}`);
    }
    return { planner: model.provider, outcome: toOutcome(parsed), attempts };
  } catch (error) {
    const code = codeOf(error);
    if (signal.aborted || code === undefined || !code.startsWith("model_")) throw error;
    return {
      planner: model.provider,
      outcome: { kind: "failed", code, message: messageOf(error) },
      attempts,
    };
  }
}

/** The outcome of a parse: missing arguments become a question, any other fault a failure. */
export function toOutcome(parsed: ParsedPlan): PlannedOutcome {
  if (!parsed.ok) {
    const { fault } = parsed;
    if (fault.question !== undefined) return { kind: "question", question: fault.question };
    const message = `The model's plan could not be used, also after one repair: ${fault.message}. Ask again in other words, or use a slash command.`;
    return { kind: "failed", code: "plan_invalid", message };
  }
  const [first] = parsed.commands;
  if (first === undefined || isFinalAnswer(first)) return { kind: "final" };
  if (first.command === "ERROR") return { kind: "message", message: first.message };
  return { kind: "calls", calls: parsed.commands.flatMap((one) => (one.command === "ERROR" ? [] : [one])) };
}

function describeFault(fault: string, raw: string): string {
  // Quoted line by line, so that the old answer is not taken for a block of this one.
  const quoted = raw
    .slice(0, SHOWN_BACK_CHARS)
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
  return `\nYour last answer was:\n${quoted}\nIt could not be used: ${fault}\nAnswer again, with one correct block and nothing else.`;
}
