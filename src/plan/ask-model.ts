import type { ModelPort, ModelRequest } from "#contract/model.ts";
import type { ModelAttempt } from "#contract/plan.ts";

import { codeOf, messageOf } from "../base/errors.ts";

/** Asks a model and writes down what it was asked and what it said, also when it fails. */
export async function askModel(
  model: ModelPort,
  request: ModelRequest,
  attempts: ModelAttempt[],
): Promise<ModelAttempt> {
  const begun = performance.now();
  const asked = { stage: request.stage, prompt: request.prompt };
  try {
    const { text, structured, isCut, provider, model: name, usage } = await model.generate(request);
    const attempt: ModelAttempt = {
      ...asked,
      model: `${provider}/${name}`,
      raw: text,
      structured,
      ...(isCut === undefined ? {} : { isCut }),
      ...(usage === undefined ? {} : { usage }),
      durationMs: Math.round(performance.now() - begun),
    };
    attempts.push(attempt);
    return attempt;
  } catch (error) {
    const code = codeOf(error);
    attempts.push({
      ...asked,
      model: `${model.provider}/${model.model}`,
      raw: "",
      fault: messageOf(error),
      ...(isModelCode(code) ? { code } : {}),
      durationMs: Math.round(performance.now() - begun),
    });
    throw error;
  }
}

function isModelCode(code: string | undefined): code is NonNullable<ModelAttempt["code"]> {
  return code?.startsWith("model_") === true;
}

/** Whether an error says that a model did not answer. */
export function isModelFailure(error: unknown): boolean {
  return isModelCode(codeOf(error));
}

/** Who made the answers: the provider of the last one that came, else of the port. */
export function providerOf(attempts: readonly ModelAttempt[], model: ModelPort): ModelPort["provider"] {
  const last = attempts.findLast((one) => one.model !== undefined && one.code === undefined);
  return (last?.model?.split("/", 1)[0] ?? model.provider) as ModelPort["provider"];
}
