import { ButtonStyle, ComponentType, TextInputStyle } from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import type { Choice, DiscordDrawContext } from "../context.ts";
import { drawSelect, drawTextarea, drawTicks } from "../controls.ts";
import { addressOf, type Fields, fieldsIn, isFields, textOf } from "../payload.ts";

const BUTTONS: Readonly<Record<number, string>> = {
  [ButtonStyle.Primary]: "dc-primary",
  [ButtonStyle.Secondary]: "dc-secondary",
  [ButtonStyle.Success]: "dc-success",
  [ButtonStyle.Danger]: "dc-danger",
};

/** A button, menu or input. Undefined for what is none. */
export function drawControl(component: Fields, look: DiscordDrawContext): Child | undefined {
  const wired = component.disabled === true ? undefined : look.attributes(component);
  const off = component.disabled === true ? " dc-off" : "";
  const props = { ...wired, disabled: wired === undefined };
  const field = { ...props, class: `dc-field${off}` };
  const menu = (all: readonly Choice[], chosen: readonly string[]): Child =>
    drawSelect(field, all, chosen, isMany(component) ? undefined : placeholderOf(component));
  switch (component.type) {
    case ComponentType.Button:
      return drawButton(component, { ...props, class: off });
    case ComponentType.StringSelect:
      return menu(optionsOf(component), chosenOf(component));
    case ComponentType.UserSelect:
      return menu(look.choices("user"), []);
    case ComponentType.RoleSelect:
      return menu(look.choices("role"), []);
    case ComponentType.MentionableSelect:
      return menu([...look.choices("user"), ...look.choices("role")], []);
    case ComponentType.ChannelSelect:
      return menu(look.choices("channel"), []);
    case ComponentType.TextInput:
      return drawTextInput(component, field);
    case ComponentType.RadioGroup:
      return drawTicks(
        "dc-tick",
        { ...props, type: "radio", name: textOf(component.custom_id) },
        optionsOf(component),
        chosenOf(component),
      );
    case ComponentType.CheckboxGroup:
      return drawTicks("dc-tick", { ...props, type: "checkbox" }, optionsOf(component), chosenOf(component));
    case ComponentType.Checkbox:
      return el("input", { ...props, type: "checkbox", value: "true", checked: component.default === true });
    case ComponentType.FileUpload:
      return el("input", { ...field, type: "file", multiple: isMany(component) });
    default:
      return undefined;
  }
}

function drawButton(component: Fields, props: { class: string; disabled: boolean }): Child {
  const { emoji } = component;
  const sign = isFields(emoji) ? `${textOf(emoji.name)} ` : "";
  const label = `${sign}${textOf(component.label)}`.trim();
  if (component.style === ButtonStyle.Link) {
    const href = addressOf(component.url);
    const name = `dc-button dc-secondary${props.class}`;
    if (href === undefined) return el("span", { class: name }, label);
    return el("a", { class: name, href, target: "_blank", rel: "noreferrer noopener" }, `${label} ↗`);
  }
  const style = BUTTONS[Number(component.style)] ?? "dc-secondary";
  return el("button", { type: "button", ...props, class: `dc-button ${style}${props.class}` }, label);
}

function drawTextInput(component: Fields, field: Readonly<Record<string, string | boolean>>): Child {
  const value = textOf(component.value);
  const placeholder = textOf(component.placeholder);
  const props = { ...field, ...(placeholder === "" ? {} : { placeholder }) };
  return component.style === TextInputStyle.Paragraph
    ? drawTextarea(props, value)
    : el("input", { ...props, type: "text", value });
}

function isMany({ max_values: most }: Fields): boolean {
  return typeof most === "number" && most > 1;
}

function placeholderOf(component: Fields): string {
  return textOf(component.placeholder) || "Make a selection";
}

function optionsOf(component: Fields): Choice[] {
  return fieldsIn(component.options).map((option) => [textOf(option.value), textOf(option.label)]);
}

function chosenOf(component: Fields): string[] {
  return fieldsIn(component.options)
    .filter((option) => option.default === true)
    .map((option) => textOf(option.value));
}
