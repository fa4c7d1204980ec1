import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A request to `/api/chat`, `/api/generate` or `/api/embed`, as it came. */
export interface OllamaRequest {
  path: string;
  body: {
    model: string;
    messages?: { role: string; content: string }[];
    prompt?: string;
    input?: string | string[];
    format?: unknown;
    stream?: boolean;
    think?: unknown;
    keep_alive?: unknown;
    options?: Record<string, unknown>;
  };
}

/** What the server does with one request. */
export type OllamaBehaviour =
  /** Streams the text in pieces. `json` is sent instead when the request has a `format`. */
  | { do: "answer"; text: string; json?: unknown; pauseMs?: number; thought?: string }
  /** Streams tokens for ever. */
  | { do: "endless"; text: string }
  /** Accepts the request and says nothing, or nothing more after `text`. */
  | { do: "hang"; text?: string }
  /** Answers with an error as Ollama words it: `{"error": message}`. */
  | { do: "fail"; status: number; message: string }
  /** Breaks the stream off in the middle of an answer, with an error line or without a word. */
  | { do: "break"; text: string; error?: string }
  /** Answers with something that is not the protocol at all. */
  | { do: "nonsense" };

export interface FakeOllama {
  url: string;
  /** Model requests in order of arrival, for inspection. */
  requests: OllamaRequest[];
  /** Texts that were embedded, in order; not among the requests. */
  embeds: string[];
  /** Every byte of every request. */
  wire(): string;
  /** Resolves when the client went away from request `n` (from 0) before its answer was complete. */
  left(n: number): Promise<void>;
  /** Counts requests from 0 again, for a test that shares the server with the one before. */
  forget(): void;
  stop(): Promise<void>;
}

export interface FakeOllamaOptions {
  /** Names that `/api/tags` lists; any other model is unknown. Default `qwen3:4b`. */
  models?: string[];
  port?: number;
  /** Groups of words that mean the same to the model that embeds. Default: every word its own. */
  meanings?: string[][];
  /** What an answer with vectors waits for. Default: nothing. */
  beforeEmbedding?: (texts: string[]) => Promise<void>;
}

/**
 * Starts a server on loopback that speaks Ollama's wire format. `script` says what to do with the
 * n-th model request, counted from 0.
 */
export async function startFakeOllama(
  script: (request: OllamaRequest, n: number) => OllamaBehaviour,
  options: FakeOllamaOptions = {},
): Promise<FakeOllama> {
  const models = [...(options.models ?? ["qwen3:4b"])];
  const requests: OllamaRequest[] = [];
  const everything: string[] = [];
  const embeds: string[] = [];
  const departures: PromiseWithResolvers<void>[] = [];
  const departure = (n: number): PromiseWithResolvers<void> =>
    (departures[n] ??= Promise.withResolvers<void>());

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const path = incoming.url ?? "";
      everything.push(
        `${incoming.method} ${path}\n${incoming.rawHeaders.join("\n")}\n\n${Buffer.concat(chunks).toString()}`,
      );
      if (path === "/api/tags") return json(response, 200, { models: models.map(described) });
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as OllamaRequest["body"];
      if (path === "/api/pull") return pull(response, body.model ?? (body as { name?: string }).name ?? "");
      if (path === "/api/show") return show(response, body.model);
      if (!["/api/chat", "/api/generate", "/api/embed"].includes(path)) {
        return json(response, 404, { error: "404 page not found" });
      }
      const request = { path, body };
      const n = requests.push(request) - 1;
      response.on("close", () => !response.writableFinished && departure(n).resolve());
      if (!models.includes(body.model)) {
        return json(response, 404, { error: `model '${body.model}' not found` });
      }
      if (path === "/api/embed") {
        requests.pop();
        const texts = [body.input ?? []].flat();
        embeds.push(...texts);
        const { beforeEmbedding = () => Promise.resolve(), meanings = [] } = options;
        void beforeEmbedding(texts).then(() => embed(response, body.model, texts, meanings));
        return undefined;
      }
      void play(response, request, script(request, n));
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");

  function show(response: ServerResponse, model: string): void {
    if (models.includes(model))
      json(response, 200, {
        ...described(model),
        capabilities: ["completion"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 16_384 },
      });
    else json(response, 404, { error: `model '${model}' not found` });
  }

  function pull(response: ServerResponse, model: string): void {
    if (model.includes("no-such"))
      return json(response, 500, { error: "pull model manifest: file does not exist" });
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const steps = [
      { status: "pulling manifest" },
      ...[0, 250, 1000].map((completed) => ({
        status: "pulling 3f2a",
        digest: "sha256:3f2a",
        total: 1000,
        completed,
      })),
      { status: "success" },
    ];
    for (const step of steps) response.write(`${JSON.stringify(step)}\n`);
    models.push(model);
    response.end();
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    embeds,
    wire: () => everything.join("\n\n"),
    left: (n) => departure(n).promise,
    forget() {
      for (const list of [requests, everything, embeds, departures]) list.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function described(name: string): object {
  const details = { format: "gguf", family: "qwen3", parameter_size: "4.0B", quantization_level: "Q4_K_M" };
  return {
    name,
    model: name,
    modified_at: "2026-11-01T00:00:00Z",
    size: 2_600_000_000,
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

async function play(
  response: ServerResponse,
  request: OllamaRequest,
  behaviour: OllamaBehaviour,
): Promise<void> {
  const { model } = request.body;
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
  const line = (part: object): boolean => response.write(`${JSON.stringify(part)}\n`);
  const begin = (): void => void response.writeHead(200, { "content-type": "application/x-ndjson" });
  const end = (): void => {
    line({
      ...token(""),
      done: true,
      done_reason: "stop",
      prompt_eval_count: 26,
      eval_count: 12,
      total_duration: 1,
    });
    response.end();
  };

  switch (behaviour.do) {
    case "answer": {
      const { format } = request.body;
      const constrained = format !== undefined && behaviour.json !== undefined;
      const text = constrained ? JSON.stringify(behaviour.json) : behaviour.text;
      if (request.body.stream === false) {
        return json(response, 200, {
          ...token(text),
          done: true,
          done_reason: "stop",
          prompt_eval_count: 26,
          eval_count: 12,
        });
      }
      begin();
      if (behaviour.thought !== undefined) line(thinking(behaviour.thought));
      for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
        if (response.destroyed) return;
        line(token(piece));
        if (behaviour.pauseMs !== undefined) await delay(behaviour.pauseMs);
      }
      return end();
    }
    case "endless": {
      begin();
      const piece = token(behaviour.text);
      while (!response.destroyed) {
        if (line(piece)) await delay(0);
        else await Promise.race([once(response, "drain"), once(response, "close")]);
      }
      return;
    }
    case "hang":
      begin();
      if (behaviour.text === undefined) response.flushHeaders();
      else line(token(behaviour.text));
      return;
    case "fail":
      return json(response, behaviour.status, { error: behaviour.message });
    case "break":
      begin();
      line(token(behaviour.text));
      if (behaviour.error === undefined) await delay(20).then(() => response.destroy());
      else response.end(`${JSON.stringify({ error: behaviour.error })}\n`);
      return;
    case "nonsense":
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<html><body>Welcome to the printer</body></html>");
  }
}
