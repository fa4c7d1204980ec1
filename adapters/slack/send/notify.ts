import type { ChatPostMessageArguments } from "@slack/web-api";

import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { MessagePort } from "#contract/present.ts";

import { cached } from "../../chat/cached.ts";
import { MAX_NAMED } from "../../chat/notice.ts";
import { deliverNotice, type NoticeContent, type NoticePlatform } from "../../chat/notice-delivery.ts";
import type { ChatParts } from "../../chat/parts.ts";
import type { Line } from "../../document/tree.ts";
import { actorOf, channelOf, readId, readRef, type SlackRef } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import type { People, SlackMembership } from "../receive/people.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import type { CallBudget } from "./budget.ts";
import { findMessage, type MessageSubject } from "./find.ts";
import { slackError } from "./refusal.ts";

interface SendDeps {
  client: ClientOf;
  budget: Pick<CallBudget, "run" | "room">;
}

export interface NotifyDeps extends SendDeps, Pick<ChatParts, "groupMembers" | "log"> {
  people: Pick<People, "nameOf">;
  members: Pick<SlackMembership, "inChannel">;
  /** The address of the message that shows a turn. */
  link: (turnId: string) => Promise<string | undefined>;
}

/** When a busy channel is looked at again. */
const BUSY_MS = 3_000;

/** To whom no app may write: https://docs.slack.dev/reference/methods/conversations.open */
const UNREACHABLE: ReadonlySet<string> = new Set([
  "user_not_found",
  "users_not_found",
  "user_not_visible",
  "user_disabled",
  "cannot_dm_bot",
  "messages_tab_disabled",
  "channel_not_found",
  "restricted_action",
  "missing_scope",
]);

/** Tells people in the thread of a request and by direct messages, whose metadata names the notice. */
export function createNotify(deps: NotifyDeps): NonNullable<MessagePort["notify"]> {
  const { client: clientOf, budget, log } = deps;
  /** User groups by handle. */
  const groups = cached(async (team: string) => {
    const client = await clientOf(team);
    const { usergroups = [] } = await client.usergroups.list({ include_users: true });
    return new Map(usergroups.map(({ handle = "", id = "", users = [] }) => [handle, { id, users }]));
  });

  async function groupOf(team: string, name: string): ReturnType<NoticePlatform["group"]> {
    try {
      const found = (await groups(team)).get(name);
      if (found === undefined) return undefined;
      return found.users.length > MAX_NAMED
        ? { mention: [{ type: "mention", of: "usergroup", id: found.id }] }
        : { people: found.users.map((user) => actorOf(team, user)) };
    } catch (error) {
      log.warn({ error, group: name }, "Slack did not say who is in a group: it is named only");
      return undefined;
    }
  }

  /** Turns come first: what tells people waits until the channel has room. */
  function requireRoom({ team, channel }: SlackRef): void {
    if (budget.room("chat.postMessage", `${team} ${channel}`) >= 1) return;
    throw Object.assign(new Error("the channel is busy"), { retryAfterMs: BUSY_MS });
  }

  return async (notice) => {
    const ref = readRef(notice.ref);
    requireRoom(ref);
    const { team, channel, ts, thread = ts } = ref;
    const client = await clientOf(team);
    const isShared = notice.way === "channel" && !channel.startsWith("D");
    let isBegun = false;

    /** Posts it unless an earlier process has. */
    async function send(place: { channel: string; thread?: string }, content: NoticeContent): Promise<void> {
      const subject = { notice_id: notice.id } satisfies MessageSubject;
      const range = { team, ...place, oldest: ts };
      if (notice.mayBePosted && (await findMessage(range, subject, { client, budget })) !== undefined) return;
      const message = {
        channel: place.channel,
        text: escapeText(content.text),
        blocks: pack(content.flow),
        metadata: { event_type: "countersign_notice", event_payload: subject },
        unfurl_links: false,
        unfurl_media: false,
      };
      const inThread = place.thread === undefined ? {} : { thread_ts: place.thread };
      const shared = place.thread !== undefined && isShared ? { reply_broadcast: true as const } : {};
      await budget.run("chat.postMessage", `${team} ${place.channel}`, () =>
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
        client.chat.postMessage({ ...message, ...inThread, ...shared } as ChatPostMessageArguments),
      );
      isBegun = true;
    }

    const platform: NoticePlatform = {
      mention,
      group: (name) => groupOf(team, name),
      // Where Slack does not say, a mention is the better guess.
      isHere: (actor) => deps.members.inChannel(actor, channelOf(team, channel)).catch(() => true),
      nameOf: (actor) => deps.people.nameOf(actor),
      link: ({ turnId }: Approval) => deps.link(turnId),
      channel: [{ type: "mention", of: "channel", id: channel }],
      async sendDirect(actor, content) {
        const users = readId(actor)?.local ?? "";
        try {
          const opened = await budget.run("conversations.open", team, () =>
            client.conversations.open({ users }),
          );
          const direct = opened.channel?.id;
          if (direct === undefined) return false;
          await send({ channel: direct }, content);
          return true;
        } catch (error) {
          const code = codeOf(error);
          if (code === undefined || !UNREACHABLE.has(code)) throw error;
          log.warn({ actor, code }, "Slack lets nobody write to a person: the thread names them");
          return false;
        }
      },
      post: (content) => send({ channel, thread }, content),
    };
    try {
      await deliverNotice(notice, platform, deps.groupMembers);
    } catch (error) {
      // Somebody was told already: from here on it has to be looked for.
      if (isBegun) throw new Error("only some people could be told of an approval", { cause: error });
      throw error;
    }
  };
}

/** Slack's own word, also of what the budget has worded. */
function codeOf(error: unknown): string | undefined {
  return slackError(error) ?? (error instanceof Error ? slackError(error.cause) : undefined);
}

/** Undefined for people of other platforms. */
function mention(actor: ActorId): Line | undefined {
  const user = readId(actor)?.local ?? "";
  return /^[UW][A-Z0-9]+$/.test(user) ? [{ type: "mention", of: "user", id: user }] : undefined;
}

/** Says one plain line in a channel, as `slack:TEAM:CHANNEL`; rejects when it could not. */
export function createAnnounce({
  client: clientOf,
  budget,
}: SendDeps): (channel: string, text: string) => Promise<void> {
  return async (id, text) => {
    const place = readId(id);
    if (place === undefined) throw new Error(`expected a channel as slack:WORKSPACE:CHANNEL, got ${id}`);
    const { team, local: channel } = place;
    const client = await clientOf(team);
    await budget.run("chat.postMessage", `${team} ${channel}`, () =>
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
      client.chat.postMessage({ channel, text: escapeText(text), unfurl_links: false }),
    );
  };
}
