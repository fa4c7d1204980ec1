import { z } from "zod";

import type { JsonSchema } from "#contract/json.ts";
import type { ModelPort } from "#contract/model.ts";
import type { ModelAttempt, Observation, Perception } from "#contract/plan.ts";

import { taint } from "../base/tainted.ts";
import { askModel, isModelFailure } from "./ask-model.ts";
import { createFence } from "./fence.ts";
import { cutForModel, joinText, text } from "./model-text.ts";
import { describeObservation, isLarge } from "./observation.ts";
import type { Prompts } from "./prompts.ts";
import { scanJsonObject } from "./protocol.ts";

const MAX_WORDS = 200;
const MAX_ENTITIES = 40;
const MAX_ENTITY_CHARS = 200;

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    summary: { type: "string" },
    entities: { type: "array", items: { type: "string" }, maxItems: MAX_ENTITIES },
  },
  required: ["summary", "entities"],
  additionalProperties: false,
};

const perceived = z.object({
  summary: z.string().trim().min(1),
  entities: z.array(z.union([z.string(), z.number().transform(String)])),
});

export interface PerceiveOptions {
  prompts: Prompts;
  resultChars: number;
}

/**
 * Perceives what is too large to be read again at every step. A perception that cannot be used is left
 * out and its fault written down: the result itself, cut to size, takes its place. Rejects when aborted.
 */
export async function perceiveLarge(
  model: ModelPort,
  input: { message: string; observations: readonly Observation[] },
  options: PerceiveOptions,
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
    const made = await perceive(model, input.message, observation, options, attempts, signal);
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
  message: string,
  observation: Observation,
  options: PerceiveOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<Perception | "no answer" | undefined> {
  const fence = createFence();
  const prompt = joinText([
    text`The request:`,
    fence("request", cutForModel(message, 2_000)),
    text`What the tool brought:`,
    fence("result", describeObservation(observation, options.resultChars)),
    text`Answer with the JSON object and nothing else.`,
  ]);
  const system = options.prompts.perception;
  try {
    const request = { stage: "perception", system, prompt, schema: SCHEMA, signal } as const;
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
