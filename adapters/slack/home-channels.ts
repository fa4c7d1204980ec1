import { cached } from "../chat/cached.ts";
import type { WaysDesk } from "./desk.ts";
import { channelOf, readId } from "./ids.ts";
import type { HomeChannel } from "./render/home.ts";

type Parts = Pick<WaysDesk, "client" | "core" | "log" | "people">;

interface Named {
  id: string;
  name: string;
}

/** As many channels as a home shows, and what lets it say how many more there are. */
const MAX_LISTED = 200;

/** The channels that a person shares with the bot, with their privacy; none where Slack does not say. */
export function createHomeChannels(parts: Parts): (team: string, user: string) => Promise<HomeChannel[]> {
  const conversations = cached(async (key: string): Promise<Named[]> => {
    const [team = "", user] = key.split(" ");
    const client = await parts.client(team);
    const { channels = [] } = await client.users.conversations({
      types: "public_channel,private_channel",
      exclude_archived: true,
      limit: MAX_LISTED,
      ...(user === undefined ? {} : { user }),
    });
    return channels.flatMap(({ id, name }) => (id === undefined || name === undefined ? [] : [{ id, name }]));
  });

  async function shared(team: string, user: string): Promise<Named[]> {
    try {
      const [theirs, ours] = await Promise.all([conversations(`${team} ${user}`), conversations(team)]);
      const own = new Set(ours.map(({ id }) => id));
      return theirs.filter(({ id }) => own.has(id)).toSorted((a, b) => a.name.localeCompare(b.name));
    } catch (error) {
      parts.log.warn({ error, user }, "Slack did not say which channels a person shares with the bot");
      return [];
    }
  }

  return async (team, user) => {
    const channels = await shared(team, user);
    return Promise.all(
      channels.map(async ({ id, name }) => {
        const { summarize, setBy } = await parts.core.privacy(channelOf(team, id));
        const by = setBy === undefined ? undefined : await parts.people.name(team, readId(setBy)?.local);
        return {
          id,
          name,
          privacy: !summarize,
          isFixed: !summarize && setBy === undefined,
          ...(by === undefined ? {} : { setBy: by }),
        };
      }),
    );
  };
}
