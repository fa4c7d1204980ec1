import { ButtonStyle, ComponentType, TextInputStyle } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { type DiscordDrawContext, type Fields, fieldsIn, textOf } from "../context.ts";
import { type Choice, drawSelect, drawTextInput } from "../frame.ts";

const BUTTONS: Readonly<Record<number, string>> = {
  [ButtonStyle.Primary]: "dc-primary",
  [ButtonStyle.Success]: "dc-success",
  [ButtonStyle.Danger]: "dc-danger",
};

/** A button, menu or input that the product sends. Undefined for others. */
export function drawControl(component: Fields, context: DiscordDrawContext): Child | undefined {
  const wired = context.attributes(component);
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: "dc-field" };
  const placeholder = textOf(component.placeholder);
  switch (component.type) {
    case ComponentType.Button: {
      const name = `dc-button ${BUTTONS[Number(component.style)] ?? "dc-secondary"}`;
      return el("button", { type: "button", ...props, class: name }, textOf(component.label));
    }
    case ComponentType.StringSelect: {
      const options = fieldsIn(component.options);
      const choices = options.map(({ value, label }): Choice => [textOf(value), textOf(label)]);
      const chosen = options.find((option) => option.default === true);
      return drawSelect(field, choices, textOf(chosen?.value), placeholder || "Make a selection");
    }
    case ComponentType.TextInput: {
      const isLong = component.style === TextInputStyle.Paragraph;
      const input = isLong ? field : { ...field, type: "text" };
      return drawTextInput(input, textOf(component.value), placeholder, isLong);
    }
    default:
      return undefined;
  }
}
