import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandOptionChoice,
  type APIChatInputApplicationCommandInteraction,
  type APIMessageApplicationCommandInteraction,
  type APIApplicationCommandInteractionDataBasicOption as Given,
  InteractionResponseType as Kind,
  type REST,
  Routes,
  ApplicationCommandOptionType as Type,
} from "discord.js";

import type { CommandInfo, Core, Suggest } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { FilledCall } from "#contract/message.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import type { DiscordDeps, TurnStart } from "../options.ts";
import { ASK_ABOUT, optionsOf, subcommandsOf } from "../install/commands.ts";
import type { Conversations } from "../receive/conversations.ts";
import { channelOf, conversationOf } from "../ids.ts";
import { plainWords, textsOf } from "../receive/parse-message.ts";
import { LIMITS } from "../render/limits.ts";
import { toPlace } from "../send/place.ts";
import { beginForm, type FormDeps } from "./forms.ts";
import type { InteractionContext } from "./interaction.ts";
import { type AccountDeps, ownCommand } from "./own-command.ts";
import type { InteractionResponse } from "./response.ts";

export interface CommandDeps extends DiscordDeps, FormDeps, AccountDeps {
  rooms: Pick<Conversations, "conversation">;
}

/** A slash command: `/ask`, `/countersign`, or one of the configuration. */
export async function onCommand(
  { data }: APIChatInputApplicationCommandInteraction,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: CommandDeps,
): Promise<void> {
  const [chosen] = data.options ?? [];
  const sub = chosen?.type === Type.Subcommand ? chosen : undefined;
  const given = basic(sub === undefined ? data.options : sub.options);
  if (data.name === "countersign") return ownCommand(sub?.name ?? "help", given, deed, answer, parts);
  if (data.name === "ask") {
    const text = String(given.find(({ name }) => name === "text")?.value ?? "").trim();
    if (text === "") return answer.tell("Say what you want to know, such as /ask text: show me DEMO-1");
    return start(text, {}, deed, answer, parts);
  }
  const command = parts.core.commands().find(({ name }) => name === data.name);
  if (command === undefined) return answer.tell(`/${data.name} is not configured here.`);
  return run(command, sub?.name ?? "", given, deed, answer, parts);
}

async function run(
  command: CommandInfo,
  name: string,
  given: readonly Given[],
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: CommandDeps,
): Promise<void> {
  const { core, cards } = parts;
  const sub = subcommandsOf(command, core.tools()).find((one) => one.name === name);
  if (sub?.tool === undefined) {
    const problem = `/${command.name} ${name} cannot run now: its server may be down.`;
    return answer.tell(cards.commandHelp(command, core.tools(), problem));
  }
  const { tool } = sub;
  const args: JsonObject = { ...sub.args };
  for (const { argument, option, isList } of optionsOf(tool, command.completes ?? [], sub.args)) {
    const value = given.find((one) => one.name === option.name)?.value;
    if (value !== undefined) args[argument] = isList ? listOf(String(value)) : value;
  }
  const call: FilledCall = { tool: tool.id, args };
  const words = given.map((one) => ` ${one.name}: ${String(one.value)}`).join("");
  const message = `/${command.name} ${name}${words}`;
  const checked = core.checkCall(call);
  if (checked.ok) return start(message, { call }, deed, answer, parts);
  const turn = await turnStart(message, deed, parts);
  return beginForm(
    {
      actor: deed.actor,
      channel: deed.channel,
      purpose: { kind: "call", call, start: turn },
      values: {},
    },
    answer,
    parts,
  );
}

async function start(
  message: string,
  about: { call?: FilledCall },
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: CommandDeps,
): Promise<void> {
  const turn = await turnStart(message, deed, parts);
  const eventId = `interaction:${deed.id}`;
  await parts.startTurn({ ...turn, actor: deed.actor, eventId }, about, deed, answer);
}

/** In a thread or a direct conversation the turn belongs to it; elsewhere its answer begins one. */
async function turnStart(
  message: string,
  { id, guild, channel, parent }: InteractionContext,
  { rooms }: Pick<CommandDeps, "rooms">,
): Promise<TurnStart> {
  const isRoom = parent !== undefined || guild === undefined;
  return {
    conversationId: isRoom
      ? await rooms.conversation({ guild, channel: parent ?? channel, thread: channel })
      : conversationOf(guild, channel, `command-${id}`),
    channel: channelOf(guild, parent ?? channel),
    message,
    place: toPlace({ guild, channel, since: id }),
    isAnswer: true,
  };
}

