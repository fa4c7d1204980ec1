import { type Child, jsx as el } from "hono/jsx";

import type { Attributes, Choice, SlackDrawContext } from "../context.ts";
import { drawSelect, drawTextarea, drawTicks } from "../controls.ts";
import { addressOf, type Fields, fieldsIn, isFields, textOf, wordsOf } from "../payload.ts";
import { link } from "./text.ts";

/** A control: a button, or an input with what is chosen in it. Undefined for what has none. */
export function drawControl(block: Fields, element: Fields, look: SlackDrawContext): Child | undefined {
  const wired = look.attributes(block, element);
  const state = stateOf(block, element, look);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "sl-field" };
  switch (element.type) {
    case "button":
    case "icon_button":
    case "workflow_button":
      return drawButton(element, props);
    case "feedback_buttons":
      return [element.positive_button, element.negative_button]
        .filter(isFields)
        .map((one) => drawButton(one, { ...props, value: textOf(one.value) }));
    case "overflow":
      return drawSelect(field, options(element), [], "…");
    case "static_select":
    case "external_select":
      return drawSelect(
        field,
        options(element),
        chosen(state),
        wordsOf(element.placeholder) || "Choose an option",
      );
    case "multi_static_select":
    case "multi_external_select":
      return drawSelect(field, options(element), chosen(state));
    case "users_select":
      return drawSelect(field, look.people, chosen(state), "Choose a person");
    case "multi_users_select":
      return drawSelect(field, look.people, chosen(state));
    case "conversations_select":
    case "channels_select":
      return drawSelect(field, look.places, chosen(state), "Choose a channel");
    case "multi_conversations_select":
    case "multi_channels_select":
      return drawSelect(field, look.places, chosen(state));
    case "radio_buttons":
      return drawTicks(
        "sl-tick",
        { ...props, type: "radio", name: nameOf(block, element) },
        options(element),
        chosen(state),
      );
    case "checkboxes":
      return drawTicks("sl-tick", { ...props, type: "checkbox" }, options(element), chosen(state));
    case "plain_text_input":
      return textInput(element, field, textOf(state.value));
    case "number_input":
      return input(field, "text", state.value, { inputmode: "decimal" });
    case "email_text_input":
      return input(field, "email", state.value);
    case "url_text_input":
      return input(field, "url", state.value);
    case "datepicker":
      return input(field, "date", state.selected_date);
    case "timepicker":
      return input(field, "time", state.selected_time);
    case "datetimepicker":
      return input(field, "number", state.selected_date_time, { title: "seconds since 1970" });
    default:
      return undefined;
  }
}

type Props = Readonly<Record<string, string | boolean>>;

function drawButton(element: Fields, props: Props): Child {
  const style = element.style === "primary" || element.style === "danger" ? ` sl-${element.style}` : "";
  const button = el(
    "button",
    { type: "button", ...props, class: `sl-button${style}` },
    wordsOf(element.text),
  );
  const href = addressOf(element.url);
  return href === undefined ? button : [button, " ", link(href, href)];
}

function textInput(element: Fields, props: Props, value: string): Child {
  const placeholder = wordsOf(element.placeholder);
  const common = { ...props, ...(placeholder === "" ? {} : { placeholder }) };
  return element.multiline === true ? drawTextarea(common, value) : el("input", { ...common, value });
}

/** What is chosen or written now; where the page keeps no state, what the element came with. */
function stateOf(block: Fields, element: Fields, { values }: SlackDrawContext): Fields {
  const inBlock = values[textOf(block.block_id)];
  const state = isFields(inBlock) ? inBlock[textOf(element.action_id)] : undefined;
  if (isFields(state)) return state;
  return Object.fromEntries(
    Object.entries(element)
      .filter(([key]) => key.startsWith("initial_"))
      .map(([key, value]) => [
        key === "initial_value" ? "value" : key.replace("initial_", "selected_"),
        value,
      ]),
  );
}

function nameOf(block: Fields, element: Fields): string {
  return `${textOf(block.block_id)}/${textOf(element.action_id)}`;
}

/** What there is to choose from, also where it is in groups. */
function options(element: Fields): Choice[] {
  const grouped = fieldsIn(element.option_groups).flatMap((group) => fieldsIn(group.options));
  return [...fieldsIn(element.options), ...grouped].map((option) => [
    textOf(option.value),
    wordsOf(option.text),
  ]);
}

/** The values that are chosen now, whatever the kind of element calls them. */
function chosen(state: Fields): string[] {
  return Object.entries(state)
    .filter(([key]) => key.startsWith("selected_"))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => value !== null && value !== undefined)
    .map((value) => textOf(isFields(value) ? value.value : value));
}

function input(props: Props, type: string, value: unknown, more: Attributes = {}): Child {
  return el("input", { ...props, ...more, type, value: textOf(value) });
}
