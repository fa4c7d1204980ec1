import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import { type Api, parsed } from "../api.ts";
import { connectionPayload, DATASOURCES } from "../connections.ts";
import { type Call, counted, read, resolver, type ToolRow } from "../registry.ts";
import { columnType, type Model, type ModelTable, type Permission, type Rule, tablesOf } from "../shapes.ts";

export const text = (what: string): z.ZodString => z.string().min(1).describe(what);
export const modelName = text("Title or id of the data model");
export const connectionName = text("Name of the connection");
export const databaseName = text("Database at the source");
export const schemaName = text("Schema in the database");
const row = z.looseObject({});
export const PERMISSIONS: Readonly<Record<string, string>> = { w: "EDIT", a: "READ", r: "USE" };

export async function namedShares(
  api: Api,
  permissions: readonly Permission[],
): Promise<{ name: string; type: string; permission: string }[]> {
  const names = await api.partyNames();
  return permissions.map(({ partyId, type, permission, partyName }) => ({
    name: names.get(partyId) ?? partyName ?? partyId,
    type,
    permission: PERMISSIONS[permission] ?? permission,
  }));
}

export function summaryOf({
  oid,
  title,
  type,
  lastBuildTime,
  lastPublishTime,
  lastUpdated,
}: Model): Record<string, unknown> {
  return {
    datamodel_id: oid,
    title,
    type,
    last_build: type === "live" ? lastPublishTime : lastBuildTime,
    last_updated: lastUpdated,
  };
}

/** The model with tables, columns and what joins them, as the page draws it. */
async function described(model: Model, api: Api): Promise<object> {
  const tables = tablesOf(model);
  const columnName = (table: ModelTable | undefined, id: string): string =>
    table?.columns.find(({ oid }) => oid === id)?.name ?? id;
  const relations = model.relations.map(({ columns }) =>
    columns.map(({ table: id, column }) => {
      const table = tables.find(({ oid }) => oid === id);
      return { table: table?.name ?? id, column: columnName(table, column) };
    }),
  );
  return {
    ...summaryOf(model),
    datasets: model.datasets.map(({ oid, name, connection }) => ({
      dataset_id: oid,
      dataset: name,
      connection: connection?.name ?? null,
      provider: connection?.provider ?? null,
    })),
    tables: tables.map((table) => ({
      table: table.name,
      kind: table.type === "" ? "base" : table.type,
      columns: table.columns.map(({ name, type }) => ({ column: name, type: columnType(type) })),
    })),
    relations,
    shares: await namedShares(api, await api.permissions(model)),
  };
}

const sourceTable = z.looseObject({
  columns: z.array(
    z.looseObject({
      columnName: z.string(),
      dbType: z.number().nullish(),
      size: z.number().nullish(),
      precision: z.number().nullish(),
      scale: z.number().nullish(),
    }),
  ),
});

export async function tableSchema(
  api: Api,
  connection: { oid: string; provider: string },
  place: { database: string; schema: string; table: string },
): Promise<z.infer<typeof sourceTable>> {
  const answer = await api.send("POST", `/api/v1/connection/${connection.oid}/table_schema_details`, {
    isRead: true,
    body: {
      provider: connection.provider,
      connectionData: { connection: { Database: place.database }, schema: place.schema, table: place.table },
    },
  });
  return parsed(sourceTable, answer, `the table ${place.table}`);
}

/** What a rule lets its people see, in words. */
function meaningOf({ members, exclusionary }: Rule): string {
  const values = members.map(String).join(", ");
  if (members.length > 0) return exclusionary === true ? `everything except ${values}` : `only ${values}`;
  return exclusionary === false ? "everything" : "nothing";
}

const MOST_ROWS = 1000;

/** A table of a model, which a query may be made of. */
function tableOf(model: Model, name: string): ModelTable {
  const tables = tablesOf(model);
  const table = tables.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (table !== undefined) return table;
  const there = tables.map((one) => one.name).join(", ") || "none";
  throw new ToolFailure("unknown_table", `${model.title} has no table "${name}". It has ${there}`);
}

/** A name as a query has it. */
export function sqlName(name: string): string {
  return /^\w+$/.test(name) ? name : `[${name.replaceAll("]", "]]")}]`;
}

/** A tool that reads one data model. */
function readModel(
  said: Pick<ToolRow, "title" | "description" | "output"> & {
    id: string;
    ask: string;
    run(model: Model, api: Api, call: Call): object | Promise<object>;
  },
): ToolRow {
  return read({
    ...said,
    input: { datamodel_name: modelName },
    example: { datamodel_name: "Orders" },
    run: async ({ datamodel_name }, api, call) => said.run(await api.model(datamodel_name), api, call),
  });
}

