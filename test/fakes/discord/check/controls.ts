import { ButtonStyle, ComponentType as C } from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import { emojiFields, optionFields } from "./fields.ts";
import type { Form } from "./form.ts";

type Path = readonly (string | number)[];

/** Checks a button, menu or input by itself. */
export function checkControl(form: Form, control: Fields, at: Path, modal = false): void {
  switch (control.type) {
    case C.Button:
      return button(form, control, at);
    case C.TextInput:
      return textInput(form, control, at);
    case C.FileUpload:
      needId(form, control, at);
      form.number(control.min_values, [...at, "min_values"], 0, 10);
      return form.number(control.max_values, [...at, "max_values"], 1, 10);
    case C.Checkbox:
      needId(form, control, at);
      return form.flag(control.default, [...at, "default"]);
    case C.RadioGroup:
      needId(form, control, at);
      return options(form, control, at, 2, 10);
    case C.CheckboxGroup:
      needId(form, control, at);
      range(form, control, at, 10);
      return options(form, control, at, 1, 10);
    default:
      needId(form, control, at);
      form.text(control.placeholder, [...at, "placeholder"], 150);
      range(form, control, at, 25);
      if (control.disabled === true && modal) {
        form.add(
          [...at, "disabled"],
          "COMPONENT_DISABLED_IN_MODAL",
          "Select menus in modals cannot be disabled",
        );
      }
      if (control.type === C.StringSelect) options(form, control, at, 1, 25);
  }
}

function needId(form: Form, control: Fields, at: Path): void {
  if (control.custom_id === undefined) form.required([...at, "custom_id"]);
}

function button(form: Form, control: Fields, at: Path): void {
  const { style, label, emoji } = control;
  if (style === undefined) form.required([...at, "style"]);
  form.choice(style, [...at, "style"], [1, 2, 3, 4, 5, 6]);
  form.text(label, [...at, "label"], 80);
  if (emoji !== undefined) form.object(emoji, [...at, "emoji"], emojiFields);
  form.flag(control.disabled, [...at, "disabled"]);
  if (style === ButtonStyle.Link) {
    if (control.url === undefined) form.required([...at, "url"]);
    if (form.text(control.url, [...at, "url"], 512))
      form.url(control.url, [...at, "url"], ["http:", "https:", "discord:"]);
    if (control.custom_id !== undefined) {
      form.add([...at, "custom_id"], "BASE_TYPE_INVALID", "A custom id and url cannot both be specified");
    }
  } else if (control.url !== undefined) {
    form.add([...at, "url"], "BASE_TYPE_INVALID", "A custom id and url cannot both be specified");
  }
  if (style !== ButtonStyle.Premium && (label === undefined || label === "") && emoji === undefined) {
    form.add(at, "BUTTON_COMPONENT_INVALID_LABEL", "A label or an emoji is required");
  }
}

function textInput(form: Form, control: Fields, at: Path): void {
  needId(form, control, at);
  form.choice(control.style, [...at, "style"], [1, 2]);
  if (control.style === undefined) form.required([...at, "style"]);
  form.text(control.label, [...at, "label"], 45);
  form.text(control.placeholder, [...at, "placeholder"], 100);
  form.number(control.min_length, [...at, "min_length"], 0, 4000);
  form.number(control.max_length, [...at, "max_length"], 1, 4000);
  const most = typeof control.max_length === "number" ? control.max_length : 4000;
  const least = typeof control.min_length === "number" ? control.min_length : 0;
  form.text(control.value, [...at, "value"], most, least, false);
}

function range(form: Form, { min_values, max_values, options }: Fields, at: Path, most: number): void {
  form.number(min_values, [...at, "min_values"], 0, most);
  form.number(max_values, [...at, "max_values"], 1, most);
  if (typeof min_values === "number" && typeof max_values === "number" && min_values > max_values) {
    form.add([...at, "max_values"], "BASE_TYPE_INVALID", "max_values must not be less than min_values");
  }
  if (Array.isArray(options) && typeof max_values === "number" && max_values > options.length) {
    form.add(
      [...at, "max_values"],
      "BASE_TYPE_INVALID",
      "max_values must not be more than there are options",
    );
  }
}

function options(form: Form, control: Fields, at: Path, least: number, most: number): void {
  const values = new Set<unknown>();
  for (const [index, item] of form.list(control.options, [...at, "options"], most, least).entries()) {
    const here = [...at, "options", index];
    const option = form.object(item, here, optionFields);
    if (option === undefined) continue;
    form.text(option.label, [...here, "label"], 100, 1);
    form.text(option.value, [...here, "value"], 100, 1);
    form.text(option.description, [...here, "description"], 100);
    if (isFields(option.emoji)) form.object(option.emoji, [...here, "emoji"], emojiFields);
    if (values.has(option.value)) {
      form.add(
        [...here, "value"],
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used",
      );
    }
    values.add(option.value);
  }
}
