import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createOllamaEmbedder } from "#src/model/ollama.ts";
import { createToolSelector, fuse } from "#src/plan/select-tools.ts";
import { createToolMeaning, type ToolMeaning } from "#src/plan/tool-meaning.ts";
import { createToolVectors } from "#src/store/tool-vectors.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { crowd } from "../../../bench/eval/catalogue.ts";
import { makeTool, objectSchema, planInput } from "./tools.ts";

const EMBEDDER = "all-minilm:latest";
const DAY = 86_400_000;
const { signal } = new AbortController();
const stores = useStores();
const tools = crowd();
const wanted = tools.find(({ id }) => id === "weather.get_forecast") as Tool;
const REQUEST = "Wetter";

let ollama: FakeOllama;
/** What embedding waits for; a test that holds it lets it go. */
let held: (texts: string[]) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  ollama = await startFakeOllama(() => ({ do: "nonsense" }), {
    models: [EMBEDDER],
    meanings: [["wetter", "weather", "forecast"]],
    beforeEmbedding: (texts) => held(texts),
  });
});
afterAll(() => ollama.stop());

interface Said {
  level: string;
  message: string;
  data: Record<string, unknown>;
}

/** Meaning over a store, with the lines it logs. */
function createRoom(
  kept: ReturnType<typeof createToolVectors>,
  more: { url?: string; patienceMs?: number; now?: () => number } = {},
): { meaning: ToolMeaning; said: Said[]; hears: (message: string) => Promise<Said> } {
  const { url = ollama.url, patienceMs = 20_000, now = Date.now } = more;
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  const write = (level: string) => (data: object, message: string) => {
    said.push({ level, message, data: { ...data } });
    for (const wake of waiting) wake();
  };
  const embedder = createOllamaEmbedder({ base_url: url, model: EMBEDDER, retries: 0 });
  const log = { info: write("info"), warn: write("warn") };
  const meaning = createToolMeaning({ embedder: () => embedder, kept, log, now, patienceMs });
  onTestFinished(() => meaning.close());
  return {
    meaning,
    said,
    async hears(message) {
      for (;;) {
        const line = said.find((one) => one.message.includes(message));
        if (line !== undefined) return line;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
      }
    },
  };
}

const nothingKept: ReturnType<typeof createToolVectors> = {
  load: () => Promise.resolve(new Map()),
  keep: () => Promise.resolve(),
  dropUnused: () => Promise.resolve(),
};

describe.each(storeKinds)("vectors of tools on %s", (kind) => {
  it("[plan.tools-injected] are made once for what a tool says of itself, across restarts and replicas", async () => {
    const { first, second } = await stores.open(kind);
    const rooms = [first, second].map((store) => createRoom(createToolVectors(store.db, Date.now)));
    const before = ollama.embeds.length;
    for (const [at, { meaning, hears }] of rooms.entries()) {
      meaning.prepare(tools);
      expect((await hears("by meaning")).data).toEqual({
        tools: tools.length,
        embedded: at === 0 ? tools.length : 0,
        model: EMBEDDER,
      });
      expect((await meaning.rank(planInput(REQUEST, tools), signal))[0]).toBe(wanted.id);
    }
    const sent = ollama.embeds.slice(before);
    expect(sent.filter((text) => text !== REQUEST)).toHaveLength(tools.length);

    const changed = { ...wanted, description: `${wanted.description} And for tomorrow.` };
    const third = createRoom(createToolVectors(first.db, Date.now));
    third.meaning.prepare([...tools.filter((tool) => tool !== wanted), changed]);
    expect((await third.hears("by meaning")).data).toMatchObject({ embedded: 1 });
  });

  it("are dropped a month after they were last used", async () => {
    const { first } = await stores.open(kind);
    let today = 1_000 * DAY;
    const vectors = createToolVectors(first.db, () => today);
    await vectors.keep(
      "m",
      new Map([
        ["a", [1, 0]],
        ["b", [0, 1]],
      ]),
    );
    await vectors.keep("m", new Map([["a", [0.5, 0.5]]]));
    today += 20 * DAY;
    expect(await vectors.load("m", ["a", "c"])).toEqual(new Map([["a", Float32Array.from([1, 0])]]));
    today += 20 * DAY;
    await vectors.dropUnused();
    expect([...(await vectors.load("m", ["a", "b"])).keys()]).toEqual(["a"]);
    expect((await vectors.load("other", ["a"])).size).toBe(0);
  });
});

