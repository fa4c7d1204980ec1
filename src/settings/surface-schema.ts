import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";

import { bareHost } from "../base/http.ts";
import { email } from "./people-schema.ts";
import { between, httpUrl } from "./values.ts";

const httpActor = z
  .string()
  .regex(/^(http:)?[^\s:]+$/, { error: "a name such as ana, or http:ana" })
  .transform((name): ActorId => (name.startsWith("http:") ? (name as ActorId) : `http:${name}`));

const statusAfter = between(0, 60_000)
  .default(700)
  .describe(
    "How long a turn may take before its status is posted, in ms; a quicker one is posted as its answer.",
  );

const platformActor = z
  .string()
  .regex(/^(slack|discord):[^\s:]+:[^\s:]+$/, {
    error: "a person of a chat platform, as slack:WORKSPACE:USER or discord:GUILD:USER",
  })
  .transform((id) => id as ActorId);

const host = z.string().min(1, { error: "a host name or address" }).transform(bareHost);
const publicUrl = z.union([z.literal(""), httpUrl]).default("");

export const httpSchema = z.strictObject({
  host: host.prefault("127.0.0.1").describe("HOST overrides it."),
  port: between(0, 65_535).default(8787).describe("PORT overrides it."),
  tokens: z
    .array(
      z.strictObject({
        token: z.string().regex(/^[\x21-\x7e]+$/, { error: "a token without spaces" }),
        actor: httpActor.describe("Who the bearer is, such as ana."),
        email: email.exactOptional().describe("The bearer's, by which they are found elsewhere."),
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
  public_url: publicUrl.describe(
    "Where browsers reach it, such as https://countersign.example.com; people come back there from OAuth.",
  ),
});

export const metricsSchema = z.strictObject({
  host: host.prefault("127.0.0.1").describe("Goes with port; other hosts than this one need the token."),
  port: between(0, 65_535).default(0).describe("A port that serves /metrics alone; 0: only http.port does."),
  token: z
    .string()
    .regex(/^[\x21-\x7e]*$/, { error: "a token without spaces" })
    .default("")
    .describe("Bearer token that reads /metrics, and nothing else."),
});

export const tracesSchema = z.strictObject({
  otlp_url: z
    .union([z.literal(""), httpUrl])
    .default("")
    .describe(
      "Where a collector takes OTLP over HTTP, such as http://127.0.0.1:4318; empty: nothing is traced.",
    ),
  share: z.number().min(0).max(1).default(1).describe("The part of all turns that are traced."),
  data: z
    .boolean()
    .default(false)
    .describe("true: messages, arguments and results go along, with secrets masked."),
});

const WORKSPACES = { error: "ids of workspaces (T…) or organisations (E…), or * for all" };

const slashAnswers = z
  .enum(["private", "channel"])
  .default("private")
  .describe("Who sees what a slash command looked up: who typed it, until they share it, or the channel.");

const workspaces = z.array(z.string().regex(/^(\*|[TE][A-Z0-9]+)$/, WORKSPACES));

/** The environment has no lists. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

export const slackSchema = z.strictObject({
  bot_token: z.string().default("").describe("Empty: Slack is off."),
  app_token: z.string().default("").describe("For Socket Mode."),
  signing_secret: z.string().default("").describe("For signed HTTP at /slack/events."),
  client_id: z
    .string()
    .default("")
    .describe("Instead of bot_token: workspaces install the app over OAuth at /slack/install."),
  client_secret: z.string().default("").describe("Goes with client_id."),
  workspaces: z
    .union([workspaces, z.string().transform(wordsOf).pipe(workspaces)], WORKSPACES)
    .default([])
    .describe("Workspaces that may install it, as a list or in a line: whoever is in one can use the tools."),
  host: host
    .exactOptional()
    .describe("Where signed requests and installations are served; as http.host without it."),
  port: between(0, 65_535).exactOptional().describe("One above http.port without it; 0: any free port."),
  public_url: publicUrl.describe("Where browsers reach that port, such as https://countersign.example.com."),
  api_url: httpUrl.default("https://slack.com/api/"),
  native_blocks: z
    .enum(["auto", "off"])
    .default("auto")
    .describe("Slack's newest blocks where a workspace takes them, or nowhere."),
  slash_answers: slashAnswers,
  status_after_ms: statusAfter,
});

function ids(of: string): z.ZodArray<z.ZodString> {
  return z.array(z.string().regex(/^\d{5,20}$/, { error: `the id of a ${of}` }));
}

export const discordSchema = z.strictObject({
  token: z.string().default("").describe("Empty: Discord is off."),
  message_content: z
    .boolean()
    .default(true)
    .describe("Follow-ups in threads need no mention; needs the privileged intent Message Content."),
  guilds: ids("server, as its Copy Server ID gives it")
    .default([])
    .describe(
      "Servers that are served, also in direct messages with their members; without any all that have the bot.",
    ),
  roles: z
    .record(z.string(), ids("role, as its Copy Role ID gives it"))
    .default({})
    .describe(
      "By group of a rule: the ids of the roles that it means; without them the one role with that name.",
    ),
  embeds: z
    .boolean()
    .default(false)
    .describe("true: messages are made of embeds, for what does not know Components V2."),
  slash_answers: slashAnswers,
  shards: z
    .strictObject({
      total: between(1, 4096).default(1).describe("How many there are; one for 2,500 servers at least."),
      ids: z
        .array(z.int().min(0))
        .default([])
        .describe("Those that this replica runs; all of them without any."),
    })
    .prefault({})
    .refine(({ total, ids }) => ids.every((id) => id < total), { error: "ids below total" }),
  status_after_ms: statusAfter,
  api_url: httpUrl.default("https://discord.com/api"),
});
