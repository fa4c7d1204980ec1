import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import { type Api, parsed } from "../api.ts";
import { change, type ToolRow } from "../registry.ts";
import { datasetSchema, type Model, type Permission } from "../shapes.ts";
import {
  connectionName,
  databaseName,
  modelName,
  namedShares,
  PERMISSIONS,
  schemaName,
  summaryOf,
  tableSchema,
  text,
} from "./datamodel.ts";

const newModelName = text("Title of the new data model");
const modelType = z
  .preprocess(
    (value) =>
      typeof value === "string" ? (CALLED_CUBE.test(value) ? "extract" : value.toLowerCase()) : value,
    z.enum(["extract", "live"]),
  )
  .describe("extract (an ElastiCube) or live");
const CALLED_CUBE = /^(?:ec|(?:elastic[ -]?)?cube|elasticube)$/i;
const buildBehaviour = z
  .strictObject({
    mode: z.enum(["replace", "replace_changes", "append", "increment"]).default("replace"),
    column_name: z.string().optional().describe("Of increment: the column that grows"),
  })
  .describe("How builds of an extract model fill the table");
const tags = z.array(z.string()).describe("Tags of the table");

const newTable = z.strictObject({
  table_name: text("Table at the source, or a name for the import query"),
  database_name: databaseName.optional(),
  schema_name: schemaName.optional(),
  import_query: z.string().optional().describe("SQL that gives the rows instead of the whole table"),
  description: z.string().optional(),
  tags: tags.optional(),
  build_behavior_config: buildBehaviour.optional(),
});
type NewTable = z.infer<typeof newTable>;

async function createDataset(
  api: Api,
  model: Pick<Model, "oid" | "type">,
  given: {
    connection_name: string;
    database_name: string;
    schema_name: string;
    dataset_name?: string | undefined;
  },
): Promise<z.infer<typeof datasetSchema>> {
  const connection = await api.connection(given.connection_name);
  const answer = await api.send("POST", `/api/v2/datamodels/${model.oid}/schema/datasets`, {
    body: {
      name: given.dataset_name ?? given.schema_name,
      type: model.type,
      connection: { oid: connection.oid },
      database: given.database_name,
      schemaName: given.schema_name,
    },
  });
  return parsed(datasetSchema, answer, "the new dataset");
}

/** Where a new table goes, and what it is made of. */
async function planTable(api: Api, model: Model, datasetId: string | undefined, given: NewTable) {
  const { datasets } = model;
  const fit = datasetId === undefined ? datasets : datasets.filter(({ oid }) => oid === datasetId);
  const [dataset] = fit;
  if (dataset === undefined || fit.length > 1) {
    const there = datasets.map(({ oid, name }) => `${name} (${oid})`).join(", ") || "none";
    throw new ToolFailure("unknown_dataset", `${model.title}: give dataset_id, one of ${there}`);
  }
  const { connection, database, schemaName: schema } = dataset;
  const place = {
    database: given.database_name ?? database ?? "",
    schema: given.schema_name ?? schema ?? "",
    table: given.table_name,
  };
  const source = await tableSchema(
    api,
    { oid: connection?.oid ?? "", provider: connection?.provider ?? "" },
    place,
  );
  const columns = source.columns.map(({ columnName, dbType, size, precision, scale }) => ({
    id: columnName,
    name: columnName,
    type: dbType ?? 0,
    size: size ?? 0,
    precision: precision ?? 0,
    scale: scale ?? 0,
    hidden: false,
    indexed: true,
  }));
  return { dataset, columns };
}

