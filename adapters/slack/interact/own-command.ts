import type { SlashCommand } from "@slack/bolt";

import type { AccountAsker } from "#contract/connections.ts";
import type { OwnCommand } from "#contract/core.ts";

import { accountsCard, errorForUser } from "../../chat/actions.ts";
import { type Inbox, inboxText, readInbox } from "../../chat/inbox.ts";
import { bold } from "../../chat/line.ts";
import { actorOf, channelOf, inboxPlace, readId } from "../ids.ts";
import { renderCard } from "../render/card.ts";
import { inboxBlocks } from "../render/inbox.ts";
import { linkBlocks } from "../render/question.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import { plainWords } from "../receive/parse-message.ts";
import { contentOf, type EphemeralContent, onlyYou, respond, type Response } from "../send/ephemeral.ts";
import type { SlackContext } from "./context.ts";
import type { Click } from "./interaction.ts";

type AccountDeps = Pick<SlackContext, "accounts" | "people" | "sendEphemeral" | "log">;
type OwnDeps = Pick<SlackContext, "accounts" | "cards" | "core" | "link" | "log" | "people" | "who">;

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
    usage: "/connect",
    about: "your accounts and sites: connect, choose for a channel, disconnect",
  },
  { usage: "/countersign me", about: "who you are in Jira and other servers, and how to change it" },
  { usage: "/countersign privacy on, off", about: "whether results of this channel may go to the model" },
];

/** What `/countersign SUBCOMMAND` is answered with; never rejects. */
export async function ownCommand(command: SlashCommand, text: string, deps: OwnDeps): Promise<Response> {
  try {
    return await answer(command, text, deps);
  } catch (error) {
    deps.log.warn({ error, command: command.command, text }, "a command had no effect");
    return onlyYou(errorForUser(error));
  }
}

async function answer(
  { team_id: team, channel_id: id, user_id: user }: SlashCommand,
  text: string,
  deps: OwnDeps,
): Promise<Response> {
  const { core, cards } = deps;
  const asker = { actor: actorOf(team, user), channel: channelOf(team, id) };
  const [word = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  switch (word) {
    case "tools":
      return onlyYou(cards.tools(core.tools()));
    case "status":
      return onlyYou(cards.status(await core.health()));
    case "approvals":
      return inboxResponse(await readInbox(asker.actor, inboxPlace(team), deps));
    case "accounts":
    case "connect":
      return accountsResponse(plainWords(text.trim().replace(/^\S+\s*/, "")), asker, deps);
    case "me": {
      const said = text.trim().replace(/^\S+\s*/, "");
      const { card } = await deps.who.me(plainWords(said), {
        actor: asker.actor,
        command: "/countersign me",
      });
      return onlyYou(card);
    }
    case "privacy":
      return privacy(asker, team, rest.join(" "), deps);
    case "":
    case "help":
      return onlyYou(cards.help(core.commands(), OWN_HELP));
    default:
      return onlyYou(cards.help(core.commands(), OWN_HELP, `I do not know /countersign ${word}.`));
  }
}

/** Details stand in the home: a message here may be of another channel than what it lists. */
function inboxResponse(inbox: Inbox): Response {
  const text = inboxText(inbox);
  return { response_type: "ephemeral", text, blocks: [...pack([bold(text)]), ...inboxBlocks(inbox)] };
}

/** `/connect WORDS`: a link, what was changed, or the list. */
async function accountsResponse(
  words: string,
  asker: AccountAsker,
  deps: Pick<AccountDeps, "accounts" | "people">,
): Promise<Response> {
  const reply = await deps.accounts.byWords(words, asker);
  if (reply?.ok !== true)
    return { response_type: "ephemeral", ...(await accountsContent(asker, deps, reply?.words)) };
  const { url, domain, server } = reply.link;
  return {
    response_type: "ephemeral",
    text: escapeText(reply.words),
    blocks: linkBlocks({ words: reply.words, url, domain, value: server }),
  };
}

/** A switch concerns everybody in the channel, so everybody is told; asking concerns who asks. */
async function privacy(
  { actor, channel }: AccountAsker,
  team: string,
  wanted: string,
  { core, cards, people }: OwnDeps,
): Promise<Response> {
  const before = await core.privacy(channel);
  const isSwitch = wanted === "on" || wanted === "off";
  const now = isSwitch ? await core.setPrivacy({ channel, actor, summarize: wanted === "off" }) : before;
  const setBy = now.setBy === undefined ? undefined : await people.name(team, readId(now.setBy)?.local);
  const card = cards.privacy(now, {
    on: "/countersign privacy on",
    off: "/countersign privacy off",
    ...(setBy === undefined ? {} : { setBy }),
  });
  if (now.summarize === before.summarize) return onlyYou(card);
  return { response_type: "in_channel", ...contentOf(card) };
}

/** What servers want of the person and the channel, for this person alone. */
async function accountsContent(
  asker: AccountAsker,
  { accounts, people }: Pick<AccountDeps, "accounts" | "people">,
  said?: string,
): Promise<EphemeralContent> {
  const { card, buttons } = accountsCard(await accounts.list(asker, people.nameOf), said);
  return renderCard(card, { tables: false, buttons });
}

/** The link goes to the person who pressed, wherever the button stood. */
export async function connectAccount(click: Click, { accounts, sendEphemeral }: AccountDeps): Promise<void> {
  const { value, target } = click;
  const connecting = await accounts.connect(value, askerOf(click));
  const { words } = connecting;
  if (!connecting.ok) return sendEphemeral(target, words);
  const { url, domain } = connecting.link;
  return sendEphemeral(target, {
    text: escapeText(words),
    blocks: linkBlocks({ words, url, domain, value }),
  });
}

export async function changeAccount(
  action: "disconnect" | "use_site",
  click: Click,
  deps: AccountDeps,
): Promise<void> {
  const { value, actor, target, responseUrl } = click;
  const { accounts } = deps;
  const said = await (action === "disconnect"
    ? accounts.disconnect(value, actor)
    : accounts.use(value, askerOf(click)));
  if (responseUrl !== undefined) {
    const content = await accountsContent(askerOf(click), deps, said);
    const response = { response_type: "ephemeral", replace_original: true, ...content } as const;
    if (await respond(responseUrl, response, deps.log)) return undefined;
  }
  return deps.sendEphemeral(target, said);
}

function askerOf({ actor, team, target }: Click): AccountAsker {
  return { actor, channel: channelOf(team, target?.channel ?? "") };
}
