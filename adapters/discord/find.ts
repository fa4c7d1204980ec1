import type { APIMessage, REST } from "discord.js";
import { RESTJSONErrorCodes as Code, Routes } from "discord.js";

import type { DiscordPlace, DiscordRef } from "./place.ts";
import { discordCode } from "./refusal.ts";

/** By what a message of the turn is known. */
export interface Marks {
  nonce: string;
  mark: number;
}

const PAGE = 100;
/** In a lively channel: what is older than this many messages is not looked for. */
const PAGES = 10;

/** The message that an earlier process posted for the turn; undefined when there is none. */
export async function findMessage(
  { channel, starter, interaction, since }: DiscordPlace,
  marks: Marks,
  { rest, bot }: { rest: REST; bot: string },
): Promise<DiscordRef | undefined> {
  if (interaction !== undefined) {
    const found = await search(channel, since, ({ interaction_metadata: by }) => by?.id === interaction.id);
    if (found !== undefined) {
      return { channel, message: found.id, isAnswer: false, token: interaction.token };
    }
  }
  const isOurs = (message: APIMessage): boolean =>
    message.author.id === bot &&
    (message.nonce === marks.nonce || message.components?.some(({ id }) => id === marks.mark) === true);
  const isAnswer = interaction === undefined;
  for (const place of starter === undefined ? [channel] : [starter, channel]) {
    const found = await search(place, since, isOurs);
    if (found !== undefined) return { channel: place, message: found.id, isAnswer };
  }
  return undefined;

  async function search(
    place: string,
    from: string,
    matches: (message: APIMessage) => boolean,
  ): Promise<APIMessage | undefined> {
    let after = from;
    for (let count = 0; count < PAGES; count += 1) {
      const page = await read(place, after);
      const found = page.find(matches);
      if (found !== undefined || page.length < PAGE) return found;
      after = page.reduce((newest, { id }) => (BigInt(id) > BigInt(newest) ? id : newest), after);
    }
    return undefined;
  }

  /** A thread that was not started yet has no messages. */
  async function read(place: string, after: string): Promise<APIMessage[]> {
    const query = new URLSearchParams({ limit: String(PAGE), after });
    try {
      return (await rest.get(Routes.channelMessages(place), { query })) as APIMessage[];
    } catch (error) {
      if (discordCode(error) === Code.UnknownChannel && place !== channel) return [];
      throw error;
    }
  }
}
