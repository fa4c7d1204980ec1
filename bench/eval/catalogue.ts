import { readFileSync } from "node:fs";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { makeTool } from "#test/unit/plan/tools.ts";

const FORM = /^([\w-]+)\.([\w-]+)\(([^)]*)\) ([rw]): (.+)$/;

/** The tools of test/fixtures/eval/catalogue.txt. */
export function crowd(): Tool[] {
  const url = new URL("../../test/fixtures/eval/catalogue.txt", import.meta.url);
  return readFileSync(url, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(toTool);
}

function toTool(line: string): Tool {
  const [, server = "", name = "", list = "", kind, description = ""] = FORM.exec(line) ?? [];
  if (server === "") throw new Error(`expected server.tool(…) r: description, got ${line}`);
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const argument of list.split(", ").filter((one) => one !== "")) {
    const [label = "", type = "string"] = argument.split(": ");
    const name = label.replace("!", "");
    if (label.endsWith("!")) required.push(name);
    properties[name] = toSchema(type);
  }
  return makeTool(server, {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: kind === "r" },
  });
}

function toSchema(type: string): JsonSchema {
  if (type.endsWith("[]")) return { type: "array", items: toSchema(type.slice(0, -2)) };
  if (type.includes("|")) return { type: "string", enum: type.split("|") };
  if (["date", "date-time", "email"].includes(type)) return { type: "string", format: type };
  return { type };
}

const DOERS =
  "acme globex initech umbrella hooli vehement massive soylent stark wayne cyberdyne tyrell aperture wonka oscorp gringotts monarch dunder sterling pied".split(
    " ",
  );
const ACTIONS: [verb: string, says: string, reads: boolean][] = [
  ["list", "List", true],
  ["get", "Show one of the", true],
  ["search", "Search the", true],
  ["create", "Create an entry among the", false],
  ["update", "Change an entry of the", false],
  ["delete", "Delete an entry of the", false],
];
const THINGS =
  "contracts tickets pages orders shipments vendors budgets assets licenses policies tasks notes reports surveys badges vehicles parcels warehouses recipes permits".split(
    " ",
  );

/** As many tools as wished that nobody asks for, whose names and descriptions resemble those that are. */
export function noise(count: number): Tool[] {
  const tools: Tool[] = [];
  for (const doer of DOERS) {
    for (const thing of THINGS) {
      for (const [verb, says, reads] of ACTIONS) {
        if (tools.length >= count) return tools;
        const key = `${thing.replace(/s$/, "")}_id`;
        const wants =
          verb === "list" ? [] : verb === "search" ? ["query"] : verb === "create" ? ["title"] : [key];
        tools.push(
          makeTool(doer, {
            name: `${verb}_${thing}`,
            description: `${says} ${thing} of the ${doer} system.`,
            inputSchema: {
              type: "object",
              properties: Object.fromEntries(wants.map((name) => [name, { type: "string" }])),
              required: wants,
              additionalProperties: false,
            },
            annotations: { readOnlyHint: reads },
          }),
        );
      }
    }
  }
  return tools;
}
