import { z } from "zod";

import { isFailure, messageOf, ToolFailure } from "#servers/kit/tool.ts";

import { type Api, EVERYBODY, parsed, type User } from "../api.ts";
import { type Item, migration, type Step } from "../migrate.ts";
import type { Ends, ToolRow } from "../registry.ts";
import type { Dashboard, FullDashboard, Model, NamedId, Permission, Share } from "../shapes.ts";

const names = (what: string): z.ZodArray<z.ZodString> => z.array(z.string().min(1)).min(1).describe(what);
const action = z
  .enum(["skip", "overwrite", "duplicate"])
  .default("skip")
  .describe("What happens to those that the target has already: skip (default), overwrite, or duplicate");
const off = z.boolean().default(false);
const shares = off.describe("Also share them with the same users and groups");
const batchSize = z.int().min(1).max(500).default(10).describe("After so many there is a pause");
const sleepTime = z.number().min(0).max(60).default(0).describe("Seconds of the pause");
const dependencies = z
  .preprocess(
    (value) => ([value].flat().includes("all") ? [...DEPENDENCIES] : value),
    z.array(z.enum(["dataSecurity", "formulas", "hierarchies", "perspectives"])),
  )
  .optional()
  .describe("What comes along: dataSecurity, formulas, hierarchies, perspectives; absent: all");
const DEPENDENCIES = ["dataSecurity", "formulas", "hierarchies", "perspectives"] as const;

