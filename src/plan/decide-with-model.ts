import type { ModelPort, ModelText } from "#contract/model.ts";
import type {
  ModelAttempt,
  ParsedPlan,
  Perception,
  PlanFault,
  PlanInput,
  PlannedCommand,
  PlannedOutcome,
  PlannedStep,
} from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { codeOf, messageOf } from "../base/errors.ts";
import type { ArgumentChecker } from "./arguments.ts";
import { askModel, isModelFailure, providerOf } from "./ask-model.ts";
import { splitWishes } from "./builtin/wish.ts";
import { createVerbs } from "./builtin/verbs.ts";
import { createFence, toSingleLine } from "./fence.ts";
import { text } from "./model-text.ts";
import { isLarge } from "./observation.ts";
import { perceiveLarge } from "./perceive.ts";
import { buildStagePrompt, ECHOES, isEcho, type StageOptions } from "./planner-prompt.ts";
import { isFinalAnswer, parsePlan } from "./protocol.ts";
import { answerDirectly } from "./respond.ts";
import { decisionSchema, isBounded, renderStructured, renderWholeReads } from "./structured.ts";

export interface ModelPlanOptions extends StageOptions {
  checker: ArgumentChecker;
  find: (name: string) => Tool | undefined;
}

const NO_JSON =
  'expected one complete JSON object of the form {"commands": [{"command", "tool", "args"}]}, got none';

const BROKEN =
  "expected texts that end within the bound of the schema, got one that fills it or repeats data";
const CUT = "The answer was cut off at its limit; a shorter one is needed.";

function refuse(made: ModelAttempt, fault: PlanFault): ParsedPlan {
  made.fault = fault.message;
  return { ok: false, fault };
}

function isBroken(command: PlannedCommand): boolean {
  if (command.command !== "ERROR") return isBounded(command.args);
  return isBounded(command.message) || isEcho(command.message);
}

/** How much of an unusable answer is shown back to the model. */
const SHOWN_BACK_CHARS = 2_000;

/**
 * Decides with a model: perception of large results first, then one prompt, and one repair when the
 * answer does not parse. A single small result is answered at once instead. What goes wrong is an
 * outcome (`plan_invalid`, or the model's error), so that the prompts are kept; rejects when aborted.
 */
export async function decideWithModel(
  model: ModelPort,
  input: PlanInput,
  tools: Tool[],
  options: ModelPlanOptions,
  signal: AbortSignal,
): Promise<PlannedStep> {
  const attempts: ModelAttempt[] = [];
  const isStructured = options.structured !== false;
  let perceptions: { call: string; perception: Perception }[] = [];
  const offered = new Set(input.tools.map(({ id }) => id));

  /** A name that a model has from elsewhere is none here. */
  function find(name: string): Tool | undefined {
    const tool = options.find(name);
    return tool !== undefined && offered.has(tool.id) ? tool : undefined;
  }

  function isRead(name: string): boolean {
    return find(name)?.annotations.readOnlyHint === true;
  }

  function toStep(outcome: PlannedOutcome): PlannedStep {
    return {
      planner: providerOf(attempts, model),
      outcome,
      attempts,
      ...(perceptions.length === 0 ? {} : { perceptions }),
    };
  }

  async function attempt(prompt: ModelText): Promise<ParsedPlan> {
    const schema = isStructured ? { schema: decisionSchema(tools) } : {};
    const bounds = { maxTokens: options.budget.decisionTokens, stop: ECHOES };
    const asked = {
      stage: "decision",
      system: options.prompts.system,
      prompt,
      ...schema,
      ...bounds,
      signal,
    } as const;
    const made = await askModel(model, asked, attempts);
    const parsed = parsePlan(renderStructured(made.raw), { find }, options.checker);
    if (parsed.ok && made.structured === true && parsed.commands.some(isBroken))
      return refuse(made, { code: "bad_args", message: BROKEN });
    if (parsed.ok) return parsed;
    const whole = isStructured && made.isCut === true ? renderWholeReads(made.raw, isRead) : undefined;
    const begun = whole === undefined ? undefined : parsePlan(whole, { find }, options.checker);
    if (begun?.ok === true && !begun.commands.some(isBroken)) return begun;
    // The model was asked for JSON: a fault that speaks of blocks would only confuse it.
    if (isStructured && parsed.fault.code === "no_block") parsed.fault.message = NO_JSON;
    if (made.isCut === true) parsed.fault.message = `${CUT} ${parsed.fault.message}`;
    made.fault = parsed.fault.message;
    return parsed;
  }

  try {
    if (isOneSmallResult(input)) {
      const said = await answerDirectly(model, input, tools, options, attempts, signal);
      if (said === "none") return toStep({ kind: "final", local: true });
      if (said !== "more") return toStep({ kind: "final", ...said });
    }
    const perceived = await perceiveLarge(model, input, tools, options, attempts, signal);
    perceptions = perceived.perceptions;
    const seen = { ...input, observations: perceived.observations };
    const order = isStructured ? options.prompts.decisionJson : options.prompts.decision;
    const prompt = buildStagePrompt(seen, tools, options, order);
    let parsed = await attempt(prompt);
    if (!parsed.ok) parsed = await attempt(repairPrompt(prompt, parsed.fault.message, attempts));
    return toStep(toOutcome(parsed));
  } catch (error) {
    const code = codeOf(error);
    if (signal.aborted || code === undefined || !isModelFailure(error)) throw error;
    return toStep({ kind: "failed", code, message: messageOf(error) });
  }
}

/** The outcome of a parse: missing arguments become a question, any other fault a failure. */
export function toOutcome(parsed: ParsedPlan): PlannedOutcome {
  if (!parsed.ok) {
    const { fault } = parsed;
    if (fault.question !== undefined) return { kind: "question", question: fault.question };
    const message = `The model's plan could not be used, also after one repair: ${fault.message}. Try rephrasing, or use a slash command.`;
    return { kind: "failed", code: "plan_invalid", message };
  }
  const [first] = parsed.commands;
  if (first === undefined || isFinalAnswer(first)) return { kind: "final" };
  if (first.command === "ERROR") return { kind: "message", message: first.message };
  return { kind: "calls", calls: parsed.commands.flatMap((one) => (one.command === "ERROR" ? [] : [one])) };
}

function repairPrompt(prompt: ModelText, fault: string, attempts: readonly ModelAttempt[]): ModelText {
  // Quoted line by line, so that the old answer is not taken for a block of this one.
  const quoted = createFence()("answer", (attempts.at(-1)?.raw ?? "").slice(0, SHOWN_BACK_CHARS));
  return text`${prompt}

Your last answer was:
${quoted}
It could not be used: ${toSingleLine(fault, 600)}
Answer again, in the form that is described above, and with nothing else.`;
}

const verbs = createVerbs();

/**
 * Whether the turn has made one call, which brought a small result, and the message holds one wish: then
 * the answer is most likely the next step. A message with two wishes is decided on again.
 */
function isOneSmallResult(input: PlanInput): boolean {
  const [only, ...others] = input.observations;
  if (only === undefined || others.length > 0 || !only.ok || only.permit === undefined) return false;
  return !isLarge(only) && splitWishes(input.message, verbs, NOTHING).length <= 1;
}

const NOTHING: ReadonlySet<string> = new Set();
