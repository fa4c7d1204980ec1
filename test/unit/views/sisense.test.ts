import { describe, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import { askText } from "#src/base/statement.ts";
import { createStatements } from "#views/statement.ts";

import { all, show } from "./help.ts";

const statements = createStatements();

function statementOf(name: string, args: JsonObject, preview?: JsonValue) {
  const tool = { id: `sisense.${name}`, server: "sisense", name, annotations: {}, inputSchema: {} };
  return statements.of({ tool, args, ...(preview === undefined ? {} : { preview }) });
}

describe("statements of Sisense's changes", () => {
  it("[card.statement] a migration says how much goes where, and what becomes of it", () => {
    const preview = {
      dry_run: true,
      before: null,
      after: { create: ["Board Pack", "Visits"], overwrite: ["Weekly Sales"] },
      meta: { kind: "dashboards", source: "eu.example", target: "us.example", total: 3 },
    };
    const statement = statementOf("migration.migrate_dashboards", { action: "overwrite" }, preview);
    expect(askText(statement)).toBe(
      "Migrate 3 dashboards from eu.example to us.example: 2 new, 1 overwritten",
    );
    expect(statement).toMatchObject({
      isDestructive: true,
      changes: [
        { label: "New", after: "Board Pack, Visits" },
        { label: "Overwritten", after: "Weekly Sales" },
        { label: "Action", after: "overwrite" },
      ],
    });
    expect(askText(statementOf("migration.migrate_users", { user_name_list: ["a", "b"] }))).toBe(
      "Migrate 2 users",
    );
    expect(askText(statementOf("migration.migrate_all_datamodels", {}))).toBe("Migrate all data models");
  });

  it.each([
    ["access.create_user", { user_data: { email: "a@b.example" } }, "Create the user “a@b.example”"],
    ["access.delete_user", { user_name: "a@b.example" }, "Delete the user “a@b.example”"],
    [
      "access.change_folder_and_dashboard_ownership",
      { folder_name: "Sales", new_owner_name: "ben" },
      "Give the folder “Sales” to “ben”",
    ],
    [
      "datamodel.add_datamodel_shares",
      { datamodel_name: "Orders", shares: [{ name: "Finance", type: "group", permission: "USE" }] },
      "Share the data model “Orders” with the group “Finance” (use)",
    ],
    ["datamodel.deploy_datamodel", { datamodel_name: "Orders" }, "Build the data model “Orders”"],
  ])("[card.statement] %s", (name, args, words) => {
    expect(askText(statementOf(name, args))).toBe(words);
  });

  it("[card.statement] a change shows what stood there and what will", () => {
    const preview = { dry_run: true, before: { role: "viewer" }, after: { role: "admin" } };
    expect(
      statementOf("access.update_user", { user_name: "ben", user_data: { role: "admin" } }, preview).changes,
    ).toEqual([{ label: "Role", before: "viewer", after: "admin" }]);
  });
});

describe("what no sentence tells", () => {
  const dry = (after: JsonObject): JsonObject => ({ dry_run: true, before: null, after });
  const planned = {
    ...dry({ create: ["Orders"] }),
    meta: { kind: "data models", source: "a", target: "b", total: 1 },
  };

  it.each([
    [
      "datamodel.setup_datamodel",
      {
        datamodel_name: "Shops",
        database_name: "HR",
        schema_name: "PAY",
        tables: [{ table_name: "t", import_query: "SELECT * FROM salaries" }],
      },
      dry({ title: "Shops", dataset: "PAY", tables: ["t (3 columns)"] }),
      [
        { label: "Database name", after: "HR" },
        { label: "Schema name", after: "PAY" },
        { label: "Tables", after: [{ table_name: "t", import_query: "SELECT * FROM salaries" }] },
      ],
    ],
    [
      "datamodel.create_connections",
      {
        connection_payload: {
          name: "A",
          provider: "RedShift",
          parameters: { Server: "evil.example", Password: "p", More: "Port=1;Pwd=p;Mode=x" },
        },
      },
      dry({ name: "A", provider: "RedShift" }),
      [
        {
          label: "Parameters",
          after: { Server: "evil.example", Password: "set", More: "Port=1;Pwd=…;Mode=x" },
        },
      ],
    ],
    [
      "dashboard.add_dashboard_script",
      { dashboard_id: "5", script: "on();", executing_user: "admin@x.example" },
      dry({ script: "on();" }),
      [{ label: "Executing user", after: "admin@x.example" }],
    ],
    [
      "access.create_user",
      { user_data: { email: "z@x.example", role: "admin" } },
      undefined,
      [{ label: "Role", after: "admin" }],
    ],
    [
      "migration.migrate_datamodels",
      { datamodel_names: ["Orders"], action: "overwrite", shares: true },
      planned,
      [
        { label: "Action", after: "overwrite" },
        { label: "Shares", after: true },
      ],
    ],
    [
      "migration.migrate_datamodels",
      { datamodel_ids: ["5f"] },
      planned,
      [{ label: "Datamodel ids", after: ["5f"] }],
    ],
  ] as [string, JsonObject, JsonValue | undefined, object[]][])(
    "[card.statement] %s: it stands beside the sentence",
    (name, args, preview, expected) => {
      const { changes } = statementOf(name, args, preview);
      expect(changes).toEqual(expect.arrayContaining(expected));
      expect(changes.slice(-expected.length)).toEqual(expected);
    },
  );

  it("[card.statement] a name that the sentence cuts, and the fourth of four shares, stand whole", () => {
    const datamodel_name = "M".repeat(80);
    expect(statementOf("datamodel.deploy_datamodel", { datamodel_name }).changes).toEqual([
      { label: "Datamodel name", after: datamodel_name },
    ]);
    const shares = ["a", "b", "c", "d"].map((one) => ({ name: one, type: "group", permission: "USE" }));
    expect(
      statementOf("datamodel.add_datamodel_shares", { datamodel_name: "Orders", shares }).changes,
    ).toEqual([{ label: "Shares", after: shares }]);
  });
});

it("[sisense.migration] a dry run shows what would be done under a title of its own", () => {
  const data = {
    dry_run: true,
    before: null,
    after: { create: ["A"], overwrite: ["B"], skip: ["C (at the target already)"] },
    succeeded: [],
    skipped: [{ name: "C", reason: "at the target already" }],
    failed: [],
    meta: { kind: "dashboards", source: "eu", target: "us" },
  };
  const card = show("SisenseMigrationView", data);
  expect(card.title).toBe("Dry run: 2 dashboards would be migrated, 1 skipped, 0 would fail");
  expect(all(card, "table")[0]?.rows).toEqual([
    ["A", { text: "new", tone: "info" }, ""],
    ["B", { text: "overwritten", tone: "warn" }, ""],
    ["C", { text: "skipped", tone: "neutral" }, "at the target already"],
  ]);
  const german = show("SisenseMigrationView", data, { language: "German" });
  expect(german.title).toContain("Probelauf: ");
  const last_run = {
    started_at: "2026-11-23T09:00:00.000Z",
    outcome: "interrupted",
    total: 9,
    succeeded: 3,
    skipped: 1,
    failed: [{ name: "D", reason: "not at the source" }],
    under_way: "E",
    not_tried: 3,
  };
  const after = show("SisenseMigrationView", { ...data, meta: { ...data.meta, last_run } });
  expect(JSON.stringify(after)).toMatch(
    /The last run \([^)]*09:00[^)]*\) broke off in the middle: 3 migrated, 1 skipped, 1 failed, 3 not tried\./,
  );
  expect(all(after, "fields").at(-1)?.items).toEqual([
    { label: "May have been migrated or not", value: "E" },
    { label: "Failed", value: "D: not at the source" },
  ]);
  expect(JSON.stringify(german)).toContain("schon am Ziel");
});

it("[sisense.migration] a report has a row for each thing, failures first, in any language", () => {
  const data = {
    succeeded: [{ name: "a", done: "create", warnings: ["not in Data"] }],
    skipped: [{ name: "b", reason: "at the target already" }],
    failed: [{ name: "c", reason: "no address" }],
    meta: { kind: "users", source: "eu", target: "us", not_tried: ["d"] },
  };
  const card = show("SisenseMigrationView", data, { language: "German" });
  expect(card.title).toBe("Migriert: 1 Benutzer; 1 übersprungen, 1 gescheitert");
  expect(all(card, "table")[0]?.rows.map(([name]) => name)).toEqual(["c", "d", "a", "b"]);
});
