import { z } from "zod";

import { headerFault, isHeaderValue } from "../base/http.ts";
import { between, duration, httpUrl } from "./values.ts";

/** `OLLAMA_HOST` is often an address without a scheme, such as `0.0.0.0:11434`. */
function withScheme(address: string): string {
  if (address.includes("://")) return address;
  return address.includes("/") || /:\d+$/.test(address) ? `http://${address}` : `http://${address}:11434`;
}

function isHttpAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(withScheme(address))?.protocol ?? "");
}

const tries = {
  timeout_ms: z.int().min(100).max(3_600_000).default(60_000).describe("Time limit of one answer, in ms."),
  retries: z.int().min(0).max(10).default(2),
};

const name = z.string().min(1, { error: "the name of a model" });

/** Sent in a header. */
const apiKey = z.string().refine(isHeaderValue, { error: headerFault }).default("");

const ollama = z.strictObject({
  base_url: z
    .string()
    .refine(isHttpAddress, { error: "an http or https address such as http://127.0.0.1:11434" })
    .transform(withScheme)
    .prefault("http://127.0.0.1:11434")
    .describe("Where Ollama answers."),
  model: name.default("qwen3:4b-instruct"),
  embeddings: z
    .boolean()
    .default(false)
    .describe(
      "Whether the server keeps embed_model loaded beside the model; on a CPU it keeps one, and each drives the other out.",
    ),
  embed_model: name.default("nomic-embed-text"),
  ...tries,
  num_ctx: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .describe("Tokens of context; 0: set to fit the prompt, within what the model has."),
  keep_alive: z
    .string()
    .regex(/^(-1|\d+(ms|s|m|h))$/, { error: "a time such as 10m, or -1 for ever" })
    .default("10m")
    .describe("How long the model stays loaded after an answer."),
});

const gemini = z.strictObject({
  base_url: z
    .union([z.literal(""), httpUrl], { error: "an http or https URL, or nothing" })
    .default("")
    .describe("Empty: Google's own."),
  model: name.default("gemini-3-flash"),
  api_key: apiKey.describe('Write "${GEMINI_API_KEY:-}"; empty: Gemini is not used.'),
  ...tries,
});

const openai = z.strictObject({
  base_url: httpUrl.default("https://api.openai.com/v1"),
  /** Empty: not used. */
  model: z.string().default(""),
  api_key: apiKey,
  ...tries,
});

const stage = z.strictObject({
  provider: z.enum(["ollama", "gemini", "openai"]).exactOptional(),
  model: name.exactOptional(),
});

export const modelSchema = z.strictObject({
  provider: z
    .enum(["auto", "ollama", "gemini", "openai", "builtin"])
    .default("auto")
    .describe("auto: Ollama when it answers and has the model, else the built-in planner."),
  ollama: ollama.prefault({}),
  gemini: gemini.prefault({}),
  openai: openai.prefault({}).describe("Any server that speaks OpenAI's chat completions."),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .default(0)
    .describe("How freely models choose their words: 0, the default, is the steadiest for plans."),
  prompts: z
    .string()
    .min(1)
    .exactOptional()
    .describe("A folder of prompts of your own; files that it has not are the product's."),
  anchored: z
    .enum(["builtin", "model"])
    .default("builtin")
    .describe(
      "Who plans a request that says every value itself, such as “show me DEMO-1”: builtin answers at once, without a model.",
    ),
  fallback: z
    .array(z.enum(["ollama", "gemini", "openai", "builtin"]))
    .default([])
    .describe("Asked in this order when the provider does not answer."),
  stages: z
    .strictObject({
      perception: stage.exactOptional(),
      decision: stage.exactOptional(),
      response: stage.exactOptional(),
    })
    .default({})
    .describe("Another model for single stages."),
  budget: z
    .strictObject({
      decision_tokens: between(32, 8_192).default(256).describe("The most tokens of a decision."),
      response_tokens: between(32, 8_192).default(300).describe("The most tokens of an answer."),
      response_time: duration
        .prefault("10s")
        .describe(
          "How long a model may take over the words of an answer: 10s or 2m; then it is given without.",
        ),
    })
    .prefault({})
    .describe("Bounds of what a model says; the tokens hold for Ollama."),
  tools_by_meaning: z
    .boolean()
    .default(true)
    .describe("Embed what tools say of themselves, to choose among many; where there is a model for it."),
  inspect: z
    .boolean()
    .default(true)
    .describe("Whether prompts and raw answers of turns can be read over the HTTP API."),
});
