import { z } from "zod";

import type { CardElement, GraphNode, Inline, Tone } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import { cutText } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { knownFields, markdown, resultView, type ViewResult } from "../parts.ts";
import { humanTime, unpackJson } from "../text.ts";

const AGENT_STATUS = ["success", "partial", "failed", "skipped"] as const;
const RUN_STATUS = ["running", "completed", "completed_with_errors", "cancelled", "interrupted"] as const;

const resultSchema = z.object({
  response: z.string().default(""),
  status: z.enum(AGENT_STATUS),
  data: z.json().optional(),
  error: z.string().optional(),
  fallback: z.string().optional(),
});

const usageSchema = z.object({ total_tokens: z.number(), duration_ms: z.number() });

const runSchema = z.object({
  ensemble: z.string().min(1),
  status: z.enum(RUN_STATUS),
  deliverable: z.string().nullable().default(null),
  artifact: z.string().nullish(),
  /** Why the run is not kept. */
  warning: z.string().optional(),
  results: z.record(z.string(), resultSchema),
  metadata: z.object({
    agents_used: z.number(),
    duration_ms: z.number(),
    phases: z.array(z.array(z.string())).default([]),
    depends_on: z.record(z.string(), z.array(z.string())).default({}),
    usage: z.object({
      agents: z.record(z.string(), usageSchema).default({}),
      totals: z.object({ total_tokens: z.number(), total_cost_usd: z.number().default(0) }),
    }),
  }),
});

type Run = z.infer<typeof runSchema>;

/** Most agents that have a fold of their own, and longest answer in one, in characters. */
const MOST_AGENTS = 40;
const MOST_CHARS = 20_000;

/** EnsembleView: what came of a run, who worked in which order, and a fold for each agent. */
export function ensembleView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const run = runSchema.parse(unpackJson(data));
  const agents = Object.entries(run.results);
  const last = agents.findLast(([, { status }]) => status === "success" || status === "partial")?.[0];
  return resultView(`${run.ensemble}: ${summaryOf(run, say)}`, [
    { type: "header", text: run.ensemble, badges: [badgeOf(run.status, say)] },
    ...markdown(run.deliverable),
    { type: "text", text: summaryOf(run, say) },
    ...graphOf(run.metadata.phases, Object.entries(run.metadata.depends_on), (name) => {
      const result = Object.hasOwn(run.results, name) ? run.results[name] : undefined;
      return SIGNS[result?.status ?? "unfinished"];
    }),
    ...(run.warning === undefined ? [] : [{ type: "text" as const, text: run.warning }]),
    ...agents.slice(0, MOST_AGENTS).map(([name, result]): CardElement => ({
      type: "section",
      title: titleOf(name, result, run, say),
      folded: true,
      elements: answerOf(result, say, name === last && run.deliverable !== null),
    })),
    ...(agents.length > MOST_AGENTS
      ? [{ type: "text" as const, text: say.views.leftOut(say.amounts.agent(agents.length - MOST_AGENTS)) }]
      : []),
    ...(typeof run.artifact !== "string" ? [] : [{ type: "footer" as const, text: run.artifact }]),
  ]);
}

/** Agents of a drawing; of more there is the line alone. */
const MOST_DRAWN = 40;
const MOST_LINE = 2000;

/** Who waits for whom: in a line of phases with an arrow between them, and as a drawing. A sign says how each went. */
function graphOf(
  phases: readonly string[][],
  waits: readonly (readonly [name: string, dependsOn: string[]])[],
  lookOf: (name: string) => Pick<GraphNode, "sign" | "tone"> = () => ({}),
): CardElement[] {
  const names = phases.flat();
  const words = (name: string): string => [lookOf(name).sign ?? "", name].join(" ").trim();
  const text = phases.map((phase) => phase.map(words).join(" · ")).join("  →  ");
  if (text.trim() === "") return [];
  const places = new Map(names.map((name, index) => [name, index]));
  const before = new Map(waits);
  const nodes = names.map((name): GraphNode => ({
    text: name,
    ...lookOf(name),
    after: (before.get(name) ?? []).flatMap((one) => places.get(one) ?? []),
  }));
  const isDrawn = names.length <= MOST_DRAWN && nodes.some(({ after }) => after.length > 0);
  return [{ type: "text", text: cutText(text, MOST_LINE), ...(isDrawn ? { graph: nodes } : {}) }];
}

