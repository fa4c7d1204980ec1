import { z } from "zod";

import type { ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { messageOf } from "../base/errors.ts";
import { requestJson, withoutThinking } from "./answers.ts";
import { ModelError, type Peer, StatusError, statusOf } from "./errors.ts";
import {
  type KeyedOptions,
  maxAnswerChars,
  maxAnswerTokens,
  probeWith,
  withoutRefused,
  tokenCount,
  withTries,
} from "./tries.ts";

const tokens = z.unknown().transform(tokenCount);

const completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z
            .union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
            .nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish(),
});

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Parameters that some servers or models refuse. */
type Optional = "response_format" | "temperature" | "max_tokens" | "stop";

/** Models over any server that speaks OpenAI's chat completions. */
export function createOpenAi(options: KeyedOptions): ModelPort {
  const { model, api_key: apiKey } = options;
  const base = options.base_url.replace(/\/+$/, "");
  const peer: Peer = {
    name: `The model server at ${base}`,
    place: base,
    model,
    remedy: "Look at model.openai.model and model.openai.base_url.",
    secret: apiKey,
  };
  const refused = new Set<Optional>();

  async function answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const isConstrained = request.schema !== undefined && !refused.has("response_format");
    const body = {
      model,
      messages: [
        { role: "system", content: request.system },
        { role: "user", content: request.prompt },
      ],
      stream: false,
      ...(request.stop && !refused.has("stop") && { stop: request.stop }),
      ...(!refused.has("temperature") && { temperature: options.temperature ?? 0 }),
      // Not the stage's own bound: thoughts count here, and may take more than the answer.
      [refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens"]: maxAnswerTokens,
      ...(isConstrained && {
        response_format: {
          type: "json_schema",
          json_schema: { name: request.stage, schema: request.schema, strict: false },
        },
      }),
    };
    const answer = await requestJson(`${base}/chat/completions`, { apiKey, body, signal });
    const { success, data } = completion.safeParse(answer);
    if (!success)
      throw new ModelError("model_failed", "the model server answered with something that is no completion");
    const { choices, usage } = data;
    const text = withoutThinking(textOf(choices[0]?.message) ?? "");
    const isCut = choices[0]?.finish_reason === "length" || text.length > maxAnswerChars;
    return {
      text: text.slice(0, maxAnswerChars),
      structured: isConstrained,
      ...(isCut && { isCut }),
      provider: "openai",
      model,
      ...(usage && { usage: { promptTokens: usage.prompt_tokens, answerTokens: usage.completion_tokens } }),
    };
  }

  return {
    provider: "openai",
    model,
    generate: (request) =>
      withTries(request.signal, peer, options, (signal) =>
        withoutRefused(refused, () => answer(request, signal), refusedParameter),
      ),
    probe: (given) =>
      probeWith(peer, given, async (signal) => {
        const answer = await requestJson(`${base}/models`, { apiKey, signal }).catch((error: unknown) => {
          // Not every server lists its models.
          if (statusOf(error) === 404 || statusOf(error) === 405) return undefined;
          throw error;
        });
        const list = modelList.safeParse(answer);
        if (!list.success || list.data.data.some(({ id }) => id === model)) return undefined;
        return `The model ${model} is not on ${base}. ${peer.remedy}`;
      }),
  };
}

function textOf(
  message: z.infer<typeof completion>["choices"][number]["message"] | undefined,
): string | undefined {
  const content = message?.content;
  if (Array.isArray(content)) {
    return content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  }
  return content ?? message?.refusal ?? undefined;
}

function refusedParameter(error: unknown): Optional | undefined {
  if (!(error instanceof StatusError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const said = messageOf(error);
  if (/response_format|json_schema/i.test(said)) return "response_format";
  if (/max_tokens|max_completion_tokens/i.test(said)) return "max_tokens";
  if (/\bstop\b/i.test(said)) return "stop";
  return /temperature/i.test(said) ? "temperature" : undefined;
}
