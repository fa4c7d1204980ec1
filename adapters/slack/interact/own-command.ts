import type { SlashCommand } from "@slack/bolt";
import type { KnownBlock } from "@slack/types";

import type { Card } from "#contract/card.ts";
import type { AccountAsker } from "#contract/connections.ts";
import type { ChannelPrivacy, OwnCommand, PrivacyWords } from "#contract/core.ts";

import { accountsCard, errorForUser } from "../../chat/actions.ts";
import type { SlackContext } from "./context.ts";
import { actorOf, channelOf, readId } from "../ids.ts";
import { renderCard } from "../render/card.ts";
import { linkBlocks } from "../render/question.ts";
import { escapeText } from "../render/text.ts";
import { contentOf, respond, type Response } from "../send/ephemeral.ts";
import type { Click } from "./interaction.ts";

export type OwnDeps = Pick<SlackContext, "accounts" | "cards" | "core" | "link" | "log" | "people">;

/** What `/countersign help` tells beside the commands of the configuration. */
export const OWN_HELP: readonly OwnCommand[] = [
  {
    usage: "/ask TEXT",
    about: "ask in plain words; mentioning me in a channel or writing to me does the same",
  },
  { usage: "/countersign tools", about: "what I can work with, and what needs approval" },
  { usage: "/countersign status", about: "model, servers and store" },
  { usage: "/countersign approvals", about: "what waits for you" },
  {
    usage: "/countersign accounts",
    about: "accounts of yours that servers work with, to connect or disconnect",
  },
  { usage: "/countersign privacy on, off", about: "whether results of this channel may go to the model" },
];

/** What `/countersign SUBCOMMAND` is answered with; never rejects. */
export async function ownCommand(command: SlashCommand, text: string, parts: OwnDeps): Promise<Response> {
  try {
    return await answer(command, text, parts);
  } catch (error) {
    parts.log.warn({ error, command: command.command, text }, "a command had no effect");
    return { response_type: "ephemeral", text: escapeText(errorForUser(error)) };
  }
}

async function answer(command: SlashCommand, text: string, parts: OwnDeps): Promise<Response> {
  const { core, cards } = parts;
  const [word = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  switch (word) {
    case "tools":
      return onlyYou(cards.tools(core.tools()));
    case "status":
      return onlyYou(cards.status(await core.health()));
    case "approvals":
      return onlyYou(cards.pending(await waiting(command, parts)));
    case "accounts": {
      const { team_id: team, channel_id: channel, user_id: user } = command;
      const asker = { actor: actorOf(team, user), channel: channelOf(team, channel) };
      return { response_type: "ephemeral", ...(await accountsContent(asker, parts)) };
    }
    case "privacy":
      return privacy(command, rest.join(" "), parts);
    case "":
    case "help":
      return onlyYou(cards.help(core.commands(), OWN_HELP));
    default:
      return onlyYou(cards.help(core.commands(), OWN_HELP, `I do not know /countersign ${word}.`));
  }
}

async function waiting(
  { team_id: team, user_id: user }: SlashCommand,
  { core, link }: OwnDeps,
): Promise<Parameters<OwnDeps["cards"]["pending"]>[0]> {
  const approvals = await core.approvalsFor(actorOf(team, user));
  return Promise.all(
    approvals.map(async (approval) => {
      const href = await link(approval.turnId);
      return { approval, ...(href === undefined ? {} : { link: href }) };
    }),
  );
}

/** A switch concerns everybody in the channel, so everybody is told; asking concerns who asks. */
async function privacy(
  { team_id: team, channel_id: id, user_id: user }: SlashCommand,
  wanted: string,
  { core, cards, people }: OwnDeps,
): Promise<Response> {
  const channel = channelOf(team, id);
  if (wanted !== "on" && wanted !== "off") {
    return onlyYou(
      cards.privacy(await core.privacy(channel), await words(await core.privacy(channel), team, people)),
    );
  }
  const before = await core.privacy(channel);
  const now = await core.setPrivacy({ channel, actor: actorOf(team, user), summarize: wanted === "off" });
  const card = cards.privacy(now, await words(now, team, people));
  if (now.summarize === before.summarize) return onlyYou(card);
  return { response_type: "in_channel", ...contentOf(card) };
}

async function words(
  { setBy }: ChannelPrivacy,
  team: string,
  people: OwnDeps["people"],
): Promise<PrivacyWords> {
  const name = setBy === undefined ? undefined : await people.name(team, readId(setBy)?.local);
  return {
    on: "/countersign privacy on",
    off: "/countersign privacy off",
    ...(name === undefined ? {} : { setBy: name }),
  };
}

function onlyYou(card: Card): Response {
  return { response_type: "ephemeral", ...contentOf(card) };
}

export type AccountDeps = Pick<SlackContext, "accounts" | "people" | "tell" | "log">;

interface Content {
  text: string;
  blocks: KnownBlock[];
}

/** What servers want of the person and the channel, for this person alone. */
async function accountsContent(
  asker: AccountAsker,
  { accounts, people }: Pick<AccountDeps, "accounts" | "people">,
  said?: string,
): Promise<Content> {
  const list = await accounts.list(asker, (actor) => {
    const { team = "", local } = readId(actor) ?? {};
    return people.name(team, local);
  });
  const { card, buttons } = accountsCard(list, said);
  return renderCard(card, { tables: false, buttons });
}

/** The link goes to who pressed, wherever the button stood. */
export async function onConnect(click: Click, { accounts, tell }: AccountDeps): Promise<void> {
  const asker = askerOf(click);
  const answer = await accounts.connect(click.value, asker);
  if (!answer.ok) return tell(click.ear, answer.words);
  const { url, domain } = answer.link;
  const blocks = linkBlocks({ words: answer.words, url, domain, value: click.value });
  return tell(click.ear, { text: escapeText(answer.words), blocks });
}

export async function onDisconnect(click: Click, parts: AccountDeps): Promise<void> {
  const said = await parts.accounts.disconnect(click.value, click.actor);
  if (click.respond === undefined) return parts.tell(click.ear, said);
  const content = await accountsContent(askerOf(click), parts, said);
  const response = { response_type: "ephemeral" as const, replace_original: true, ...content };
  if (await respond(click.respond, response, parts.log)) return undefined;
  return parts.tell(click.ear, said);
}

function askerOf({ actor, team, ear }: Click): AccountAsker {
  return { actor, channel: channelOf(team, ear?.channel ?? "") };
}