const SIGNS = {
  success: { sign: "✓", tone: "good" },
  partial: { sign: "◐", tone: "warn" },
  failed: { sign: "✗", tone: "bad" },
  skipped: { sign: "–", tone: "neutral" },
  unfinished: { sign: "○", tone: "neutral" },
} as const;

function summaryOf({ results, metadata }: Run, say: Words): string {
  const done = Object.values(results).filter(({ status }) => status === "success").length;
  const { totals } = metadata.usage;
  return [
    say.views.agentsDone(done, metadata.agents_used),
    secondsOf(metadata.duration_ms),
    ...(totals.total_tokens === 0 ? [] : [say.amounts.token(totals.total_tokens)]),
    ...(totals.total_cost_usd === 0 ? [] : [`$${totals.total_cost_usd.toFixed(4)}`]),
  ].join(", ");
}

function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function titleOf(
  name: string,
  { status, fallback }: z.infer<typeof resultSchema>,
  { metadata }: Run,
  say: Words,
): string {
  const usage = metadata.usage.agents[name];
  return [
    `${name}: ${say.views.agentStatus[status]}`,
    ...(fallback === undefined ? [] : [fallback]),
    ...(usage === undefined ? [] : [secondsOf(usage.duration_ms)]),
    ...(usage === undefined || usage.total_tokens === 0 ? [] : [say.amounts.token(usage.total_tokens)]),
  ].join(", ");
}

function answerOf(
  { response, data, error, status }: z.infer<typeof resultSchema>,
  say: Words,
  isShown: boolean,
): CardElement[] {
  const failure: CardElement[] =
    error === undefined
      ? []
      : status === "skipped"
        ? [{ type: "text", text: error }]
        : [{ type: "error", message: error }];
  if (isShown) return [...failure, { type: "text", text: say.views.answeredAbove }];
  const isText = data === undefined || data === null || typeof data === "string";
  const text = (isText ? (typeof data === "string" ? data : response) : JSON.stringify(data, null, 1)).slice(
    0,
    MOST_CHARS,
  );
  if (text.trim() === "")
    return failure.length > 0 ? failure : [{ type: "text", text: say.views.returnedNothing }];
  return [
    ...failure,
    isText ? { type: "text", text, format: "markdown" } : { type: "code", text, language: "json" },
  ];
}

function badgeOf(status: Run["status"], say: Words): Inline & { tone: Tone } {
  const tones = {
    running: "info",
    completed: "good",
    completed_with_errors: "warn",
    cancelled: "neutral",
    interrupted: "bad",
  } as const;
  return { text: say.views.runStatus[status], tone: tones[status] };
}

const KINDS = ["model", "script", "ensemble", "loop", "dispatch"] as const;

const validationSchema = z.object({
  ensemble: z.string().min(1),
  valid: z.boolean(),
  details: z.object({
    agent_count: z.number(),
    phases: z.array(z.array(z.string())).default([]),
    agents: z
      .array(z.object({ name: z.string().min(1), kind: z.enum(KINDS), depends_on: z.array(z.string()) }))
      .default([]),
    faults: z.array(
      z.object({
        file: z.string(),
        line: z.number(),
        key: z.string(),
        message: z.string(),
        remedy: z.string(),
      }),
    ),
    warnings: z.array(z.string()).default([]),
  }),
});

const MOST_FAULTS = 50;

