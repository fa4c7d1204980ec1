import { z } from "zod";

import { isFailure, messageOf, ToolFailure } from "#servers/kit/tool.ts";

import { type Api, EVERYBODY, parsed, type User } from "./api.ts";
import type { Item, Step } from "./migrate.ts";
import type { Ends } from "./registry.ts";
import type { Dashboard, FullDashboard, Model, NamedId, Permission, Share } from "./shapes.ts";

export const DEPENDENCIES = ["dataSecurity", "formulas", "hierarchies", "perspectives"] as const;

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
export function named<T>(
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

export function groupItem({ target }: Ends): (group: NamedId) => Item {
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

export function userItem({ target }: Ends): (user: User) => Item {
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

interface DashboardOptions {
  action: "skip" | "overwrite" | "duplicate";
  republish: boolean;
  migrate_share: boolean;
  change_ownership: boolean;
}

const about = z.looseObject({ oid: z.string().optional(), title: z.string().optional() });
const importSchema = z.looseObject({
  succeded: z.array(about).optional(),
  succeeded: z.array(about).optional(),
  skipped: z.array(about).optional(),
  failed: z.unknown().optional(),
});

export function dashboardItem(ends: Ends, options: DashboardOptions): (dashboard: Dashboard) => Item {
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

export function modelItem(ends: Ends, options: ModelOptions): (model: Model) => Item {
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

export function sharesItem(ends: Ends, from: string, to: string, withOwner: boolean): Item {
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
