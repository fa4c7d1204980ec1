import type { Place } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { channelOf, conversationOf, toPlace } from "../ids.ts";
import type { MessageEvent } from "./event.ts";

/** Something that was said to the bot, and where it is answered. */
export interface IncomingMessage {
  request: TurnRequest;
  place: Place;
}

export interface MessageContext {
  botUser: string;
  /** The conversation of a thread. */
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
  /** Whether there was a turn in it. */
  isKnown: (conversation: string) => Promise<boolean>;
}

/**
 * What a message says to the bot: a mention, a direct message, or a message in a thread in which the bot
 * takes part. Returns undefined for everything else, such as joins, edits and bots.
 */
export async function parseMessage(
  event: MessageEvent,
  { botUser, conversation, isKnown }: MessageContext,
): Promise<IncomingMessage | undefined> {
  const { id, team, actor, user, channel, thread, ts, text } = event;
  if (!event.isWritten || user === botUser) return undefined;
  const isReply = thread !== ts;
  const isOverheard = !event.isMention && !event.isDirect;
  // A message that mentions the bot comes as an app_mention as well.
  if (isOverheard && (!isReply || mentions(text, botUser))) return undefined;
  const conversationId = isReply
    ? await conversation(team, channel, thread)
    : conversationOf(team, channel, thread);
  if (isOverheard && !(await isKnown(conversationId))) return undefined;
  return {
    request: {
      surface: "slack",
      actor,
      conversationId,
      channel: channelOf(team, channel),
      message: plainWords(withoutMention(text, botUser)) || "help",
      eventId: id,
    },
    place: toPlace({ team, channel, thread, since: ts }),
  };
}

/** What a person wrote, from Slack's markup: mentions, links and escapes become plain text. */
export function plainWords(text: string): string {
  return text
    .replaceAll(/<([^<>]*)>/g, (_, inner: string) => linkText(inner))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

/** Without the mentions of the bot itself. */
export function withoutMention(text: string, botUser: string): string {
  return text.replaceAll(new RegExp(`\\s*<@${botUser}(?:\\|[^<>]*)?>`, "g"), "").trim();
}

export function mentions(text: string, botUser: string): boolean {
  return text.includes(`<@${botUser}>`) || text.includes(`<@${botUser}|`);
}

/** `@U1|ana` reads "@ana", `#C1|general` "#general", `https://x|shown` the address itself. */
function linkText(inner: string): string {
  const [target = "", label] = inner.split("|", 2);
  if (target.startsWith("@") || target.startsWith("#")) {
    return label === undefined || label === "" ? target : `${target.charAt(0)}${label}`;
  }
  if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
  return target.replace(/^mailto:/, "");
}
