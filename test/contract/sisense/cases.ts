import { expect } from "vitest";

import { idOf } from "#servers/sisense/demo/generate.ts";

/** A call of one tool, what it has to bring, and what it asks a deployment for. */
export interface Case {
  tool: string;
  args: Record<string, unknown>;
  brings: unknown;
  /** Methods and paths in the order of their names, each once; of migrations `source` and `target`. */
  asks: string[];
}

const objectContaining = (one: object): object => expect.objectContaining(one) as object;
const arrayContaining = (all: unknown[]): object => expect.arrayContaining(all) as object;
/** Some of a list. */
const some = (...items: object[]): unknown => arrayContaining(items.map((one) => objectContaining(one)));

export const WEEKLY = idOf("dashboard", "Weekly Sales");
const WIDGET = idOf("widget", "Weekly Sales", "1");
const ORDERS = idOf("model", "Orders");
const DATASET = idOf("dataset", "Orders");
const CONNECTION = idOf("source", "connection", "Warehouse");
const ben = "ben.okafor@shop.example";
const BEN = idOf("source", "user", "Ben Okafor");
const USERS = ["GET /api/roles", "GET /api/v1/groups", "GET /api/v1/users"];
const ADMIN = "GET /api/v1/dashboards/admin";
const SCHEMA = "GET /api/v2/datamodels/schema";
const EXPORT = "GET /api/v1/dashboards/export";
const SQL = "GET /api/datasources/Orders/sql";

export const ACCESS: Case[] = [
  {
    tool: "access.change_folder_and_dashboard_ownership",
    args: { executing_user: "admin.demo@shop.example", folder_name: "Web", new_owner_name: ben },
    brings: {
      total_folders_changed: 1,
      total_dashboards_changed: 2,
      after: objectContaining({ "Folder Web": ben }),
    },
    asks: [
      ...USERS,
      ADMIN,
      "GET /api/v1/navver",
      `PATCH /api/v1/folders/${idOf("source", "folder", "", "Web")}`,
      `POST /api/v1/dashboards/${idOf("dashboard", "Visits")}/change_owner`,
      `POST /api/v1/dashboards/${idOf("dashboard", "Everything in One")}/change_owner`,
    ],
  },
  {
    tool: "access.create_schedule_build",
    args: { datamodel_name: "Orders", days: '["MON", "THU"]', hour: "6" },
    brings: { before: null, after: objectContaining({ cronString: "0 6 * * 1,4", buildType: "ACCUMULATE" }) },
    asks: [SCHEMA, `GET /api/v2/datamodels/${ORDERS}/schedule`, `POST /api/v2/datamodels/${ORDERS}/schedule`],
  },
  {
    tool: "access.create_user",
    args: { user_data: { email: "new@shop.example", firstName: "Nia", role: "designer", groups: ["sales"] } },
    brings: {
      before: null,
      after: objectContaining({ role: "contributor", groups: ["Sales"] }),
      user_id: expect.any(String),
    },
    asks: [...USERS, "POST /api/v1/users"],
  },
  {
    tool: "access.update_user",
    args: { user_name: ben, user_data: { role: "viewer", groups: [] } },
    brings: {
      before: { role: "contributor", groups: ["Everyone", "Sales"] },
      after: { role: "consumer", groups: [] },
    },
    asks: [...USERS, `PATCH /api/v1/users/${BEN}`],
  },
  {
    tool: "access.delete_user",
    args: { user_name: ben },
    brings: { before: objectContaining({ email: ben, role: "contributor" }), after: null },
    asks: [...USERS, ADMIN, `DELETE /api/v1/users/${BEN}`],
  },
  {
    tool: "access.get_all_dashboard_shares",
    args: {},
    brings: {
      count: 50,
      shares: some({ dashboard: "Weekly Sales", type: "group", name: "Product", rule: "view" }),
    },
    asks: [...USERS, "POST /api/v1/dashboards/searches"],
  },
  {
    tool: "access.get_datamodel_columns",
    args: { datamodel_name: "orders" },
    brings: { count: 16, columns: some({ table: "orders", column: "region", type: "text" }) },
    asks: [SCHEMA],
  },
  {
    tool: "access.get_group",
    args: { name: "finance" },
    brings: { name: "Finance", users: expect.any(Number) },
    asks: USERS,
  },
  {
    tool: "access.get_unused_columns",
    args: { datamodel_name: "Orders" },
    brings: {
      columns: some({ column: "region", used: true }, { table: "customers", column: "segment", used: false }),
      unused: expect.any(Number),
    },
    asks: [SCHEMA, ADMIN, EXPORT],
  },
  {
    tool: "access.get_unused_columns_bulk",
    args: { datamodels: ["Web", "Nothing"] },
    brings: { count: 5, failed: [objectContaining({ datamodel: "Nothing" })] },
    asks: [SCHEMA, ADMIN, EXPORT],
  },
  {
    tool: "access.get_user",
    args: { user_name: "Ana Lindqvist" },
    brings: { email: "ana.lindqvist@shop.example", role: "admin", groups: ["Finance"], active: true },
    asks: USERS,
  },
  {
    tool: "access.get_users_all",
    args: {},
    brings: { count: 43, users: some({ email: ben }) },
    asks: USERS,
  },
  {
    tool: "access.users_per_group",
    args: { group_name: "Sales" },
    brings: { group: "Sales", users: some({ email: ben }) },
    asks: USERS,
  },
  {
    tool: "access.users_per_group_all",
    args: {},
    brings: { count: 8, groups: some({ group: "Leadership", count: 5 }) },
    asks: USERS,
  },
];

