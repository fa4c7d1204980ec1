import type { KnownBlock } from "@slack/types";

import type { MessagePort, MessageRef, TurnView } from "#contract/present.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { isOpen } from "../../chat/actions.ts";
import { keepNewest } from "../../chat/cached.ts";
import { callFiles, contentOf, readCallFiles, type RenderedFile } from "../../chat/files.ts";
import type { ChatLog } from "../../chat/parts.ts";
import { withNames } from "../../chat/people.ts";
import { staysPrivate } from "../../chat/private.ts";
import { showLinksOnce } from "../../chat/questions.ts";
import { redraw } from "../../chat/redraw.ts";
import { cleanText } from "../../chat/text.ts";
import { awaitsWords } from "../../chat/turn-parts.ts";
import { readId, readPlace, readRef, type SlackPlace, type SlackRef, toRef } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import type { SlackDeps } from "../options.ts";
import type { People } from "../receive/people.ts";
import { linkContent, questionBlocks } from "../render/question.ts";
import { BROUGHT, type RenderedMessage, renderTurn } from "../render/turn.ts";
import { type CallBudget, createEditQuota } from "./budget.ts";
import { respond, type TrySendEphemeral } from "./ephemeral.ts";
import { findMessage, type MessageSubject } from "./find.ts";
import type { NativeBlocks } from "./native.ts";
import { createNotify, type NotifyDeps } from "./notify.ts";
import { slackError, SlackRefusal } from "./refusal.ts";
import type { Sessions } from "./sessions.ts";

export interface PortDeps
  extends
    Pick<SlackDeps, "core" | "cards" | "pages" | "threads" | "files" | "told">,
    Omit<NotifyDeps, "budget" | "people"> {
  client: ClientOf;
  budget: CallBudget;
  people: Pick<People, "nameOf">;
  sessions: Pick<Sessions, "shown">;
  native: NativeBlocks;
  trySendEphemeral: TrySendEphemeral;
  /** How long a turn may take before its status is posted. */
  statusAfterMs: number;
  /** The message is there and asks for approval; the store learns of it after this. */
  onAsked: (turnId: string, ref: MessageRef) => void;
}

export interface SlackPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: SlackRef, read: () => Promise<TurnView | undefined>): Promise<void>;
  /** Shows everybody in the channel what one person alone saw. */
  share(place: Pick<SlackPlace, "team" | "channel">, view: TurnView): Promise<void>;
}