/** ValidationView: whether an ensemble's file is right, each fault with its line and what to do, and who works when. */
export function validationView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { ensemble, valid, details } = validationSchema.parse(unpackJson(data));
  const { faults, warnings, phases, agents, agent_count: agentCount } = details;
  const title = valid
    ? say.views.ensembleRight(ensemble, agentCount)
    : say.views.ensembleBroken(ensemble, faults.length);
  const items = faults.slice(0, MOST_FAULTS).map(({ file, line, key, message, remedy }) => ({
    text: `${message}. ${remedy}.`,
    detail: `${file}:${line}${key === "" ? "" : ` ${key}`}`,
  }));
  return resultView(
    title,
    [
      { type: "header", text: title, badges: [{ text: valid ? "✓" : "✗", tone: valid ? "good" : "bad" }] },
      ...(items.length === 0 ? [] : [{ type: "list" as const, items }]),
      ...(faults.length > MOST_FAULTS
        ? [{ type: "text" as const, text: say.views.leftOut(String(faults.length - MOST_FAULTS)) }]
        : []),
      ...(warnings.length === 0
        ? []
        : [{ type: "list" as const, items: warnings.slice(0, MOST_FAULTS).map((text) => ({ text })) }]),
      ...graphOf(
        phases,
        agents.map((agent) => [agent.name, agent.depends_on]),
      ),
      ...agentList(agents, say),
    ],
    faults.length,
  );
}

/** What each agent is, and whom it waits for. */
function agentList(agents: z.infer<typeof validationSchema>["details"]["agents"], say: Words): CardElement[] {
  if (agents.length === 0) return [];
  const items = agents.slice(0, MOST_AGENTS).map(({ name, kind, depends_on: before }) => ({
    text: name,
    detail: [
      say.views.agentKind[kind],
      ...(before.length === 0 ? [] : [say.views.after(say.and(before.slice(0, MOST_AGENTS)))]),
    ].join(", "),
  }));
  const more = agents.length - items.length;
  return [
    { type: "list", items },
    ...(more > 0 ? [{ type: "text" as const, text: say.views.leftOut(say.amounts.agent(more)) }] : []),
  ];
}

const artifactSchema = z.object({
  artifact_id: z.string().min(1),
  ensemble: z.string().min(1),
  status: z.enum(RUN_STATUS),
  started_at: z.iso.datetime().optional(),
  analysis: z.object({
    total_agents: z.number(),
    successful_agents: z.number(),
    failures: z.record(z.string(), z.string()).default({}),
  }),
  phases: z.array(z.array(z.string())).default([]),
  agents: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum([...AGENT_STATUS, "unfinished"]),
        depends_on: z.array(z.string()),
      }),
    )
    .default([]),
  metrics: z.object({ cost: z.number(), duration: z.number(), total_tokens: z.number().default(0) }),
  report: z.string().default(""),
});

/** ArtifactView: how a run that was kept went, what failed, and its report. */
export function artifactView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const {
    artifact_id: id,
    ensemble,
    status,
    started_at: started,
    analysis,
    phases,
    agents,
    metrics,
    report,
  } = artifactSchema.parse(unpackJson(data));
  const summary = say.views.agentsDone(analysis.successful_agents, analysis.total_agents);
  const looks = new Map(agents.map((agent) => [agent.name, SIGNS[agent.status]]));
  const waits = agents.map((agent) => [agent.name, agent.depends_on] as const);
  const failures = Object.entries(analysis.failures).map(([name, error]) => ({ text: name, detail: error }));
  return resultView(`${ensemble}: ${summary}`, [
    { type: "header", text: ensemble, eyebrow: id, badges: [badgeOf(status, say)] },
    knownFields(
      {
        Agents: summary,
        Started: started === undefined ? undefined : humanTime(Date.parse(started)),
        Duration: secondsOf(metrics.duration * 1000),
        Tokens: metrics.total_tokens === 0 ? undefined : metrics.total_tokens,
        Cost: metrics.cost === 0 ? undefined : `$${metrics.cost.toFixed(4)}`,
      },
      say,
    ),
    ...graphOf(phases, waits, (name) => looks.get(name) ?? SIGNS.unfinished),
    ...(failures.length === 0 ? [] : [{ type: "list" as const, items: failures }]),
    ...markdown(report.slice(0, MOST_CHARS)),
  ]);
}
