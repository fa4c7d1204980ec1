import { type APIThreadChannel, RESTJSONErrorCodes as Code, type REST, Routes } from "discord.js";

import type { MessagePort, TurnView } from "#contract/present.ts";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import type { NameOf } from "../../chat/people.ts";
import { openLinks, showLinksOnce } from "../../chat/questions.ts";
import { redraw } from "../../chat/redraw.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import type { DiscordParts, DiscordOptions } from "../options.ts";
import type { DeferredResponses } from "../interact/start-turn.ts";
import type { Identity } from "../receive/connection.ts";
import type { Conversations } from "../receive/conversations.ts";
import { LIMITS } from "../render/limits.ts";
import { renderLinkQuestion } from "../render/question.ts";
import { FOR_ONE } from "../render/window.ts";
import { discordCode, toRefusal } from "./refusal.ts";
import { findMessage, nonceOf } from "./find.ts";
import { type DiscordPlace, type DiscordRef, readPlace, readRef, toRef } from "./place.ts";
import { createRemind } from "./remind.ts";
import { createSend, type Request } from "./send.ts";

export interface PortDeps extends Pick<
  DiscordParts,
  "core" | "cards" | "pages" | "files" | "told" | "values" | "log" | "groupMembers"
> {
  rest: REST;
  /** Throws before Discord has answered for the first time. */
  me: () => Identity;
  rooms: Conversations;
  answers: DeferredResponses;
  /** What people are called. */
  nameOf: NameOf;
  /** Components V2 cannot be used. */
  embeds: boolean;
  roles: DiscordOptions["roles"];
}

export interface DiscordPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: DiscordRef, read: () => Promise<TurnView | undefined>): Promise<void>;
}

/** Turns as messages of Discord. A nonce and a component's id name the turn, so that a message is found again. */
export function createDiscordPort(parts: PortDeps): DiscordPort {
  const { rest, me, rooms, answers } = parts;
  const send = createSend(parts);

  async function post(place: DiscordPlace, view: TurnView): Promise<DiscordRef> {
    if (place.interaction !== undefined) {
      const answered = await answerInteraction(place, place.interaction, view);
      if (answered !== undefined) return answered;
    }
    const { channel, starter, answers: asked } = place;
    const thread =
      starter === undefined ? undefined : await openThread({ channel, starter }, view.message, parts);
    const target = thread ?? channel;
    const isReply = thread === undefined && asked !== undefined;
    const ref = { channel: target, isAnswer: place.interaction === undefined };
    const { sent, isEmbeds } = await send(view, ref, ({ body, files }) =>
      rest.post(Routes.channelMessages(target), {
        body: {
          ...body,
          nonce: nonceOf(view.turnId).nonce,
          enforce_nonce: true,
          ...(isReply ? { message_reference: { message_id: asked, fail_if_not_exists: false } } : {}),
        },
        ...(files === undefined ? {} : { files }),
      }),
    );
    if (thread === undefined) await rooms.remember(sent.id, view.conversationId);
    return { ...ref, message: sent.id, isEmbeds };
  }

  /** Fills the answer that says "thinking"; undefined where that can no longer be. */
  async function answerInteraction(
    { channel }: DiscordPlace,
    { id, token }: NonNullable<DiscordPlace["interaction"]>,
    view: TurnView,
  ): Promise<DiscordRef | undefined> {
    if (!(await answers.isDeferred(id))) return undefined;
    try {
      const { sent, isEmbeds } = await send(view, { isAnswer: false }, (request) =>
        rest.patch(Routes.webhookMessage(me().app, token), { ...request, auth: false }),
      );
      await rooms.remember(sent.id, view.conversationId);
      return { channel, message: sent.id, isAnswer: false, isEmbeds, token };
    } catch (error) {
      if (!TOKEN_GONE.has(discordCode(error))) throw error;
      return undefined;
    }
  }

  async function edit(ref: DiscordRef, view: TurnView): Promise<void> {
    const { channel, message, token } = ref;
    const patch = (request: Request): Promise<unknown> =>
      rest.patch(Routes.channelMessage(channel, message), request);
    try {
      await send(view, ref, (request) => inOpenThread(channel, () => patch(request)));
    } catch (error) {
      if (discordCode(error) !== Code.MissingAccess || token === undefined) throw error;
      // Where the bot cannot look into the channel, the interaction still reaches its answer for a while.
      await send(view, ref, (request) =>
        rest.patch(Routes.webhookMessage(me().app, token, message), { ...request, auth: false }),
      );
    }
  }

  async function tellThem({ token }: DiscordRef, view: TurnView): Promise<void> {
    if (token !== undefined && openLinks(view).length > 0) {
      await tellLinks(token, view, { ...parts, app: me().app });
    }
  }

  /** Messages of an archived thread cannot be edited: it is opened first. */
  async function inOpenThread<Result>(channel: string, call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      if (discordCode(error) !== THREAD_ARCHIVED) throw error;
      await rest.patch(Routes.channel(channel), { body: { archived: false } });
      return call();
    }
  }

  return {
    surface: "discord",
    async post(place, view) {
      try {
        const ref = await post(readPlace(place), view);
        await tellThem(ref, view);
        return toRef(ref);
      } catch (error) {
        throw toRefusal(error);
      }
    },
    async edit(ref, view) {
      try {
        await edit(readRef(ref), view);
        await tellThem(readRef(ref), view);
      } catch (error) {
        throw toRefusal(error);
      }
    },
    async find(place, turnId) {
      const ref = await findMessage(readPlace(place), nonceOf(turnId), { rest, bot: me().bot });
      return ref === undefined ? undefined : toRef(ref);
    },
    remind: createRemind(parts),
    redraw: (ref, read) => redraw(read, (view) => edit(ref, view)),
  };
}