export const DASHBOARD: Case[] = [
  {
    tool: "dashboard.add_dashboard_script",
    args: { dashboard_id: WEEKLY, script: '{"script": "on();"}', executing_user: "admin.demo@shop.example" },
    brings: { before: { script: null }, after: { script: "on();" }, dashboard: "Weekly Sales" },
    asks: [
      ...USERS,
      ADMIN,
      EXPORT,
      `GET /api/shares/dashboard/${WEEKLY}`,
      `POST /api/shares/dashboard/${WEEKLY}`,
      `POST /api/v1/dashboards/${WEEKLY}/change_owner`,
      `PUT /api/dashboards/${WEEKLY}`,
    ],
  },
  {
    tool: "dashboard.add_widget_script",
    args: { dashboard_id: WEEKLY, widget_id: WIDGET, script: "on();" },
    brings: { after: { script: "on();" }, widget: "Weekly Sales 1" },
    asks: [ADMIN, EXPORT, `PUT /api/dashboards/${WEEKLY}/widgets/${WIDGET}`],
  },
  {
    tool: "dashboard.add_dashboard_shares",
    args: { dashboard_id: WEEKLY, shares: '[{"name": "Finance", "type": "group", "rule": "edit"}]' },
    brings: { after: objectContaining({ Finance: "edit", Product: "view" }) },
    asks: [...USERS, ADMIN, `GET /api/shares/dashboard/${WEEKLY}`, `POST /api/shares/dashboard/${WEEKLY}`],
  },
  {
    tool: "dashboard.get_all_dashboards",
    args: {},
    brings: { count: 25, dashboards: some({ title: "Weekly Sales", datamodel: "Orders" }) },
    asks: [...USERS, ADMIN],
  },
  {
    tool: "dashboard.get_dashboard_by_id",
    args: { dashboard_id: WEEKLY },
    brings: { title: "Weekly Sales", owner: "dario.rossi@shop.example" },
    asks: [...USERS, ADMIN],
  },
  {
    tool: "dashboard.get_dashboard_by_name",
    args: { dashboard_name: "weekly sales" },
    brings: { dashboard_id: WEEKLY },
    asks: [...USERS, ADMIN],
  },
  {
    tool: "dashboard.get_dashboard_columns",
    args: { dashboard_name: "Weekly Sales" },
    brings: { count: 3, columns: some({ table: "orders", column: "region" }) },
    asks: [ADMIN, EXPORT],
  },
  {
    tool: "dashboard.get_dashboard_share",
    args: { dashboard_name: "Weekly Sales" },
    brings: { count: 2, shares: some({ type: "group", name: "Product", rule: "view" }) },
    asks: [...USERS, ADMIN, `GET /api/shares/dashboard/${WEEKLY}`],
  },
  {
    tool: "dashboard.resolve_dashboard_reference",
    args: { dashboard_ref: WEEKLY },
    brings: { success: true, dashboard_id: WEEKLY, dashboard_title: "Weekly Sales", error: null },
    asks: [ADMIN],
  },
];

