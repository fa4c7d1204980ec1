import type { KnownBlock } from "@slack/types";

import type { Cards } from "#contract/core.ts";
import type { MessagePort, TurnView } from "#contract/present.ts";

import { callFiles, readCallFiles, type RenderedFile } from "../../chat/files.ts";
import type { ChatState } from "../../chat/parts.ts";
import { showLinksOnce } from "../../chat/questions.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { readId } from "../ids.ts";
import { readPlace, readRef, type SlackPlace, type SlackRef, toRef } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import type { SlackDeps } from "../options.ts";
import { createPeople, withNames } from "../receive/people.ts";
import { linkContent, questionBlocks } from "../render/question.ts";
import { BROUGHT, type RenderedMessage, renderTurn } from "../render/turn.ts";
import { type CallBudget, createEditQuota } from "./budget.ts";
import { createTrySendEphemeral, type TrySendEphemeral } from "./ephemeral.ts";
import { slackError, SlackRefusal } from "./refusal.ts";
import { createRemind } from "./remind.ts";

export type PortDeps = Pick<
  SlackDeps,
  "core" | "cards" | "pages" | "threads" | "files" | "told" | "groupMembers" | "log"
>;

/** A settled turn that changed while it was shown is shown again; more often than this, the presenter goes on. */
const REDRAWS = 5;

export interface SlackPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: SlackRef, read: () => Promise<TurnView | undefined>): Promise<void>;
}

