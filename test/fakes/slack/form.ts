import { asText, isFields } from "./json.ts";
import type { Block, Fields } from "./types.ts";

/** An element that a person can act on, with the block it stands in. */
export interface Control {
  block: Block;
  element: Fields & { type: string; action_id: string };
  /** What a person reads on or beside it. */
  label: string;
}

/** All controls of a message or view, from top to bottom. */
export function controlsOf(blocks: readonly Block[]): Control[] {
  const found: Control[] = [];
  const visit = (value: unknown, block: Block): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, block);
    if (!isFields(value)) return;
    const inner = typeof value.block_id === "string" ? (value as Block) : block;
    if (typeof value.action_id === "string" && typeof value.type === "string") {
      found.push({ block: inner, element: value as Control["element"], label: labelOf(value, inner) });
    }
    for (const item of Object.values(value)) visit(item, inner);
  };
  for (const block of blocks) visit(block, block);
  return found;
}

/** The control at this `block_id/action_id`, else with this action_id, else with this label, else of this block. */
export function findControl(blocks: readonly Block[], wanted: string): Control | undefined {
  const controls = controlsOf(blocks);
  return (
    controls.find(({ block, element }) => `${block.block_id}/${element.action_id}` === wanted) ??
    controls.find(({ element }) => element.action_id === wanted) ??
    // Buttons of several requests differ in their value alone.
    controls.find(({ element }) => `${element.action_id}=${String(element.value)}` === wanted) ??
    controls.find(({ label }) => label === wanted) ??
    controls.find(({ block }) => block.block_id === wanted)
  );
}

function labelOf(element: Fields, block: Block): string {
  const own = textOf(element.text) ?? textOf(element.placeholder);
  return (block.type === "input" ? textOf(block.label) : undefined) ?? own ?? textOf(block.text) ?? "";
}

function textOf(value: unknown): string | undefined {
  return isFields(value) && typeof value.text === "string" ? value.text : undefined;
}

/** `state.values` of a view or message nobody has touched: block_id to action_id to state. */
export function initialState(blocks: readonly Block[]): Fields {
  const values: Record<string, Fields> = {};
  for (const { block, element } of controlsOf(blocks)) {
    const state = untouched(element);
    if (state !== undefined) (values[block.block_id ?? ""] ??= {})[element.action_id] = state;
  }
  return values;
}

/** What an element says before anybody touched it; undefined for buttons, which have no state. */
function untouched(element: Control["element"]): Fields | undefined {
  const { type } = element;
  const from = (key: string, initial: string, none: unknown = null): Fields => ({
    type,
    [key]: element[initial] ?? none,
  });
  switch (type) {
    case "plain_text_input":
    case "number_input":
    case "email_text_input":
    case "url_text_input":
      return from("value", "initial_value");
    case "rich_text_input":
      return from("rich_text_value", "initial_value");
    case "static_select":
    case "external_select":
    case "radio_buttons":
      return from("selected_option", "initial_option");
    case "multi_static_select":
    case "multi_external_select":
    case "checkboxes":
      return from("selected_options", "initial_options", []);
    case "users_select":
      return from("selected_user", "initial_user");
    case "multi_users_select":
      return from("selected_users", "initial_users", []);
    case "conversations_select":
      return from("selected_conversation", "initial_conversation");
    case "multi_conversations_select":
      return from("selected_conversations", "initial_conversations", []);
    case "channels_select":
      return from("selected_channel", "initial_channel");
    case "multi_channels_select":
      return from("selected_channels", "initial_channels", []);
    case "datepicker":
      return from("selected_date", "initial_date");
    case "timepicker":
      return from("selected_time", "initial_time");
    case "datetimepicker":
      return from("selected_date_time", "initial_date_time");
    case "file_input":
      return { type, files: [] };
    default:
      return undefined;
  }
}

/**
 * The state of an element after a person put `input` in. Options are named by their value or their label.
 * Throws where Slack's own form would not take it.
 */
export function filled(element: Control["element"], input: unknown): Fields {
  const { type } = element;
  const state = untouched(element) ?? { type };
  const key = Object.keys(state).find((name) => name !== "type");
  if (key === undefined) throw new Error(`expected an element with a value, got a ${type}`);
  if (input === null || input === "") return { type, [key]: Array.isArray(state[key]) ? [] : null };
  if (key === "selected_option") return { type, [key]: optionOf(element, asText(input)) };
  if (key === "selected_options") {
    return { type, [key]: listOf(input).map((name) => optionOf(element, name)) };
  }
  if (Array.isArray(state[key])) return { type, [key]: listOf(input) };
  if (key === "value") return { type, [key]: typed(element, asText(input)) };
  return { type, [key]: input };
}

function listOf(input: unknown): string[] {
  return (Array.isArray(input) ? input : [input]).map(String);
}

export function optionsOf(element: Fields): Fields[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups : [];
  const own = Array.isArray(element.options) ? element.options : [];
  return [...own, ...groups.flatMap((group: unknown) => (isFields(group) ? optionsOf(group) : []))].filter(
    isFields,
  );
}

export function optionOf(element: Fields, name: string): Fields {
  const options = optionsOf(element);
  const found = options.find((o) => o.value === name) ?? options.find((o) => textOf(o.text) === name);
  if (found !== undefined) return found;
  if (element.type === "external_select" || element.type === "multi_external_select") {
    return { text: { type: "plain_text", text: name }, value: name };
  }
  const known = options.map((option) => textOf(option.text)).join(", ");
  throw new Error(`expected one of the options ${known}, got "${name}"`);
}

function typed(element: Control["element"], input: string): string {
  const { max_length, min_length, min_value, max_value, is_decimal_allowed, type } = element;
  const refuse = (what: string): never => {
    throw new Error(`Slack's form does not take "${input}" for ${element.action_id}: ${what}`);
  };
  if (input.length > Number(max_length ?? 3000)) refuse(`at most ${asText(max_length, "3000")} characters`);
  if (input.length < Number(min_length ?? 0)) refuse(`at least ${asText(min_length)} characters`);
  if (type === "number_input") {
    const number = Number(input);
    if (!Number.isFinite(number)) refuse("not a number");
    if (is_decimal_allowed !== true && !Number.isInteger(number)) refuse("not a whole number");
    if (min_value !== undefined && number < Number(min_value)) refuse(`less than ${asText(min_value)}`);
    if (max_value !== undefined && number > Number(max_value)) refuse(`more than ${asText(max_value)}`);
  }
  if (type === "email_text_input" && !/^\S+@\S+\.\S+$/.test(input)) refuse("not an email address");
  if (type === "url_text_input" && !URL.canParse(input)) refuse("not a URL");
  return input;
}