export const DATAMODEL: Case[] = [
  {
    tool: "datamodel.add_datamodel_shares",
    args: { datamodel_name: "Orders", shares: [{ name: ben, type: "user", permission: "edit" }] },
    brings: { after: objectContaining({ [ben]: "EDIT", Finance: "USE" }) },
    asks: [
      ...USERS,
      SCHEMA,
      "GET /api/elasticubes/localhost/Orders/permissions",
      "PUT /api/elasticubes/localhost/Orders/permissions",
    ],
  },
  {
    tool: "datamodel.create_connections",
    args: { connection_payload: { name: "Archive", provider: "RedShift", parameters: { Password: "p" } } },
    brings: { after: { name: "Archive", provider: "RedShift" }, connection_id: expect.any(String) },
    asks: ["POST /api/v2/connections"],
  },
  {
    tool: "datamodel.create_datamodel",
    args: { datamodel_name: "Shops", datamodel_type: "elasticube" },
    brings: { after: { title: "Shops", type: "extract" }, datamodel_id: expect.any(String) },
    asks: [SCHEMA, "POST /api/v2/datamodels"],
  },
  {
    tool: "datamodel.create_dataset",
    args: { datamodel_name: "Orders", connection_name: "Warehouse", database_name: "SHOP", schema_name: "X" },
    brings: { after: objectContaining({ dataset: "X" }), dataset_id: expect.any(String) },
    asks: [SCHEMA, "GET /api/v2/connections", `POST /api/v2/datamodels/${ORDERS}/schema/datasets`],
  },
  {
    tool: "datamodel.create_table",
    args: {
      datamodel_name: "Orders",
      table_name: "visits",
      build_behavior_config: { mode: "increment", column_name: "visit_id" },
    },
    brings: { after: objectContaining({ table: "visits" }), table_id: expect.any(String) },
    asks: [
      SCHEMA,
      `PATCH /api/v2/datamodels/${ORDERS}/schema/datasets/${DATASET}/tables/:`,
      `POST /api/v1/connection/${CONNECTION}/table_schema_details`,
      `POST /api/v2/datamodels/${ORDERS}/schema/datasets/${DATASET}/tables`,
    ],
  },
  {
    tool: "datamodel.deploy_datamodel",
    args: { datamodel_name: "Orders" },
    brings: { after: { last_build: "now (full)" }, status: "done" },
    asks: [SCHEMA, "POST /api/v2/builds"],
  },
  {
    tool: "datamodel.setup_datamodel",
    args: {
      datamodel_name: "Shops",
      datamodel_type: "live",
      connection_name: "Warehouse",
      database_name: "SHOP",
      schema_name: "PUBLIC",
      tables: [{ table_name: "orders" }, { table_name: "customers" }],
    },
    brings: { tables: ["orders", "customers"], datamodel_id: expect.any(String) },
    asks: [
      SCHEMA,
      "GET /api/v2/connections",
      `POST /api/v1/connection/${CONNECTION}/table_schema_details`,
      "POST /api/v2/datamodels",
      "POST /api/v2/datamodels/:/schema/datasets",
      "POST /api/v2/datamodels/:/schema/datasets/:/tables",
    ],
  },
  {
    tool: "datamodel.describe_datamodel",
    args: { datamodel_name: "Support" },
    brings: {
      type: "live",
      tables: some({ table: "tickets", kind: "base" }),
      relations: arrayContaining([
        [
          { table: "tickets", column: "agent_id" },
          { table: "agents", column: "agent_id" },
        ],
      ]),
    },
    asks: [...USERS, SCHEMA, `GET /api/v1/elasticubes/live/${idOf("model", "Support")}/permissions`],
  },
  {
    tool: "datamodel.describe_datamodel_raw",
    args: { datamodel_name: ORDERS },
    brings: { oid: ORDERS, title: "Orders" },
    asks: [
      ...USERS,
      `GET /api/v2/datamodels/${ORDERS}/schema`,
      "GET /api/elasticubes/localhost/Orders/permissions",
    ],
  },
  {
    tool: "datamodel.generate_connections_payload",
    args: {
      datasource_type: "redshift",
      connection_params: { name: "A", server: "db.example", username: "reader", password: "p" },
    },
    brings: { provider: "RedShift", name: "A", parameters: objectContaining({ Server: "db.example" }) },
    asks: [],
  },
  {
    tool: "datamodel.get_all_datamodel",
    args: {},
    brings: { count: 10, datamodels: some({ title: "Orders", type: "extract", status: "running" }) },
    asks: ["POST /api/v2/ecm/"],
  },
  {
    tool: "datamodel.get_connection",
    args: { connection_name: "warehouse" },
    brings: { connection_id: CONNECTION, provider: "Snowflake" },
    asks: ["GET /api/v2/connections"],
  },
  {
    tool: "datamodel.get_data",
    args: { datamodel_name: "Orders", table_name: "orders" },
    brings: { count: 180, truncated: false, rows: some({ order_id: 1, region: expect.any(String) }) },
    asks: [SCHEMA, SQL],
  },
  {
    tool: "datamodel.get_datamodel",
    args: { datamodel_name: "Orders" },
    brings: { datamodel_id: ORDERS, type: "extract", tables: ["orders", "customers", "products"] },
    asks: [SCHEMA],
  },
  {
    tool: "datamodel.get_datamodel_shares",
    args: { datamodel_name: "Orders" },
    brings: { count: 3, shares: some({ name: "Finance", type: "group", permission: "USE" }) },
    asks: [...USERS, SCHEMA, "GET /api/elasticubes/localhost/Orders/permissions"],
  },
  {
    tool: "datamodel.get_datasecurity",
    args: { datamodel_name: "Orders" },
    brings: { count: 1, columns: [{ table: "orders", column: "customer_id", type: "numeric" }] },
    asks: [SCHEMA, "GET /api/elasticubes/localhost/Orders/datasecurity"],
  },
  {
    tool: "datamodel.get_datasecurity_detail",
    args: { datamodel_name: "Support" },
    brings: { count: 2, rules: some({ column: "agent_id", sees: "only 1, 2", share_name: "Everyone" }) },
    asks: [SCHEMA, `GET /api/v1/elasticubes/live/${idOf("model", "Support")}/datasecurity`],
  },
  {
    tool: "datamodel.get_model_schema",
    args: { datamodel_name: "Orders" },
    brings: {
      count: 16,
      columns: some({ dataset: "PUBLIC", table: "products", column: "price", type: "decimal" }),
    },
    asks: [SCHEMA],
  },
  {
    tool: "datamodel.get_row_count",
    args: { datamodel_name: "Orders" },
    brings: { total: 244, tables: some({ table: "orders", rows: 180 }) },
    asks: [SCHEMA, SQL],
  },
  {
    tool: "datamodel.get_table_schema",
    args: {
      connection_name: "Warehouse",
      database_name: "SHOP",
      schema_name: "PUBLIC",
      table_name: "orders",
    },
    brings: { count: 7, columns: some({ column: "ordered_on", type: "datetime" }) },
    asks: ["GET /api/v2/connections", `POST /api/v1/connection/${CONNECTION}/table_schema_details`],
  },
  {
    tool: "datamodel.resolve_datamodel_reference",
    args: { datamodel_ref: "Nothing" },
    brings: { success: false, datamodel_id: null, error: expect.stringContaining('no datamodel "Nothing"') },
    asks: [SCHEMA],
  },
];

