import type { APIApplicationCommandBasicOption, APIApplicationCommandOptionChoice } from "discord.js";
import { ApplicationCommandOptionType as Type } from "discord.js";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { LIMITS } from "../render/limits.ts";

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
  const base = { name, description: describe(schema, argument), required };
  const choices = choicesOf(schema);
  switch (typeOf(schema)) {
    case "string": {
      if (choices !== undefined)
        return { argument, isList: false, option: { ...base, type: Type.String, choices } };
      const option = {
        ...base,
        type: Type.String as const,
        ...(isCompleted ? { autocomplete: true as const } : {}),
      };
      return { argument, isList: false, option };
    }
    case "integer":
      return { argument, isList: false, option: { ...base, type: Type.Integer, ...boundsOf(schema) } };
    case "number":
      return { argument, isList: false, option: { ...base, type: Type.Number, ...boundsOf(schema) } };
    case "boolean":
      return { argument, isList: false, option: { ...base, type: Type.Boolean } };
    case "array":
      if (!isObject(schema["items"]) || typeOf(schema["items"]) !== "string") return undefined;
      return { argument, isList: true, option: { ...base, type: Type.String } };
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
    ...(typeof minimum === "number" && Math.abs(minimum) <= Number.MAX_SAFE_INTEGER
      ? { min_value: minimum }
      : {}),
    ...(typeof maximum === "number" && Math.abs(maximum) <= Number.MAX_SAFE_INTEGER
      ? { max_value: maximum }
      : {}),
  };
}

function describe({ description, title, type }: JsonObject, argument: string): string {
  const list = type === "array" ? " (several, with commas)" : "";
  const said = [description, title].find((text) => typeof text === "string" && text.trim() !== "");
  const text = oneLine(cleanText(typeof said === "string" ? said : argument.replaceAll(/[_-]+/g, " ")));
  return `${cutText(text, LIMITS.command.description - list.length)}${list}`;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
