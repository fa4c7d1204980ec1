import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createModels, type ModelRequest } from "#servers/ensembles/engine/models.ts";

/** What came last, and what is answered to it. */
let seen: { url: string; headers: NodeJS.Dict<string | string[]>; body: Record<string, unknown> };
let answer: { status: number; text: string };
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      seen = { url: request.url ?? "", headers: request.headers, body: JSON.parse(text || "{}") };
      response
        .writeHead(answer.status, answer.status === 302 ? { location: "/elsewhere" } : {})
        .end(answer.text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

const models = (): ReturnType<typeof createModels> =>
  createModels({
    OLLAMA_HOST: url.replace("http://", ""),
    OPENAI_BASE_URL: `${url}/v1/`,
    OPENAI_API_KEY: "sk-canary",
    GEMINI_API_KEY: "g-canary",
    GEMINI_BASE_URL: url,
  });

const ask = (
  provider: string,
  more: Partial<ModelRequest> = {},
): ReturnType<ReturnType<typeof models>["ask"]> =>
  models().ask({
    provider,
    model: "m",
    system: "be short",
    prompt: "2+2?",
    temperature: 0.5,
    maxTokens: 9,
    json: true,
    signal: new AbortController().signal,
    ...more,
  });

describe("[ensembles.providers] models", () => {
  it("of Ollama are asked by its chat, and their pieces put together", async () => {
    answer = {
      status: 200,
      text: '{"message":{"content":"fo"},"done":false}\n{"message":{"content":"ur"},"done":true,"prompt_eval_count":7,"eval_count":2}\n',
    };
    expect(await ask("ollama", { options: { num_ctx: 4096, think: false } })).toEqual({
      text: "four",
      inputTokens: 7,
      outputTokens: 2,
    });
    expect(seen).toMatchObject({
      url: "/api/chat",
      body: {
        model: "m",
        messages: [
          { role: "system", content: "be short" },
          { role: "user", content: "2+2?" },
        ],
        format: "json",
        think: false,
        options: { num_ctx: 4096, temperature: 0.5, num_predict: 9 },
      },
    });
  });

  it("of servers like OpenAI's are asked with the key, and count their tokens", async () => {
    answer = {
      status: 200,
      text: '{\n "choices": [{"message": {"content": "four"}}],\n "usage": {"prompt_tokens": 7, "completion_tokens": 2}\n}',
    };
    for (const provider of ["openai", "openai-compatible", "openai-compatible/local"])
      expect(await ask(provider)).toEqual({ text: "four", inputTokens: 7, outputTokens: 2 });
    expect(seen).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-canary" },
      body: { model: "m", max_tokens: 9, temperature: 0.5, response_format: { type: "json_object" } },
    });
  });

  it("of Gemini are asked with the key in a header", async () => {
    answer = {
      status: 200,
      text: '{"candidates":[{"content":{"parts":[{"text":"fo"},{"text":"ur"}]}}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2}}',
    };
    expect(await ask("google-gemini")).toEqual({ text: "four", inputTokens: 7, outputTokens: 2 });
    expect(seen).toMatchObject({
      url: "/v1beta/models/m:generateContent",
      headers: { "x-goog-api-key": "g-canary" },
      body: {
        systemInstruction: { parts: [{ text: "be short" }] },
        generationConfig: { temperature: 0.5, maxOutputTokens: 9, responseMimeType: "application/json" },
      },
    });
  });

  it.each([
    [
      "ollama",
      404,
      '{"error":"model not found"}',
      'Ollama has no model m: run "ollama pull m", or name another in the profile',
    ],
    ["ollama", 500, '{"error":"out of memory"}', "Ollama answered 500: out of memory"],
    ["ollama", 200, '{"message":{"content":"fo"}}\n', "Ollama broke its answer off"],
    ["ollama", 200, '{"error":"gone"}\n', "Ollama: gone"],
    [
      "openai",
      401,
      '{"error":{"message":"wrong key"}}',
      "The OpenAI-compatible server answered 401: wrong key",
    ],
    ["openai", 200, "<html>", "The OpenAI-compatible server answered no JSON"],
    ["gemini", 429, "slow down", "Gemini answered 429: slow down"],
    ["openai", 302, "", "cannot be reached: unexpected redirect"],
    [
      "anthropic-api",
      200,
      "",
      "the provider anthropic-api is not supported: use ollama, google-gemini or an OpenAI-compatible server",
    ],
  ])("of %s that answer %d %j fail with what to do", async (provider, status, text, message) => {
    answer = { status, text };
    await expect(ask(provider)).rejects.toThrow(message);
  });

  it("that are not configured, or not there, say so", async () => {
    const none = createModels({ OLLAMA_HOST: "http://127.0.0.1:9" });
    const request = { model: "m", prompt: "x", json: false, signal: new AbortController().signal };
    await expect(none.ask({ ...request, provider: "ollama" })).rejects.toThrow(
      "http://127.0.0.1:9 cannot be reached",
    );
    await expect(none.ask({ ...request, provider: "gemini" })).rejects.toThrow("set GEMINI_API_KEY");
    await expect(none.ask({ ...request, provider: "openai" })).rejects.toThrow(
      "set OPENAI_BASE_URL, OPENAI_API_KEY or both",
    );
    expect(await none.status()).toMatchObject({
      ollama: { available: false, models: [] },
      "google-gemini": { available: false },
      "openai-compatible": { available: false },
    });
    answer = { status: 200, text: '{"models":[{"name":"m:latest"}]}' };
    expect(await models().status()).toMatchObject({
      ollama: { available: true, models: ["m:latest"] },
      "google-gemini": { available: true },
      "openai-compatible": { available: true },
      "anthropic-api": { available: false },
    });
  });
});