function basic(options: readonly object[] | undefined): Given[] {
  return ((options ?? []) as Given[]).filter((option) => "value" in option);
}

function listOf(text: string): JsonValue[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** "Ask Countersign about this" in the menu of a message; what is wanted of it is asked in a form. */
export async function onMenu(
  { data }: APIMessageApplicationCommandInteraction,
  { id, actor, guild, channel, parent }: InteractionContext,
  answer: InteractionResponse,
  parts: CommandDeps & { bot: string },
): Promise<void> {
  const message = data.resolved.messages[data.target_id];
  if (data.name !== ASK_ABOUT || message === undefined) return answer.tell("This is no longer there.");
  const own = plainWords(message.content, parts.bot, message.mentions);
  const text = own === "" ? textsOf(message.components) : own;
  if (text === "") return answer.tell("This message has no words that I can read.");
  const { author } = message;
  const isRoom = parent !== undefined || guild === undefined;
  return beginForm(
    {
      actor,
      channel,
      values: {},
      purpose: {
        kind: "quote",
        quote: {
          text,
          author: author.global_name ?? author.username,
          // What a bot said may be what a tool brought, this one's in particular.
          ...(author.bot === true ? { derived: true } : {}),
        },
        start: {
          conversationId: await parts.rooms.conversation({
            guild,
            channel: parent ?? channel,
            thread: isRoom ? channel : message.id,
          }),
          channel: channelOf(guild, parent ?? channel),
          message: "",
          place: toPlace({
            guild,
            channel,
            since: id,
            ...(isRoom ? {} : { starter: message.id, answers: message.id }),
          }),
          isAnswer: false,
        },
      },
    },
    answer,
    parts,
  );
}

/** Discord waits three seconds, and nobody types for longer. */
const TIME_MS = 2200;

/** Suggests values for what is being typed; none where that takes too long or may not be looked up. */
export async function onTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  deed: InteractionContext,
  {
    core,
    suggest,
    rest,
    log,
    isServed,
  }: { core: Core; suggest: Suggest; rest: REST; log: ChatLog; isServed: boolean },
): Promise<void> {
  let choices: APIApplicationCommandOptionChoice<string>[] = [];
  try {
    if (isServed) choices = await choicesFor(interaction, deed, core, suggest);
  } catch (error) {
    log.debug({ error }, "nothing could be suggested");
  }
  await rest.post(Routes.interactionCallback(deed.id, deed.token), {
    body: { type: Kind.ApplicationCommandAutocompleteResult, data: { choices } },
    auth: false,
  });
}

async function choicesFor(
  { data }: APIApplicationCommandAutocompleteInteraction,
  { actor, guild, channel, parent }: InteractionContext,
  core: Core,
  suggest: Suggest,
): Promise<APIApplicationCommandOptionChoice<string>[]> {
  const command = core.commands().find(({ name }) => name === data.name);
  const [sub] = data.options;
  if (command === undefined || sub?.type !== Type.Subcommand) return [];
  const tool = subcommandsOf(command, core.tools()).find(({ name }) => name === sub.name)?.tool;
  const focused = basic(sub.options).find((option) => "focused" in option && option.focused);
  if (tool === undefined || focused === undefined) return [];
  const option = optionsOf(tool, command.completes ?? []).find((one) => one.option.name === focused.name);
  if (option === undefined) return [];
  const found = await suggest({
    command: command.name,
    argument: option.argument,
    text: String(focused.value),
    actor,
    channel: channelOf(guild, parent ?? channel),
    signal: AbortSignal.timeout(TIME_MS),
  });
  const { choices, choiceName, choiceValue } = LIMITS.command;
  return found
    .filter(({ value }) => value !== "" && value.length <= choiceValue)
    .slice(0, choices)
    .map(({ value, label }) => ({ value, name: cutText(oneLine(cleanText(label)) || value, choiceName) }));
}
