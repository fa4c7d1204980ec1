import { type APIChannel, ChannelType, type REST, Routes } from "discord.js";

import { sleep } from "#src/base/time.ts";

import type { ChatState } from "../../chat/parts.ts";
import { conversationOf } from "../ids.ts";

/** What hangs where: threads in channels, and conversations in threads and on messages. */
export interface Conversations {
  /** The channel that a thread hangs on; undefined for a channel. `mustKnow`: rejects rather than guess. */
  parentOf(channel: string, mustKnow: boolean): Promise<string | undefined>;
  /** The conversation of a thread, a direct conversation, or a thread to be. */
  conversation(at: { guild: string | undefined; channel: string; thread: string }): Promise<string>;
  /** The conversation that a message of the bot belongs to, where it is not that of its thread. */
  conversationAt(message: string): Promise<string | undefined>;
  /** Replies to the message, and a thread started from it, belong to the conversation. */
  remember(message: string, conversationId: string): Promise<void>;
  /** The same of a message that was replied to: one that is just being posted in the channel is waited for. */
  conversationOfReply(message: string, channel: string): Promise<string | undefined>;
  /** Posts a message, which is remembered in the course of it: a reply may come before this has ended. */
  posting<Ref>(channel: string, post: () => Promise<Ref>): Promise<Ref>;
}

/** Longest wait for messages under way, in ms: one that a rate limit holds back has no replies yet. */
const POST_WAIT_MS = 3_000;

/** How many channels are remembered: what a channel is never changes. */
const KEPT = 20_000;

const THREAD_TYPES: ReadonlySet<ChannelType> = new Set([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

/** The channel that a thread hangs on; undefined for every other channel. */
export function parentOf(channel: { type: ChannelType; parent_id?: string | null }): string | undefined {
  return THREAD_TYPES.has(channel.type) ? (channel.parent_id ?? undefined) : undefined;
}

export function createConversations(
  rest: REST,
  threads: ChatState<string>,
  known: (channel: string) => { parent: string | undefined } | undefined,
): Conversations {
  const parents = new Map<string, string | undefined>();
  const underWay = new Set<{ channel: string; ended: Promise<unknown> }>();
  const conversationAt: Conversations["conversationAt"] = (message) => threads.get(message);

  async function ask(channel: string): Promise<string | undefined> {
    const found = (await rest.get(Routes.channel(channel))) as APIChannel;
    const parent = parentOf(found);
    if (parents.size >= KEPT) parents.clear();
    parents.set(channel, parent);
    return parent;
  }

  return {
    async parentOf(channel, mustKnow) {
      const cached = known(channel);
      if (cached !== undefined) return cached.parent;
      if (parents.has(channel)) return parents.get(channel);
      try {
        return await ask(channel);
      } catch (error) {
        // What nobody asked of the bot is no reason to fail.
        if (mustKnow) throw error;
        return undefined;
      }
    },
    async conversation({ guild, channel, thread }) {
      return (await threads.get(thread)) ?? conversationOf(guild, channel, thread);
    },
    conversationAt,
    async conversationOfReply(message, channel) {
      const known = await conversationAt(message);
      const posts = [...underWay].filter((post) => post.channel === channel).map(({ ended }) => ended);
      if (known !== undefined || posts.length === 0) return known;
      await Promise.race([Promise.allSettled(posts), sleep(POST_WAIT_MS)]);
      return conversationAt(message);
    },
    async posting(channel, post) {
      const ended = post();
      const entry = { channel, ended };
      underWay.add(entry);
      try {
        return await ended;
      } finally {
        underWay.delete(entry);
      }
    },
    async remember(message, conversationId) {
      if ((await threads.get(message)) !== conversationId) await threads.set(message, conversationId);
    },
  };
}
