import { cached } from "../chat/cached.ts";
import type { ChatLog } from "../chat/parts.ts";
import type { ClientOf } from "./workspaces.ts";

/** What people are called. */
export interface People {
  /** The full name; undefined where Slack does not say, or nobody was named. */
  name(team: string, user: string | undefined): Promise<string | undefined>;
}

export function createPeople(clientOf: ClientOf, log: Pick<ChatLog, "warn">): People {
  const names = cached(async (key: string) => {
    const [team = "", user = ""] = key.split(" ");
    const client = await clientOf(team);
    const { user: found } = await client.users.info({ user });
    return found?.real_name ?? found?.profile?.real_name ?? found?.name;
  });
  return {
    async name(team, user) {
      if (user === undefined || user === "") return undefined;
      try {
        return await names(`${team} ${user}`);
      } catch (error) {
        log.warn({ error, user }, "Slack did not say what a person is called");
        return undefined;
      }
    },
  };
}
