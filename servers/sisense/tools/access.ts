import { z } from "zod";

import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import { type Api, EVERYBODY, parsed } from "../api.ts";
import { columnsOf, unusedColumns } from "../columns.ts";
import { change, counted, read, type ToolRow } from "../registry.ts";
import { scheduleOf } from "../schedule.ts";
import { type Folder, sharesSchema } from "../shapes.ts";
import { fieldsOf, toRow, userData, userRow } from "../users.ts";

const name = (what: string): z.ZodString => z.string().min(1).describe(what);
const userName = name("E-mail address or user name of the user");
const modelName = name("Title or id of the data model");

const columnRow = z.looseObject({ datamodel: z.string(), table: z.string(), column: z.string() });

/** The folder of a name with everything below it. */
function foldersBelow(folders: readonly Folder[], wanted: string): Folder[] {
  const flat = (all: readonly Folder[]): Folder[] => all.flatMap((one) => [one, ...flat(one.folders)]);
  const fit = flat(folders).filter(
    (one) => one.name.toLowerCase() === wanted.toLowerCase() || one.oid === wanted,
  );
  const [only] = fit;
  if (only === undefined) {
    const there = flat(folders).map((one) => one.name);
    throw new ToolFailure("unknown_folder", `there is no folder "${wanted}". There are ${there.join(", ")}`);
  }
  if (fit.length > 1)
    throw new ToolFailure(
      "ambiguous_folder",
      `there are ${fit.length} folders "${wanted}": give the id (${fit.map(({ oid }) => oid).join(", ")})`,
    );
  return flat([only]);
}

/** All dashboards with their shares, page by page. */
async function searchDashboards(
  api: Api,
): Promise<
  { title: string; shares: { shareId: string; type: string; rule?: string | null | undefined }[] }[]
> {
  const page = z.object({
    items: z.array(
      z.object({
        title: z
          .string()
          .nullish()
          .transform((value) => value ?? ""),
        shares: sharesSchema.nullish().transform((value) => value ?? []),
      }),
    ),
  });
  const found: z.infer<typeof page>["items"] = [];
  for (let skip = 0; skip < 10_000; skip += PAGE) {
    const body = {
      queryParams: { ownershipType: "allRoot", search: "", ownerInfo: true, asObject: true },
      queryOptions: { sort: { title: 1 }, limit: PAGE, skip },
    };
    const answer = await api.send("POST", "/api/v1/dashboards/searches", { body, isRead: true });
    const { items } = parsed(page, answer, "dashboards");
    found.push(...items);
    if (items.length < PAGE) break;
  }
  return found;
}

const PAGE = 50;

