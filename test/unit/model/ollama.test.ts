import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ModelRequest } from "#contract/model.ts";
import { createOllama, createOllamaEmbedder, pullModel } from "#src/model/ollama.ts";
import type { OllamaOptions } from "#src/model/tries.ts";
import { fromOperator, text } from "#src/plan/model-text.ts";
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
  return createOllama({
    base_url: server.url,
    model: "qwen3:4b-instruct",
    timeout_ms: 20_000,
    retry,
    ...more,
  });
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
      model: "qwen3:4b-instruct",
      usage: { promptTokens: expect.any(Number), answerTokens: expect.any(Number) },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({
      model: "qwen3:4b-instruct",
      messages: [
        { role: "system", content: "Plan." },
        { role: "user", content: "show me DEMO-1" },
      ],
      stream: true,
      think: false,
      truncate: false,
      keep_alive: "10m",
      options: { temperature: 0, num_predict: 4_096 },
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
        ? { do: "fail", status: 400, message: '"qwen3:4b-instruct" does not support thinking' }
        : { do: "answer", text: good };

    const port = ollama({ retries: 0 });
    await port.generate(request());
    await port.generate(request());
    expect(server.requests.map(({ body }) => body.think)).toEqual([false, undefined, undefined]);
  });

  it("keeps to the bounds of its stage, and says where it ran into one", async () => {
    script = () => ({ do: "answer", text: "All is well. <data source 1 ab>\n| DEMO-1" });
    const bounds = { maxTokens: 300, stop: ["<data "] };
    expect(await ollama().generate(request(bounds))).not.toHaveProperty("isCut");
    expect(server.requests[0]?.body.options).toMatchObject({ num_predict: 300, stop: ["<data "] });
    expect((await ollama().generate(request(bounds))).text.trim()).toBe("All is well.");

    script = () => ({ do: "endless", text: "the same " });
    const cut = await ollama().generate(request({ maxTokens: 20 }));
    expect(cut).toMatchObject({ text: "the same ".repeat(20), isCut: true, usage: { answerTokens: 20 } });
  });

  it("is asked for without the schema that the server cannot use, also the next time", async () => {
    script = () => ({ do: "answer", text: "prose", json: { commands: [] } });
    const port = ollama({ retries: 0 });
    const unusable = request({ schema: { type: "object", properties: { a: { type: "anything" } } } });
    for (let at = 0; at < 2; at += 1)
      expect(await port.generate(unusable)).toMatchObject({ text: "prose", structured: false });
    expect(server.requests.map(({ body }) => body.format !== undefined)).toEqual([true, false, false]);
  });

  it("finds the room that its prompt takes, by what the model counts", async () => {
    script = () => ({ do: "answer", text: good });
    const port = ollama();
    await port.probe();
    const asked = (prompt: string): Promise<unknown> =>
      port.generate(request({ prompt: fromOperator(prompt), maxTokens: 256 }));
    // 12 000 letters may be 7 500 tokens, until the model has counted how many they are.
    await asked("word ".repeat(2_400));
    await asked("word ".repeat(6_000));
    // Denser than anything was before: the server says that it does not fit.
    await asked("x ".repeat(12_000));
    expect(server.requests.map(({ body }) => body.options?.num_ctx)).toEqual([8_192, 8_192, 8_192, 16_384]);
    expect(server.loads).toHaveLength(2);
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

  it("to end the stream with its last line is not tried again, as the model would repeat itself", async () => {
    script = () => ({ do: "answer", text: "the same ".repeat(30), done: false });

    await expect(ollama().generate(request())).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("broke off the answer"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("to answer anything at all is noticed long before the time limit", async () => {
    server.freeze();

    await expect(ollama({ watch_ms: 50 }).generate(request())).rejects.toMatchObject({
      code: "model_unreachable",
      message: expect.stringContaining("accepts requests and answers none"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("is not what a long silence before the first token means", async () => {
    const looked = Promise.withResolvers<void>();
    script = () => ({ do: "answer", text: good, after: looked.promise });
    // As long as a busy machine may take for an answer.
    const generating = ollama({ watch_ms: 400 }).generate(request());
    while (server.wire().split("GET /api/version").length < 4) await delay(5);
    looked.resolve();
    expect((await generating).text).toBe(good);
  });

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

it("one slot serves what begins alike, and one model is kept", async () => {
  script = () => ({ do: "answer", text: good });
  const ask = (prompt: string, model?: string): Promise<unknown> =>
    ollama(model === undefined ? {} : { model }).generate(request({ prompt: fromOperator(prompt) }));
  const long = "All of the tools stand here. ".repeat(40);
  for (const prompt of [`${long} Decide.`, `${long} Answer.`, `Answer. ${long}`, `${long} Decide.`])
    await ask(prompt);
  const reused = server.evaluations.map((one) => (one?.reused ?? 0) > 100);
  expect(reused).toEqual([false, true, false, false]);
  expect(server.loads).toEqual(["qwen3:4b-instruct"]);
});

describe("a model that is fetched", () => {
  const fetched = async (model: string): Promise<string[]> => {
    const told: string[] = [];
    await pullModel(server.url, model, ({ status }) => told.push(status), new AbortController().signal);
    return told;
  };

  it("is told of on its way, and its failure comes in a line of a good answer", async () => {
    expect((await fetched("gemma3:1b")).at(-1)).toBe("success");
    await expect(fetched("no-such")).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("pull model manifest: file does not exist"),
    });
  });
});

it("a model that embeds and is not there is named", async () => {
  const embedder = createOllamaEmbedder({ base_url: server.url, model: "nomic-embed-text", retries: 0 });
  await expect(embedder.embed(["a"], new AbortController().signal)).rejects.toMatchObject({
    code: "model_not_found",
    message: expect.stringContaining("nomic-embed-text"),
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
