import { z } from "zod";

import { headerFault, isHeaderValue } from "../base/http.ts";
import { globFault } from "../base/tool-names.ts";
import { serverPeopleSchema } from "./people-schema.ts";
import { between, httpUrl, toolArgs } from "./values.ts";

/** An MCP server: connected to at `url` or `sse_url`, launched by `command`, or both. */
export type ServerSettings = z.infer<typeof serverSchema>;

const NAMES = ["tenant", "source", "target"].flatMap((site) =>
  ["domain", "token", "ssl"].map((part) => `${site}.${part}`),
);

/** A name alone, or text in which every brace holds one, and at least one does. */
function isTemplate(text: string): boolean {
  if (NAMES.includes(text)) return true;
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  return found.length > 0 && found.every((name) => NAMES.includes(name));
}

const credentials = z.record(
  z.string().regex(/^(header:[A-Za-z0-9!#$%&'*+.^_`|~-]+|meta:\S+|(?!(header|meta):).+)$/, {
    error: "the name of an argument, header:NAME or meta:NAME",
  }),
  z.string().refine(isTemplate, {
    error: `one of ${NAMES.join(", ")}, or text with them in braces such as Bearer {tenant.token}`,
  }),
);

const person = z.string().regex(/^[a-z]+:\S+$/, { error: "a person as SURFACE:NAME, such as http:ana" });

const oauth = z
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

const folders = z.array(z.string().min(1));

const sandbox = z.strictObject({
  network: z.boolean().default(false).describe("Whether it reaches the network, this machine's included."),
  read: folders
    .exactOptional()
    .describe("Folders it may read beside the system's own; default everything but the product's data."),
  write: folders.default([]).describe("Folders it may write; /tmp is empty and its own."),
});

const variable = z
  .union([z.string(), z.number(), z.boolean()], { error: "text, a number, true or false" })
  .transform(String);

const headers = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: "the name of an HTTP header" }),
  variable.refine(isHeaderValue, { error: headerFault }),
);

const total = between(100, 604_800_000);

const TOOL_GLOB = { error: "a glob over names of tools, such as migration.*: globs know *, ? and {a,b}" };

const PROGRAM = { error: "a program with its arguments as a list, such as [node, servers/jira/main.ts]" };

export const serverSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
        error: "a name of letters, digits, - and _ (it becomes the first part of tool ids)",
      })
      .describe("First part of the tool ids, such as jira in jira.get_jira_issue."),
    url: httpUrl.exactOptional().describe("Address of a Streamable HTTP server."),
    sse_url: httpUrl.exactOptional().describe("Address of a server with the older HTTP+SSE transport."),
    command: z
      .union([z.string().min(1, PROGRAM), z.array(z.string()).min(1, PROGRAM)], PROGRAM)
      .describe("Program and arguments, launched as a child process.")
      .exactOptional(),
    args: z.array(z.string()).exactOptional().describe("Appended to command."),
    cwd: z.string().min(1).default(".").describe("Working folder of command."),
    env: z.record(z.string(), variable).default({}).describe("Variables that command gets."),
    headers: headers
      .default({})
      .describe("Sent with every request to url or sse_url, such as Authorization."),
    person_headers: z
      .record(person, headers)
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
    start_timeout_ms: between(100, 3_600_000)
      .default(120_000)
      .describe("Longest silence of a command that is starting, in ms; what it writes begins it anew."),
    timeout_ms: between(100, 86_400_000)
      .default(30_000)
      .describe("Longest silence of a call, in ms: any sign of life of the server begins it anew."),
    total_timeout_ms: z
      .union(
        [
          total,
          z.record(
            z.string().refine((glob) => globFault(glob) === undefined, TOOL_GLOB),
            total,
          ),
        ],
        { error: "a number of ms, or an object of globs over tools, and default, to ms" },
      )
      .exactOptional()
      .describe(
        "Longest duration of a call, in ms; by glob over its tools and default as an object. Default 20 times timeout_ms.",
      ),
    session_scope: z
      .enum(["channel", "shared"])
      .exactOptional()
      .describe(
        "Sessions of its own for each channel; default channel, shared for bundled servers over stdio.",
      ),
    session_idle_ms: between(100, 604_800_000)
      .default(600_000)
      .describe("How long a channel's session is kept without a call, in ms."),
    max_sessions: between(1, 10_000).default(50).describe("Sessions kept open at once."),
    max_calls: between(1, 1_000).default(16).describe("Calls at once; others wait."),
    question_timeout_ms: between(100, 604_800_000)
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
    credentials: credentials
      .default({})
      .describe("Argument, header:NAME or meta:NAME to the credential of the turn that fills it."),
    site_check: z
      .string()
      .min(1)
      .exactOptional()
      .describe(
        "The read that a person's site is tried with before it is kept; default a trusted one without other arguments.",
      ),
    modes: z
      .strictObject({
        migration: z
          .array(z.string().refine((glob) => globFault(glob) === undefined, TOOL_GLOB))
          .describe("Tools that only turns with the two sites of a migration see."),
      })
      .exactOptional()
      .describe(
        "Which of its tools are for which turns, beside what they say by _meta: { when: migration }.",
      ),
    fixed_arguments: toolArgs
      .default({})
      .describe(
        "Arguments of its tools that nobody is asked for; text may name ${turn.id}, ${channel}, ${actor}.",
      ),
    people: serverPeopleSchema
      .exactOptional()
      .describe("How its people are found; known of itself where it has a tool find_people."),
    oauth: oauth.exactOptional().describe("Authorise people, or channels, with the server by OAuth 2.1."),
  })
  .transform(({ command, args = [], ...rest }) => ({
    ...rest,
    ...(command === undefined ? {} : { command: [command, args].flat() }),
  }));
