import { z } from "zod";

import type { ToolExample } from "#contract/plan.ts";

import { modelSchema } from "./model-schema.ts";
import type { ModelSettings } from "./model-schema.ts";
import { policyDefaultSchema, policySchema, rulesSchema } from "./policy-schema.ts";
import type { PolicyRule, PolicySettings } from "./policy-schema.ts";
import { serverSchema } from "./server-schema.ts";
import type { ServerSettings } from "./server-schema.ts";
import { discordSchema, httpSchema, slackSchema } from "./surface-schema.ts";
import type { DiscordSettings, HttpSettings, SlackSettings } from "./surface-schema.ts";

/** A slash command: `/jira DEMO-1` runs `default`, `/jira search TEXT` the subcommand's tool. */
export interface CommandSettings {
  server: string;
  /** Bare tool name on `server`. */
  default?: string;
  /** Subcommand to bare tool name. */
  subcommands: Record<string, string>;
}

/** What differs in one channel; what is absent is as everywhere. */
export interface ChannelSettings {
  /** Names of the servers whose tools are offered. */
  servers?: string[];
  privacy?: { summarize: boolean };
  /** Its rules are looked at before the general ones. */
  policy?: { default?: "ask" | "deny"; rules: PolicyRule[] };
}

/** The configuration file, validated, with every default filled in. */
export interface FileSettings {
  model: ModelSettings;
  servers: ServerSettings[];
  policy: PolicySettings;
  /** Tool (id or bare name) to view. */
  views: Record<string, string>;
  commands: Record<string, CommandSettings>;
  channels: Record<string, ChannelSettings>;
  http: HttpSettings;
  slack: SlackSettings;
  discord: DiscordSettings;
  /** Empty `url`: node:sqlite in the data folder. */
  store: { url: string };
  /** `summarize: false`: no byte of a tool result is sent to a model. */
  privacy: { summarize: boolean };
  limits: { steps: number; result_chars_to_model: number };
  examples: ToolExample[];
}

const command = z.strictObject({
  server: z.string().min(1),
  default: z.string().min(1).exactOptional().describe("Tool that runs when no subcommand is named."),
  subcommands: z.record(z.string(), z.string().min(1)).default({}).describe("Subcommand to tool."),
});

const privacy = z.strictObject({
  summarize: z.boolean().default(true).describe("false: no byte of a tool result is sent to a model."),
});

const channel = z.strictObject({
  servers: z.array(z.string()).exactOptional().describe("Only these servers' tools are offered here."),
  privacy: privacy.exactOptional(),
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

const example = z.strictObject({
  message: z.string().min(1),
  tool: z.string().min(1),
  args: z.record(z.string(), z.json()).default({}),
});

export const fileSchema: z.ZodType<FileSettings> = z
  .strictObject({
    $schema: z.string().exactOptional().describe("For editors; ignored."),
    model: modelSchema.prefault({}),
    servers: z.array(serverSchema).default([]).describe("MCP servers."),
    policy: policySchema.prefault({}),
    views: z.record(z.string(), z.string()).default({}).describe("Tool to the view that shows its result."),
    commands: z.record(commandName, command).default({}).describe("Slash commands, without a model."),
    channels: z.record(z.string(), channel).default({}).describe("What differs in one channel."),
    http: httpSchema.prefault({}),
    slack: slackSchema.prefault({}),
    discord: discordSchema.prefault({}),
    store: z.strictObject({ url: storeUrl.default("") }).prefault({}),
    privacy: privacy.prefault({}),
    limits: z
      .strictObject({
        steps: z.int().min(1).max(100).default(8).describe("Decisions of one turn."),
        result_chars_to_model: z.int().min(0).max(10_000_000).default(12_000),
      })
      .prefault({}),
    examples: z.array(example).default([]).describe("Example sentences for tools, for the built-in planner."),
  })
  .transform(({ $schema: _editors, ...settings }) => settings);