/** What the API calls them. */
const DEPENDENCY_IDS: Readonly<Record<(typeof DEPENDENCIES)[number], readonly string[]>> = {
  dataSecurity: ["dataContext", "scopeConfiguration"],
  formulas: ["formulaManagement"],
  hierarchies: ["drillHierarchies"],
  perspectives: ["perspectives"],
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/**
 * What stands at the target for something of the source: that of its id, else that of its title, where neither end
 * has a second one of it; words where it cannot be told which one is meant.
 */
function counterpart<T extends { title: string }>(
  one: T,
  atSource: readonly T[],
  atTarget: readonly T[],
  idOf: (one: T) => string,
): T | undefined | string {
  const byId = atTarget.find((other) => idOf(other) === idOf(one));
  if (byId !== undefined) return byId;
  const [there, ...more] = atTarget.filter(({ title }) => same(title, one.title));
  if (there === undefined) return undefined;
  const twins = atSource.filter(({ title }) => same(title, one.title)).length;
  if (more.length === 0 && twins <= 1) return there;
  const [amount, end] = more.length > 0 ? [more.length + 1, "target"] : [twins, "source"];
  return `there are ${amount} "${one.title}" at the ${end}, and none at the target has its id: it cannot be told which one is meant`;
}

/** Those of the names, each as an item; a name that nothing has is one that fails. */
function named<T>(
  wanted: readonly string[],
  all: readonly T[],
  namesOf: (one: T) => string[],
  toItem: (one: T) => Item,
): Item[] {
  return [...new Set(wanted)].map((text) => {
    const found = all.filter((one) => namesOf(one).some((name) => same(name, text)));
    const [only] = found;
    if (only !== undefined && found.length === 1) return toItem(only);
    const reason =
      only === undefined ? "not at the source" : `there are ${found.length} of this name: give its id`;
    return { name: text, source_id: null, look: async () => ({ is: "fail", reason }) };
  });
}

function groupItem({ target }: Ends): (group: NamedId) => Item {
  return (group) => ({
    name: group.name,
    source_id: group.id,
    async look() {
      const there = (await target.groups()).find((one) => same(one.name, group.name));
      if (there !== undefined) return { is: "skip", reason: "at the target already" };
      return {
        is: "create",
        async apply() {
          const answer = await target.send("POST", "/api/v1/groups/bulk", { body: [{ name: group.name }] });
          return { target_id: idOf(answer) };
        },
      };
    },
  });
}

function userItem({ target }: Ends): (user: User) => Item {
  return (user) => ({
    name: user.email,
    source_id: user.id,
    async look() {
      if (user.role === "super") return { is: "skip", reason: "a system administrator" };
      const [users, roles, groups] = await Promise.all([target.users(), target.roles(), target.groups()]);
      if (users.some((one) => same(one.email, user.email)))
        return { is: "skip", reason: "at the target already" };
      const role = roles.find((one) => same(one.name, user.role));
      if (role === undefined) return { is: "fail", reason: `the target has no role ${user.role}` };
      const own = user.groups.filter(({ name }) => !EVERYBODY.includes(name));
      const found = own.map(({ name }) => ({ name, id: groups.find((one) => same(one.name, name))?.id }));
      const missing = found.filter(({ id }) => id === undefined).map(({ name }) => name);
      return {
        is: "create",
        async apply() {
          const { email, userName, firstName, lastName } = user;
          const ids = found.flatMap(({ id }) => id ?? []);
          const body = [{ email, userName, firstName, lastName, roleId: role.id, groups: ids }];
          const answer = await target.send("POST", "/api/v1/users/bulk", { body });
          const without = `not in ${missing.join(", ")}, which the target does not have`;
          return { target_id: idOf(answer), warnings: missing.length > 0 ? [without] : [] };
        },
      };
    },
  });
}

const idSchema = z.looseObject({ _id: z.string().optional(), oid: z.string().optional() });

/** The id in an answer, or in the first of a list. */
function idOf(answer: unknown): string | null {
  const found = idSchema.safeParse(Array.isArray(answer) ? answer[0] : answer).data;
  return found?._id ?? found?.oid ?? null;
}

/** The party of a share at the other end: users by e-mail address, groups by name. */
async function partyAt(
  { source, target }: Ends,
  type: string,
  id: string,
): Promise<{ name: string; id: string | undefined }> {
  if (type === "user") {
    const email = (await source.users()).find((one) => one.id === id)?.email ?? id;
    return { name: email, id: (await target.users()).find((one) => same(one.email, email))?.id };
  }
  const name = (await source.groups()).find((one) => one.id === id)?.name ?? id;
  return { name, id: (await target.groups()).find((one) => same(one.name, name))?.id };
}

async function copyShares(ends: Ends, from: string, to: string, withOwner: boolean): Promise<string[]> {
  const { source, target } = ends;
  const [theirs, own] = await Promise.all([source.dashboardShares(from), target.dashboardShares(to)]);
  const missing: string[] = [];
  const added: Share[] = [];
  for (const share of theirs) {
    const party = await partyAt(ends, share.type, share.shareId);
    if (party.id === undefined) missing.push(party.name);
    else added.push({ shareId: party.id, type: share.type, rule: share.rule ?? "view", subscribe: false });
  }
  const kept = own.filter(({ shareId }) => !added.some((one) => one.shareId === shareId));
  const path = `/api/shares/dashboard/${to}`;
  await target.send("POST", path, { query: { adminAccess: true }, body: { sharesTo: [...kept, ...added] } });
  const warnings =
    missing.length > 0 ? [`not shared with ${missing.join(", ")}, whom the target does not have`] : [];
  if (!withOwner) return warnings;
  const owner = (await source.dashboards()).find(({ id }) => id === from)?.owner ?? "";
  const party = await partyAt(ends, "user", owner);
  if (party.id === undefined) return [...warnings, `the owner ${party.name} is not at the target`];
  await target.send("POST", `/api/v1/dashboards/${to}/change_owner`, {
    query: { adminAccess: true },
    body: { ownerId: party.id, originalOwnerRule: "edit" },
  });
  return warnings;
}

type DashboardOptions = z.output<z.ZodObject<typeof dashboardOptions>>;

const about = z.looseObject({ oid: z.string().optional(), title: z.string().optional() });
const importSchema = z.looseObject({
  succeded: z.array(about).optional(),
  succeeded: z.array(about).optional(),
  skipped: z.array(about).optional(),
  failed: z.unknown().optional(),
});

function dashboardItem(ends: Ends, options: DashboardOptions): (dashboard: Dashboard) => Item {
  const { source, target } = ends;
  return (dashboard) => ({
    name: dashboard.title,
    source_id: dashboard.id,
    async look(): Promise<Step> {
      const { id, title } = dashboard;
      const [mine, all] = await Promise.all([source.dashboards(), target.dashboards()]);
      const there = counterpart(dashboard, mine, all, (one) => one.id);
      if (typeof there === "string") return { is: "fail", reason: there };
      const { action: how } = options;
      if (there !== undefined && how === "skip") return { is: "skip", reason: "at the target already" };
      const copy = `${title} (Duplicate)`;
      if (there !== undefined && how === "duplicate" && all.some((one) => same(one.title, copy)))
        return { is: "skip", reason: `its duplicate "${copy}" is at the target already` };
      const isCopy = there !== undefined && how === "duplicate";
      return {
        is: there === undefined ? "create" : isCopy ? "duplicate" : "overwrite",
        ...(isCopy && { as: copy }),
        async apply() {
          const full = await source.exportDashboard(id);
          // Sisense overwrites what has the same id.
          const sent = {
            ...full,
            ...(isCopy ? { title: copy } : {}),
            ...(there && !isCopy ? { oid: there.id } : {}),
          };
          const made = await importDashboard(
            target,
            sent,
            there === undefined ? "skip" : how,
            options.republish,
          );
          const warnings = options.migrate_share
            ? await afterwards(() => copyShares(ends, id, made, options.change_ownership))
            : [];
          return { target_id: made, warnings };
        },
      };
    },
  });
}

/** What follows a migration is told as a warning where it fails: the thing itself is there. */
async function afterwards(work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    return [`its shares were not migrated: ${messageOf(error)}`];
  }
}

