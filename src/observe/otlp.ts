import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

import { codeOf } from "../base/errors.ts";
import type { Facts, Part, TraceOptions, Tracer } from "./traces.ts";

/** What a collector that hangs may hold up: spans that wait, further ones are dropped, and milliseconds. */
const MOST_WAITING = 2_048;
const EXPORT_MS = 5_000;
const CLOSE_MS = 2_000;
/** How soon what happened is told, in milliseconds. */
const GATHER_MS = 2_000;
/** Texts and data that may go along, in characters. */
const LONGEST = 2_000;

/** Where a part stands, and the run that it belongs to. */
interface Around {
  context: Context;
  run: { approved: { id: string; waitedMs: number }[]; isOver: boolean };
}

/** Traces turns with OpenTelemetry, over OTLP. */
export function createTracer(options: TraceOptions): Tracer {
  const ids = createIds();
  const exporter = new OTLPTraceExporter({ url: tracesUrl(options.otlp_url), timeoutMillis: EXPORT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "countersign",
      "service.version": options.version,
      "service.instance.id": ids.generateTraceId(),
    }),
    idGenerator: ids,
    // By the id, which each replica makes of the turn's: all of them trace the same turns.
    sampler: new TraceIdRatioBasedSampler(options.share),
    spanLimits: { attributeValueLengthLimit: LONGEST },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, options.onDelivery),
        maxQueueSize: MOST_WAITING,
        scheduledDelayMillis: GATHER_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("countersign", options.version);
  const around = new AsyncLocalStorage<Around>();

  /** Ends the span with what the work came to. */
  function finish<Result>(span: Span, work: () => Result): Result {
    const fail = (error: unknown): never => {
      failSpan(span, codeOf(error) ?? "failed");
      span.end();
      throw error;
    };
    let result: Result;
    try {
      result = work();
    } catch (error) {
      return fail(error);
    }
    if (result instanceof Promise) {
      return result.then((value: unknown) => {
        span.end();
        return value;
      }, fail) as Result;
    }
    span.end();
    return result;
  }

  return {
    mayTellData: options.data,
    run(turnId, work) {
      const root = rootOf(turnId);
      const context = trace.setSpanContext(ROOT_CONTEXT, root);
      const begun = Date.now();
      const span = tracer.startSpan("run", { startTime: begun }, context);
      const own: Around = {
        context: trace.setSpan(ROOT_CONTEXT, span),
        run: { approved: [], isOver: false },
      };
      return around.run(own, () =>
        finish(span, async () => {
          // What was begun in it and outlives it, such as a connection, is no part of it.
          const run = await work().finally(() => (own.run.isOver = true));
          if (run === undefined) return run;
          const { epoch, state, surface, createdAt, message, error, result } = run;
          span.setAttributes({ "countersign.state": state, "countersign.run": epoch });
          if (error !== undefined) failSpan(span, error.code);
          if (epoch > 1) for (const link of waitsOf(own.run, root)) span.addLink(link);
          if (epoch !== 1) return run;
          // The first run tells of the turn as well, whose id all its parts know beforehand.
          const attributes = toAttributes({
            "countersign.turn": turnId,
            "countersign.surface": surface,
            "countersign.state": state,
            "countersign.planner": result?.planner,
            "countersign.message": options.data ? options.mask(message) : undefined,
          });
          const whole = ids.with(root, () =>
            tracer.startSpan("turn", {
              root: true,
              startTime: createdAt,
              attributes,
              kind: SpanKind.CONSUMER,
            }),
          );
          if (error !== undefined) failSpan(whole, error.code);
          whole.end();
          tracer.startSpan("queue", { startTime: createdAt }, context).end(Math.max(createdAt, begun));
          return run;
        }),
      );
    },
    part(name, facts, work, of) {
      const outer = of === undefined ? around.getStore() : turnAround(of);
      if (outer === undefined || outer.run.isOver) return work(untold);
      const { context, run } = outer;
      const attributes = toAttributes(facts, options.mask);
      const span = tracer.startSpan(name, { attributes, kind: kindOf(name) }, context);
      return around.run({ context: trace.setSpan(context, span), run }, () =>
        finish(span, () => work(toPart(span, options.mask))),
      );
    },
    approved({ id, createdAt, decidedAt = createdAt }) {
      around.getStore()?.run.approved.push({ id, waitedMs: decidedAt - createdAt });
    },
    async close() {
      // A collector that hangs does not hold up the end.
      await Promise.race([provider.shutdown().catch(() => {}), delay(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

const untold: Part = { tell: () => {}, fail: () => {} };

/** What happens outside a run, such as a message that is edited after it. */
function turnAround(turnId: string): Around {
  return {
    context: trace.setSpanContext(ROOT_CONTEXT, rootOf(turnId)),
    run: { approved: [], isOver: false },
  };
}

/** Parts in which somebody outside is asked. */
function kindOf(name: string): SpanKind {
  return name === "call" || name === "model" || name.includes(".") ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

function toPart(span: Span, mask: TraceOptions["mask"]): Part {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    tell: (facts) => void span.setAttributes(toAttributes(facts, mask)),
    fail: (code) => failSpan(span, code),
  };
}

function toAttributes(facts: Facts, mask: TraceOptions["mask"] = (text) => text): Attributes {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === "string" ? mask(value) : value]),
  );
}

/** By its code alone: messages of errors hold what servers and people said. */
function failSpan(span: Span, code: string): void {
  span.setAttribute("error.type", code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A run that goes on after somebody was waited for is linked to the turn as it stood then. */
function waitsOf({ approved }: Around["run"], root: SpanContext): Link[] {
  if (approved.length === 0) return [{ context: root }];
  return approved.map(({ id, waitedMs }) => ({
    context: root,
    attributes: { "countersign.approval": id, "countersign.approval.waited_ms": waitedMs },
  }));
}

/** The first span of a turn's trace: every replica makes the same ids of the turn's own. */
function rootOf(turnId: string): SpanContext {
  const digest = hash("sha256", `trace ${turnId}`);
  return {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** Random ids, but for a span that is begun within `with`. */
function createIds(): IdGenerator & { with<Result>(given: SpanContext, begin: () => Result): Result } {
  const random = new RandomIdGenerator();
  let given: SpanContext | undefined;
  return {
    generateTraceId: () => given?.traceId ?? random.generateTraceId(),
    generateSpanId: () => given?.spanId ?? random.generateSpanId(),
    with(ids, begin) {
      given = ids;
      try {
        return begin();
      } finally {
        given = undefined;
      }
    },
  };
}

function watched(exporter: SpanExporter, onDelivery: TraceOptions["onDelivery"]): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        onDelivery(spans.length, result.error);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Collectors take traces at a path of their own, which most people leave out. */
function tracesUrl(given: string): string {
  const url = new URL(given);
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url.href;
}
