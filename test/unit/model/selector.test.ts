import { afterEach, describe, expect, it } from "vitest";

import { createModelSelector } from "#src/model/selector.ts";
import type { ModelSelector, ModelSelectorOptions } from "#src/model/selector.ts";
import { text } from "#src/plan/model-text.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";
import type { FakeOllama } from "#test/fakes/ollama.ts";

let server: FakeOllama | undefined;
let selector: ModelSelector | undefined;

afterEach(async () => {
  selector?.stop();
  await server?.stop();
  server = undefined;
});

const silent = { info() {}, warn() {} };

function select(
  provider: ModelSelectorOptions["provider"],
  url: string,
  more: { intervalMs?: number; onLog?: () => void } = {},
): ModelSelector {
  const { onLog, ...rest } = more;
  const log = onLog === undefined ? silent : { info: onLog, warn: onLog };
  selector = createModelSelector({
    provider,
    ollama: { base_url: url, model: "qwen3:4b-instruct" },
    log,
    ...rest,
  });
  return selector;
}

describe("auto", () => {
  it("uses Ollama while it answers and has the model", async () => {
    server = await startFakeOllama(() => ({ do: "answer", text: "hello" }));
    const chosen = select("auto", server.url);
    expect(chosen.current().provider).toBe("builtin");

    await chosen.start();
    expect(chosen.current()).toMatchObject({
      provider: "ollama",
      model: "qwen3:4b-instruct",
      reachable: true,
    });
    const answer = await chosen.current().port?.generate({
      stage: "response",
      system: text``,
      prompt: text`hi`,
      signal: new AbortController().signal,
    });
    expect(answer?.text).toBe("hello");
  });

  it("plans with what is built in when the model is missing, and says why", async () => {
    server = await startFakeOllama(() => ({ do: "hang" }), { models: ["other:1b"] });
    const chosen = select("auto", server.url);

    await chosen.start();
    expect(chosen.current()).toMatchObject({ provider: "builtin", reachable: true });
    expect(chosen.current()).not.toHaveProperty("port");
    expect(chosen.current().reason).toContain("ollama pull qwen3:4b-instruct");
  });

  it("looks again after a failure and finds the server gone", async () => {
    server = await startFakeOllama(() => ({ do: "hang" }));
    const chosen = select("auto", server.url);
    await chosen.start();

    await server.stop();
    server = undefined;
    expect(await chosen.refresh()).toMatchObject({ provider: "builtin" });
  });

  it("looks again by itself and finds the server come back", async () => {
    server = await startFakeOllama(() => ({ do: "hang" }));
    const { url } = server;
    await server.stop();
    const back = Promise.withResolvers<void>();
    const chosen = select("auto", url, {
      intervalMs: 20,
      onLog: () => chosen.current().provider === "ollama" && back.resolve(),
    });
    await chosen.start();
    expect(chosen.current().provider).toBe("builtin");

    server = await startFakeOllama(() => ({ do: "hang" }), { port: Number(new URL(url).port) });
    await back.promise;
    expect(chosen.current()).toMatchObject({ provider: "ollama", reachable: true });
  });
});

describe("a named provider", () => {
  it("ollama stays chosen while it is down, and is shown as unreachable", async () => {
    server = await startFakeOllama(() => ({ do: "hang" }));
    const { url } = server;
    await server.stop();
    server = undefined;
    const chosen = select("ollama", url);

    await chosen.start();
    expect(chosen.current()).toMatchObject({ provider: "ollama", reachable: false });
    expect(chosen.current().port).toBeDefined();
  });

  it("builtin asks nobody", async () => {
    const chosen = select("builtin", "http://127.0.0.1:1");
    await chosen.start();
    expect(chosen.current()).toEqual({ provider: "builtin", model: "builtin", reachable: true });
  });
});
