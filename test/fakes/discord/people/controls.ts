import { ButtonStyle, ComponentType as C } from "discord-api-types/v10";

import { asText, isFields } from "../../slack/json.ts";
import type { Fields } from "../types.ts";
import type { GivenFile, Resolver } from "./resolved.ts";

/** A button, menu or input, with what stands on it. */
export interface Control {
  component: Fields;
  label: string;
}

/** Everything in the components that a person can use, in reading order. */
export function controlsOf(components: readonly unknown[], label = ""): Control[] {
  return components.filter(isFields).flatMap((component) => {
    const { type } = component;
    if (type === C.Label) return controlsOf([component.component], String(component.label));
    if (type === C.Section) return controlsOf([component.accessory]);
    if (Array.isArray(component.components)) return controlsOf(component.components as unknown[]);
    const usable = component.custom_id !== undefined || type === C.Button;
    return usable ? [{ component, label: label || labelOf(component) }] : [];
  });
}

function labelOf({ label, placeholder, emoji, custom_id }: Fields): string {
  const drawn = isFields(emoji) ? emoji.name : undefined;
  return asText(label ?? placeholder ?? drawn ?? custom_id);
}

/** By label, custom_id or how one begins, up to a colon. Throws with the names of those there are. */
export function controlNamed(components: readonly unknown[], name: string): Control {
  const all = controlsOf(components);
  const found =
    all.find(({ component }) => component.custom_id === name) ??
    all.find(({ component }) => asText(component.custom_id).startsWith(`${name}:`)) ??
    all.find(({ label }) => label === name) ??
    all.find(({ component }) => labelOf(component) === name);
  if (found !== undefined) return found;
  const known = all.map(({ label }) => `"${label}"`).join(", ") || "(there are none)";
  throw new Error(`expected one of the controls ${known}, got "${name}"`);
}

/** The data of a click on a message's control. */
export function clickData({ component, label }: Control, value: unknown, resolver: Resolver): Fields {
  const { type, custom_id } = component;
  if (component.disabled === true) throw new Error(`"${label}" is disabled`);
  if (type === C.Button) {
    if (component.style === ButtonStyle.Link) throw new Error(`"${label}" is a link`);
    return { custom_id, component_type: type, id: component.id };
  }
  const values = chosenValues(component, value, resolver);
  const resolved = resolver.data();
  const data = { custom_id, component_type: type, id: component.id, values };
  return resolved === undefined ? data : { ...data, resolved };
}

/** The components of a submission. Throws where Discord's own form would not be sent. */
export function submission(
  components: readonly Fields[],
  given: Record<string, unknown>,
  resolver: Resolver,
): Fields[] {
  const all = controlsOf(components);
  const answers = new Map<Fields, unknown>();
  for (const [name, value] of Object.entries(given))
    answers.set(controlNamed(components, name).component, value);
  const filled = (component: Fields): Fields => {
    const label = all.find((control) => control.component === component)?.label ?? "";
    return filledInput(component, label, answers.get(component), resolver);
  };
  return components.map((component) => {
    const { type, id } = component;
    if (type === C.Label) return { type, id, component: filled(component.component as Fields) };
    if (type === C.ActionRow) return { type, id, components: (component.components as Fields[]).map(filled) };
    return { type, id };
  });
}

function filledInput(component: Fields, label: string, given: unknown, resolver: Resolver): Fields {
  const { type, id, custom_id } = component;
  const base = { type, id, custom_id };
  const needed = component.required !== false;
  const missing = (): never => {
    throw new Error(`Discord's form is not sent while "${label}" is empty`);
  };
  switch (type) {
    case C.TextInput: {
      const value = asText(given ?? component.value);
      if (needed && value === "") missing();
      const { min_length = 0, max_length = 4000 } = component as { min_length?: number; max_length?: number };
      if (value.length > max_length || (value !== "" && value.length < min_length)) {
        throw new Error(`"${label}" takes ${min_length} to ${max_length} characters, got ${value.length}`);
      }
      return { ...base, value };
    }
    case C.Checkbox:
      return { ...base, value: given ?? component.default ?? false };
    case C.RadioGroup: {
      const [value = null] = chosenValues({ ...component, min_values: needed ? 1 : 0 }, given, resolver);
      return { ...base, value };
    }
    case C.FileUpload: {
      const files = given === undefined ? [] : ([given].flat() as GivenFile[]);
      if (needed && files.length === 0) missing();
      return { ...base, values: files.map((file) => resolver.file(file)) };
    }
    default: {
      const least = needed ? component.min_values : 0;
      return { ...base, values: chosenValues({ ...component, min_values: least }, given, resolver) };
    }
  }
}

function chosenValues(component: Fields, given: unknown, resolver: Resolver): string[] {
  const options = (Array.isArray(component.options) ? component.options : []).filter(isFields);
  const preset = options.filter((option) => option.default === true).map(({ value }) => value);
  const wanted = given === undefined || given === null ? preset : [given].flat();
  const { min_values = 1, max_values = component.type === C.CheckboxGroup ? options.length : 1 } =
    component as {
      min_values?: number;
      max_values?: number;
    };
  if (wanted.length < min_values || wanted.length > max_values) {
    throw new Error(`expected ${min_values} to ${max_values} choices, got ${wanted.length}`);
  }
  return wanted.map((value) => {
    const name = String(value);
    if (component.type === C.UserSelect || component.type === C.MentionableSelect) return resolver.user(name);
    if (component.type === C.RoleSelect) return resolver.role(name);
    if (component.type === C.ChannelSelect) return resolver.channel(name);
    const option = options.find((candidate) => candidate.value === value || candidate.label === value);
    if (option === undefined) {
      const known = options.map(({ label }) => `"${String(label)}"`).join(", ");
      throw new Error(`expected one of the options ${known}, got "${name}"`);
    }
    return String(option.value);
  });
}
