import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";

export interface HttpSettings {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Empty: loopback only, and the actor comes from the request. */
  tokens: { token: string; actor: ActorId }[];
}

export interface SlackSettings {
  /** Empty: Slack is off. */
  bot_token: string;
  /** Socket Mode. */
  app_token: string;
  /** Signed HTTP at `/slack/events`. */
  signing_secret: string;
  api_url: string;
}

export interface DiscordSettings {
  /** Empty: Discord is off. */
  token: string;
  api_url: string;
}

const httpUrl = z.url({ protocol: /^https?$/, error: "an http or https URL" });

const httpActor = z
  .string()
  .regex(/^(http:)?[^\s:]+$/, { error: "a name such as ana, or http:ana" })
  .transform((name): ActorId => (name.startsWith("http:") ? (name as ActorId) : `http:${name}`));

export const httpSchema: z.ZodType<HttpSettings> = z.strictObject({
  host: z
    .string()
    .min(1, { error: "a host name or address" })
    .default("127.0.0.1")
    .describe("HOST overrides it."),
  port: z.int().min(0).max(65_535).default(8787).describe("PORT overrides it."),
  tokens: z
    .array(
      z.strictObject({
        token: z.string().regex(/^[\x21-\x7e]+$/, { error: "a token without spaces" }),
        actor: httpActor.describe("Who the bearer is, such as ana."),
      }),
    )
    .default([])
    .describe("Bearer tokens; without any the server binds to loopback only."),
});

export const slackSchema: z.ZodType<SlackSettings> = z.strictObject({
  bot_token: z.string().default("").describe("Empty: Slack is off."),
  app_token: z.string().default("").describe("For Socket Mode."),
  signing_secret: z.string().default("").describe("For signed HTTP at /slack/events."),
  api_url: httpUrl.default("https://slack.com/api/"),
});

export const discordSchema: z.ZodType<DiscordSettings> = z.strictObject({
  token: z.string().default("").describe("Empty: Discord is off."),
  api_url: httpUrl.default("https://discord.com/api"),
});
