import { randomBytes } from "node:crypto";

import { fold } from "#servers/kit/names.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { Method } from "../deployment.ts";
import { columnsOf, data, type DemoDashboard, type DemoModel, type Thing, type World } from "./generate.ts";

/** What a demo deployment is asked. */
export interface Asked {
  /** What stands for the parts of the path that differ. */
  ids: string[];
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

type Handler = (world: World, asked: Asked) => unknown;

/** Answers of the REST API as far as the tools ask for them; ":" stands for any part of a path. */
const ROUTES: Readonly<Record<string, Handler>> = {
  "GET /api/v1/users": (world) => world.users,
  "POST /api/v1/users": (world, { body }) => addUser(world, thing(body)),
  "POST /api/v1/users/bulk": (world, { body }) => things(body).map((user) => addUser(world, user)),
  "PATCH /api/v1/users/:": (world, { ids: [id], body }) =>
    Object.assign(
      found(world.users, ({ _id }) => _id === id),
      thing(body),
    ),
  "DELETE /api/v1/users/:": (world, { ids: [id] }) => {
    found(world.users, ({ _id }) => _id === id);
    world.users = world.users.filter(({ _id }) => _id !== id);
    return undefined;
  },
  "GET /api/roles": (world) => world.roles,
  "GET /api/v1/groups": (world) => world.groups,
  "POST /api/v1/groups/bulk": (world, { body }) =>
    things(body).map(({ name }) => {
      if (world.groups.some((one) => one.name === name))
        throw refused(409, `there is a group ${textOf(name)}`);
      const group = { _id: newId(), name: textOf(name) };
      world.groups.push(group);
      return group;
    }),
  "GET /api/v1/navver": (world) => ({ folders: foldersIn(world, null) }),
  "PATCH /api/v1/folders/:": (world, { ids: [id], body }) =>
    Object.assign(
      found(world.folders, ({ oid }) => oid === id),
      thing(body),
    ),

  "GET /api/v1/dashboards/admin": (world, { query: { id, name } }) =>
    world.dashboards
      .filter(
        (one) => (id === undefined || one.oid === id) && (name === undefined || hasName(one.title, name)),
      )
      .map(summaryOf),
  "POST /api/v1/dashboards/searches": (world, { body }) => {
    const { limit, skip } = thing(thing(body)["queryOptions"]);
    const items = world.dashboards.slice(Number(skip), Number(skip) + Number(limit)).map(summaryOf);
    return { items, count: world.dashboards.length };
  },
  "GET /api/v1/dashboards/export": (world, { query: { dashboardIds } }) =>
    textOf(dashboardIds)
      .split(",")
      .map((id) => dashboardIn(world, id)),
  "POST /api/v1/dashboards/import/bulk": importDashboards,
  "POST /api/v1/dashboards/:/change_owner": (world, { ids: [id], body }) => {
    const dashboard = dashboardIn(world, id);
    const { ownerId, originalOwnerRule: rule } = thing(body);
    const others = dashboard.shares.filter(
      (one) => one["shareId"] !== ownerId && one["shareId"] !== dashboard.owner,
    );
    dashboard.shares = [
      { shareId: ownerId, type: "user", rule: "edit", subscribe: false },
      { shareId: dashboard.owner, type: "user", rule, subscribe: false },
      ...others,
    ];
    dashboard.owner = textOf(ownerId);
    return summaryOf(dashboard);
  },
  "GET /api/shares/dashboard/:": (world, { ids: [id] }) => ({ sharesTo: dashboardIn(world, id).shares }),
  "POST /api/shares/dashboard/:": (world, { ids: [id], body }) => {
    const dashboard = dashboardIn(world, id);
    dashboard.shares = things(thing(body)["sharesTo"]);
    return { sharesTo: dashboard.shares };
  },
  "PUT /api/dashboards/:": (world, { ids: [id], body }) =>
    summaryOf(Object.assign(dashboardIn(world, id), thing(body))),
  "PUT /api/dashboards/:/widgets/:": (world, { ids: [id, widget], body }) =>
    Object.assign(
      found(dashboardIn(world, id).widgets, ({ oid }) => oid === widget),
      thing(body),
    ),

  "GET /api/v2/datamodels/schema": (world, { query: { title } }) => {
    if (title === undefined) return world.models;
    return found(world.models, (one) => hasName(one.title, title));
  },
  "GET /api/v2/datamodels/:/schema": (world, { ids: [id] }) => modelIn(world, id),
  "POST /api/v2/datamodels": (world, { body }) => {
    const { title, type } = thing(body);
    return addModel(world, {
      oid: newId(),
      title: textOf(title),
      type: type === "live" ? "live" : "extract",
      datasets: [],
      relations: [],
    });
  },
  "POST /api/v2/datamodels/:/schema/datasets": (world, { ids: [id], body }) => {
    const { connection, ...rest } = thing(body);
    const { oid } = thing(connection);
    const at = found(world.connections, (one) => one["oid"] === oid);
    const dataset = {
      ...rest,
      oid: newId(),
      connection: { oid, name: at["name"], provider: at["provider"] },
      schema: { tables: [] },
    };
    modelIn(world, id).datasets.push(dataset);
    return dataset;
  },
  "POST /api/v2/datamodels/:/schema/datasets/:/tables": (world, { ids: [id, dataset], body }) => {
    const { schema } = found(modelIn(world, id).datasets, ({ oid }) => oid === dataset);
    const given = thing(body);
    const columns = things(given["columns"]).map((one) => ({ ...one, oid: newId() }));
    const table = { ...given, oid: newId(), name: textOf(given["name"]), columns: columns as never };
    schema.tables.push(table);
    return table;
  },
  "PATCH /api/v2/datamodels/:/schema/datasets/:/tables/:": (world, { ids: [id, dataset, table], body }) => {
    const { schema } = found(modelIn(world, id).datasets, ({ oid }) => oid === dataset);
    return Object.assign(
      found(schema.tables, ({ oid }) => oid === table),
      thing(body),
    );
  },
  "GET /api/v2/datamodels/:/schedule": (world, { ids: [id = ""] }) => {
    const schedule = world.schedules[modelIn(world, id).oid];
    if (schedule === undefined) throw refused(404, "no schedule");
    return schedule;
  },
  "POST /api/v2/datamodels/:/schedule": (world, { ids: [id], body }) =>
    (world.schedules[modelIn(world, id).oid] = thing(body)),
  "POST /api/v2/builds": (world, { body }) => {
    const model = modelIn(world, thing(body)["datamodelId"]);
    const now = new Date().toISOString();
    Object.assign(model, model.type === "live" ? { lastPublishTime: now } : { lastBuildTime: now });
    return { oid: newId(), datamodelId: model.oid, status: "done" };
  },
  "POST /api/v2/ecm/": (world) => ({
    data: {
      elasticubesMetadata: world.models.map(({ oid, title, type, datasets }) => ({
        oid,
        title,
        type,
        status: ["running"],
        sizeInMb: datasets.flatMap(({ schema }) => schema.tables).length * 1.25,
      })),
    },
  }),
  "GET /api/v2/connections": (world, { query: { name } }) =>
    world.connections.filter((one) => name === undefined || hasName(textOf(one["name"]), name)),
  "POST /api/v2/connections": (world, { body }) => {
    const given = thing(body);
    if (world.connections.some((one) => one["name"] === given["name"]))
      throw refused(409, `there is a connection ${textOf(given["name"])}`);
    const connection = { ...given, oid: newId() };
    world.connections.push(connection);
    return connection;
  },
  "POST /api/v1/connection/:/table_schema_details": (world, { ids: [id], body }) => {
    found(world.connections, ({ oid }) => oid === id);
    const table = String(thing(thing(body)["connectionData"])["table"]);
    if (data.tables[table] === undefined) throw refused(404, `no table ${table}`);
    const columns = columnsOf(table).map(({ name, type }) => ({ columnName: name, dbType: type, size: 0 }));
    return { tableName: table, columns };
  },
  "GET /api/v2/datamodel-exports/schema": (world, { query: { datamodelId } }) => {
    const model = modelIn(world, datamodelId);
    return { ...model, dataContext: world.security[model.oid] ?? [] };
  },
  "POST /api/v2/datamodel-imports/schema": importModel,
  "GET /api/elasticubes/localhost/:/permissions": (world, { ids: [title] }) => ({
    shares: world.permissions[modelNamed(world, title).oid] ?? [],
  }),
  "PUT /api/elasticubes/localhost/:/permissions": (world, { ids: [title], body }) =>
    (world.permissions[modelNamed(world, title).oid] = things(body)),
  "GET /api/v1/elasticubes/live/:/permissions": (world, { ids: [id = ""] }) => world.permissions[id] ?? [],
  "PATCH /api/v1/elasticubes/live/:/permissions": (world, { ids: [id], body }) =>
    (world.permissions[modelIn(world, id).oid] = things(body)),
  "GET /api/elasticubes/localhost/:/datasecurity": (world, { ids: [title] }) =>
    world.security[modelNamed(world, title).oid] ?? [],
  "GET /api/v1/elasticubes/live/:/datasecurity": (world, { ids: [id = ""] }) => world.security[id] ?? [],
};

const COMPILED = Object.entries(ROUTES).map(([key, handler]) => {
  const [method, path = ""] = key.split(" ");
  return { method, path: new RegExp(`^${path.replaceAll(":", "([^/]+)")}$`), handler };
});

/**
 * What a demo deployment answers. Changes the world where the request does. Throws a ToolFailure of the codes that a
 * real deployment's answers have.
 */
export function answer(
  world: World,
  method: Method,
  path: string,
  asked: { query?: Readonly<Record<string, unknown>>; body?: unknown },
): unknown {
  for (const route of COMPILED) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match === null) continue;
    const ids = match.slice(1).map(decodeURIComponent);
    return route.handler(world, { ids, query: asked.query ?? {}, body: asked.body });
  }
  throw refused(404, `the demo has no ${method} ${path}`);
}

