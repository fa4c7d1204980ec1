import { type REST, Routes } from "discord.js";

import { readId } from "./ids.ts";
import { escapeText } from "./render/escape.ts";

/** Says one plain line in a channel, as `discord:GUILD:CHANNEL`; rejects when it could not. */
export function createAnnounce(rest: REST): (channel: string, text: string) => Promise<void> {
  return async (id, text) => {
    const place = readId(id);
    if (place === undefined) throw new Error(`expected a channel as discord:GUILD:CHANNEL, got ${id}`);
    const body = { content: escapeText(text), allowed_mentions: { parse: [] } };
    await rest.post(Routes.channelMessages(place.local), { body });
  };
}
