import type { AckFn, App, SlashCommand } from "@slack/bolt";

import { sleep } from "#src/base/time.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { ownCommands } from "../../chat/own-commands.ts";
import { onlyReads } from "../../chat/private.ts";
import { actorOf, channelOf, conversationOf } from "../ids.ts";
import type { Draft } from "../options.ts";
import { plainWords } from "../receive/parse-message.ts";
import { onlyYou, type Response, respond } from "../send/ephemeral.ts";
import { type SlackContext, startTurn } from "./context.ts";
import { keepDraft, openDraft } from "./drafts.ts";
import { ownCommand } from "./own-command.ts";

/** Commands that every app has, whatever the configuration says. */
export const OWN_COMMANDS = ["ask", "connect", "countersign"] as const;

/**
 * Handles slash commands. A turn is durable before Slack hears that its command arrived. What concerns
 * one person is answered to them alone; results and changes of settings are for the channel.
 */
export function handleCommands(app: App, deps: SlackContext): void {
  const { core, cards, log } = deps;
  app.command(/^\//, async ({ command, ack }) => {
    const name = command.command.slice(1).toLowerCase();
    const text = plainWords(command.text);
    const language = deps.language(channelOf(command.team_id, command.channel_id));
    const say = wordsOf(language);
    if (name === "countersign") return answerInTime(command, ownCommand(command, text, deps), ack, deps);
    if (name === "connect")
      return answerInTime(command, ownCommand(command, `connect ${text}`, deps), ack, deps);
    if (name === "ask" && text === "") {
      return ack(onlyYou(en.recorded.sayWhatSuch("/ask show me DEMO-1"), say));
    }
    const message = name === "ask" ? text : `/${name} ${text}`.trim();
    const reading = name === "ask" ? undefined : core.readCommand(message);
    if (name !== "ask" && reading === undefined) {
      const problem = recordedText(en.recorded.notConfigured(`/${name}`), say);
      return ack(onlyYou(cards.help(core.commands(), ownCommands("slack", say), problem, language), say));
    }
    if (reading?.kind === "help") {
      return ack(onlyYou(cards.commandHelp(reading.command, core.tools(), reading.problem, language), say));
    }
    const {
      team_id: team,
      channel_id: channel,
      user_id: user,
      response_url: respondAt,
      trigger_id: triggerId,
    } = command;
    const start = { team, channel, actor: actorOf(team, user), respond: respondAt, message };
    let open: (() => Promise<void>) | undefined;
    try {
      if (reading === undefined || reading.missing.length === 0) {
        // The answer begins a thread, whose name is not known yet.
        const conversationId = conversationOf(team, channel, `command-${triggerId}`);
        const isPrivate =
          reading !== undefined && deps.slashAnswers === "private" && onlyReads(reading.tool.id, core);
        await startTurn({ ...start, isPrivate, conversationId, eventId: `command:${triggerId}` }, deps);
      } else {
        // What is missing is asked for in a window; nothing that was typed is lost on the way there.
        const call = { tool: reading.tool.id, args: reading.args };
        const draft: Draft = { ...start, about: { kind: "call", call } };
        const id = await keepDraft(draft, deps);
        open = () => openDraft(id, draft, { user, triggerId }, deps);
      }
    } catch (error) {
      log.error({ error, command: name }, "a command could not be taken");
      return ack(onlyYou(en.recorded.notSaved(text), say));
    }
    await ack();
    return open?.();
  });
}

/** Asking Slack who may do what can take longer than Slack waits for an answer to a command. */
const QUICK_MS = 2_000;

async function answerInTime(
  { response_url: url }: SlashCommand,
  answer: Promise<Response>,
  ack: AckFn<Response>,
  { log }: Pick<SlackContext, "log">,
): Promise<void> {
  const over = new AbortController();
  const quick = await Promise.race([answer, sleep(QUICK_MS, over.signal)]);
  over.abort();
  if (quick !== undefined) return ack(quick);
  await ack();
  await respond(url, await answer, log);
  return undefined;
}
