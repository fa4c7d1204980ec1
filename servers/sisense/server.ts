import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { closest } from "fastest-levenshtein";
import pLimit, { type LimitFunction } from "p-limit";
import { z } from "zod";

import { dataFolder } from "#servers/kit/data.ts";
import { cacheHints, messageOf, progressOf, ToolFailure, VERSION } from "#servers/kit/tool.ts";

import { createApi } from "./api.ts";
import { openDemo } from "./demo/deployment.ts";
import { badSite, type Deployment, openRemote, withoutUserInfo } from "./deployment.ts";
import { openRecords } from "./record.ts";
import { buildTools, type Call, findTool, type Tool } from "./registry.ts";
import { readSettings, type Role, type Settings, type Site } from "./settings.ts";
import { accessTools } from "./tools/access.ts";
import { dashboardTools } from "./tools/dashboard.ts";
import { datamodelChangeTools } from "./tools/datamodel-changes.ts";
import { datamodelTools } from "./tools/datamodel.ts";
import { migrationTools } from "./tools/migration.ts";
import { wellcheckTools } from "./tools/wellcheck.ts";

/** What the MCP servers of one process share. */
export interface Sisense {
  settings: Settings;
  tools: readonly Tool[];
  modules: string[];
  /** `isAlone`: where nothing is configured, it is no demo, as the other end of the migration was given. */
  open: (role: Role, given: Partial<Site>, isAlone: boolean) => Promise<Deployment>;
  /** Of how far each migration came. */
  records: ReturnType<typeof openRecords>;
  limits: { read: LimitFunction; change: LimitFunction; migration: LimitFunction };
  /** Writes one line about a change that was asked for. */
  audit(line: object): void;
}

/** Throws a ToolFailure for a setting that cannot be used, and for a registry that is not as it should be. */
export function openSisense(env: NodeJS.ProcessEnv): Sisense {
  const settings = readSettings(env);
  const tools = buildTools(
    [
      ...accessTools,
      ...dashboardTools,
      ...datamodelChangeTools,
      ...datamodelTools,
      ...migrationTools,
      ...wellcheckTools,
    ],
    settings.modules,
  );
  const demo = openDemo(dataFolder(env), settings.demoDelayMs);
  const records = openRecords(dataFolder(env));
  return {
    settings,
    tools,
    records,
    modules: [...new Set(tools.map(({ module }) => module))],
    async open(role, given, isAlone) {
      const site = siteOf(role, given, settings, isAlone);
      return "demo" in site ? demo(site.demo) : openRemote(site, settings.timeoutMs);
    },
    limits: {
      read: pLimit(settings.readsAtOnce),
      change: pLimit(1),
      migration: pLimit(settings.migrationsAtOnce),
    },
    audit: (line) => process.stderr.write(`${JSON.stringify(line)}\n`),
  };
}

/** Hosts that stand for the embedded deployments. */
const DEMOS: Readonly<Record<string, "source" | "target">> = {
  demo: "source",
  source: "source",
  "source.demo": "source",
  target: "target",
  "target.demo": "target",
};

/**
 * What a call came with, else what is configured, else a demo. A configured token goes to its own domain and nowhere
 * else. Throws `bad_site`.
 */
function siteOf(
  role: Role,
  { domain = "", token = "", ssl }: Partial<Site>,
  { sites }: Settings,
  isAlone: boolean,
): Site | { demo: "source" | "target" } {
  const place = role === "tenant" ? "" : `${role}_`;
  const configured = sites[role];
  if (domain !== "") {
    const demo = DEMOS[domain.toLowerCase()];
    if (demo !== undefined) return { demo };
    if (token !== "") return { domain, token, ssl };
    if (configured?.domain === domain) return configured;
    throw badSite(`${place}domain came without ${place}token: expected both`);
  }
  if (token !== "") throw badSite(`${place}token came without ${place}domain: expected both`);
  if (configured !== undefined) return configured;
  if (Object.keys(sites).length === 0 && !isAlone) return { demo: role === "target" ? "target" : "source" };
  const demo = isAlone ? `, or ${role}.demo as ${place}domain for the demo` : "";
  throw badSite(
    `no ${role === "tenant" ? "deployment" : role} is configured: give ${place}domain and ${place}token, or set SISENSE_${place.toUpperCase()}DOMAIN and its token${demo}`,
  );
}

