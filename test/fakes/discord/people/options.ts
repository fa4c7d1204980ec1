import { ApplicationCommandOptionType as O } from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import type { Command, Fields } from "../types.ts";
import type { GivenFile, Resolver } from "./resolved.ts";

export interface Filled {
  /** The options of the payload, nested in group and subcommand. */
  options: Fields[];
}

/** The option that is being typed, and what is typed so far. */
export interface Focus {
  option: string;
  typed: string;
}

/**
 * Fills the options of a command as Discord's own form lets a person do it. `path` names group and subcommand.
 * Throws where the form would not be sent.
 */
export function fillOptions(
  command: Command,
  path: readonly string[],
  values: Record<string, unknown>,
  resolver: Resolver,
  focus?: Focus,
): Fields[] {
  const [name, ...rest] = path;
  const declared = (command.options ?? []).filter(isFields);
  const nested = declared.filter(({ type }) => type === O.Subcommand || type === O.SubcommandGroup);
  if (nested.length > 0) {
    const chosen = nested.find((option) => option.name === name);
    if (chosen === undefined) {
      throw new Error(`expected one of ${names(nested)} after ${command.name}, got "${name ?? ""}"`);
    }
    const inner = fillOptions(chosen as Command, rest, values, resolver, focus);
    return [{ type: chosen.type, name, options: inner }];
  }
  if (name !== undefined) throw new Error(`${command.name} has no subcommand "${name}"`);
  const strange = Object.keys(values).find((key) => !declared.some((option) => option.name === key));
  if (strange !== undefined) {
    throw new Error(`expected one of the options ${names(declared)} of ${command.name}, got "${strange}"`);
  }
  if (focus !== undefined) return typing(declared, values, resolver, focus);
  return declared.flatMap((option) => {
    const value = values[String(option.name)];
    if (value === undefined && option.required !== true) return [];
    if (value === undefined)
      throw new Error(`Discord does not send ${command.name} without "${String(option.name)}"`);
    return [{ type: option.type, name: option.name, value: valueOf(option, value, resolver) }];
  });
}

function typing(
  declared: Fields[],
  values: Record<string, unknown>,
  resolver: Resolver,
  focus: Focus,
): Fields[] {
  const option = declared.find(({ name }) => name === focus.option);
  if (option?.autocomplete !== true) throw new Error(`"${focus.option}" has no autocomplete`);
  const others = declared
    .filter(({ name }) => name !== focus.option && values[String(name)] !== undefined)
    .map((other) => ({
      type: other.type,
      name: other.name,
      value: valueOf(other, values[String(other.name)], resolver),
    }));
  return [...others, { type: option.type, name: option.name, value: focus.typed, focused: true }];
}

function valueOf(option: Fields, value: unknown, resolver: Resolver): unknown {
  const choices = (Array.isArray(option.choices) ? option.choices : []).filter(isFields);
  if (choices.length > 0) {
    const chosen = choices.find((choice) => choice.name === value || choice.value === value);
    if (chosen === undefined)
      throw new Error(`expected one of ${names(choices)}, got ${JSON.stringify(value)}`);
    return chosen.value;
  }
  const refuse = (what: string): never => {
    throw new Error(
      `Discord's form takes ${what} for "${String(option.name)}", got ${JSON.stringify(value)}`,
    );
  };
  switch (option.type) {
    case O.String: {
      if (typeof value !== "string") return refuse("text");
      const { min_length = 0, max_length = 6000 } = option as { min_length?: number; max_length?: number };
      if (value.length < min_length || value.length > max_length)
        refuse(`${min_length} to ${max_length} characters`);
      return value;
    }
    case O.Integer:
    case O.Number: {
      const number = Number(value);
      if (Number.isNaN(number) || (option.type === O.Integer && !Number.isInteger(number)))
        refuse("a number");
      if (number < Number(option.min_value ?? -Infinity)) refuse(`at least ${String(option.min_value)}`);
      if (number > Number(option.max_value ?? Infinity)) refuse(`at most ${String(option.max_value)}`);
      return number;
    }
    case O.Boolean:
      return typeof value === "boolean" ? value : refuse("true or false");
    case O.User:
    case O.Mentionable:
      return resolver.user(String(value));
    case O.Role:
      return resolver.role(String(value));
    case O.Channel:
      return resolver.channel(String(value));
    case O.Attachment:
      return resolver.file(value as GivenFile);
    default:
      return refuse("nothing");
  }
}

function names(list: readonly Fields[]): string {
  return list.map(({ name }) => `"${String(name)}"`).join(", ") || "(there are none)";
}
