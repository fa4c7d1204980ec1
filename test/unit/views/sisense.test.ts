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
      "Share the data model “Orders” with “Finance” (use)",
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
