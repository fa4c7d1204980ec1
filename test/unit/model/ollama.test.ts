import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ModelRequest } from "#contract/model.ts";
import { createOllama } from "#src/model/ollama.ts";
import type { OllamaOptions } from "#src/model/tries.ts";
import { text } from "#src/plan/model-text.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";
import type { FakeOllama, OllamaBehaviour } from "#test/fakes/ollama.ts";

let script: (n: number) => OllamaBehaviour;
let server: FakeOllama;

beforeEach(async () => {
  server = await startFakeOllama((_, n) => script(n));
});

afterEach(() => server.stop());

function ollama(more: Partial<OllamaOptions> = {}): ReturnType<typeof createOllama> {
  const retry = { minMs: 1, maxMs: 5 };
  return createOllama({ base_url: server.url, model: "qwen3:4b", timeout_ms: 20_000, retry, ...more });
}

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal;
  return { stage: "decision", system: text`Plan.`, prompt: text`show me DEMO-1`, signal, ...more };
}

const good = "BEGIN\nQUERY({})\nEND";

describe("an answer", () => {
  it("is put together from the stream, with its usage", async () => {
    script = () => ({ do: "answer", text: good });

    const answer = await ollama().generate(request());
    expect(answer).toEqual({
      text: good,
      structured: false,
      provider: "ollama",
      model: "qwen3:4b",
      usage: { promptTokens: 26, answerTokens: 12 },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({
      model: "qwen3:4b",
      messages: [
        { role: "system", content: "Plan." },
        { role: "user", content: "show me DEMO-1" },
      ],
      stream: true,
      think: false,
      keep_alive: "10m",
      options: { temperature: 0 },
    });
    expect(server.requests[0]?.body).not.toHaveProperty("format");
  });

  it("is constrained to the schema where one is given", async () => {
    script = () => ({ do: "answer", text: "prose", json: { commands: [] } });

    const schema = { type: "object", properties: { commands: { type: "array" } } };
    const answer = await ollama().generate(request({ schema }));
    expect(answer).toMatchObject({ text: '{"commands":[]}', structured: true });
    expect(server.requests[0]?.body.format).toEqual(schema);
  });

  it("comes without the thoughts before it", async () => {
    script = () => ({ do: "answer", text: `<think>\nBEGIN is tempting\n</think>\n\n${good}` });

    expect((await ollama().generate(request())).text).toBe(good);
  });

  it("is asked for without `think` when the model refuses that, also the next time", async () => {
    script = (n) =>
      n === 0
        ? { do: "fail", status: 400, message: '"qwen3:4b" does not support thinking' }
        : { do: "answer", text: good };

    const port = ollama({ retries: 0 });
    await port.generate(request());
    await port.generate(request());
    expect(server.requests.map(({ body }) => body.think)).toEqual([false, undefined, undefined]);
  });

  it("arrives slowly but whole", async () => {
    script = () => ({ do: "answer", text: "x".repeat(70), pauseMs: 10 });

    expect((await ollama().generate(request())).text).toBe("x".repeat(70));
  });

  it("that never ends is cut at 64 KB, and the server is told to stop", async () => {
    script = () => ({ do: "endless", text: "garbage and more garbage ".repeat(40) });

    const { text } = await ollama().generate(request());
    expect(text).toHaveLength(64 * 1024);
    await server.left(0);
  });
});

describe("a failure", () => {
  it("of the server is tried again, with bounds", async () => {
    script = (n) =>
      n < 2 ? { do: "fail", status: 500, message: "llama runner died" } : { do: "answer", text: good };

    expect((await ollama({ retries: 2 }).generate(request())).text).toBe(good);
    expect(server.requests).toHaveLength(3);
  });

  it("that stays is model_failed, with the server's own words", async () => {
    script = () => ({ do: "fail", status: 500, message: "llama runner died" });

    await expect(ollama({ retries: 2 }).generate(request())).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("HTTP 500: llama runner died"),
    });
    expect(server.requests).toHaveLength(3);
  });

  it("of a request that the server refuses is not tried again", async () => {
    script = () => ({ do: "fail", status: 400, message: "invalid format" });

    await expect(ollama().generate(request())).rejects.toMatchObject({ code: "model_failed" });
    expect(server.requests).toHaveLength(1);
  });

  it("of an unknown model is model_not_found and says how to get it", async () => {
    script = () => ({ do: "answer", text: good });

    await expect(ollama({ model: "nonesuch:7b" }).generate(request())).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("ollama pull nonesuch:7b"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["before the first token", { do: "hang" }],
    ["between two tokens", { do: "hang", text: "BEGIN" }],
  ] satisfies [string, OllamaBehaviour][])("to go on %s is model_timeout", async (_, behaviour) => {
    script = () => behaviour;

    await expect(ollama({ timeout_ms: 300 }).generate(request())).rejects.toMatchObject({
      code: "model_timeout",
      message: expect.stringContaining("within 0.3 s"),
    });
    await server.left(0);
    expect(server.requests).toHaveLength(1);
  });

  it("to be fast enough is model_timeout although tokens keep coming", async () => {
    script = () => ({ do: "answer", text: "x".repeat(7_000), pauseMs: 20 });

    await expect(ollama({ timeout_ms: 300 }).generate(request())).rejects.toMatchObject({
      code: "model_timeout",
    });
    await server.left(0);
  });

  it.each([
    ["with an error line", { do: "break", text: "BEG", error: "out of memory" }],
    ["without a word", { do: "break", text: "BEG" }],
  ] satisfies [string, OllamaBehaviour][])(
    "in the middle of the stream %s is tried again",
    async (_, behaviour) => {
      script = (n) => (n === 0 ? behaviour : { do: "answer", text: good });

      expect((await ollama().generate(request())).text).toBe(good);
    },
  );

  it("to speak the protocol is model_failed", async () => {
    script = () => ({ do: "nonsense" });

    await expect(ollama({ retries: 0 }).generate(request())).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("not JSON"),
    });
  });

  it("to connect is model_unreachable", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, "close");

    const base_url = `http://127.0.0.1:${port}`;
    await expect(ollama({ base_url }).generate(request())).rejects.toMatchObject({
      code: "model_unreachable",
      message: expect.stringMatching(/cannot be reached: .*ECONNREFUSED/),
    });
    expect(await ollama({ base_url }).probe()).toMatchObject({ reachable: false });
  });

  it("is model_stopped when the turn is stopped, and the server is told", async () => {
    const stop = new AbortController();
    script = () => {
      setImmediate(() => stop.abort());
      return { do: "hang", text: "BEGIN" };
    };

    const generating = ollama().generate(request({ signal: stop.signal }));
    await expect(generating).rejects.toMatchObject({ code: "model_stopped" });
    await server.left(0);
  });
});

describe("a probe", () => {
  it("says whether the model is there", async () => {
    expect(await ollama().probe()).toEqual({ reachable: true });
    expect(await ollama({ model: "llama9" }).probe()).toEqual({
      reachable: false,
      reason: `The model llama9 is not on ${server.url}. Get it with: ollama pull llama9`,
    });
  });

  it("reads a name without a tag as latest", async () => {
    const other = await startFakeOllama(() => ({ do: "hang" }), { models: ["gemma3:latest"] });
    try {
      expect(await ollama({ base_url: other.url, model: "gemma3" }).probe()).toEqual({ reachable: true });
    } finally {
      await other.stop();
    }
  });
});
