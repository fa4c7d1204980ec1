import { z } from "zod";

import { messageOf, ToolFailure } from "#servers/kit/tool.ts";

import type { Api } from "../api.ts";
import { columnsUsed } from "../columns.ts";
import { change, counted, type Plan, read, resolver, type ToolRow } from "../registry.ts";
import type { Dashboard, Share } from "../shapes.ts";

const dashboardId = z.string().min(1).describe("Id of the dashboard");
const dashboardName = z.string().min(1).describe("Title of the dashboard");
const script = z
  .string()
  .min(1)
  .max(200_000)
  .describe("The script, in JavaScript; it replaces the one that is there");
const executingUser = z
  .string()
  .optional()
  .describe("User of the token, who is made owner while the script is written, as only owners may");

const dashboardRow = z.looseObject({ dashboard_id: z.string(), title: z.string() });
const shareRow = z.looseObject({ type: z.string(), name: z.string() });

async function toRow(
  api: Api,
  { id, title, owner, folder, datamodel, lastUpdated }: Dashboard,
): Promise<object> {
  const by = (await api.users()).find((user) => user.id === owner)?.email ?? owner;
  return { dashboard_id: id, title, owner: by, folder_id: folder, datamodel, last_updated: lastUpdated };
}

async function namedShares(
  api: Api,
  shares: readonly Share[],
): Promise<{ type: string; name: string; rule: string | null }[]> {
  const names = await api.partyNames();
  return shares.map(({ shareId, type, rule }) => ({
    type,
    name: names.get(shareId) ?? shareId,
    rule: rule ?? null,
  }));
}

/** The text of a script, which may come as the API's own `{"script": "…"}`. */
function scriptOf(given: string): string {
  if (!given.trim().startsWith("{")) return given;
  try {
    const parsed = z.object({ script: z.string() }).safeParse(JSON.parse(given));
    return parsed.data?.script ?? given;
  } catch {
    return given;
  }
}

/** Does something as the owner of a dashboard, who is the old one again afterwards, with the shares that were there. */
async function asOwner(
  api: Api,
  dashboard: Dashboard,
  executing: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  const user = executing === undefined ? undefined : await api.user(executing);
  if (user === undefined || user.id === dashboard.owner) {
    await work();
    return;
  }
  const shares = await api.dashboardShares(dashboard.id);
  const path = `/api/v1/dashboards/${dashboard.id}/change_owner`;
  const body = (ownerId: string): object => ({ ownerId, originalOwnerRule: "edit" });
  await api.send("POST", path, { query: { adminAccess: true }, body: body(user.id) });
  const failure = await work().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // A call that is cancelled, or whose request was, still gives back what was lent.
  const signal = AbortSignal.timeout(RESTORE_MS);
  const restore = async (what: string, work_: () => Promise<unknown>): Promise<string | undefined> =>
    work_().then(
      () => undefined,
      (error: unknown) => `${what}: ${messageOf(error)}`,
    );
  const wrong =
    (await restore(`the owner of ${dashboard.title} may still be ${user.email}`, () =>
      api.send("POST", path, { body: body(dashboard.owner), signal }),
    )) ??
    (await restore(`the shares of ${dashboard.title} may be others than before`, () =>
      api.send("POST", `/api/shares/dashboard/${dashboard.id}`, {
        query: { adminAccess: true },
        body: { sharesTo: shares },
        signal,
      }),
    ));
  if (wrong !== undefined) {
    const script =
      failure === undefined
        ? "The script was written"
        : `Whether the script was written is not known (${failure.message})`;
    throw new ToolFailure("half_done", `${script}, and ${wrong}`);
  }
  if (failure !== undefined) throw failure;
}

const RESTORE_MS = 60_000;

interface ScriptArguments {
  dashboard_id: string;
  widget_id?: string;
  script: string;
  executing_user?: string | undefined;
}

async function planScript(given: ScriptArguments, api: Api): Promise<Plan> {
  const dashboard = await api.dashboard(given.dashboard_id);
  const full = await api.exportDashboard(dashboard.id);
  const widget =
    given.widget_id === undefined ? full : full.widgets.find(({ oid }) => oid === given.widget_id);
  if (widget === undefined) {
    const there = full.widgets.slice(0, 20).map(({ oid, title }) => `${title} (${oid})`);
    throw new ToolFailure(
      "unknown_widget",
      `${dashboard.title} has no widget ${given.widget_id ?? ""}. It has ${there.join(", ") || "none"}`,
    );
  }
  const text = scriptOf(given.script);
  const place = given.widget_id === undefined ? "" : `/widgets/${given.widget_id}`;
  return {
    before: { script: widget.script === "" ? null : widget.script },
    after: { script: text },
    async apply() {
      const put = (): Promise<unknown> =>
        api.send("PUT", `/api/dashboards/${dashboard.id}${place}`, { body: { script: text } });
      await asOwner(api, dashboard, given.executing_user, put);
      return { dashboard: dashboard.title, ...(given.widget_id !== undefined && { widget: widget.title }) };
    },
  };
}

