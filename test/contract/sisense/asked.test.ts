import { afterAll, expect, it } from "vitest";

import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { toTool } from "#src/mcp/catalogue/catalogue.ts";
import { planInput } from "#test/unit/plan/tools.ts";

import { openDesk } from "./support.ts";

const desk = await openDesk();
afterAll(() => desk.close());
const { tools: listed } = await desk.client.listTools();
const planner = createBuiltinPlanner();

/** The call that is planned without a model, with the tools that a turn of its mode sees. */
function planned(message: string, isMigration: boolean): string {
  const seen = listed.filter(({ _meta }) => isMigration || _meta?.["when"] !== "migration");
  const tools = seen.map((tool) => toTool("sisense", true, tool));
  return planner.plan(planInput(message, tools, { examples: [] })).text;
}

// What docs/sisense.md promises.
it.each([
  ["list the users", "access.get_users_all", {}],
  ["who is in Finance?", "access.users_per_group", { group_name: "Finance" }],
  ["which columns of Orders are unused", "access.get_unused_columns", { datamodel_name: "Orders" }],
  ["list all dashboards", "dashboard.get_all_dashboards", {}],
  ["who can see Weekly Sales?", "dashboard.get_dashboard_share", { dashboard_name: "Weekly Sales" }],
  [
    "which columns does Weekly Sales use?",
    "dashboard.get_dashboard_columns",
    { dashboard_name: "Weekly Sales" },
  ],
  ["list all data models", "datamodel.get_all_datamodel", {}],
  ["describe Orders", "datamodel.describe_datamodel", { datamodel_name: "Orders" }],
  ["how many rows does Orders have?", "datamodel.get_row_count", { datamodel_name: "Orders" }],
  [
    "show the rows of orders in Orders",
    "datamodel.get_data",
    { table_name: "orders", datamodel_name: "Orders" },
  ],
  ["build Orders", "datamodel.deploy_datamodel", { datamodel_name: "Orders" }],
  ["run a full wellcheck", "wellcheck.run_full_wellcheck", {}],
  ["are there island tables?", "wellcheck.check_datamodel_island_tables", {}],
  ["are there many-to-many relations?", "wellcheck.check_datamodel_m2m_relationships", {}],
  ["are there pivots with too many fields?", "wellcheck.check_pivot_widget_fields", {}],
  ["migrate all users", "migration.migrate_all_users", {}],
  [
    "migrate the dashboards Weekly Sales and Board Pack",
    "migration.migrate_dashboards",
    { dashboard_names: ["Weekly Sales", "Board Pack"] },
  ],
  ["migrate all dashboards", "migration.migrate_all_dashboards", {}],
])("[sisense.tools] [llm.builtin] %s", (message, tool, args) => {
  const [, call = "{}"] =
    /(?:QUERY|TASK)\((.+)\)/.exec(planned(message, tool.startsWith("migration."))) ?? [];
  expect(JSON.parse(call)).toEqual({ tool: `sisense.${tool}`, args });
});