/** Not among the numbers of the package. */
const THREAD_ARCHIVED = 50_083;

const TOKEN_GONE: ReadonlySet<number | undefined> = new Set<number | undefined>([
  Code.UnknownWebhook,
  Code.InvalidWebhookToken,
  Code.UnknownMessage,
  Code.UnknownInteraction,
]);

/** A day: posting opens it again. */
const ARCHIVE_MINUTES = 1440;

/** Why there can be no thread there: the answer is a reply then. */
const NO_THREADS: ReadonlySet<number | undefined> = new Set<number | undefined>([
  Code.MissingPermissions,
  Code.MissingAccess,
  Code.CannotExecuteActionOnThisChannelType,
  Code.UnknownMessage,
  Code.MaximumActiveThreads,
]);

/** Starts the thread of a message, or finds it started; undefined where none can be. */
async function openThread(
  at: { channel: string; starter: string },
  words: string,
  { rest, log }: { rest: REST; log: ChatLog },
): Promise<string | undefined> {
  try {
    const thread = (await rest.post(Routes.threads(at.channel, at.starter), {
      body: { name: threadName(words), auto_archive_duration: ARCHIVE_MINUTES },
    })) as APIThreadChannel;
    return thread.id;
  } catch (error) {
    const code = discordCode(error);
    // Its id is that of its message.
    if (code === Code.ThreadAlreadyCreatedForMessage) return at.starter;
    if (!NO_THREADS.has(code)) throw error;
    log.debug({ channel: at.channel, code }, "no thread can be started there, the answer is a reply");
    return undefined;
  }
}

/** Names are shown as they are. */
function threadName(words: string): string {
  return cutText(oneLine(words), LIMITS.thread.name) || "Countersign";
}

interface TellLinkDeps {
  rest: REST;
  /** By question: the page it wants opened was shown to its person. */
  told: ChatState<boolean>;
  values: ChatState<string>;
  app: string;
  log: Pick<ChatLog, "debug">;
}

/**
 * Shows pages that a turn waits for to the person who began it by an interaction: `token` reaches them for
 * fifteen minutes. After that, and where somebody was only mentioned, a button of the message shows them.
 * Never rejects.
 */
function tellLinks(
  token: string,
  view: TurnView,
  { rest, told, values, app, log }: TellLinkDeps,
): Promise<void> {
  return showLinksOnce(view, told, async (question) => {
    try {
      const { components, values: long } = renderLinkQuestion(question);
      for (const [key, value] of long) await values.set(key, value);
      const body = { components, flags: FOR_ONE, allowed_mentions: { parse: [] } };
      await rest.post(Routes.webhook(app, token), { body, auth: false });
      return true;
    } catch (error) {
      log.debug({ error, question: question.id }, "a page is shown at its button only");
      return false;
    }
  });
}
