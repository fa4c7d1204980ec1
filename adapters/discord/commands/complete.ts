import type {
  APIApplicationCommandAutocompleteInteraction,
  APIApplicationCommandOptionChoice,
} from "discord.js";
import {
  ApplicationCommandOptionType as Type,
  InteractionResponseType as Kind,
  type REST,
  Routes,
} from "discord.js";

import type { Core } from "#contract/core.ts";
import type { Suggest } from "#contract/suggest.ts";

import type { ChatLog } from "../../chat/parts.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { channelOf } from "../ids.ts";
import type { Deed } from "../interaction.ts";
import { LIMITS } from "../render/limits.ts";
import { subcommandsOf } from "./build.ts";
import { basic } from "./handle.ts";
import { optionsOf } from "./options.ts";

/** Discord waits three seconds, and nobody types for longer. */
const TIME_MS = 2200;

/** Suggests values for what is being typed; none where that takes too long or may not be looked up. */
export async function onTyping(
  interaction: APIApplicationCommandAutocompleteInteraction,
  deed: Deed,
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
  { actor, guild, channel, parent }: Deed,
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
