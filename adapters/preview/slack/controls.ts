import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf, wordsOf } from "../context.ts";
import { addressOf, type Choice, drawSelect, drawTextInput, type Props } from "../frame.ts";

/** A control that the product sends: a button, or an input with what is chosen in it. Undefined for others. */
export function drawControl(block: Fields, element: Fields, context: SlackDrawContext): Child | undefined {
  const wired = context.attributes(block, element);
  const state = stateOf(block, element, context);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "sl-field" };
  switch (element.type) {
    case "button":
      return drawButton(element, props);
    case "feedback_buttons":
      return drawFeedback(element, props);
    case "icon_button":
      return drawIcon(element, props);
    case "static_select": {
      const { selected_option: option } = state;
      const chosen = isObject(option) ? textOf(option.value) : "";
      return drawSelect(field, options(element), chosen, wordsOf(element.placeholder) || "Choose an option");
    }
    case "users_select":
      return drawSelect(field, context.people, textOf(state.selected_user), "Choose a person");
    case "plain_text_input": {
      const placeholder = wordsOf(element.placeholder);
      return drawTextInput(field, textOf(state.value), placeholder, element.multiline === true);
    }
    case "number_input":
      return el("input", { ...field, inputmode: "decimal", type: "text", value: textOf(state.value) });
    case "datepicker":
      return el("input", { ...field, type: "date", value: textOf(state.selected_date) });
    case "overflow": {
      const items = fieldsIn(element.options).map((option) => {
        const item = context.attributes(block, { ...element, selected_option: option });
        const about = { type: "button", ...item, disabled: item === undefined, class: "sl-button" };
        return el("button", about, wordsOf(option.text));
      });
      const dots = el("summary", { class: "sl-button", "aria-label": "More" }, "⋯");
      return el("details", { class: "sl-overflow" }, dots, ...items);
    }
    default:
      return undefined;
  }
}

function drawButton(element: Fields, props: Props): Child {
  const style = element.style === "primary" || element.style === "danger" ? ` sl-${element.style}` : "";
  const label = wordsOf(element.text);
  const href = addressOf(element.url);
  if (href === undefined) {
    return el("button", { type: "button", ...props, class: `sl-button${style}` }, label);
  }
  const opened = { href, title: href, target: "_blank", rel: "noreferrer noopener" };
  return el("a", { ...opened, class: `sl-button sl-opens${style}` }, label);
}

/** A pair of thumbs; each sends the value that it stands for. */
function drawFeedback(element: Fields, props: Props): Child {
  const thumbs = [
    [element.positive_button, "👍"],
    [element.negative_button, "👎"],
  ] as const;
  return thumbs.map(([button, sign]) =>
    isObject(button)
      ? el(
          "button",
          {
            type: "button",
            ...props,
            class: "sl-icon-button",
            title: wordsOf(button.text),
            value: textOf(button.value),
          },
          sign,
        )
      : null,
  );
}

function drawIcon(element: Fields, props: Props): Child {
  const label = wordsOf(element.text);
  return el("button", { type: "button", ...props, class: "sl-icon-button", title: label }, label);
}

/** What is chosen or written now; where the page keeps no state, what the element came with. */
function stateOf(block: Fields, element: Fields, { values }: SlackDrawContext): Fields {
  const inBlock = values[textOf(block.block_id)];
  const state = isObject(inBlock) ? inBlock[textOf(element.action_id)] : undefined;
  if (isObject(state)) return state;
  return {
    value: element.initial_value,
    selected_option: element.initial_option,
    selected_user: element.initial_user,
    selected_date: element.initial_date,
  };
}

/** What there is to choose from, also where it is in groups. */
function options(element: Fields): Choice[] {
  const grouped = fieldsIn(element.option_groups).flatMap((group) => fieldsIn(group.options));
  return [...fieldsIn(element.options), ...grouped].map(({ value, text }) => [textOf(value), wordsOf(text)]);
}
