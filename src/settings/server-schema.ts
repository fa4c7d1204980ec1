import { z } from "zod";

import { headerFault, isHeaderValue } from "../base/http.ts";

/** How people, or channels, are authorised with a server by OAuth 2.1. */
interface OAuthSettings {
  per: "person" | "channel";
  /** What is asked for where the server does not say. */
  scope?: string;
  /** As the authorisation server `issuer` knows the product; without it the product registers itself. */
  client_id?: string;
  client_secret?: string;
  issuer?: string;
}

const names = ["tenant", "source", "target"].flatMap((site) =>
  ["domain", "token", "ssl"].map((part) => `${site}.${part}`),
);
const expected = `one of ${names.join(", ")}, or text with them in braces such as Bearer {tenant.token}`;

/** A name alone, or text in which every brace holds one, and at least one does. */
function isTemplate(text: string): boolean {
  if (names.includes(text)) return true;
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  return found.length > 0 && found.every((name) => names.includes(name));
}

const template = z.string().refine(isTemplate, { error: expected });

const place = z.string().regex(/^(header:[A-Za-z0-9!#$%&'*+.^_`|~-]+|meta:\S+|(?!(header|meta):).+)$/, {
  error: "the name of an argument, header:NAME or meta:NAME",
});

/** Where a call gets which credential of its turn. */
const credentialsSchema: z.ZodType<Record<string, string>> = z.record(place, template);

const actor = z.string().regex(/^[a-z]+:\S+$/, { error: "a person as SURFACE:NAME, such as http:ana" });

/** Headers of their own for some people; `headers` are those for everybody. */
function personHeadersSchema<Headers extends z.ZodType<Record<string, string>>>(
  headers: Headers,
): z.ZodType<Record<string, Record<string, string>>> {
  return z.record(actor, headers);
}

const oauthSchema: z.ZodType<OAuthSettings> = z
  .strictObject({
    per: z
      .enum(["person", "channel"])
      .default("person")
      .describe("person: everybody connects an account of theirs; channel: one account for a channel."),
    scope: z.string().min(1).exactOptional().describe("Asked for where the server names no scopes."),
    client_id: z
      .string()
      .min(1)
      .exactOptional()
      .describe("As the authorisation server knows the product; without it the product registers itself."),
    client_secret: z.string().min(1).exactOptional(),
    issuer: z
      .url({ protocol: /^https?$/, error: "the address of the authorisation server" })
      .exactOptional()
      .describe("The authorisation server that knows client_id; no other is told of it."),
  })
  .refine((one) => (one.client_id === undefined) === (one.issuer === undefined), {
    path: ["issuer"],
    error: "given together with client_id",
  })
  .refine((one) => one.client_secret === undefined || one.client_id !== undefined, {
    path: ["client_secret"],
    error: "given together with client_id",
  });

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
  /** Sent with every request to `url` or `sse_url`. */
  headers: Record<string, string>;
  use_persistent_session: boolean;
  /** The operator vouches for the server's annotations, so its read-only hints count. */
  trust_annotations: boolean;
  /** Time limit of a call without progress. */
  timeout_ms: number;
  /** `summarize: false`: no model may see what its tools say. */
  privacy: { summarize: boolean };
  /** Time limit of a call whatever it reports; without it 20 times `timeout_ms`. */
  total_timeout_ms?: number;
  /** Whether each channel has sessions of its own; without it `shared` for a command, else `channel`. */
  session_scope?: "channel" | "shared";
  /** Milliseconds without a call after which a channel's session is closed. */
  session_idle_ms: number;
  /** Sessions that a process keeps open at once. */
  max_sessions: number;
  /** Calls at once; others wait. */
  max_calls: number;
  /** Milliseconds that a person may take to answer a question of the server. */
  question_timeout_ms: number;
  /** What of the server is offered as tools beside its tools. */
  expose: ("prompts" | "resources")[];
  /** Absolute paths of folders that the server is told of. */
  roots: string[];
  /** Whether the server may have the model answer something; `ask`: where policy allows it or a person does. */
  sampling: "off" | "ask";
  /** The command is shut in with bubblewrap. Absolute paths. */
  sandbox?: SandboxSettings;
  /** Argument, `header:NAME` or `meta:NAME` to what fills it, such as `tenant.token`. */
  credentials: Record<string, string>;
  /** Actor to headers of their own, sent beside `headers`. */
  person_headers: Record<string, Record<string, string>>;
  oauth?: OAuthSettings;
}

