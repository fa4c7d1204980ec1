import { setTimeout as sleep } from "node:timers/promises";
import type { AckFn, App, SlashCommand } from "@slack/bolt";

import type { Card } from "#contract/card.ts";
import type { FilledCall } from "#contract/message.ts";

import { actorOf, channelOf, conversationOf } from "../ids.ts";
import { secondsAgo, toPlace } from "../ids.ts";
import type { Draft } from "../options.ts";
import { plainWords } from "../receive/parse-message.ts";
import { escapeText } from "../render/text.ts";
import { contentOf, respond, type Response } from "../send/ephemeral.ts";
import { openDraft, type SubmitDeps } from "./drafts.ts";
import { OWN_HELP, ownCommand, type OwnDeps } from "./own-command.ts";

/** Commands that every app has, whatever the configuration says. */
export const OWN_COMMANDS = ["ask", "countersign"] as const;

export type CommandDeps = SubmitDeps & OwnDeps;

/**
 * Handles slash commands. A turn is durable before Slack hears that its command arrived. What concerns
 * one person is answered to them alone; results and changes of settings are for the channel.
 */
export function handleCommands(app: App, parts: CommandDeps): void {
  app.command(/^\//, async ({ command, ack }) => {
    const name = command.command.slice(1).toLowerCase();
    const text = plainWords(command.text);
    if (name === "countersign") {
      return answerInTime(command, ownCommand(command, text, parts), ack, parts);
    }
    if (name === "ask" && text === "") {
      return ack(onlyYou("Say what you want to know, such as /ask show me DEMO-1"));
    }
    const message = name === "ask" ? text : `/${name} ${text}`.trim();
    const reading = name === "ask" ? undefined : parts.core.readCommand(message);
    if (name !== "ask" && reading === undefined) {
      return ack(
        onlyCard(parts.cards.help(parts.core.commands(), OWN_HELP, `/${name} is not configured here.`)),
      );
    }
    if (reading?.kind === "help") {
      return ack(onlyCard(parts.cards.commandHelp(reading.command, parts.core.tools(), reading.problem)));
    }
    let draft: { id: string; draft: Draft } | undefined;
    try {
      if (reading === undefined || reading.missing.length === 0) await submit(command, message, parts);
      else draft = await keep(command, message, { tool: reading.tool.id, args: reading.args }, parts);
    } catch (error) {
      parts.log.error({ error, command: name }, "a command could not be taken");
      return ack(onlyYou(`I could not take that down: nothing was done. Please send it again: ${text}`));
    }
    await ack();
    if (draft === undefined) return undefined;
    const person = { user: command.user_id, triggerId: command.trigger_id };
    return openDraft(draft.id, draft.draft, person, parts);
  });
}

/** Asking Slack who may do what can take longer than Slack waits for an answer to a command. */
const QUICK_MS = 2_000;

async function answerInTime(
  { response_url: url }: SlashCommand,
  answer: Promise<Response>,
  ack: AckFn<Response>,
  { log }: Pick<CommandDeps, "log">,
): Promise<void> {
  const over = new AbortController();
  const late = sleep(QUICK_MS, undefined, { signal: over.signal }).catch(() => undefined);
  const quick = await Promise.race([answer, late]);
  over.abort();
  if (quick !== undefined) return ack(quick);
  await ack();
  await respond(url, await answer, log);
  return undefined;
}

function onlyYou(text: string): Response {
  return { response_type: "ephemeral", text: escapeText(text) };
}

function onlyCard(card: Card): Response {
  return { response_type: "ephemeral", ...contentOf(card) };
}

/** What is missing is asked for in a window; nothing that was typed is lost on the way there. */
async function keep(
  { team_id: team, channel_id: channel, user_id: user, response_url: respondAt }: SlashCommand,
  message: string,
  call: FilledCall,
  { drafts }: CommandDeps,
): Promise<{ id: string; draft: Draft }> {
  const about = { kind: "call" as const, call };
  const draft: Draft = { team, channel, actor: actorOf(team, user), respond: respondAt, message, about };
  return { id: await drafts.keep(draft), draft };
}

async function submit(command: SlashCommand, message: string, { presenter }: CommandDeps): Promise<void> {
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
    toPlace({ team, channel, since: secondsAgo(60), respond: command.response_url }),
  );
}
