import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type FakeOllama, type OllamaRequest, startFakeOllama } from "#test/fakes/ollama.ts";

import { cleanUpAll, type HostedProduct, say as sayIn, startHosted } from "./support.ts";

interface Planned {
  tool: string;
  args: object;
}

const REPORT: Planned = { tool: "reports.read_report", args: {} };
const BROKEN: Planned = { tool: "reports.read_broken_report", args: {} };

/** The model that all products here plan with. Every test says which calls it plans. */
let model: FakeOllama;
let plans: Planned[] = [];
beforeAll(async () => {
  model = await startFakeOllama((request) => {
    // Every turn makes the planned calls one after the other, then answers.
    const made = request.body.messages?.at(-1)?.content.match(/^<data source /gm)?.length ?? 0;
    const next = plans[made] ?? { tool: "final_answer", args: {} };
    return { do: "answer", text: "Here you are.", json: { commands: [{ command: "QUERY", ...next }] } };
  });
});
afterAll(async () => {
  await cleanUpAll();
  await model.stop();
});

/** A test's own conversation, so that it reads nothing of those before it. */
let session = 0;
beforeEach(() => void (session += 1));

function say(
  product: HostedProduct,
  message: string,
  extra: Record<string, unknown> = {},
): ReturnType<typeof sayIn> {
  return sayIn(product, message, { session_id: `test ${session}`, ...extra });
}

/** What the model is asked in a test in which it plans these calls. */
function planning(...calls: Planned[]): OllamaRequest[] {
  plans = calls;
  model.forget();
  return model.requests;
}

/** The product over a server whose every answer holds a canary. */
function startPrivate(config: object = {}): Promise<HostedProduct> {
  return startHosted({
    env: { OLLAMA_HOST: model.url },
    config: {
      model: { anchored: "model", provider: "ollama", ollama: { base_url: "${OLLAMA_HOST}" } },
      servers: [
        {
          name: "reports",
          command: ["node", "test/fakes/mcp-canary.ts"],
          use_persistent_session: true,
          trust_annotations: true,
        },
      ],
      ...config,
    },
  });
}

/** Every word of the canary server that reached the model. */
function leaked(requests: OllamaRequest[]): string[] {
  return [...new Set(JSON.stringify(requests).match(/canary-\w+/g) ?? [])];
}

/** How much of the long field stands in one request. */
function shownOf(request: OllamaRequest | undefined): number {
  return JSON.stringify(request ?? null).match(/ж/g)?.length ?? 0;
}

describe("privacy mode", () => {
  let product: HostedProduct;
  beforeAll(async () => {
    product = await startPrivate({ channels: { "http:quiet": { privacy: { summarize: false } } } });
  });

  it("[privacy.mode] sends the model no byte of a tool's answer, and shows people all", async () => {
    const requests = planning(REPORT);
    const { body } = await say(product, "read the report", { allow_summarization: false });
    expect(body.tool_results.map((one) => one.ok)).toEqual([true]);
    expect(JSON.stringify(body.tool_result?.card)).toContain("canary-name");
    expect(body.tool_result?.data).toMatchObject({ title: "canary-title" });
    expect(body.reply).toMatch(/“Read report”.*\d\.\d s/);
    expect(body.reply).not.toContain("canary");
    // The model planned twice and was not asked for an answer.
    expect(requests).toHaveLength(2);
    expect(requests.every((request) => request.body.format !== undefined)).toBe(true);
    expect(leaked(requests)).toEqual([]);
  });

  it("[privacy.mode] holds for the words of an error as well", async () => {
    const requests = planning(BROKEN, REPORT);
    const { body } = await say(product, "read the broken report and then the report", {
      allow_summarization: false,
    });
    expect(body.tool_results.map((one) => one.ok)).toEqual([false, true]);
    expect(body.tool_results[0]?.error?.message).toContain("canary-error");
    expect(body.reply).not.toContain("canary");
    expect(requests).toHaveLength(3);
    expect(leaked(requests)).toEqual([]);
  });

  it("[privacy.mode] holds in later turns: what was private stays out of the history", async () => {
    const requests = planning(REPORT);
    await say(product, "read the report", { session_id: "later", allow_summarization: false });
    const before = requests.length;
    await say(product, "and again", { session_id: "later", allow_summarization: false });
    expect(requests.length).toBeGreaterThan(before);
    expect(JSON.stringify(requests.slice(before))).toContain("read the report");
    expect(leaked(requests)).toEqual([]);
  });

  it("[privacy.mode] keeps what an earlier, open turn found out of a private one", async () => {
    const requests = planning(REPORT);
    await say(product, "read the report", { session_id: "mixed" });
    expect(leaked(requests)).toContain("canary-title");
    const before = requests.length;
    await say(product, "in private now", { session_id: "mixed", allow_summarization: false });
    expect(requests.length).toBeGreaterThan(before);
    expect(leaked(requests.slice(before))).toEqual([]);
  });

  it("[privacy.mode] set by the operator cannot be switched off by a request", async () => {
    const requests = planning(REPORT);
    const strict = await startPrivate({ privacy: { summarize: false } });
    const { body } = await say(strict, "read the report", { allow_summarization: true });
    expect(body.tool_result?.ok).toBe(true);
    expect(leaked(requests)).toEqual([]);
  });

  it("[privacy.mode] can be set for one channel", async () => {
    const requests = planning(REPORT);
    await say(product, "read the report", { session_id: "quiet" });
    expect(leaked(requests)).toEqual([]);
    await say(product, "read the report", { session_id: "loud" });
    expect(leaked(requests)).toContain("canary-title");
  });
});

describe("what is sent of a long result", () => {
  let product: HostedProduct;
  beforeAll(async () => {
    product = await startPrivate({ limits: { result_chars_to_model: 1_000 } });
  });
  const sized = (plan: Planned): Planned => ({ ...plan, args: { size: 50_000 } });

  it("[privacy.size] is cut to the limit, and the cut is marked", async () => {
    const requests = planning(sized(REPORT));
    const { body } = await say(product, "read the report");
    expect(String(body.tool_result?.data.long)).toHaveLength(50_000);
    const [plan, decision, answer] = requests;
    expect(shownOf(plan)).toBe(0);
    for (const request of [decision, answer]) {
      expect(shownOf(request)).toBeGreaterThan(100);
      expect(shownOf(request)).toBeLessThanOrEqual(1_000);
      expect(JSON.stringify(request)).toMatch(/\[cut: 1000 of \d+ characters are shown\]/);
    }
  });

  it("[privacy.size] is cut together with the other results of the turn", async () => {
    const second = { ...REPORT, args: { size: 40_000 } };
    const requests = planning(sized(REPORT), second);
    const { body } = await say(product, "read both reports");
    expect(body.tool_results).toHaveLength(2);
    for (const request of requests.slice(-2)) {
      expect(shownOf(request)).toBeGreaterThan(100);
      expect(shownOf(request)).toBeLessThanOrEqual(1_000);
      expect(JSON.stringify(request).match(/\[cut: /g)).toHaveLength(2);
    }
  });

  it("[privacy.size] is cut for the words of an error as well", async () => {
    const requests = planning(sized(BROKEN));
    const { body } = await say(product, "read the broken report");
    expect(body.tool_result?.ok).toBe(false);
    for (const request of requests.slice(-2)) {
      expect(shownOf(request)).toBeLessThanOrEqual(1_000);
      expect(JSON.stringify(request)).toContain("[cut: ");
    }
  });
});
