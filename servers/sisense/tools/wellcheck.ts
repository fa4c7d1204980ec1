import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import type { Api } from "../api.ts";
import { type Call, read, type ToolRow } from "../registry.ts";
import { columnType, type FullDashboard, type Model, tablesOf } from "../shapes.ts";
import { sqlName } from "./datamodel.ts";

const SEVERITIES = ["high", "medium", "low"] as const;

/** What a check counted of one dashboard or data model, and what it holds against it. */
interface Looked {
  row: Record<string, unknown>;
  findings: [severity: (typeof SEVERITIES)[number], detail: string][];
}

/** One check of dashboards or data models, which is a tool and a part of the full check. */
interface Check<T> {
  /** As findings name it. */
  name: string;
  method: string;
  title: string;
  description: string;
  ask: string;
  look: (item: T, api: Api, mostFields: number) => Looked | Promise<Looked>;
}

const MOST_PIVOTS = 3;
const MOST_WIDGETS = 20;
const MOST_PIVOT_FIELDS = 20;

const output = {
  checked: z.number(),
  rows: z.array(z.looseObject({})),
  findings: z.array(
    z.object({
      check: z.string(),
      severity: z.enum(SEVERITIES),
      subject: z.string(),
      detail: z.string(),
    }),
  ),
  failed: z.array(z.object({ subject: z.string(), reason: z.string() })).optional(),
};

const dashboards = z.array(z.string()).optional().describe("Titles or ids of dashboards; absent: all");
const datamodels = z.array(z.string()).optional().describe("Titles or ids of data models; absent: all");

const isPivot = (type: string): boolean => /^pivot2?$/.test(type);