async function createTable(
  api: Api,
  model: Pick<Model, "oid" | "type">,
  datasetId: string,
  {
    table_name: name,
    import_query: importQuery,
    description = "",
    tags: given = [],
    build_behavior_config: behaviour,
  }: NewTable,
  columns: readonly object[],
): Promise<string> {
  const path = `/api/v2/datamodels/${model.oid}/schema/datasets/${datasetId}/tables`;
  const answer = await api.send("POST", path, {
    body: {
      id: name,
      name,
      columns,
      hidden: false,
      type: "base",
      description,
      tags: given,
      expression: null,
      configOptions: importQuery === undefined ? null : { importQuery },
      buildBehavior: { type: "sync", accumulativeConfig: null },
    },
  });
  const made = z.looseObject({
    oid: z.string(),
    columns: z.array(z.looseObject({ oid: z.string(), name: z.string() })).default([]),
  });
  const table = parsed(made, answer, "the new table");
  if (behaviour !== undefined && behaviour.mode !== "replace" && model.type === "extract")
    await api.send("PATCH", `${path}/${table.oid}`, {
      body: { buildBehavior: behaviourOf(behaviour, table.columns) },
    });
  return table.oid;
}

function behaviourOf(
  { mode, column_name: name }: z.infer<typeof buildBehaviour>,
  columns: readonly { oid: string; name: string }[],
): object {
  if (mode === "replace_changes") return { type: "ignoreIfExists", accumulativeConfig: null };
  if (mode !== "increment")
    return { type: mode === "append" ? "accumulativeSync" : "sync", accumulativeConfig: null };
  const column = columns.find((one) => one.name === name);
  if (column === undefined) {
    const there = columns.map((one) => one.name).join(", ");
    throw new ToolFailure(
      "bad_arguments",
      `build_behavior_config: increment needs column_name, one of ${there}`,
    );
  }
  const growing = { column: column.oid, type: "lastStored", lastDays: null, keepOnlyDays: null };
  return { type: "accumulativeSync", accumulativeConfig: growing };
}

async function notTaken(api: Api, title: string): Promise<void> {
  if ((await api.models()).some((one) => one.title.toLowerCase() === title.toLowerCase()))
    throw new ToolFailure("exists", `there is a data model "${title}" already`);
}

async function createModel(api: Api, title: string, type: string): Promise<string> {
  const answer = await api.send("POST", "/api/v2/datamodels", { body: { title, type } });
  return parsed(z.looseObject({ oid: z.string() }), answer, "the new data model").oid;
}

