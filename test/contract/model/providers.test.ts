import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, it, onTestFinished } from "vitest";

import type { JsonSchema } from "#contract/json.ts";
import type { ModelRequest } from "#contract/model.ts";
import { createGemini } from "#src/model/gemini.ts";
import { createOllama } from "#src/model/ollama.ts";
import { createOpenAi } from "#src/model/openai.ts";
import { fromOperator, text } from "#src/plan/model-text.ts";
import { startModelServer } from "#test/fakes/model-server.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";

import { describeProvider } from "./suite.ts";

const quick = { timeout_ms: 20_000, retries: 1, retry: { minMs: 1, maxMs: 5 } };
const KEY = "key-that-nobody-may-see";

describeProvider({
  provider: "ollama",
  model: "qwen3:4b-instruct",
  async start(script) {
    const server = await startFakeOllama((_, n) => script(n));
    return {
      port: (more) => createOllama({ base_url: server.url, model: "qwen3:4b-instruct", ...quick, ...more }),
      sent(n) {
        const { messages = [], options, format } = server.requests[n]?.body ?? {};
        const [system, user] = messages;
        return {
          system: system?.content ?? "",
          prompt: user?.content ?? "",
          temperature: options?.temperature,
          schema: format,
        };
      },
      count: () => server.requests.length,
      left: (n) => server.left(n),
      stop: () => server.stop(),
    };
  },
});

describeProvider({
  provider: "gemini",
  model: "big-model",
  async start(script) {
    const server = await startModelServer("gemini", (_, n) => script(n));
    return {
      port: (more) =>
        createGemini({ base_url: server.url, model: "big-model", api_key: KEY, ...quick, ...more }),
      sent(n) {
        const body = server.requests[n]?.body;
        return {
          system: body?.systemInstruction?.parts?.[0]?.text ?? "",
          prompt: body?.contents?.[0]?.parts?.[0]?.text ?? "",
          temperature: body?.generationConfig?.temperature,
          schema: body?.generationConfig?.responseJsonSchema,
        };
      },
      count: () => server.requests.length,
      left: (n) => server.left(n),
      stop: () => server.stop(),
    };
  },
});

describeProvider({
  provider: "openai",
  model: "big-model",
  async start(script) {
    const server = await startModelServer("openai", (_, n) => script(n));
    return {
      port: (more) =>
        createOpenAi({ base_url: `${server.url}/v1`, model: "big-model", api_key: KEY, ...quick, ...more }),
      sent(n) {
        const body = server.requests[n]?.body;
        return {
          system: body?.messages?.[0]?.content ?? "",
          prompt: body?.messages?.[1]?.content ?? "",
          temperature: body?.temperature,
          schema: body?.response_format?.json_schema?.schema,
        };
      },
      count: () => server.requests.length,
      left: (n) => server.left(n),
      stop: () => server.stop(),
    };
  },
});

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const { signal } = new AbortController();
  return { stage: "decision", system: text`Plan.`, prompt: text`show me DEMO-1`, signal, ...more };
}

it.each(["gemini", "openai"] as const)(
  "[llm.gemini] %s sends its key in a header and never shows it, also where the server repeats it",
  async (speaks) => {
    const server = await startModelServer(speaks, () => ({
      do: "fail",
      status: 401,
      message: `wrong key: ${KEY}`,
    }));
    onTestFinished(() => server.stop());
    const options = { base_url: server.url, model: "big-model", api_key: KEY, ...quick };
    const port =
      speaks === "gemini"
        ? createGemini(options)
        : createOpenAi({ ...options, base_url: `${server.url}/v1` });
    const failure: unknown = await port.generate(request()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "model_refused" });
    expect((failure as Error).message).toContain("[redacted]");
    expect(JSON.stringify(failure)).not.toContain(KEY);
    expect((failure as Error).cause).toBeUndefined();
    const [asked, ...again] = server.requests;
    expect(again).toEqual([]);
    const { authorization, "x-goog-api-key": key } = asked?.headers ?? {};
    expect(speaks === "gemini" ? key : authorization).toBe(speaks === "gemini" ? KEY : `Bearer ${KEY}`);
    expect(asked?.path).not.toContain(KEY);
  },
);

