import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import type { Api } from "../api.ts";
import { type Call, read, type ToolRow } from "../registry.ts";
import { columnType, type FullDashboard, type Model, tablesOf } from "../shapes.ts";
import { sqlName } from "./datamodel.ts";

/** Something that a check holds against a dashboard or data model. */
interface Finding {
  check: string;
  severity: "high" | "medium" | "low";
  /** Title of the dashboard or data model. */
  subject: string;
  detail: string;
}

/** What a check counted, and what it found. */
interface Looked {
  row: Record<string, unknown>;
  findings: Finding[];
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
      severity: z.enum(["high", "medium", "low"]),
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

function structureOf(full: FullDashboard, known: ReadonlySet<string>): Looked {
  const pivots = full.widgets.filter(({ type }) => isPivot(type)).length;
  const tabbers = full.widgets.filter(({ type }) => /tabber/i.test(type)).length;
  const accordions = full.widgets.filter((widget) => widget["accordionConfig"] != null).length;
  const jumps = jumpsOf(full);
  const gone = jumps.filter((id) => !known.has(id));
  const about = { check: "dashboard_structure", subject: full.title };
  return {
    row: { dashboard: full.title, pivots, tabbers, accordions, jumps: jumps.length },
    findings: [
      ...gone.map((id) => ({
        ...about,
        severity: "high" as const,
        detail: `Leads to dashboard ${id}, which is not there`,
      })),
      ...(pivots > MOST_PIVOTS
        ? [
            {
              ...about,
              severity: "medium" as const,
              detail: `${pivots} pivots; more than ${MOST_PIVOTS} make a dashboard slow`,
            },
          ]
        : []),
    ],
  };
}

function widgetCountOf({ title, widgets }: FullDashboard): Looked {
  const count = widgets.length;
  const about = { check: "widget_count", subject: title };
  const findings: Finding[] =
    count > MOST_WIDGETS
      ? [
          {
            ...about,
            severity: "medium",
            detail: `${count} widgets; more than ${MOST_WIDGETS} make a dashboard slow`,
          },
        ]
      : count === 0
        ? [{ ...about, severity: "low", detail: "It has no widget" }]
        : [];
  return { row: { dashboard: title, widgets: count }, findings };
}

const panelsSchema = z.looseObject({
  panels: z.array(z.looseObject({ name: z.string(), items: z.array(z.unknown()).default([]) })).default([]),
});

function pivotFieldsOf({ title, widgets }: FullDashboard, most: number): Looked {
  const pivots = widgets
    .filter(({ type }) => isPivot(type))
    .map((widget) => {
      const panels = panelsSchema.safeParse(widget["metadata"]).data?.panels ?? [];
      const fields = panels.filter(({ name }) => name !== "filters").flatMap(({ items }) => items).length;
      return { title: widget.title || widget.oid, fields };
    });
  return {
    row: {
      dashboard: title,
      pivots: pivots.length,
      most_fields: Math.max(0, ...pivots.map(({ fields }) => fields)),
    },
    findings: pivots
      .filter(({ fields }) => fields > most)
      .map((pivot) => ({
        check: "pivot_fields",
        severity: "medium",
        subject: title,
        detail: `The pivot ${pivot.title} has ${pivot.fields} fields; more than ${most} are hard to read and slow`,
      })),
  };
}

function customTablesOf(model: Model): Looked {
  const custom = tablesOf(model).filter(({ type }) => type === "custom");
  const unions = custom.filter(({ expression }) => /\bunion\b/i.test(JSON.stringify(expression ?? "")));
  return {
    row: { datamodel: model.title, custom_tables: custom.length, with_union: unions.length },
    findings: unions.map(({ name }) => ({
      check: "custom_tables",
      severity: "medium",
      subject: model.title,
      detail: `The custom table ${name} has a UNION, which makes builds slow: do it at the source`,
    })),
  };
}

function islandsOf(model: Model): Looked {
  const tables = tablesOf(model);
  const joined = new Set(model.relations.flatMap(({ columns }) => columns.map(({ table }) => table)));
  // A table that is alone is no island.
  const islands = tables.length < 2 ? [] : tables.filter(({ oid }) => !joined.has(oid));
  return {
    row: { datamodel: model.title, tables: tables.length, islands: islands.length },
    findings: islands.map(({ name }) => ({
      check: "island_tables",
      severity: "medium",
      subject: model.title,
      detail: `No relation leads to the table ${name}`,
    })),
  };
}

async function securityTypesOf(model: Model, api: Api): Promise<Looked> {
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
    row: { datamodel: model.title, secured_columns: columns.size },
    findings: texts.map(({ table, column }) => ({
      check: "rls_datatypes",
      severity: "medium",
      subject: model.title,
      detail: `Data security on ${table}.${column}, which is no number: numbers are faster`,
    })),
  };
}

