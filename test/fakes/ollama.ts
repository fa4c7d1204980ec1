import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { grammarLength, grammarRoom } from "./ollama-grammar.ts";

/** A request to `/api/chat`, `/api/generate` or `/api/embed`, as it came. */
export interface OllamaRequest {
  path: string;
  body: {
    model: string;
    messages?: { role: string; content: string }[];
    prompt?: string;
    input?: string | string[];
    format?: unknown;
    truncate?: boolean;
    stream?: boolean;
    think?: unknown;
    keep_alive?: unknown;
    options?: { num_ctx?: number; num_predict?: number; temperature?: number; stop?: string[] };
  };
}

/** What the server does with one request. */
export type OllamaBehaviour =
  /**
   * Streams the text in pieces, up to `num_predict` or one of `stop`. `json` is sent instead when the request
   * has a `format`. `done: false`: the stream ends without its final line. `after`: what the first token waits for.
   */
  | {
      do: "answer";
      text: string;
      json?: unknown;
      pauseMs?: number;
      thought?: string;
      done?: false;
      after?: Promise<void>;
    }
  /** Streams tokens for ever, or up to `num_predict`. */
  | { do: "endless"; text: string }
  /** Accepts the request and says nothing, or nothing more after `text`. */
  | { do: "hang"; text?: string }
  /** Answers with an error as Ollama words it: `{"error": message}`. */
  | { do: "fail"; status: number; message: string }
  /** Breaks the stream off in the middle of an answer, with an error line or without a word. */
  | { do: "break"; text: string; error?: string }
  /** Answers with something that is not the protocol at all. */
  | { do: "nonsense" };

/** What one request cost the model, in tokens: most of a prompt is read anew only where the one before was another. */
export interface Evaluation {
  promptTokens: number;
  /** Stood at the beginning of what the slot held already. */
  reused: number;
  evaluated: number;
  /** The beginning that did not fit into the context and was dropped without a word. */
  dropped: number;
  /** The model was loaded for this request. */
  loaded: boolean;
}

export interface FakeOllama {
  url: string;
  /** Model requests in order of arrival, for inspection. */
  requests: OllamaRequest[];
  /** By the place of a request; those that were refused have none. */
  evaluations: (Evaluation | undefined)[];
  /** Models in the order in which they were loaded: one is kept at a time. */
  loads: string[];
  /** Texts that were embedded, in order; not among the requests. */
  embeds: string[];
  /** Every byte of every request. */
  wire(): string;
  /** Resolves when the client went away from request `n` (from 0) before its answer was complete. */
  left(n: number): Promise<void>;
  /** Counts requests from 0 again, for a test that shares the server with the one before. */
  forget(): void;
  /** From now on connections are accepted and nothing is answered, as by a stopped process. */
  freeze(): void;
  stop(): Promise<void>;
}

export interface FakeOllamaOptions {
  /** Names that `/api/tags` lists; any other model is unknown. Default `qwen3:4b-instruct`. */
  models?: string[];
  port?: number;
  /** Bytes of each model. Default 2,600,000,000, as of a model of 4 billion parameters. */
  bytes?: (name: string) => number;
  /** Groups of words that mean the same to the model that embeds. Default: every word its own. */
  meanings?: string[][];
  /** What an answer with vectors waits for. Default: nothing. */
  beforeEmbedding?: (texts: string[]) => Promise<void>;
}

/** What Ollama gives a request that asks for no context of its own. */
const USUAL_CONTEXT = 4_096;
const GPU_FREE = { size_vram: 0 };

/**
 * Starts a server on loopback that speaks Ollama's wire format as 0.12 does on a CPU: one slot whose cache
 * serves prompts that begin alike, one request at a time, one model loaded. `script` says what to do with
 * the n-th model request, counted from 0.
 */
