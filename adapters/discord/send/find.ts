import { createHash } from "node:crypto";
import { type APIMessage, RESTJSONErrorCodes as Code, type REST, Routes } from "discord.js";

import { discordCode } from "./refusal.ts";
import type { DiscordPlace, DiscordRef } from "./place.ts";

export interface FindDeps {
  rest: REST;
  /** Whose messages are looked through. */
  bot: string;
}

const PAGE = 100;
/** In a lively channel: what is older than this many messages is not looked for. */
const PAGES = 10;

/** The message that an earlier process posted for the turn; undefined when there is none. */
export async function findMessage(
  { channel, starter, interaction, since }: DiscordPlace,
  marks: MessageNonce,
  parts: FindDeps,
): Promise<DiscordRef | undefined> {
  if (interaction !== undefined) {
    const isAnswer = ({ interaction_metadata: by }: APIMessage): boolean => by?.id === interaction.id;
    const found = await search(channel, since, isAnswer, parts);
    if (found !== undefined) {
      return { channel, message: found.id, isAnswer: false, token: interaction.token };
    }
  }
  for (const place of starter === undefined ? [channel] : [starter, channel]) {
    const found = await findMarked(place, since, marks, parts);
    if (found !== undefined) return { channel: place, message: found, isAnswer: interaction === undefined };
  }
  return undefined;
}

/** The bot's message with these marks after another message of a channel or thread. */
export async function findMarked(
  place: string,
  since: string,
  { nonce, mark }: MessageNonce,
  parts: FindDeps,
): Promise<string | undefined> {
  const isOurs = (message: APIMessage): boolean =>
    message.author.id === parts.bot &&
    (message.nonce === nonce || message.components?.some(({ id }) => id === mark) === true);
  return (await search(place, since, isOurs, parts))?.id;
}

async function search(
  place: string,
  since: string,
  matches: (message: APIMessage) => boolean,
  { rest }: FindDeps,
): Promise<APIMessage | undefined> {
  let after = since;
  for (let count = 0; count < PAGES; count += 1) {
    const page = await read(place, after, rest);
    const found = page.find(matches);
    if (found !== undefined || page.length < PAGE) return found;
    after = page.reduce((newest, { id }) => (BigInt(id) > BigInt(newest) ? id : newest), after);
  }
  return undefined;
}

/** A thread that was not started yet has no messages, and a place that is gone has none any more. */
async function read(place: string, after: string, rest: REST): Promise<APIMessage[]> {
  const query = new URLSearchParams({ limit: String(PAGE), after });
  try {
    return (await rest.get(Routes.channelMessages(place), { query })) as APIMessage[];
  } catch (error) {
    if (discordCode(error) === Code.UnknownChannel) return [];
    throw error;
  }
}

/** By what a message of the bot is known again. */
export interface MessageNonce {
  /** At most 25 characters; for some minutes Discord itself posts a second one of the same nonce once only. */
  nonce: string;
  /** The id of the message's first component: 31 bits that tell the messages of a thread apart. */
  mark: number;
}

export function nonceOf(subject: string): MessageNonce {
  const hash = createHash("sha256").update(subject).digest();
  return { nonce: hash.toString("base64url").slice(0, 24), mark: hash.readUInt32BE(0) & 0x7fffffff || 1 };
}
