import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import type { CallErrorCode } from "#contract/tool.ts";
import type { ToolBox } from "#contract/tool.ts";
import type { TurnEvent, TurnResult } from "#contract/turn.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createMetrics, type Recorder, type StoreFigures } from "#src/observe/metrics.ts";
import { openTracer } from "#src/observe/traces.ts";
import { watchedMessages, watchedModel, watchedPlanner, watchedTools } from "#src/observe/watched.ts";
import { root } from "#test/fakes/mcp-box.ts";

const figures: StoreFigures = {
  turns: { queued: 2, running: 1 },
  oldestQueuedMs: 1_500,
  approvals: { pending: 3 },
  oldestPendingMs: 60_000,
  auditHead: 41,
};

function createRecorder(read: () => Promise<StoreFigures> = () => Promise.resolve(figures)): Recorder {
  return createMetrics({ version: "1.2.3", figures: read, servers: () => [] });
}

/** The samples, by name with labels. */
async function samples(metrics: Recorder): Promise<Map<string, number>> {
  const lines = (await metrics.read()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

const onDelivery = (): void => undefined;
const called = (server: string, name: string) => ({ tool: { server, name } });

describe("what is counted", () => {
  it("[ops.metrics] is OpenMetrics: each family once, each sample once and of its family, and an end", async () => {
    const metrics = createRecorder();
    metrics.toolCalled({ server: "a", name: 'say "hi"\\\n# EOF' }, { ok: true }, 5);
    const text = await metrics.read();
    expect(text.endsWith("# EOF\n")).toBe(true);
    expect(metrics.contentType).toContain("application/openmetrics-text; version=1.0.0");
    let family = "";
    const [families, seen] = [new Set<string>(), new Set<string>()];
    for (const line of text.trimEnd().split("\n")) {
      if (line === "# EOF") continue;
      const type = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line)?.[1];
      if (type !== undefined) {
        family = type;
        expect(families.has(family)).toBe(false);
        families.add(family);
      } else if (!line.startsWith("# HELP ")) {
        const sample = /^(\w+)(?:\{(?:\w+="(?:[^"\\\n]|\\[\\n"])*",?)+\})? (?:[-+.\de]+|Nan)$/.exec(line);
        expect(sample?.[1]?.startsWith(family)).toBe(true);
        const key = line.slice(0, line.lastIndexOf(" "));
        expect(seen.has(key)).toBe(false);
        seen.add(key);
      }
    }
  });

  it("[ops.metrics] stays small whatever a server calls its tools, and others are counted by name beside it", async () => {
    const metrics = createRecorder();
    for (let n = 0; n < 10_000; n += 1) {
      const name =
        n % 2 === 0 ? `tool_${n}_${"x".repeat(500)}` : `half ${String.fromCodePoint(0xd800 + (n % 500))}`;
      metrics.toolCalled({ server: "hostile", name }, { ok: true }, 1);
      metrics.modelAsked({ provider: "openai", model: name, stage: "decision", outcome: `code ${n}` }, 1);
      metrics.shown("slack", "post", 1, `error_${n}`);
    }
    for (let n = 0; n < 1_000; n += 1) {
      const error = { code: `code ${n}` as CallErrorCode, message: "", sent: "yes" } as const;
      metrics.toolCalled({ server: "odd", name: "call" }, { ok: false, error }, 1);
    }
    metrics.toolCalled({ server: "jira", name: "get_jira_issue" }, { ok: true }, 1);
    const found = [...(await samples(metrics))];
    expect(found.length).toBeLessThan(5_000);
    const hostile = found.filter(([key]) => key.startsWith('countersign_tool_calls_total{server="hostile"'));
    expect(hostile.length).toBe(101);
    const odd = found.filter(([key]) => key.startsWith('countersign_tool_calls_total{server="odd"'));
    expect(odd.length).toBe(51);
    expect(hostile.reduce((sum, [, count]) => sum + count, 0)).toBe(10_000);
    expect(Math.max(...found.map(([key]) => key.length))).toBeLessThan(250);
    expect(Object.fromEntries(found)).toMatchObject({
      'countersign_tool_calls_total{server="jira",tool="get_jira_issue",outcome="ok"}': 1,
    });
  });

  it("[ops.metrics] tells of turns how they ended, which limits ended some, and leaves out what people took", async () => {
    const metrics = createRecorder();
    const timings = { queuedMs: 10, planningMs: 200, toolsMs: 300, summarizingMs: 0, totalMs: 600 };
    const toEvent = (event: TurnEvent) => ({ numbered: { turnId: "turn_1", seq: 1, event } });
    const result: TurnResult = { reply: "", planner: "builtin", toolResults: [], log: [], timings };
    const approval = { atMs: 5_000, stage: "approval", message: "approved" } as const;
    const limited = { scope: "person", what: "turns", amount: 3, withinMs: 60_000, until: 0 } as const;
    const done = (more: object): void =>
      metrics.turn({ state: "done", events: [toEvent({ type: "result", result: { ...result, ...more } })] });
    done({});
    done({ log: [approval] });
    done({ limited });
    metrics.turn({ state: "running", events: [] });
    metrics.turn({
      state: "failed",
      events: [toEvent({ type: "error", code: "plan_invalid", message: "ana said so" })],
    });
    expect(Object.fromEntries(await samples(metrics))).toMatchObject({
      'countersign_turns_total{outcome="done"}': 3,
      'countersign_turns_total{outcome="failed"}': 1,
      'countersign_turn_seconds_count{stage="total"}': 1,
      'countersign_turn_seconds_sum{stage="planning"}': 0.2,
      'countersign_limited_turns_total{scope="person",what="turns"}': 1,
      'countersign_errors_total{where="turn",code="plan_invalid"}': 1,
    });
    expect(await metrics.read()).not.toContain("ana said so");
  });

  it("[ops.metrics] tells of the store what it says when it is asked, and that it is down instead of a number", async () => {
    const answers = [Promise.resolve(figures), Promise.reject(new Error("gone"))];
    const metrics = createRecorder(() => answers.shift() ?? Promise.resolve(figures));
    expect(Object.fromEntries(await samples(metrics))).toMatchObject({
      countersign_store_up: 1,
      'countersign_open_turns{state="queued"}': 2,
      countersign_queue_oldest_seconds: 1.5,
      'countersign_open_approvals{state="pending"}': 3,
      countersign_approval_oldest_seconds: 60,
      countersign_audit_head: 41,
    });
    const down = await samples(metrics);
    expect(down.get("countersign_store_up")).toBe(0);
    expect([...down.keys()].filter((key) => /^countersign_(?:open_|.*oldest|audit_head)/.test(key))).toEqual(
      [],
    );
    expect((await samples(metrics)).get("countersign_audit_head")).toBe(41);
  });

  it("[ops.metrics] is told without the store where that keeps silent, which is not asked again meanwhile", async () => {
    let asked = 0;
    const silent = Promise.withResolvers<StoreFigures>();
    const read = (): Promise<StoreFigures> => {
      asked += 1;
      return silent.promise;
    };
    const metrics = createMetrics({ version: "1", figures: read, figuresMs: 1, servers: () => [] });
    for (let n = 0; n < 3; n += 1) expect((await samples(metrics)).get("countersign_store_up")).toBe(0);
    expect(asked).toBe(1);
    silent.resolve(figures);
    await silent.promise;
    expect((await samples(metrics)).get("countersign_store_up")).toBe(1);
  });
});

describe("what stands before a port", () => {
  it("[ops.metrics] counts what it is asked, by outcome, and hands on what came of it", async () => {
    const metrics = createRecorder();
    const tracer = await openTracer({
      otlp_url: "",
      share: 1,
      data: false,
      version: "",
      mask: String,
      onDelivery,
    });
    const watch = { record: metrics, tracer };
    const busy = Object.assign(new CountersignError("slack_busy", "slow down"), { retryAfterMs: 4_000 });
    const messages = watchedMessages(
      {
        surface: "slack",
        post: () => Promise.reject(busy),
        edit: () => Promise.resolve(),
        find: () => Promise.resolve(undefined),
        statusDelayMs: () => 7,
      },
      watch,
    );
    await expect(messages.post({}, { turnId: "turn_1" } as never)).rejects.toBe(busy);
    await messages.edit({}, { turnId: "turn_1" } as never);
    expect(messages.statusDelayMs({})).toBe(7);
    expect(Object.keys(messages)).not.toContain("notify");

    const error = { code: "timeout", message: "", sent: "maybe" } as const;
    const box: ToolBox = {
      tools: () => [],
      find: () => undefined,
      servers: () => [],
      call: () => Promise.resolve({ ok: false, data: null, error }),
    };
    const tools = watchedTools(box, watch);
    expect(await tools.call(called("jira", "search") as never)).toMatchObject({ error });

    const usage = { promptTokens: 90, answerTokens: 10 };
    const answers = [
      Promise.resolve({ text: "", structured: false, provider: "gemini", model: "flash", usage } as const),
      Promise.reject(new CountersignError("model_timeout", "no answer")),
    ];
    const model = watchedModel(
      {
        provider: "ollama",
        model: "qwen",
        probe: () => Promise.resolve({ reachable: true }),
        generate: () => answers.shift() ?? Promise.reject(new Error("asked too often")),
      },
      watch,
    );
    const asked = { stage: "decision", signal: AbortSignal.timeout(1_000) } as never;
    expect(await model.generate(asked)).toMatchObject({ model: "flash" });
    await expect(model.generate(asked)).rejects.toThrow("no answer");

    const attempts = [
      { stage: "decision" as const, model: "ollama/qwen", raw: "?", fault: "no block" },
      {
        stage: "decision" as const,
        model: "ollama/qwen",
        raw: "",
        fault: "gone",
        code: "model_timeout" as const,
      },
      { raw: "built in", fault: "an argument is missing" },
    ];
    const step = {
      planner: "builtin",
      outcome: { kind: "final" },
      attempts,
      handover: "it was slow",
    } as const;
    const planner = watchedPlanner(
      { decide: () => Promise.resolve({ ...step, attempts }), respond: () => Promise.resolve({ reply: "" }) },
      watch,
    );
    await planner.decide({} as never, AbortSignal.timeout(1_000));
    metrics.coalesced("slack", 3);
    metrics.waited("discord", 1_500);

    expect(Object.fromEntries(await samples(metrics))).toMatchObject({
      'countersign_platform_calls_total{surface="slack",call="post",outcome="failed"}': 1,
      'countersign_platform_calls_total{surface="slack",call="edit",outcome="ok"}': 1,
      'countersign_errors_total{where="platform",code="slack_busy"}': 1,
      'countersign_rate_limit_wait_seconds_total{surface="slack"}': 4,
      'countersign_rate_limit_wait_seconds_total{surface="discord"}': 1.5,
      'countersign_tool_calls_total{server="jira",tool="search",outcome="timeout"}': 1,
      'countersign_errors_total{where="call",code="timeout"}': 1,
      'countersign_model_requests_total{provider="gemini",model="flash",stage="decision",outcome="ok"}': 1,
      'countersign_model_requests_total{provider="ollama",model="qwen",stage="decision",outcome="model_timeout"}': 1,
      'countersign_model_tokens_total{provider="gemini",model="flash",kind="prompt"}': 90,
      'countersign_plans_total{planner="builtin"}': 1,
      'countersign_protocol_repairs_total{stage="decision"}': 1,
      countersign_model_handovers_total: 1,
      'countersign_edits_coalesced_total{surface="slack"}': 3,
    });
  });
});

describe("the dashboard and the alert rules", () => {
  it("[ops.metrics] name only what is counted, and show all of it", async () => {
    const metrics = createRecorder();
    const kept = new Set<string>();
    for (const [, name = "", type] of (await metrics.read()).matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      if (type === "counter") kept.add(`${name}_total`);
      else if (type === "histogram")
        for (const part of ["bucket", "sum", "count"]) kept.add(`${name}_${part}`);
      else kept.add(name);
    }
    const read = (file: string): Promise<string> => readFile(join(root, "docs/monitoring", file), "utf8");
    const dashboard = JSON.parse(await read("dashboard.json")) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const alerts = parse(await read("alerts.yaml")) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(40);
    const named = expressions.flatMap((text) => text.match(/\b(?:countersign|process|nodejs)_\w+/g) ?? []);
    expect([...new Set(named)].filter((name) => !kept.has(name))).toEqual([]);
    const shown = new Set(named.filter((name) => name.startsWith("countersign_")));
    const unseen = [...kept].filter(
      (name) => name.startsWith("countersign_") && !/_(?:sum|count)$/.test(name),
    );
    expect(unseen.filter((name) => !shown.has(name))).toEqual([]);
  });
});
