import {
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType as Kind,
  MessageFlags,
  type REST,
  Routes,
} from "discord.js";

import type { Card } from "#contract/card.ts";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import type { Identity } from "../receive/connection.ts";
import type { RenderedMessage } from "../render/message.ts";
import { FOR_ONE, renderNotice } from "../render/window.ts";
import type { InteractionContext } from "./interaction.ts";

/**
 * The answer to one interaction. Discord waits three seconds for the first word; whatever is said after
 * that goes where the interaction's token reaches for fifteen minutes.
 */
export interface InteractionResponse {
  /** Says something to the person alone. */
  tell(words: string | Card | RenderedMessage): Promise<void>;
  /** Changes the message that the button stands in; says it to the person where that cannot be. */
  update(words: string | Card | RenderedMessage): Promise<void>;
  /** Opens a form; false where it is too late for that. */
  open(form: APIModalInteractionResponseCallbackData): Promise<boolean>;
  /** Promises an answer that everybody sees; resolves to whether Discord took it. */
  promise(): Promise<boolean>;
  /** There is nothing to say, as a message shows it. */
  done(): Promise<void>;
  /** Leaves it to whoever answered the same interaction before. */
  leave(): void;
}

export interface ResponseDeps {
  rest: REST;
  log: ChatLog;
  me: () => Identity;
  values: ChatState<string>;
}

/** So long the work may take before Discord is told to wait. */
const PATIENCE_MS = 1900;

export function createResponse(
  deed: InteractionContext,
  { rest, log, me, values }: ResponseDeps,
): InteractionResponse {
  const { id, token, message } = deed;
  let state: "open" | "deferred" | "said" = "open";
  /** One word after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const timer = setTimeout(() => {
    inOrder(wait).catch((error: unknown) => log.warn({ error }, "Discord did not take an acknowledgement"));
  }, PATIENCE_MS);

  async function callback(type: Kind, data?: object): Promise<void> {
    clearTimeout(timer);
    await rest.post(Routes.interactionCallback(id, token), {
      body: { type, ...(data === undefined ? {} : { data }) },
      auth: false,
    });
  }

  async function wait(): Promise<void> {
    if (state !== "open") return;
    if (message === undefined) {
      state = "deferred";
      return callback(Kind.DeferredChannelMessageWithSource, { flags: MessageFlags.Ephemeral });
    }
    state = "said";
    return callback(Kind.DeferredMessageUpdate);
  }

  async function bodyOf(words: string | Card | RenderedMessage): Promise<object> {
    const drawn = isDrawn(words) ? words : renderNotice(words);
    for (const [key, value] of drawn.values) await values.set(key, value);
    return { components: drawn.components, allowed_mentions: { parse: [] } };
  }

  async function tell(words: string | Card | RenderedMessage): Promise<void> {
    const body = await bodyOf(words);
    const before = state;
    state = "said";
    if (before === "open") {
      return callback(Kind.ChannelMessageWithSource, { ...body, flags: FOR_ONE });
    }
    if (before === "deferred") {
      const flags = MessageFlags.IsComponentsV2;
      await rest.patch(Routes.webhookMessage(me().app, token), { body: { ...body, flags }, auth: false });
      return undefined;
    }
    await rest.post(Routes.webhook(me().app, token), { body: { ...body, flags: FOR_ONE }, auth: false });
    return undefined;
  }

  return {
    tell: (words) => inOrder(() => tell(words)),
    update: (words) =>
      inOrder(async () => {
        // What everybody sees is the presenter's.
        if (message?.isForOne !== true || state === "deferred") return tell(words);
        const body = { ...(await bodyOf(words)), flags: MessageFlags.IsComponentsV2 };
        if (state === "open") {
          state = "said";
          return callback(Kind.UpdateMessage, body);
        }
        await rest.patch(Routes.webhookMessage(me().app, token, message.id), { body, auth: false });
        return undefined;
      }),
    open: (form) =>
      inOrder(async () => {
        if (state !== "open") return false;
        state = "said";
        await callback(Kind.Modal, form);
        return true;
      }),
    promise: () =>
      inOrder(async () => {
        if (state === "open") {
          state = "said";
          try {
            await callback(Kind.DeferredChannelMessageWithSource);
            return true;
          } catch (error) {
            log.warn({ error, interaction: id }, "an answer came too late for its interaction");
          }
        } else if (state === "deferred") {
          // It was told to wait before it was known what for.
          await tell("That took a moment: the answer comes in this channel.");
        }
        return false;
      }),
    done: () =>
      inOrder(async () => {
        clearTimeout(timer);
        if (state === "deferred") return tell("Done.");
        if (state === "said") return undefined;
        return message === undefined ? tell("Done.") : wait();
      }),
    leave() {
      clearTimeout(timer);
      state = "said";
    },
  };
}

function isDrawn(words: string | Card | RenderedMessage): words is RenderedMessage {
  return typeof words !== "string" && "components" in words;
}