export const datamodelChangeTools: readonly ToolRow[] = [
  change({
    id: "datamodel.add_datamodel_shares",
    title: "Share a data model",
    description: "Share a data model with users and groups, or change what they may do. Other shares stay.",
    input: {
      datamodel_name: modelName,
      shares: z
        .array(
          z.strictObject({
            name: z.string().describe("E-mail address of a user, or name of a group"),
            type: z.enum(["user", "group"]),
            permission: z.preprocess(
              (value) => (typeof value === "string" ? value.toUpperCase() : value),
              z.enum(["EDIT", "READ", "USE"]),
            ),
          }),
        )
        .min(1)
        .describe("With whom: [{name, type: user or group, permission: EDIT, READ or USE}]"),
    },
    ask: "let the group Finance use Orders",
    example: { datamodel_name: "Orders", shares: [{ name: "Finance", type: "group", permission: "USE" }] },
    async plan({ datamodel_name, shares }, api) {
      const model = await api.model(datamodel_name);
      const before = await api.permissions(model);
      const letter = (word: string): string =>
        Object.entries(PERMISSIONS).find(([, name]) => name === word)?.[0] ?? "r";
      const added = await Promise.all(
        shares.map(async ({ name, type, permission }): Promise<Permission> => {
          const { id } = await api.party(type, name);
          return { partyId: id, type, permission: letter(permission) };
        }),
      );
      const after = [
        ...before.filter(({ partyId }) => !added.some((one) => one.partyId === partyId)),
        ...added,
      ];
      const shown = async (some: readonly Permission[]): Promise<object> =>
        Object.fromEntries((await namedShares(api, some)).map(({ name, permission }) => [name, permission]));
      return {
        before: await shown(before),
        after: await shown(after),
        async apply() {
          await api.setPermissions(model, after);
          return { datamodel: model.title };
        },
      };
    },
  }),
  change({
    id: "datamodel.create_connections",
    title: "Create a connection",
    description:
      "Create a connection to a source of data from a payload, such as generate_connections_payload makes.",
    input: {
      connection_payload: z
        .looseObject({ name: z.string(), provider: z.string() })
        .describe("The connection: name, provider, parameters"),
    },
    ask: "create this connection",
    example: { connection_payload: { name: "Archive", provider: "RedShift", parameters: {} } },
    async plan({ connection_payload: payload }, api) {
      const { name, provider } = payload;
      return {
        before: null,
        after: { name, provider },
        async apply() {
          const answer = await api.send("POST", "/api/v2/connections", { body: payload });
          return {
            connection_id: parsed(z.looseObject({ oid: z.string() }), answer, "the new connection").oid,
          };
        },
      };
    },
  }),
  change({
    id: "datamodel.create_datamodel",
    title: "Create a data model",
    description: "Create an empty data model, live or extract (ElastiCube).",
    input: { datamodel_name: newModelName, datamodel_type: modelType },
    ask: "create a live data model called Shops",
    example: { datamodel_name: "Shops", datamodel_type: "live" },
    async plan({ datamodel_name, datamodel_type }, api) {
      await notTaken(api, datamodel_name);
      return {
        before: null,
        after: { title: datamodel_name, type: datamodel_type },
        apply: async () => ({ datamodel_id: await createModel(api, datamodel_name, datamodel_type) }),
      };
    },
  }),
  change({
    id: "datamodel.create_dataset",
    title: "Create a dataset",
    description: "Add a dataset (a schema of a connection) to a data model.",
    input: {
      datamodel_name: modelName,
      connection_name: connectionName,
      database_name: databaseName,
      schema_name: schemaName,
      dataset_name: z.string().optional().describe("Absent: the schema's name"),
    },
    ask: "add the schema PUBLIC of Warehouse to Orders",
    example: {
      datamodel_name: "Orders",
      connection_name: "Warehouse",
      database_name: "SHOP",
      schema_name: "PUBLIC",
    },
    async plan(args, api) {
      const [model, connection] = await Promise.all([
        api.model(args.datamodel_name),
        api.connection(args.connection_name),
      ]);
      return {
        before: null,
        after: {
          datamodel: model.title,
          dataset: args.dataset_name ?? args.schema_name,
          connection: connection.name,
          database: args.database_name,
          schema: args.schema_name,
        },
        apply: async () => ({ dataset_id: (await createDataset(api, model, args)).oid }),
      };
    },
  }),
  change({
    id: "datamodel.create_table",
    title: "Add a table to a data model",
    description: "Add a table of the source to a data model, with all its columns or by an import query.",
    input: {
      datamodel_name: modelName,
      table_name: newTable.shape.table_name,
      database_name: newTable.shape.database_name,
      schema_name: newTable.shape.schema_name,
      dataset_id: z.string().optional().describe("Needed where the data model has several datasets"),
      import_query: newTable.shape.import_query,
      description: z.string().optional().describe("Of the table"),
      tags: tags.optional(),
      build_behavior_config: buildBehaviour.optional(),
    },
    ask: "add the table campaigns to Orders",
    example: { datamodel_name: "Orders", table_name: "campaigns" },
    async plan({ datamodel_name, dataset_id, ...given }, api) {
      const model = await api.model(datamodel_name);
      const { dataset, columns } = await planTable(api, model, dataset_id, given);
      return {
        before: null,
        after: {
          datamodel: model.title,
          dataset: dataset.name,
          table: given.table_name,
          columns: columns.map(({ name }) => name),
          ...(given.import_query !== undefined && { import_query: given.import_query }),
        },
        apply: async () => ({ table_id: await createTable(api, model, dataset.oid, given, columns) }),
      };
    },
  }),
  change({
    id: "datamodel.deploy_datamodel",
    title: "Build or publish a data model",
    description: "Build an extract model (ElastiCube), or publish a live one.",
    input: {
      datamodel_name: modelName,
      build_type: z
        .enum(["full", "by_table", "schema_changes"])
        .default("full")
        .describe("Of an extract model"),
      row_limit: z
        .int()
        .min(0)
        .default(0)
        .describe("Rows of each table at most, 0 for all; of an extract model"),
      schema_origin: z.enum(["latest", "running"]).default("latest").describe("Of an extract model"),
    },
    ask: "build Orders",
    example: { datamodel_name: "Orders", build_type: "full" },
    async plan({ datamodel_name, build_type, row_limit, schema_origin }, api) {
      const model = await api.model(datamodel_name);
      const isLive = model.type === "live";
      return {
        before: { last_build: summaryOf(model)["last_build"] || null },
        after: { last_build: isLive ? "now (publish)" : `now (${build_type})` },
        async apply() {
          const how = isLive
            ? { buildType: "publish" }
            : { buildType: build_type, rowLimit: row_limit, schemaOrigin: schema_origin };
          const answer = await api.send("POST", "/api/v2/builds", {
            body: { datamodelId: model.oid, ...how },
          });
          const build = z
            .looseObject({ oid: z.string().nullish(), status: z.string().nullish() })
            .safeParse(answer);
          return {
            datamodel: model.title,
            build_id: build.data?.oid ?? null,
            status: build.data?.status ?? "started",
          };
        },
      };
    },
  }),
  change({
    id: "datamodel.setup_datamodel",
    title: "Set up a data model",
    description: "Create a data model with a dataset of a connection and tables of it, in one go.",
    input: {
      datamodel_name: newModelName,
      datamodel_type: modelType,
      connection_name: connectionName,
      database_name: databaseName,
      schema_name: schemaName,
      dataset_name: z.string().optional().describe("Absent: the schema's name"),
      tables: z.array(newTable).min(1).describe("Tables to add: [{table_name, import_query?, …}]"),
    },
    ask: "set up a live data model Shops with orders and customers of Warehouse",
    example: {
      datamodel_name: "Shops",
      datamodel_type: "live",
      connection_name: "Warehouse",
      database_name: "SHOP",
      schema_name: "PUBLIC",
      tables: [{ table_name: "orders" }, { table_name: "customers" }],
    },
    async plan({ datamodel_name: title, datamodel_type: type, tables, ...args }, api) {
      await notTaken(api, title);
      const connection = await api.connection(args.connection_name);
      // Everything is looked at first: what cannot be read at the source leaves nothing half made.
      const columns = await Promise.all(
        tables.map(async (table) => {
          const place = {
            database: table.database_name ?? args.database_name,
            schema: table.schema_name ?? args.schema_name,
            table: table.table_name,
          };
          return (await tableSchema(api, connection, place)).columns;
        }),
      );
      return {
        before: null,
        after: {
          title,
          type,
          connection: connection.name,
          dataset: args.dataset_name ?? args.schema_name,
          tables: tables.map(({ table_name: name }, at) => `${name} (${columns[at]?.length ?? 0} columns)`),
        },
        async apply() {
          const oid = await createModel(api, title, type);
          const dataset = await createDataset(api, { oid, type }, args);
          const made: string[] = [];
          for (const table of tables) {
            try {
              const model = { oid, title, type, datasets: [dataset] } as unknown as Model;
              const { columns: own } = await planTable(api, model, dataset.oid, { ...args, ...table });
              await createTable(api, { oid, type }, dataset.oid, table, own);
              made.push(table.table_name);
            } catch (error) {
              if (!(error instanceof ToolFailure)) throw error;
              throw new ToolFailure(
                "half_done",
                `${title} (${oid}) was made with ${made.join(", ") || "no table"}; ${table.table_name} failed: ${error.message}`,
                { cause: error },
              );
            }
          }
          return { datamodel_id: oid, dataset_id: dataset.oid, tables: made };
        },
      };
    },
  }),
];
