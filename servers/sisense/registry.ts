import { z } from "zod";

import { listSome } from "#servers/kit/names.ts";
import { isFailure, messageOf, ToolFailure } from "#servers/kit/tool.ts";

import type { Api } from "./api.ts";
import type { MigrationRecord } from "./record.ts";

/** What one call has beside its arguments. */
export interface Call {
  signal: AbortSignal;
  /** Tells how far it is. Must not throw. */
  progress(done: number, total: number | undefined, message: string): Promise<void>;
  /** Tells the client what happens, beside the progress. Must not throw. */
  say(event: MigrationEvent): Promise<void>;
}

/** What a migration tells while it runs; counts stand beside the message. */
export interface MigrationEvent {
  type: "started" | "progress" | "warning" | "error" | "completed";
  step: string;
  message: string;
  [count: string]: string | number;
}

/** A change that was looked at and not made yet. */
export interface Plan {
  before: object | null;
  after: object | null;
  /** What people should know beside it. */
  notes?: string[];
  /** Makes the change, and gives what there is to tell of it. */
  apply: () => Promise<object>;
}

/** The two deployments of a migration. */
export interface Ends {
  source: Api;
  target: Api;
  /** How far this migration came the last time, and this time. */
  record: MigrationRecord;
}

interface Row {
  /** `module.method`. */
  tool_id: string;
  title: string;
  description: string;
  input: z.ZodRawShape;
  output: z.ZodRawShape;
  mutates: boolean;
  /** It deletes or overwrites. */
  destructive: boolean;
  tags: readonly string[];
  examples: readonly Example[];
}

interface Example {
  user_query: string;
  arguments: Record<string, unknown>;
}

/** One row of the registry; `run` gives the structured content, and fails with a ToolFailure. */
export type ToolRow = Row &
  (
    | { ends: "one"; run(args: Record<string, unknown>, api: Api, call: Call): Promise<object> }
    | { ends: "two"; run(args: Record<string, unknown>, ends: Ends, call: Call): Promise<object> }
  );

/** What a module's file says of a tool; the rest of its row follows from the kind. */
export interface Said<Shape extends z.ZodRawShape> {
  id: string;
  title: string;
  description: string;
  input: Shape;
  destructive?: boolean;
  tags?: string[];
  ask: string;
  example: Partial<z.input<z.ZodObject<Shape>>>;
}

export type ArgumentsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

const dryRun = z
  .boolean()
  .default(false)
  .describe("true: change nothing, only say what would change (before and after)");

/** What every change answers. */
const changeOutput = {
  dry_run: z.boolean(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  notes: z.array(z.string()).optional(),
};

/** A tool that reads. */
export function read<Shape extends z.ZodRawShape>(
  said: Said<Shape> & {
    output: z.ZodRawShape;
    run(args: ArgumentsOf<Shape>, api: Api, call: Call): Promise<object>;
  },
): ToolRow {
  return {
    ...rowOf(said, "read"),
    output: said.output,
    ends: "one",
    run: (args, api, call) => said.run(args as ArgumentsOf<Shape>, api, call),
  };
}

/** Rows under their name with how many they are, behind what else there is to tell. */
export function counted(name: string, rows: readonly object[], about: object = {}): object {
  return { ...about, [name]: rows, count: rows.length };
}

/** A tool that says which one of its kind a name or an id means, and whether there is one. */
export function resolver(
  kind: "dashboard" | "datamodel",
  [said, example]: readonly [said: string, example: string],
  find: (api: Api, reference: string) => Promise<readonly [id: string, title: string]>,
): ToolRow {
  const reference = `${kind}_ref`;
  return read({
    id: `${kind}.resolve_${kind}_reference`,
    title: `Find the ${said} that a name or id means`,
    description: `Id and title of the ${said} that a name or an id means, and whether there is one.`,
    input: { [reference]: z.string().min(1).describe(`Title or id of the ${said}`) },
    output: {
      success: z.boolean(),
      [`${kind}_id`]: z.string().nullable(),
      [`${kind}_title`]: z.string().nullable(),
      error: z.string().nullable(),
    },
    ask: `which ${said} is ${example}?`,
    example: { [reference]: example },
    async run(args, api) {
      const answer = (id: string | null, title: string | null, error: string | null): object => ({
        success: error === null,
        [`${kind}_id`]: id,
        [`${kind}_title`]: title,
        error,
      });
      try {
        return answer(...(await find(api, args[reference] ?? "")), null);
      } catch (error) {
        if (!isFailure(error, `unknown_${kind}`)) throw error;
        return answer(null, null, messageOf(error));
      }
    },
  });
}

/** A tool that changes one deployment: it looks first, so that each has a dry run with before and after. */
export function change<Shape extends z.ZodRawShape>(
  said: Said<Shape> & { plan(args: ArgumentsOf<Shape>, api: Api, call: Call): Promise<Plan> },
): ToolRow {
  return {
    ...rowOf(said, "write"),
    output: changeOutput,
    ends: "one",
    async run({ dry_run, ...args }, api, call) {
      const { before, after, notes, apply } = await said.plan(args as ArgumentsOf<Shape>, api, call);
      const told = { before, after, ...(notes === undefined || notes.length === 0 ? {} : { notes }) };
      if (dry_run === true) return { dry_run: true, ...told };
      return { dry_run: false, ...told, ...(await apply()) };
    },
  };
}

export function rowOf<Shape extends z.ZodRawShape>(
  { id, title, description, input, destructive = false, tags = [], ask, example }: Said<Shape>,
  kind: "read" | "write",
): Omit<Row, "output"> {
  const mutates = kind === "write";
  return {
    tool_id: id,
    title,
    description,
    input: mutates ? { ...input, dry_run: dryRun } : input,
    mutates,
    destructive,
    tags: [...new Set([id.split(".")[0] ?? "", ...tags, kind])],
    examples: [{ user_query: ask, arguments: example }],
  };
}

const credential = (what: string): Record<string, z.ZodType> => ({
  domain: z.string().optional().describe(`Host of ${what}; absent: the one that is configured, or the demo`),
  token: z.string().optional().describe(`API token of ${what}`),
  ssl: z.boolean().optional().describe("false: plain http, on this machine and private networks alone"),
});

/** Which arguments say where a call works. */
const CREDENTIALS: Readonly<Record<ToolRow["ends"], z.ZodRawShape>> = {
  one: credential("the Sisense deployment"),
  two: {
    ...prefixed("source", credential("the deployment that is copied from")),
    ...prefixed("target", credential("the deployment that is copied to")),
  },
};

function prefixed(role: string, shape: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [`${role}_${name}`, schema]));
}

