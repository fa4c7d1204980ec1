import type { ModelPort, ModelText } from "#contract/model.ts";
import type { Answer, ModelAttempt, RespondInput } from "#contract/plan.ts";

import { askModel } from "./ask-model.ts";
import { createFence, toSingleLine } from "./fence.ts";
import { joinText, text } from "./model-text.ts";
import { describeObservation } from "./observation.ts";
import { describeQuote } from "./planner-prompt.ts";
import { polish } from "./polish.ts";
import type { Prompts } from "./prompts.ts";
import { cutForModel } from "./size.ts";

const REPLY_LIMIT = 8_000;

/** The word by which a model says that the results at hand do not answer yet. */
const MORE = /^\W*MORE\W*$/i;

export interface RespondOptions {
  prompts: Prompts;
  resultChars: number;
}

type Asked = Pick<RespondInput, "message" | "quote" | "observations" | "recalled" | "language">;

/** The answer in the model's words; the local reply when it has none that people can read. */
export async function respondWithModel(
  model: ModelPort,
  input: RespondInput,
  options: RespondOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const attempts: ModelAttempt[] = [];
  const prompt = buildResponsePrompt(input, options, text`Write the answer.`);
  const raw = await ask(model, prompt, options, attempts, signal);
  const reply = isReadable(raw) ? polish(raw, input) : input.localReply;
  return { reply, prompt, attempts };
}

/**
 * Answers and decides in one call: the answer, or undefined where the model says that another step is
 * needed first. For a turn with one small result this saves the call that would only say so.
 */
export async function answerDirectly(
  model: ModelPort,
  input: Asked,
  options: RespondOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const prompt = buildResponsePrompt(
    input,
    options,
    text`Write the answer. If the request cannot be answered from the results and another tool has to be called first, write the single word MORE instead.`,
  );
  const raw = await ask(model, prompt, options, attempts, signal);
  return isReadable(raw) ? polish(raw, input) : undefined;
}

async function ask(
  model: ModelPort,
  prompt: ModelText,
  options: RespondOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<string> {
  const system = options.prompts.response;
  const { raw } = await askModel(model, { stage: "response", system, prompt, signal }, attempts);
  return raw.trim().slice(0, REPLY_LIMIT);
}

function buildResponsePrompt(input: Asked, options: RespondOptions, order: ModelText): ModelText {
  const fence = createFence();
  const share = Math.floor(options.resultChars / Math.max(1, input.observations.length));
  return joinText([
    ...(input.quote === undefined ? [] : describeQuote(input.quote, fence)),
    text`The request:`,
    fence("request", cutForModel(input.message, REPLY_LIMIT)),
    ...input.observations.map((observation, index) =>
      fence(`source ${index + 1}`, describeObservation(observation, share)),
    ),
    ...(input.recalled ?? []).map(({ tool, text: found, permit }, index) =>
      fence(
        `source ${input.observations.length + index + 1}`,
        cutForModel(`${tool} brought earlier:\n${found.reveal(permit)}`, options.resultChars),
      ),
    ),
    ...(input.language === undefined ? [] : [text`Answer in ${toSingleLine(input.language, 40)}.`]),
    order,
  ]);
}

/** Small models sometimes plan again instead of answering; people never see that. */
function isReadable(raw: string): boolean {
  const isProtocol =
    /^[^\S\n\r\u2028\u2029]*(BEGIN|END|(QUERY|TASK|ERROR)\s*\(.*)\s*$/m.test(raw) ||
    /^\s*\{\s*"commands"/.test(raw);
  return raw !== "" && !isProtocol && !MORE.test(raw);
}
