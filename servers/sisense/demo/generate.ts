import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

import { fold } from "#servers/kit/names.ts";

/** Something as the REST API has it. */
export interface Thing {
  [member: string]: unknown;
}

export interface DemoUser extends Thing {
  _id: string;
  userName: string;
  email: string;
  firstName: string;
  lastName: string;
  roleId: string;
  groups: string[];
}

export interface DemoDashboard extends Thing {
  oid: string;
  title: string;
  owner: string;
  parentFolder: string | null;
  datasource: { title: string };
  shares: Thing[];
  widgets: Thing[];
  /** Another deployment refuses to import it. */
  broken?: boolean;
}

export interface DemoTable extends Thing {
  oid: string;
  name: string;
  columns: { oid: string; name: string; type: number }[];
}

interface DemoDataset extends Thing {
  oid: string;
  schema: { tables: DemoTable[] };
}

export interface DemoModel extends Thing {
  oid: string;
  title: string;
  type: "live" | "extract";
  datasets: DemoDataset[];
  relations: Thing[];
}

/** Everything that a demo deployment holds. */
export interface World {
  name: "source" | "target";
  users: DemoUser[];
  groups: { _id: string; name: string }[];
  roles: { _id: string; name: string }[];
  folders: { oid: string; name: string; owner: string; parent: string | null }[];
  dashboards: DemoDashboard[];
  models: DemoModel[];
  connections: Thing[];
  /** By the id of a model. */
  permissions: Record<string, Thing[]>;
  security: Record<string, Thing[]>;
  schedules: Record<string, Thing>;
}

const words = z.string().transform((text) => text.split(/\s+/).filter((word) => word !== ""));

const dataSchema = z.object({
  tables: z.record(
    z.string(),
    z.union([
      z.string(),
      z.tuple([z.number()], z.string()).transform(([rows, ...columns]) => ({ rows, columns })),
    ]),
  ),
  connections: z.array(z.string()),
  models: z.record(
    z.string(),
    z.object({
      of: words,
      tables: words,
      joins: words,
      secured: z.array(z.string()).default([]),
      imports: z.array(z.string()).default([]),
    }),
  ),
  dashboards: z.record(z.string(), z.array(z.string())),
  groups: z.array(z.string()),
  roles: z.array(z.string()),
  people: z.string().transform((text) => text.split(/\s*,\s*/)),
  target: z.object({
    people: z.number(),
    groups: z.array(z.string()),
    models: z.array(z.string()),
    dashboards: z.array(z.string()),
  }),
});

export const data: z.infer<typeof dataSchema> = dataSchema.parse(
  parse(readFileSync(join(import.meta.dirname, "data.yaml"), "utf8")),
);

/** The same id for the same words, 24 digits as Sisense's are. */
export function idOf(...about: string[]): string {
  return createHash("sha256").update(about.join("\n")).digest("hex").slice(0, 24);
}

const WHEN = "2026-11-20T06:00:00.000Z";

