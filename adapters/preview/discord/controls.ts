import { ButtonStyle, ComponentType, TextInputStyle } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type DiscordDrawContext, type Fields, fieldsIn, textOf } from "../context.ts";
import {
  addressOf,
  type Attributes,
  type Choice,
  drawSelect,
  drawTextInput,
  drawTicks,
  type Props,
  span,
} from "../frame.ts";

const BUTTONS: Readonly<Record<number, string>> = {
  [ButtonStyle.Primary]: "dc-primary",
  [ButtonStyle.Success]: "dc-success",
  [ButtonStyle.Danger]: "dc-danger",
};

/** A button, menu or input. Undefined for what is none. */
export function drawControl(component: Fields, context: DiscordDrawContext): Child | undefined {
  const wired = component.disabled === true ? undefined : context.attributes(component);
  const off = component.disabled === true ? " dc-off" : "";
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: `dc-field${off}` };
  const options = fieldsIn(component.options);
  const choices = options.map(({ value, label }): Choice => [textOf(value), textOf(label)]);
  const chosen = options.filter((option) => option.default === true).map(({ value }) => textOf(value));
  const isMany = typeof component.max_values === "number" && component.max_values > 1;
  const placeholder = textOf(component.placeholder);
  const menu = (all: readonly Choice[], selected: readonly string[] = []): Child =>
    drawSelect(field, all, selected, isMany ? undefined : placeholder || "Make a selection");
  const ticks = (more: Attributes): Child => drawTicks("dc", { ...props, ...more }, choices, chosen);
  switch (component.type) {
    case ComponentType.Button:
      return drawButton(component, props, off);
    case ComponentType.StringSelect:
      return menu(choices, chosen);
    case ComponentType.UserSelect:
      return menu(context.choices("user"));
    case ComponentType.RoleSelect:
      return menu(context.choices("role"));
    case ComponentType.MentionableSelect:
      return menu([...context.choices("user"), ...context.choices("role")]);
    case ComponentType.ChannelSelect:
      return menu(context.choices("channel"));
    case ComponentType.TextInput: {
      const isLong = component.style === TextInputStyle.Paragraph;
      const input = isLong ? field : { ...field, type: "text" };
      return drawTextInput(input, textOf(component.value), placeholder, isLong);
    }
    case ComponentType.RadioGroup:
      return ticks({ type: "radio", name: textOf(component.custom_id) });
    case ComponentType.CheckboxGroup:
      return ticks({ type: "checkbox" });
    case ComponentType.Checkbox:
      return el("input", { ...props, type: "checkbox", value: "true", checked: component.default === true });
    case ComponentType.FileUpload:
      return el("input", { ...field, type: "file", multiple: isMany });
    default:
      return undefined;
  }
}

/** `off`: the class of a button that its message disables. */
function drawButton({ emoji, label: words, style, url }: Fields, props: Props, off: string): Child {
  const sign = isObject(emoji) ? `${textOf(emoji.name)} ` : "";
  const label = `${sign}${textOf(words)}`.trim();
  if (style === ButtonStyle.Link) {
    const href = addressOf(url);
    const name = `dc-button dc-secondary${off}`;
    if (href === undefined) return span(name, label);
    return el("a", { class: name, href, target: "_blank", rel: "noreferrer noopener" }, `${label} ↗`);
  }
  const name = `dc-button ${BUTTONS[Number(style)] ?? "dc-secondary"}${off}`;
  return el("button", { type: "button", ...props, class: name }, label);
}