async function importDashboard(
  target: Api,
  full: FullDashboard,
  how: string,
  publish: boolean,
): Promise<string> {
  const answer = await target.send("POST", "/api/v1/dashboards/import/bulk", {
    query: { republish: publish, action: how },
    body: [full],
  });
  const { succeded = [], succeeded = [], skipped = [], failed } = parsed(importSchema, answer, "an import");
  const [made] = [...succeded, ...succeeded];
  if (made !== undefined) return made.oid ?? full.oid;
  if (skipped.length > 0) throw new ToolFailure("cannot", "the target skipped it: it has one of this id");
  throw new ToolFailure("cannot", `the target refused it: ${JSON.stringify(failed ?? answer).slice(0, 500)}`);
}

interface ModelOptions {
  action: "skip" | "overwrite" | "duplicate";
  shares: boolean;
  dependencies?: (typeof DEPENDENCIES)[number][] | undefined;
  provider_connection_map?: Record<string, string> | undefined;
  new_title?: string | undefined;
}

const exportSchema = z.looseObject({
  datasets: z
    .array(
      z.looseObject({
        connection: z
          .looseObject({ provider: z.string().nullish(), parameters: z.unknown().optional() })
          .nullish(),
      }),
    )
    .nullish(),
});

function modelItem(ends: Ends, options: ModelOptions): (model: Model) => Item {
  const { source, target } = ends;
  const wanted = (options.dependencies ?? DEPENDENCIES).flatMap((name) => DEPENDENCY_IDS[name]);
  return (model) => ({
    name: model.title,
    source_id: model.oid,
    async look(): Promise<Step> {
      const [mine, all] = await Promise.all([source.models(), target.models()]);
      const there = counterpart(model, mine, all, ({ oid }) => oid);
      if (typeof there === "string") return { is: "fail", reason: there };
      const copy = options.new_title ?? `${model.title} (Duplicate)`;
      if (there !== undefined && options.action === "skip")
        return { is: "skip", reason: "at the target already" };
      const isCopy =
        options.action === "duplicate" && (there !== undefined || options.new_title !== undefined);
      if (isCopy && all.some(({ title }) => same(title, copy)))
        return { is: "skip", reason: `"${copy}" is at the target already` };
      const isOverwrite = there !== undefined && options.action === "overwrite";
      return {
        is: isCopy ? "duplicate" : isOverwrite ? "overwrite" : "create",
        ...(isCopy && { as: copy }),
        async apply() {
          const exported = await source.send("GET", "/api/v2/datamodel-exports/schema", {
            query: {
              datamodelId: model.oid,
              type: "schema-latest",
              ...(wanted.length > 0 && { dependenciesIdsToInclude: wanted.join(",") }),
            },
          });
          const body = withConnections(exported, options.provider_connection_map ?? {});
          const query = isCopy ? { newTitle: copy } : isOverwrite ? { datamodelId: there.oid } : {};
          const answer = await target.send("POST", "/api/v2/datamodel-imports/schema", { query, body });
          const id = idOf(answer) ?? (isOverwrite ? there.oid : model.oid);
          const made: Model = {
            ...model,
            oid: id,
            title: isCopy ? copy : isOverwrite ? there.title : model.title,
          };
          const warnings = options.shares ? await afterwards(() => copyPermissions(ends, model, made)) : [];
          return { target_id: id, warnings };
        },
      };
    },
  });
}

/** Connections of the target instead of the source's, whose secrets stay where they are. */
function withConnections(exported: unknown, map: Readonly<Record<string, string>>): object {
  const model = parsed(exportSchema, exported, "a data model's export");
  const datasets = (model.datasets ?? []).map((dataset) => {
    const { connection } = dataset;
    if (connection == null) return dataset;
    const { parameters: _, ...rest } = connection;
    const id = map[connection.provider ?? ""];
    return { ...dataset, connection: id === undefined ? rest : { oid: id } };
  });
  return { ...model, datasets };
}

