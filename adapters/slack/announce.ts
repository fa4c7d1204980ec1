import type { CallBudget } from "./budget.ts";
import { readId } from "./ids.ts";
import { escapeText } from "./render/text.ts";
import type { ClientOf } from "./workspaces.ts";

/** Says one plain line in a channel, as `slack:TEAM:CHANNEL`; rejects when it could not. */
export function createAnnounce(
  clientOf: ClientOf,
  budget: CallBudget,
): (channel: string, text: string) => Promise<void> {
  return async (id, text) => {
    const place = readId(id);
    if (place === undefined) throw new Error(`expected a channel as slack:WORKSPACE:CHANNEL, got ${id}`);
    const { team, local: channel } = place;
    const client = await clientOf(team);
    await budget.run("chat.postMessage", `${team} ${channel}`, () =>
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this one is Slack's
      client.chat.postMessage({ channel, text: escapeText(text), unfurl_links: false }),
    );
  };
}
