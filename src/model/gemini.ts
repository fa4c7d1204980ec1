import type { GenerateContentConfig, GenerateContentResponse, GoogleGenAI } from "@google/genai";

import type { ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";

import { messageOf } from "../base/errors.ts";
import { boundedFetch, withoutThinking } from "./answers.ts";
import { ModelError, type Peer, statusOf } from "./errors.ts";
import {
  type KeyedOptions,
  maxAnswerChars,
  maxAnswerTokens,
  probeWith,
  withoutRefused,
  tokenCount,
  withTries,
} from "./tries.ts";

/** Gemini through Google's own SDK. */
export function createGemini(options: KeyedOptions): ModelPort {
  const { model, api_key: apiKey, base_url: baseUrl } = options;
  const peer: Peer = {
    name: "Gemini",
    place: "Gemini",
    model,
    remedy: "Look at model.gemini.model.",
    secret: apiKey,
  };
  let client: GoogleGenAI | undefined;
  // Not every model takes a schema.
  const refused = new Set<"schema">();

  async function connect(): Promise<GoogleGenAI> {
    // Loaded on first use: it is large, and most installations do without.
    const { GoogleGenAI: Client } = await import("@google/genai");
    client ??= new Client({
      apiKey,
      // Said in full, so that no variable of the environment sends requests elsewhere.
      enterprise: false,
      httpOptions: {
        ...(baseUrl !== "" && { baseUrl }),
        retryOptions: { attempts: 1 },
        fetch: boundedFetch,
      },
    });
    return client;
  }

  async function answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const isConstrained = request.schema !== undefined && !refused.has("schema");
    const config: GenerateContentConfig = {
      systemInstruction: request.system,
      temperature: options.temperature ?? 0,
      // Not the stage's own bound: thoughts count here, and may take more than the answer.
      maxOutputTokens: maxAnswerTokens,
      ...(request.stop && { stopSequences: [...request.stop] }),
      abortSignal: signal,
      ...(isConstrained && { responseMimeType: "application/json", responseJsonSchema: request.schema }),
    };
    const ai = await connect();
    const contents = [{ role: "user", parts: [{ text: request.prompt }] }];
    const response = await ai.models.generateContent({ model, contents, config });
    const usage = response.usageMetadata;
    const text = withoutThinking(textOf(response));
    const isCut =
      String(response.candidates?.[0]?.finishReason) === "MAX_TOKENS" || text.length > maxAnswerChars;
    return {
      text: text.slice(0, maxAnswerChars),
      structured: isConstrained,
      ...(isCut && { isCut }),
      provider: "gemini",
      model,
      ...(usage && {
        usage: {
          promptTokens: tokenCount(usage.promptTokenCount),
          // Thoughts are paid for as well.
          answerTokens: tokenCount(usage.candidatesTokenCount) + tokenCount(usage.thoughtsTokenCount),
        },
      }),
    };
  }

  return {
    provider: "gemini",
    model,
    generate: (request) =>
      withTries(request.signal, peer, options, (signal) =>
        withoutRefused(
          refused,
          () => answer(request, signal),
          (error) => (request.schema !== undefined && refusesSchema(error) ? "schema" : undefined),
        ),
      ),
    probe: (given) =>
      probeWith(peer, given, async (abortSignal) => {
        try {
          await (await connect()).models.get({ model, config: { abortSignal } });
          return undefined;
        } catch (error) {
          if (statusOf(error) === 404) return `Gemini has no model ${model}. ${peer.remedy}`;
          throw error;
        }
      }),
  };
}

/** The parts of the answer without the model's thoughts. */
function textOf(response: GenerateContentResponse): string {
  const [candidate] = response.candidates ?? [];
  if (candidate === undefined) {
    const why = response.promptFeedback?.blockReason;
    const message = why === undefined ? "there was no answer" : `the prompt was blocked (${why})`;
    throw new ModelError("model_failed", `Gemini failed: ${message}`);
  }
  const parts = candidate.content?.parts ?? [];
  return parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
}

function refusesSchema(error: unknown): boolean {
  return (
    statusOf(error) === 400 &&
    /schema|response_?mime|json mode|too many states|invalid json payload/i.test(messageOf(error))
  );
}
