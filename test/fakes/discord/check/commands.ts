import { ApplicationCommandOptionType as O, ApplicationCommandType } from "discord-api-types/v10";
import type {
  APIApplicationCommandOption,
  APIApplicationCommandOptionChoice,
  RESTPutAPIApplicationCommandsJSONBody,
} from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import type { FieldsOf, Form } from "./form.ts";

const commandFields: FieldsOf<RESTPutAPIApplicationCommandsJSONBody[number] & { id?: string }> = {
  id: true,
  type: true,
  name: true,
  name_localizations: true,
  description: true,
  description_localizations: true,
  options: true,
  default_member_permissions: true,
  dm_permission: true,
  default_permission: true,
  nsfw: true,
  integration_types: true,
  contexts: true,
  handler: true,
};

const optionFields: FieldsOf<APIApplicationCommandOption> = {
  type: true,
  name: true,
  name_localizations: true,
  description: true,
  description_localizations: true,
  required: true,
  options: true,
  choices: true,
  autocomplete: true,
  min_value: true,
  max_value: true,
  min_length: true,
  max_length: true,
  channel_types: true,
  file_types: true,
};

const choiceFields: FieldsOf<APIApplicationCommandOptionChoice> = {
  name: true,
  name_localizations: true,
  value: true,
};

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

type Path = readonly (string | number)[];

/** Checks one command; `at` is its place in a bulk overwrite. */
export function checkCommand(form: Form, value: unknown, at: Path): void {
  const command = form.object(value, at, commandFields);
  if (command === undefined) return;
  const type = (command.type ?? ApplicationCommandType.ChatInput) as ApplicationCommandType;
  form.choice(type, [...at, "type"], [1, 2, 3]);
  if (type === ApplicationCommandType.ChatInput) {
    checkName(form, command.name, [...at, "name"]);
    form.text(command.description, [...at, "description"], 100, 1);
    checkOptions(form, command.options, [...at, "options"], 0);
    const size = sizeOf(command);
    if (size > 8000) {
      form.add(
        at,
        "APPLICATION_COMMAND_TOO_LARGE",
        `Command exceeds maximum size (${size} of 8000 characters)`,
      );
    }
    return;
  }
  form.text(command.name, [...at, "name"], 32, 1);
  if (command.description !== undefined && command.description !== "") {
    form.add(
      [...at, "description"],
      "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_PRESENT",
      "Context menu commands cannot have description",
    );
  }
  if (Array.isArray(command.options) && command.options.length > 0) {
    form.add(
      [...at, "options"],
      "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_PRESENT",
      "Context menu commands cannot have options",
    );
  }
}

function checkName(form: Form, value: unknown, at: Path): void {
  if (!form.text(value, at, 32, 1)) return;
  if (!NAME.test(value)) {
    form.add(at, "STRING_TYPE_REGEX", "String value did not match validation regex.");
  } else if (value !== value.toLowerCase()) {
    form.add(at, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
}

/** `depth` 0 is the command, 1 a group or subcommand of it, 2 a subcommand of a group. */
function checkOptions(form: Form, value: unknown, at: Path, depth: number): void {
  const options = form.list(value, at, 25);
  const names = new Set<unknown>();
  let optional = false;
  for (const [index, item] of options.entries()) {
    const here = [...at, index];
    const option = form.object(item, here, optionFields);
    if (option === undefined) continue;
    const nested = option.type === O.Subcommand || option.type === O.SubcommandGroup;
    checkName(form, option.name, [...here, "name"]);
    form.text(option.description, [...here, "description"], 100, 1);
    if (names.has(option.name)) {
      form.add(
        [...here, "name"],
        "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
        "Option name already exists",
      );
    }
    names.add(option.name);
    form.choice(option.type, [...here, "type"], allowedTypes(depth));
    if (option.type === undefined) form.required([...here, "type"]);
    if (nested) {
      checkOptions(form, option.options, [...here, "options"], option.type === O.SubcommandGroup ? 1 : 2);
      if (
        options.some(
          (other) => isFields(other) && ![O.Subcommand, O.SubcommandGroup].includes(other.type as O),
        )
      ) {
        form.add(
          here,
          "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
          "Sub-command and sub-command group option types are mutually exclusive to all other types",
        );
      }
      continue;
    }
    if (option.required === true && optional) {
      form.add(
        here,
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
    }
    optional ||= option.required !== true;
    checkChoices(form, option, here);
  }
}

function allowedTypes(depth: number): number[] {
  const values = [3, 4, 5, 6, 7, 8, 9, 10, 11];
  if (depth === 0) return [O.Subcommand, O.SubcommandGroup, ...values];
  return depth === 1 ? [O.Subcommand] : values;
}

function checkChoices(form: Form, option: Fields, at: Path): void {
  const choices = form.list(option.choices, [...at, "choices"], 25);
  if (option.autocomplete === true && choices.length > 0) {
    form.add(
      [...at, "autocomplete"],
      "APPLICATION_COMMAND_OPTIONS_CHOICES_AND_AUTOCOMPLETE",
      "Choices and autocomplete are mutually exclusive",
    );
  }
  checkChoiceList(form, choices, [...at, "choices"], option.type as O);
  form.number(option.min_length, [...at, "min_length"], 0, 6000);
  form.number(option.max_length, [...at, "max_length"], 1, 6000);
}

/** Choices of an option, or those that answer an autocomplete. */
export function checkChoiceList(form: Form, choices: unknown[], at: Path, type: O): void {
  const names = new Set<unknown>();
  for (const [index, item] of choices.entries()) {
    const here = [...at, index];
    const choice = form.object(item, here, choiceFields);
    if (choice === undefined) continue;
    form.text(choice.name, [...here, "name"], 100, 1);
    if (choice.value === undefined) form.required([...here, "value"]);
    else if (type === O.String) form.text(choice.value, [...here, "value"], 100, 1);
    else if (typeof choice.value !== "number") {
      form.add(
        [...here, "value"],
        "NUMBER_TYPE_COERCE",
        `Value "${JSON.stringify(choice.value)}" is not a number.`,
      );
    }
    if (names.has(choice.name)) {
      form.add(
        [...here, "name"],
        "APPLICATION_COMMAND_OPTION_CHOICE_NAME_DUPLICATE",
        "Choice name already exists",
      );
    }
    names.add(choice.name);
  }
}

/** Names, descriptions and values of the command and all that is in it. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 0);
  if (!isFields(value)) return 0;
  const own = [value.name, value.description, value.value].filter((text) => typeof text === "string");
  return own.join("").length + sizeOf(value.options) + sizeOf(value.choices);
}
