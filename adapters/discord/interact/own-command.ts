import type { APIApplicationCommandInteractionDataBasicOption as Given } from "discord.js";

import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { accountsCard, meButtons } from "../../chat/actions.ts";
import { type Inbox, inboxLines, inboxText, readInbox, recentLines, restText } from "../../chat/inbox.ts";
import { bold, words } from "../../chat/line.ts";
import { ownCommands } from "../../chat/own-commands.ts";
import { DIRECT, readRef } from "../ids.ts";
import { inRows, measuredTexts } from "../render/card.ts";
import { Draft, type RenderedMessage } from "../render/message.ts";
import { renderLink } from "../render/question.ts";
import { renderNotice } from "../render/window.ts";
import type { InteractionContext, InteractionDeps } from "./context.ts";

/** `/countersign SUBCOMMAND`, answered to the person alone. */
export async function ownCommand(
  name: string,
  given: readonly Given[],
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { core, cards } = deps;
  const { actor, channelId: channel, response, language } = context;
  const say = wordsOf(language);
  switch (name) {
    case "tools":
      return response.tell(cards.tools(core.tools(), language));
    case "status":
      return response.tell(cards.status(await core.health(), language));
    case "approvals":
      return response.tell(renderInbox(await inboxOf(context, deps), say));
    case "accounts":
      return tellAccounts(valueOf(given, "what"), context, deps);
    case "me": {
      const words = ["server", "account"].map((option) => valueOf(given, option)).join(" ");
      return response.tell(await meMessage(words, context, deps));
    }
    case "privacy": {
      const wanted = given.find((one) => one.name === "switch")?.value;
      const now =
        wanted === undefined
          ? await core.privacy(channel)
          : await core.setPrivacy({ channel, actor, summarize: wanted === "off" });
      const words = {
        on: "/countersign privacy switch: on",
        off: "/countersign privacy switch: off",
        language,
      };
      return response.tell(cards.privacy(now, words));
    }
    default:
      return response.tell(cards.help(core.commands(), ownCommands("discord", say), undefined, language));
  }
}

export function valueOf(given: readonly Given[], option: string): string {
  const value = given.find(({ name }) => name === option)?.value;
  return typeof value === "string" ? value.trim() : "";
}

/** A group of the configuration may name people of several guilds; each is shown the requests of its own. */
function inboxOf(
  { actor, guild = DIRECT, language }: InteractionContext,
  { core, messageOf }: InteractionDeps,
): Promise<Inbox> {
  return readInbox(actor, `discord:${guild}:`, {
    core,
    say: wordsOf(language),
    async link(turnId) {
      const ref = await messageOf(turnId);
      if (ref === undefined) return undefined;
      const { channel, message } = readRef(ref);
      return `https://discord.com/channels/${guild}/${channel}/${message}`;
    },
  });
}

/** Who the person is in the servers, with what changes it, after what the words do. */
async function meMessage(
  words: string,
  { actor, language }: InteractionContext,
  { who }: InteractionDeps,
): Promise<RenderedMessage> {
  const { card, view } = await who.me(words, { actor, command: "/countersign me", language });
  return renderNotice(card, meButtons(view, wordsOf(language)));
}

/** Forgets who somebody said they are; the message says how it is then. */
export async function forgetMe(
  server: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  return context.response.update(await meMessage(`${server} forget`, context, deps));
}

/** The accounts that servers want of the person and the channel, below `said` where something just happened. */
async function accountsMessage(
  { actor, channelId: channel, language }: InteractionContext,
  { accounts, nameOf }: InteractionDeps,
  said?: string,
): Promise<RenderedMessage> {
  const { card, buttons } = accountsCard(
    await accounts.list({ actor, channel }, nameOf, language),
    said === undefined ? undefined : recordedText(said, wordsOf(language)),
  );
  return renderNotice(card, buttons);
}

/** `/connect WORDS`: a link, what was changed, or the list. */
export async function tellAccounts(
  words: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { actor, channelId: channel, response, language } = context;
  const say = wordsOf(language);
  const reply = await deps.accounts.byWords(words, { actor, channel });
  if (reply?.ok !== true) return response.tell(await accountsMessage(context, deps, reply?.words));
  const { url, domain } = reply.link;
  return response.tell(renderLink({ words: recordedText(reply.words, say), url, domain, say }));
}

/** The link goes to who pressed. */
export async function connectAccount(
  server: string,
  { actor, channelId: channel, response, language }: InteractionContext,
  { accounts }: InteractionDeps,
): Promise<void> {
  const { words, ...connecting } = await accounts.connect(server, { actor, channel });
  if (!connecting.ok) return response.tell(words);
  const { url, domain } = connecting.link;
  return response.tell(
    renderLink({ words: recordedText(words, wordsOf(language)), url, domain, say: wordsOf(language) }),
  );
}

export async function changeAccount(
  action: "disconnect" | "use_site",
  value: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { actor, channelId: channel } = context;
  const said = await (action === "disconnect"
    ? deps.accounts.disconnect(value, actor)
    : deps.accounts.use(value, { actor, channel }));
  return context.response.update(await accountsMessage(context, deps, said));
}

/** What waits for a person, for them alone. */
function renderInbox(inbox: Inbox, say: Words): RenderedMessage {
  const draft = new Draft();
  draft.add(measuredTexts([bold(inboxText(inbox, say))]));
  for (const { items, buttons } of inbox.groups) {
    draft.add(measuredTexts(items.flatMap((item) => inboxLines(item, say))));
    if (buttons.length > 0) draft.add(inRows(buttons));
  }
  const rest = restText(inbox, say);
  if (rest !== "") draft.add(measuredTexts([words(rest)]));
  const recent = recentLines(inbox, say);
  if (recent.length > 0) draft.add(measuredTexts(recent));
  return draft.done();
}
