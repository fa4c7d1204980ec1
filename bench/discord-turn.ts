import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import { acme } from "#test/fakes/discord/world.ts";

import { benchChatTurn, LAST_WORDS, type Platform, ROOMS } from "./chat-turn.ts";
import type { Places } from "./places.ts";
import type { Row } from "./table.ts";

/** Over the gateway, see benchChatTurn. The product opens a thread for each mention; the bare bot replies. */
export function benchDiscordTurn(places: Places): Promise<Row[]> {
  return benchChatTurn(places, startDiscord, "./bare-discord-bot.ts");
}

async function startDiscord(): Promise<Platform> {
  const rooms = Array.from({ length: ROOMS }, (_, at) => [`room-${at}`, {}] as const);
  const channels = { ...acme.channels, ...Object.fromEntries(rooms) };
  const discord = await startFakeDiscord({ guilds: [{ ...acme, channels }] });
  const { DISCORD_TOKEN, DISCORD_API_URL } = discord.environment;
  const ana = discord.user("ana");
  return {
    section: { discord: { token: DISCORD_TOKEN, api_url: DISCORD_API_URL } },
    environment: discord.environment,
    connected: () => discord.until(() => discord.connected()),
    mention(at, text) {
      const question = ana.mention(`room-${at}`, text);
      return () => {
        const thread = discord.threadOf(question);
        const answers = [
          ...(thread === undefined ? [] : discord.messages(thread.id)),
          ...(thread === undefined ? discord.messages(`room-${at}`) : []),
        ].filter(({ author }) => author === discord.app.id);
        return answers.some((message) => LAST_WORDS.test(JSON.stringify(message)));
      };
    },
    calls: () =>
      discord.calls.filter(({ method, path }) => /POST|PATCH/.test(method) && /messages/.test(path)).length,
    stop: () => discord.stop(),
  };
}
