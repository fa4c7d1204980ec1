import { describe, expect, it, onTestFinished } from "vitest";

import type { ModelPort, ModelRequest, ProviderName } from "#contract/model.ts";
import { text } from "#src/plan/model-text.ts";

/** What every protocol's server can be told to do. */
type Behaviour =
  | { do: "answer"; text: string; json?: unknown; thought?: string }
  | { do: "fail"; status: number; message: string }
  | { do: "hang" }
  | { do: "nonsense" };

/** A provider with a server on loopback at the other end of its wire. */
interface Bench {
  port(more?: { timeout_ms?: number; retries?: number; model?: string; base_url?: string }): ModelPort;
  /** What the n-th request for an answer held, from 0. */
  sent(n: number): { system: string; prompt: string; temperature: unknown; schema: unknown };
  count(): number;
  left(n: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Candidate {
  provider: ProviderName;
  /** Of the one model that the server has. */
  model: string;
  start: (script: (n: number) => Behaviour) => Promise<Bench>;
}

const schema = {
  type: "object",
  properties: { commands: { type: "array", items: { type: "object" } } },
  required: ["commands"],
};

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal;
  return { stage: "decision", system: text`Plan.`, prompt: text`show me DEMO-1`, signal, ...more };
}

/** What every provider owes the port. */
export function describeProvider({ provider, model, start }: Candidate): void {
  async function bench(script: (n: number) => Behaviour): Promise<Bench> {
    const made = await start(script);
    onTestFinished(() => made.stop());
    return made;
  }

  describe(`the provider ${provider}`, () => {
    it(`[llm.${provider === "ollama" ? "ollama" : "gemini"}] asks at temperature 0, gives text and usage`, async () => {
      const server = await bench(() => ({ do: "answer", text: "BEGIN\nEND" }));
      const answer = await server.port().generate(request());
      expect(answer).toEqual({
        text: "BEGIN\nEND",
        structured: false,
        provider,
        model,
        usage: { promptTokens: expect.any(Number), answerTokens: expect.any(Number) },
      });
      expect(answer.usage?.promptTokens).toBeGreaterThan(0);
      expect(server.sent(0)).toEqual({
        system: "Plan.",
        prompt: "show me DEMO-1",
        temperature: 0,
        schema: undefined,
      });
    });

    it("[llm.structured] is constrained to the schema where one is given", async () => {
      const server = await bench(() => ({ do: "answer", text: "prose", json: { commands: [] } }));
      const answer = await server.port().generate(request({ schema }));
      expect(answer).toMatchObject({ text: '{"commands":[]}', structured: true });
      expect(server.sent(0).schema).toEqual(schema);
    });

    it("keeps the model's thoughts out of its answer", async () => {
      const server = await bench(() => ({ do: "answer", text: "It is open.", thought: "TASK(…)" }));
      expect((await server.port().generate(request())).text).toBe("It is open.");
    });

    it("cuts an answer that does not end", async () => {
      const server = await bench(() => ({ do: "answer", text: "x".repeat(300_000) }));
      const answer = await server.port().generate(request());
      expect(answer.isCut).toBe(true);
      expect(answer.text.length).toBeLessThanOrEqual(64 * 1024);
    });

    it("tries again after a failure that may pass", async () => {
      const server = await bench((n) =>
        n === 0 ? { do: "fail", status: 503, message: "loading" } : { do: "answer", text: "hello" },
      );
      expect((await server.port().generate(request())).text).toBe("hello");
      expect(server.count()).toBe(2);
    });

    it("gives a failure that stays in the server's own words, after as many tries as were wished", async () => {
      const server = await bench(() => ({ do: "fail", status: 500, message: "the runner has terminated" }));
      await expect(server.port({ retries: 2 }).generate(request())).rejects.toMatchObject({
        code: "model_failed",
        message: expect.stringContaining("the runner has terminated"),
      });
      expect(server.count()).toBe(3);
    });

    it("does not repeat what the server calls wrong", async () => {
      const server = await bench(() => ({ do: "fail", status: 400, message: "no such option" }));
      await expect(server.port().generate(request())).rejects.toMatchObject({ code: "model_failed" });
      expect(server.count()).toBe(1);
    });

    it("ends with model_timeout and lets go of the server", async () => {
      const server = await bench(() => ({ do: "hang" }));
      await expect(server.port({ timeout_ms: 400 }).generate(request())).rejects.toMatchObject({
        code: "model_timeout",
        message: expect.stringContaining("0.4 s"),
      });
      // On a busy machine the time may be over before the request arrives, and nothing is there to let go of.
      if (server.count() > 0) await server.left(0);
    });

    it("ends with model_stopped when the turn is stopped, and lets go of the server", async () => {
      const stop = new AbortController();
      const server = await bench(() => {
        setImmediate(() => stop.abort());
        return { do: "hang" };
      });
      await expect(server.port().generate(request({ signal: stop.signal }))).rejects.toMatchObject({
        code: "model_stopped",
      });
      await server.left(0);
    });

    it("says that nobody answers", async () => {
      const server = await bench(() => ({ do: "hang" }));
      const port = server.port({ base_url: "http://127.0.0.1:9", retries: 0 });
      await expect(port.generate(request())).rejects.toMatchObject({ code: "model_unreachable" });
      expect(await port.probe()).toMatchObject({ reachable: false, reason: expect.any(String) });
    });

    it("says that the model is not there", async () => {
      const server = await bench(() => ({ do: "hang" }));
      const port = server.port({ model: "no-such-model" });
      await expect(port.generate(request())).rejects.toMatchObject({
        code: "model_not_found",
        message: expect.stringContaining("no-such-model"),
      });
      expect(await port.probe()).toMatchObject({
        reachable: false,
        reason: expect.stringContaining("no-such-model"),
      });
    });

    it("fails on what is not its protocol", async () => {
      const server = await bench(() => ({ do: "nonsense" }));
      await expect(server.port({ retries: 0 }).generate(request())).rejects.toMatchObject({
        code: "model_failed",
      });
    });

    it("sees that the server is there and has the model", async () => {
      const server = await bench(() => ({ do: "hang" }));
      expect(await server.port().probe()).toEqual({ reachable: true });
      expect(server.count()).toBe(0);
    });
  });
}