/** A migration asks both ends. */
const both = (source: string[], target: string[]): string[] => [
  ...source.map((one) => `source ${one}`),
  ...target.map((one) => `target ${one}`),
];
const done = (amounts: object): unknown => objectContaining({ cancelled: false, ...amounts });

export const MIGRATION: Case[] = [
  {
    tool: "migration.migrate_groups",
    args: { group_name_list: ["Data", "Finance", "Nobody"] },
    brings: {
      succeeded: some({ name: "Data", done: "create" }),
      skipped: some({ name: "Finance", reason: "at the target already" }),
      failed: some({ name: "Nobody", reason: "not at the source" }),
      meta: done({ succeeded: 1, skipped: 1, failed: 1 }),
    },
    asks: both(["GET /api/v1/groups"], ["GET /api/v1/groups", "POST /api/v1/groups/bulk"]),
  },
  {
    tool: "migration.migrate_all_groups",
    args: {},
    brings: { meta: done({ total: 8, succeeded: 6, skipped: 2, failed: 0 }) },
    asks: both(["GET /api/v1/groups"], ["GET /api/v1/groups", "POST /api/v1/groups/bulk"]),
  },
  {
    tool: "migration.migrate_users",
    args: { user_name_list: ["greta.holm@shop.example", ben] },
    brings: {
      succeeded: some({
        name: "greta.holm@shop.example",
        warnings: ["not in Data, which the target does not have"],
      }),
      skipped: some({ name: ben }),
    },
    asks: both(USERS, [...USERS, "POST /api/v1/users/bulk"]),
  },
  {
    tool: "migration.migrate_all_users",
    args: {},
    brings: {
      failed: [
        objectContaining({ name: "pia.strand", reason: expect.stringContaining("no e-mail address") }),
      ],
      skipped: some({ name: "admin.demo@shop.example", reason: "a system administrator" }),
      meta: done({ total: 43, succeeded: 36, skipped: 6, failed: 1 }),
    },
    asks: both(USERS, [...USERS, "POST /api/v1/users/bulk"]),
  },
  {
    tool: "migration.migrate_dashboards",
    args: {
      dashboard_names: ["Weekly Sales", "Board Pack"],
      action: "overwrite",
      migrate_share: true,
      change_ownership: true,
    },
    brings: {
      succeeded: some({ name: "Weekly Sales", done: "overwrite" }, { name: "Board Pack", done: "create" }),
      meta: done({ succeeded: 2 }),
    },
    asks: both(
      [...USERS, ADMIN, EXPORT, "GET /api/shares/dashboard/:"],
      [
        ...USERS,
        ADMIN,
        "GET /api/shares/dashboard/:",
        "POST /api/shares/dashboard/:",
        "POST /api/v1/dashboards/:/change_owner",
        "POST /api/v1/dashboards/import/bulk",
      ],
    ),
  },
  {
    tool: "migration.migrate_all_dashboards",
    args: { batch_size: 5 },
    brings: {
      failed: [objectContaining({ name: "Salaries", reason: expect.stringContaining("no data source") })],
      meta: done({ total: 25, succeeded: 21, skipped: 3, failed: 1 }),
    },
    asks: both([ADMIN, EXPORT], [ADMIN, "POST /api/v1/dashboards/import/bulk"]),
  },
  {
    tool: "migration.migrate_dashboard_shares",
    args: { source_dashboard_ids: [WEEKLY], target_dashboard_ids: [WEEKLY] },
    brings: {
      succeeded: some({ as: "Weekly Sales", warnings: [expect.stringContaining("not shared with Product")] }),
    },
    asks: both(
      [...USERS, ADMIN, `GET /api/shares/dashboard/${WEEKLY}`],
      [...USERS, ADMIN, `GET /api/shares/dashboard/${WEEKLY}`, `POST /api/shares/dashboard/${WEEKLY}`],
    ),
  },
  {
    tool: "migration.migrate_datamodels",
    args: { datamodel_names: ["Orders", "Web"], action: "overwrite", shares: true, dependencies: "all" },
    brings: {
      succeeded: some(
        { name: "Orders", done: "overwrite", target_id: ORDERS },
        { name: "Web", done: "create" },
      ),
    },
    asks: both(
      [
        ...USERS,
        SCHEMA,
        "GET /api/v1/elasticubes/live/:/permissions",
        "GET /api/elasticubes/localhost/Orders/permissions",
        "GET /api/v2/datamodel-exports/schema",
      ],
      [
        ...USERS,
        SCHEMA,
        "GET /api/v1/elasticubes/live/:/permissions",
        "GET /api/elasticubes/localhost/Orders/permissions",
        "PATCH /api/v1/elasticubes/live/:/permissions",
        "POST /api/v2/datamodel-imports/schema",
        "PUT /api/elasticubes/localhost/Orders/permissions",
      ],
    ),
  },
  {
    tool: "migration.migrate_all_datamodels",
    args: { action: "duplicate", sleep_time: 0 },
    brings: {
      succeeded: some(
        { name: "Orders", as: "Orders (Duplicate)", done: "duplicate" },
        { name: "Web", done: "create" },
      ),
      meta: done({ total: 10, succeeded: 10 }),
    },
    asks: both(
      [SCHEMA, "GET /api/v2/datamodel-exports/schema"],
      [SCHEMA, "POST /api/v2/datamodel-imports/schema"],
    ),
  },
];