export async function startFakeOllama(
  script: (request: OllamaRequest, n: number) => OllamaBehaviour,
  options: FakeOllamaOptions = {},
): Promise<FakeOllama> {
  const models = (options.models ?? ["qwen3:4b-instruct"]).map(whole);
  const { bytes = () => 2_600_000_000 } = options;
  const described = (name: string): object => ({ ...nameAndDetails(name), size: bytes(name) });
  const requests: OllamaRequest[] = [];
  const evaluations: (Evaluation | undefined)[] = [];
  const loads: string[] = [];
  const everything: string[] = [];
  const embeds: string[] = [];
  const departures: PromiseWithResolvers<void>[] = [];
  const departure = (n: number): PromiseWithResolvers<void> =>
    (departures[n] ??= Promise.withResolvers<void>());
  let isFrozen = false;
  let loaded: { model: string; context: number } | undefined;
  let slot: string[] = [];
  let busy = Promise.resolve();

  /** One after the other, in order of arrival. */
  function inTurn(work: () => Promise<void>): void {
    busy = busy.then(work);
  }

  /** Another model, or another size of context, takes the place of what is loaded and of all that it has read. */
  function load(model: string, context: number): boolean {
    if (loaded?.model === model && loaded.context === context) return false;
    loaded = { model, context };
    loads.push(model);
    slot = [];
    return true;
  }

  function evaluate({ body }: OllamaRequest): Evaluation | string {
    const context = body.options?.num_ctx ?? USUAL_CONTEXT;
    const isLoad = load(whole(body.model), context);
    const all = tokensOf(
      body.messages?.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join("") ??
        body.prompt ??
        "",
    );
    const dropped = Math.max(0, all.length - context);
    if (dropped > 0 && body.truncate === false) return "the input length exceeds the context length";
    const prompt = dropped === 0 ? all : [...all.slice(0, 4), ...all.slice(4 + dropped)];
    let same = 0;
    while (same < prompt.length - 1 && prompt[same] === slot[same]) same += 1;
    slot = prompt;
    const evaluated = prompt.length - same;
    return { promptTokens: prompt.length, reused: same, evaluated, dropped, loaded: isLoad };
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const path = incoming.url ?? "";
      everything.push(
        `${incoming.method} ${path}\n${incoming.rawHeaders.join("\n")}\n\n${Buffer.concat(chunks).toString()}`,
      );
      if (path === "/api/chat" || path === "/api/generate") return chat(path, chunks, response);
      if (isFrozen) return undefined;
      if (path === "/api/version") return json(response, 200, { version: "0.12.11" });
      if (path === "/api/tags") return json(response, 200, { models: models.map(described) });
      if (path === "/api/ps") {
        const running = loaded === undefined ? [] : [{ ...described(loaded.model), ...GPU_FREE }];
        return json(response, 200, { models: running });
      }
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as OllamaRequest["body"];
      if (path === "/api/pull") return pull(response, body.model ?? (body as { name?: string }).name ?? "");
      if (path === "/api/show") return show(response, body.model);
      if (path === "/api/embed") return embedAll(response, body);
      return response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");

  function chat(path: string, chunks: Buffer[], response: ServerResponse): void {
    const request = { path, body: JSON.parse(Buffer.concat(chunks).toString()) as OllamaRequest["body"] };
    const n = requests.push(request) - 1;
    response.on("close", () => !response.writableFinished && departure(n).resolve());
    if (isFrozen) return;
    const { model, format } = request.body;
    if (!models.includes(whole(model))) return json(response, 404, { error: `model '${model}' not found` });
    if (format !== undefined && !isUsable(format))
      return json(response, 500, { error: "invalid JSON schema in format" });
    if (typeof format === "object" && grammarLength(format) > grammarRoom(format))
      return json(response, 500, { error: "failed to load model vocabulary required for format" });
    const behaviour = script(request, n);
    inTurn(async () => {
      if (response.destroyed || isFrozen) return;
      const evaluation = evaluate(request);
      if (typeof evaluation === "string") return json(response, 400, { error: evaluation });
      evaluations[n] = evaluation;
      const said = await play(response, request, behaviour, evaluation);
      slot = [...slot, ...said];
    });
  }

  function embedAll(response: ServerResponse, { model, input = [] }: OllamaRequest["body"]): void {
    if (!models.includes(whole(model)))
      return json(response, 404, { error: `model "${model}" not found, try pulling it first` });
    const texts = [input].flat();
    embeds.push(...texts);
    const { beforeEmbedding = () => Promise.resolve(), meanings = [] } = options;
    // The vectors of a test that holds them back do not hold up the rest.
    void beforeEmbedding(texts).then(() =>
      inTurn(() => {
        load(whole(model), USUAL_CONTEXT);
        return Promise.resolve(embed(response, model, texts, meanings));
      }),
    );
  }

  function show(response: ServerResponse, model: string): void {
    if (models.includes(whole(model)))
      json(response, 200, {
        ...described(whole(model)),
        modelfile: "# Modelfile",
        template: "{{ .Prompt }}",
        capabilities: ["completion"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 16_384 },
      });
    else json(response, 404, { error: `model '${model}' not found` });
  }

  function pull(response: ServerResponse, model: string): void {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const size = { digest: "sha256:3f2a", total: 1000 };
    const steps = model.includes("no-such")
      ? [{ error: "pull model manifest: file does not exist" }]
      : [
          ...[0, 250, 1000].map((completed) => ({ status: "pulling 3f2a", ...size, completed })),
          { status: "success" },
        ];
    for (const step of [{ status: "pulling manifest" }, ...steps])
      response.write(`${JSON.stringify(step)}\n`);
    if (!model.includes("no-such")) models.push(whole(model));
    response.end();
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    evaluations,
    loads,
    embeds,
    wire: () => everything.join("\n\n"),
    left: (n) => departure(n).promise,
    forget() {
      for (const list of [requests, evaluations, loads, everything, embeds, departures]) list.length = 0;
    },
    freeze: () => void (isFrozen = true),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A name without a tag is that of the latest. */
function whole(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}

/** Four letters a token, which is about what English has. */
function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,4}|\s+$/g) ?? [];
}

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Whether a grammar can be made of it: `json`, or a schema whose types and references are known. */
function isUsable(format: unknown): boolean {
  return typeof format === "string" ? format === "json" || format === "" : isKnown(format);
}

