import type { JsonValue } from "#contract/json.ts";
import type { Observation, Perception } from "#contract/plan.ts";

import { asText, cutForModel } from "./model-text.ts";

/**
 * A result as a model may see it: what perception made of it, else its words and data cut to a size in
 * all; without a permit only its facts.
 */
export function describeObservation(observation: Observation, limit: number): string {
  const { args, ok, facts } = observation;
  const lines = [`${observation.tool} ${JSON.stringify(args)}: ${ok ? "succeeded" : "failed"}`];
  if (facts.rows !== undefined) lines.push(`${facts.rows} rows`);
  const shown = revealed(observation);
  if (shown === undefined) {
    if (facts.error !== undefined) lines.push(`error: ${facts.error}`);
    if ((facts.fields?.length ?? 0) > 0) lines.push(`fields: ${(facts.fields ?? []).join(", ")}`);
    return lines.join("\n");
  }
  if (shown.perception !== undefined) {
    const { summary, entities } = shown.perception;
    const words = [summary, ...(entities.length === 0 ? [] : [`entities: ${entities.join("; ")}`])];
    return [...lines, cutForModel(words.join("\n"), limit)].join("\n");
  }
  const { data, error } = shown;
  const words = error === undefined ? "" : cutForModel(error, limit);
  if (error !== undefined) lines.push(`error: ${words}`);
  const left = limit - words.length;
  // A tool that fails mostly says the same in its data as in its error.
  const isSaid =
    error !== undefined && typeof data === "string" && data.trim().startsWith(error.slice(0, 200));
  if (data !== null && left > 0 && !isSaid) lines.push(cutForModel(data, left));
  return lines.join("\n");
}

/**
 * Up to this many characters a result is read as it is: a call to shorten it costs more than it saves,
 * as a model writes 200 words in the time in which it reads some thousand.
 */
const LARGE = 6_000;

/** Whether a model would read much of the result, of which at most `limit` characters are shown. */
export function isLarge(observation: Observation, limit: number = Infinity): boolean {
  const shown = revealed(observation);
  if (shown === undefined) return false;
  return Math.min(limit, asText(shown.data).length + (shown.error?.length ?? 0)) > LARGE;
}

/** What the tool said, where a model may see it. */
function revealed(
  observation: Observation,
): { data: JsonValue; error?: string; perception?: Perception } | undefined {
  const { permit, data, error, perception } = observation;
  if (permit === undefined) return undefined;
  return {
    data: data.reveal(permit),
    ...(error === undefined ? {} : { error: error.reveal(permit) }),
    ...(perception === undefined ? {} : { perception: perception.reveal(permit) }),
  };
}
