import { z } from "zod";

import type { JsonSchema } from "#contract/json.ts";
import type { ModelPort, ModelText } from "#contract/model.ts";
import type { ModelAttempt, Observation, Perception, PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { taint } from "../base/tainted.ts";
import { askModel, isModelFailure } from "./ask-model.ts";
import { isLarge } from "./observation.ts";
import { buildStagePrompt, ECHOES, type StageOptions } from "./planner-prompt.ts";
import { scanJsonObject } from "./protocol.ts";

const MAX_WORDS = 200;
const MAX_ENTITIES = 40;
const MAX_ENTITY_CHARS = 200;
/** A summary of 120 words and 20 entities. */
const MAX_TOKENS = 400;

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    summary: { type: "string", maxLength: 800 },
    entities: {
      type: "array",
      items: { type: "string", maxLength: MAX_ENTITY_CHARS },
      maxItems: MAX_ENTITIES,
    },
  },
  required: ["summary", "entities"],
  additionalProperties: false,
};

const perceived = z.object({
  summary: z.string().trim().min(1),
  entities: z.array(z.union([z.string(), z.number().transform(String)])),
});

/**
 * Perceives what is too large to be read again at every step. A perception that cannot be used is left
 * out and its fault written down: the result itself, cut to size, takes its place. Rejects when aborted.
 */
export async function perceiveLarge(
  model: ModelPort,
  input: PlanInput,
  tools: Tool[],
  options: StageOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<{ observations: Observation[]; perceptions: { call: string; perception: Perception }[] }> {
  const perceptions: { call: string; perception: Perception }[] = [];
  const observations: Observation[] = [];
  const share = Math.floor(options.resultChars / Math.max(1, input.observations.length));
  let isAnswering = true;
  for (const observation of input.observations) {
    if (
      !isAnswering ||
      !isLarge(observation, share) ||
      observation.perception !== undefined ||
      !observation.ok
    ) {
      observations.push(observation);
      continue;
    }
    // It stands last among the results, where the next decision reads what came of it.
    const seen = { ...input, observations: [...observations, observation] };
    const prompt = buildStagePrompt(seen, tools, options, options.prompts.perception);
    const made = await perceive(model, options.prompts.system, prompt, attempts, signal);
    isAnswering = made !== "no answer";
    if (made === "no answer" || made === undefined) {
      observations.push(observation);
    } else {
      perceptions.push({ call: observation.id, perception: made });
      observations.push({ ...observation, perception: taint(made) });
    }
  }
  return { observations, perceptions };
}

async function perceive(
  model: ModelPort,
  system: ModelText,
  prompt: ModelText,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<Perception | "no answer" | undefined> {
  const bounds = { schema: SCHEMA, maxTokens: MAX_TOKENS, stop: ECHOES };
  try {
    const request = { stage: "perception", system, prompt, ...bounds, signal } as const;
    const attempt = await askModel(model, request, attempts);
    const made = readPerception(attempt.raw);
    if (typeof made !== "string") return made;
    attempt.fault = made;
    return undefined;
  } catch (error) {
    if (signal.aborted || !isModelFailure(error)) throw error;
    return "no answer";
  }
}

/** A perception in a model's answer, or why there is none. */
function readPerception(raw: string): Perception | string {
  const start = raw.indexOf("{");
  const span = start === -1 ? undefined : scanJsonObject(raw, start, raw.length, 8);
  if (span?.ok !== true) return 'expected {"summary", "entities"}, got no complete JSON object';
  let value: unknown;
  try {
    value = JSON.parse(raw.slice(start, span.end));
  } catch (error) {
    return `expected valid JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  const read = perceived.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `expected {"summary": text, "entities": [text]}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`;
  }
  const words = read.data.summary.split(/\s+/);
  return {
    summary: words.length <= MAX_WORDS ? read.data.summary : `${words.slice(0, MAX_WORDS).join(" ")} …`,
    entities: read.data.entities.slice(0, MAX_ENTITIES).map((one) => one.slice(0, MAX_ENTITY_CHARS)),
  };
}
