import { createHash } from "node:crypto";
import { type APIMessage, RESTJSONErrorCodes as Code, Routes } from "discord.js";

import type { DiscordPlace, DiscordRef } from "../ids.ts";
import type { DiscordDeps } from "../options.ts";
import { discordCode } from "./refusal.ts";

type FindDeps = Pick<DiscordDeps, "rest" | "me">;

const PAGE = 100;
/** In a lively channel, what lies further back than this is not looked for. */
const PAGES = 10;

/** The message that an earlier process posted for the turn; undefined when there is none. */
export async function findMessage(
  { channel, starter, interaction, since }: DiscordPlace,
  nonce: MessageNonce,
  deps: FindDeps,
): Promise<DiscordRef | undefined> {
  if (interaction !== undefined) {
    const isAnswer = ({ interaction_metadata: by }: APIMessage): boolean => by?.id === interaction.id;
    const found = await search(channel, since, isAnswer, deps);
    if (found !== undefined) {
      return { channel, message: found.id, isAnswer: false, token: interaction.token };
    }
  }
  for (const place of starter === undefined ? [channel] : [starter, channel]) {
    const found = await findOwn(place, since, nonce, deps);
    if (found !== undefined) return { channel: place, message: found, isAnswer: interaction === undefined };
  }
  return undefined;
}

/** The bot's message with this nonce after another message of a channel or thread. */
export async function findOwn(
  place: string,
  since: string,
  { nonce, mark }: MessageNonce,
  deps: FindDeps,
): Promise<string | undefined> {
  const { bot } = deps.me();
  const isOurs = (message: APIMessage): boolean =>
    message.author.id === bot &&
    (message.nonce === nonce || message.components?.some(({ id }) => id === mark) === true);
  return (await search(place, since, isOurs, deps))?.id;
}

async function search(
  place: string,
  since: string,
  matches: (message: APIMessage) => boolean,
  { rest }: FindDeps,
): Promise<APIMessage | undefined> {
  let after = since;
  for (let count = 0; count < PAGES; count += 1) {
    const query = new URLSearchParams({ limit: String(PAGE), after });
    const page = await rest.get(Routes.channelMessages(place), { query }).catch((error: unknown) => {
      // A thread that was not started yet has no messages, and a place that is gone has none any more.
      if (discordCode(error) === Code.UnknownChannel) return [];
      throw error;
    });
    const messages = page as APIMessage[];
    const found = messages.find(matches);
    if (found !== undefined || messages.length < PAGE) return found;
    after = messages.reduce((newest, { id }) => (BigInt(id) > BigInt(newest) ? id : newest), after);
  }
  return undefined;
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
