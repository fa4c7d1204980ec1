import { z } from "zod";

/* What Sisense's REST API answers, as far as the tools work with it. */

/** What stands there, or what stands for nothing. */
function or<Schema extends z.ZodType, Nothing>(schema: Schema, nothing: Nothing) {
  return schema.nullish().transform((value) => value ?? nothing);
}

const text = or(z.string(), "");

/** Ids are `_id` in the older half of the API. */
function withId(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  return { ...record, id: record["id"] ?? record["_id"] ?? record["oid"] };
}

export interface NamedId {
  id: string;
  name: string;
}

const namedId = z.preprocess(withId, z.object({ id: z.string(), name: text })) as z.ZodType<NamedId>;
export const groupSchema: z.ZodType<NamedId> = namedId;
export const roleSchema: z.ZodType<NamedId> = namedId;

export const userSchema = z.preprocess(
  withId,
  z
    .object({
      id: z.string(),
      userName: text,
      email: text,
      firstName: text,
      lastName: text,
      roleId: z.string().nullish(),
      role: z.object({ name: z.string() }).nullish(),
      groups: or(z.array(z.union([z.string(), namedId])), []),
      active: or(z.boolean(), true),
      lastLogin: or(z.string(), null),
    })
    .transform((user) => ({ ...user, userName: user.userName || user.email })),
);

const shareSchema = z.looseObject({
  shareId: z.string(),
  type: z.string(),
  rule: z.string().nullish(),
  subscribe: z.boolean().nullish(),
});
export type Share = z.infer<typeof shareSchema>;

export const sharesSchema: z.ZodType<Share[]> = z
  .union([z.object({ sharesTo: z.array(shareSchema) }), z.array(shareSchema)])
  .transform((value) => (Array.isArray(value) ? value : value.sharesTo));

export const dashboardSchema = z
  .object({
    oid: z.string(),
    title: text,
    owner: text,
    parentFolder: text,
    datasource: z.object({ title: text }).nullish(),
    lastUpdated: text,
  })
  .transform(({ oid, title, owner, parentFolder, datasource, lastUpdated }) => ({
    id: oid,
    title,
    owner,
    folder: parentFolder,
    datamodel: datasource?.title ?? "",
    lastUpdated,
  }));
export type Dashboard = z.infer<typeof dashboardSchema>;

const widgetSchema = z.looseObject({ oid: z.string(), title: text, type: text, script: text });
export const fullDashboardSchema = z.looseObject({
  oid: z.string(),
  title: text,
  script: text,
  widgets: or(z.array(widgetSchema), []),
  filters: or(z.array(z.unknown()), []),
});
export type FullDashboard = z.infer<typeof fullDashboardSchema>;

export interface Folder {
  oid: string;
  name: string;
  owner: string;
  folders: Folder[];
  dashboards: { oid: string; title: string }[];
}

export const folderSchema: z.ZodType<Folder> = z.object({
  oid: z.string(),
  name: text,
  owner: text,
  get folders() {
    return z.array(folderSchema).default([]);
  },
  dashboards: z.array(z.object({ oid: z.string(), title: text })).default([]),
});

const columnSchema = z.looseObject({
  oid: z.string(),
  name: text,
  type: z.number().nullish(),
});
const tableSchema = z.looseObject({
  oid: z.string(),
  name: text,
  type: text,
  expression: z.unknown().optional(),
  configOptions: z.looseObject({ importQuery: z.string().nullish() }).nullish(),
  columns: z.array(columnSchema).default([]),
});
export type Table = z.infer<typeof tableSchema>;

export const datasetSchema = z.looseObject({
  oid: z.string(),
  name: text,
  type: text,
  database: z.string().nullish(),
  schemaName: z.string().nullish(),
  connection: z.looseObject({ oid: z.string().nullish(), name: text, provider: text }).nullish(),
  schema: z.looseObject({ tables: z.array(tableSchema).default([]) }).default({ tables: [] }),
});
const relationSchema = z.looseObject({
  oid: z.string(),
  columns: z.array(z.object({ dataset: z.string(), table: z.string(), column: z.string() })),
});

export const modelSchema = z.looseObject({
  oid: z.string(),
  title: z.string(),
  type: z
    .string()
    .nullish()
    .transform((value): "live" | "extract" => (value?.toLowerCase() === "live" ? "live" : "extract")),
  lastBuildTime: text,
  lastPublishTime: text,
  lastUpdated: text,
  datasets: z.array(datasetSchema).default([]),
  relations: z.array(relationSchema).default([]),
});
export type Model = z.infer<typeof modelSchema>;

const onePermission = z.looseObject({
  partyId: z.string(),
  type: z.string(),
  permission: z.string(),
  partyName: z.string().nullish(),
});
export type Permission = z.infer<typeof onePermission>;

export const permissionSchema: z.ZodType<Permission[]> = z
  .union([z.object({ shares: z.array(onePermission) }), z.array(onePermission)])
  .transform((value) => (Array.isArray(value) ? value : value.shares));

export const ruleSchema = z.looseObject({
  table: text,
  column: text,
  datatype: text,
  members: z.array(z.unknown()).default([]),
  exclusionary: z.boolean().nullish(),
  shares: z
    .array(z.looseObject({ type: text, partyName: z.string().nullish(), party: z.string().nullish() }))
    .default([]),
});
export type Rule = z.infer<typeof ruleSchema>;

export const connectionSchema = z.looseObject({ oid: z.string(), name: text, provider: text });
export type Connection = z.infer<typeof connectionSchema>;

export const sqlSchema = z.object({
  headers: z.array(z.string()),
  values: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))).default([]),
});

/** Types of columns by the numbers that Sisense has for them. */
const COLUMN_TYPES: Readonly<Record<number, string>> = {
  0: "bigint",
  4: "datetime",
  5: "decimal",
  6: "float",
  8: "integer",
  13: "real",
  18: "text",
  40: "double",
};

export function columnType(type: number | null | undefined): string {
  return COLUMN_TYPES[type ?? -1] ?? "unknown";
}

export interface ModelTable extends Table {
  dataset: Model["datasets"][number];
}

/** Of all datasets. */
export function tablesOf(model: Model): ModelTable[] {
  return model.datasets.flatMap((dataset) => dataset.schema.tables.map((table) => ({ ...table, dataset })));
}
