import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import { EVERYBODY } from "../api.ts";
import { migration } from "../migrate.ts";
import {
  dashboardItem,
  DEPENDENCIES,
  groupItem,
  modelItem,
  named,
  sharesItem,
  userItem,
} from "../migrate-items.ts";
import type { ToolRow } from "../registry.ts";
import type { Model } from "../shapes.ts";

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