function isKnown(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  return Object.entries(schema).every(([key, value]) => {
    if (key === "const" || key === "enum") return true;
    if (key === "type" && typeof value === "string") return TYPES.has(value);
    if (key === "$ref" && typeof value === "string") return value.startsWith("#/");
    return isKnown(value);
  });
}

function nameAndDetails(name: string): object {
  const details = {
    parent_model: "",
    format: "gguf",
    family: "qwen3",
    families: ["qwen3"],
    parameter_size: "4.0B",
    quantization_level: "Q4_K_M",
  };
  return {
    name,
    model: name,
    modified_at: "2026-11-01T00:00:00Z",
    digest: "0".repeat(64),
    details,
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

function embed(response: ServerResponse, model: string, texts: string[], meanings: string[][]): void {
  // Texts resemble each other as far as they share words, or words that mean the same.
  const embeddings = texts.map((text) => {
    const vector = Array.from({ length: 64 }, () => 0);
    const words = (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map(
      (word) => meanings.find((group) => group.includes(word))?.[0] ?? word,
    );
    for (const word of new Set(words)) {
      const place = word.split("").reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 64, 7);
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  });
  json(response, 200, {
    model,
    embeddings,
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: texts.length,
  });
}

/** Nanoseconds of a busy CPU. */
const PER_TOKEN_NS = 8_000_000;

/** Answers, and resolves to the tokens that were said, once the answer is complete or nobody waits for it. */
async function play(
  response: ServerResponse,
  request: OllamaRequest,
  behaviour: OllamaBehaviour,
  { promptTokens, evaluated, loaded }: Evaluation,
): Promise<string[]> {
  const { model, options = {}, format, stream } = request.body;
  const token = (content: string): object => ({
    model,
    created_at: new Date().toISOString(),
    ...(request.path === "/api/chat" ? { message: { role: "assistant", content } } : { response: content }),
    done: false,
  });
  const thinking = (thought: string): object => ({
    ...token(""),
    message: { role: "assistant", content: "", thinking: thought },
  });
  /** The headers go out with the first token. */
  const line = (part: object): boolean => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
    return response.write(`${JSON.stringify(part)}\n`);
  };
  const ended = (doneReason: "stop" | "length", said: number, content = ""): object => ({
    ...token(content),
    done: true,
    done_reason: doneReason,
    total_duration: (evaluated + 4 * said) * PER_TOKEN_NS,
    load_duration: loaded ? 2_000_000_000 : 20_000_000,
    prompt_eval_count: promptTokens,
    prompt_eval_duration: evaluated * PER_TOKEN_NS,
    eval_count: said,
    eval_duration: 4 * said * PER_TOKEN_NS,
  });
  const most = options.num_predict ?? -1;
  const room = most > 0 ? most : Infinity;

  switch (behaviour.do) {
    case "answer": {
      const constrained = format !== undefined && behaviour.json !== undefined;
      const whole = constrained ? JSON.stringify(behaviour.json) : behaviour.text;
      const stops = (options.stop ?? []).map((stop) => whole.indexOf(stop));
      const text = whole.slice(0, Math.min(...stops.filter((at) => at !== -1), whole.length));
      const tokens = tokensOf(text).slice(0, room);
      const reason = tokens.length < tokensOf(text).length ? "length" : "stop";
      if (stream === false) {
        json(response, 200, ended(reason, tokens.length, tokens.join("")));
        return tokens;
      }
      await behaviour.after;
      if (behaviour.thought !== undefined) line(thinking(behaviour.thought));
      for (const piece of tokens) {
        if (response.destroyed) return tokens;
        line(token(piece));
        if (behaviour.pauseMs !== undefined) await delay(behaviour.pauseMs);
      }
      if (behaviour.done !== false) line(ended(reason, tokens.length));
      else if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end();
      return tokens;
    }
    case "endless": {
      for (let said = 0; !response.destroyed; said += 1) {
        if (said === room) {
          line(ended("length", said));
          response.end();
          break;
        }
        if (line(token(behaviour.text))) await delay(0);
        else await Promise.race([once(response, "drain"), once(response, "close")]);
      }
      return [];
    }
    case "hang":
      if (behaviour.text !== undefined) line(token(behaviour.text));
      if (!response.destroyed) await once(response, "close");
      return [];
    case "fail":
      json(response, behaviour.status, { error: behaviour.message });
      return [];
    case "break":
      line(token(behaviour.text));
      if (behaviour.error === undefined) await delay(20).then(() => response.destroy());
      else response.end(`${JSON.stringify({ error: behaviour.error })}\n`);
      return [];
    default:
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<html><body>Welcome to the printer</body></html>");
      return [];
  }
}
