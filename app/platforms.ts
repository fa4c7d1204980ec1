import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";

import type { ChatParts } from "#adapters/chat/parts.ts";
import type { RunningDiscord } from "#adapters/discord/adapter.ts";
import type { Drawing } from "#adapters/http/page/drawings.ts";
import { discordStyle, slackStyle } from "#adapters/preview/style.ts";
import type { RunningSlack } from "#adapters/slack/start.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";
import { createAccountActions } from "#src/present/account-actions.ts";
import { createApprovalActions } from "#src/present/approval-actions.ts";
import type { Settings } from "#src/settings/load.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

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
  const text = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  return manifest.parse(parse(text)).oauth_config.scopes.bot;
}

/** Discord as the settings want it; undefined when it is off. */
export interface DiscordSurface {
  members: PlatformMembers;
  start(product: Product): Promise<RunningDiscord>;
}

/** Loaded only where a token is set: Discord's packages take memory. */
export async function openDiscord(settings: Settings): Promise<DiscordSurface | undefined> {
  const { discord } = settings;
  if (discord.token === "") return undefined;
  const { startDiscord } = await import("#adapters/discord/adapter.ts");
  let running: RunningDiscord | undefined;

  function members(): RunningDiscord["members"] {
    if (running === undefined) throw new CountersignError("not_ready", "Discord is not connected yet");
    return running.members;
  }

  return {
    members: {
      discord: {
        inChannel: async (actor, channel) => members().inChannel(actor, channel),
        inGroup: async (actor, group, channel) => members().inGroup(actor, group, channel),
        isGuest: async (actor) => members().isGuest(actor),
      },
    },
    async start(product) {
      const started = await startDiscord(
        discord,
        {
          ...chatParts(product, settings, "discord-pages"),
          threads: product.state("discord-threads"),
          files: product.state("discord-files"),
          told: product.state("discord-told"),
          values: product.state("discord-values"),
          // Arguments that a person types may be secret.
          formStore: product.sealed("discord-forms"),
          registered: product.state("discord-commands"),
          suggest: product.suggest,
          messageOf: (turnId) => product.messageOf(turnId),
        },
        (messages) => product.present(messages),
      );
      running = started;
      product.watch("discord", () => started.status());
      product.announceThrough("discord", (channel, text) => started.announce(channel, text));
      return started;
    },
  };
}

/** What the adapter of a chat platform is given; `pages` names where it keeps which pages are open. */
function chatParts(product: Product, settings: Settings, pages: string): ChatParts {
  const { core, log } = product;
  const cards = createCards();
  const forms = createForms();
  const { groups } = settings.policy;
  return {
    core,
    cards,
    forms,
    log,
    desk: createApprovalActions({ core, cards, forms, now: Date.now }),
    accounts: createAccountActions({ connections: product.connections, cards }),
    groupMembers: (group) => (Object.hasOwn(groups, group) ? groups[group] : undefined),
    view: (turnId) => product.view(turnId),
    pages: product.state(pages),
  };
}

/** How chat platforms would show a turn, for the playground. What draws is loaded when it is first asked for. */
export function createDrawings({ core }: Pick<Product, "core">): readonly Drawing[] {
  const cards = createCards();
  const parts = { cards, desk: createApprovalActions({ core, cards, forms: createForms(), now: Date.now }) };
  return [
    {
      name: "Slack",
      style: slackStyle(),
      async draw(turn) {
        const { drawSlackTurn } = await import("#adapters/preview/slack/message.ts");
        return drawSlackTurn(turn, parts);
      },
    },
    {
      name: "Discord",
      style: discordStyle(),
      async draw(turn) {
        const { drawDiscordTurn } = await import("#adapters/preview/discord/message.ts");
        return drawDiscordTurn(turn, parts);
      },
    },
  ];
}