export function generate(name: World["name"]): World {
  const isSource = name === "source";
  const { target } = data;
  const groupNames = isSource ? data.groups : target.groups;
  const roles = data.roles.map((role) => ({ _id: idOf(name, "role", role), name: role }));
  const roleOf = (role: string): string => roles.find((one) => one.name === role)?._id ?? "";
  const groups = ["Everyone", ...groupNames].map((group) => ({
    _id: idOf(name, "group", group),
    name: group,
  }));
  const world: World = {
    name,
    users: [],
    groups,
    roles,
    folders: [],
    dashboards: [],
    models: [],
    connections: data.connections.map((line) => {
      const [title = "", provider = "", database = "", schemaName = ""] = line.split(" ");
      return { oid: idOf(name, "connection", title), name: title, provider, database, schemaName };
    }),
    permissions: {},
    security: {},
    schedules: {},
  };

  const admin = { ...personOf(name, "Admin Demo"), roleId: roleOf("super"), groups: [] };
  world.users.push(admin);
  const people = isSource ? data.people : data.people.slice(0, target.people);
  people.forEach((person, at) => {
    const user = personOf(name, person);
    const role =
      at === 0 ? "admin" : at % 9 === 4 ? "dataDesigner" : at % 3 === 1 ? "contributor" : "consumer";
    const named = [data.groups[at % data.groups.length], ...(at % 6 === 5 ? [data.groups[0]] : [])];
    const ids = groups.filter((group) => group.name === "Everyone" || named.includes(group.name));
    // The last one has no address, which another deployment refuses.
    const email = at === data.people.length - 1 ? user.userName.replace(/@.*/, "") : user.email;
    world.users.push({
      ...user,
      email,
      userName: email,
      roleId: roleOf(role),
      groups: ids.map(({ _id }) => _id),
    });
  });

  for (const [title, spec] of Object.entries(data.models)) {
    if (!isSource && !target.models.includes(title)) continue;
    const model = modelOf(world, title, spec);
    world.models.push(model);
    world.permissions[model.oid] = [
      { partyId: admin._id, type: "user", permission: "w" },
      ...groups.slice(1, 3).map(({ _id }) => ({ partyId: _id, type: "group", permission: "r" })),
    ];
    world.security[model.oid] = spec.secured.map((place) => ruleOf(world, model, place));
  }

  const owners = world.users.slice(0, 6);
  Object.entries(data.dashboards).forEach(([path, lines]) => {
    const folder = isSource ? folderOf(world, path, admin._id) : null;
    for (const line of lines) {
      const [, title = "", model = "", fault = ""] = /^(.+) of (\w+)(?: with (.+))?$/.exec(line) ?? [];
      if (!isSource && !target.dashboards.includes(title)) continue;
      const owner = owners[world.dashboards.length % owners.length]?._id ?? "";
      const dashboard = dashboardOf(title, model, fault);
      // One came from the source long ago and has its id.
      const oid = isSource || title === target.dashboards[0] ? dashboard.oid : idOf(name, "dashboard", title);
      const everyone = groups[1 + (world.dashboards.length % (groups.length - 1))]?._id ?? "";
      const shares = [
        { shareId: owner, type: "user", rule: "edit", subscribe: false },
        { shareId: everyone, type: "group", rule: "view", subscribe: false },
      ];
      world.dashboards.push({ ...dashboard, oid, owner, parentFolder: folder, shares });
    }
  });
  return world;
}

function personOf(name: string, person: string): DemoUser {
  const [firstName = "", ...rest] = person.split(" ");
  const email = `${fold(person).replaceAll(/[^a-z]+/g, ".")}@shop.example`;
  return {
    _id: idOf(name, "user", person),
    userName: email,
    email,
    firstName,
    lastName: rest.join(" "),
    active: true,
    lastLogin: WHEN,
    roleId: "",
    groups: [],
  };
}

function folderOf(world: World, path: string, owner: string): string {
  let parent: string | null = null;
  for (const name of path.split("/")) {
    const found = world.folders.find((one) => one.name === name && one.parent === parent);
    const oid: string = found?.oid ?? idOf(world.name, "folder", parent ?? "", name);
    if (found === undefined) world.folders.push({ oid, name, owner, parent });
    parent = oid;
  }
  return parent ?? "";
}

const TYPES: Readonly<Record<string, number>> = { id: 8, date: 4, person: 18 };

/** Name and kind of a column, and the number that Sisense has for its type. */
export function columnsOf(table: string): { name: string; kind: string; type: number }[] {
  const spec = data.tables[table];
  if (spec === undefined) return [];
  if (typeof spec === "string")
    return [
      { name: "order_id", kind: "id", type: 8 },
      { name: "revenue", kind: "1..2", type: 5 },
    ];
  return spec.columns.map((line) => {
    const [name = "", ...rest] = line.split(" ");
    const kind = rest.join(" ");
    return { name, kind, type: TYPES[kind] ?? (kind.startsWith(">") ? 8 : kind.includes("..") ? 5 : 18) };
  });
}

type ModelSpec = (typeof data.models)[string];

