import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with one request for an answer. */
export type ModelBehaviour =
  /** `json` is sent instead of the text when the request is constrained to a schema. */
  | { do: "answer"; text: string; json?: unknown; thought?: string }
  | { do: "fail"; status: number; message: string; retryAfter?: string }
  /** Accepts the request and says nothing. */
  | { do: "hang" }
  /** Answers with something that is not the protocol at all. */
  | { do: "nonsense" };

export interface ModelServerRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  raw: string;
  body: ModelServerBody;
}

/** What the protocols send, as far as it is looked at. */
export interface ModelServerBody {
  [field: string]: unknown;
  messages?: { role: string; content: string }[];
  response_format?: { type?: string; json_schema?: { schema?: unknown } };
  generationConfig?: Record<string, unknown>;
  systemInstruction?: { parts?: { text?: string }[] };
  contents?: { parts?: { text?: string }[] }[];
  options?: Record<string, unknown>;
}

export interface ModelServer {
  url: string;
  /** Requests for answers, in order of arrival. */
  requests: ModelServerRequest[];
  /** Every byte of every request, those that only look whether the model is there included. */
  wire(): string;
  /** Resolves when the client went away from request `n` (from 0) before it was answered. */
  left(n: number): Promise<void>;
  stop(): Promise<void>;
}

type Script = (request: ModelServerRequest, n: number) => ModelBehaviour;

interface Protocol {
  isAnswer(path: string): boolean;
  /** The answer to a look whether the model is there. */
  look(path: string, models: readonly string[]): { status: number; body: object };
  answer(behaviour: Extract<ModelBehaviour, { do: "answer" }>, request: ModelServerRequest): object;
  error(status: number, message: string): object;
  modelOf(request: ModelServerRequest): string;
}

/** OpenAI's chat completions, as its reference documents them. */
const openai: Protocol = {
  isAnswer: (path) => path === "/v1/chat/completions",
  look: (_path, models) => ({
    status: 200,
    body: { object: "list", data: models.map((id) => ({ id, object: "model", created: 1, owned_by: "us" })) },
  }),
  answer({ text, json, thought }, request) {
    const isConstrained = request.body.response_format?.type === "json_schema";
    const said = isConstrained && json !== undefined ? JSON.stringify(json) : text;
    const content = thought === undefined ? said : `<think>${thought}</think>${said}`;
    return {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: request.body.model,
      choices: [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" }],
      usage: { prompt_tokens: 26, completion_tokens: 12, total_tokens: 38 },
    };
  },
  error: (_status, message) => ({ error: { message, type: "invalid_request_error", code: null } }),
  modelOf: (request) => String(request.body.model),
};

/** Gemini's generateContent, as its reference documents it. */
const gemini: Protocol = {
  isAnswer: (path) => path.endsWith(":generateContent"),
  look(path, models) {
    const name = path.split("/").at(-1) ?? "";
    if (models.includes(name)) return { status: 200, body: { name: `models/${name}`, version: "001" } };
    return { status: 404, body: gemini.error(404, `models/${name} is not found`) };
  },
  answer({ text, json, thought }, request) {
    const isConstrained = request.body.generationConfig?.responseMimeType === "application/json";
    const said = isConstrained && json !== undefined ? JSON.stringify(json) : text;
    const thoughts = thought === undefined ? [] : [{ text: thought, thought: true }];
    return {
      candidates: [
        { content: { role: "model", parts: [...thoughts, { text: said }] }, finishReason: "STOP", index: 0 },
      ],
      usageMetadata: { promptTokenCount: 26, candidatesTokenCount: 12, totalTokenCount: 38 },
      modelVersion: "001",
    };
  },
  error: (status, message) => ({ error: { code: status, message, status: "FAILED_PRECONDITION" } }),
  modelOf: ({ path }) => /models\/([^:/]+):/.exec(path)?.[1] ?? "",
};

const protocols: Record<"openai" | "gemini", Protocol> = { openai, gemini };

/** Starts a server on loopback that speaks a provider's protocol; `script` says what to do with each request. */
export async function startModelServer(
  speaks: keyof typeof protocols,
  script: Script,
  models: readonly string[] = ["big-model"],
): Promise<ModelServer> {
  const protocol = protocols[speaks];
  const requests: ModelServerRequest[] = [];
  const everything: string[] = [];
  const departures: PromiseWithResolvers<void>[] = [];
  const departure = (n: number): PromiseWithResolvers<void> =>
    (departures[n] ??= Promise.withResolvers<void>());

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const path = (incoming.url ?? "").split("?", 1)[0] ?? "";
      const raw = Buffer.concat(chunks).toString();
      everything.push(`${incoming.method} ${incoming.url}\n${incoming.rawHeaders.join("\n")}\n\n${raw}`);
      const reply = (status: number, body: object, headers: Record<string, string> = {}): void => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(body));
      };
      if (!protocol.isAnswer(path)) {
        const found = protocol.look(path, models);
        return reply(found.status, found.body);
      }
      const body = JSON.parse(raw) as ModelServerBody;
      const request = { method: incoming.method ?? "", path, headers: incoming.headers, raw, body };
      const n = requests.push(request) - 1;
      response.on("close", () => !response.writableFinished && departure(n).resolve());
      if (!models.includes(protocol.modelOf(request))) {
        return reply(404, protocol.error(404, "model not found"));
      }
      const behaviour = script(request, n);
      if (behaviour.do === "hang") return undefined;
      if (behaviour.do === "answer") return reply(200, protocol.answer(behaviour, request));
      if (behaviour.do === "nonsense") {
        response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome to the printer</html>");
        return undefined;
      }
      const { status, message, retryAfter } = behaviour;
      return reply(
        status,
        protocol.error(status, message),
        retryAfter === undefined ? {} : { "retry-after": retryAfter },
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    wire: () => everything.join("\n\n"),
    left: (n) => departure(n).promise,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
