import { setTimeout as delay } from "node:timers/promises";

import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from "prom-client";

import type { Approval } from "#contract/approval.ts";
import type { Metrics } from "#contract/metrics.ts";
import type { ModelStage } from "#contract/model.ts";
import type { PlannedStep } from "#contract/plan.ts";
import type { CallOutcome, ServerStatus, Tool } from "#contract/tool.ts";
import type { NumberedEvent, TurnResult, TurnState } from "#contract/turn.ts";

/** What the store says of itself, the same on every replica. Times in milliseconds. */
export interface StoreFigures {
  /** Turns by state, of those that have not ended. */
  turns: Readonly<Record<string, number>>;
  /** How long the first of the queued turns has waited. */
  oldestQueuedMs: number;
  /** Requests by state, of those that are open. */
  approvals: Readonly<Record<string, number>>;
  oldestPendingMs: number;
  /** The number of the newest entry of the audit record. */
  auditHead: number;
}

export interface MetricsOptions {
  version: string;
  /** Read when the metrics are; where it rejects or takes too long, the gauges of the store are left out. */
  figures: () => Promise<StoreFigures>;
  /** The longest that it may take, in milliseconds; default 2 000. */
  figuresMs?: number;
  servers: () => readonly ServerStatus[];
}

/** Counts what happens. Nothing here throws or waits: those who tell have other things to do. */
export interface Recorder extends Metrics {
  /** A commit brought this of a turn. */
  turn(news: { state?: TurnState; events: readonly { numbered: NumberedEvent }[] }): void;
  /** A transaction was committed, with these entries of the audit record. */
  committed(entries: readonly { kind: string }[], ms: number): void;
  /** A request was decided by a person. */
  decided(approval: Pick<Approval, "state" | "createdAt" | "decidedAt">): void;
  planned(step: Pick<PlannedStep, "planner" | "attempts" | "handover">): void;
  toolCalled(
    tool: Pick<Tool, "server" | "name">,
    outcome: Pick<CallOutcome, "ok" | "error">,
    ms: number,
  ): void;
  modelAsked(asked: ModelCall, ms: number): void;
  /** A call of a chat platform's port; `code` where it failed. */
  shown(surface: string, call: string, ms: number, code?: string): void;
  /** A platform's rate limit held a call back for so long. */
  waited(surface: string, ms: number): void;
  /** Events of a turn that were shown together with a later one. */
  coalesced(surface: string, events: number): void;
  /** What a platform or a client sent once more began nothing. */
  duplicate(surface: string): void;
  logged(level: string): void;
  /** A line of the log was dropped. */
  lineDropped(): void;
  /** Spans went to the collector of traces, or it took none. */
  delivered(spans: number, isTaken: boolean): void;
}

export interface ModelCall {
  provider: string;
  model: string;
  stage: ModelStage;
  /** `ok`, or the code of what went wrong. */
  outcome: string;
  usage?: { promptTokens: number; answerTokens: number };
}

/** Tools counted by name, of one server: a hostile one crowds out its own alone. */
const MOST_TOOLS = 100;
const MOST_MODELS = 20;
const MOST_CODES = 50;

/** Whoever reads the metrics has given up after ten seconds. */
const FIGURES_MS = 2_000;
/** How exactly stalls of the event loop are measured: a shorter time wakes an idle process more often. */
const EVENT_LOOP_MS = 50;