/** Turns as messages of Slack. Their metadata names the turn, so that a message can be found again. */
export function createSlackPort(deps: PortDeps): SlackPort {
  const { client: clientOf, budget, threads, sessions, log } = deps;
  const quota = createEditQuota();
  const answered = new Map<string, boolean>();

  async function post(place: SlackPlace, view: TurnView): Promise<SlackRef> {
    const { team, channel, thread } = place;
    if (place.isPrivate === true && staysPrivate(view)) {
      const ref = { team, channel, ts: "", respond: place.respond };
      await answerPrivately(ref, view);
      return { ...ref, isAnswered: view.isSettled };
    }
    const client = await clientOf(team);
    const draw = await drawer(view, thread);
    const options = {
      channel,
      ...(thread === undefined ? {} : { thread_ts: thread }),
      metadata: {
        event_type: "countersign_turn",
        event_payload: { turn_id: view.turnId } satisfies MessageSubject,
      },
      unfurl_links: false,
      unfurl_media: false,
    };
    // Counted before it is posted, as others ask meanwhile whether there is room.
    quota.shown(team, view.turnId, view.isSettled);
    const { message, result } = await deps.native.show(team, draw, ({ text, blocks }) =>
      budget.run("chat.postMessage", `${team} ${channel}`, () =>
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
        client.chat.postMessage({ ...options, text, blocks }),
      ),
    );
    const { ts } = result;
    if (ts === undefined) throw new Error("expected Slack to name the message it posted");
    const ref = { team, channel, ts, thread };
    await complete(ref, view, message.attachments);
    return ref;
  }

  /** Each once: what one person alone sees is not edited, but for its pages. */
  async function answerPrivately(ref: SlackRef, view: TurnView): Promise<void> {
    if (ref.isAnswered === true || answered.has(view.turnId)) return;
    await showPrivately(ref, view, await drawer(view, undefined, true), deps);
    if (view.isSettled) keepNewest(answered, view.turnId, true, MOST_ANSWERED);
  }

  /** Edits need neither the address that came with a command nor a trigger: a turn may take as long as it takes. */
  async function edit(ref: SlackRef, view: TurnView): Promise<RenderedMessage | undefined> {
    const { team, channel, ts, thread } = ref;
    if (ts === "") {
      await showPrivately(ref, view, await drawer(view, thread, true), deps, true);
      return undefined;
    }
    const room = budget.room("chat.update", `${team} ${channel}`);
    // A later one shows this as well. What a turn came to is always shown, and so is what people act on.
    if (isMereStatus(view) && !quota.maySpend(team, room)) return undefined;
    const draw = await drawer(view, thread);
    const client = await clientOf(team);
    const { message } = await deps.native.show(team, draw, ({ text, blocks }) =>
      budget.run("chat.update", `${team} ${channel}`, () =>
        client.chat.update({ channel, ts, text, blocks }),
      ),
    );
    quota.shown(team, view.turnId, view.isSettled);
    return message;
  }

  /** Where no message of a person stands above it, it says what was asked. */
  async function drawer(
    given: TurnView,
    thread: string | undefined,
    isPrivate = false,
  ): Promise<(native: boolean) => RenderedMessage> {
    const view = await withNames(given, deps.people.nameOf);
    const open = view.isSettled ? await deps.pages.get(view.turnId) : undefined;
    const asking = thread === undefined && !isPrivate ? [asked(view)] : [];
    // The first block is what a desktop notice reads: that somebody is waited for.
    const [above, below] = isAwaited(view) ? [[], asking] : [asking, []];
    return (native) => {
      const pages = open === undefined ? {} : { pages: open };
      const drawn = renderTurn(view, deps.cards, { native, isPrivate, ...pages });
      return { ...drawn, blocks: [...above, ...drawn.blocks, ...questionBlocks(view), ...below] };
    };
  }

  /** What goes with a message once it is there. */
  async function complete(ref: SlackRef, view: TurnView, files: readonly RenderedFile[]): Promise<void> {
    const { team, channel, ts, thread } = ref;
    if (thread === undefined) {
      // Replies to the answer of a command belong to the command's conversation.
      const key = threadKey(team, channel, ts);
      if ((await threads.get(key)) !== view.conversationId) await threads.set(key, view.conversationId);
    }
    // Shows pages that a turn waits for to the person whose turn it is, beside its message.
    await showLinksOnce(view, deps.told, async (question) => {
      const user = readId(question.actor)?.local;
      // In a thread that has no reply yet Slack would not show it.
      return (
        user !== undefined &&
        deps.trySendEphemeral({ team, channel, user, thread }, linkContent(question, wordsOf(view.language)))
      );
    });
    await upload(ref, view, files);
  }

  async function upload(
    { team, channel, ts, thread }: SlackRef,
    view: TurnView,
    files: readonly RenderedFile[],
  ): Promise<void> {
    const brought = callFiles(view, BROUGHT).attached;
    if (!view.isSettled || files.length + brought.length === 0) return;
    const client = await clientOf(team);
    const done = (await deps.files.get(view.turnId)) ?? [];
    const missing = files.filter((file) => !done.includes(file.filename));
    const missingBrought = brought.filter((file) => !done.includes(file.filename));
    if (missing.length + missingBrought.length === 0) return;
    const read = await readCallFiles(missingBrought, deps.core);
    const drawn = (await Promise.all(missing.map((file) => uploadOf(file, view.turnId)))).flat();
    if (drawn.length + read.length === 0) return;
    try {
      await budget.run("files", `${team} ${channel}`, () =>
        client.filesUploadV2({
          channel_id: channel,
          thread_ts: thread ?? ts,
          file_uploads: [...drawn, ...read],
        }),
      );
    } catch (error) {
      if (slackError(error) !== "missing_scope") throw error;
      log.error({ turn: view.turnId }, "files cannot be attached: the app lacks the scope files:write");
    }
    const names = [...missing, ...missingBrought].map((file) => file.filename);
    await deps.files.set(view.turnId, [...done, ...names]);
  }

  /** A chart that cannot be drawn is left out: its numbers stand in the message. */
  async function uploadOf(
    file: RenderedFile,
    turn: string,
  ): Promise<{ filename: string; file: Buffer; title: string; alt_text?: string }[]> {
    const { filename, title, chart } = file;
    try {
      const content = await contentOf(file);
      if (chart === undefined) return [{ filename, file: content, title }];
      return [{ filename, file: content, title: cutText(oneLine(chart.title), 150), alt_text: title }];
    } catch (error) {
      log.error({ turn, error }, "a chart could not be drawn");
      return [];
    }
  }

  return {
    surface: "slack",
    async post(given, view) {
      const place = readPlace(given);
      const { team, channel, thread } = place;
      try {
        const ref = await post(place, view);
        if (ref.ts === "") return toRef(ref);
        sessions.shown({ team, channel, thread: thread ?? ref.ts }, view);
        if (isAwaited(view)) deps.onAsked(view.turnId, toRef(ref));
        return toRef(ref);
      } catch (error) {
        const isClosed = error instanceof SlackRefusal && error.code === "place_gone";
        if (isClosed && place.respond !== undefined) {
          const text = recordedText(en.recorded.cannotPost(), wordsOf(view.language));
          await respond(place.respond, { response_type: "ephemeral", text }, log);
        }
        quota.shown(team, view.turnId, true);
        throw error;
      }
    },
    async edit(given, view) {
      const ref = readRef(given);
      const { team, channel, ts, thread = ts } = ref;
      if (ts === "") {
        // Others are asked now, who cannot see it.
        if (!staysPrivate(view))
          throw new SlackRefusal("message_gone", new Error("one person alone sees the message"));
        if (!isMereStatus(view)) await answerPrivately(ref, view);
        return;
      }
      const message = await edit(ref, view).catch((error: unknown) => {
        const isGone = error instanceof SlackRefusal && error.code !== "rate_limited";
        if (isGone) quota.shown(team, view.turnId, true);
        throw error;
      });
      if (message !== undefined) await complete(ref, view, message.attachments);
      sessions.shown({ team, channel, thread }, view);
    },
    statusDelayMs(given) {
      const { team, channel, isPrivate } = readPlace(given);
      if (isPrivate === true) return PRIVATE_STATUS_MS;
      const patience = quota.patience(team, budget.room("chat.update", `${team} ${channel}`));
      return Math.max(deps.statusAfterMs, patience);
    },
    notify: createNotify(deps),
    async find(place, turnId) {
      const { team, channel, thread, since: oldest, isPrivate } = readPlace(place);
      // Slack does not tell what one person was shown: a second copy is better than none.
      if (isPrivate === true) return undefined;
      const client = await clientOf(team);
      const range = { team, channel, thread, oldest };
      const ts = await findMessage(range, { turn_id: turnId }, { client, budget });
      return ts === undefined ? undefined : toRef({ team, channel, ts, thread });
    },
    redraw: (ref, read) => redraw(read, (view) => edit(ref, view)),
    async share({ team, channel }, view) {
      await post({ team, channel }, view);
    },
  };
}

