import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";

import type { ChatParts } from "#adapters/chat/parts.ts";
import type { Drawing } from "#adapters/http/page/drawings.ts";
import { previewStyle } from "#adapters/preview/context.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";
import { createAccountActions } from "#src/present/account-actions.ts";
import { createMeActions } from "#src/present/me-actions.ts";
import { createApprovalActions } from "#src/present/approval-actions.ts";
import type { Settings } from "#src/settings/load.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

import { languageIn } from "./settings.ts";
import type { PlatformMembers, PlatformPeople } from "./membership.ts";
import type { ConnectedPlatform, Product } from "./product-port.ts";

/** A chat platform that the settings switch on. */
export interface Platform {
  members: PlatformMembers;
  start(product: Product): Promise<Running>;
}

interface Running extends ConnectedPlatform {
  members: PlatformPeople;
  stop(): Promise<void>;
}

function platform(
  surface: "slack" | "discord",
  name: string,
  connect: (product: Product) => Promise<Running>,
): Platform {
  let running: Running | undefined;

  function members(): PlatformPeople {
    if (running === undefined) throw new CountersignError("not_ready", `${name} is not connected yet`);
    return running.members;
  }

  return {
    members: {
      [surface]: {
        inChannel: async (...asked) => members().inChannel(...asked),
        inGroup: async (...asked) => members().inGroup(...asked),
        isGuest: async (...asked) => members().isGuest(...asked),
        profile: async (actor) => members().profile(actor),
      } satisfies PlatformPeople,
    },
    async start(product) {
      running = await connect(product);
      product.addPlatform(surface, running);
      return running;
    },
  };
}

/** Undefined where it is off. Loaded only where a token or a client is set: Slack's packages take memory. */
export async function openSlack(settings: Settings): Promise<Platform | undefined> {
  const { slack, http } = settings;
  if (slack.bot_token === "" && slack.client_id === "") return undefined;
  const [{ startSlack }, scopes] = await Promise.all([import("#adapters/slack/start.ts"), readScopes()]);
  return platform("slack", "Slack", async (product) => {
    // Beside the port of the product's own pages, which need not be open to Slack.
    const port = slack.port ?? (http.port === 0 ? 0 : http.port + 1);
    const host = slack.host ?? http.host;
    try {
      return await startSlack(
        { ...slack, scopes, http: { host, port } },
        {
          ...chatParts(product, settings, "slack"),
          threads: product.state("slack-threads"),
          files: product.state("slack-files"),
          told: product.state("slack-told"),
          withoutNative: product.state("slack-without-native"),
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
  });
}

const manifest = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) });

/** What the app is created with is what an installation asks for. */
export async function readScopes(): Promise<string[]> {
  const text = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  return manifest.parse(parse(text)).oauth_config.scopes.bot;
}

/** Undefined where it is off. Loaded only where a token is set: Discord's packages take memory. */
export async function openDiscord(settings: Settings): Promise<Platform | undefined> {
  const { discord } = settings;
  if (discord.token === "") return undefined;
  const { startDiscord } = await import("#adapters/discord/start.ts");
  return platform("discord", "Discord", (product) =>
    startDiscord(
      discord,
      {
        ...chatParts(product, settings, "discord"),
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
    ),
  );
}

/** What the adapter of a chat platform is given. */
function chatParts(product: Product, settings: Settings, surface: "slack" | "discord"): ChatParts {
  const { core, log } = product;
  const cards = createCards(() => settings.people.list);
  const forms = createForms();
  const language = languageIn(settings);
  const who = createMeActions({ people: product.people, cards });
  return {
    core,
    cards,
    forms,
    log,
    desk: createApprovalActions({ core, cards, forms, now: Date.now, language, who }),
    accounts: createAccountActions({ connections: product.connections, cards }),
    who,
    groupMembers(group) {
      const { groups } = settings.policy;
      return Object.hasOwn(groups, group) ? groups[group] : undefined;
    },
    view: (turnId) => product.view(turnId),
    pages: product.state(`${surface}-pages`),
    onWait: (ms) => product.waited(surface, ms),
    language,
  };
}

/** How chat platforms would show a turn, for the playground. What draws is loaded when it is first asked for. */
export function createDrawings({ core }: Pick<Product, "core">): readonly Drawing[] {
  const cards = createCards();
  const parts = { cards, desk: createApprovalActions({ core, cards, forms: createForms(), now: Date.now }) };
  return [
    {
      name: "Slack",
      style: previewStyle(),
      async draw(turn) {
        const { drawSlackTurn } = await import("#adapters/preview/slack/message.ts");
        return drawSlackTurn(turn, parts);
      },
    },
    {
      name: "Discord",
      style: previewStyle(),
      async draw(turn) {
        const { drawDiscordTurn } = await import("#adapters/preview/discord/message.ts");
        return drawDiscordTurn(turn, parts);
      },
    },
  ];
}
