import { z } from "zod";

import { fold, listSome } from "#servers/kit/names.ts";
import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import type { Deployment, Method, RequestOptions } from "./deployment.ts";
import {
  type Connection,
  connectionSchema,
  type Dashboard,
  dashboardSchema,
  type Folder,
  folderSchema,
  type FullDashboard,
  fullDashboardSchema,
  groupSchema,
  type Model,
  modelSchema,
  type NamedId,
  type Permission,
  permissionSchema,
  type Rule,
  roleSchema,
  ruleSchema,
  type Share,
  sharesSchema,
  sqlSchema,
  userSchema,
} from "./shapes.ts";

export interface User {
  id: string;
  userName: string;
  email: string;
  firstName: string;
  lastName: string;
  /** As the API calls it, such as `contributor`. */
  role: string;
  groups: NamedId[];
  active: boolean;
  lastLogin: string | null;
}

type Options = Omit<RequestOptions, "signal"> & {
  /** Absent: that of the call. */
  signal?: AbortSignal;
};

/** One deployment during one call: lists that several steps need are read once. */
export interface Api {
  /** Of the deployment. */
  readonly name: string;
  send(method: Method, path: string, options?: Options): Promise<unknown>;
  users(): Promise<User[]>;
  groups(): Promise<NamedId[]>;
  roles(): Promise<NamedId[]>;
  /** By e-mail address or user name. */
  user(text: string): Promise<User>;
  group(name: string): Promise<NamedId>;
  /** A user or group as shares are given to them. */
  party(type: "user" | "group", name: string): Promise<{ id: string }>;
  /** E-mail addresses of users and names of groups, by their ids. */
  partyNames(): Promise<ReadonlyMap<string, string>>;
  /** As people say it: "viewer" and "designer" too. */
  role(name: string): Promise<NamedId>;
  dashboards(): Promise<Dashboard[]>;
  /** By id or title. */
  dashboard(reference: string): Promise<Dashboard>;
  /** With widgets, filters and scripts. */
  exportDashboard(id: string): Promise<FullDashboard>;
  dashboardShares(id: string): Promise<Share[]>;
  folders(): Promise<Folder[]>;
  models(): Promise<Model[]>;
  /** By id or title. */
  model(reference: string): Promise<Model>;
  permissions(model: Model): Promise<Permission[]>;
  setPermissions(model: Model, permissions: readonly Permission[]): Promise<void>;
  security(model: Model): Promise<Rule[]>;
  connection(name: string): Promise<Connection>;
  rows(model: Model, query: string): Promise<Record<string, unknown>[]>;
}

/** What people call roles. */
const ROLE_NAMES: Readonly<Record<string, string>> = {
  viewer: "consumer",
  designer: "contributor",
  sysadmin: "super",
};

/** Groups that everybody is in. */
export const EVERYBODY: readonly string[] = ["Everyone", "All users in system"];

