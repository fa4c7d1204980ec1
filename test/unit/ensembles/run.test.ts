import { describe, expect, it } from "vitest";
import pLimit from "p-limit";

import type { RunEvent } from "#servers/ensembles/engine/agent.ts";
import { runEnsemble } from "#servers/ensembles/engine/run.ts";

import { engine, ensemble, fakeClock } from "./support.ts";

const signal = new AbortController().signal;

describe("[ensembles.engine] a run", () => {
  it("has a bound for the agents of all that it runs, and says who did not fit", async () => {
    const many = (name: string, agent: string): string =>
      `name: ${name}\nagents:\n${Array.from({ length: 200 }, (_, n) => `  - { name: a${n}, ${agent} }\n`).join("")}`;
    const inner = ensemble(many("inner", "model_profile: m"));
    const world = { ...engine({}), ensemble: () => inner };
    const { status, results } = await runEnsemble(world, ensemble(many("outer", "ensemble: inner")), "x", {
      signal,
    });
    // 200 of its own, and 24 times 200.
    expect(world.models.asked).toHaveLength(4800);
    const failed = Object.values(results).filter((one) => one.status === "failed");
    expect({ status, failed: failed.length }).toEqual({ status: "completed_with_errors", failed: 176 });
    expect(failed[0]?.error).toBe(
      "a run has at most 5000 agents, and 200 more would be too many: give it fewer items, rounds or nested ensembles",
    );
  });

  it("starts agents that wait for nothing together, and those that wait when theirs have ended", async () => {
    const order: string[] = [];
    const world = engine({
      script: ({ model, prompt }) => (order.push(model), `${model}: ${prompt.length > 20 ? "more" : prompt}`),
    });
    const panel = ensemble(`
name: panel
agents:
  - { name: sum, model_profile: s, depends_on: [a, b] }
  - { name: a, model_profile: a }
  - { name: b, model_profile: b, system_prompt: "be b" }
`);
    const events: string[] = [];
    const run = await runEnsemble(world, panel, "the task", {
      signal,
      onEvent: (event) => events.push(told(event)),
    });
    expect(order).toEqual(["a-model", "b-model", "s-model"]);
    expect(events).toEqual([
      "run_started",
      "agent_started a",
      "agent_started b",
      "agent_ended a 1/3",
      "agent_ended b 2/3",
      "agent_started sum",
      "agent_ended sum 3/3",
      "run_ended",
    ]);
    expect(run).toMatchObject({
      status: "completed",
      deliverable: "s-model: more",
      results: { a: { response: "a-model: the task", status: "success" } },
      metadata: { phases: [["a", "b"], ["sum"]], started_at: "2026-11-23T10:15:00.123Z", duration: "0.00s" },
    });
    expect(Object.keys(run.results)).toEqual(["sum", "a", "b"]);
    expect(world.models.asked[1]?.system).toBe("be b");
    expect(world.models.asked[2]?.prompt).toContain("## a\na-model: the task");
    expect(run.metadata.usage.agents["a"]).toMatchObject({
      input_tokens: 2,
      output_tokens: 3,
      total_tokens: 5,
      cost_usd: 0.005,
      model: "a-model",
    });
    expect(run.metadata.usage.totals.agents_count).toBe(3);
  });

  it("is the same twice under one clock and one script", async () => {
    const text =
      "name: p\nagents:\n  - { name: a, model_profile: a }\n  - { name: b, model_profile: b, depends_on: [a] }";
    const runs = await Promise.all(
      [1, 2].map(() => runEnsemble(engine({}), ensemble(text), "x", { signal })),
    );
    expect(runs[0]).toEqual(runs[1]);
  });

  it("goes on where one agent fails, and tells those that depend on it", async () => {
    const world = engine({
      script: ({ model, prompt }) => (model === "a-model" ? new Error("out of memory") : prompt),
    });
    const text = `
name: p
agents:
  - { name: a, model_profile: a }
  - { name: b, model_profile: b }
  - { name: told, model_profile: c, depends_on: [a, b] }
  - { name: careful, model_profile: d, depends_on: [a], on_dependency_failure: skip }
`;
    const { results, status } = await runEnsemble(world, ensemble(text), "x", { signal });
    expect(status).toBe("completed_with_errors");
    expect(results).toMatchObject({
      a: { status: "failed", error: "out of memory" },
      b: { status: "success" },
      told: { status: "success", response: expect.stringContaining("This agent failed: out of memory") },
      careful: { status: "skipped", error: "nothing before it succeeded: a (out of memory)" },
    });
  });

  it("gives an agent its time, and ends it after", async () => {
    const clock = fakeClock();
    let aborted = false;
    const world = engine({
      clock,
      script: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => ((aborted = true), reject(signal.reason as Error))),
        ),
    });
    const running = runEnsemble(
      world,
      ensemble("name: p\nagents:\n  - { name: a, model_profile: a, timeout_seconds: 5 }"),
      "x",
      {
        signal,
        onEvent: (event) => event.type === "agent_started" && setImmediate(() => clock.advance(5000)),
      },
    );
    expect((await running).results["a"]).toEqual({
      response: "",
      status: "failed",
      error: "it took longer than 5 s: set timeout_seconds",
    });
    expect(aborted).toBe(true);
  });

  it("falls back on another profile, and says so", async () => {
    const events: RunEvent[] = [];
    const world = engine({
      script: ({ model }) => (model === "big-model" ? new Error("not there") : "small answer"),
    });
    const text = "name: p\nagents:\n  - { name: a, model_profile: big, fallback_model_profile: small }";
    const { results } = await runEnsemble(world, ensemble(text), "x", {
      signal,
      onEvent: (event) => events.push(event),
    });
    expect(results["a"]).toEqual({ response: "small answer", status: "success", fallback: "small" });
    expect(events).toContainEqual({
      type: "fallback",
      agent: "a",
      from: "big",
      to: "small",
      error: "not there",
    });
  });

  it("runs an agent for each item of a list, and keeps what came of each", async () => {
    const world = engine({
      scripts: {
        list: () => ({ files: ["one", "two", "three"], other: 1 }),
        work: (input) => {
          const { input_data: item } = input as { input_data: string };
          if (item === "two") throw new Error("no two");
          return item.toUpperCase();
        },
      },
    });
    const text = `
name: p
agents:
  - { name: list, script: list }
  - { name: each, script: work, depends_on: [list], input_key: files, fan_out: true }
  - { name: model, model_profile: m, depends_on: [list], input_key: files, fan_out: true }
  - { name: wrong, model_profile: m, depends_on: [list], input_key: other, fan_out: true }
  - { name: missing, model_profile: m, depends_on: [list], input_key: nothing }
`;
    const { results } = await runEnsemble(world, ensemble(text), "the whole", { signal });
    expect(results["each"]).toMatchObject({
      status: "partial",
      response: '["ONE",null,"THREE"]',
      error: "1 of 3 items failed: no two",
      instances: [{ status: "success" }, { status: "failed" }, { status: "success" }],
    });
    expect(results["model"]?.instances?.[2]?.response).toContain("Item 3 of 3:\nthree");
    expect(results["wrong"]?.error).toBe('fan_out: expected a list from "list", got 1');
    expect(results["missing"]?.error).toBe(
      'input_key: "list" answered no field "nothing"; it has files, other',
    );
  });

  it("skips an agent whose condition does not hold", async () => {
    const world = engine({
      script: ({ model }) =>
        model === "c-model" ? '```json\n{"kind": "bug", "sure": true, "n": 3}\n```' : "ran",
    });
    const condition = (name: string, when: string): string =>
      `  - { name: ${name}, model_profile: m, depends_on: [c], when: '${when}' }\n`;
    const text = `name: p\nagents:\n  - { name: c, model_profile: c }\n${condition("yes", '${c.kind} == "bug"')}${condition("no", "${c.kind} != bug")}${condition("sure", "${c.sure}")}${condition("three", "${c.n} == 3")}${condition("none", "${c.nothing}")}${condition("status", "${c.status} == success")}`;
    const { results, status } = await runEnsemble(world, ensemble(text), "x", { signal });
    expect(Object.fromEntries(Object.entries(results).map(([name, { status }]) => [name, status]))).toEqual({
      c: "success",
      yes: "success",
      no: "skipped",
      sure: "success",
      three: "success",
      none: "skipped",
      status: "success",
    });
    expect(status).toBe("completed");
  });

  it("runs ensembles in ensembles up to five deep", async () => {
    const level = (n: number): string => `name: l${n}\nagents:\n  - { name: a, ensemble: l${n + 1} }`;
    const ensembles: Record<string, string> = { l6: "name: l6\nagents:\n  - { name: a, model_profile: m }" };
    for (const n of [1, 2, 3, 4, 5]) ensembles[`l${n}`] = level(n);
    const fine = await runEnsemble(engine({ ensembles }), ensemble(ensembles["l1"] ?? ""), "deep", {
      signal,
    });
    expect(fine).toMatchObject({
      status: "completed",
      deliverable: "heard: deep",
      results: { a: { ensemble: { name: "l2" } } },
    });
    expect(fine.metadata.usage.totals.total_tokens).toBe(3);
    const over = await runEnsemble(engine({ ensembles }), ensemble(level(0)), "deep", { signal });
    expect(JSON.stringify(over.results)).toContain(
      "Ensemble nesting depth limit exceeded: depth 6 > limit 5",
    );
    expect(over.status).toBe("completed_with_errors");
  });

  it("loops until the condition holds, and carries what the round answered", async () => {
    const ensembles = { body: "name: body\nagents:\n  - { name: count, script: count }" };
    const scripts = {
      count: (input: unknown) => {
        const n = Number((input as { input_data: string }).input_data) + 1;
        return { n, done: n >= 3, next: String(n) };
      },
    };
    const loop = (most: number): string =>
      `name: p\nagents:\n  - { name: l, loop: { body: body, until: "\${done}", carry: "\${next}", max_iterations: ${most} } }`;
    const until = await runEnsemble(engine({ ensembles, scripts }), ensemble(loop(9)), "0", { signal });
    expect(JSON.parse(until.deliverable ?? "")).toEqual({
      output: { n: 3, done: true, next: "3" },
      iterations: 3,
      terminated: "until",
    });
    const bound = await runEnsemble(engine({ ensembles, scripts }), ensemble(loop(2)), "0", { signal });
    expect(JSON.parse(bound.deliverable ?? "")).toMatchObject({
      iterations: 2,
      terminated: "max_iterations",
    });
  });

  it("dispatches to the ensemble that an agent names", async () => {
    const ensembles = { greet: "name: greet\nagents:\n  - { name: a, model_profile: m }" };
    const text = (target: string): string => `
name: p
agents:
  - { name: route, script: route }
  - { name: go, dispatch: "\${route.${target}}", depends_on: [route], input_key: text }
`;
    const scripts = { route: () => ({ target: "greet", bad: "nobody", text: "hello" }) };
    const fine = await runEnsemble(engine({ ensembles, scripts }), ensemble(text("target")), "x", { signal });
    expect(fine.deliverable).toBe("heard: hello");
    const unknown = await runEnsemble(engine({ ensembles, scripts }), ensemble(text("bad")), "x", { signal });
    expect(unknown.results["go"]?.error).toBe('there is no ensemble "nobody"');
    const nothing = await runEnsemble(engine({ ensembles, scripts }), ensemble(text("none")), "x", {
      signal,
    });
    expect(nothing.results["go"]?.error).toBe(
      "dispatch: expected the name of an ensemble at ${route.none}, got nothing",
    );
  });

  it("answers the same question from memory where an agent has a cache", async () => {
    const world = engine({});
    const text = "name: p\nagents:\n  - { name: a, model_profile: m, cache: true }";
    const first = await runEnsemble(world, ensemble(text), "x", { signal });
    const second = await runEnsemble(world, ensemble(text), "x", { signal });
    await runEnsemble(world, ensemble(text), "y", { signal });
    expect(world.models.asked).toHaveLength(2);
    expect(second.results["a"]).toEqual({ ...first.results["a"], cached: true });
    expect(second.metadata.usage.totals.total_tokens).toBe(0);
  });

  it("holds a model to JSON", async () => {
    const text = "name: p\nagents:\n  - { name: a, model_profile: m, output_format: json }";
    const world = engine({ script: () => "no json at all" });
    const { results } = await runEnsemble(world, ensemble(text), "x", { signal });
    expect(results["a"]?.error).toBe("m-model was to answer JSON and did not: no json at all");
    expect(world.models.asked[0]?.json).toBe(true);
  });

  it("keeps to its limit of agents at once", async () => {
    let atOnce = 0;
    let most = 0;
    const world = engine({
      limit: pLimit(3),
      async script() {
        most = Math.max(most, (atOnce += 1));
        await new Promise(setImmediate);
        atOnce -= 1;
        return "ok";
      },
    });
    const agents = Array.from({ length: 20 }, (_, n) => `  - { name: a${n}, model_profile: m }`);
    const { status } = await runEnsemble(world, ensemble(`name: p\nagents:\n${agents.join("\n")}`), "x", {
      signal,
    });
    expect([status, most]).toEqual(["completed", 3]);
  });

  it("ends when it is cancelled: what runs is stopped, and what waits is skipped", async () => {
    const stop = new AbortController();
    const world = engine({
      script: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    const text =
      "name: p\nagents:\n  - { name: a, model_profile: m }\n  - { name: b, model_profile: m, depends_on: [a] }";
    const run = await runEnsemble(world, ensemble(text), "x", {
      signal: stop.signal,
      onEvent: (event) => event.type === "agent_started" && setImmediate(() => stop.abort()),
    });
    expect(run).toMatchObject({
      status: "cancelled",
      deliverable: null,
      results: { a: { status: "failed", error: "the run was cancelled" }, b: { status: "skipped" } },
    });
  });

  it("has a coordinator, as older files have it", async () => {
    const text =
      "name: p\nagents:\n  - { name: a, model_profile: m }\n  - { name: b, model_profile: m }\ncoordinator:\n  model_profile: c\n  synthesis_prompt: Weigh them.";
    const world = engine({});
    const run = await runEnsemble(world, ensemble(text), "x", { signal });
    expect(run.metadata.phases).toEqual([["a", "b"], ["coordinator"]]);
    expect(world.models.asked[2]).toMatchObject({ model: "c-model", system: "Weigh them." });
  });

  it("takes the default task where no input is given", async () => {
    const run = await runEnsemble(
      engine({}),
      ensemble("name: p\ndefault_task: say hello\nagents:\n  - { name: a, model_profile: m }"),
      " ",
      { signal },
    );
    expect(run.deliverable).toBe("heard: say hello");
  });
});

function told(event: RunEvent): string {
  const agent = "agent" in event ? ` ${event.agent}` : "";
  return event.type === "agent_ended"
    ? `agent_ended${agent} ${event.completed}/${event.total}`
    : `${event.type}${agent}`;
}
