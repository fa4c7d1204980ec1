import { z } from "zod";

import type { Place } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { actorOf, channelOf, conversationOf } from "../ids.ts";
import { toPlace } from "../ids.ts";

/** Something that was said to the bot, and where it is answered. */
export interface IncomingMessage {
  request: TurnRequest;
  place: Place;
}

export interface ParseDeps {
  botUser: string;
  /** The workspace of this bot, where it is not the one that the event names: in shared channels. */
  team?: string | undefined;
  /** The conversation of a thread. */
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
  /** Whether there was a turn in it. */
  isKnown: (conversation: string) => Promise<boolean>;
}

/** Messages that people write have no subtype, or one of these. */
const WRITTEN: ReadonlySet<string> = new Set(["file_share", "thread_broadcast"]);

/**
 * What a request of the Events API says to the bot: a mention, a direct message, or a message in a
 * thread in which the bot takes part. Undefined for everything else, such as joins, edits and bots.
 */
export async function parseMessage(body: unknown, hearing: ParseDeps): Promise<IncomingMessage | undefined> {
  const parsed = said.safeParse(body);
  if (!parsed.success) return undefined;
  const { event, event_id: eventId, team_id: told } = parsed.data;
  const { team = told } = hearing;
  const { channel, user, ts, thread_ts: thread = ts } = event;
  const isOther = event.bot_id !== undefined || user === hearing.botUser || event.edited !== undefined;
  if (isOther || (event.subtype !== undefined && !WRITTEN.has(event.subtype))) return undefined;

  const isDirect = event.channel_type === "im";
  const isReply = thread !== ts;
  if (event.type === "message" && !isDirect) {
    // A message that mentions the bot comes as an app_mention as well.
    if (!isReply || mentions(event.text, hearing.botUser)) return undefined;
  }
  const conversationId = isReply
    ? await hearing.conversation(team, channel, thread)
    : conversationOf(team, channel, thread);
  if (event.type === "message" && !isDirect && !(await hearing.isKnown(conversationId))) return undefined;
  const words = plainWords(withoutMention(event.text, hearing.botUser));
  return {
    request: {
      surface: "slack",
      actor: actorOf(event.user_team ?? told, user),
      conversationId,
      channel: channelOf(team, channel),
      message: words === "" ? "help" : words,
      eventId,
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