/** A row with what MCP is told of it. */
export type Tool = ToolRow & {
  module: string;
  /** By which arguments are read. */
  parser: z.ZodObject;
  inputSchema: Record<string, unknown> & { type: "object" };
  outputSchema: Record<string, unknown> & { type: "object" };
};

const ID = /^[a-z]+\.[a-z][a-z0-9_]*$/;

/**
 * The tools of a registry, of the allowed modules. Throws a ToolFailure (`bad_registry`) that names the row which is
 * not as it should be, and `bad_setting` for a module that does not exist.
 */
export function buildTools(rows: readonly ToolRow[], allowed: readonly string[] | undefined): Tool[] {
  const seen = new Set<string>();
  const tools = rows.map((row): Tool => {
    const fault = faultOf(row, seen);
    if (fault !== undefined) throw new ToolFailure("bad_registry", `${row.tool_id}: ${fault}`);
    seen.add(row.tool_id);
    const parser = z.strictObject({ ...row.input, ...CREDENTIALS[row.ends] });
    return {
      ...row,
      module: row.tool_id.split(".")[0] ?? "",
      parser,
      inputSchema: schemaOf(parser, "input"),
      outputSchema: schemaOf(z.looseObject(row.output), "output"),
    };
  });
  const modules = [...new Set(tools.map(({ module }) => module))];
  const unknown = (allowed ?? []).filter((name) => !modules.includes(name));
  if (unknown.length > 0) {
    const message = `SISENSE_MODULES: expected some of ${modules.join(", ")}, got ${listSome(unknown)}`;
    throw new ToolFailure("bad_setting", message);
  }
  return tools.filter(({ module }) => allowed?.includes(module) ?? true);
}

function faultOf(row: ToolRow, seen: ReadonlySet<string>): string | undefined {
  if (!ID.test(row.tool_id)) return "expected an id such as access.get_user";
  if (seen.has(row.tool_id)) return "there are two tools of this id";
  if (row.title.trim() === "" || row.description.trim() === "") return "expected a title and a description";
  const taken = Object.keys(row.input).find((name) => Object.hasOwn(CREDENTIALS[row.ends], name));
  if (taken !== undefined) return `its argument ${taken} is that of the credentials`;
  if (row.destructive && !row.mutates) return "it destroys something and changes nothing";
  if (row.examples.length === 0) return "expected an example";
  const parser = z.strictObject(row.input);
  for (const { user_query: query, arguments: args } of row.examples) {
    if (query.trim() === "") return "expected an example's user_query";
    const parsed = parser.safeParse(args);
    if (!parsed.success) return `the example "${query}" does not fit: ${messageOf(parsed.error)}`;
  }
  return undefined;
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { ...made, type: "object" };
}

/** By its id, also with "_" for its dot. */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find(({ tool_id: id }) => id === name || id.replace(".", "_") === name);
}
