import type {
  APIApplicationCommandInteractionDataBasicOption as Given,
  APIChatInputApplicationCommandInteraction,
} from "discord.js";
import { ApplicationCommandOptionType as Type } from "discord.js";

import type { CommandInfo } from "#contract/core.ts";
import type { FilledCall } from "#contract/given.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import type { AccountParts } from "../accounts.ts";
import type { Answer } from "../answer.ts";
import type { TurnStart } from "../form-sessions.ts";
import { beginForm, type FormParts } from "../forms.ts";
import { channelOf, conversationOf } from "../ids.ts";
import type { Deed } from "../interaction.ts";
import type { DiscordDesk } from "../options.ts";
import { toPlace } from "../place.ts";
import type { Rooms } from "../rooms.ts";
import { subcommandsOf } from "./build.ts";
import { optionsOf } from "./options.ts";
import { ownCommand } from "./own.ts";

export interface CommandParts extends DiscordDesk, FormParts, AccountParts {
  rooms: Pick<Rooms, "conversation">;
}

/** A slash command: `/ask`, `/countersign`, or one of the configuration. */
export async function onCommand(
  { data }: APIChatInputApplicationCommandInteraction,
  deed: Deed,
  answer: Answer,
  parts: CommandParts,
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
  deed: Deed,
  answer: Answer,
  parts: CommandParts,
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
  deed: Deed,
  answer: Answer,
  parts: CommandParts,
): Promise<void> {
  const turn = await turnStart(message, deed, parts);
  const eventId = `interaction:${deed.id}`;
  await parts.startTurn({ ...turn, actor: deed.actor, eventId }, about, deed, answer);
}

/** In a thread or a direct conversation the turn belongs to it; elsewhere its answer begins one. */
async function turnStart(
  message: string,
  { id, guild, channel, parent }: Deed,
  { rooms }: Pick<CommandParts, "rooms">,
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

export function basic(options: readonly object[] | undefined): Given[] {
  return ((options ?? []) as Given[]).filter((option) => "value" in option);
}

function listOf(text: string): JsonValue[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
