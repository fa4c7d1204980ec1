import type { ModelPort } from "#contract/model.ts";
import type { ParsedPlan, PlanInput, PlannedOutcome, PlannedStep } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
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
 * Decides with a model: one prompt, and one repair when the answer does not parse. Rejects with
 * `plan_invalid` when the repair does not parse either, or with the model's error.
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
    const answer = await model.generate({
      stage: "decision",
      system: options.prompts.decision,
      prompt: text,
      schema,
      signal,
    });
    const parsed = parsePlan(renderStructured(answer.text), { find: options.find }, options.checker);
    attempts.push({ prompt: text, raw: answer.text, ...(parsed.ok ? {} : { fault: parsed.fault.message }) });
    return parsed;
  }

  let parsed = await attempt(prompt);
  if (!parsed.ok)
    parsed = await attempt(`${prompt}\n${describeFault(parsed.fault.message, attempts.at(-1)?.raw ?? "")}`);
  return { planner: model.provider, outcome: toOutcome(parsed), attempts };
}

/** The outcome of a parse; rejects a fault other than missing arguments, which become a question. */
export function toOutcome(parsed: ParsedPlan): PlannedOutcome {
  if (!parsed.ok) {
    const { fault } = parsed;
    if (fault.question !== undefined) return { kind: "question", question: fault.question };
    throw new CountersignError(
      "plan_invalid",
      `The model's plan could not be used, also after one repair: ${fault.message}. Ask again in other words, or use a slash command.`,
      { details: fault },
    );
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
