import type { App, SlashCommand } from "@slack/bolt";

import { actorOf, channelOf, conversationOf } from "./ids.ts";
import { informCard } from "./info.ts";
import type { SlackDesk } from "./options.ts";
import { toPlace } from "./place.ts";
import { escapeText } from "./render/text.ts";
import { contentOf } from "./tell.ts";
import { plainWords } from "./words.ts";

/** Commands that every app has, whatever the configuration says. */
export const OWN_COMMANDS = ["ask", "countersign"] as const;

/** Handles slash commands. A turn is durable before Slack hears that its command arrived. */
export function handleCommands(app: App, desk: SlackDesk): void {
  app.command(/^\//, async ({ command, ack }) => {
    const name = command.command.slice(1).toLowerCase();
    const text = plainWords(command.text);
    if (name === "countersign") {
      const content = contentOf(await informCard(text, desk.core));
      return ack({ response_type: "ephemeral", ...content });
    }
    if (name === "ask" && text === "") {
      return ack({
        response_type: "ephemeral",
        text: "Say what you want to know, such as /ask show me DEMO-1",
      });
    }
    try {
      await submit(command, name === "ask" ? text : `/${name} ${text}`.trim(), desk);
    } catch (error) {
      desk.log.error({ error, command: name }, "a command could not be taken");
      const said = escapeText(`I could not take that down: nothing was done. Please send it again: ${text}`);
      return ack({ response_type: "ephemeral", text: said });
    }
    return ack();
  });
}

async function submit(command: SlashCommand, message: string, { presenter }: SlackDesk): Promise<void> {
  const { team_id: team, channel_id: channel, user_id: user, trigger_id: trigger } = command;
  await presenter.submit(
    {
      surface: "slack",
      actor: actorOf(team, user),
      // The answer begins a thread, whose name is not known yet.
      conversationId: conversationOf(team, channel, `command-${trigger}`),
      channel: channelOf(team, channel),
      message,
      eventId: `command:${trigger}`,
    },
    toPlace({ channel, since: secondsAgo(60), respond: command.response_url }),
  );
}

/** As a `ts` of Slack; some time ago, as clocks differ. */
function secondsAgo(seconds: number): string {
  return (Date.now() / 1000 - seconds).toFixed(6);
}
