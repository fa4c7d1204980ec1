import { messageOf } from "../../kit/tool.ts";

/** One question to a model. */
export interface ModelRequest {
  provider: string;
  model: string;
  system?: string | undefined;
  prompt: string;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** Hold the model to JSON. */
  json: boolean;
  /** Ollama's own. */
  options?: Record<string, unknown> | undefined;
  signal: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  inputTokens: number;
  outputTokens: number;
}

export interface ProviderStatus {
  available: boolean;
  reason: string;
  /** Where the provider says what it has. */
  models?: string[];
}

/** Models of all providers. `ask` rejects with an error whose message says what to do. */
export interface Models {
  ask(request: ModelRequest): Promise<ModelAnswer>;
  status(signal?: AbortSignal): Promise<Record<ProviderName, ProviderStatus>>;
}

export type ProviderName = (typeof PROVIDERS)[number] | "anthropic-api" | "anthropic-claude-pro-max";

const PROVIDERS = ["ollama", "google-gemini", "openai-compatible"] as const;

/** The provider that a file means; undefined for one that is not supported. */
export function providerOf(name: string): (typeof PROVIDERS)[number] | undefined {
  if (name === "ollama") return name;
  if (name === "gemini" || name === "google-gemini" || name === "google") return "google-gemini";
  return name.startsWith("openai") ? "openai-compatible" : undefined;
}

/** Longest answer that is read, in characters. */
const MOST_CHARS = 400_000;