/** A fresh MCP server over what one process shares. */
export function createSisenseServer(sisense: Sisense): McpServer {
  const { tools } = sisense;
  const mcp = new McpServer(
    { name: "sisense", title: "Sisense", version: VERSION },
    {
      cacheHints,
      capabilities: { tools: {}, logging: {} },
      instructions:
        "Users, groups, dashboards and data models of a Sisense deployment, health checks of them, and migrations between two deployments.",
    },
  );
  const listed = tools.map((tool) => ({
    name: tool.tool_id,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    annotations: {
      title: tool.title,
      readOnlyHint: !tool.mutates,
      destructiveHint: tool.destructive,
      idempotentHint: !tool.mutates,
      openWorldHint: true,
    },
    _meta: {
      tags: [...tool.tags],
      examples: tool.examples.map((one) => ({ ...one })),
      ...(tool.ends === "two" && { when: "migration" }),
    },
  }));
  mcp.server.setRequestHandler("tools/list", () => ({ tools: listed as never }));
  mcp.server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = findTool(tools, params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    return callTool(sisense, tool, params.arguments ?? {}, context);
  });
  return mcp;
}

async function callTool(
  sisense: Sisense,
  tool: Tool,
  given: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const startedAt = Date.now();
  const call = callOf(context);
  const places: string[] = [];
  let outcome: { ok: true; data: object } | { ok: false; failure: ToolFailure };
  try {
    if (tool.mutates && !sisense.settings.mayChange)
      throw new ToolFailure(
        "changes_off",
        `Tool '${tool.tool_id}' changes data and changes are switched off here`,
      );
    const args = readArguments(tool, given);
    const data = await inTurn(sisense, kindOf(tool, args), call, () =>
      runTool(sisense, tool, args, call, places),
    );
    outcome = { ok: true, data };
  } catch (error) {
    outcome = { ok: false, failure: explained(error, tool) };
  }
  if (tool.mutates) {
    const error = outcome.ok ? {} : { error_type: outcome.failure.code };
    sisense.audit({
      audit: tool.tool_id,
      at: places,
      arguments: auditable(given),
      ok: outcome.ok,
      ...error,
      ms: Date.now() - startedAt,
    });
  }
  if (outcome.ok) {
    const { data } = outcome;
    return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: { ...data } };
  }
  const { message, code } = outcome.failure;
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { tool_id: tool.tool_id, ok: false, error: message, error_type: code },
    isError: true,
  };
}

function callOf(context: ServerContext): Call {
  return {
    signal: context.mcpReq.signal,
    progress: progressOf(context),
    async say(event) {
      const levels = { error: "error", warning: "warning" } as const;
      const level = event.type === "error" || event.type === "warning" ? levels[event.type] : "info";
      // A client that went away is told by its signal.
      await context.mcpReq.log(level, event, "sisense").catch(() => {});
    },
  };
}

/** A dry run changes nothing, and waits for no migration. */
function kindOf({ ends, mutates }: Tool, args: Record<string, unknown>): keyof Sisense["limits"] {
  if (!mutates || args["dry_run"] === true) return "read";
  return ends === "two" ? "migration" : "change";
}

