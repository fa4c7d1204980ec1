import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { type Collector, startCollector } from "#test/fakes/collector.ts";
import { startModelServer } from "#test/fakes/model-server.ts";
import { type FakeOllama, type OllamaRequest, startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUp,
  cleanUpAll,
  readMetrics,
  readStore,
  readTurn,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
} from "./support.ts";

const SUMMARY = { summary: "The report has a title and two people.", entities: ["canary-title", "2"] };
const ANSWER = "The report is about canary-title [source 1]. Happy to help!";

let ollama: FakeOllama;
let product: HostedProduct;
let collector: Collector;
/** What the model says at each stage; tests replace what they are about. */
let perception: () => { text: string; json: unknown };
let answer: (request: OllamaRequest) => string;

beforeAll(async () => {
  const prompts = await temporaryFolder();
  await writeFile(
    join(prompts, "decision_json.txt"),
    `${CREW}\nReturn a JSON with keys action and params.\n`,
  );
  ollama = await startFakeOllama((request) => {
    const prompt = promptOf(request);
    const stage = stageOf(request);
    if (stage === "perception") return { do: "answer", ...perception() };
    if (stage === "response") return { do: "answer", text: answer(request) };
    if (prompt.includes(CREW)) return { do: "answer", text: "", json: crewDecision(prompt) };
    if (prompt.includes(QUESTION)) return { do: "answer", text: "", json: seedDecision(prompt) };
    const size = Number(/size (\d+)/.exec(prompt)?.[1] ?? 0);
    const next = prompt.includes("Results so far:")
      ? { tool: "final_answer", args: {} }
      : { tool: "reports.read_report", args: { size } };
    return { do: "answer", text: "", json: { commands: [{ command: "QUERY", ...next }] } };
  });
  collector = await startCollector();
  product = await startHosted({
    config: {
      model: { anchored: "model", temperature: 0.25, provider: "ollama", ollama: { base_url: ollama.url } },
      servers: [
        {
          name: "reports",
          command: ["node", "test/fakes/mcp-canary.ts"],
          use_persistent_session: true,
          trust_annotations: true,
        },
        {
          name: "web",
          command: ["node", "servers/web/main.ts"],
          env: { SEARXNG_URL: await startSearxng() },
          use_persistent_session: true,
          trust_annotations: true,
        },
      ],
      views: { "web.web_search": "WebSearchView" },
      traces: { otlp_url: collector.url },
      channels: { "http:hamburg": { language: "German" }, "http:crew": { prompts } },
    },
  });
});

afterAll(async () => {
  await cleanUpAll();
  await Promise.all([ollama.stop(), collector.stop()]);
});

const CREW = "You are the **Decision** component of the crew.";

/** In the form of seed 004's own prompts. */
function crewDecision(prompt: string): object {
  if (prompt.includes("Results so far:")) return { action: "final_answer" };
  return { action: "reports.read_report", params: { size: 7 } };
}

const QUESTION = "Who is the current Prime Minister of India?";

/** What seed 004's example decides: a search, and once there is something, the answer. */
function seedDecision(prompt: string): object {
  const next = prompt.includes("Results so far:")
    ? { tool: "final_answer", args: {} }
    : { tool: "web.web_search", args: { query: "current Prime Minister of India", limit: 20 } };
  return { commands: [{ command: "QUERY", ...next }] };
}

/** Searches that SearXNG was asked for. */
const searches: (string | null)[] = [];

/** A SearXNG that finds news, with more words than a model is given without perception. */
async function startSearxng(): Promise<string> {
  const results = Array.from({ length: 20 }, (_, at) => ({
    title: `News ${at + 1} on Prime Minister Narendra Modi`,
    url: `https://news.example/${at + 1}`,
    content: "Prime Minister Narendra Modi opened something again today, and said a few words. ".repeat(6),
  }));
  const server = createServer((request, response) => {
    searches.push(new URL(request.url ?? "", "http://searxng").searchParams.get("q"));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ results }));
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  cleanUp(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }, "file");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stageOf(request: OllamaRequest): string {
  return /# Your part now: the (\w+)/.exec(promptOf(request))?.[1] ?? "";
}