interface SandboxSettings {
  network: boolean;
  /** Without it everything but the product's data can be read. */
  read?: string[];
  write: string[];
}

const folders = z.array(z.string().min(1));

const sandbox = z.strictObject({
  network: z.boolean().default(false).describe("Whether it reaches the network, this machine's included."),
  read: folders
    .exactOptional()
    .describe("Folders it may read beside the system's own; default everything but the product's data."),
  write: folders.default([]).describe("Folders it may write; /tmp is empty and its own."),
});

const httpUrl = z.url({ protocol: /^https?$/, error: "an http or https URL" });

const variable = z
  .union([z.string(), z.number(), z.boolean()], { error: "text, a number, true or false" })
  .transform(String);

const headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: "the name of an HTTP header" }),
  variable.refine(isHeaderValue, { error: headerFault }),
);

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
    headers: headers
      .default({})
      .describe("Sent with every request to url or sse_url, such as Authorization."),
    person_headers: personHeadersSchema(headers)
      .default({})
      .describe("Person (SURFACE:NAME) to headers that their calls are sent with instead."),
    use_persistent_session: z
      .boolean()
      .default(false)
      .describe("Keep one connection open instead of a fresh one per call."),
    trust_annotations: z
      .boolean()
      .default(false)
      .describe("Let this server's read-only hints count: its reads run without asking."),
    timeout_ms: z.int().min(100).max(86_400_000).default(30_000).describe("Time limit of a call, in ms."),
    total_timeout_ms: z
      .int()
      .min(100)
      .max(604_800_000)
      .exactOptional()
      .describe("Time limit of a call whatever progress it reports, in ms; default 20 times timeout_ms."),
    session_scope: z
      .enum(["channel", "shared"])
      .exactOptional()
      .describe("Sessions of its own for each channel; default shared for a command, else channel."),
    session_idle_ms: z
      .int()
      .min(100)
      .max(604_800_000)
      .default(600_000)
      .describe("How long a channel's session is kept without a call, in ms."),
    max_sessions: z.int().min(1).max(10_000).default(50).describe("Sessions kept open at once."),
    max_calls: z.int().min(1).max(1_000).default(16).describe("Calls at once; others wait."),
    question_timeout_ms: z
      .int()
      .min(100)
      .max(604_800_000)
      .default(600_000)
      .describe("How long a person may take to answer a question of the server, in ms."),
    privacy: z
      .strictObject({
        summarize: z.boolean().default(true).describe("false: no model may see what its tools say."),
      })
      .prefault({}),
    expose: z
      .array(z.enum(["prompts", "resources"]))
      .default([])
      .describe(
        "Offer the server's prompts (prompt_NAME) or resources (list_resources, read_resource) as tools.",
      ),
    roots: folders.default([]).describe("Folders that the server is told of when it asks for its roots."),
    sampling: z
      .enum(["off", "ask"])
      .default("off")
      .describe("Let the server ask for an answer of the model: policy decides about NAME.sampling."),
    sandbox: sandbox
      .exactOptional()
      .describe("Run command under bubblewrap: no network, nothing to write. Start-up refuses without it."),
    credentials: credentialsSchema
      .default({})
      .describe("Argument, header:NAME or meta:NAME to the credential of the turn that fills it."),
    oauth: oauthSchema
      .exactOptional()
      .describe("Authorise people, or channels, with the server by OAuth 2.1."),
  })
  .transform(({ command: program, args, ...rest }) => {
    if (program === undefined) return rest;
    return { ...rest, command: [...(typeof program === "string" ? [program] : program), ...(args ?? [])] };
  });
