import { describe, expect, it } from "vitest";

import type { ModelPort, ModelRequest, ModelStage, ProviderName } from "#contract/model.ts";
import { ModelError } from "#src/model/errors.ts";
import { byStage, chainOf, createModels, withBreaker } from "#src/model/providers.ts";
import { text } from "#src/plan/model-text.ts";
import { startModelServer } from "#test/fakes/model-server.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";

const { signal } = new AbortController();

function request(stage: ModelStage = "decision"): ModelRequest {
  return { stage, system: text`S`, prompt: text`P`, signal };
}

/** A model that answers with its own name, or fails as `fails` says. */
function model(provider: ProviderName, fails: () => ModelError | undefined = () => undefined) {
  let calls = 0;
  const port: ModelPort = {
    provider,
    model: `${provider}-model`,
    async generate() {
      calls += 1;
      const error = fails();
      if (error !== undefined) throw error;
      return { text: provider, structured: false, provider, model: `${provider}-model` };
    },
    probe: () => Promise.resolve({ reachable: fails() === undefined, reason: `${provider} is down` }),
  };
  return { port, calls: () => calls };
}

const down = (): ModelError => new ModelError("model_unreachable", "it is down");

describe("a chain of models", () => {
  it("asks the next one when one does not answer, and says who did", async () => {
    const first = model("ollama", down);
    const chain = chainOf([first.port, model("gemini", down).port, model("openai").port]);
    expect(await chain.generate(request())).toMatchObject({ text: "openai", provider: "openai" });
    expect(chain).toMatchObject({ provider: "ollama", model: "ollama-model" });
    expect(await chain.probe()).toMatchObject({ reachable: true });
  });

  it("gives the first one's failure when nobody answers", async () => {
    const chain = chainOf([
      model("ollama", () => new ModelError("model_timeout", "too slow")).port,
      model("gemini", down).port,
    ]);
    await expect(chain.generate(request())).rejects.toMatchObject({ code: "model_timeout" });
    expect(await chain.probe()).toEqual({ reachable: false, reason: "ollama is down gemini is down" });
  });

  it("asks nobody else when the turn was stopped", async () => {
    const second = model("gemini");
    const stopped = model("ollama", () => new ModelError("model_stopped", "stopped"));
    await expect(chainOf([stopped.port, second.port]).generate(request())).rejects.toMatchObject({
      code: "model_stopped",
    });
    expect(second.calls()).toBe(0);
  });

  it("asks a stage's own model for that stage only", async () => {
    const port = byStage(model("ollama").port, { response: model("gemini").port });
    const answers = await Promise.all(
      (["perception", "decision", "response"] as const).map((stage) => port.generate(request(stage))),
    );
    expect(answers.map((answer) => answer.provider)).toEqual(["ollama", "ollama", "gemini"]);
  });

  it("over the wire: a fallback answers for a provider that is down, a stage for itself", async () => {
    await using stack = new AsyncDisposableStack();
    const openai = await startModelServer("openai", () => ({ do: "answer", text: "from openai" }), ["gpt"]);
    const ollama = await startFakeOllama(() => ({ do: "answer", text: "from ollama" }), { models: ["tiny"] });
    stack.defer(() => openai.stop());
    stack.defer(() => ollama.stop());
    const quick = { retries: 0, retry: { minMs: 1, maxMs: 2 } };
    const models = createModels("gemini", {
      gemini: { base_url: "http://127.0.0.1:9", model: "g", api_key: "k", ...quick },
      openai: { base_url: `${openai.url}/v1`, model: "gpt", api_key: "k", ...quick },
      ollama: { base_url: ollama.url, model: "big", ...quick },
      fallback: ["openai"],
      stages: { perception: { provider: "ollama", model: "tiny" } },
    });
    expect((await models.generate(request("decision"))).text).toBe("from openai");
    expect((await models.generate(request("perception"))).text).toBe("from ollama");
    expect(ollama.requests[0]?.body.model).toBe("tiny");
  });
});

describe("a model that keeps failing", () => {
  it("is left alone for a while, then tried with one request", async () => {
    let now = 0;
    let isDown = true;
    const inner = model("ollama", () => (isDown ? down() : undefined));
    const port = withBreaker(inner.port, { failures: 2, restMs: 1_000, now: () => now });
    for (let at = 0; at < 2; at += 1) await expect(port.generate(request())).rejects.toThrow("it is down");
    await expect(port.generate(request())).rejects.toThrow(/left alone.*it is down/);
    expect(inner.calls()).toBe(2);

    now = 1_001;
    await expect(port.generate(request())).rejects.toThrow("it is down");
    await expect(port.generate(request())).rejects.toThrow("left alone");
    expect(inner.calls()).toBe(3);

    now = 2_100;
    isDown = false;
    const both = await Promise.allSettled([port.generate(request()), port.generate(request())]);
    expect(both.map((one) => one.status)).toEqual(["fulfilled", "rejected"]);
    expect((await port.generate(request())).text).toBe("ollama");
  });

  it("is asked again at once after a look has found it answering", async () => {
    let isDown = true;
    const port = withBreaker(model("ollama", () => (isDown ? down() : undefined)).port, { failures: 1 });
    await expect(port.generate(request())).rejects.toThrow("it is down");
    isDown = false;
    await expect(port.generate(request())).rejects.toThrow("left alone");
    await port.probe();
    expect((await port.generate(request())).text).toBe("ollama");
  });

  it("is not blamed for a request that was wrong or stopped", async () => {
    const inner = model("ollama", () => new ModelError("model_not_found", "no such model"));
    const port = withBreaker(inner.port, { failures: 1 });
    for (let at = 0; at < 3; at += 1) await expect(port.generate(request())).rejects.toThrow("no such model");
    expect(inner.calls()).toBe(3);
  });
});