export const accessTools: readonly ToolRow[] = [
  change({
    id: "access.change_folder_and_dashboard_ownership",
    title: "Give a folder to another owner",
    description:
      "Change the owner of a folder with its subfolders, and of the dashboards in them. The previous owner keeps editing or viewing.",
    input: {
      executing_user: name("The user whose token is used, who then need not be asked as administrator"),
      folder_name: name("Name or id of the folder"),
      new_owner_name: name("E-mail address or user name of the new owner"),
      original_owner_rule: z
        .enum(["edit", "view"])
        .default("edit")
        .describe("What the previous owner may do"),
      change_dashboard_ownership: z.boolean().default(true).describe("Also the dashboards in it"),
    },
    destructive: true,
    tags: ["dashboards"],
    ask: "give the folder Sales to ben.okafor@shop.example",
    example: {
      executing_user: "admin.demo@shop.example",
      folder_name: "Sales",
      new_owner_name: "ben.okafor@shop.example",
    },
    async plan(
      { executing_user, folder_name, new_owner_name, original_owner_rule, change_dashboard_ownership },
      api,
    ) {
      const [executing, owner, tree, users, all] = await Promise.all([
        api.user(executing_user),
        api.user(new_owner_name),
        api.folders(),
        api.users(),
        api.dashboards(),
      ]);
      const folders = foldersBelow(tree, folder_name).filter((folder) => folder.owner !== owner.id);
      const inside = new Set(
        foldersBelow(tree, folder_name).flatMap(({ dashboards }) => dashboards.map(({ oid }) => oid)),
      );
      const dashboards = change_dashboard_ownership
        ? all.filter((one) => inside.has(one.id) && one.owner !== owner.id)
        : [];
      const ownerOf = (id: string): string => users.find((one) => one.id === id)?.email ?? id;
      const things = [
        ...folders.map((one) => ({ what: `Folder ${one.name}`, id: one.oid, by: ownerOf(one.owner) })),
        ...dashboards.map((one) => ({ what: `Dashboard ${one.title}`, id: one.id, by: ownerOf(one.owner) })),
      ];
      const labelled = things.map(({ what, id, by }) => {
        const isOnly = things.every((one) => one.what !== what || one.id === id);
        return [isOnly ? what : `${what} (${id})`, by] as const;
      });
      return {
        before: Object.fromEntries(labelled),
        after: Object.fromEntries(labelled.map(([what]) => [what, owner.email])),
        async apply() {
          const failed: { name: string; reason: string }[] = [];
          const attempt = async (what: string, work: () => Promise<unknown>): Promise<number> => {
            try {
              await work();
              return 1;
            } catch (error) {
              if (!(error instanceof ToolFailure)) throw error;
              failed.push({ name: what, reason: error.message });
              return 0;
            }
          };
          let [foldersChanged, dashboardsChanged] = [0, 0];
          for (const { oid, name: title } of folders)
            foldersChanged += await attempt(title, () =>
              api.send("PATCH", `/api/v1/folders/${oid}`, { body: { owner: owner.id } }),
            );
          for (const one of dashboards)
            dashboardsChanged += await attempt(one.title, () =>
              api.send("POST", `/api/v1/dashboards/${one.id}/change_owner`, {
                ...(one.owner === executing.id ? {} : { query: { adminAccess: true } }),
                body: { ownerId: owner.id, originalOwnerRule: original_owner_rule },
              }),
            );
          return {
            total_folders_changed: foldersChanged,
            total_dashboards_changed: dashboardsChanged,
            ...(failed.length > 0 && { failed }),
          };
        },
      };
    },
  }),
  change({
    id: "access.create_schedule_build",
    title: "Schedule builds of a data model",
    description:
      "Schedule when a data model is built: at an hour (UTC) on some days, or every so many days, hours and minutes. It replaces the schedule that is there.",
    input: {
      datamodel_name: modelName,
      build_type: z
        .enum(["ACCUMULATE", "FULL", "SCHEMA_CHANGES"])
        .default("ACCUMULATE")
        .describe("How it is built"),
      days: z.array(z.string()).optional().describe("Days of the week such as [MON, THU], or [*] for all"),
      hour: z.int().min(0).max(23).optional().describe("Hour, UTC"),
      minute: z.int().min(0).max(59).optional().describe("Minute"),
      interval_days: z.int().min(0).optional().describe("Every so many days"),
      interval_hours: z.int().min(0).optional().describe("Every so many hours"),
      interval_minutes: z.int().min(0).optional().describe("Every so many minutes"),
    },
    destructive: true,
    tags: ["datamodel"],
    ask: "build Orders every Monday at 6",
    example: { datamodel_name: "Orders", days: ["MON"], hour: 6, minute: 0 },
    async plan({ datamodel_name, build_type, ...when }, api) {
      const schedule = scheduleOf(when, build_type);
      const model = await api.model(datamodel_name);
      const path = `/api/v2/datamodels/${model.oid}/schedule`;
      const before = await api.send("GET", path).catch((error: unknown) => {
        if (isFailure(error, "not_found") || isFailure(error, "bad_request")) return null;
        throw error;
      });
      return {
        before: typeof before === "object" ? before : null,
        after: schedule,
        async apply() {
          await api.send("POST", path, { body: schedule });
          return { datamodel: model.title };
        },
      };
    },
  }),
  change({
    id: "access.create_user",
    title: "Create a user",
    description: "Create a user with an e-mail address, a role by name and groups by name.",
    input: { user_data: userData },
    tags: ["users"],
    ask: "create the user zoe@shop.example as viewer in Sales",
    example: {
      user_data: {
        email: "zoe@shop.example",
        firstName: "Zoe",
        lastName: "Clark",
        role: "viewer",
        groups: ["Sales"],
      },
    },
    async plan({ user_data }, api) {
      const { email } = user_data;
      if (email === undefined || email === "")
        throw new ToolFailure(
          "missing_arguments",
          "user_data needs email (the address that the user signs in with)",
        );
      const taken = (await api.users()).find((one) => one.email.toLowerCase() === email.toLowerCase());
      if (taken !== undefined) throw new ToolFailure("exists", `there is a user ${taken.email} already`);
      const { body, shown } = await fieldsOf(api, { role: "viewer", ...user_data });
      return {
        before: null,
        after: shown,
        async apply() {
          const answer = z
            .looseObject({ _id: z.string().optional() })
            .safeParse(await api.send("POST", "/api/v1/users", { body: { userName: email, ...body } }));
          return { user_id: answer.data?._id ?? null };
        },
      };
    },
  }),
  change({
    id: "access.update_user",
    title: "Change a user",
    description:
      "Change fields of a user: names, e-mail address, role by name, groups by name ([] for none).",
    input: { user_name: userName, user_data: userData },
    destructive: true,
    tags: ["users"],
    ask: "make ben.okafor@shop.example a designer",
    example: { user_name: "ben.okafor@shop.example", user_data: { role: "designer" } },
    async plan({ user_name, user_data }, api) {
      const user = await api.user(user_name);
      const { body, shown } = await fieldsOf(api, user_data);
      if (Object.keys(shown).length === 0)
        throw new ToolFailure(
          "missing_arguments",
          "user_data needs a field to change, such as role or groups",
        );
      const now: Record<string, unknown> = { ...user, groups: user.groups.map((group) => group.name) };
      return {
        before: Object.fromEntries(Object.keys(shown).map((field) => [field, now[field] ?? null])),
        after: shown,
        async apply() {
          await api.send("PATCH", `/api/v1/users/${user.id}`, { body });
          return { user_id: user.id };
        },
      };
    },
  }),
  change({
    id: "access.delete_user",
    title: "Delete a user",
    description: "Delete (remove) a user for ever. Dashboards of the user lose their owner.",
    input: { user_name: userName },
    destructive: true,
    tags: ["users"],
    ask: "delete the user ben.okafor@shop.example",
    example: { user_name: "ben.okafor@shop.example" },
    async plan({ user_name }, api) {
      const user = await api.user(user_name);
      const owned = (await api.dashboards())
        .filter(({ owner }) => owner === user.id)
        .map(({ title }) => title);
      return {
        before: toRow(user),
        after: null,
        notes: owned.length > 0 ? [`Owns ${owned.length} dashboards: ${owned.slice(0, 10).join(", ")}`] : [],
        async apply() {
          await api.send("DELETE", `/api/v1/users/${user.id}`);
          return {};
        },
      };
    },
  }),
  read({
    id: "access.get_all_dashboard_shares",
    title: "List the shares of all dashboards",
    description: "Who every dashboard is shared with: users by e-mail address, groups by name.",
    input: {},
    output: { shares: z.array(z.looseObject({ dashboard: z.string() })), count: z.number() },
    tags: ["dashboards"],
    ask: "who are the dashboards shared with?",
    example: {},
    async run(_args, api) {
      const [found, names] = await Promise.all([searchDashboards(api), api.partyNames()]);
      const shares = found.flatMap(({ title, shares: theirs }) =>
        theirs.map(({ shareId, type, rule }) => ({
          dashboard: title,
          type,
          name: names.get(shareId) ?? shareId,
          rule: rule ?? null,
        })),
      );
      return counted("shares", shares);
    },
  }),
  read({
    id: "access.get_datamodel_columns",
    title: "List a data model's columns",
    description: "All columns of a data model with their tables and types.",
    input: { datamodel_name: modelName },
    output: { columns: z.array(columnRow), count: z.number() },
    tags: ["datamodel"],
    ask: "which columns does Orders have?",
    example: { datamodel_name: "Orders" },
    async run({ datamodel_name }, api) {
      return counted("columns", (await columnsOf(api, datamodel_name)).rows);
    },
  }),
  read({
    id: "access.get_group",
    title: "Get a group",
    description: "One group by its name, with how many users it has.",
    input: { name: name("Name of the group") },
    output: { group_id: z.string(), name: z.string(), users: z.number() },
    tags: ["groups"],
    ask: "show the group Finance",
    example: { name: "Finance" },
    async run(args, api) {
      const [group, users] = await Promise.all([api.group(args.name), api.users()]);
      const members = users.filter(({ groups }) => groups.some(({ id }) => id === group.id));
      return { group_id: group.id, name: group.name, users: members.length };
    },
  }),
  read({
    id: "access.get_unused_columns",
    title: "Find a data model's unused columns",
    description: "Columns of a data model, each with whether a dashboard shows or filters by it.",
    input: { datamodel_name: modelName },
    output: { columns: z.array(columnRow), count: z.number(), unused: z.number() },
    tags: ["datamodel"],
    ask: "which columns of Orders does nobody use?",
    example: { datamodel_name: "Orders" },
    async run({ datamodel_name }, api) {
      const columns = await unusedColumns(api, datamodel_name);
      return { columns, count: columns.length, unused: columns.filter(({ used }) => used === false).length };
    },
  }),
  read({
    id: "access.get_unused_columns_bulk",
    title: "Find unused columns of several data models",
    description: "The same as get_unused_columns for several data models by title or id.",
    input: { datamodels: z.array(z.string()).min(1).describe("Titles or ids of data models") },
    output: { columns: z.array(columnRow), count: z.number(), unused: z.number() },
    tags: ["datamodel"],
    ask: "which columns of Orders and Web does nobody use?",
    example: { datamodels: ["Orders", "Web"] },
    async run({ datamodels }, api, call) {
      const columns: Record<string, unknown>[] = [];
      const failed: { datamodel: string; reason: string }[] = [];
      for (const [at, reference] of datamodels.entries()) {
        await call.progress(at, datamodels.length, `Looking at ${reference}`);
        try {
          columns.push(...(await unusedColumns(api, reference)));
        } catch (error) {
          if (!isFailure(error, "unknown_datamodel") || !(error instanceof ToolFailure)) throw error;
          failed.push({ datamodel: reference, reason: error.message });
        }
      }
      const unused = columns.filter(({ used }) => used === false).length;
      return { columns, count: columns.length, unused, ...(failed.length > 0 && { failed }) };
    },
  }),
  read({
    id: "access.get_user",
    title: "Get a user",
    description: "One user by e-mail address or user name, with role and groups.",
    input: { user_name: userName },
    output: userRow.shape,
    tags: ["users"],
    ask: "show the user ana.lindqvist@shop.example",
    example: { user_name: "ana.lindqvist@shop.example" },
    run: async ({ user_name }, api) => toRow(await api.user(user_name)),
  }),
  read({
    id: "access.get_users_all",
    title: "List all users",
    description: "All users with role and groups.",
    input: {},
    output: { users: z.array(userRow), count: z.number() },
    tags: ["users"],
    ask: "list the users",
    example: {},
    run: async (_args, api) => counted("users", (await api.users()).map(toRow)),
  }),
  read({
    id: "access.users_per_group",
    title: "List the users of a group",
    description: "The users who are in a group.",
    input: { group_name: name("Name of the group") },
    output: { group: z.string(), users: z.array(userRow), count: z.number() },
    tags: ["users", "groups"],
    ask: "who is in Finance?",
    example: { group_name: "Finance" },
    async run({ group_name }, api) {
      const [group, all] = await Promise.all([api.group(group_name), api.users()]);
      const users = all.filter(({ groups }) => groups.some(({ id }) => id === group.id)).map(toRow);
      return counted("users", users, { group: group.name });
    },
  }),
  read({
    id: "access.users_per_group_all",
    title: "List the users of every group",
    description: "Every group with the users in it, also groups without any.",
    input: {},
    output: { groups: z.array(z.looseObject({ group: z.string() })), count: z.number() },
    tags: ["users", "groups"],
    ask: "who is in which group?",
    example: {},
    async run(_args, api) {
      const [groups, users] = await Promise.all([api.groups(), api.users()]);
      const rows = groups
        .filter((group) => !EVERYBODY.includes(group.name))
        .map(({ id, name: group }) => {
          const members = users.filter((user) => user.groups.some((one) => one.id === id));
          return { group, count: members.length, users: members.map(({ email }) => email) };
        });
      return counted("groups", rows);
    },
  }),
];