/** Where a widget or a script leads to another dashboard. */
function jumpsOf({ widgets, script }: FullDashboard): string[] {
  const scripts = [script, ...widgets.map((widget) => widget.script)].join("\n");
  const scripted = [...scripts.matchAll(/jumpToDashboard\([^)]*?["']([0-9a-f]{24})["']/gi)].map(
    ([, id = ""]) => id,
  );
  const target = z.looseObject({ drillTarget: z.looseObject({ oid: z.string() }) });
  const drilled = widgets.flatMap(({ options }) => target.safeParse(options).data?.drillTarget.oid ?? []);
  return [...drilled, ...scripted];
}

/** What a check looks at in the panels of a pivot. */
const panelsSchema = z.looseObject({
  panels: z.array(z.looseObject({ name: z.string(), items: z.array(z.unknown()).default([]) })).default([]),
});

const structure: Check<FullDashboard> = {
  name: "dashboard_structure",
  method: "check_dashboard_structure",
  title: "Check how dashboards are built",
  description: `Pivots, tabbers, accordions and jumps of dashboards; more than ${MOST_PIVOTS} pivots and jumps to dashboards that are gone are findings.`,
  ask: "check the structure of the dashboards",
  async look(full, api) {
    const pivots = full.widgets.filter(({ type }) => isPivot(type)).length;
    const tabbers = full.widgets.filter(({ type }) => /tabber/i.test(type)).length;
    const accordions = full.widgets.filter((widget) => widget["accordionConfig"] != null).length;
    const jumps = jumpsOf(full);
    const known = new Set((await api.dashboards()).map(({ id }) => id));
    const findings: Looked["findings"] = jumps
      .filter((id) => !known.has(id))
      .map((id) => ["high", `Leads to dashboard ${id}, which is not there`]);
    if (pivots > MOST_PIVOTS)
      findings.push(["medium", `${pivots} pivots; more than ${MOST_PIVOTS} make a dashboard slow`]);
    return { row: { pivots, tabbers, accordions, jumps: jumps.length }, findings };
  },
};

const widgetCounts: Check<FullDashboard> = {
  name: "widget_count",
  method: "check_dashboard_widget_counts",
  title: "Check how many widgets dashboards have",
  description: `Widgets of each dashboard; more than ${MOST_WIDGETS} and none are findings.`,
  ask: "which dashboards have too many widgets?",
  look({ widgets: { length: count } }) {
    const findings: Looked["findings"] = [];
    if (count > MOST_WIDGETS)
      findings.push(["medium", `${count} widgets; more than ${MOST_WIDGETS} make a dashboard slow`]);
    if (count === 0) findings.push(["low", "It has no widget"]);
    return { row: { widgets: count }, findings };
  },
};

const pivotFields: Check<FullDashboard> = {
  name: "pivot_fields",
  method: "check_pivot_widget_fields",
  title: "Check how many fields pivots have",
  description: "Pivots with more fields than max_fields are findings.",
  ask: "which pivots have more than 20 fields?",
  look({ widgets }, _api, most) {
    const pivots = widgets
      .filter(({ type }) => isPivot(type))
      .map((widget) => {
        const panels = panelsSchema.safeParse(widget["metadata"]).data?.panels ?? [];
        const fields = panels.filter(({ name }) => name !== "filters").flatMap(({ items }) => items).length;
        return { title: widget.title || widget.oid, fields };
      });
    return {
      row: { pivots: pivots.length, most_fields: Math.max(0, ...pivots.map(({ fields }) => fields)) },
      findings: pivots
        .filter(({ fields }) => fields > most)
        .map(({ title, fields }) => [
          "medium",
          `The pivot ${title} has ${fields} fields; more than ${most} are hard to read and slow`,
        ]),
    };
  },
};

const modelChecks: readonly Check<Model>[] = [
  {
    name: "custom_tables",
    method: "check_datamodel_custom_tables",
    title: "Check custom tables",
    description: "Custom tables of data models; those with a UNION are findings.",
    ask: "which custom tables have a UNION?",
    look(model) {
      const custom = tablesOf(model).filter(({ type }) => type === "custom");
      const unions = custom.filter(({ expression }) => /\bunion\b/i.test(JSON.stringify(expression ?? "")));
      return {
        row: { custom_tables: custom.length, with_union: unions.length },
        findings: unions.map(({ name }) => [
          "medium",
          `The custom table ${name} has a UNION, which makes builds slow: do it at the source`,
        ]),
      };
    },
  },
  {
    name: "island_tables",
    method: "check_datamodel_island_tables",
    title: "Check for island tables",
    description: "Tables of data models that no relation leads to.",
    ask: "are there island tables?",
    look(model) {
      const tables = tablesOf(model);
      const joined = new Set(model.relations.flatMap(({ columns }) => columns.map(({ table }) => table)));
      // A table that is alone is no island.
      const islands = tables.length < 2 ? [] : tables.filter(({ oid }) => !joined.has(oid));
      return {
        row: { tables: tables.length, islands: islands.length },
        findings: islands.map(({ name }) => ["medium", `No relation leads to the table ${name}`]),
      };
    },
  },
  {
    name: "rls_datatypes",
    method: "check_datamodel_rls_datatypes",
    title: "Check what data security is on",
    description: "Columns with rules of data security; those that are no numbers are findings.",
    ask: "is data security on text columns anywhere?",
    async look(model, api) {
      const rules = await api.security(model);
      const columns = new Map(rules.map((rule) => [JSON.stringify([rule.table, rule.column]), rule]));
      const texts = [...columns.values()].filter(({ table, column, datatype }) => {
        const found = tablesOf(model)
          .find(({ name }) => name === table)
          ?.columns.find(({ name }) => name === column);
        const type = found === undefined ? datatype : columnType(found.type);
        return !/numeric|int|decimal|float|double|real/.test(type);
      });
      return {
        row: { secured_columns: columns.size },
        findings: texts.map(({ table, column }) => [
          "medium",
          `Data security on ${table}.${column}, which is no number: numbers are faster`,
        ]),
      };
    },
  },
  {
    name: "import_queries",
    method: "check_datamodel_import_queries",
    title: "Check for import queries",
    description: "Tables of data models that are filled by a query of their own.",
    ask: "which tables have import queries?",
    look(model) {
      const own = tablesOf(model).filter(({ configOptions }) => (configOptions?.importQuery ?? "") !== "");
      return {
        row: { import_queries: own.length },
        findings: own.map(({ name }) => ["low", `The table ${name} is filled by a query of its own`]),
      };
    },
  },
  {
    name: "m2m_relationships",
    method: "check_datamodel_m2m_relationships",
    title: "Check for many-to-many relations",
    description: "Relations of data models whose two sides both have values more than once.",
    ask: "are there many-to-many relations?",
    look: manyToManyOf,
  },
];

/** A relation whose two sides both have values more than once multiplies rows. */
async function manyToManyOf(model: Model, api: Api): Promise<Looked> {
  const tables = tablesOf(model);
  const repeats = async (
    tableId: string,
    columnId: string,
  ): Promise<{ place: string; isRepeated: boolean }> => {
    const table = tables.find(({ oid }) => oid === tableId);
    const column = table?.columns.find(({ oid }) => oid === columnId);
    if (table === undefined || column === undefined)
      return { place: `${tableId}.${columnId}`, isRepeated: false };
    const name = sqlName(column.name);
    const query = `SELECT COUNT(${name}), COUNT(DISTINCT ${name}) FROM ${sqlName(table.name)}`;
    const [all = 0, distinct = 0] = Object.values((await api.rows(model, query))[0] ?? {}).map(Number);
    return { place: `${table.name}.${column.name}`, isRepeated: all > distinct };
  };
  const findings: Looked["findings"] = [];
  for (const { columns } of model.relations) {
    const sides: Awaited<ReturnType<typeof repeats>>[] = [];
    for (const { table, column } of columns) sides.push(await repeats(table, column));
    if (sides.filter(({ isRepeated }) => isRepeated).length < 2) continue;
    const places = sides.map(({ place }) => place).join(" and ");
    findings.push([
      "high",
      `${places} both have values more than once: joined, rows multiply and sums are wrong`,
    ]);
  }
  return { row: { relations: model.relations.length, many_to_many: findings.length }, findings };
}

type Report = { [Part in keyof typeof output]: NonNullable<z.infer<(typeof output)[Part]>> };

/** Looks at each with all checks; one that cannot be read never ends them. */
async function checkAll<T extends { title: string }>(
  kind: "dashboard" | "datamodel",
  items: readonly { name: string; open: () => Promise<T> }[],
  looks: readonly (readonly [name: string, look: (item: T) => Looked | Promise<Looked>])[],
  call: Call,
): Promise<Report> {
  const report: Report = { checked: 0, rows: [], findings: [], failed: [] };
  for (const [at, { name, open }] of items.entries()) {
    await call.progress(at, items.length, `Checking ${name}`);
    try {
      const item = await open();
      const row: Looked["row"] = { [kind]: item.title };
      const findings: Report["findings"] = [];
      for (const [check, look] of looks) {
        const looked = await look(item);
        Object.assign(row, looked.row);
        for (const [severity, detail] of looked.findings)
          findings.push({ check, severity, subject: item.title, detail });
      }
      report.checked += 1;
      report.rows.push(row);
      report.findings.push(...findings);
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.code === "cancelled" || error.code === "unauthorized")
        throw error;
      report.failed.push({ subject: name, reason: error.message });
    }
  }
  return report;
}

async function checkDashboards(
  checks: readonly Check<FullDashboard>[],
  references: readonly string[] | undefined,
  most: number,
  api: Api,
  call: Call,
): Promise<Report> {
  const titles = new Map((await api.dashboards()).map(({ id, title }) => [id, title]));
  const items = (references ?? [...titles.keys()]).map((reference) => ({
    name: titles.get(reference) ?? reference,
    open: async () =>
      api.exportDashboard(titles.has(reference) ? reference : (await api.dashboard(reference)).id),
  }));
  const looks = checks.map(
    ({ name, look }) => [name, (full: FullDashboard) => look(full, api, most)] as const,
  );
  return checkAll("dashboard", items, looks, call);
}

async function checkModels(
  checks: readonly Check<Model>[],
  references: readonly string[] | undefined,
  api: Api,
  call: Call,
): Promise<Report> {
  const items =
    references === undefined
      ? (await api.models()).map((model) => ({ name: model.title, open: async () => model }))
      : references.map((reference) => ({ name: reference, open: () => api.model(reference) }));
  const looks = checks.map(({ name, look }) => [name, (model: Model) => look(model, api, 0)] as const);
  return checkAll("datamodel", items, looks, call);
}

function told({ failed, ...report }: Report): object {
  return failed.length > 0 ? { ...report, failed } : report;
}

const mostFields = z.int().min(1).default(MOST_PIVOT_FIELDS);

const rowOf = ({ method, title, description, ask }: Check<never>) => ({
  id: `wellcheck.${method}`,
  title,
  description,
  ask,
  output,
});

export const wellcheckTools: readonly ToolRow[] = [
  ...[structure, widgetCounts].map((check) =>
    read({
      ...rowOf(check),
      input: { dashboards },
      tags: ["dashboard"],
      example: {},
      run: async (args, api, call) => told(await checkDashboards([check], args.dashboards, 0, api, call)),
    }),
  ),
  read({
    ...rowOf(pivotFields),
    input: { dashboards, max_fields: mostFields.describe("Fields of a pivot at most") },
    tags: ["dashboard"],
    example: { max_fields: 20 },
    run: async (args, api, call) =>
      told(await checkDashboards([pivotFields], args.dashboards, args.max_fields, api, call)),
  }),
  ...modelChecks.map((check) =>
    read({
      ...rowOf(check),
      input: { datamodels },
      tags: ["datamodel"],
      example: { datamodels: ["Orders"] },
      run: async (args, api, call) => told(await checkModels([check], args.datamodels, api, call)),
    }),
  ),
  read({
    id: "wellcheck.run_full_wellcheck",
    title: "Run all checks",
    description: "All checks of dashboards and data models together, the gravest findings first.",
    input: { dashboards, datamodels, max_pivot_fields: mostFields.describe("Fields of a pivot at most") },
    output,
    tags: ["dashboard", "datamodel"],
    ask: "run a full wellcheck",
    example: {},
    async run(args, api, call) {
      const checks = [structure, widgetCounts, pivotFields];
      const one = await checkDashboards(checks, args.dashboards, args.max_pivot_fields, api, call);
      const other = await checkModels(modelChecks, args.datamodels, api, call);
      return told({
        checked: one.checked + other.checked,
        rows: [...one.rows, ...other.rows],
        findings: [...one.findings, ...other.findings].toSorted(
          (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
        ),
        failed: [...one.failed, ...other.failed],
      });
    },
  }),
];