function promptOf(request: OllamaRequest | undefined): string {
  return request?.body.messages?.at(-1)?.content ?? "";
}

/** Says something in a conversation of its own; what the model was asked meanwhile comes with the answer. */
async function ask(message: string, extra: Record<string, unknown> = {}) {
  const before = ollama.requests.length;
  const { body } = await say(product, message, { session_id: `s${before}`, ...extra });
  const requests = ollama.requests.slice(before);
  return { body, requests, stages: requests.map(stageOf) };
}

interface ModelCall {
  stage: string;
  model: string;
  input: string;
  output: string;
  usage: object;
}

function audited(turnId: unknown, kind: string): { calls?: ModelCall[]; perceptions?: object[] }[] {
  const rows = readStore<{ data: string }>(
    product.dataDir,
    "select data from audit where turn_id = ? and kind = ? order by seq",
    String(turnId),
    kind,
  );
  return rows.map(
    (row) => (JSON.parse(row.data) as { redacted: { calls?: ModelCall[]; perceptions?: object[] } }).redacted,
  );
}

function digest(text: string): string {
  return createHash("sha256").update(JSON.stringify(text)).digest("hex");
}

describe("a small result", () => {
  it("[plan.stages] takes two calls of the model: a decision and an answer", async () => {
    answer = () => ANSWER;
    const { body, stages } = await ask("read the report");
    expect(stages).toEqual(["decision", "response"]);
    expect(body.reply).toBe(ANSWER);
    expect(body.planner).toBe("ollama");
  });

  it("[plan.iterate] is decided on again where more is needed, or two things were asked", async () => {
    let asked = 0;
    answer = () => ((asked += 1) === 1 ? "MORE" : ANSWER);
    const more = await ask("read the report");
    expect(more.stages).toEqual(["decision", "response", "decision", "response"]);
    expect(more.body.reply).toBe(ANSWER);
    answer = () => ANSWER;
    const two = await ask("show me the report and then find its author");
    expect(two.stages).toEqual(["decision", "decision", "response"]);
  });
});

it("[plan.prompts-folder] prompts of the operator's own folder hold in their channel, with action and params", async () => {
  answer = () => ANSWER;
  const { body, requests } = await ask("what does the report say, and who wrote it", { session_id: "crew" });
  const decisions = requests.filter((request) => promptOf(request).includes(CREW));
  expect(decisions).toHaveLength(2);
  // What the folder has not is the product's, and the temperature is everybody's.
  expect(decisions[0]?.body.messages?.[0]?.content).toContain("Countersign");
  expect(decisions[0]?.body.options).toMatchObject({ temperature: 0.25 });
  expect(body).toMatchObject({
    planner: "ollama",
    reply: ANSWER,
    tool_results: [{ tool_id: "reports.read_report", args: { size: 7 } }],
  });
  const elsewhere = await ask("what does the report say, and who wrote it");
  expect(elsewhere.requests.map(promptOf).join()).not.toContain(CREW);
});

