import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataBasicOption as Given,
  type APIApplicationCommandOptionChoice,
  type APIChatInputApplicationCommandInteraction,
  type APIMessageApplicationCommandInteraction,
  ApplicationCommandOptionType as Type,
  InteractionResponseType as Kind,
  Routes,
} from "discord.js";

import type { JsonObject } from "#contract/json.ts";
import type { FilledCall } from "#contract/message.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { NOT_HERE } from "../../chat/place-guard.ts";
import { cleanText } from "../../chat/text.ts";
import { readPlace, toPlace } from "../ids.ts";
import { ASK_ABOUT, optionsOf, subcommandsOf } from "../install/commands.ts";
import type { TurnStart } from "../options.ts";
import { plainWords, textsOf } from "../receive/parse-message.ts";
import { LIMITS } from "../render/limits.ts";
import {
  type InteractionContext,
  type InteractionDeps,
  isForOne,
  placeOf,
  startTurn,
  turnHere,
} from "./context.ts";
import { beginForm } from "./forms.ts";
import type { InteractionOrigin } from "./interaction.ts";
import { ownCommand, tellAccounts, valueOf } from "./own-command.ts";

/** A slash command: `/ask`, `/countersign`, or one of the configuration. */
export async function onCommand(
  { data }: APIChatInputApplicationCommandInteraction,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const [chosen] = data.options ?? [];
  const sub = chosen?.type === Type.Subcommand ? chosen : undefined;
  const given = basic(sub === undefined ? data.options : sub.options);
  if (data.name === "countersign") return ownCommand(sub?.name ?? "help", given, context, deps);
  if (data.name === "connect") return tellAccounts(valueOf(given, "what"), context, deps);
  if (data.name !== "ask") return onConfigured(data.name, sub?.name ?? "", given, context, deps);
  const text = String(given.find(({ name }) => name === "text")?.value ?? "").trim();
  if (text !== "") return void (await startTurn(await turnOf(text, context, deps), {}, context, deps));
  return context.response.tell(en.recorded.sayWhatSuch("/ask text: show me DEMO-1"));
}

/** A command of the configuration: calls its tool, and asks in a form for what the tool still needs. */
async function onConfigured(
  name: string,
  subName: string,
  given: readonly Given[],
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { core, cards } = deps;
  const command = core.commands().find((one) => one.name === name);
  if (command === undefined) return context.response.tell(en.recorded.notConfigured(`/${name}`));
  const sub = subcommandsOf(command, core.tools()).find((one) => one.name === subName);
  if (sub?.tool === undefined) {
    const { language } = context;
    const problem = recordedText(en.recorded.cannotRun(`/${name} ${subName}`), wordsOf(language));
    return context.response.tell(cards.commandHelp(command, core.tools(), problem, language));
  }
  const args: JsonObject = { ...sub.args };
  for (const { argument, option, isList } of optionsOf(sub.tool, command.completes ?? [], sub.args)) {
    const value = given.find((one) => one.name === option.name)?.value;
    if (value !== undefined) args[argument] = isList ? listOf(String(value)) : value;
  }
  const call: FilledCall = { tool: sub.tool.id, args };
  const words = given.map((one) => ` ${one.name}: ${String(one.value)}`).join("");
  const start = await turnOf(`/${name} ${subName}${words}`, context, deps);
  if (isForOne(call.tool, context, deps)) start.place = placeOf(context, true);
  if (core.checkCall(call).ok) return void (await startTurn(start, { call }, context, deps));
  return beginForm({ kind: "call", call, start }, context, deps);
}

/** In a channel the answer of a command begins a conversation. */
async function turnOf(
  message: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<TurnStart> {
  return { ...(await turnHere(message, `command-${context.id}`, context, deps)), isAnswer: true };
}

/** "Ask Countersign about this" in the menu of a message; what is wanted of it is asked in a form. */
export async function onMenu(
  { data }: APIMessageApplicationCommandInteraction,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const message = data.resolved.messages[data.target_id];
  if (data.name !== ASK_ABOUT || message === undefined) {
    return context.response.tell(NOT_HERE);
  }
  const own = plainWords(message.content, deps.me().bot, message.mentions);
  const text = own === "" ? textsOf(message.components) : own;
  if (text === "") return context.response.tell(en.recorded.noWords());
  const author = message.author.global_name ?? message.author.username;
  // What a bot said may be what a tool brought, this one's in particular.
  const quote = { text, author, ...(message.author.bot === true ? { derived: true } : {}) };
  const start = await turnHere("", message.id, context, deps);
  if (!context.isThread) {
    start.place = toPlace({ ...readPlace(start.place), starter: message.id, answers: message.id });
  }
  return beginForm({ kind: "quote", quote, start }, context, deps);
}

/** How long values are looked up: Discord waits three seconds, and nobody types for longer. */
const TIME_MS = 2200;

/** Suggests values for what is being typed; none where that takes too long or may not be looked up. */
export async function onTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  origin: InteractionOrigin,
  { isServed, ...deps }: Pick<InteractionDeps, "core" | "suggest" | "rest" | "log"> & { isServed: boolean },
): Promise<void> {
  let choices: APIApplicationCommandOptionChoice<string>[] = [];
  try {
    if (isServed) choices = await choicesFor(interaction, origin, deps);
  } catch (error) {
    deps.log.debug({ error }, "nothing could be suggested");
  }
  await deps.rest.post(Routes.interactionCallback(origin.id, origin.token), {
    body: { type: Kind.ApplicationCommandAutocompleteResult, data: { choices } },
    auth: false,
  });
}

async function choicesFor(
  { data }: APIApplicationCommandAutocompleteInteraction,
  { actor, channelId: channel }: InteractionOrigin,
  { core, suggest }: Pick<InteractionDeps, "core" | "suggest">,
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
    channel,
    signal: AbortSignal.timeout(TIME_MS),
  });
  const { choices, choiceName, choiceValue } = LIMITS.command;
  return found
    .filter(({ value }) => value !== "" && value.length <= choiceValue)
    .slice(0, choices)
    .map(({ value, label }) => ({ value, name: cutText(oneLine(cleanText(label)) || value, choiceName) }));
}

/** The options that carry a value. */
function basic(options: readonly object[] | undefined): Given[] {
  return ((options ?? []) as Given[]).filter((option) => "value" in option);
}

function listOf(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}
