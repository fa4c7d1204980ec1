import type { MessageRef } from "#contract/present.ts";

import type { ChatLog } from "../chat/parts.ts";
import { readRef } from "./place.ts";
import type { ClientOf } from "./workspaces.ts";

export interface PermalinkParts {
  client: ClientOf;
  /** The message that shows a turn. */
  messageOf: (turnId: string) => Promise<MessageRef | undefined>;
  log: Pick<ChatLog, "warn">;
}

/** So many are remembered; the address of a message does not change. */
const KEPT = 2000;

/** Addresses of the messages of turns; undefined where Slack gives none. */
export function createPermalinks({
  client: clientOf,
  messageOf,
  log,
}: PermalinkParts): (turnId: string) => Promise<string | undefined> {
  const known = new Map<string, string>();
  return async (turnId) => {
    const link = known.get(turnId);
    if (link !== undefined) return link;
    const given = await messageOf(turnId);
    if (given === undefined || typeof given["ts"] !== "string") return undefined;
    const { team, channel, ts } = readRef(given);
    try {
      const client = await clientOf(team);
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      if (permalink === undefined) return undefined;
      const [oldest] = known.keys();
      if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
      known.set(turnId, permalink);
      return permalink;
    } catch (error) {
      log.warn({ error, turn: turnId }, "Slack gave no address of a message");
      return undefined;
    }
  };
}
