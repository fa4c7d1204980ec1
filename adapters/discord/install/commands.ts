import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandType,
  InteractionContextType as Context,
  type RESTPutAPIApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from "discord.js";

import type { CommandInfo, ToolListing } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { isObject } from "#src/base/json.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";

import { cleanText } from "../../chat/text.ts";
import { LIMITS } from "../render/limits.ts";

const PRIVACY_SWITCH: APIApplicationCommandBasicOption = {
  type: Type.String,
  name: "switch",
  description: "on: they may not",
  choices: ["on", "off"].map((value) => ({ name: value, value })),
};

const WHO: APIApplicationCommandBasicOption[] = [
  {
    type: Type.String,
    name: "server",
    description: "Where you say who you are, such as jira",
    max_length: 60,
  },
  {
    type: Type.String,
    name: "account",
    description: "You there: a name, an e-mail address or an id; forget takes it back",
    max_length: 120,
  },
];

/** What subcommands of the product's own command take. */
const OPTIONS: Readonly<Record<string, APIApplicationCommandBasicOption[]>> = {
  privacy: [PRIVACY_SWITCH],
  me: WHO,
};

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
  const name = commandName(command.defaultTool);
  if (named.some((one) => one.name === name)) return named;
  const tool = findTool(command, command.defaultTool, tools);
  return [{ name, tool, args: command.defaultArgs ?? {} }, ...named];
}

function findTool({ server }: CommandInfo, name: string, tools: readonly ToolListing[]): Tool | undefined {
  return tools.find(({ tool }) => tool.id === `${server}.${name}`)?.tool;
}

function commandName(name: string): string {
  const allowed = name.toLowerCase().replaceAll(/[^-_\p{L}\p{N}]/gu, "-");
  return cutText(allowed, LIMITS.command.name).replace("…", "");
}

/** All commands of this app, for a bulk overwrite; the same settings and tools give the same text. */
export function buildCommands(commands: readonly CommandInfo[], tools: readonly ToolListing[]): Commands {
  const all: Commands = [
    ...commands.map((command) => configured(command, tools)),
    {
      type: ApplicationCommandType.ChatInput,
      name: "ask",
      description: "Ask in plain words",
      options: [ASKED],
    },
    {
      type: ApplicationCommandType.ChatInput,
      name: "connect",
      description: "Your accounts and sites with servers",
      options: [SITES],
    },
    {
      type: ApplicationCommandType.ChatInput,
      name: "countersign",
      description: "About Countersign itself; only you see the answer",
      options: OWN,
    },
    { type: ApplicationCommandType.Message, name: ASK_ABOUT },
  ];
  return all.map((command) => ({ contexts: [Context.Guild, Context.BotDM], ...command }));
}

const ASKED: APIApplicationCommandBasicOption = {
  type: Type.String,
  name: "text",
  description: "What you want to know or have done",
  required: true,
  max_length: 4000,
};

const SITES: APIApplicationCommandBasicOption = {
  type: Type.String,
  name: "what",
  description: "A server to connect, use NAME, or from NAME to NAME; nothing for the list",
  max_length: 120,
};

const OWN: APIApplicationCommandSubcommandOption[] = (
  ["help", "tools", "status", "approvals", "accounts", "me", "privacy"] as const
).map((name) => ({
  type: Type.Subcommand,
  name,
  description: asSentence(en.commands.about[name]),
  ...(Object.hasOwn(OPTIONS, name) ? { options: OPTIONS[name] } : {}),
}));

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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
    description: oneLine(`Work with ${command.server}`, LIMITS.command.description),
    options,
  };
}

/** The first sentence of what the tool says of itself. */
function describe({ title, description, name }: Tool): string {
  const said = oneLine(cleanText(description)) || oneLine(cleanText(title ?? "")) || name;
  const [sentence = said] = said.split(/(?<=[.!?])\s/, 1);
  return cutText(sentence, LIMITS.command.description);
}