export function createApi(deployment: Deployment, callSignal: AbortSignal): Api {
  const send: Api["send"] = (method, path, { signal = callSignal, ...options } = {}) =>
    deployment.request(method, path, { ...options, signal });
  const get = async <T>(schema: z.ZodType<T>, path: string, query?: Options["query"]): Promise<T> =>
    parsed(schema, await send("GET", path, query === undefined ? {} : { query }), path);

  const groups = once(() => get(z.array(groupSchema), "/api/v1/groups"));
  const roles = once(() => get(z.array(roleSchema), "/api/roles"));
  const users = once(async () => {
    const [found, everyGroup, everyRole] = await Promise.all([
      get(z.array(userSchema), "/api/v1/users"),
      groups(),
      roles(),
    ]);
    return found.map((user): User => {
      const { groups: theirs, roleId, role, ...rest } = user;
      const named = theirs.map((one) => {
        const id = typeof one === "string" ? one : one.id;
        return everyGroup.find((group) => group.id === id) ?? { id, name: id };
      });
      const roleName = everyRole.find(({ id }) => id === roleId)?.name ?? role?.name ?? roleId ?? "";
      return { ...rest, role: roleName, groups: named };
    });
  });
  const dashboards = once(() =>
    get(z.array(dashboardSchema), "/api/v1/dashboards/admin", { dashboardType: "owner" }),
  );
  const models = once(async () =>
    parsed(listOf(modelSchema), await send("GET", "/api/v2/datamodels/schema"), "data models"),
  );

  async function findModel(reference: string): Promise<Model | undefined> {
    const none = (error: unknown): undefined => {
      if (isFailure(error, "not_found") || isFailure(error, "bad_request")) return undefined;
      throw error;
    };
    const byId = /^[0-9a-f-]{24,36}$/i.test(reference)
      ? await send("GET", `/api/v2/datamodels/${reference}/schema`).catch(none)
      : undefined;
    if (byId !== undefined) return parsed(modelSchema, byId, "a data model");
    const query = { title: reference };
    const found = await send("GET", "/api/v2/datamodels/schema", { query }).catch(none);
    const all = found === undefined ? [] : parsed(listOf(modelSchema), found, "a data model");
    return all.find(({ title }) => fold(title) === fold(reference));
  }

  const user: Api["user"] = async (text) =>
    pick("user", text, await users(), ({ email, userName, firstName, lastName }) => [
      email,
      userName,
      `${firstName} ${lastName}`,
    ]);
  const group: Api["group"] = async (name) =>
    pick("group", name, await groups(), (one) => [one.name, one.id]);

  return {
    name: deployment.name,
    send,
    users,
    groups,
    roles,
    user,
    group,
    party: (type, name) => (type === "user" ? user(name) : group(name)),
    async partyNames() {
      const [everybody, all] = await Promise.all([users(), groups()]);
      return new Map([
        ...all.map(({ id, name }) => [id, name] as const),
        ...everybody.map(({ id, email }) => [id, email] as const),
      ]);
    },
    async role(name) {
      const wanted = ROLE_NAMES[fold(name)] ?? name;
      return pick("role", wanted, await roles(), (one) => [one.name, one.id]);
    },
    dashboards,
    async dashboard(reference) {
      const key = /^[0-9a-f]{24}$/i.test(reference) ? "id" : "name";
      const query = { dashboardType: "owner", [key]: reference };
      const found = await get(listOf(dashboardSchema), "/api/v1/dashboards/admin", query);
      const names = ({ id, title }: Dashboard): string[] => [title, id];
      const fit = found.filter((one) => names(one).some((name) => fold(name) === fold(reference)));
      return pick("dashboard", reference, fit.length > 0 ? fit : await dashboards(), names);
    },
    async exportDashboard(id) {
      const query = { dashboardIds: id, adminAccess: true };
      const answer = await send("GET", "/api/v1/dashboards/export", { query });
      const [found] = parsed(listOf(fullDashboardSchema), answer, "a dashboard's export");
      if (found === undefined) throw new ToolFailure("not_found", `there is no dashboard ${id} to export`);
      return found;
    },
    dashboardShares: (id) =>
      get(sharesSchema, `/api/shares/dashboard/${encodeURIComponent(id)}`, { adminAccess: true }),
    async folders() {
      const answer = await get(z.object({ folders: z.array(folderSchema) }), "/api/v1/navver");
      return answer.folders;
    },
    models,
    async model(reference) {
      const found = await findModel(reference);
      if (found !== undefined) return found;
      return pick("datamodel", reference, await models(), ({ title, oid }) => [title, oid]);
    },
    permissions: async (model) =>
      parsed(permissionSchema, await send("GET", permissionPath(model)), "the shares of a data model"),
    async setPermissions(model, permissions) {
      const body = permissions.map(({ partyId, type, permission }) => ({ partyId, type, permission }));
      await send(model.type === "live" ? "PATCH" : "PUT", permissionPath(model), { body });
    },
    security: async (model) =>
      parsed(z.array(ruleSchema), await send("GET", securityPath(model)), "data security"),
    async connection(name) {
      const found = await get(listOf(connectionSchema), "/api/v2/connections", { name });
      return pick("connection", name, found, (one) => [one.name, one.oid]);
    },
    async rows(model, query) {
      const path = `/api/datasources/${encodeURIComponent(model.title)}/sql`;
      const { headers, values } = await get(sqlSchema, path, { query });
      return values.map((row) => Object.fromEntries(headers.map((name, at) => [name, row[at] ?? null])));
    },
  };
}

function permissionPath({ type, title, oid }: Model): string {
  return type === "live"
    ? `/api/v1/elasticubes/live/${oid}/permissions`
    : `/api/elasticubes/localhost/${encodeURIComponent(title)}/permissions`;
}

/** Of data security's rules; live models are named by their id. */
export function securityPath({ type, title, oid }: Model): string {
  return type === "live"
    ? `/api/v1/elasticubes/live/${oid}/datasecurity`
    : `/api/elasticubes/localhost/${encodeURIComponent(title)}/datasecurity`;
}

/** What the answer says, in the form that tools work with. */
export function parsed<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined ? "" : ` (${z.core.toDotPath(issue.path) || "whole"}: ${issue.message})`;
  throw new ToolFailure("invalid_answer", `Sisense answered for ${what} in a form that is not known${where}`);
}

/** Where the API gives one thing for a list of one. */
function listOf<T>(schema: z.ZodType<T>): z.ZodType<T[]> {
  return z.preprocess((value): unknown => [value ?? []].flat(), z.array(schema)) as z.ZodType<T[]>;
}

/** The one that was meant by one of its names. Throws `unknown_KIND` or `ambiguous_KIND`, saying what there is. */
function pick<T>(kind: string, text: string, items: readonly T[], namesOf: (item: T) => string[]): T {
  const fit = items.filter((item) => namesOf(item).some((name) => fold(name) === fold(text)));
  const [only] = fit;
  if (only !== undefined && fit.length === 1) return only;
  const list = (some: readonly T[]): string => listSome(some.map((item) => namesOf(item)[0] ?? ""));
  if (fit.length > 1) {
    const ids = listSome(fit.map((item) => namesOf(item)[1] ?? ""));
    throw new ToolFailure(
      `ambiguous_${kind}`,
      `there are ${fit.length} of the name "${text}": give an id (${ids})`,
    );
  }
  const near = items.filter((item) => namesOf(item).some((name) => fold(name).includes(fold(text))));
  const known = list(near.length > 0 ? near : items);
  throw new ToolFailure(
    `unknown_${kind}`,
    `there is no ${kind} "${text}". ${known === "" ? "There is none at all" : `There are ${known}`}`,
  );
}

/** What failed is asked for again by the next step that needs it. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= work().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
