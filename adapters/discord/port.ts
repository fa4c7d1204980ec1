import type { REST } from "discord.js";
import { RESTJSONErrorCodes as Code, Routes } from "discord.js";

import type { MessagePort, TurnView } from "#contract/present.ts";

import { openLinks } from "../chat/links.ts";
import type { NameOf } from "../chat/names.ts";
import { redrawn } from "../chat/redraw.ts";
import type { Answers } from "./answers.ts";
import type { Identity } from "./connection.ts";
import { findMessage } from "./find.ts";
import { marksOf } from "./marks.ts";
import type { DiscordOptions, DiscordParts } from "./options.ts";
import { type DiscordPlace, type DiscordRef, readPlace, readRef, toRef } from "./place.ts";
import { discordCode, toRefusal } from "./refusal.ts";
import { createRemind } from "./remind.ts";
import type { Rooms } from "./rooms.ts";
import { createSend, type Request } from "./send.ts";
import { tellLinks } from "./tell-links.ts";
import { openThread } from "./threads.ts";

export interface PortParts extends Pick<
  DiscordParts,
  "core" | "cards" | "pages" | "files" | "told" | "values" | "log" | "groupMembers"
> {
  rest: REST;
  /** Throws before Discord has answered for the first time. */
  me: () => Identity;
  rooms: Rooms;
  answers: Answers;
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
export function createDiscordPort(parts: PortParts): DiscordPort {
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
          nonce: marksOf(view.turnId).nonce,
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
      const ref = await findMessage(readPlace(place), marksOf(turnId), { rest, bot: me().bot });
      return ref === undefined ? undefined : toRef(ref);
    },
    remind: createRemind(parts),
    redraw: (ref, read) => redrawn(read, (view) => edit(ref, view)),
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
