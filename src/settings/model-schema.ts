import { z } from "zod";

export interface OllamaSettings {
  base_url: string;
  model: string;
  embed_model: string;
  timeout_ms: number;
  retries: number;
}

export interface GeminiSettings {
  model: string;
  /** Empty: Gemini is not used. */
  api_key: string;
}

/** Any server that speaks OpenAI's chat completions. */
export interface OpenAiSettings {
  base_url: string;
  /** Empty: not used. */
  model: string;
  api_key: string;
}

export interface ModelSettings {
  /** `auto`: Ollama when it answers and has the model, else the built-in planner. */
  provider: "auto" | "ollama" | "gemini" | "openai" | "builtin";
  ollama: OllamaSettings;
  gemini: GeminiSettings;
  openai: OpenAiSettings;
}

/** `OLLAMA_HOST` is often an address without a scheme, such as `0.0.0.0:11434`. */
function withScheme(address: string): string {
  if (address.includes("://")) return address;
  return address.includes("/") || /:\d+$/.test(address) ? `http://${address}` : `http://${address}:11434`;
}

function isHttpAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(withScheme(address))?.protocol ?? "");
}

const baseUrl = z
  .string()
  .refine(isHttpAddress, { error: "an http or https address such as http://127.0.0.1:11434" })
  .transform(withScheme);

const ollama = z.strictObject({
  base_url: baseUrl.prefault("http://127.0.0.1:11434").describe("Where Ollama answers."),
  model: z.string().min(1, { error: "the name of a model" }).default("qwen3:4b"),
  embed_model: z.string().min(1, { error: "the name of a model" }).default("nomic-embed-text"),
  timeout_ms: z.int().min(100).max(3_600_000).default(60_000).describe("Time limit of one answer, in ms."),
  retries: z.int().min(0).max(10).default(2),
});

const gemini = z.strictObject({
  model: z.string().min(1, { error: "the name of a model" }).default("gemini-3-flash"),
  api_key: z.string().default("").describe('Write "${GEMINI_API_KEY:-}"; empty: Gemini is not used.'),
});

const openai = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: "an http or https URL" })
    .default("https://api.openai.com/v1"),
  model: z.string().default(""),
  api_key: z.string().default(""),
});

export const modelSchema: z.ZodType<ModelSettings> = z.strictObject({
  provider: z
    .enum(["auto", "ollama", "gemini", "openai", "builtin"])
    .default("auto")
    .describe("auto: Ollama when it answers and has the model, else the built-in planner."),
  ollama: ollama.prefault({}),
  gemini: gemini.prefault({}),
  openai: openai.prefault({}).describe("Any server that speaks OpenAI's chat completions."),
});
