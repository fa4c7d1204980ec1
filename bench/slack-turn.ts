import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import { acme } from "#test/fakes/slack/world.ts";

import { benchChatTurn, LAST_WORDS, type Platform, ROOMS } from "./chat-turn.ts";
import type { Places } from "./places.ts";
import type { Row } from "./table.ts";

/** Over Socket Mode, see benchChatTurn. */
export function benchSlackTurn(places: Places): Promise<Row[]> {
  return benchChatTurn(places, startSlack, "./bare-slack-bot.ts");
}

async function startSlack(): Promise<Platform> {
  const rooms = Array.from({ length: ROOMS }, (_, at) => [roomOf(at), {}] as const);
  const channels = { ...acme.channels, ...Object.fromEntries(rooms) };
  const slack = await startFakeSlack({ teams: [{ ...acme, channels }] });
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_API_URL } = slack.environment;
  const ana = slack.user("ana");
  return {
    section: {
      slack: { bot_token: SLACK_BOT_TOKEN, app_token: SLACK_APP_TOKEN, api_url: SLACK_API_URL },
    },
    environment: slack.environment,
    connected: () => slack.until(() => slack.connections.length > 0),
    mention(at, text) {
      const { ts } = ana.mention(roomOf(at), text);
      return () => {
        const answer = slack.thread(ts).find((message) => message.bot_id !== undefined);
        return answer !== undefined && LAST_WORDS.test(JSON.stringify(answer));
      };
    },
    calls: () =>
      slack.calls.filter(({ method }) => method === "chat.postMessage" || method === "chat.update").length,
    stop: () => slack.stop(),
  };
}

/** The fake fills ids up with zeros, so that names must not end in one. */
function roomOf(at: number): string {
  return `room-${at}x`;
}