function importQueriesOf(model: Model): Looked {
  const own = tablesOf(model).filter(({ configOptions }) => (configOptions?.importQuery ?? "") !== "");
  return {
    row: { datamodel: model.title, import_queries: own.length },
    findings: own.map(({ name }) => ({
      check: "import_queries",
      severity: "low",
      subject: model.title,
      detail: `The table ${name} is filled by a query of its own`,
    })),
  };
}

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
  const findings: Finding[] = [];
  for (const { columns } of model.relations) {
    const sides: Awaited<ReturnType<typeof repeats>>[] = [];
    for (const { table, column } of columns) sides.push(await repeats(table, column));
    if (sides.filter(({ isRepeated }) => isRepeated).length < 2) continue;
    const places = sides.map(({ place }) => place).join(" and ");
    findings.push({
      check: "m2m_relationships",
      severity: "high",
      subject: model.title,
      detail: `${places} both have values more than once: joined, rows multiply and sums are wrong`,
    });
  }
  return {
    row: { datamodel: model.title, relations: model.relations.length, many_to_many: findings.length },
    findings,
  };
}

type Report = z.infer<z.ZodObject<typeof output>>;

/** Looks at each; one that cannot be read never ends the check. */
async function checkAll<T>(
  items: readonly { name: string; open: () => Promise<T> }[],
  look: (item: T) => Looked | Promise<Looked>,
  call: Call,
): Promise<Report> {
  const rows: Looked["row"][] = [];
  const findings: Finding[] = [];
  const failed: { subject: string; reason: string }[] = [];
  for (const [at, { name, open }] of items.entries()) {
    await call.progress(at, items.length, `Checking ${name}`);
    try {
      const looked = await look(await open());
      rows.push(looked.row);
      findings.push(...looked.findings);
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.code === "cancelled" || error.code === "unauthorized")
        throw error;
      failed.push({ subject: name, reason: error.message });
    }
  }
  return { checked: rows.length, rows, findings, ...(failed.length > 0 && { failed }) };
}

async function checkDashboards(
  api: Api,
  references: readonly string[] | undefined,
  look: (full: FullDashboard) => Looked | Promise<Looked>,
  call: Call,
): Promise<Report> {
  const wanted = references ?? (await api.dashboards()).map(({ id }) => id);
  const titles = new Map((await api.dashboards()).map(({ id, title }) => [id, title]));
  const items = wanted.map((reference) => ({
    name: titles.get(reference) ?? reference,
    open: async () =>
      api.exportDashboard(titles.has(reference) ? reference : (await api.dashboard(reference)).id),
  }));
  return checkAll(items, look, call);
}

async function checkModels(
  api: Api,
  references: readonly string[] | undefined,
  look: (model: Model, api: Api) => Looked | Promise<Looked>,
  call: Call,
): Promise<Report> {
  const items =
    references === undefined
      ? (await api.models()).map((model) => ({ name: model.title, open: async () => model }))
      : references.map((reference) => ({ name: reference, open: () => api.model(reference) }));
  return checkAll(items, (model) => look(model, api), call);
}

const ids = async (api: Api): Promise<ReadonlySet<string>> =>
  new Set((await api.dashboards()).map(({ id }) => id));

function modelCheck(
  method: string,
  title: string,
  description: string,
  ask: string,
  look: (model: Model, api: Api) => Looked | Promise<Looked>,
): ToolRow {
  return read({
    id: `wellcheck.${method}`,
    title,
    description,
    input: { datamodels },
    output,
    tags: ["datamodel"],
    ask,
    example: { datamodels: ["Orders"] },
    run: (args, api, call) => checkModels(api, args.datamodels, look, call),
  });
}

