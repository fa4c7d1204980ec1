import { z } from "zod";

import { bareHost } from "#src/base/http.ts";
import type { ActorId } from "#contract/actor.ts";

export interface HttpSettings {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Empty: loopback only, and the actor comes from the request. */
  tokens: {
    token: string;
    actor: ActorId;
    /** Sees and uses what everybody does. */
    role?: "operator";
    /** Who the bearer is on chat platforms. */
    also: ActorId[];
  }[];
  /** Where browsers reach it; empty: the address that it listens on. */
  public_url: string;
}

export interface SlackSettings {
  /** Empty: Slack is off. */
  bot_token: string;
  /** Socket Mode. */
  app_token: string;
  /** Signed HTTP at `/slack/events`. */
  signing_secret: string;
  /** Instead of a bot token: workspaces install the app over OAuth. Empty: they do not. */
  client_id: string;
  client_secret: string;
  /** Ids of workspaces and organisations that may install it; `*`: all. */
  workspaces: string[];
  /** Absent: as `http.host`. */
  host?: string;
  /** Absent: one above `http.port`. 0: any free port. */
  port?: number;
  /** Where browsers and Slack reach that port; empty: the app's own redirect URL is used. */
  public_url: string;
  api_url: string;
}

export interface DiscordSettings {
  /** Empty: Discord is off. */
  token: string;
  /** The privileged intent by which follow-ups in threads need no mention. */
  message_content: boolean;
  /** Guilds that are served, and whose commands are registered; without any all that have the bot. */
  guilds: string[];
  /** By group of the policy: the ids of the roles that it means. */
  roles: Record<string, string[]>;
  /** Messages are made of embeds, without Components V2. */
  embeds: boolean;
  /** Of how many shards this process runs which; no ids: all of them. */
  shards: { total: number; ids: number[] };
  api_url: string;
}

const httpUrl = z.url({ protocol: /^https?$/, error: "an http or https URL" });

const httpActor = z
  .string()
  .regex(/^(http:)?[^\s:]+$/, { error: "a name such as ana, or http:ana" })
  .transform((name): ActorId => (name.startsWith("http:") ? (name as ActorId) : `http:${name}`));

const platformActor = z
  .string()
  .regex(/^(slack|discord):[^\s:]+:[^\s:]+$/, {
    error: "a person of a chat platform, as slack:WORKSPACE:USER or discord:GUILD:USER",
  })
  .transform((id) => id as ActorId);

export const httpSchema: z.ZodType<HttpSettings> = z.strictObject({
  host: z
    .string()
    .min(1, { error: "a host name or address" })
    .transform(bareHost)
    .prefault("127.0.0.1")
    .describe("HOST overrides it."),
  port: z.int().min(0).max(65_535).default(8787).describe("PORT overrides it."),
  tokens: z
    .array(
      z.strictObject({
        token: z.string().regex(/^[\x21-\x7e]+$/, { error: "a token without spaces" }),
        actor: httpActor.describe("Who the bearer is, such as ana."),
        role: z
          .enum(["operator"])
          .exactOptional()
          .describe("operator: sees and uses everybody's conversations; without it the bearer's own."),
        also: z
          .array(platformActor)
          .default([])
          .describe(
            "Who the bearer is on chat platforms, such as slack:T1:U1: sees what they may see there.",
          ),
      }),
    )
    .default([])
    .describe("Bearer tokens; without any the server binds to loopback only."),
  public_url: z
    .union([z.literal(""), httpUrl])
    .default("")
    .describe(
      "Where browsers reach it, such as https://countersign.example.com; people come back there from OAuth.",
    ),
});

const WORKSPACES = "ids of workspaces (T…) or organisations (E…), or * for all";

const workspace = z.string().regex(/^(\*|[TE][A-Z0-9]+)$/, { error: WORKSPACES });

/** The environment has no lists. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

export const slackSchema: z.ZodType<SlackSettings> = z.strictObject({
  bot_token: z.string().default("").describe("Empty: Slack is off."),
  app_token: z.string().default("").describe("For Socket Mode."),
  signing_secret: z.string().default("").describe("For signed HTTP at /slack/events."),
  client_id: z
    .string()
    .default("")
    .describe("Instead of bot_token: workspaces install the app over OAuth at /slack/install."),
  client_secret: z.string().default("").describe("Goes with client_id."),
  workspaces: z
    .union([z.array(workspace), z.string().transform(wordsOf).pipe(z.array(workspace))], {
      error: WORKSPACES,
    })
    .default([])
    .describe("Workspaces that may install it, as a list or in a line: whoever is in one can use the tools."),
  host: z
    .string()
    .min(1, { error: "a host name or address" })
    .transform(bareHost)
    .exactOptional()
    .describe("Where signed requests and installations are served; as http.host without it."),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .exactOptional()
    .describe("One above http.port without it; 0: any free port."),
  public_url: z
    .union([z.literal(""), httpUrl])
    .default("")
    .describe("Where browsers reach that port, such as https://countersign.example.com."),
  api_url: httpUrl.default("https://slack.com/api/"),
});

export const discordSchema: z.ZodType<DiscordSettings> = z.strictObject({
  token: z.string().default("").describe("Empty: Discord is off."),
  message_content: z
    .boolean()
    .default(true)
    .describe("Follow-ups in threads need no mention; needs the privileged intent Message Content."),
  guilds: z
    .array(z.string().regex(/^\d{5,20}$/, { error: "the id of a server, as its Copy Server ID gives it" }))
    .default([])
    .describe(
      "Servers that are served, also in direct messages with their members; without any all that have the bot.",
    ),
  roles: z
    .record(
      z.string(),
      z.array(z.string().regex(/^\d{5,20}$/, { error: "the id of a role, as its Copy Role ID gives it" })),
    )
    .default({})
    .describe(
      "By group of a rule: the ids of the roles that it means; without them the one role with that name.",
    ),
  embeds: z
    .boolean()
    .default(false)
    .describe("true: messages are made of embeds, for what does not know Components V2."),
  shards: z
    .strictObject({
      total: z
        .int()
        .min(1)
        .max(4096)
        .default(1)
        .describe("How many there are; one for 2,500 servers at least."),
      ids: z
        .array(z.int().min(0))
        .default([])
        .describe("Those that this replica runs; all of them without any."),
    })
    .prefault({})
    .refine(({ total, ids }) => ids.every((id) => id < total), { error: "ids below total" }),
  api_url: httpUrl.default("https://discord.com/api"),
});
