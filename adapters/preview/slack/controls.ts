import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf, wordsOf } from "../context.ts";
import {
  addressOf,
  type Attributes,
  type Choice,
  drawLink,
  drawSelect,
  drawTextInput,
  drawTicks,
  type Props,
} from "../frame.ts";

/** A control: a button, or an input with what is chosen in it. Undefined for what has none. */
export function drawControl(block: Fields, element: Fields, context: SlackDrawContext): Child | undefined {
  const wired = context.attributes(block, element);
  const state = stateOf(block, element, context);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "sl-field" };
  const select = (all: readonly Choice[], none?: string): Child =>
    drawSelect(field, all, chosen(state), none);
  const ticks = (more: Attributes): Child =>
    drawTicks("sl", { ...props, ...more }, options(element), chosen(state));
  const input = (type: string, value: unknown, more: Attributes = {}): Child =>
    el("input", { ...field, ...more, type, value: textOf(value) });
  switch (element.type) {
    case "button":
    case "icon_button":
    case "workflow_button":
      return drawButton(element, props);
    case "feedback_buttons":
      return [element.positive_button, element.negative_button]
        .filter((one) => isObject(one))
        .map((one) => drawButton(one, { ...props, value: textOf(one.value) }));
    case "overflow":
      return drawSelect(field, options(element), [], "…");
    case "static_select":
    case "external_select":
      return select(options(element), wordsOf(element.placeholder) || "Choose an option");
    case "multi_static_select":
    case "multi_external_select":
      return select(options(element));
    case "users_select":
      return select(context.people, "Choose a person");
    case "multi_users_select":
      return select(context.people);
    case "conversations_select":
    case "channels_select":
      return select(context.places, "Choose a channel");
    case "multi_conversations_select":
    case "multi_channels_select":
      return select(context.places);
    case "radio_buttons":
      return ticks({ type: "radio", name: `${textOf(block.block_id)}/${textOf(element.action_id)}` });
    case "checkboxes":
      return ticks({ type: "checkbox" });
    case "plain_text_input":
      return drawTextInput(
        field,
        textOf(state.value),
        wordsOf(element.placeholder),
        element.multiline === true,
      );
    case "number_input":
      return input("text", state.value, { inputmode: "decimal" });
    case "email_text_input":
      return input("email", state.value);
    case "url_text_input":
      return input("url", state.value);
    case "datepicker":
      return input("date", state.selected_date);
    case "timepicker":
      return input("time", state.selected_time);
    case "datetimepicker":
      return input("number", state.selected_date_time, { title: "seconds since 1970" });
    default:
      return undefined;
  }
}

function drawButton(element: Fields, props: Props): Child {
  const style = element.style === "primary" || element.style === "danger" ? ` sl-${element.style}` : "";
  const label = wordsOf(element.text);
  const button = el("button", { type: "button", ...props, class: `sl-button${style}` }, label);
  const href = addressOf(element.url);
  return href === undefined ? button : [button, " ", drawLink("sl", href, href)];
}

/** What is chosen or written now; where the page keeps no state, what the element came with. */
function stateOf(block: Fields, element: Fields, { values }: SlackDrawContext): Fields {
  const inBlock = values[textOf(block.block_id)];
  const state = isObject(inBlock) ? inBlock[textOf(element.action_id)] : undefined;
  if (isObject(state)) return state;
  const initial = Object.entries(element).filter(([key]) => key.startsWith("initial_"));
  return Object.fromEntries(
    initial.map(([key, value]) => [
      key === "initial_value" ? "value" : key.replace("initial_", "selected_"),
      value,
    ]),
  );
}

/** What there is to choose from, also where it is in groups. */
function options(element: Fields): Choice[] {
  const grouped = fieldsIn(element.option_groups).flatMap((group) => fieldsIn(group.options));
  return [...fieldsIn(element.options), ...grouped].map(({ value, text }) => [textOf(value), wordsOf(text)]);
}

/** The values that are chosen now, whatever the kind of element calls them. */
function chosen(state: Fields): string[] {
  return Object.entries(state)
    .filter(([key]) => key.startsWith("selected_"))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => value !== null && value !== undefined)
    .map((value) => textOf(isObject(value) ? value.value : value));
}
