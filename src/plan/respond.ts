import type { ModelPort } from "#contract/model.ts";
import type { RespondInput } from "#contract/plan.ts";

import { createFence } from "./fence.ts";
import { describeObservation } from "./planner-prompt.ts";
import type { Prompts } from "./prompts.ts";
import { cutForModel } from "./size.ts";

const REPLY_LIMIT = 8_000;

/** The answer in the model's words; the local reply when it has none that people can read. */
export async function respondWithModel(
  model: ModelPort,
  input: RespondInput,
  options: { prompts: Prompts; resultChars: number },
  signal: AbortSignal,
): Promise<{ reply: string; prompt: string }> {
  const fence = createFence();
  const share = Math.floor(options.resultChars / Math.max(1, input.observations.length));
  const prompt = [
    "The request:",
    fence("request", cutForModel(input.message, REPLY_LIMIT)),
    ...input.observations.map((observation, index) =>
      fence(`source ${index + 1}`, describeObservation(observation, share)),
    ),
    "Write the answer.",
  ].join("\n");
  const answer = await model.generate({
    stage: "response",
    system: options.prompts.response,
    prompt,
    signal,
  });
  const text = answer.text.trim().slice(0, REPLY_LIMIT);
  return { reply: text === "" || looksLikeProtocol(text) ? input.localReply : text, prompt };
}

/** Small models sometimes plan again instead of answering; people never see that. */
function looksLikeProtocol(text: string): boolean {
  return /^\s*(BEGIN|END|(QUERY|TASK|ERROR)\s*\(.*)\s*$/m.test(text) || /^\s*\{\s*"commands"/.test(text);
}
