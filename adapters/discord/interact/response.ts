import {
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType as Kind,
  MessageFlags,
  Routes,
} from "discord.js";
import pLimit from "p-limit";

import type { Card } from "#contract/card.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { keepNewest } from "../../chat/cached.ts";
import type { DiscordDeps } from "../options.ts";
import type { RenderedMessage } from "../render/message.ts";
import { FOR_ONE, renderNotice } from "../render/window.ts";
import type { InteractionOrigin } from "./interaction.ts";

/**
 * The response to one interaction. Discord waits three seconds for the first word; whatever is said after
 * that goes where the interaction's token reaches for fifteen minutes.
 */
export interface InteractionResponse {
  /** Says something to the person alone. */
  tell(words: string | Card | RenderedMessage): Promise<void>;
  /** Changes the message that the button stands in; says it to the person where that cannot be. */
  update(words: string | Card | RenderedMessage): Promise<void>;
  /** Opens a form; false where it is too late for that. */
  open(form: APIModalInteractionResponseCallbackData): Promise<boolean>;
  /** Promises an answer, that everybody sees or the person alone; resolves to whether Discord took it. */
  defer(isPrivate: boolean): Promise<boolean>;
  /** There is nothing to say, as a message shows it. */
  done(): Promise<void>;
  /** Leaves it to an earlier delivery of the same interaction. */
  leave(): void;
}

/** How long the work may take before Discord is told to wait. */
const PATIENCE_MS = 1900;

export function createResponse(
  { id, token, message, channelId }: InteractionOrigin,
  { rest, log, me, values, language }: Pick<DiscordDeps, "rest" | "language" | "log" | "me" | "values">,
): InteractionResponse {
  let state: "open" | "deferred" | "said" = "open";
  const inOrder = pLimit(1);
  const timer = setTimeout(() => {
    inOrder(acknowledge).catch((error: unknown) => {
      log.warn({ error }, "Discord did not take an acknowledgement");
    });
  }, PATIENCE_MS);

  async function callback(type: Kind, data?: object): Promise<void> {
    clearTimeout(timer);
    await rest.post(Routes.interactionCallback(id, token), { body: { type, data }, auth: false });
  }

  async function edit(body: object, messageId?: string): Promise<void> {
    const flags = MessageFlags.IsComponentsV2;
    const route = Routes.webhookMessage(me().app, token, messageId);
    await rest.patch(route, { body: { ...body, flags }, auth: false });
  }

  async function acknowledge(): Promise<void> {
    if (state !== "open") return undefined;
    state = message === undefined ? "deferred" : "said";
    if (message !== undefined) return callback(Kind.DeferredMessageUpdate);
    return callback(Kind.DeferredChannelMessageWithSource, { flags: MessageFlags.Ephemeral });
  }

  async function bodyOf(words: string | Card | RenderedMessage): Promise<object> {
    const say = wordsOf(language(channelId));
    const isRendered = typeof words !== "string" && "components" in words;
    const rendered = isRendered
      ? words
      : renderNotice(typeof words === "string" ? recordedText(words, say) : words);
    for (const [key, value] of rendered.values) await values.set(key, value);
    return { components: rendered.components, allowed_mentions: { parse: [] } };
  }

  async function tell(words: string | Card | RenderedMessage): Promise<void> {
    const body = await bodyOf(words);
    const before = state;
    state = "said";
    if (before === "deferred") return edit(body);
    const forOne = { ...body, flags: FOR_ONE };
    if (before === "open") return callback(Kind.ChannelMessageWithSource, forOne);
    await rest.post(Routes.webhook(me().app, token), { body: forOne, auth: false });
    return undefined;
  }

  return {
    tell: (words) => inOrder(() => tell(words)),
    update: (words) =>
      inOrder(async () => {
        // What everybody sees is the presenter's.
        if (message?.isForOne !== true || state === "deferred") return tell(words);
        const body = await bodyOf(words);
        if (state === "said") return edit(body, message.id);
        state = "said";
        return callback(Kind.UpdateMessage, { ...body, flags: MessageFlags.IsComponentsV2 });
      }),
    open: (form) =>
      inOrder(async () => {
        if (state !== "open") return false;
        state = "said";
        await callback(Kind.Modal, form);
        return true;
      }),
    defer: (isPrivate) =>
      inOrder(async () => {
        if (state === "deferred" && isPrivate) {
          // That is what Discord was told already.
          state = "said";
          return true;
        }
        if (state === "deferred") {
          // Discord was told to wait before it was known what for.
          await tell(en.recorded.answerComes());
        }
        if (state !== "open") return false;
        state = "said";
        try {
          await callback(
            Kind.DeferredChannelMessageWithSource,
            isPrivate ? { flags: MessageFlags.Ephemeral } : undefined,
          );
          return true;
        } catch (error) {
          log.warn({ error, interaction: id }, "an answer came too late for its interaction");
          return false;
        }
      }),
    done: () =>
      inOrder(async () => {
        clearTimeout(timer);
        if (state === "deferred" || (state === "open" && message === undefined))
          return tell(en.recorded.done());
        return acknowledge();
      }),
    leave() {
      clearTimeout(timer);
      state = "said";
    },
  };
}

/** Which interactions of this process were answered with "thinking", for the message that fills the answer. */
export interface DeferredResponses {
  /** The interaction will be deferred; the returned function says whether it was. */
  expect: (interaction: string) => (isDeferred: boolean) => void;
  /** Waits until that is known. One of another process counts as deferred: Discord says if it was not. */
  isDeferred: (interaction: string) => Promise<boolean>;
}

/** Long after any process has filled the answer. */
const KEPT = 1000;

export function createDeferredResponses(): DeferredResponses {
  const known = new Map<string, Promise<boolean>>();
  return {
    expect(interaction) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      keepNewest(known, interaction, promise, KEPT);
      return resolve;
    },
    isDeferred: (interaction) => known.get(interaction) ?? Promise.resolve(true),
  };
}
