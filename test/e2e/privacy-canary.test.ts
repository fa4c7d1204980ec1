// Random tool results with random canaries in private turns, and every byte that went to a model.
// CANARY_RESULTS=1000 npx vitest run test/e2e/privacy-canary.test.ts is the long form.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { startModelServer } from "#test/fakes/model-server.ts";
import { startFakeOllama } from "#test/fakes/ollama.ts";

import { createCanaries, createRandom, createSearch } from "./canaries.ts";
import { type HostedProduct, say, startHosted, temporaryFolder } from "./support.ts";

const RESULTS = Number(process.env.CANARY_RESULTS ?? 36);
const SEED = Number(process.env.CANARY_SEED ?? 20_261_121);
const PER_CONVERSATION = 6;
const PROVIDERS = ["ollama", "gemini", "openai"] as const;

vi.setConfig({ testTimeout: 60_000 + RESULTS * 1_500 });

interface Wire {
  product: HostedProduct;
  /** Every byte that went to the model. */
  wire: () => string;
  canaries: string[];
  /** The canaries that stand in a text, in whatever form. */
  find: (text: string) => string[];
}

/** What a scripted model answers: the call that the request names, once, then enough is known. */
function scripted(prompt: string): { text: string; json: unknown } {
  const wanted = /read (?<tool>\w+) (?<n>\d+)(?![\s\S]*read \w+ \d+)/.exec(prompt)?.groups;
  const isDone = prompt.includes("Results so far:");
  const call = isDone
    ? { tool: "final_answer", args: {} }
    : { tool: `shapes.${wanted?.tool ?? ""}`, args: { n: Number(wanted?.n ?? 0) } };
  return { text: "Here it is.", json: { commands: [{ command: "QUERY", ...call }] } };
}

async function start(provider: (typeof PROVIDERS)[number], count: number, config: object): Promise<Wire> {
  const random = createRandom(SEED + provider.length);
  const canaries = createCanaries(random);
  const shapes = join(await temporaryFolder(), "shapes.jsonl");
  const lines = Array.from({ length: count }, () => JSON.stringify(canaries.result()));
  await writeFile(shapes, lines.join("\n"));
  const server =
    provider === "ollama"
      ? await startFakeOllama(({ body }) => ({
          do: "answer",
          ...scripted(body.messages?.at(-1)?.content ?? ""),
        }))
      : await startModelServer(provider, ({ body }) => ({
          do: "answer",
          ...scripted(
            (provider === "gemini" ? body.contents?.[0]?.parts?.[0]?.text : body.messages?.at(-1)?.content) ??
              "",
          ),
        }));
  onTestFinished(() => server.stop());
  const model = {
    // A request that names tool and number needs no model, and is to have one here.
    anchored: "model",
    provider,
    ollama: { base_url: server.url },
    gemini: { base_url: server.url, model: "big-model", api_key: "k" },
    openai: { base_url: `${server.url}/v1`, model: "big-model", api_key: "k" },
  };
  const servers = [
    {
      name: "shapes",
      command: ["node", "test/fakes/mcp-shapes.ts"],
      env: { SHAPES: shapes },
      use_persistent_session: true,
      trust_annotations: true,
    },
  ];
  const product = await startHosted({ config: { model, servers, ...config } });
  return {
    product,
    wire: () => server.wire(),
    canaries: canaries.all,
    find: createSearch(canaries.all),
  };
}

describe.each(PROVIDERS)("through %s", (provider) => {
  const count = Math.ceil(RESULTS / PROVIDERS.length);

  it(`[privacy.mode] [llm.gemini] not a piece of ${count} results reaches the model in private`, async () => {
    const { product, wire, find } = await start(provider, count, {});
    let seen = 0;
    for (let n = 0; n < count; n += 1) {
      const { body } = await say(product, `read read_shape ${n}`, {
        session_id: `s${Math.floor(n / PER_CONVERSATION)}`,
        allow_summarization: false,
      });
      expect(body.planner).toBe(provider);
      expect(body.tool_results).toHaveLength(1);
      if (find(JSON.stringify(body.tool_result)).length > 0) seen += 1;
      expect(find(body.reply)).toEqual([]);
    }
    // People see what no model did; some shapes hold nothing but numbers and nulls.
    expect(seen / count).toBeGreaterThan(0.75);
    expect(wire()).toContain(`read read_shape ${count - 1}`);
    expect(find(wire())).toEqual([]);
  });
});

describe("the switches", () => {
  it("[privacy.mode] the search finds canaries where the turn is open, so that it would find a leak", async () => {
    const { product, wire, canaries, find } = await start("ollama", 4, {});
    for (let n = 0; n < 4; n += 1) await say(product, `read read_shape ${n}`, { session_id: "open" });
    expect(find(wire()).length).toBeGreaterThan(0);
    for (const encode of [
      (text: string) => Buffer.from(`ab${text}`).toString("base64"),
      (text: string) => JSON.stringify(JSON.stringify(text)),
      (text: string) => text.split("").join("\n| "),
      (text: string) =>
        text
          .split("")
          .map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
    ]) {
      const [canary = ""] = canaries;
      expect(createSearch([canary])(`x ${encode(canary)} y`)).toEqual([canary]);
    }
  });

  it.each([
    ["one tool", { privacy: { withhold: ["shapes.read_secret"] } }],
    ["tools by a glob", { privacy: { withhold: ["*_secret"] } }],
  ])(
    "[privacy.mode] %s is withheld also in open turns, in the answer and in later turns",
    async (_, config) => {
      const { product, wire, find } = await start("ollama", 4, config);
      for (let n = 0; n < 4; n += 1) {
        const { body } = await say(product, `read read_secret ${n}`, { session_id: "secret" });
        expect(body.tool_results).toHaveLength(1);
        expect(body.reply).toMatch(/“Read secret”.*\d\.\d s/);
      }
      expect(find(wire())).toEqual([]);
      await say(product, "read read_shape 0", { session_id: "secret" });
      expect(find(wire()).length).toBeGreaterThan(0);
    },
  );

  it("[privacy.mode] a whole server is withheld", async () => {
    const { product, wire, find } = await start("ollama", 1, {});
    await say(product, "read read_shape 0");
    expect(find(wire()).length).toBeGreaterThan(0);
    const config = JSON.parse(
      JSON.stringify({
        name: "shapes",
        command: ["node", "test/fakes/mcp-canary.ts"],
        trust_annotations: true,
        privacy: { summarize: false },
      }),
    ) as object;
    const closed = await startFakeOllama(({ body }) => {
      const isDone = (body.messages?.at(-1)?.content ?? "").includes("Results so far:");
      const call = isDone ? "final_answer" : "shapes.read_report";
      return { do: "answer", text: "So.", json: { commands: [{ command: "QUERY", tool: call, args: {} }] } };
    });
    onTestFinished(() => closed.stop());
    const other = await startHosted({
      config: {
        model: { anchored: "model", provider: "ollama", ollama: { base_url: closed.url } },
        servers: [config],
      },
    });
    const { body } = await say(other, "read the report");
    expect(JSON.stringify(body.tool_result)).toContain("canary-title");
    expect(closed.wire()).not.toContain("canary-");
    expect(body.reply).not.toContain("canary-");
  });
});
