import type { MessagePort, TurnView } from "#contract/present.ts";

import type { WebClient } from "@slack/web-api";

import type { CallBudget } from "./budget.ts";
import { drawTurn } from "./draw.ts";
import type { SlackParts } from "./options.ts";
import { readPlace, readRef, type SlackPlace, type SlackRef, toRef } from "./place.ts";
import { slackError, SlackRefusal } from "./refusal.ts";
import type { RenderedFile } from "./render/files.ts";
import type { RenderedMessage } from "./render/turn.ts";

export type PortParts = Pick<SlackParts, "cards" | "pages" | "threads" | "files" | "log">;

/** A settled turn that changed while it was shown is shown again; more often than this, the presenter goes on. */
const REDRAWS = 5;

export interface SlackPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: SlackRef, read: () => Promise<TurnView | undefined>): Promise<void>;
}

/** Turns as messages of Slack. Their metadata names the turn, so that a message can be found again. */
export function createSlackPort(client: WebClient, budget: CallBudget, parts: PortParts): SlackPort {
  async function post(place: SlackPlace, view: TurnView): Promise<SlackRef> {
    const { channel, thread } = place;
    const message = await drawTurn(view, thread === undefined, parts);
    const options = {
      channel,
      ...(thread === undefined ? {} : { thread_ts: thread }),
      metadata: { event_type: EVENT_TYPE, event_payload: { turn_id: view.turnId } },
      unfurl_links: false,
      unfurl_media: false,
    };
    const { ts } = await orPlain(message, (content) =>
      budget.run("chat.postMessage", channel, () =>
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
        client.chat.postMessage({ ...options, ...content }),
      ),
    );
    if (ts === undefined) throw new Error("expected Slack to name the message it posted");
    const ref = { channel, ts, ...(thread === undefined ? {} : { thread }) };
    await remember(ref, view.conversationId);
    await upload(ref, view, message.attachments);
    return ref;
  }

  async function edit(ref: SlackRef, view: TurnView): Promise<void> {
    const message = await drawTurn(view, ref.thread === undefined, parts);
    const { channel, ts } = ref;
    await orPlain(message, (content) =>
      budget.run("chat.update", channel, () => client.chat.update({ channel, ts, ...content })),
    );
    await remember(ref, view.conversationId);
    await upload(ref, view, message.attachments);
  }

  /** What Slack cannot draw is said in words rather than not at all. */
  async function orPlain<Result>(
    { text, blocks }: RenderedMessage,
    send: (content: Pick<RenderedMessage, "text" | "blocks">) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await send({ text, blocks });
    } catch (error) {
      if (!UNDRAWABLE.has(slackError(error) ?? "")) throw error;
      parts.log.error({ error: slackError(error), blocks }, "Slack refused the blocks of a message");
      return send({ text: `${text}\n(Slack could not draw this in full.)`, blocks: [] });
    }
  }

  /** Replies to the answer of a command belong to the command's conversation. */
  async function remember(ref: SlackRef, conversationId: string): Promise<void> {
    if (ref.thread !== undefined) return;
    const key = threadKey(ref.channel, ref.ts);
    if ((await parts.threads.get(key)) !== conversationId) await parts.threads.set(key, conversationId);
  }

  async function upload(ref: SlackRef, view: TurnView, files: readonly RenderedFile[]): Promise<void> {
    if (!view.isSettled || files.length === 0) return;
    const done = (await parts.files.get(view.turnId)) ?? [];
    const missing = files.filter((file) => !done.includes(file.filename));
    if (missing.length === 0) return;
    try {
      await budget.run("files", ref.channel, () =>
        client.filesUploadV2({
          channel_id: ref.channel,
          thread_ts: ref.thread ?? ref.ts,
          file_uploads: missing.map(({ filename, content, title }) => ({ filename, content, title })),
        }),
      );
    } catch (error) {
      if (slackError(error) !== "missing_scope") throw error;
      parts.log.error({ turn: view.turnId }, "files cannot be attached: the app lacks the scope files:write");
    }
    await parts.files.set(view.turnId, [...done, ...missing.map((file) => file.filename)]);
  }

  async function find({ channel, thread, since }: SlackPlace, turnId: string): Promise<SlackRef | undefined> {
    let cursor: string | undefined;
    do {
      const range = {
        channel,
        include_all_metadata: true,
        limit: 200,
        ...(since === undefined ? {} : { oldest: since }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const page = await budget.run("find", channel, () =>
        thread === undefined
          ? client.conversations.history(range)
          : client.conversations.replies({ ...range, ts: thread }),
      );
      for (const { ts, metadata } of page.messages ?? []) {
        const payload: { turn_id?: unknown } | undefined = metadata?.event_payload;
        if (ts !== undefined && payload?.turn_id === turnId) {
          return { channel, ts, ...(thread === undefined ? {} : { thread }) };
        }
      }
      cursor = page.response_metadata?.next_cursor;
    } while (cursor !== undefined && cursor !== "");
    return undefined;
  }

  return {
    surface: "slack",
    async post(given, view) {
      const place = readPlace(given);
      try {
        return toRef(await post(place, view));
      } catch (error) {
        const isClosed = error instanceof SlackRefusal && error.code === "place_gone";
        if (isClosed && place.respond !== undefined) await sayClosed(place.respond, parts);
        throw error;
      }
    },
    edit: (ref, view) => edit(readRef(ref), view),
    async find(place, turnId) {
      const ref = await find(readPlace(place), turnId);
      return ref === undefined ? undefined : toRef(ref);
    },
    async redraw(ref, read) {
      let shown: string | undefined;
      for (let count = 0; count < REDRAWS; count += 1) {
        const view = await read();
        // A turn that goes on is drawn by the presenter.
        if (view?.isSettled !== true || JSON.stringify(view) === shown) return;
        shown = JSON.stringify(view);
        await edit(ref, view);
      }
    },
  };
}

const EVENT_TYPE = "countersign_turn";

const UNDRAWABLE: ReadonlySet<string> = new Set(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"]);

export function threadKey(channel: string, ts: string): string {
  return `${channel}:${ts}`;
}

/** To the person alone, through the address that came with their command. */
async function sayClosed(respond: string, { log }: Pick<PortParts, "log">): Promise<void> {
  const text = "I cannot post in this channel. Invite me with /invite, then ask again.";
  try {
    await fetch(respond, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ response_type: "ephemeral", text }),
    });
  } catch (error) {
    log.warn({ error }, "a person could not be told that the channel is closed to the bot");
  }
}
