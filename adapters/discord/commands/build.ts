import type {
  APIApplicationCommandSubcommandOption,
  RESTPutAPIApplicationCommandsJSONBody,
} from "discord.js";
import {
  ApplicationCommandOptionType as Type,
  ApplicationCommandType,
  InteractionContextType as Context,
} from "discord.js";

import type { CommandInfo, ToolListing } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { LIMITS } from "../render/limits.ts";
import { optionsOf } from "./options.ts";

export type Commands = RESTPutAPIApplicationCommandsJSONBody;

/** What stands in the menu of a message. */
export const ASK_ABOUT = "Ask Countersign about this";

/** What is said of one subcommand: its name and the tool that it runs, which may not be there now. */
export interface Subcommand {
  name: string;
  tool: Tool | undefined;
  /** What the configuration sets; it is not asked for. */
  args: JsonObject;
}

/**
 * The subcommands of a configured command. Discord cannot send a command that has subcommands without one:
 * the tool that runs when none is named gets one that is named like it.
 */
export function subcommandsOf(command: CommandInfo, tools: readonly ToolListing[]): Subcommand[] {
  const named = command.subcommands.map(({ name, tool, args = {} }) => ({
    name: commandName(name),
    tool: findTool(command, tool, tools),
    args,
  }));
  if (command.defaultTool === undefined) return named;
  const tool = findTool(command, command.defaultTool, tools);
  const name = commandName(command.defaultTool);
  return named.some((one) => one.name === name)
    ? named
    : [{ name, tool, args: command.defaultArgs ?? {} }, ...named];
}

function findTool({ server }: CommandInfo, name: string, tools: readonly ToolListing[]): Tool | undefined {
  return tools.find(({ tool }) => tool.id === `${server}.${name}`)?.tool;
}

function commandName(name: string): string {
  return cutText(name.toLowerCase().replaceAll(/[^-_\p{L}\p{N}]/gu, "-"), LIMITS.command.name).replace(
    "…",
    "",
  );
}

/** All commands of this app, for a bulk overwrite; the same settings and tools give the same text. */
export function buildCommands(commands: readonly CommandInfo[], tools: readonly ToolListing[]): Commands {
  const everywhere = { contexts: [Context.Guild, Context.BotDM] };
  return [
    ...commands.map((command) => ({ ...everywhere, ...configured(command, tools) })),
    {
      ...everywhere,
      type: ApplicationCommandType.ChatInput,
      name: "ask",
      description: "Ask in plain words",
      options: [
        {
          type: Type.String,
          name: "text",
          description: "What you want to know or have done",
          required: true,
          max_length: 4000,
        },
      ],
    },
    {
      ...everywhere,
      type: ApplicationCommandType.ChatInput,
      name: "countersign",
      description: "About Countersign itself; only you see the answer",
      options: OWN.map(([name, description]) => ({
        type: Type.Subcommand as const,
        name,
        description,
      })).concat([
        {
          type: Type.Subcommand as const,
          name: "privacy",
          description: "Whether results of this channel may go to the model",
          options: [
            {
              type: Type.String,
              name: "switch",
              description: "on: they may not",
              choices: [
                { name: "on", value: "on" },
                { name: "off", value: "off" },
              ],
            },
          ],
        } as APIApplicationCommandSubcommandOption,
      ]),
    },
    { ...everywhere, type: ApplicationCommandType.Message, name: ASK_ABOUT },
  ];
}

const OWN: readonly (readonly [string, string])[] = [
  ["help", "What you can say"],
  ["tools", "What I can work with, and what needs approval"],
  ["status", "Model, servers and store"],
  ["approvals", "What waits for you"],
  ["accounts", "Accounts of yours that servers work with"],
];

function configured(command: CommandInfo, tools: readonly ToolListing[]): Commands[number] {
  const options = subcommandsOf(command, tools)
    .slice(0, LIMITS.command.options)
    .map(({ name, tool, args }): APIApplicationCommandSubcommandOption => ({
      type: Type.Subcommand,
      name,
      description: tool === undefined ? name : describe(tool),
      options:
        tool === undefined ? [] : optionsOf(tool, command.completes ?? [], args).map(({ option }) => option),
    }));
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: cutText(`Work with ${oneLine(command.server)}`, LIMITS.command.description),
    options,
  };
}

/** The first sentence of what the tool says of itself. */
function describe({ title, description, name }: Tool): string {
  const said = oneLine(cleanText(description)) || oneLine(cleanText(title ?? "")) || name;
  const [sentence = said] = said.split(/(?<=[.!?])\s/, 1);
  return cutText(sentence, LIMITS.command.description);
}
