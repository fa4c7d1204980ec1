import { afterEach, describe, expect, it } from "vitest";

import { CountersignError } from "#src/base/errors.ts";
import { type EndedRun, openTracer, type Tracer, type TraceOptions } from "#src/observe/traces.ts";
import { type Collector, startCollector } from "#test/fakes/collector.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (ends.length > 0) await ends.pop()?.();
});

async function open(more: Partial<TraceOptions> = {}): Promise<{ tracer: Tracer; collector: Collector }> {
  const collector = await startCollector();
  ends.push(() => collector.stop());
  const tracer = await openTracer({
    otlp_url: collector.url,
    share: 1,
    data: false,
    version: "1.2.3",
    mask: (text) => text.replaceAll("swordfish", "[redacted]"),
    onDelivery: () => {},
    ...more,
  });
  return { tracer, collector };
}

const ended: EndedRun = {
  surface: "http",
  state: "done",
  createdAt: Date.now() - 500,
  message: "the word is swordfish",
  epoch: 1,
};

describe("a trace", () => {
  it("[ops.tracing] is one for a turn, whoever tells of its parts, and nothing of what is outside", async () => {
    const { tracer, collector } = await open();
    const other = await open({ otlp_url: collector.url });
    let told: string | undefined;
    const begun = Promise.withResolvers<void>();
    let late: Promise<string> | undefined;
    await tracer.run("turn_1", async () => {
      await tracer.part("plan", {}, () =>
        tracer.part("model", {}, async (part) => (told = part.traceparent)),
      );
      expect(tracer.part("render", {}, () => 7)).toBe(7);
      const failing = tracer.part("call", {}, async () => {
        throw new CountersignError("timeout", "nobody answered ana");
      });
      await expect(failing).rejects.toThrow("nobody answered ana");
      late = begun.promise.then(() => tracer.part("late", {}, () => "done"));
      return ended;
    });
    await other.tracer.part("slack.edit", {}, async () => {}, "turn_1");
    await other.tracer.run("turn_1", async () => {
      other.tracer.approved({ id: "appr_1", createdAt: 1_000, decidedAt: 61_000 });
      return { ...ended, epoch: 2 };
    });
    begun.resolve();
    await expect(late).resolves.toBe("done");
    expect(tracer.part("elsewhere", {}, (part) => part.traceparent)).toBeUndefined();
    await Promise.all([tracer.close(), other.tracer.close()]);

    const spans = collector.spans();
    const byName = (name: string) => spans.find((span) => span.name === name);
    expect(spans.map(({ name }) => name).toSorted()).toEqual(
      ["call", "model", "plan", "queue", "render", "run", "run", "slack.edit", "turn"].toSorted(),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [turn, model, plan] = [byName("turn"), byName("model"), byName("plan")];
    expect(turn?.parentSpanId ?? "").toBe("");
    expect(told).toBe(`00-${turn?.traceId}-${model?.spanId}-01`);
    expect(model?.parentSpanId).toBe(plan?.spanId);
    const runs = spans.filter(({ name }) => name === "run");
    for (const span of [...runs, byName("queue"), byName("slack.edit")])
      expect(span?.parentSpanId).toBe(turn?.spanId);
    expect(runs.flatMap(({ links }) => links)).toMatchObject([
      {
        traceId: turn?.traceId,
        spanId: turn?.spanId,
        attributes: { "countersign.approval": "appr_1", "countersign.approval.waited_ms": 60_000 },
      },
    ]);
    expect(byName("call")).toMatchObject({ attributes: { "error.type": "timeout" }, status: { code: 2 } });
    expect(collector.wire()).not.toMatch(/swordfish|nobody answered|the word/);
  });

  it("[ops.tracing] holds messages and data where the operator allows it, without secrets", async () => {
    const { tracer, collector } = await open({ data: true });
    expect(tracer.mayTellData).toBe(true);
    await tracer.run("turn_2", async () => {
      await tracer.part("call", {}, async (part) => part.tell({ "countersign.arguments": "swordfish, x" }));
      return ended;
    });
    await tracer.close();
    expect(collector.wire()).toContain("the word is [redacted]");
    expect(collector.wire()).toContain("[redacted], x");
    expect(collector.wire()).not.toContain("swordfish");
  });

  it("[ops.tracing] is left out, or told of a share of all turns, the same on each replica", async () => {
    const off = await openTracer({ ...({} as TraceOptions), otlp_url: "" });
    await off.run("turn_3", async () => {
      expect(off.part("plan", {}, (part) => part.traceparent)).toBeUndefined();
      return undefined;
    });
    const replicas = await Promise.all([open({ share: 0.5 }), open({ share: 0.5 })]);
    const traced = await Promise.all(
      replicas.map(async ({ tracer, collector }) => {
        for (let n = 0; n < 60; n += 1) await tracer.run(`turn_${n}`, async () => ended);
        await tracer.close();
        return collector.spans().map(({ traceId, name }) => `${traceId} ${name}`);
      }),
    );
    expect(traced[0]?.toSorted()).toEqual(traced[1]?.toSorted());
    expect(traced[0]?.length).toBeGreaterThan(15);
    expect(traced[0]?.length).toBeLessThan(165);
  });

  it("[ops.tracing] is given up where no collector takes it, and holds up nobody", async () => {
    const hanging = await startCollector({ hangs: true });
    ends.push(() => hanging.stop());
    const told: (Error | undefined)[] = [];
    for (const otlp_url of [hanging.url, "http://127.0.0.1:9"]) {
      const { tracer } = await open({ otlp_url, onDelivery: (_spans, error) => void told.push(error) });
      for (let n = 0; n < 3_000; n += 1) await tracer.run(`turn_${n}`, async () => ended);
      await tracer.close();
    }
    expect(told.every((error) => error !== undefined)).toBe(true);
  });
});