/** Private answers of this process whose status was shown before. */
const MOST_ANSWERED = 500;

/** What one person asked for is mostly there by then, and their messages are few. */
const PRIVATE_STATUS_MS = 4_000;

/** Tells how far a turn is, and nothing that anybody decides or answers. */
function isMereStatus(view: TurnView): boolean {
  const { isSettled, approvals, questions = [] } = view;
  return !isSettled && approvals.length === 0 && questions.length === 0 && !awaitsWords(view);
}

function isAwaited({ isSettled, approvals }: TurnView): boolean {
  return isSettled && approvals.some(isOpen);
}

/** Small enough for the room that the renderer leaves. */
function asked({ actor, message }: TurnView): KnownBlock {
  const user = readId(actor)?.local ?? "";
  return {
    type: "context",
    elements: [
      { type: "mrkdwn", text: /^[A-Z0-9]+$/.test(user) ? `<@${user}>` : "Asked" },
      { type: "plain_text", text: oneLine(cleanText(message), 100), emoji: false },
    ],
  };
}

/** With the workspace, as a channel that two of them share has one id in both. */
export function threadKey(team: string, channel: string, ts: string): string {
  return `${team}:${channel}:${ts}`;
}

interface PrivateDeps {
  native: NativeBlocks;
  trySendEphemeral: TrySendEphemeral;
  log: Pick<ChatLog, "warn">;
}

/**
 * Shows a turn to the person alone, in place of the message of that address or as another one. Never to anybody
 * else; rejects with `place_gone` where the person cannot be reached.
 */
async function showPrivately(
  { team, channel, respond: url }: Pick<SlackRef, "team" | "channel" | "respond">,
  view: TurnView,
  draw: (native: boolean) => RenderedMessage,
  { native, trySendEphemeral, log }: PrivateDeps,
  replaces = false,
): Promise<void> {
  await native.show(team, draw, async ({ text, blocks }) => {
    const content = { response_type: "ephemeral", replace_original: replaces, text, blocks } as const;
    if (url !== undefined && (await respond(url, content, log))) return;
    const user = readId(view.actor)?.local;
    const isTold = user !== undefined && (await trySendEphemeral({ team, channel, user }, { text, blocks }));
    if (!isTold) throw new SlackRefusal("place_gone", new Error("the person cannot be told"));
  });
}