function summaryOf(dashboard: DemoDashboard): Thing {
  const large = ["widgets", "filters", "script"];
  return Object.fromEntries(Object.entries(dashboard).filter(([member]) => !large.includes(member)));
}

function addUser(world: World, given: Thing): Thing {
  const email = textOf(given["email"]);
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw refused(400, `"${email}" is no e-mail address`);
  if (world.users.some((one) => fold(one.email) === fold(email)))
    throw refused(409, `there is a user ${email}`);
  const { firstName = "", lastName = "", roleId = "", groups = [] } = given;
  const user = {
    ...given,
    _id: newId(),
    email,
    userName: textOf(given["userName"] ?? email),
    firstName: textOf(firstName),
    lastName: textOf(lastName),
    roleId: textOf(roleId),
    groups: groups as string[],
    active: true,
  };
  world.users.push(user);
  return user;
}

function importDashboards(world: World, { query, body }: Asked): Thing {
  const result = { succeded: [] as Thing[], skipped: [] as Thing[], failed: [] as Thing[] };
  for (const given of things(body) as DemoDashboard[]) {
    const at = world.dashboards.findIndex(({ oid }) => oid === given.oid);
    const about = { oid: given.oid, title: given.title };
    if (given.broken === true) {
      result.failed.push({ ...about, error: "a widget of it has no data source" });
    } else if (at >= 0 && query["action"] === "overwrite") {
      const { owner, shares } = world.dashboards[at] ?? { owner: "", shares: [] };
      world.dashboards[at] = { ...given, owner, shares };
      result.succeded.push(about);
    } else if (at >= 0 && query["action"] !== "duplicate") {
      result.skipped.push(about);
    } else {
      const oid = at >= 0 ? newId() : given.oid;
      const owner = world.users[0]?._id ?? "";
      world.dashboards.push({ ...given, oid, owner, parentFolder: null, shares: [] });
      result.succeded.push({ ...about, oid });
    }
  }
  return result;
}