const mostFields = z.int().min(1).default(MOST_PIVOT_FIELDS);
const SEVERITIES = ["high", "medium", "low"];

export const wellcheckTools: readonly ToolRow[] = [
  read({
    id: "wellcheck.check_dashboard_structure",
    title: "Check how dashboards are built",
    description: `Pivots, tabbers, accordions and jumps of dashboards; more than ${MOST_PIVOTS} pivots and jumps to dashboards that are gone are findings.`,
    input: { dashboards },
    output,
    tags: ["dashboard"],
    ask: "check the structure of the dashboards",
    example: {},
    async run(args, api, call) {
      const known = await ids(api);
      return checkDashboards(api, args.dashboards, (full) => structureOf(full, known), call);
    },
  }),
  read({
    id: "wellcheck.check_dashboard_widget_counts",
    title: "Check how many widgets dashboards have",
    description: `Widgets of each dashboard; more than ${MOST_WIDGETS} and none are findings.`,
    input: { dashboards },
    output,
    tags: ["dashboard"],
    ask: "which dashboards have too many widgets?",
    example: {},
    run: (args, api, call) => checkDashboards(api, args.dashboards, widgetCountOf, call),
  }),
  read({
    id: "wellcheck.check_pivot_widget_fields",
    title: "Check how many fields pivots have",
    description: "Pivots with more fields than max_fields are findings.",
    input: { dashboards, max_fields: mostFields.describe("Fields of a pivot at most") },
    output,
    tags: ["dashboard"],
    ask: "which pivots have more than 20 fields?",
    example: { max_fields: 20 },
    run: (args, api, call) =>
      checkDashboards(api, args.dashboards, (full) => pivotFieldsOf(full, args.max_fields), call),
  }),
  modelCheck(
    "check_datamodel_custom_tables",
    "Check custom tables",
    "Custom tables of data models; those with a UNION are findings.",
    "which custom tables have a UNION?",
    customTablesOf,
  ),
  modelCheck(
    "check_datamodel_island_tables",
    "Check for island tables",
    "Tables of data models that no relation leads to.",
    "are there island tables?",
    islandsOf,
  ),
  modelCheck(
    "check_datamodel_rls_datatypes",
    "Check what data security is on",
    "Columns with rules of data security; those that are no numbers are findings.",
    "is data security on text columns anywhere?",
    securityTypesOf,
  ),
  modelCheck(
    "check_datamodel_import_queries",
    "Check for import queries",
    "Tables of data models that are filled by a query of their own.",
    "which tables have import queries?",
    importQueriesOf,
  ),
  modelCheck(
    "check_datamodel_m2m_relationships",
    "Check for many-to-many relations",
    "Relations of data models whose two sides both have values more than once.",
    "are there many-to-many relations?",
    manyToManyOf,
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
      const known = await ids(api);
      const merged = (looks: Looked[]): Looked => ({
        row: Object.assign({}, ...looks.map(({ row }) => row)) as Looked["row"],
        findings: looks.flatMap(({ findings }) => findings),
      });
      const onDashboards = await checkDashboards(
        api,
        args.dashboards,
        (full) =>
          merged([structureOf(full, known), widgetCountOf(full), pivotFieldsOf(full, args.max_pivot_fields)]),
        call,
      );
      const onModels = await checkModels(
        api,
        args.datamodels,
        async (model) =>
          merged([
            customTablesOf(model),
            islandsOf(model),
            await securityTypesOf(model, api),
            importQueriesOf(model),
            await manyToManyOf(model, api),
          ]),
        call,
      );
      const findings = [...onDashboards.findings, ...onModels.findings];
      const failed = [...(onDashboards.failed ?? []), ...(onModels.failed ?? [])];
      return {
        checked: onDashboards.checked + onModels.checked,
        rows: [...onDashboards.rows, ...onModels.rows],
        findings: findings.toSorted(
          (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
        ),
        ...(failed.length > 0 && { failed }),
      };
    },
  }),
];