async function copyPermissions(ends: Ends, from: Model, to: Model): Promise<string[]> {
  const [theirs, own] = await Promise.all([ends.source.permissions(from), ends.target.permissions(to)]);
  const missing: string[] = [];
  const added: Permission[] = [];
  for (const { partyId, type, permission } of theirs) {
    const party = await partyAt(ends, type, partyId);
    if (party.id === undefined) missing.push(party.name);
    else added.push({ partyId: party.id, type, permission });
  }
  const kept = own.filter(({ partyId }) => !added.some((one) => one.partyId === partyId));
  await ends.target.setPermissions(to, [...kept, ...added]);
  return missing.length > 0 ? [`not shared with ${missing.join(", ")}, whom the target does not have`] : [];
}

/** The dashboards or data models of a call: by ids or by names, one of both. */
function oneOf(kind: string, ids: string[] | undefined, titles: string[] | undefined): string[] {
  if (ids !== undefined && titles !== undefined)
    throw new ToolFailure("bad_arguments", `expected ${kind}_ids or ${kind}_names, got both`);
  const wanted = ids ?? titles;
  if (wanted === undefined || wanted.length === 0)
    throw new ToolFailure(
      "missing_arguments",
      `expected ${kind}_ids or ${kind}_names: which ${kind}s to migrate`,
    );
  return wanted;
}

function sharesItem(ends: Ends, from: string, to: string, withOwner: boolean): Item {
  return {
    name: from,
    source_id: from,
    async look(): Promise<Step> {
      try {
        const [mine, theirs] = await Promise.all([ends.source.dashboard(from), ends.target.dashboard(to)]);
        return {
          is: "overwrite",
          as: theirs.title,
          apply: async () => ({
            target_id: theirs.id,
            warnings: await copyShares(ends, mine.id, theirs.id, withOwner),
          }),
        };
      } catch (error) {
        if (!isFailure(error, "unknown_dashboard")) throw error;
        return { is: "fail", reason: messageOf(error) };
      }
    },
  };
}

const dashboardOptions = {
  action,
  republish: off.describe("Publish the dashboards at the target again"),
  migrate_share: shares,
  change_ownership: off.describe("With migrate_share: give them to the same owners"),
};