describe("a large result", () => {
  it("[plan.stages] is perceived once; later stages read what perception made of it", async () => {
    perception = () => ({ text: "", json: SUMMARY });
    answer = () => ANSWER;
    const { requests, stages, body } = await ask("read the report, size 9000");
    expect(stages).toEqual(["decision", "perception", "decision", "response"]);
    const [, perceive, decide, respond] = requests.map(promptOf);
    expect(perceive).toContain("ж".repeat(8_000));
    for (const later of [decide, respond]) {
      expect(later).toContain(SUMMARY.summary);
      expect(later).toContain("entities: canary-title; 2");
      expect(later).not.toContain("ж");
    }
    expect(requests[1]?.body.format).toMatchObject({ required: ["summary", "entities"] });
    // People get the whole result.
    expect(String(body.tool_result?.data.long)).toHaveLength(9_000);
  });

  it("[plan.stages] [ops.metrics] is read as it is where perception is no JSON of its schema, which is counted", async () => {
    answer = () => ANSWER;
    for (const raw of ["I like trains.", '{"summary": 7}', '{"summary": "x", "entities": "y"}']) {
      perception = () => ({ text: raw, json: undefined });
      const { requests, stages, body } = await ask("read the report, size 9000");
      expect(stages).toEqual(["decision", "perception", "decision", "response"]);
      expect(promptOf(requests[3])).toContain("ж");
      const { steps } = await readTurn(product, String(body.turn_id));
      const attempts = steps.flatMap((step) => step.data.attempts ?? []);
      expect(attempts.find((one) => one.raw === raw)?.fault).toContain("expected");
    }
    const counted = await readMetrics(product);
    expect(counted['countersign_protocol_repairs_total{stage="perception"}']).toBeGreaterThanOrEqual(3);
    const model = 'provider="ollama",model="qwen3:4b-instruct"';
    for (const kind of ["prompt", "answer"])
      expect(counted[`countersign_model_tokens_total{${model},kind="${kind}"}`]).toBeGreaterThan(0);
    expect(counted[`countersign_model_seconds_count{${model},stage="response"}`]).toBeGreaterThanOrEqual(3);
  });

  it("[plan.stages] in a private turn is not perceived", async () => {
    const { stages, requests } = await ask("read the report, size 9000", { allow_summarization: false });
    expect(stages).toEqual(["decision", "decision"]);
    expect(JSON.stringify(requests)).not.toContain("canary");
  });
});

describe("the question of seed 004", () => {
  it("[tools.web] [plan.stages] is searched for, perceived and answered", async () => {
    const summary =
      "The search returned several news items mentioning Narendra Modi as the Prime Minister of India.";
    perception = () => ({ text: "", json: { summary, entities: ["Narendra Modi", "India"] } });
    answer = () => "The current Prime Minister of India is **Narendra Modi** [source 1].";
    const { body, stages, requests } = await ask(QUESTION);
    expect(stages).toEqual(["decision", "perception", "decision", "response"]);
    expect(searches).toEqual(["current Prime Minister of India"]);
    expect(promptOf(requests[0])).toContain("web.web_search");
    expect(promptOf(requests[1])).toContain("News 1 on Prime Minister Narendra Modi");
    expect(promptOf(requests[3])).toContain(summary);
    expect(body.reply).toContain("The current Prime Minister of India is **Narendra Modi**");
    expect(body.tool_result).toMatchObject({
      ok: true,
      tool_id: "web.web_search",
      view: "WebSearchView",
      rows: 20,
    });
    expect(JSON.stringify(body.tool_result?.card)).toContain('"href":"https://news.example/1"');
  });
});