/** In seconds. */
const WORK = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const COMMIT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const DECISION = [10, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

export function createMetrics(options: MetricsOptions): Recorder {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  const counter = <Label extends string>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Counter<Label> => new Counter({ name: `countersign_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
    new Gauge({ name: `countersign_${name}`, help, labelNames, registers });
  const seconds = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> =>
    new Histogram({ name: `countersign_${name}_seconds`, help, buckets, labelNames, registers });

  gauge("build_info", "The version that runs.", "version").set({ version: options.version }, 1);

  const turns = counter("turns_total", "Turns that ended, or wait for a person, by outcome.", "outcome");
  const turnTime = seconds("turn", "How long turns took, by stage; without what people took.", WORK, "stage");
  const limits = counter("limited_turns_total", "Turns that a limit of people ended.", "scope", "what");
  const errors = counter("errors_total", "Errors by where they came up and their code.", "where", "code");
  const toolCalls = counter("tool_calls_total", "Calls of tools.", "server", "tool", "outcome");
  const toolTime = seconds("tool_call", "How long calls of tools took.", WORK, "server", "tool");
  const approvals = counter("approvals_total", "What happened to requests for approval.", "event");
  const refusedClicks = counter("refused_clicks_total", "Decisions of people who may not decide.");
  const decisionTime = seconds("decision", "From a request to its decision.", DECISION, "decision");
  const plans = counter("plans_total", "Steps that were planned.", "planner");
  const repairs = counter("protocol_repairs_total", "Answers of a model that could not be used.", "stage");
  const handovers = counter("model_handovers_total", "Turns that went from a model to the built-in planner.");
  const modelCalls = counter(
    "model_requests_total",
    "Requests to models.",
    "provider",
    "model",
    "stage",
    "outcome",
  );
  const modelTime = seconds("model", "How long models took.", WORK, "provider", "model", "stage");
  const tokens = counter("model_tokens_total", "Tokens, as servers count them.", "provider", "model", "kind");
  const platformCalls = counter(
    "platform_calls_total",
    "Messages of turns on chat platforms.",
    "surface",
    "call",
    "outcome",
  );
  const platformTime = seconds(
    "platform_call",
    "How long they took, limits included.",
    WORK,
    "surface",
    "call",
  );
  const waits = counter("rate_limit_waits_total", "Calls that a platform's limit held back.", "surface");
  const waitTime = counter("rate_limit_wait_seconds_total", "How long it held them back.", "surface");
  const coalesced = counter(
    "edits_coalesced_total",
    "Events of turns that needed no edit of their own.",
    "surface",
  );
  const duplicates = counter("duplicates_total", "Messages that had been taken before.", "surface");
  const commits = counter("store_commits_total", "Transactions that were committed.");
  const commitTime = seconds("store_commit", "How long commits took.", COMMIT);
  const logLines = counter("log_lines_total", "Lines of the log.", "level");

  const spans = counter(
    "trace_spans_total",
    "Parts of traces that the collector took, or did not.",
    "outcome",
  );

  const queue = gauge("open_turns", "Turns that have not ended, by state.", "state");
  const queueAge = gauge("queue_oldest_seconds", "How long the first turn of the queue has waited.");
  const open = gauge("open_approvals", "Requests that are open, by state.", "state");
  const openAge = gauge("approval_oldest_seconds", "How long the oldest undecided request has waited.");
  const auditHead = gauge("audit_head", "The number of the newest entry of the audit record.");
  const storeUp = gauge("store_up", "1 while the store answers.");
  const serverUp = gauge("mcp_server_up", "1 while the MCP server is connected.", "server");
  const serverTools = gauge("mcp_server_tools", "The tools that it offers.", "server");
  const dropped = counter("log_lines_dropped_total", "Lines of the log that nobody read in time.");

  const boundModel = createBound(MOST_MODELS);
  const toolNames = new Map<string, (name: string) => string>();
  const codes = new Map<string, (code: string) => string>();

  function boundIn(bounds: Map<string, (value: string) => string>, key: string, most: number) {
    const known = bounds.get(key) ?? createBound(most);
    bounds.set(key, known);
    return known;
  }

  function failed(where: string, code: string): void {
    errors.inc({ where, code: boundIn(codes, where, MOST_CODES)(code) });
  }

  function took({ timings, log, pendingConfirmation }: TurnResult): void {
    // What went on after a decision waited for a person; its first part was told when it was asked for.
    if (pendingConfirmation === undefined && log.some(({ stage }) => stage === "approval")) return;
    const { queuedMs, planningMs, toolsMs, summarizingMs, totalMs } = timings;
    const stages = { queued: queuedMs, planning: planningMs, tools: toolsMs, summarizing: summarizingMs };
    for (const [stage, ms] of Object.entries({ ...stages, total: totalMs }))
      turnTime.observe({ stage }, ms / 1_000);
  }

  let asking: Promise<StoreFigures | undefined> | undefined;

  async function readGauges(): Promise<void> {
    // A store that is silent is asked once, however often others ask meanwhile.
    asking ??= options
      .figures()
      .catch(() => undefined)
      .finally(() => (asking = undefined));
    const tooLong = delay(options.figuresMs ?? FIGURES_MS, undefined, { ref: false });
    const figures = await Promise.race([asking, tooLong]);
    storeUp.set(figures === undefined ? 0 : 1);
    for (const one of [queue, open, queueAge, openAge, auditHead, serverUp, serverTools]) one.reset();
    for (const { name: server, status, tools } of options.servers()) {
      serverUp.set({ server }, status === "up" ? 1 : 0);
      serverTools.set({ server }, tools);
    }
    if (figures === undefined) {
      // No number is better than a wrong one.
      for (const one of [queueAge, openAge, auditHead]) one.remove();
      return;
    }
    for (const [state, count] of Object.entries(figures.turns)) queue.set({ state }, count);
    for (const [state, count] of Object.entries(figures.approvals)) open.set({ state }, count);
    queueAge.set(figures.oldestQueuedMs / 1_000);
    openAge.set(figures.oldestPendingMs / 1_000);
    auditHead.set(figures.auditHead);
  }

  async function read(): Promise<string> {
    // What Node tells of itself takes memory, and wakes an idle process: only where somebody asks.
    if (registry.getSingleMetric("process_cpu_seconds_total") === undefined)
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS });
    await readGauges();
    return registry.metrics();
  }

  let reading: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    read() {
      // Those who ask at the same time are told the same.
      reading ??= read().finally(() => (reading = undefined));
      return reading;
    },
    turn({ state, events }) {
      for (const { numbered } of events) {
        const { event } = numbered;
        if (event.type === "result") {
          const { limited } = event.result;
          if (limited === undefined) took(event.result);
          else limits.inc({ scope: limited.scope, what: limited.what });
        }
        if (event.type === "error") failed("turn", event.code);
      }
      if (state !== undefined && state !== "queued" && state !== "running") turns.inc({ outcome: state });
    },
    committed(entries, ms) {
      commits.inc();
      commitTime.observe(ms / 1_000);
      for (const { kind } of entries) {
        if (kind === "approval.refused_click") refusedClicks.inc();
        else if (kind.startsWith("approval.")) approvals.inc({ event: kind.slice("approval.".length) });
      }
    },
    decided({ state, createdAt, decidedAt }) {
      if (decidedAt === undefined) return;
      const decision = state === "denied" ? "denied" : "approved";
      decisionTime.observe({ decision }, Math.max(0, decidedAt - createdAt) / 1_000);
    },
    planned({ planner, attempts, handover }) {
      plans.inc({ planner });
      if (handover !== undefined) handovers.inc();
      for (const { stage = "decision", model, fault, code } of attempts) {
        // With a code the model did not answer at all.
        if (model !== undefined && fault !== undefined && code === undefined) repairs.inc({ stage });
      }
    },
    toolCalled({ server, name }, { ok, error }, ms) {
      const tool = boundIn(toolNames, server, MOST_TOOLS)(name);
      const outcome = ok ? "ok" : boundIn(codes, "call", MOST_CODES)(error?.code ?? "failed");
      toolCalls.inc({ server, tool, outcome });
      toolTime.observe({ server, tool }, ms / 1_000);
      if (!ok) failed("call", outcome);
    },
    modelAsked({ provider, model: name, stage, outcome, usage }, ms) {
      const model = boundModel(name);
      modelCalls.inc({ provider, model, stage, outcome: boundIn(codes, "model", MOST_CODES)(outcome) });
      modelTime.observe({ provider, model, stage }, ms / 1_000);
      if (outcome !== "ok") failed("model", outcome);
      if (usage === undefined) return;
      tokens.inc({ provider, model, kind: "prompt" }, usage.promptTokens);
      tokens.inc({ provider, model, kind: "answer" }, usage.answerTokens);
    },
    shown(surface, call, ms, code) {
      platformCalls.inc({ surface, call, outcome: code === undefined ? "ok" : "failed" });
      platformTime.observe({ surface, call }, ms / 1_000);
      if (code !== undefined) failed("platform", code);
    },
    waited(surface, ms) {
      waits.inc({ surface });
      waitTime.inc({ surface }, ms / 1_000);
    },
    coalesced(surface, events) {
      if (events > 0) coalesced.inc({ surface }, events);
    },
    duplicate: (surface) => duplicates.inc({ surface }),
    logged: (level) => logLines.inc({ level }),
    lineDropped: () => dropped.inc(),
    delivered: (count, isTaken) => spans.inc({ outcome: isTaken ? "ok" : "failed" }, count),
  };
}

/** Longer values of a label are cut, in characters. */
const LONGEST = 80;

/**
 * Keeps the values of a label few, whatever a server, model or platform calls things: after `most` different ones
 * the rest is "other". Each value that is counted costs memory for ever, here and in whatever reads it.
 */
function createBound(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    // Two halves of characters would be written alike, as one sample that is there twice.
    const name = value.slice(0, LONGEST).toWellFormed();
    if (known.has(name)) return name;
    if (known.size >= most) return "other";
    known.add(name);
    return name;
  };
}