const found = (...findings: [subject: string, detail: string, severity: string][]): object => ({
  findings: findings.map(([subject, detail, severity]) =>
    objectContaining({ subject, severity, detail: expect.stringContaining(detail) }),
  ),
});
const PIVOTS = ["Board Pack", "4 pivots", "medium"] as [string, string, string];
const GONE = ["Executive Overview", "which is not there", "high"] as [string, string, string];
const WIDGETS = ["Everything in One", "26 widgets", "medium"] as [string, string, string];
const FIELDS = ["Order Detail", "24 fields", "medium"] as [string, string, string];
const UNION = ["Finance", "all_revenue has a UNION", "medium"] as [string, string, string];
const ISLAND = ["Finance", "the table targets", "medium"] as [string, string, string];
const TEXT = ["People", "employees.department, which is no number", "medium"] as [string, string, string];
const IMPORT = ["Sales", "orders is filled by a query", "low"] as [string, string, string];
const MANY = ["People", "employees.department and budgets.department", "high"] as [string, string, string];
const SECURITY = [
  "GET /api/elasticubes/localhost/:/datasecurity",
  "GET /api/v1/elasticubes/live/:/datasecurity",
];

export const WELLCHECK: Case[] = [
  {
    tool: "wellcheck.check_dashboard_structure",
    args: {},
    brings: found(PIVOTS, GONE),
    asks: [ADMIN, EXPORT],
  },
  {
    tool: "wellcheck.check_dashboard_widget_counts",
    args: {},
    brings: { checked: 25, ...found(WIDGETS) },
    asks: [ADMIN, EXPORT],
  },
  { tool: "wellcheck.check_pivot_widget_fields", args: {}, brings: found(FIELDS), asks: [ADMIN, EXPORT] },
  { tool: "wellcheck.check_datamodel_custom_tables", args: {}, brings: found(UNION), asks: [SCHEMA] },
  {
    tool: "wellcheck.check_datamodel_island_tables",
    args: {},
    brings: { checked: 10, ...found(ISLAND) },
    asks: [SCHEMA],
  },
  {
    tool: "wellcheck.check_datamodel_rls_datatypes",
    args: {},
    brings: found(TEXT),
    asks: [SCHEMA, ...SECURITY],
  },
  { tool: "wellcheck.check_datamodel_import_queries", args: {}, brings: found(IMPORT), asks: [SCHEMA] },
  {
    tool: "wellcheck.check_datamodel_m2m_relationships",
    args: { datamodels: ["People", "Orders"] },
    brings: { checked: 2, ...found(MANY) },
    asks: [SCHEMA, "GET /api/datasources/:/sql"],
  },
  {
    tool: "wellcheck.run_full_wellcheck",
    args: {},
    brings: { checked: 35, ...found(GONE, MANY, FIELDS, PIVOTS, WIDGETS, TEXT, UNION, ISLAND, IMPORT) },
    asks: [ADMIN, EXPORT, SCHEMA, ...SECURITY, "GET /api/datasources/:/sql"],
  },
];