/** An argument of a tool as Discord can ask for it. */
export interface CommandOption {
  /** In the tool's schema. */
  argument: string;
  option: APIApplicationCommandBasicOption;
  /** Several texts, written with commas between them. */
  isList: boolean;
}

/**
 * The arguments of a tool that Discord can ask for, required ones first; what is left out, such as nested
 * values, is asked for in a form where it is required. `completed`: arguments whose values are suggested;
 * `set`: those that have their value already.
 */
export function optionsOf(
  { inputSchema }: Pick<Tool, "inputSchema">,
  completed: readonly string[],
  set: JsonObject = {},
): CommandOption[] {
  const { properties, required } = inputSchema;
  if (!isObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = new Set<string>();
  const all = Object.entries(properties).flatMap(([argument, schema]): CommandOption[] => {
    const name = optionName(argument);
    if (name === undefined || names.has(name) || !isObject(schema) || Object.hasOwn(set, argument)) return [];
    const made = toOption(argument, name, schema, needed.has(argument), completed.includes(argument));
    if (made !== undefined) names.add(name);
    return made === undefined ? [] : [made];
  });
  const first = all.filter(({ argument }) => needed.has(argument));
  const rest = all.filter(({ argument }) => !needed.has(argument));
  return [...first, ...rest].slice(0, LIMITS.command.options);
}

/** `issueKey` as `issue_key`: Discord's names have no capitals; undefined for what cannot be one. */
function optionName(argument: string): string | undefined {
  const name = argument.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  return /^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u.test(name) ? name : undefined;
}

function toOption(
  argument: string,
  name: string,
  schema: JsonObject,
  required: boolean,
  isCompleted: boolean,
): CommandOption | undefined {
  const base = { name, description: describeOption(schema, argument), required };
  const made = (option: APIApplicationCommandBasicOption, isList = false): CommandOption => ({
    argument,
    option,
    isList,
  });
  switch (typeOf(schema)) {
    case "string": {
      const choices = choicesOf(schema);
      if (choices !== undefined) return made({ ...base, type: Type.String, choices });
      return made({ ...base, type: Type.String, ...(isCompleted ? { autocomplete: true } : {}) });
    }
    case "integer":
      return made({ ...base, type: Type.Integer, ...boundsOf(schema) });
    case "number":
      return made({ ...base, type: Type.Number, ...boundsOf(schema) });
    case "boolean":
      return made({ ...base, type: Type.Boolean });
    case "array":
      if (!isObject(schema["items"]) || typeOf(schema["items"]) !== "string") return undefined;
      return made({ ...base, type: Type.String }, true);
    default:
      return undefined;
  }
}

function typeOf({ type, enum: values }: JsonObject): string | undefined {
  if (typeof type === "string") return type;
  if (Array.isArray(type)) {
    const [only, ...others] = type.filter((one) => one !== "null");
    return others.length === 0 && typeof only === "string" ? only : undefined;
  }
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? "string" : undefined;
}

/** Undefined where the values are free, or too many to be listed. */
function choicesOf({ enum: values }: JsonObject): APIApplicationCommandOptionChoice<string>[] | undefined {
  const { choices, choiceValue } = LIMITS.command;
  if (!Array.isArray(values) || values.length === 0 || values.length > choices) return undefined;
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length !== values.length || texts.some((text) => text === "" || text.length > choiceValue)) {
    return undefined;
  }
  return texts.map((text) => ({ name: oneLine(cleanText(text)) || text, value: text }));
}

function boundsOf({ minimum, maximum }: JsonObject): { min_value?: number; max_value?: number } {
  return {
    ...(isExact(minimum) ? { min_value: minimum } : {}),
    ...(isExact(maximum) ? { max_value: maximum } : {}),
  };
}

function isExact(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function describeOption({ description, title, type }: JsonObject, argument: string): string {
  const list = type === "array" ? " (several, with commas)" : "";
  const said = [description, title].find((text) => typeof text === "string" && text.trim() !== "");
  const text = cleanText(typeof said === "string" ? said : argument.replaceAll(/[_-]+/g, " "));
  return `${oneLine(text, LIMITS.command.description - list.length)}${list}`;
}