export const dashboardTools: readonly ToolRow[] = [
  change({
    id: "dashboard.add_dashboard_script",
    title: "Write a dashboard's script",
    description: "Add a script to a dashboard, or replace the one it has.",
    input: { dashboard_id: dashboardId, script, executing_user: executingUser },
    destructive: true,
    ask: "add a script to the dashboard Weekly Sales",
    example: { dashboard_id: "507f1f77bcf86cd799439011", script: "dashboard.on('initialized', () => {});" },
    plan: planScript,
  }),
  change({
    id: "dashboard.add_widget_script",
    title: "Write a widget's script",
    description: "Add a script to a widget of a dashboard, or replace the one it has.",
    input: {
      dashboard_id: dashboardId,
      widget_id: z.string().min(1).describe("Id of the widget"),
      script,
      executing_user: executingUser,
    },
    destructive: true,
    ask: "add a script to a widget",
    example: {
      dashboard_id: "507f1f77bcf86cd799439011",
      widget_id: "507f1f77bcf86cd799439012",
      script: "widget.on('render', () => {});",
    },
    plan: planScript,
  }),
  change({
    id: "dashboard.add_dashboard_shares",
    title: "Share a dashboard",
    description: "Share a dashboard with users and groups, or change what they may do. Other shares stay.",
    input: {
      dashboard_id: dashboardId,
      shares: z
        .array(
          z.strictObject({
            name: z.string().describe("E-mail address of a user, or name of a group"),
            type: z.enum(["user", "group"]),
            rule: z.enum(["view", "edit"]).default("view"),
          }),
        )
        .min(1)
        .describe("With whom, and what they may do: [{name, type: user or group, rule: view or edit}]"),
    },
    ask: "share Weekly Sales with the group Finance",
    example: {
      dashboard_id: "507f1f77bcf86cd799439011",
      shares: [{ name: "Finance", type: "group", rule: "view" }],
    },
    async plan({ dashboard_id, shares }, api) {
      const dashboard = await api.dashboard(dashboard_id);
      const before = await api.dashboardShares(dashboard.id);
      const added = await Promise.all(
        shares.map(async ({ name, type, rule }) => {
          const { id } = await api.party(type, name);
          return { shareId: id, type, rule, subscribe: false };
        }),
      );
      const kept = before.filter(({ shareId }) => !added.some((one) => one.shareId === shareId));
      const after = [...kept, ...added];
      const shown = async (some: readonly Share[]): Promise<object> =>
        Object.fromEntries((await namedShares(api, some)).map(({ name, rule }) => [name, rule]));
      return {
        before: await shown(before),
        after: await shown(after),
        async apply() {
          await api.send("POST", `/api/shares/dashboard/${dashboard.id}`, {
            query: { adminAccess: true },
            body: { sharesTo: after },
          });
          return { dashboard: dashboard.title };
        },
      };
    },
  }),
  read({
    id: "dashboard.get_all_dashboards",
    title: "List all dashboards",
    description: "All dashboards with owner, folder and data model.",
    input: {},
    output: { dashboards: z.array(dashboardRow), count: z.number() },
    ask: "list the dashboards",
    example: {},
    async run(_args, api) {
      const found = await api.dashboards();
      return counted("dashboards", await Promise.all(found.map((one) => toRow(api, one))));
    },
  }),
  read({
    id: "dashboard.get_dashboard_by_id",
    title: "Get a dashboard by id",
    description: "One dashboard by its id.",
    input: { dashboard_id: dashboardId },
    output: dashboardRow.shape,
    ask: "show the dashboard 507f1f77bcf86cd799439011",
    example: { dashboard_id: "507f1f77bcf86cd799439011" },
    run: async ({ dashboard_id }, api) => toRow(api, await api.dashboard(dashboard_id)),
  }),
  read({
    id: "dashboard.get_dashboard_by_name",
    title: "Get a dashboard by title",
    description: "One dashboard by its title.",
    input: { dashboard_name: dashboardName },
    output: dashboardRow.shape,
    ask: "show the dashboard Weekly Sales",
    example: { dashboard_name: "Weekly Sales" },
    run: async ({ dashboard_name }, api) => toRow(api, await api.dashboard(dashboard_name)),
  }),
  read({
    id: "dashboard.get_dashboard_columns",
    title: "List a dashboard's columns",
    description: "The columns that a dashboard's widgets and filters use.",
    input: { dashboard_name: dashboardName },
    output: {
      dashboard: z.string(),
      columns: z.array(z.looseObject({ table: z.string(), column: z.string() })),
      count: z.number(),
    },
    ask: "which columns does Weekly Sales use?",
    example: { dashboard_name: "Weekly Sales" },
    async run({ dashboard_name }, api) {
      const { id, title } = await api.dashboard(dashboard_name);
      const places = new Map<string, { table: string; column: string; used_in: string[] }>();
      for (const { table, column, place } of columnsUsed(await api.exportDashboard(id))) {
        const key = JSON.stringify([table, column]);
        const one = places.get(key) ?? { table, column, used_in: [] };
        one.used_in.push(place);
        places.set(key, one);
      }
      const columns = [...places.values()].map((one) => ({ ...one, used_in: one.used_in.join(", ") }));
      return counted("columns", columns, { dashboard: title });
    },
  }),
  read({
    id: "dashboard.get_dashboard_share",
    title: "List a dashboard's shares",
    description: "Who a dashboard is shared with: users by e-mail address, groups by name.",
    input: { dashboard_name: dashboardName },
    output: { dashboard: z.string(), shares: z.array(shareRow), count: z.number() },
    ask: "who can see Weekly Sales?",
    example: { dashboard_name: "Weekly Sales" },
    async run({ dashboard_name }, api) {
      const { id, title } = await api.dashboard(dashboard_name);
      const shares = await namedShares(api, await api.dashboardShares(id));
      return counted("shares", shares, { dashboard: title });
    },
  }),
  resolver("dashboard", ["dashboard", "Weekly Sales"], async (api, reference) => {
    const { id, title } = await api.dashboard(reference);
    return [id, title];
  }),
];
