import { z } from "zod";

import type { CardElement, Tone } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { createBudget, toTable } from "../generic/table.ts";
import { knownFields, resultView, type ViewResult } from "../parts.ts";
import { humanDate, humanTime, unpackJson } from "../text.ts";

const MOST_ROWS = 1000;

/** What a dry run says would become of those that would be migrated. */
const PLANNED = ["create", "overwrite", "duplicate"] as const;
const STEPS = [...PLANNED, "skip", "fail"] as const;

const entry = z.object({
  name: z.string(),
  reason: z.string().optional(),
  done: z.string().optional(),
  as: z.string().optional(),
  warnings: z.array(z.string()).default([]),
});

const lastRunSchema = z.object({
  started_at: z.string(),
  outcome: z.enum(["completed", "cancelled", "interrupted", "running"]),
  succeeded: z.number(),
  skipped: z.number(),
  failed: z.array(z.object({ name: z.string(), reason: z.string() })),
  under_way: z.string().nullable(),
  not_tried: z.number(),
});

const migrationSchema = z.object({
  dry_run: z.boolean().default(false),
  after: z.partialRecord(z.enum(STEPS), z.array(z.string())).nullish(),
  succeeded: z.array(entry),
  skipped: z.array(entry),
  failed: z.array(entry),
  meta: z.object({
    kind: z.string(),
    source: z.string(),
    target: z.string(),
    not_tried: z.array(z.string()).default([]),
    last_run: lastRunSchema.optional(),
  }),
});

/** SisenseMigrationView: what became of each thing that was to be migrated, or would, failures first. */
export function sisenseMigrationView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const report = migrationSchema.parse(unpackJson(data));
  const { succeeded, skipped, failed, meta } = report;
  const words = say.sisense;
  const planned = report.dry_run
    ? PLANNED.flatMap((step) => (report.after?.[step] ?? []).map((name) => ({ name, step })))
    : [];
  const title = report.dry_run
    ? words.tried(meta.kind, planned.length, skipped.length, failed.length)
    : words.migrated(meta.kind, succeeded.length, skipped.length, failed.length);
  const rows = [
    ...failed.map(({ name, reason = "" }) => [
      name,
      { text: words.failed, tone: "bad" as Tone },
      words.reasons[reason] ?? reason,
    ]),
    ...planned.map(({ name, step }) => [
      name,
      { text: words[step], tone: (step === "overwrite" ? "warn" : "info") as Tone },
      "",
    ]),
    ...meta.not_tried.map((name) => [name, { text: words.notTried, tone: "warn" as Tone }, ""]),
    ...succeeded.map(({ name, as, warnings }) => [
      name,
      { text: words.done, tone: (warnings.length > 0 ? "warn" : "good") as Tone },
      [...(as === undefined ? [] : [words.as(as)]), ...warnings].join("; "),
    ]),
    ...skipped.map(({ name, reason = "" }) => [
      name,
      { text: words.skipped, tone: "neutral" as Tone },
      words.reasons[reason] ?? reason,
    ]),
  ];
  const elements: CardElement[] = [
    { type: "header", text: title },
    knownFields({ [words.source]: meta.source, [words.target]: meta.target }, say),
    ...(meta.not_tried.length === 0
      ? []
      : [{ type: "text" as const, text: words.stopped(meta.not_tried.length) }]),
  ];
  if (report.dry_run && meta.last_run !== undefined) elements.push(...lastRunElements(meta.last_run, say));
  if (rows.length > 0) {
    const columns = [{ label: words.name }, { label: words.outcome }, { label: words.reason }];
    elements.push({ type: "table", columns, rows: rows.slice(0, MOST_ROWS), total: rows.length });
  }
  return resultView(title, elements, rows.length);
}

const MOST_FAILED = 20;

/** How far the run before came, whose answer may have been lost. */
function lastRunElements(run: z.infer<typeof lastRunSchema>, say: Words): CardElement[] {
  const words = say.sisense;
  const { outcome, succeeded, skipped, failed, under_way: underWay, not_tried: left } = run;
  const how = words.lastRun[outcome](humanTime(Date.parse(run.started_at)));
  const text = words.lastCounts(how, succeeded, skipped, failed.length, left);
  const items = [
    ...(underWay === null ? [] : [{ label: words.underWay, value: underWay }]),
    ...failed.slice(0, MOST_FAILED).map(({ name, reason }) => ({
      label: words.failedThen,
      value: `${name}: ${words.reasons[reason] ?? reason}`,
    })),
  ];
  return [{ type: "text", text }, ...(items.length === 0 ? [] : [{ type: "fields" as const, items }])];
}