describe("the audit log", () => {
  it("[audit.chain] [plan.stages] has every stage with the digests of what went in and out", async () => {
    perception = () => ({ text: "", json: SUMMARY });
    answer = () => ANSWER;
    const { body, requests } = await ask("read the report, size 9000");
    const turnId = body.turn_id;
    const decided = audited(turnId, "plan.decided").flatMap((entry) => entry.calls ?? []);
    const perceived = audited(turnId, "plan.perceived");
    const responded = audited(turnId, "respond").flatMap((entry) => entry.calls ?? []);
    const calls = [...decided, ...perceived.flatMap((entry) => entry.calls ?? []), ...responded];
    expect(calls.map((call) => call.stage).toSorted()).toEqual([
      "decision",
      "decision",
      "perception",
      "response",
    ]);
    expect(calls.map((call) => call.input).toSorted()).toEqual(
      requests.map((request) => digest(promptOf(request))).toSorted(),
    );
    expect(calls.find((call) => call.stage === "response")).toMatchObject({
      model: "ollama/qwen3:4b-instruct",
      output: digest(ANSWER),
      usage: { promptTokens: expect.any(Number), answerTokens: expect.any(Number) },
    });
    expect(perceived[0]?.perceptions).toEqual([
      { call: expect.stringMatching(/^call_/), perception: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    for (const kind of ["plan.decided", "plan.perceived", "respond"])
      expect(JSON.stringify(audited(turnId, kind))).not.toContain("canary");
  });

  it("[ops.tracing] is traced with what each model call cost, and none of its words or data", async () => {
    perception = () => ({ text: "", json: SUMMARY });
    answer = () => ANSWER;
    const { body } = await ask("read the report, size 9000");
    const spansOfTurn = () => {
      const spans = collector.spans();
      const turn = spans.find(({ attributes }) => attributes["countersign.turn"] === body.turn_id);
      return spans.filter(({ traceId }) => traceId === turn?.traceId);
    };
    await expect.poll(() => spansOfTurn().map(({ name }) => name)).toContain("turn");
    const spans = spansOfTurn();
    const named = (name: string) => spans.filter((span) => span.name === name);
    expect(
      named("model")
        .map(({ attributes }) => String(attributes["countersign.stage"]))
        .toSorted(),
    ).toEqual(["decision", "decision", "perception", "response"]);
    const [model] = named("model");
    expect(model?.attributes).toMatchObject({ "gen_ai.request.model": "qwen3:4b-instruct" });
    expect(Number(model?.attributes["gen_ai.usage.input_tokens"])).toBeGreaterThan(0);
    const parents = new Set([...named("plan"), ...named("respond")].map(({ spanId }) => spanId));
    for (const span of named("model")) expect(parents).toContain(span.parentSpanId);
    // The server writes down which trace each of its calls was part of.
    const call = named("call").find(({ attributes }) => attributes["gen_ai.tool.name"] === "read_report");
    const traceparent = `00-${call?.traceId}-${call?.spanId}-01`;
    await product.line(({ line }) => line === `called in ${traceparent}`);
    expect(collector.wire()).not.toMatch(/canary|ж|read the report|Happy to help|two people/);
  });

  it("[audit.chain] has the answer that was made together with its decision", async () => {
    answer = () => ANSWER;
    const { body } = await ask("read the report");
    const last = audited(body.turn_id, "plan.decided").at(-1);
    expect(last).toMatchObject({
      outcome: { kind: "final", reply: digest(ANSWER) },
      calls: [{ stage: "response", output: digest(ANSWER) }],
    });
    expect(audited(body.turn_id, "respond")).toEqual([{ reply: digest(ANSWER) }]);
  });
});

describe("the answer", () => {
  it("[plan.cite] cites at most two sources that are there, stays under 150 words and closes kindly", async () => {
    answer = () =>
      `The report is long [source 1] [source #7] (source 3). ${"It says the same thing again and again. ".repeat(22)}`;
    const { body } = await ask("read the report");
    expect(body.reply.match(/\[source \d+\]/g)).toEqual(["[source 1]"]);
    expect(body.reply.split(/\s+/).length).toBeLessThan(150);
    expect(body.reply).toMatch(/…\s+Happy to help with anything else!$/);
  });

  it("[plan.cite] is as long as it likes where detail is asked for", async () => {
    answer = () => `${"It says the same thing again and again. ".repeat(26)}Happy to help!`;
    const { body } = await ask("read the report in detail");
    expect(body.reply.split(/\s+/).length).toBeGreaterThan(200);
  });

  it("is asked for in the language of the channel", async () => {
    answer = () => "Der Bericht ist da.";
    const { requests, body } = await ask("read the report", { session_id: "hamburg" });
    expect(promptOf(requests.at(-1))).toContain("Answer in German.");
    // Our own closing is English, so it is not put under a German answer.
    expect(body.reply).toBe("Der Bericht ist da.");
    expect(promptOf((await ask("read the report")).requests.at(-1))).not.toContain("Answer in");
  });
});

describe("what operators may read", () => {
  it("[plan.inspect] leaves prompts and raw answers out where the configuration says so", async () => {
    const closed = await startHosted({
      config: {
        model: { anchored: "model", provider: "ollama", inspect: false, ollama: { base_url: ollama.url } },
        servers: [
          { name: "reports", command: ["node", "test/fakes/mcp-canary.ts"], trust_annotations: true },
        ],
      },
    });
    answer = () => ANSWER;
    const { body } = await say(closed, "read the report");
    const { steps } = await readTurn(closed, String(body.turn_id));
    const attempts = steps.flatMap((step) => step.data.attempts ?? []);
    expect(attempts).toHaveLength(2);
    expect(JSON.stringify(steps)).not.toMatch(/The request:|BEGIN|commands/);
    for (const { prompt, raw } of attempts) expect([prompt, raw].join()).toMatch(/hidden.*hidden/);
    const open = await ask("read the report");
    const shown = await readTurn(product, String(open.body.turn_id));
    expect(JSON.stringify(shown.steps)).toContain("The request:");
  });
});

describe("other providers", () => {
  it.each(["gemini", "openai"] as const)(
    "[llm.gemini] [plan.no-native-tools] %s plans and answers with its key unseen",
    async (provider) => {
      const key = "key-that-nobody-may-see";
      const server = await startModelServer(provider, ({ raw }, n) => {
        const isResponse = raw.includes("part now: the response");
        const call = { tool: n === 0 ? "reports.read_report" : "final_answer", args: {} };
        return {
          do: "answer",
          text: isResponse ? ANSWER : "",
          json: { commands: [{ command: "QUERY", ...call }] },
        };
      });
      onTestFinished(() => server.stop());
      const other = await startHosted({
        env: { GEMINI_API_KEY: key },
        config: {
          model: {
            anchored: "model",
            provider,
            gemini: { base_url: server.url, model: "big-model", api_key: "${GEMINI_API_KEY}" },
            openai: { base_url: `${server.url}/v1`, model: "big-model", api_key: "${GEMINI_API_KEY}" },
          },
          servers: [
            { name: "reports", command: ["node", "test/fakes/mcp-canary.ts"], trust_annotations: true },
          ],
        },
      });
      const { body } = await say(other, "read the report");
      expect(body).toMatchObject({ planner: provider, reply: ANSWER });
      expect(server.requests).toHaveLength(2);
      for (const request of server.requests) {
        expect(JSON.stringify(request.headers)).toContain(key);
        expect(request.raw).not.toMatch(/"(tools|functions|tool_choice|toolConfig)"/);
        expect(request.raw).not.toContain(key);
      }
      const health = await fetch(`${other.url}/health`).then(
        (response) => response.json() as Promise<object>,
      );
      expect(health).toMatchObject({ model: { provider, model: "big-model", reachable: true } });
      const turn = await readTurn(other, String(body.turn_id));
      expect(JSON.stringify([turn, other.log, health])).not.toContain(key);
    },
  );

  it("[llm.gemini] with a key that is not accepted says so without showing it, and a fallback takes over", async () => {
    const key = "key-that-nobody-may-see";
    const server = await startModelServer("gemini", () => ({
      do: "fail",
      status: 403,
      message: `API key not valid: ${key}`,
    }));
    onTestFinished(() => server.stop());
    const config = {
      model: {
        anchored: "model",
        provider: "gemini",
        fallback: ["ollama"],
        gemini: { base_url: server.url, model: "big-model", api_key: key },
        ollama: { base_url: ollama.url },
      },
      servers: [{ name: "reports", command: ["node", "test/fakes/mcp-canary.ts"], trust_annotations: true }],
    };
    answer = () => ANSWER;
    const other = await startHosted({ config });
    const { body } = await say(other, "read the report");
    expect(body).toMatchObject({ planner: "ollama", reply: ANSWER });
    expect(server.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify([await readTurn(other, String(body.turn_id)), other.log])).not.toContain(key);
  });
});
