import type { App } from "@slack/bolt";

import { z } from "zod";

import { cutText, oneLine } from "../chat/text.ts";
import type { WaysDesk } from "./desk.ts";
import { actorOf } from "./ids.ts";
import type { Sessions } from "./sessions.ts";
import { sourceOf } from "./source.ts";

export type StopParts = Pick<WaysDesk, "conversation" | "core"> & { sessions: Pick<Sessions, "rest"> };

/** Slack takes at most four. */
const MAX_PROMPTS = 4;
const PROMPT_TITLE = 100;

/** Offers things to ask to whoever opens the conversation with the bot. */
export function handleAgentView(
  app: App,
  { client: clientOf, log, prompts }: Pick<WaysDesk, "client" | "log" | "prompts">,
): void {
  app.event("app_home_opened", async ({ event, body }) => {
    if (event.tab !== "messages" || prompts.length === 0) return;
    try {
      const client = await clientOf(sourceOf(body)?.team ?? body.team_id);
      await client.assistant.threads.setSuggestedPrompts({
        channel_id: event.channel,
        title: "You can ask me, for example",
        prompts: prompts
          .slice(0, MAX_PROMPTS)
          .map((message) => ({ title: cutText(oneLine(message), PROMPT_TITLE), message })),
      });
    } catch (error) {
      log.warn({ error, user: event.user }, "suggestions could not be shown");
    }
  });
}

const stopped = z.object({
  type: z.literal("event_callback"),
  team_id: z.string(),
  event: z.object({
    type: z.literal("agent_session_stopped"),
    channel: z.string(),
    user: z.string(),
    thread_ts: z.string(),
  }),
});

/**
 * Stops what runs in a thread of the workspace that has the app, when a person pressed Slack's own stop button. The stop is durable when it
 * resolves; rejects when it could not be recorded, so that Slack sends the event again.
 */
export async function stopSession(
  body: unknown,
  installed: string | undefined,
  parts: StopParts,
): Promise<void> {
  const parsed = stopped.safeParse(body);
  if (!parsed.success) return;
  const { team_id: told, event } = parsed.data;
  const team = installed ?? told;
  const { channel, user, thread_ts: thread } = event;
  const turns = await parts.core.conversation(await parts.conversation(team, channel, thread));
  const running = turns.filter(({ state }) => state === "queued" || state === "running");
  const actor = actorOf(told, user);
  const stops = await Promise.all(running.map(({ id }) => parts.core.stop(id, actor)));
  // Slack leaves it to the app to say that the session is at rest; a turn that ends says so itself.
  if (!stops.some((stop) => stop.stopped)) parts.sessions.rest({ team, channel, thread });
}
