import type { APIMessage, RawFile, REST, RESTPatchAPIChannelMessageJSONBody } from "discord.js";
import { ComponentType, MessageFlags, RESTJSONErrorCodes as Code, Routes } from "discord.js";

import type { MessagePort, TurnView } from "#contract/present.ts";

import { redrawn } from "../chat/redraw.ts";
import { drawTurn } from "./draw.ts";
import type { Answers } from "./answers.ts";
import type { Identity } from "./connection.ts";
import { findMessage } from "./find.ts";
import { marksOf } from "./marks.ts";
import type { DiscordParts } from "./options.ts";
import { type DiscordPlace, type DiscordRef, readPlace, readRef, toRef } from "./place.ts";
import { discordCode, toRefusal } from "./refusal.ts";
import { createRemind } from "./remind.ts";
import type { RenderedMessage } from "./render/message.ts";
import type { Rooms } from "./rooms.ts";
import { openThread } from "./threads.ts";

export interface PortParts extends Pick<
  DiscordParts,
  "cards" | "pages" | "files" | "values" | "log" | "groupMembers"
> {
  rest: REST;
  /** Throws before Discord has answered for the first time. */
  me: () => Identity;
  rooms: Rooms;
  answers: Answers;
}

export interface DiscordPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: DiscordRef, read: () => Promise<TurnView | undefined>): Promise<void>;
}

type Body = RESTPatchAPIChannelMessageJSONBody;
interface Request {
  body: Body;
  files?: RawFile[];
}

/** Turns as messages of Discord. A nonce and a component's id name the turn, so that a message is found again. */
export function createDiscordPort(parts: PortParts): DiscordPort {
  const { rest, me, rooms, answers, log } = parts;

  async function post(place: DiscordPlace, view: TurnView): Promise<DiscordRef> {
    if (place.interaction !== undefined) {
      const answered = await answerInteraction(place, place.interaction, view);
      if (answered !== undefined) return answered;
    }
    const { channel, starter, answers: asked } = place;
    const thread = starter === undefined ? undefined : await openThread({ channel, starter }, view.message, parts);
    const target = thread ?? channel;
    const isReply = thread === undefined && asked !== undefined;
    const ref = { channel: target, isAnswer: place.interaction === undefined };
    const sent = await send(view, ref, undefined, ({ body, files }) =>
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
    return { ...ref, message: sent.id };
  }

  /** Fills the answer that says "thinking"; undefined where that can no longer be. */
  async function answerInteraction(
    { channel }: DiscordPlace,
    { id, token }: NonNullable<DiscordPlace["interaction"]>,
    view: TurnView,
  ): Promise<DiscordRef | undefined> {
    if (!(await answers.isDeferred(id))) return undefined;
    try {
      const sent = await send(view, { isAnswer: false }, undefined, (request) =>
        rest.patch(Routes.webhookMessage(me().app, token), { ...request, auth: false }),
      );
      await rooms.remember(sent.id, view.conversationId);
      return { channel, message: sent.id, isAnswer: false, token };
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
      await send(view, ref, message, (request) => inOpenThread(channel, () => patch(request)));
    } catch (error) {
      if (discordCode(error) !== Code.MissingAccess || token === undefined) throw error;
      // Where the bot cannot look into the channel, the interaction still reaches its answer for a while.
      await send(view, ref, message, (request) =>
        rest.patch(Routes.webhookMessage(me().app, token, message), { ...request, auth: false }),
      );
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

  /** Draws the turn and sends it, with the files that the message does not have yet. */
  async function send(
    view: TurnView,
    { isAnswer }: Pick<DiscordRef, "isAnswer">,
    message: string | undefined,
    call: (request: Request) => Promise<unknown>,
  ): Promise<APIMessage> {
    const drawn = await drawTurn(view, isAnswer, parts);
    for (const [key, value] of drawn.values) await parts.values.set(key, value);
    const has = message === undefined ? [] : ((await parts.files.get(message)) ?? []);
    const missing = drawn.files.filter(({ filename }) => has.every((file) => file.filename !== filename));
    const request = toRequest(view.turnId, drawn, missing, has);
    const sent = (await orPlain(drawn, request, call)) as APIMessage;
    if (missing.length > 0) {
      await parts.files.set(
        sent.id,
        sent.attachments.map(({ id, filename }) => ({ id, filename })),
      );
    }
    return sent;
  }

  /** What Discord cannot draw is said in words rather than not at all. */
  async function orPlain(
    { components }: RenderedMessage,
    request: Request,
    call: (request: Request) => Promise<unknown>,
  ): Promise<unknown> {
    try {
      return await call(request);
    } catch (error) {
      if (discordCode(error) !== Code.InvalidFormBodyOrContentType) throw error;
      log.error({ error, components }, "Discord refused the components of a message");
      const words = { type: ComponentType.TextDisplay as const, content: UNDRAWABLE };
      return call({ body: { ...request.body, components: [words] } });
    }
  }

  return {
    surface: "discord",
    async post(place, view) {
      try {
        return toRef(await post(readPlace(place), view));
      } catch (error) {
        throw toRefusal(error);
      }
    },
    async edit(ref, view) {
      try {
        await edit(readRef(ref), view);
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

const UNDRAWABLE = "Discord could not draw this answer. Ask an operator to look into the log.";

const TOKEN_GONE: ReadonlySet<number | undefined> = new Set<number | undefined>([
  Code.UnknownWebhook,
  Code.InvalidWebhookToken,
  Code.UnknownMessage,
  Code.UnknownInteraction,
]);

function toRequest(
  turnId: string,
  { components: [first, ...rest] }: RenderedMessage,
  missing: RenderedMessage["files"],
  has: readonly { id: string }[],
): Request {
  const components = first === undefined ? rest : [{ ...first, id: marksOf(turnId).mark }, ...rest];
  const body: Body = {
    components,
    flags: MessageFlags.IsComponentsV2,
    // Nobody is notified by what data says.
    allowed_mentions: { parse: [], replied_user: false },
  };
  if (missing.length === 0) return { body };
  const attachments = missing.map(({ filename, title }, id) => ({ id, filename, description: title }));
  return {
    body: { ...body, attachments: [...has.map(({ id }) => ({ id })), ...attachments] },
    files: missing.map(({ filename, content }) => ({
      name: filename,
      data: content,
      contentType: filename.endsWith(".csv") ? "text/csv" : "application/json",
    })),
  };
}
