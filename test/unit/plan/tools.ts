import { readFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { digest } from "#src/base/json.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { KnownName, Observation, PastTurn, PlanInput } from "#contract/plan.ts";
import type { Tool, ToolAnnotations } from "#contract/tool.ts";
import { toTool } from "#src/mcp/catalogue/catalogue.ts";

export interface Listed {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  annotations?: ToolAnnotations;
}

export function makeTool(server: string, listed: Listed): Tool {
  const { name, title, description = "", inputSchema, annotations = {} } = listed;
  const tool = {
    id: `${server}.${name}`,
    server,
    name,
    description,
    inputSchema,
    annotations,
    trusted: true,
  };
  return { ...tool, ...(title === undefined ? {} : { title }), digest: digest(tool) };
}

export function objectSchema(properties: JsonObject, required: string[] = []): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The tool list of a public server, as it gave it over stdio. */
export function listedTools(server: "everything" | "filesystem"): Tool[] {
  const url = new URL(`../../fixtures/tools-${server}.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as Listed[]).map((listed) => makeTool(server, listed));
}

/** The tools of the bundled servers, listed over stdio from a data folder that is thrown away. */
export async function demoTools(): Promise<Tool[]> {
  const data = mkdtempSync(join(tmpdir(), "countersign-plan-"));
  try {
    const lists = await Promise.all(
      ["jira", "confluence"].map(async (server) => {
        const client = new Client({ name: "plan-test", version: "1" });
        const env = { PATH: process.env.PATH ?? "", COUNTERSIGN_DATA: data };
        const args = [`servers/${server}/main.ts`];
        await client.connect(
          new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
        );
        try {
          const { tools } = await client.listTools();
          // The search for people is the product's own: planners are not offered it.
          return tools.map((tool) => toTool(server, true, tool)).filter(({ name }) => name !== "find_people");
        } finally {
          await client.close();
        }
      }),
    );
    return lists.flat();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

export function catalogueOf(tools: Tool[]): { find(name: string): Tool | undefined } {
  return {
    find: (name) => tools.find((tool) => tool.id === name) ?? tools.find((tool) => tool.name === name),
  };
}

const PEOPLE = { ben: "Ben Okafor", emi: "Emi Tanaka", farid: "Farid Haddad" };
const STATES = ["Backlog", "To Do", "In Progress", "In Review", "Done", "Won't Do"];

/** Who works on the demo's issues, and which states these have. */
export const peopleAndStates: readonly KnownName[] = [
  ...Object.entries(PEOPLE).map(([id, name]) => ({ kind: "person", id, name, server: "jira" })),
  ...STATES.map((name) => ({ kind: "status", id: name, name, server: "jira" })),
];

/** A name that Jira knows. */
export function named(kind: KnownName["kind"], id: string, name: string): KnownName {
  return { kind, id, name, server: "jira" };
}

export function planInput(message: string, tools: Tool[], more: Partial<PlanInput> = {}): PlanInput {
  const now = new Date("2026-11-21T12:00:00");
  return { message, actorName: "ana", tools, examples: [], observations: [], history: [], now, ...more };
}

/** What a call brought; with `error` it failed, and without `isOpen` no model may see what it said. */
export function observed(
  tool: string,
  args: JsonObject,
  more: { data?: JsonValue; error?: string; isOpen?: boolean; facts?: Observation["facts"] } = {},
): Observation {
  const { data = null, error, isOpen = true, facts = {} } = more;
  return {
    id: `call_${tool}`,
    tool,
    args,
    ok: error === undefined,
    data: taint(data),
    ...(error === undefined ? {} : { error: taint(error) }),
    ...permitIf(isOpen),
    facts: { ...facts, ...(error === undefined ? {} : { error: "tool_error" }) },
  };
}

export function pastTurn(
  message: string,
  more: Partial<Omit<PastTurn, "reply">> & { reply?: string } = {},
): PastTurn {
  const { reply = "…", ...rest } = more;
  return { message, calls: [], ...permitIf(true), ...rest, reply: taint(reply) };
}