function modelOf(world: World, title: string, { of, tables, joins, imports }: ModelSpec): DemoModel {
  const [type = "extract", connection = ""] = of;
  const at = world.connections.find((one) => one["name"] === connection) ?? {};
  const { oid, name, provider } = at;
  const dataset: DemoDataset = {
    oid: idOf("dataset", title),
    name: String(at["schemaName"]),
    type,
    database: at["database"],
    schemaName: at["schemaName"],
    connection: { oid, name, provider, parameters: { Server: "warehouse.shop.example", Password: "kept" } },
    schema: {
      tables: tables.map((table) => ({
        ...tableOf(title, table),
        ...(imports.includes(table) && {
          configOptions: { importQuery: `SELECT * FROM ${table} WHERE ordered_on > '2026-01-01'` },
        }),
      })),
    },
  };
  const oidOf = (place: string): Thing => {
    const [table = "", column = ""] = place.split(".");
    return {
      dataset: dataset.oid,
      table: idOf("table", title, table),
      column: idOf("column", title, table, column),
    };
  };
  return {
    oid: idOf("model", title),
    title,
    type: type === "live" ? "live" : "extract",
    server: type === "live" ? "live" : "LocalHost",
    lastBuildTime: type === "live" ? null : WHEN,
    lastPublishTime: WHEN,
    lastUpdated: WHEN,
    datasets: [dataset],
    relations: joins.map((join) => ({
      oid: idOf("relation", title, join),
      columns: join.split("=").map(oidOf),
    })),
  };
}

/** A table as a model has it. */
export function tableOf(model: string, table: string): DemoTable {
  const spec = data.tables[table];
  return {
    oid: idOf("table", model, table),
    id: table,
    name: table,
    ...(typeof spec === "string"
      ? { type: "custom", expression: { expression: spec } }
      : { type: "base", expression: null }),
    columns: columnsOf(table).map(({ name, type }) => ({
      oid: idOf("column", model, table, name),
      id: name,
      name,
      type,
    })),
  };
}

function ruleOf(world: World, model: DemoModel, place: string): Thing {
  const [table = "", column = ""] = place.split(".");
  const type = columnsOf(table).find((one) => one.name === column)?.type;
  const [, group] = world.groups;
  return {
    _id: idOf("rule", world.name, model.title, place),
    table,
    column,
    datatype: type === 18 ? "text" : "numeric",
    members: type === 18 ? ["Sales"] : ["1", "2"],
    exclusionary: false,
    shares: [
      { type: "group", party: group?._id, partyName: group?.name },
      { type: "default", party: null },
    ],
  };
}

function dashboardOf(title: string, modelTitle: string, fault: string): DemoDashboard {
  const [kind = "", amount = "0"] = fault.split("=");
  const [table = ""] = data.models[modelTitle]?.tables ?? [];
  const columns = columnsOf(table);
  const jaql = ({ name, kind: of }: { name: string; kind: string }): Thing => ({
    jaql: {
      table,
      column: name,
      dim: `[${table}.${name}]`,
      datatype: of === "date" ? "datetime" : of.includes("..") ? "numeric" : "text",
      title: name,
    },
  });
  const numbers = columns.filter((one) => one.kind.includes(".."));
  const names = columns.filter((one) => one.kind.includes("|"));
  let count = 0;
  const widget = (type: string, rows: typeof columns, values: typeof columns): Thing => {
    count += 1;
    return {
      oid: idOf("widget", title, String(count)),
      type,
      title: `${title} ${count}`,
      metadata: {
        panels: [
          { name: "rows", items: rows.map(jaql) },
          { name: "values", items: values.map(jaql) },
          { name: "filters", items: [] },
        ],
      },
      options: {},
    };
  };
  const widgets = [
    widget("indicator", [], numbers.slice(0, 1)),
    widget("chart/column", names.slice(0, 1), numbers.slice(0, 1)),
    widget("chart/line", columns.filter((one) => one.kind === "date").slice(0, 1), numbers.slice(0, 1)),
    widget("pivot2", names.slice(0, 1), numbers.slice(0, 1)),
  ];
  if (kind === "pivots")
    for (let at = 1; at < Number(amount); at += 1) widgets.push(widget("pivot2", names, numbers));
  if (kind === "widgets")
    while (widgets.length < Number(amount)) widgets.push(widget("indicator", [], numbers));
  if (kind === "fields") {
    const many = Array.from({ length: Number(amount) }, () => columns[0]).filter((one) => one !== undefined);
    widgets.push(widget("pivot2", many, []));
  }
  if (kind === "jump")
    widgets.push({
      ...widget("chart/bar", names, numbers),
      options: { drillTarget: { oid: idOf("gone"), caption: "Details" } },
    });
  return {
    oid: idOf("dashboard", title),
    title,
    type: "dashboard",
    owner: "",
    parentFolder: null,
    datasource: { title: modelTitle },
    lastUpdated: WHEN,
    shares: [],
    filters: names.slice(0, 1).map((one) => ({ ...jaql(one), disabled: false })),
    widgets,
    ...(kind === "broken" && { broken: true }),
  };
}