it("an OpenAI-compatible server that refuses a parameter is asked without it from then on", async () => {
  const server = await startModelServer("openai", ({ body }) => {
    if (body.response_format !== undefined)
      return { do: "fail", status: 400, message: "response_format is not supported by this model" };
    if (body?.temperature !== undefined)
      return { do: "fail", status: 400, message: "Unsupported value: 'temperature'" };
    if (body.max_tokens !== undefined)
      return { do: "fail", status: 400, message: "Use 'max_completion_tokens' instead of 'max_tokens'" };
    return { do: "answer", text: "hello" };
  });
  onTestFinished(() => server.stop());
  const options = { base_url: `${server.url}/v1/`, model: "big-model", api_key: "", ...quick };
  const port = createOpenAi(options);
  const answer = await port.generate(request({ schema: { type: "object" } }));
  expect(answer).toMatchObject({ text: "hello", structured: false });
  const before = server.requests.length;
  await port.generate(request({ schema: { type: "object" } }));
  expect(server.requests.length - before).toBe(1);
  expect(server.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 4096 });
  expect(server.requests.at(-1)?.headers.authorization).toBeUndefined();
});

it("a server that asks to wait is given the time it asked for", async () => {
  const server = await startModelServer("openai", (_, n) =>
    n === 0
      ? { do: "fail", status: 429, message: "slow down", retryAfter: "1" }
      : { do: "answer", text: "hello" },
  );
  onTestFinished(() => server.stop());
  const options = { base_url: `${server.url}/v1`, model: "big-model", api_key: KEY, ...quick };
  const begun = performance.now();
  expect((await createOpenAi(options).generate(request())).text).toBe("hello");
  expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
});

it("[llm.ollama] [llm.structured] a schema that the server has no room for is tried once without", async () => {
  const server = await startFakeOllama(() => ({ do: "answer", text: "hello" }));
  onTestFinished(() => server.stop());
  const port = createOllama({ base_url: server.url, model: "qwen3:4b-instruct", ...quick });
  // Each place of a schema is a rule whose name is its path, so that names add up.
  const deep = (depth: number): JsonSchema =>
    depth === 0
      ? { type: "boolean" }
      : { type: "object", properties: { [`${"part".repeat(8)}_${depth}`]: deep(depth - 1) } };
  const long = {
    type: "object",
    properties: Object.fromEntries("a b c d e f g h".split(" ").map((name) => [name, deep(16)])),
  };
  const sizes = async (schema: JsonSchema): Promise<unknown[]> => {
    const before = server.requests.length;
    const { structured, text } = await port.generate(request({ schema }));
    return [structured, text, server.requests.length - before];
  };
  expect(await sizes(long)).toEqual([false, "hello", 2]);
  expect(await sizes(long)).toEqual([false, "hello", 1]);
  // Another schema is no longer for that.
  expect(await sizes({ type: "object" })).toEqual([true, "hello", 1]);
});

it("[llm.ollama] asks for a context that fits the prompt, in steps, within the model's", async () => {
  const server = await startFakeOllama(() => ({ do: "answer", text: "hello" }));
  onTestFinished(() => server.stop());
  const port = createOllama({ base_url: server.url, model: "qwen3:4b-instruct", ...quick });
  await port.probe();
  const long = (size: number) => request({ prompt: fromOperator("x".repeat(size)) });
  for (const size of [10, 20_000, 10]) await port.generate(long(size));
  expect(server.requests.map(({ body }) => body.options?.num_ctx)).toEqual([8_192, 16_384, 16_384]);
  // The server would drop the beginning of a prompt that is longer without a word.
  await expect(port.generate(long(500_000))).rejects.toMatchObject({
    code: "model_failed",
    message: expect.stringContaining("exceeds the context"),
  });
  expect(server.evaluations.every((one) => one === undefined || one.dropped === 0)).toBe(true);
  const fixed = createOllama({ base_url: server.url, model: "qwen3:4b-instruct", num_ctx: 8_000, ...quick });
  await fixed.generate(long(10));
  expect(server.requests.at(-1)?.body).toMatchObject({ options: { num_ctx: 8_000 }, keep_alive: "10m" });
});

it("counts of tokens that are none are not added up", async () => {
  const server = createServer((_, response) => {
    const usage = { prompt_tokens: -7_000, completion_tokens: 1.5 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { content: "hello" } }], usage }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const port = createOpenAi({ base_url, model: "big-model", api_key: KEY, ...quick });
  expect(await port.generate(request())).toMatchObject({
    text: "hello",
    usage: { promptTokens: 0, answerTokens: 0 },
  });
});