export const datamodelTools: readonly ToolRow[] = [
  readModel({
    id: "datamodel.describe_datamodel",
    title: "Describe a data model",
    description: "A data model with its tables, columns, relations, connections and shares.",
    output: { title: z.string(), tables: z.array(row), relations: z.array(z.array(row)) },
    ask: "describe the data model Orders",
    run: described,
  }),
  readModel({
    id: "datamodel.describe_datamodel_raw",
    title: "Get a data model's whole schema",
    description: "A data model as Sisense's API has it, without the parameters of its connections.",
    output: { oid: z.string(), title: z.string() },
    ask: "show the raw schema of Orders",
    async run(model, api) {
      const datasets = model.datasets.map(({ connection, ...rest }) => ({
        ...rest,
        connection: connection && {
          oid: connection.oid,
          name: connection.name,
          provider: connection.provider,
        },
      }));
      return { ...model, datasets, shares: await namedShares(api, await api.permissions(model)) };
    },
  }),
  read({
    id: "datamodel.generate_connections_payload",
    title: "Make a connection's payload",
    description: "Make the payload for create_connections. It is not sent anywhere.",
    input: {
      datasource_type: z
        .preprocess((value) => (typeof value === "string" ? value.toUpperCase() : value), z.enum(DATASOURCES))
        .describe(`Kind of source: ${DATASOURCES.join(", ")}`),
      connection_params: z
        .record(z.string(), z.unknown())
        .describe("What the source needs, such as server, username, password"),
    },
    output: { provider: z.string() },
    ask: "make the payload of a Redshift connection",
    example: {
      datasource_type: "REDSHIFT",
      connection_params: { name: "Archive", server: "db.example", username: "reader", password: "…" },
    },
    run: async ({ datasource_type, connection_params }) =>
      connectionPayload(datasource_type, connection_params),
  }),
  read({
    id: "datamodel.get_all_datamodel",
    title: "List all data models",
    description: "All data models with type, status and size.",
    input: {},
    output: { datamodels: z.array(row), count: z.number() },
    ask: "list the data models",
    example: {},
    async run(_args, api) {
      const query = "query elasticubesMetadata { elasticubesMetadata { oid title type status sizeInMb } }";
      const answer = await api.send("POST", "/api/v2/ecm/", { body: { query }, isRead: true });
      const status = z
        .union([z.string(), z.array(z.string())])
        .nullish()
        .transform((value) => (Array.isArray(value) ? value : [value ?? "unknown"]));
      const one = z.looseObject({
        oid: z.string(),
        title: z.string(),
        type: z.string().nullish(),
        status,
        sizeInMb: z.number().nullish(),
      });
      const schema = z.object({ data: z.object({ elasticubesMetadata: z.array(one) }) });
      const datamodels = parsed(schema, answer, "data models").data.elasticubesMetadata.map((model) => ({
        datamodel_id: model.oid,
        title: model.title,
        type: (model.type ?? "extract").toLowerCase(),
        status: model.status.includes("building") ? "building" : (model.status[0] ?? "unknown"),
        size_mb: model.sizeInMb == null ? null : Math.round(model.sizeInMb * 100) / 100,
      }));
      return counted("datamodels", datamodels);
    },
  }),
  read({
    id: "datamodel.get_connection",
    title: "Get a connection",
    description: "A connection by its name, without its parameters.",
    input: { connection_name: connectionName },
    output: { connection_id: z.string(), name: z.string(), provider: z.string() },
    ask: "show the connection Warehouse",
    example: { connection_name: "Warehouse" },
    async run({ connection_name }, api) {
      const { oid, name, provider } = await api.connection(connection_name);
      return { connection_id: oid, name, provider };
    },
  }),
  read({
    id: "datamodel.get_data",
    title: "Get rows of a table",
    description: `Rows of a table of a data model, at most ${MOST_ROWS}: all of them, or what a SELECT of it gives.`,
    input: {
      datamodel_name: modelName,
      table_name: text("Name of the table"),
      query: z
        .string()
        .optional()
        .describe("One SELECT, such as SELECT region, SUM(revenue) FROM orders GROUP BY region"),
    },
    output: { rows: z.array(row), count: z.number(), truncated: z.boolean() },
    ask: "show the rows of orders in Orders",
    example: { datamodel_name: "Orders", table_name: "orders" },
    async run({ datamodel_name, table_name, query }, api) {
      const model = await api.model(datamodel_name);
      const table = tableOf(model, table_name);
      if (query !== undefined && !/^\s*(?:select|with)\b/i.test(query))
        throw new ToolFailure("bad_arguments", "query: expected one SELECT");
      const found = await api.rows(model, query ?? `SELECT * FROM ${sqlName(table.name)}`);
      const rows = found.slice(0, MOST_ROWS);
      return { rows, count: rows.length, truncated: found.length >= MOST_ROWS };
    },
  }),
  readModel({
    id: "datamodel.get_datamodel",
    title: "Get a data model",
    description: "One data model by title or id: type, last build, tables by name.",
    output: { datamodel_id: z.string(), title: z.string(), type: z.string(), tables: z.array(z.string()) },
    ask: "show the data model Orders",
    run(model) {
      return { ...summaryOf(model), tables: tablesOf(model).map(({ name }) => name) };
    },
  }),
  readModel({
    id: "datamodel.get_datamodel_shares",
    title: "List a data model's shares",
    description: "Who a data model is shared with, and what they may do.",
    output: { datamodel: z.string(), shares: z.array(row), count: z.number() },
    ask: "who may use Orders?",
    async run(model, api) {
      const shares = await namedShares(api, await api.permissions(model));
      return counted("shares", shares, { datamodel: model.title });
    },
  }),
  readModel({
    id: "datamodel.get_datasecurity",
    title: "List a data model's secured columns",
    description: "Tables and columns of a data model that have rules of data security (row-level security).",
    output: { datamodel: z.string(), columns: z.array(row), count: z.number() },
    ask: "which columns of Orders are secured?",
    async run(model, api) {
      const seen = new Map<string, object>();
      for (const { table, column, datatype } of await api.security(model))
        seen.set(JSON.stringify([table, column]), { table, column, type: datatype });
      return counted("columns", [...seen.values()], { datamodel: model.title });
    },
  }),
  readModel({
    id: "datamodel.get_datasecurity_detail",
    title: "List a data model's security rules",
    description: "Rules of data security with who they hold for and what these people see.",
    output: { datamodel: z.string(), rules: z.array(row), count: z.number() },
    ask: "who may see what in Orders?",
    async run(model, api) {
      const rules = (await api.security(model)).flatMap((rule): object[] => {
        const { table, column, datatype, shares } = rule;
        const about = { table, column, type: datatype, sees: meaningOf(rule) };
        if (shares.length === 0) return [{ ...about, share_type: null, share_name: null }];
        return shares.map(({ type, partyName, party }) => ({
          ...about,
          share_type: type === "default" ? "everyone" : type,
          share_name: type === "default" ? "Everyone" : (partyName ?? party ?? null),
        }));
      });
      return counted("rules", rules, { datamodel: model.title });
    },
  }),
  readModel({
    id: "datamodel.get_model_schema",
    title: "Get a data model's schema",
    description: "Every column of a data model with dataset, table and type, one row each.",
    output: { datamodel: z.string(), columns: z.array(row), count: z.number() },
    ask: "show the schema of Orders",
    run(model) {
      const columns = tablesOf(model).flatMap((table) =>
        table.columns.map(({ name, type }) => ({
          dataset: table.dataset.name,
          table: table.name,
          column: name,
          type: columnType(type),
        })),
      );
      return counted("columns", columns, { datamodel: model.title });
    },
  }),
  readModel({
    id: "datamodel.get_row_count",
    title: "Count a data model's rows",
    description: "How many rows each table of a data model has, and all together.",
    output: { datamodel: z.string(), tables: z.array(row), total: z.number() },
    ask: "how many rows does Orders have?",
    async run(model, api, call) {
      const tables: { table: string; rows: number }[] = [];
      const all = tablesOf(model);
      for (const [at, { name }] of all.entries()) {
        await call.progress(at, all.length, `Counting ${name}`);
        const [first] = await api.rows(model, `SELECT COUNT(*) FROM ${sqlName(name)}`);
        tables.push({ table: name, rows: Number(Object.values(first ?? {})[0] ?? 0) });
      }
      return { datamodel: model.title, tables, total: tables.reduce((sum, { rows }) => sum + rows, 0) };
    },
  }),
  read({
    id: "datamodel.get_table_schema",
    title: "Get a table's schema at the source",
    description: "The columns that a table has at the source of a connection.",
    input: {
      connection_name: connectionName,
      database_name: databaseName,
      schema_name: schemaName,
      table_name: text("Name of the table"),
    },
    output: { table: z.string(), columns: z.array(row), count: z.number() },
    ask: "which columns does orders have in Warehouse?",
    example: {
      connection_name: "Warehouse",
      database_name: "SHOP",
      schema_name: "PUBLIC",
      table_name: "orders",
    },
    async run(args, api) {
      const connection = await api.connection(args.connection_name);
      const place = { database: args.database_name, schema: args.schema_name, table: args.table_name };
      const { columns } = await tableSchema(api, connection, place);
      const rows = columns.map(({ columnName, dbType }) => ({
        column: columnName,
        type: columnType(dbType),
      }));
      return counted("columns", rows, { table: args.table_name });
    },
  }),
  resolver("datamodel", ["data model", "Orders"], async (api, reference) => {
    const { oid, title } = await api.model(reference);
    return [oid, title];
  }),
];