/** Turns as messages of Slack. Their metadata names the turn, so that a message can be found again. */
export function createSlackPort(clientOf: ClientOf, budget: CallBudget, parts: PortDeps): SlackPort {
  const owed = createEditQuota();
  const people = createPeople(clientOf, parts.log);
  const tell = createTrySendEphemeral(clientOf, parts.log);

  async function post(place: SlackPlace, view: TurnView): Promise<SlackRef> {
    const { team, channel, thread } = place;
    const client = await clientOf(team);
    const message = await drawTurn(await withNames(view, people), thread === undefined, parts);
    const options = {
      channel,
      ...(thread === undefined ? {} : { thread_ts: thread }),
      metadata: { event_type: EVENT_TYPE, event_payload: { turn_id: view.turnId } },
      unfurl_links: false,
      unfurl_media: false,
    };
    // Counted before it is posted, as others ask meanwhile whether there is room.
    owed.shown(team, view.turnId, view.isSettled);
    const { ts } = await orPlain(message, (content) =>
      budget.run("chat.postMessage", `${team} ${channel}`, () =>
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
        client.chat.postMessage({ ...options, ...content }),
      ),
    );
    if (ts === undefined) throw new Error("expected Slack to name the message it posted");
    const ref = { team, channel, ts, ...(thread === undefined ? {} : { thread }) };
    await remember(ref, view.conversationId);
    await tellLinks(ref, view, { told: parts.told, tell });
    await upload(ref, view, message.attachments);
    return ref;
  }

  /** Edits need neither the address that came with a command nor a trigger: a turn may take as long as it takes. */
  async function edit(ref: SlackRef, view: TurnView): Promise<RenderedMessage | undefined> {
    const { team, channel, ts } = ref;
    const room = budget.room("chat.update", `${team} ${channel}`);
    // A later one shows this as well. What a turn came to is always shown, and so is what people act on.
    if (isMereStatus(view) && !owed.maySpend(team, room)) return undefined;
    const message = await drawTurn(await withNames(view, people), ref.thread === undefined, parts);
    const client = await clientOf(team);
    await orPlain(message, (content) =>
      budget.run("chat.update", `${team} ${channel}`, () => client.chat.update({ channel, ts, ...content })),
    );
    owed.shown(team, view.turnId, view.isSettled);
    return message;
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
    const key = threadKey(ref.team, ref.channel, ref.ts);
    if ((await parts.threads.get(key)) !== conversationId) await parts.threads.set(key, conversationId);
  }

  async function upload(ref: SlackRef, view: TurnView, files: readonly RenderedFile[]): Promise<void> {
    const brought = callFiles(view, BROUGHT).attached;
    if (!view.isSettled || files.length + brought.length === 0) return;
    const client = await clientOf(ref.team);
    const done = (await parts.files.get(view.turnId)) ?? [];
    const missing = files.filter((file) => !done.includes(file.filename));
    const owedFiles = brought.filter((file) => !done.includes(file.filename));
    if (missing.length + owedFiles.length === 0) return;
    const read = await readCallFiles(owedFiles, parts.core);
    try {
      await budget.run("files", `${ref.team} ${ref.channel}`, () =>
        client.filesUploadV2({
          channel_id: ref.channel,
          thread_ts: ref.thread ?? ref.ts,
          file_uploads: [
            ...missing.map(({ filename, content, title }) => ({ filename, content, title })),
            ...read,
          ],
        }),
      );
    } catch (error) {
      if (slackError(error) !== "missing_scope") throw error;
      parts.log.error({ turn: view.turnId }, "files cannot be attached: the app lacks the scope files:write");
    }
    await parts.files.set(view.turnId, [...done, ...[...missing, ...owedFiles].map((file) => file.filename)]);
  }

  async function find(
    { team, channel, thread, since }: SlackPlace,
    turnId: string,
  ): Promise<SlackRef | undefined> {
    const client = await clientOf(team);
    let cursor: string | undefined;
    do {
      const range = {
        channel,
        include_all_metadata: true,
        limit: 200,
        ...(since === undefined ? {} : { oldest: since }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const page = await budget.run("find", `${team} ${channel}`, () =>
        thread === undefined
          ? client.conversations.history(range)
          : client.conversations.replies({ ...range, ts: thread }),
      );
      for (const { ts, metadata } of page.messages ?? []) {
        const payload: { turn_id?: unknown } | undefined = metadata?.event_payload;
        if (ts !== undefined && payload?.turn_id === turnId) {
          return { team, channel, ts, ...(thread === undefined ? {} : { thread }) };
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
        owed.shown(place.team, view.turnId, true);
        throw error;
      }
    },
    async edit(given, view) {
      const ref = readRef(given);
      const message = await edit(ref, view).catch((error: unknown) => {
        const isGone = error instanceof SlackRefusal && error.code !== "rate_limited";
        if (isGone) owed.shown(ref.team, view.turnId, true);
        throw error;
      });
      if (message === undefined) return;
      await remember(ref, view.conversationId);
      await tellLinks(ref, view, { told: parts.told, tell });
      await upload(ref, view, message.attachments);
    },
    statusDelayMs(given) {
      const { team, channel } = readPlace(given);
      return owed.patience(team, budget.room("chat.update", `${team} ${channel}`));
    },
    remind: createRemind(clientOf, budget, parts),
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

/** Tells how far a turn is, and nothing that anybody decides or answers. */
function isMereStatus({ isSettled, approvals, questions = [] }: TurnView): boolean {
  return !isSettled && approvals.length === 0 && questions.length === 0;
}

const EVENT_TYPE = "countersign_turn";

const UNDRAWABLE: ReadonlySet<string> = new Set(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"]);

/** With the workspace, as a channel that two of them share has one id in both. */
export function threadKey(team: string, channel: string, ts: string): string {
  return `${team}:${channel}:${ts}`;
}

/** To the person alone, through the address that came with their command. */
async function sayClosed(respond: string, { log }: Pick<PortDeps, "log">): Promise<void> {
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

interface DrawOptions {
  cards: Cards;
  pages: ChatState<Record<string, number>>;
}

/** The message of a turn. `isOwnThread`: no message of a person stands above it, so that it says what was asked. */
async function drawTurn(
  view: TurnView,
  isOwnThread: boolean,
  { cards, pages }: DrawOptions,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  const drawn = renderTurn(view, cards, open === undefined ? {} : { pages: open });
  const blocks = [...drawn.blocks, ...questionBlocks(view)];
  return { ...drawn, blocks: isOwnThread ? [asked(view), ...blocks] : blocks };
}

/** Small enough for the room that the renderer leaves. */
function asked({ actor, message }: TurnView): KnownBlock {
  const user = readId(actor)?.local ?? "";
  return {
    type: "context",
    elements: [
      { type: "mrkdwn", text: /^[A-Z0-9]+$/.test(user) ? `<@${user}>` : "Asked" },
      { type: "plain_text", text: cutText(oneLine(cleanText(message)), 100), emoji: false },
    ],
  };
}

/** Shows pages that a turn waits for to the person whose turn it is, beside its message. Never rejects. */
function tellLinks(
  { team, channel, thread }: SlackRef,
  view: TurnView,
  { told, tell }: { told: ChatState<boolean>; tell: TrySendEphemeral },
): Promise<void> {
  return showLinksOnce(view, told, async (question) => {
    const user = readId(question.actor)?.local;
    if (user === undefined) return false;
    // In a thread that has no reply yet Slack would not show it.
    const ear = { team, channel, user, ...(thread === undefined ? {} : { thread }) };
    return tell(ear, linkContent(question));
  });
}
