import type { SlashCommand } from "@slack/bolt";

import type { AccountAsker } from "#contract/connections.ts";
import { en, type Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { accountsCard, errorForUser, meButtons } from "../../chat/actions.ts";
import { type Inbox, inboxText, readInbox } from "../../chat/inbox.ts";
import { bold } from "../../chat/line.ts";
import { ownCommands } from "../../chat/own-commands.ts";
import { actorOf, channelOf, inboxPlace, readId } from "../ids.ts";
import { renderCard } from "../render/card.ts";
import { inboxBlocks } from "../render/inbox.ts";
import { linkBlocks } from "../render/question.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import { plainWords } from "../receive/parse-message.ts";
import { contentOf, type EphemeralContent, onlyYou, respond, type Response } from "../send/ephemeral.ts";
import { type SlackContext, wordsAt } from "./context.ts";
import type { Click } from "./interaction.ts";

type AccountDeps = Pick<SlackContext, "accounts" | "language" | "people" | "sendEphemeral" | "log">;
type OwnDeps = Pick<
  SlackContext,
  "accounts" | "cards" | "core" | "language" | "link" | "log" | "people" | "who"
>;

/** What `/countersign SUBCOMMAND` is answered with; never rejects. */
export async function ownCommand(command: SlashCommand, text: string, deps: OwnDeps): Promise<Response> {
  try {
    return await answer(command, text, deps);
  } catch (error) {
    deps.log.warn({ error, command: command.command, text }, "a command had no effect");
    return onlyYou(
      errorForUser(error),
      wordsAt({ team: command.team_id, channel: command.channel_id }, deps),
    );
  }
}

async function answer(
  { team_id: team, channel_id: id, user_id: user }: SlashCommand,
  text: string,
  deps: OwnDeps,
): Promise<Response> {
  const { core, cards } = deps;
  const asker = { actor: actorOf(team, user), channel: channelOf(team, id) };
  const language = deps.language(asker.channel);
  const say = wordsOf(language);
  const [word = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  switch (word) {
    case "tools":
      return onlyYou(cards.tools(core.tools(), language), say);
    case "status":
      return onlyYou(cards.status(await core.health(), language), say);
    case "approvals":
      return inboxResponse(await readInbox(asker.actor, inboxPlace(team), { ...deps, say }), say);
    case "accounts":
    case "connect":
      return accountsResponse(plainWords(text.trim().replace(/^\S+\s*/, "")), asker, deps);
    case "me": {
      const said = text.trim().replace(/^\S+\s*/, "");
      return { response_type: "ephemeral", ...(await meContent(plainWords(said), asker, deps)) };
    }
    case "privacy":
      return privacy(asker, team, rest.join(" "), deps);
    case "":
    case "help":
      return onlyYou(cards.help(core.commands(), ownCommands("slack", say), undefined, language), say);
    default:
      return onlyYou(
        cards.help(
          core.commands(),
          ownCommands("slack", say),
          recordedText(en.recorded.unknownCommand(`/countersign ${word}`), say),
          language,
        ),
        say,
      );
  }
}

/** Details stand in the home: a message here may be of another channel than what it lists. */
function inboxResponse(inbox: Inbox, say: Words): Response {
  const text = inboxText(inbox, say);
  return { response_type: "ephemeral", text, blocks: [...pack([bold(text)]), ...inboxBlocks(inbox, say)] };
}

/** `/connect WORDS`: a link, what was changed, or the list. */
async function accountsResponse(
  words: string,
  asker: AccountAsker,
  deps: Pick<AccountDeps, "accounts" | "language" | "people">,
): Promise<Response> {
  const say = wordsOf(deps.language(asker.channel));
  const reply = await deps.accounts.byWords(words, asker);
  const said = reply && recordedText(reply.words, say);
  if (reply?.ok !== true || said === undefined)
    return { response_type: "ephemeral", ...(await accountsContent(asker, deps, said)) };
  const { url, domain, server } = reply.link;
  return {
    response_type: "ephemeral",
    text: escapeText(said),
    blocks: linkBlocks({ words: said, url, domain, value: server, say }),
  };
}

/** A switch concerns everybody in the channel, so everybody is told; asking concerns who asks. */
async function privacy(
  { actor, channel }: AccountAsker,
  team: string,
  wanted: string,
  { core, cards, people, language }: OwnDeps,
): Promise<Response> {
  const before = await core.privacy(channel);
  const isSwitch = wanted === "on" || wanted === "off";
  const now = isSwitch ? await core.setPrivacy({ channel, actor, summarize: wanted === "off" }) : before;
  const setBy = now.setBy === undefined ? undefined : await people.name(team, readId(now.setBy)?.local);
  const card = cards.privacy(now, {
    on: "/countersign privacy on",
    off: "/countersign privacy off",
    language: language(channel),
    ...(setBy === undefined ? {} : { setBy }),
  });
  if (now.summarize === before.summarize) return onlyYou(card, wordsOf(language(channel)));
  return { response_type: "in_channel", ...contentOf(card) };
}

/** What servers want of the person and the channel, for this person alone. */
async function accountsContent(
  asker: AccountAsker,
  { accounts, people, language }: Pick<AccountDeps, "accounts" | "language" | "people">,
  said?: string,
): Promise<EphemeralContent> {
  const { card, buttons } = accountsCard(
    await accounts.list(asker, people.nameOf, language(asker.channel)),
    said,
  );
  return renderCard(card, { tables: false, buttons });
}

/** Who the person is in the servers, with what changes it, after what the words do. */
async function meContent(
  words: string,
  { actor, channel }: AccountAsker,
  { who, language }: Pick<OwnDeps, "language" | "who">,
): Promise<EphemeralContent> {
  const how = { actor, command: "/countersign me", language: language(channel) };
  const { card, view } = await who.me(words, how);
  return renderCard(card, { tables: false, buttons: meButtons(view, wordsOf(how.language)) });
}

/** Forgets who somebody said they are; the message says how it is then. */
export async function forgetMe(
  click: Click,
  deps: Pick<OwnDeps, "language" | "log" | "who"> & Pick<AccountDeps, "sendEphemeral">,
): Promise<void> {
  const { value, target, responseUrl } = click;
  const content = await meContent(`${value} forget`, askerOf(click), deps);
  const response = { response_type: "ephemeral", replace_original: true, ...content } as const;
  if (responseUrl !== undefined && (await respond(responseUrl, response, deps.log))) return undefined;
  return deps.sendEphemeral(target, content);
}

/** The link goes to the person who pressed, wherever the button stood. */
export async function connectAccount(click: Click, deps: AccountDeps): Promise<void> {
  const { accounts, sendEphemeral } = deps;
  const { value, target } = click;
  const say = wordsAt(target, deps);
  const connecting = await accounts.connect(value, askerOf(click));
  const words = recordedText(connecting.words, say);
  if (!connecting.ok) return sendEphemeral(target, words);
  const { url, domain } = connecting.link;
  return sendEphemeral(target, {
    text: escapeText(words),
    blocks: linkBlocks({ words, url, domain, value, say }),
  });
}

export async function changeAccount(
  action: "disconnect" | "use_site",
  click: Click,
  deps: AccountDeps,
): Promise<void> {
  const { value, actor, target, responseUrl } = click;
  const { accounts } = deps;
  const done = await (action === "disconnect"
    ? accounts.disconnect(value, actor)
    : accounts.use(value, askerOf(click)));
  const said = recordedText(done, wordsAt(target, deps));
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