function importModel(world: World, { query: { datamodelId, newTitle }, body }: Asked): Thing {
  const { dataContext, ...given } = thing(body) as DemoModel & { dataContext?: Thing[] };
  const provider = given.datasets.map(({ connection }) => textOf(thing(connection)["provider"])).at(0);
  const known = world.connections.some((one) => one["provider"] === provider);
  const isMapped = given.datasets.every(({ connection }) => thing(connection)["provider"] === undefined);
  if (!known && !isMapped && given.datasets.length > 0)
    throw refused(400, `no connection to ${provider ?? ""} is here`);
  const title = typeof newTitle === "string" ? newTitle : given.title;
  const id = typeof datamodelId === "string" ? datamodelId : undefined;
  if (id === undefined && world.models.some((one) => one.title === title))
    throw refused(409, `there is a data model ${title}`);
  const oid = id ?? (world.models.some((one) => one.oid === given.oid) ? newId() : given.oid);
  if (id !== undefined) world.models = world.models.filter((one) => one.oid !== modelIn(world, id).oid);
  world.security[oid] = dataContext ?? [];
  return addModel(world, { ...given, oid, title });
}

function addModel(world: World, model: DemoModel): DemoModel {
  if (world.models.some(({ title }) => title === model.title))
    throw refused(409, `there is a data model ${model.title}`);
  const now = new Date().toISOString();
  const added = { ...model, lastUpdated: now, lastBuildTime: null, lastPublishTime: null };
  world.models.push(added);
  world.permissions[model.oid] ??= [{ partyId: world.users[0]?._id ?? "", type: "user", permission: "w" }];
  return added;
}

function foldersIn(world: World, parent: string | null): Thing[] {
  return world.folders
    .filter((one) => one.parent === parent)
    .map(({ oid, name, owner }) => ({
      oid,
      name,
      owner,
      folders: foldersIn(world, oid),
      dashboards: world.dashboards
        .filter(({ parentFolder }) => parentFolder === oid)
        .map(({ oid: id, title }) => ({ oid: id, title })),
    }));
}

function dashboardIn(world: World, id: unknown): DemoDashboard {
  return found(world.dashboards, ({ oid }) => oid === id);
}

function modelIn(world: World, id: unknown): DemoModel {
  return found(world.models, ({ oid }) => oid === id);
}

function modelNamed(world: World, title: unknown): DemoModel {
  return found(world.models, (one) => hasName(one.title, title));
}

function hasName(title: string, wanted: unknown): boolean {
  return fold(title) === fold(textOf(wanted));
}

function found<T>(items: readonly T[], fits: (item: T) => boolean): T {
  const item = items.find(fits);
  if (item === undefined) throw refused(404, "no such thing");
  return item;
}

const CODES: Readonly<Record<number, string>> = { 400: "bad_request", 404: "not_found", 409: "conflict" };

function refused(status: number, why: string): ToolFailure {
  return new ToolFailure(
    CODES[status] ?? "bad_request",
    `the demo deployment refused this (${status}): ${why}`,
  );
}

function newId(): string {
  return randomBytes(12).toString("hex");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function thing(value: unknown): Thing {
  return typeof value === "object" && value !== null ? (value as Thing) : {};
}

function things(value: unknown): Thing[] {
  return Array.isArray(value) ? value.map(thing) : [];
}
