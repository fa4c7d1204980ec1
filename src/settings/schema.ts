import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";

import { templateFault } from "../base/template.ts";
import { DAY_MS } from "../base/time.ts";
import { approvalsSchema, channelApprovalsSchema } from "./approval-schema.ts";
import { knowledgeSchema } from "./knowledge-schema.ts";
import { modelSchema } from "./model-schema.ts";
import { peopleSchema } from "./people-schema.ts";
import { policyDefaultSchema, policySchema, rulesSchema, toolGlob } from "./policy-schema.ts";
import { serverSchema } from "./server-schema.ts";
import { discordSchema, httpSchema, metricsSchema, slackSchema, tracesSchema } from "./surface-schema.ts";
import { between, duration, rate, toolArgs } from "./values.ts";

const template = z
  .string()
  .min(1, { error: "a sentence such as Close {object} in {owner}/{repo}" })
  .superRefine((text, context) => {
    const message = templateFault(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const sentence = template.refine((text) => !text.startsWith("{"), {
  error: "a sentence that begins with a verb, such as Close {object}",
});

const member = template.describe("A member of what was read, with dots, or words with {members} in them.");

const object = z
  .strictObject({
    read: z
      .string()
      .regex(/^[^\s.]+$/, { error: "the bare name of a read of the same server, such as get_issue" }),
    args: toolArgs
      .exactOptional()
      .describe("Its arguments, with {arguments} of the call; without: those of the call that it has too."),
    kind: z.string().min(1).exactOptional().describe("What it is, in the singular, such as issue."),
    label: member.exactOptional(),
    title: member.exactOptional(),
    url: member.exactOptional(),
  })
  .describe("What a call acts on, read before anybody is asked.");

const toolWords = z.strictObject({
  statement: sentence
    .exactOptional()
    .describe("What a call does, as an order, with {arguments}: Open an issue in {owner}/{repo}: {title}."),
  done: sentence
    .exactOptional()
    .describe("The same when it was done: Opened an issue in {owner}/{repo}: {title}."),
  object: object.exactOptional(),
  fixed_arguments: toolArgs
    .exactOptional()
    .describe("Arguments that nobody is asked for, beside those of its server."),
  destructive: z.boolean().exactOptional().describe("It deletes, or overwrites what cannot be brought back."),
  undo: z
    .union([z.boolean(), z.strictObject({ within: duration })])
    .exactOptional()
    .describe("Whether it can be undone, or for how long: within: 30d."),
});

const toolsSchema = z
  .record(toolGlob, toolWords)
  .default({})
  .describe("What people read of the calls of a tool, by its id, its bare name or a glob.");

/** The configuration file, validated, with every default filled in. */
export type FileSettings = z.infer<typeof fileSchema>;

/** A tool of a server by its bare name, or with arguments that are set: of a tool that does several things, one of them. */
export type CommandTool = z.infer<typeof commandTool>;

const complete = z.strictObject({
  tool: z.string().min(1).describe("A read tool of the same server."),
  query: z.string().min(1).exactOptional().describe("Its argument that takes what was typed."),
  args: toolArgs.default({}).describe("Its other arguments."),
  value: z.string().min(1).describe("Member of each row of the answer that is the value, such as key."),
  label: z.string().min(1).exactOptional().describe("Member that is shown beside it, such as summary."),
});

const commandTool = z.union([
  z.string().min(1),
  z.strictObject({
    tool: z.string().min(1),
    args: toolArgs.describe("Arguments that are set, such as { action: get }."),
  }),
]);

const command = z.strictObject({
  server: z.string().min(1),
  default: commandTool.exactOptional().describe("Tool that runs when no subcommand is named."),
  subcommands: z.record(z.string(), commandTool).default({}).describe("Subcommand to tool."),
  complete: z
    .record(z.string(), complete)
    .default({})
    .describe("By argument: where Discord's suggestions come from while it is typed."),
});

const language = z
  .string()
  .regex(/^[\p{L}][\p{L}\p{M} ()-]{0,39}$/u, { error: "a language in words, such as German" });

const privacy = z.strictObject({
  summarize: z.boolean().default(true).describe("false: no byte of a tool result is sent to a model."),
});

const channel = z.strictObject({
  servers: z.array(z.string()).exactOptional().describe("Only these servers' tools are offered here."),
  privacy: privacy.exactOptional(),
  approvals: channelApprovalsSchema.exactOptional().describe("How people are told of approvals here."),
  prompts: z
    .string()
    .min(1)
    .exactOptional()
    .describe("A folder of prompts for here; files that it has not are those of model.prompts."),
  language: language.exactOptional().describe("The language of messages and answers here, such as German."),
  policy: z
    .strictObject({ default: policyDefaultSchema.exactOptional(), rules: rulesSchema.default([]) })
    .exactOptional()
    .describe("Looked at before the general policy."),
});

const commandName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, {
  error: "a command name of at most 32 lower-case letters, digits, - and _, without the slash",
});

const storeUrl = z.string().regex(/^($|postgres(ql)?:\/\/)/, {
  error: "a postgres:// URL, or nothing for node:sqlite in the data folder",
});

/** "forever" becomes undefined. */
const kept = z.union([z.literal("forever").transform(() => undefined), duration], {
  error: "a time such as 30d, or forever",
});

const keepSchema = z
  .strictObject({
    turns: kept
      .prefault("forever")
      .describe("Ended turns with their messages, answers, requests, files and memories."),
    events: kept.prefault("30d").describe("What ended turns told on their way; how they ended stays."),
    files: kept.prefault("forever").describe("Files that calls brought."),
    notices: kept.prefault("30d").describe("That somebody was told of a request."),
    audit: kept.prefault("forever").describe("Entries of the audit record."),
  })
  .describe("How long what has ended is kept, such as 90d, or forever; then it is deleted.");

const headChannel = z.string().regex(/^($|(slack|discord):[^:\s]+:[^:\s]+$)/, {
  error: "a channel as slack:WORKSPACE:CHANNEL or discord:GUILD:CHANNEL, or nothing",
});

const rates = z.strictObject({
  turns: rate.exactOptional().describe("Requests, such as 30/m."),
  calls: rate.exactOptional().describe("Calls of tools, such as 600/h."),
  tokens: rate.exactOptional().describe("Tokens of models, such as 200k/d."),
});

const example = z.strictObject({
  message: z.string().min(1),
  tool: z.string().min(1),
  args: toolArgs.default({}),
});

export const fileSchema = z
  .strictObject({
    $schema: z.string().exactOptional().describe("For editors; ignored."),
    model: modelSchema.prefault({}),
    servers: z.array(serverSchema).max(500).default([]).describe("MCP servers, at most 500."),
    policy: policySchema.prefault({}),
    approvals: approvalsSchema.prefault({}).describe("How people are told of approvals."),
    views: z.record(z.string(), z.string()).default({}).describe("Tool to the view that shows its result."),
    tools: toolsSchema,
    commands: z.record(commandName, command).default({}).describe("Slash commands, without a model."),
    channels: z.record(z.string(), channel).default({}).describe("What differs in one channel."),
    language: language.exactOptional().describe("The language where a channel sets none, such as German."),
    people: peopleSchema
      .prefault([])
      .describe("Who people are on surfaces and in servers: a list, or where it is."),
    http: httpSchema.prefault({}),
    slack: slackSchema.prefault({}),
    discord: discordSchema.prefault({}),
    knowledge: knowledgeSchema.prefault({}),
    traces: tracesSchema.prefault({}).describe("Where the time of turns goes, as OpenTelemetry tells it."),
    metrics: metricsSchema.prefault({}).describe("What is counted, as Prometheus reads it."),
    store: z.strictObject({ url: storeUrl.default(""), keep: keepSchema.prefault({}) }).prefault({}),
    reload: z
      .strictObject({
        watch: z
          .boolean()
          .default(false)
          .describe(
            "Whether a change of this file, or of prompts, is taken over at once; SIGHUP always does.",
          ),
      })
      .prefault({})
      .describe("How changes of this file reach a running product."),
    shutdown: z
      .strictObject({
        grace: duration
          .prefault("8s")
          .describe("How long turns that run may go on after SIGTERM; then they go on after the restart."),
      })
      .prefault({}),
    audit: z
      .strictObject({
        head_channel: headChannel
          .default("")
          .describe("Channel in which the head of the audit chain is posted daily, such as slack:T1:C1."),
      })
      .prefault({}),
    privacy: privacy
      .extend({
        withhold: z
          .array(toolGlob)
          .default([])
          .describe("Tools whose results no model may see, as ids, bare names or globs."),
      })
      .prefault({}),
    memory: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Embed what tools bring, where there is a model for it."),
        max_age: duration.prefault("30d").describe("Older memories are forgotten: 24h or 30d."),
        tokens: between(0, 100_000).default(600).describe("The most that is recalled for a turn."),
      })
      .prefault({})
      .describe("What tools brought, recalled by meaning in later turns of a conversation."),
    limits: z
      .strictObject({
        steps: between(1, 100).default(8).describe("Decisions of one turn."),
        result_chars_to_model: between(0, 10_000_000).default(12_000),
        tool_tokens: between(200, 1_000_000)
          .default(3_000)
          .describe("About how many tokens the tools in a prompt may take."),
        tokens_per_turn: between(1_000, 100_000_000)
          .default(200_000)
          .describe("The most tokens that models may use for one turn."),
        per_person: rates.prefault({}).describe("What one person may ask for, on all surfaces together."),
        per_channel: rates.prefault({}).describe("What may be asked for in one channel."),
        per_workspace: rates
          .prefault({})
          .describe("What may be asked for in one workspace of Slack or guild of Discord, or over HTTP."),
        wait: duration
          .refine((ms) => ms <= DAY_MS, { error: "a time of at most 24h" })
          .exactOptional()
          .describe("How long a request over one of these may wait; without it, and longer, it is refused."),
      })
      .prefault({}),
    examples: z.array(example).default([]).describe("Example sentences for tools, for the built-in planner."),
  })
  .transform(({ $schema: _editors, ...settings }) => settings);

/** The JSON Schema (draft 7, which editors read best) of the configuration file as it is written. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(fileSchema, {
    target: "draft-7",
    io: "input",
    // An editor sees the file before `${NAME}` is replaced.
    override: ({ jsonSchema }) => {
      if (jsonSchema.type !== "string") return;
      delete jsonSchema.format;
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = `${jsonSchema.pattern}|\\$\\{`;
    },
  });
  // Plain data: the generator's result also carries methods, which JSON leaves out.
  const plain = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return { ...plain, title: "Countersign configuration" };
}