export const migrationTools: readonly ToolRow[] = [
  migration({
    id: "migration.migrate_groups",
    title: "Migrate groups",
    description:
      "Copy groups by name from the source to the target deployment. Those that are there are skipped.",
    input: { group_name_list: names("Names of the groups") },
    tags: ["groups"],
    ask: "migrate the groups Finance and Data",
    example: { group_name_list: ["Finance", "Data"] },
    kind: "groups",
    items: async ({ group_name_list }, ends) =>
      named(group_name_list, await ends.source.groups(), ({ name }) => [name], groupItem(ends)),
  }),
  migration({
    id: "migration.migrate_all_groups",
    title: "Migrate all groups",
    description:
      "Copy all groups from the source to the target deployment. Those that are there are skipped.",
    input: {},
    tags: ["groups"],
    ask: "migrate all groups",
    example: {},
    kind: "groups",
    items: async (_args, ends) =>
      (await ends.source.groups()).filter(({ name }) => !EVERYBODY.includes(name)).map(groupItem(ends)),
  }),
  migration({
    id: "migration.migrate_users",
    title: "Migrate users",
    description:
      "Copy users by e-mail address with role and groups to the target. Those that are there are skipped.",
    input: { user_name_list: names("E-mail addresses or user names") },
    tags: ["users"],
    ask: "migrate the user farid.haddad@shop.example",
    example: { user_name_list: ["farid.haddad@shop.example"] },
    kind: "users",
    items: async ({ user_name_list }, ends) =>
      named(
        user_name_list,
        await ends.source.users(),
        ({ email, userName }) => [email, userName],
        userItem(ends),
      ),
  }),
  migration({
    id: "migration.migrate_all_users",
    title: "Migrate all users",
    description: "Copy all users with roles and groups to the target. Those that are there are skipped.",
    input: {},
    tags: ["users"],
    ask: "migrate all users",
    example: {},
    kind: "users",
    items: async (_args, ends) => (await ends.source.users()).map(userItem(ends)),
  }),
  migration({
    id: "migration.migrate_dashboards",
    title: "Migrate dashboards",
    description:
      "Copy dashboards by title or id to the target; those that are there are skipped, overwritten or duplicated.",
    input: {
      dashboard_ids: names("Ids of the dashboards").optional(),
      dashboard_names: names("Titles of the dashboards").optional(),
      ...dashboardOptions,
    },
    destructive: true,
    tags: ["dashboards"],
    ask: "migrate the dashboards Weekly Sales and Board Pack",
    example: { dashboard_names: ["Weekly Sales", "Board Pack"] },
    kind: "dashboards",
    items: async ({ dashboard_ids, dashboard_names, ...options }, ends) =>
      named(
        oneOf("dashboard", dashboard_ids, dashboard_names),
        await ends.source.dashboards(),
        ({ id, title }) => [id, title],
        dashboardItem(ends, options),
      ),
  }),
  migration({
    id: "migration.migrate_all_dashboards",
    title: "Migrate all dashboards",
    description:
      "Copy all dashboards to the target; those that are there are skipped, overwritten or duplicated.",
    input: { ...dashboardOptions, batch_size: batchSize, sleep_time: sleepTime },
    destructive: true,
    tags: ["dashboards"],
    ask: "migrate all dashboards",
    example: {},
    kind: "dashboards",
    items: async (options, ends) => (await ends.source.dashboards()).map(dashboardItem(ends, options)),
  }),
  migration({
    id: "migration.migrate_dashboard_shares",
    title: "Migrate the shares of dashboards",
    description:
      "Share dashboards at the target as their counterparts at the source are: two lists of ids, in the same order.",
    input: {
      source_dashboard_ids: names("Ids of dashboards at the source"),
      target_dashboard_ids: names("Ids of the same dashboards at the target"),
      change_ownership: off.describe("Also give them to the same owners"),
    },
    destructive: true,
    tags: ["dashboards"],
    ask: "migrate the shares of a dashboard",
    example: {
      source_dashboard_ids: ["507f1f77bcf86cd799439011"],
      target_dashboard_ids: ["507f1f77bcf86cd799439012"],
    },
    kind: "dashboard shares",
    async items({ source_dashboard_ids: from, target_dashboard_ids: to, change_ownership }, ends) {
      if (from.length !== to.length)
        throw new ToolFailure(
          "bad_arguments",
          `expected as many target_dashboard_ids as source_dashboard_ids, got ${to.length} for ${from.length}`,
        );
      return from.map((id, at) => sharesItem(ends, id, to[at] ?? "", change_ownership));
    },
  }),
  migration({
    id: "migration.migrate_datamodels",
    title: "Migrate data models",
    description:
      "Copy data models by title or id to the target; those that are there are skipped, overwritten or duplicated. Rows are not copied: build or publish the model there.",
    input: {
      datamodel_ids: names("Ids of the data models").optional(),
      datamodel_names: names("Titles of the data models").optional(),
      provider_connection_map: z
        .record(z.string(), z.string())
        .optional()
        .describe("Ids of connections at the target by providers, such as {GoogleBigQuery: ID}"),
      dependencies,
      shares,
      action,
      new_title: z.string().min(1).optional().describe("With duplicate: the title of the copy"),
    },
    destructive: true,
    tags: ["datamodel"],
    ask: "migrate the data models Orders and Web",
    example: { datamodel_names: ["Orders", "Web"] },
    kind: "data models",
    async items({ datamodel_ids, datamodel_names, ...options }, ends) {
      const wanted = oneOf("datamodel", datamodel_ids, datamodel_names);
      if (options.new_title !== undefined && (options.action !== "duplicate" || wanted.length > 1))
        throw new ToolFailure(
          "bad_arguments",
          "new_title: expected action duplicate and one data model beside it",
        );
      const namesOf = ({ oid, title }: Model): string[] => [oid, title];
      return named(wanted, await ends.source.models(), namesOf, modelItem(ends, options));
    },
  }),
  migration({
    id: "migration.migrate_all_datamodels",
    title: "Migrate all data models",
    description:
      "Copy all data models to the target; those that are there are skipped, overwritten or duplicated.",
    input: { dependencies, shares, batch_size: batchSize, sleep_time: sleepTime, action },
    destructive: true,
    tags: ["datamodel"],
    ask: "migrate all data models",
    example: {},
    kind: "data models",
    items: async (options, ends) => (await ends.source.models()).map(modelItem(ends, options)),
  }),
];
