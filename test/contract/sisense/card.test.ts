import { afterAll, describe, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import { argumentText } from "#src/base/plain-statement.ts";
import { askText } from "#src/base/statement.ts";
import { humanise } from "#src/base/tool-words.ts";
import { createStatements } from "#views/statement.ts";

import { ACCESS, DASHBOARD, DATAMODEL, MIGRATION } from "./cases.ts";
import { openDesk } from "./support.ts";

const desk = await openDesk();
afterAll(() => desk.close());

const statements = createStatements();
const CHANGES = desk.sisense.tools.filter(({ mutates }) => mutates);
const CASES = [...ACCESS, ...DASHBOARD, ...DATAMODEL, ...MIGRATION].filter(({ tool }) =>
  CHANGES.some(({ tool_id: id }) => id === tool),
);

/** A value for each argument of a schema, each another one. */
function filled(schema: JsonObject, name: string): JsonValue {
  const { type, properties, items } = schema;
  const options = (schema["enum"] ?? []) as JsonValue[];
  const any = schema["anyOf"] as JsonObject[] | undefined;
  if (any?.[0] !== undefined) return filled(any[0], name);
  if (options.length > 0) return options.at(-1) ?? "";
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return name.length;
  if (type === "array") return ["1", "2"].map((at) => filled(items as JsonObject, name + at));
  if (type !== "object") return `mark-of-${name}`;
  const members = (properties ?? { provider: { type: "string" } }) as Record<string, JsonObject>;
  return Object.fromEntries(
    Object.entries(members).map(([inner, one]) => [inner, filled(one, `${name}-${inner}`)]),
  );
}

const leaves = (value: JsonValue): JsonValue[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value];

/** The arguments of a call that neither its sentence nor a row beside it tells. */
function unseen(name: string, args: JsonObject, preview?: JsonObject): string[] {
  const { inputSchema } = CHANGES.find(({ tool_id: id }) => id === name) ?? { inputSchema: {} };
  const tool = { id: `sisense.${name}`, server: "sisense", name, annotations: {}, inputSchema };
  const statement = statements.of({
    tool,
    args,
    ...(preview === undefined ? {} : { preview }),
  });
  const said = `${askText(statement)} ${JSON.stringify(statement.changes)}`.toLowerCase();
  const labels = new Set(statement.changes.map(({ label }) => label));
  const isSeen = (leaf: JsonValue): boolean =>
    said.includes(
      typeof leaf === "string" ? JSON.stringify(leaf).slice(1, -1).toLowerCase() : `:${JSON.stringify(leaf)}`,
    );
  return Object.entries(args).flatMap(([argument, value]) => {
    if (argument === "dry_run" || labels.has(argumentText(tool, argument))) return [];
    const members =
      argument === "user_data" || argument === "connection_payload" ? (value as JsonObject) : {};
    const left = Object.entries(members).filter(([inner]) => !labels.has(humanise(inner)));
    const values = Object.keys(members).length > 0 ? left.map(([, one]) => one) : [value];
    return values.flatMap(leaves).every(isSeen) ? [] : [argument];
  });
}

describe("what a person is asked for", () => {
  it.each(CHANGES)(
    "[card.statement] $tool_id: every argument stands on the card",
    ({ tool_id: id, inputSchema }) => {
      const args = filled(inputSchema as JsonObject, "x") as JsonObject;
      if (id === "datamodel.create_connections")
        args["connection_payload"] = {
          name: "n",
          provider: "mark-of-provider",
          parameters: { Server: "mark-of-server" },
        };
      expect(unseen(id, args)).toEqual([]);
      // Also where a dry run says nothing of them, and one by one.
      expect(unseen(id, args, { dry_run: true, before: null, after: { done: "yes" } })).toEqual([]);
    },
  );

  it.each(CASES)(
    "[card.statement] $tool: so does every argument of a call that was tried",
    async ({ tool, args }) => {
      const { data } = await desk.call(tool, { ...args, dry_run: true });
      // Kinds stand there as Sisense calls them, scripts as they are written.
      const resolved = {
        ...args,
        ...(tool === "dashboard.add_dashboard_script" && { script: "on();" }),
        ...(tool === "datamodel.create_datamodel" && { datamodel_type: "extract" }),
      };
      expect(unseen(tool, resolved as JsonObject, data as JsonObject)).toEqual([]);
    },
  );
});
