import { readFile } from "node:fs/promises";

import { httpUrl } from "../base/host.ts";
import type { RunningSlack } from "#adapters/slack/start.ts";
import { parse } from "yaml";
import { z } from "zod";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { Settings } from "../settings/load.ts";
import { chatParts } from "./chat-parts.ts";
import type { PlatformMembers } from "./membership.ts";
import type { Product } from "./product-port.ts";

/** Slack as the settings want it; undefined when it is off. */
export interface SlackSurface {
  members: PlatformMembers;
  start(product: Product): Promise<RunningSlack>;
}

/** Loaded only where a token or a client is set: Slack's packages take memory. */
export async function openSlack(settings: Settings): Promise<SlackSurface | undefined> {
  const { slack, http } = settings;
  if (slack.bot_token === "" && slack.client_id === "") return undefined;
  const [{ startSlack }, scopes] = await Promise.all([import("#adapters/slack/start.ts"), readScopes()]);
  let running: RunningSlack | undefined;

  function members(): RunningSlack["members"] {
    if (running === undefined) throw new CountersignError("not_ready", "Slack is not connected yet");
    return running.members;
  }

  return {
    members: {
      slack: {
        inChannel: async (actor, channel) => members().inChannel(actor, channel),
        inGroup: async (actor, group, channel) => members().inGroup(actor, group, channel),
        isGuest: async (actor, channel) => members().isGuest(actor, channel),
      },
    },
    async start(product) {
      // Beside the port of the product's own pages, which need not be open to Slack.
      const port = slack.port ?? (http.port === 0 ? 0 : http.port + 1);
      const host = slack.host ?? http.host;
      try {
        running = await startSlack(
          { ...slack, scopes, http: { host, port } },
          {
            ...chatParts(product, settings, "slack-pages"),
            threads: product.state("slack-threads"),
            files: product.state("slack-files"),
            told: product.state("slack-told"),
            draftStore: product.state("slack-drafts"),
            messageOf: (turnId) => product.messageOf(turnId),
            prompts: settings.examples.map(({ message }) => message),
            orgs: product.state("slack-orgs"),
            installations: product.sealed("slack-installations"),
          },
          (messages) => product.present(messages),
        );
      } catch (error) {
        throw new CountersignError(
          "slack_failed",
          `expected to serve Slack's requests at ${httpUrl(host, port)}, got: ${messageOf(error)}. Set slack.host and slack.port to an address that is free.`,
          { cause: error },
        );
      }
      const started = running;
      product.watch("slack", () => started.status());
      product.announceThrough("slack", (channel, text) => started.announce(channel, text));
      return started;
    },
  };
}

const manifest = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) });

/** What the app is created with is what an installation asks for. */
async function readScopes(): Promise<string[]> {
  const text = await readFile(new URL("../../manifest.yml", import.meta.url), "utf8");
  return manifest.parse(parse(text)).oauth_config.scopes.bot;
}