/** So many at once, and whoever waits is told so. */
function inTurn<T>(
  { limits }: Sisense,
  kind: keyof Sisense["limits"],
  call: Call,
  work: () => Promise<T>,
): Promise<T> {
  const limit = limits[kind];
  const waits = limit.activeCount >= limit.concurrency;
  if (waits) void call.progress(0, undefined, `Waiting: ${limit.activeCount} of its kind run already`);
  return limit(() => {
    if (call.signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled before it began");
    return work();
  });
}

async function runTool(
  { open, records }: Sisense,
  tool: Tool,
  given: Record<string, unknown>,
  call: Call,
  places: string[],
): Promise<object> {
  const taken = (prefix: string): Partial<Site> => {
    const site: Record<string, unknown> = {};
    for (const part of ["domain", "token", "ssl"]) {
      const name = `${prefix}${part}`;
      if (given[name] !== undefined) site[part] = given[name];
    }
    return site;
  };
  const names = ["", "source_", "target_"].flatMap((prefix) =>
    ["domain", "token", "ssl"].map((part) => prefix + part),
  );
  const args = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  if (tool.ends === "one") {
    const deployment = await open("tenant", taken(""), false);
    places.push(deployment.name);
    return tool.run(args, createApi(deployment, call.signal), call);
  }
  const sites = [taken("source_"), taken("target_")] as const;
  const isAlone = sites.some(({ domain = "" }) => domain !== "");
  const [source, target] = await Promise.all([
    open("source", sites[0], isAlone),
    open("target", sites[1], isAlone),
  ]);
  places.push(source.name, target.name);
  if (source.name === target.name)
    throw badSite(`source and target are both ${source.name}: a migration needs two deployments`);
  const { dry_run: _, ...same } = args;
  const about = Object.entries(same).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ends = {
    source: createApi(source, call.signal),
    target: createApi(target, call.signal),
    record: records([tool.tool_id, source.name, target.name, about]),
  };
  return tool.run(args, ends, call);
}

/** What a failure means for this tool; what is a fault of ours stays one. */
function explained(error: unknown, tool: Tool): ToolFailure {
  if (!(error instanceof ToolFailure)) {
    process.stderr.write(
      `${tool.tool_id}: ${error instanceof Error ? (error.stack ?? "") : String(error)}\n`,
    );
    return new ToolFailure("internal_error", `${tool.tool_id} failed: ${messageOf(error)}`);
  }
  const meaning = meaningOf(error.code, tool);
  return meaning === ""
    ? error
    : new ToolFailure(error.code, `${error.message}. ${meaning}`, { cause: error });
}

function meaningOf(code: string, { module, mutates, title }: Tool): string {
  switch (code) {
    case "unauthorized":
      return "It may have expired or belong to another deployment";
    case "forbidden": {
      const who = module === "datamodel" ? "a data designer or administrator" : "an administrator";
      return `"${title}" takes the token of ${who}`;
    }
    case "not_found":
      return `"${title}" names something that is not there, or this version of Sisense does not have it`;
    case "service_error":
      return mutates
        ? "The change may or may not have been made: look before you try again"
        : "It was tried several times: try again later";
    default:
      return "";
  }
}

/** Arguments that say what a change was about, and how it was to be made; others may hold anything. */
const AUDITED =
  /(?:^|_)(?:name|names|name_list|id|ids|user|type|rule|origin)$|^(?:action|days|dependencies|datamodels)$/;

/** Arguments as they may stand in a log: names, ids, numbers and switches, the names of members, and amounts. */
function auditable(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const short = (text: string): string => (/^\s*[[{]/.test(text) ? "…" : text.slice(0, 200));
  const shown = (name: string, value: unknown): unknown => {
    if (typeof value === "number" || typeof value === "boolean") return value;
    if (typeof value === "string" && /(?:^|_)domain$/.test(name)) return short(withoutUserInfo(value));
    if (typeof value === "string") return AUDITED.test(name) ? short(value) : "…";
    if (!Array.isArray(value))
      return Object.keys(value ?? {})
        .slice(0, 50)
        .map(short);
    const texts = value.filter((one) => typeof one === "string");
    return AUDITED.test(name) && texts.length === value.length
      ? texts.slice(0, 100).map(short)
      : { amount: value.length };
  };
  return Object.fromEntries(
    Object.entries(given)
      .slice(0, 50)
      .map(([name, value]) => [short(name), shown(name, value)]),
  );
}

/**
 * The arguments of a call as its tool wants them: what is missing is named together, text that looks like JSON is
 * taken as the list or object that the schema has there, and an unknown name is answered with the nearest one.
 * Throws a ToolFailure: `unknown_argument`, `missing_arguments`, `bad_arguments`.
 */
function readArguments({ parser, inputSchema, tool_id: id }: Tool, given: unknown): Record<string, unknown> {
  const properties = inputSchema["properties"] as Record<string, PropertySchema>;
  const names = Object.keys(properties);
  const entries = Object.entries(typeof given === "object" && given !== null ? given : {});
  // Small models fill what they do not know with nothing.
  const known = entries.filter(([, value]) => value !== null && value !== "");
  const unknown = entries.map(([name]) => name).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    throw new ToolFailure(
      "unknown_argument",
      `${id} has no argument "${unknown.slice(0, 80)}": did you mean ${closest(unknown.slice(0, 80), names)}? It takes ${names.join(", ")}`,
    );
  }
  const args = Object.fromEntries(
    known.map(([name, value]) => [name, toWanted(value, properties[name] ?? {})]),
  );
  const required = (inputSchema["required"] ?? []) as string[];
  const missing = required.filter((name) => !Object.hasOwn(args, name));
  if (missing.length > 0) {
    const these = missing.map((name) => `${name} (${properties[name]?.description ?? "required"})`);
    throw new ToolFailure("missing_arguments", `${id} needs ${these.join("; ")}`);
  }
  const parsed = parser.safeParse(args);
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    return `${z.core.toDotPath(path)}: ${message}`;
  });
  throw new ToolFailure("bad_arguments", `${id}: ${said.join("; ")}`);
}

interface PropertySchema {
  type?: string;
  description?: string;
}

function toWanted(value: unknown, { type }: PropertySchema): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (type === "boolean" && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if ((type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type !== "array" && type !== "object") return value;
  if (/^[[{]/.test(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ToolFailure("bad_arguments", `expected JSON, got ${text.slice(0, 80)}`);
    }
  }
  return type === "array" ? [value] : value;
}
