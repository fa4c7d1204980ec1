import { z } from "zod";

/** An MCP server: connected to at `url` or `sse_url`, launched by `command`, or both. */
export interface ServerSettings {
  /** Part of every tool id (`name.tool`). */
  name: string;
  /** Streamable HTTP. */
  url?: string;
  /** The older HTTP+SSE transport. */
  sse_url?: string;
  /** Program and arguments. With `url` or `sse_url` it is launched first and then connected to. */
  command?: string[];
  /** Absolute path. */
  cwd: string;
  env: Record<string, string>;
  use_persistent_session: boolean;
  /** The operator vouches for the server's annotations, so its read-only hints count. */
  trust_annotations: boolean;
  /** Time limit of a call without progress. */
  timeout_ms: number;
  /** Argument or header name to the name of a session credential. */
  credentials: Record<string, string>;
}

const httpUrl = z.url({ protocol: /^https?$/, error: "an http or https URL" });

const variable = z
  .union([z.string(), z.number(), z.boolean()], { error: "text, a number, true or false" })
  .transform(String);

const programText = "a program with its arguments as a list, such as [node, servers/jira/main.ts]";

const command = z
  .union([z.string().min(1, { error: programText }), z.array(z.string()).min(1, { error: programText })], {
    error: programText,
  })
  .describe("Program and arguments, launched as a child process.");

export const serverSchema: z.ZodType<ServerSettings> = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
        error: "a name of letters, digits, - and _ (it becomes the first part of tool ids)",
      })
      .describe("First part of the tool ids, such as jira in jira.get_jira_issue."),
    url: httpUrl.exactOptional().describe("Address of a Streamable HTTP server."),
    sse_url: httpUrl.exactOptional().describe("Address of a server with the older HTTP+SSE transport."),
    command: command.exactOptional(),
    args: z.array(z.string()).exactOptional().describe("Appended to command."),
    cwd: z.string().min(1).default(".").describe("Working folder of command."),
    env: z.record(z.string(), variable).default({}).describe("Variables that command gets."),
    use_persistent_session: z
      .boolean()
      .default(false)
      .describe("Keep one connection open instead of a fresh one per call."),
    trust_annotations: z
      .boolean()
      .default(false)
      .describe("Let this server's read-only hints count: its reads run without asking."),
    timeout_ms: z.int().min(100).max(86_400_000).default(30_000).describe("Time limit of a call, in ms."),
    credentials: z
      .record(z.string(), z.string())
      .default({})
      .describe("Argument or header name to the session credential that fills it."),
  })
  .transform(({ command: program, args, ...rest }) => {
    if (program === undefined) return rest;
    return { ...rest, command: [...(typeof program === "string" ? [program] : program), ...(args ?? [])] };
  });