describe("choosing by meaning", () => {
  it("[plan.tools-injected] puts both rankings into the budget, in the catalogue's order", async () => {
    const { meaning, hears } = createRoom(nothingKept);
    const all = crowd();
    meaning.prepare(all);
    await hears("by meaning");
    const select = createToolSelector(600, (input, stop) => meaning.rank(input, stop));
    const chosen = await select(planInput(`${REQUEST}, and restart the deploy`, all), signal);
    const ids = chosen.map(({ id }) => id);
    expect(ids).toContain(wanted.id);
    expect(ids.some((id) => /deploy/.test(id))).toBe(true);
    expect(ids).toEqual(ids.toSorted());
    expect(chosen.length).toBeLessThan(all.length);
  });

  it("asks nobody where all tools fit, and once for the steps of a turn", async () => {
    const { meaning, hears } = createRoom(nothingKept);
    meaning.prepare(tools);
    await hears("by meaning");
    const before = ollama.embeds.length;
    const rank: ToolMeaning["rank"] = (input, stop) => meaning.rank(input, stop);
    await createToolSelector(1_000_000, rank)(planInput("first", tools), signal);
    expect(ollama.embeds).toHaveLength(before);
    const select = createToolSelector(600, rank);
    for (let step = 0; step < 3; step += 1) await select(planInput("second", tools), signal);
    expect(ollama.embeds.slice(before)).toEqual(["second"]);
  });

  it("[plan.tools-injected] waits neither for the tools nor, for long, for the request", async () => {
    const { meaning, hears } = createRoom(nothingKept, { patienceMs: 1 });
    const gate = Promise.withResolvers<void>();
    onTestFinished(() => {
      held = () => Promise.resolve();
    });
    held = () => gate.promise;
    const input = planInput(REQUEST, tools);
    // The first look at the tools begins with the first turn, which goes without.
    expect(await meaning.rank(input, signal)).toEqual([]);
    expect(await meaning.rank(input, signal)).toEqual([]);
    held = () => Promise.resolve();
    gate.resolve();
    await hears("by meaning");

    const slow = Promise.withResolvers<void>();
    held = () => slow.promise;
    const before = ollama.embeds.length;
    expect(await meaning.rank(input, signal)).toEqual([]);
    // While one is late no other is sent behind it.
    expect(await meaning.rank(planInput("another", tools), signal)).toEqual([]);
    expect(ollama.embeds.slice(before).length).toBeLessThanOrEqual(1);
  });

  it("[plan.tools-injected] a server that fails is left alone, and tried again later", async () => {
    const flaky = await startFakeOllama(() => ({ do: "nonsense" }), { models: [EMBEDDER] });
    const { port } = new URL(flaky.url);
    let time = 0;
    const { meaning, said, hears } = createRoom(nothingKept, { url: flaky.url, now: () => time });
    meaning.prepare(tools);
    await hears("by meaning");
    await flaky.stop();
    expect(await meaning.rank(planInput("away", tools), signal)).toEqual([]);
    expect(await meaning.rank(planInput("away", tools), signal)).toEqual([]);
    expect(said.filter(({ level }) => level === "warn")).toHaveLength(1);

    const back = await startFakeOllama(() => ({ do: "nonsense" }), {
      models: [EMBEDDER],
      port: Number(port),
    });
    onTestFinished(() => back.stop());
    expect(await meaning.rank(planInput("weather", tools), signal)).toEqual([]);
    expect(back.embeds).toEqual([]);
    time += 31_000;
    expect(await meaning.rank(planInput("weather", tools), signal)).toContain(wanted.id);
  });

  it("sends what servers say without control characters, and cut", async () => {
    const { meaning, hears } = createRoom(nothingKept);
    const before = ollama.embeds.length;
    const schema = objectSchema({ issueKey: { type: "string" } });
    const description = `Shows\u0007 a\nthing. ${"x".repeat(5_000)}`;
    meaning.prepare([
      makeTool("my-box", { name: "showIt", title: "Show it", description, inputSchema: schema }),
    ]);
    await hears("by meaning");
    const [sent = ""] = ollama.embeds.slice(before);
    expect(sent).toMatch(/^my box show it\. Show it\. Shows a thing\. x+.* Takes issue key\.$/);
    expect(sent.length).toBeLessThan(800);
  });
});

describe("rankings", () => {
  it("are fused by places: what both rank high comes first, then the best of each", () => {
    expect(
      fuse([
        ["a", "b", "c"],
        ["c", "d", "b"],
      ]),
    ).toEqual(["c", "b", "a", "d"]);
    expect(fuse([["a", "b"], []])).toEqual(["a", "b"]);
    expect(fuse([])).toEqual([]);
  });
});