const severity = z.enum(["high", "medium", "low"]);
const TONES = { high: "bad", medium: "warn", low: "neutral" } as const;

const checkSchema = z.object({
  checked: z.number(),
  findings: z.array(z.object({ severity, subject: z.string(), detail: z.string() })),
  failed: z.array(z.object({ subject: z.string(), reason: z.string() })).default([]),
});

/** SisenseCheckView: what checks found, the gravest first. */
export function sisenseCheckView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { checked, findings, failed } = checkSchema.parse(unpackJson(data));
  const words = say.sisense;
  const title = words.findings(findings.length, checked);
  const rows = severity.options.flatMap((grade) =>
    findings
      .filter((one) => one.severity === grade)
      .map((one) => [{ text: words[grade], tone: TONES[grade] }, one.subject, one.detail]),
  );
  const columns = [{ label: words.severity }, { label: words.where }, { label: words.finding }];
  return resultView(
    title,
    [
      { type: "header", text: title },
      ...(rows.length === 0
        ? []
        : [{ type: "table" as const, columns, rows: rows.slice(0, MOST_ROWS), total: rows.length }]),
      ...failed.map(({ subject, reason }) => ({
        type: "error" as const,
        message: words.notChecked(subject),
        detail: reason,
      })),
    ],
    findings.length,
  );
}

const place = z.object({ table: z.string(), column: z.string() });
const modelSchema = z.object({
  title: z.string().min(1),
  type: z.string(),
  last_build: z.string().nullish(),
  tables: z.array(
    z.object({
      table: z.string(),
      kind: z.string(),
      columns: z.array(z.object({ column: z.string(), type: z.string() })),
    }),
  ),
  relations: z.array(z.array(place)),
  shares: z.array(z.looseObject({ name: z.string(), permission: z.string() })).default([]),
});

/** SisenseModelView: a data model's tables and columns, and a drawing of what joins them. */
export function sisenseModelView({ data, language }: ViewInput): ViewResult {
  const say = wordsOf(language);
  const { title, type, last_build: built, tables, relations, shares } = modelSchema.parse(unpackJson(data));
  const words = say.sisense;
  const rows = tables.map(({ table, kind, columns }) => ({
    [words.table]: table,
    [words.kind]: kind,
    [words.columns]: columns.map((one) => `${one.column} (${one.type})`).join(", "),
  }));
  const drawing = drawn(relations);
  return resultView(
    title,
    [
      { type: "header", text: title, badges: [{ text: type, tone: "info" }] },
      knownFields(
        {
          [words.lastBuild]: built == null ? undefined : humanDate(built, say),
          [words.sharedWith]:
            shares.map(({ name, permission }) => `${name} (${permission})`).join(", ") || undefined,
        },
        say,
      ),
      ...(rows.length === 0 ? [] : toTable(rows, createBudget(say), Object.keys(rows[0] ?? {}))),
      ...(drawing === "" ? [] : [{ type: "code" as const, text: drawing }]),
    ],
    tables.length,
  );
}

/**
 * Each table with a branch for every relation that starts there:
 * ```
 * orders
 * ├─ customer_id ── customers.customer_id
 * └─ product_id ── products.product_id
 * ```
 */
function drawn(relations: readonly z.infer<typeof place>[][]): string {
  const branches = new Map<string, string[]>();
  for (const [from, ...others] of relations) {
    if (from === undefined) continue;
    const ends = others.map(({ table, column }) => `${table}.${column}`).join(" ── ");
    branches.set(from.table, [...(branches.get(from.table) ?? []), `${from.column} ── ${ends}`]);
  }
  return [...branches]
    .map(([table, lines]) =>
      [table, ...lines.map((line, at) => `${at === lines.length - 1 ? "└─" : "├─"} ${line}`)].join("\n"),
    )
    .join("\n\n");
}