/** Providers as the environment configures them: OLLAMA_HOST, GEMINI_API_KEY, OPENAI_BASE_URL and OPENAI_API_KEY. */
export function createModels(env: NodeJS.ProcessEnv): Models {
  const value = (...names: string[]): string =>
    names.map((name) => env[name]?.trim() ?? "").find((one) => one !== "") ?? "";
  const ollama = address(value("OLLAMA_HOST") || "http://127.0.0.1:11434");
  const gemini = {
    url: address(value("GEMINI_BASE_URL") || "https://generativelanguage.googleapis.com"),
    key: value("GEMINI_API_KEY", "GOOGLE_API_KEY"),
  };
  const openai = {
    url: address(value("OPENAI_BASE_URL") || "https://api.openai.com/v1"),
    key: value("OPENAI_API_KEY"),
  };
  const hasOpenai = openai.key !== "" || value("OPENAI_BASE_URL") !== "";

  async function askOllama(request: ModelRequest): Promise<ModelAnswer> {
    const { think, ...rest } = request.options ?? {};
    const response = await post(`${ollama}/api/chat`, request.signal, {
      model: request.model,
      messages: messagesOf(request),
      stream: true,
      ...(request.json ? { format: "json" } : {}),
      ...(think === undefined ? {} : { think }),
      options: {
        ...rest,
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
      },
    });
    if (response.status === 404) {
      throw new Error(
        `Ollama has no model ${request.model}: run "ollama pull ${request.model}", or name another in the profile`,
      );
    }
    await checkStatus(response, "Ollama");
    const answer: ModelAnswer = { text: "", inputTokens: 0, outputTokens: 0 };
    let isDone = false;
    for await (const line of linesOf(response)) {
      const part = JSON.parse(line) as {
        error?: string;
        message?: { content?: string };
        done?: boolean;
        prompt_eval_count?: number;
        eval_count?: number;
      };
      if (part.error !== undefined) throw new Error(`Ollama: ${part.error}`);
      answer.text += part.message?.content ?? "";
      isDone ||= part.done === true;
      answer.inputTokens = part.prompt_eval_count ?? answer.inputTokens;
      answer.outputTokens = part.eval_count ?? answer.outputTokens;
      if (answer.text.length > MOST_CHARS)
        throw new Error(`${request.model} answered more than ${MOST_CHARS} characters: set max_tokens`);
    }
    if (!isDone) throw new Error("Ollama broke its answer off");
    return answer;
  }

  async function askOpenai(request: ModelRequest): Promise<ModelAnswer> {
    if (!hasOpenai)
      throw new Error("openai-compatible is not configured: set OPENAI_BASE_URL, OPENAI_API_KEY or both");
    const headers = openai.key === "" ? {} : { authorization: `Bearer ${openai.key}` };
    const body = {
      model: request.model,
      messages: messagesOf(request),
      ...(request.json ? { response_format: { type: "json_object" } } : {}),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens }),
    };
    const answer = await postJson<{
      choices?: { message?: { content?: string } }[];
      usage?: { prompt_tokens?: number; completion_tokens?: number };
    }>(`${openai.url}/chat/completions`, "The OpenAI-compatible server", request.signal, body, headers);
    return {
      text: answer.choices?.[0]?.message?.content ?? "",
      inputTokens: answer.usage?.prompt_tokens ?? 0,
      outputTokens: answer.usage?.completion_tokens ?? 0,
    };
  }

  async function askGemini(request: ModelRequest): Promise<ModelAnswer> {
    if (gemini.key === "") throw new Error("google-gemini is not configured: set GEMINI_API_KEY");
    const body = {
      contents: [{ role: "user", parts: [{ text: request.prompt }] }],
      ...(request.system === undefined ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
      generationConfig: {
        ...(request.json ? { responseMimeType: "application/json" } : {}),
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
      },
    };
    const url = `${gemini.url}/v1beta/models/${encodeURIComponent(request.model)}:generateContent`;
    const answer = await postJson<{
      candidates?: { content?: { parts?: { text?: string }[] } }[];
      usageMetadata?: { promptTokenCount?: number; candidatesTokenCount?: number };
    }>(url, "Gemini", request.signal, body, { "x-goog-api-key": gemini.key });
    return {
      text: (answer.candidates?.[0]?.content?.parts ?? []).map((part) => part.text ?? "").join(""),
      inputTokens: answer.usageMetadata?.promptTokenCount ?? 0,
      outputTokens: answer.usageMetadata?.candidatesTokenCount ?? 0,
    };
  }

  async function ollamaStatus(signal: AbortSignal | undefined): Promise<ProviderStatus> {
    const limit = AbortSignal.timeout(STATUS_MS);
    try {
      const response = await fetch(`${ollama}/api/tags`, {
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      await checkStatus(response, "Ollama");
      const { models = [] } = (await response.json()) as { models?: { name: string }[] };
      return { available: true, reason: "it answers", models: models.map((one) => one.name) };
    } catch (error) {
      return {
        available: false,
        reason: `Ollama at ${ollama} does not answer: ${causeOf(error)}`,
        models: [],
      };
    }
  }

  return {
    ask(request) {
      switch (providerOf(request.provider)) {
        case "ollama":
          return askOllama(request);
        case "google-gemini":
          return askGemini(request);
        case "openai-compatible":
          return askOpenai(request);
        default:
          return Promise.reject(new Error(unsupported(request.provider)));
      }
    },
    async status(signal) {
      const keyed = (isThere: boolean, variable: string): ProviderStatus =>
        isThere
          ? { available: true, reason: "configured" }
          : { available: false, reason: `not configured: set ${variable}` };
      return {
        ollama: await ollamaStatus(signal),
        "google-gemini": keyed(gemini.key !== "", "GEMINI_API_KEY"),
        "openai-compatible": keyed(hasOpenai, "OPENAI_BASE_URL or OPENAI_API_KEY"),
        "anthropic-api": { available: false, reason: unsupported("anthropic-api") },
        "anthropic-claude-pro-max": { available: false, reason: unsupported("anthropic-claude-pro-max") },
      };
    },
  };
}

/** Whether Ollama's list has a model; a name without a tag is that of the latest. */
export function hasModel(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`);
}

export function unsupported(provider: string): string {
  return `the provider ${provider} is not supported: use ollama, google-gemini or an OpenAI-compatible server`;
}

const STATUS_MS = 3000;

/** `OLLAMA_HOST` may be given as Ollama itself takes it, without a scheme. */
function address(text: string): string {
  return (/^https?:\/\//.test(text) ? text : `http://${text}`).replace(/\/+$/, "");
}

function messagesOf({ system, prompt }: ModelRequest): { role: string; content: string }[] {
  const user = { role: "user", content: prompt };
  return system === undefined ? [user] : [{ role: "system", content: system }, user];
}

function post(
  url: string,
  signal: AbortSignal,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    // What is sent is for this address alone.
    redirect: "error",
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(`${new URL(url).origin} cannot be reached: ${causeOf(error)}`, { cause: error });
  });
}

async function postJson<T>(
  url: string,
  who: string,
  signal: AbortSignal,
  body: unknown,
  headers: Record<string, string>,
): Promise<T> {
  const response = await post(url, signal, body, headers);
  await checkStatus(response, who);
  let text = "";
  for await (const line of linesOf(response)) {
    text += `${line}\n`;
    if (text.length > MOST_CHARS * 2) throw new Error(`${who} answered too much: set max_tokens`);
  }
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Error(`${who} answered no JSON`, { cause: error });
  }
}

async function checkStatus(response: Response, who: string): Promise<void> {
  if (response.ok) return;
  const text = (await response.text().catch(() => "")).slice(0, 4000);
  let said = text;
  try {
    const { error } = JSON.parse(text) as { error?: string | { message?: string } };
    said = typeof error === "string" ? error : (error?.message ?? text);
  } catch {
    // Not every server, nor proxy before it, answers JSON.
  }
  throw new Error(`${who} answered ${response.status}: ${said.replaceAll(/\s+/g, " ").slice(0, 300)}`);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MOST_CHARS * 2) throw new Error("a line of the answer is too long");
    yield* lines.filter((line) => line.trim() !== "");
  }
  if (rest.trim() !== "") yield rest;
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
}
