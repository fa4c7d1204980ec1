import { ComponentType as C } from "discord-api-types/v10";
import type { APIModalInteractionResponseCallbackData } from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import { checkIds } from "./components.ts";
import { checkControl } from "./controls.ts";
import { componentFields } from "./fields.ts";
import type { FieldsOf } from "./form.ts";
import { Form } from "./form.ts";

const modalFields: FieldsOf<APIModalInteractionResponseCallbackData> = {
  custom_id: true,
  title: true,
  components: true,
};

const inLabel: readonly unknown[] = [
  C.StringSelect,
  C.TextInput,
  C.UserSelect,
  C.RoleSelect,
  C.MentionableSelect,
  C.ChannelSelect,
  C.FileUpload,
  C.RadioGroup,
  C.CheckboxGroup,
  C.Checkbox,
];

/** Checks a modal: a title, and one to five labels with an input each, or texts. */
export function checkModal(data: unknown): Form {
  const form = new Form();
  const modal = form.object(data, [], modalFields);
  if (modal === undefined) return form;
  form.text(modal.custom_id, ["custom_id"], 100, 1);
  form.text(modal.title, ["title"], 45, 1);
  const seen = { customIds: new Set<string>(), ids: new Set<number>() };
  const state = { form, seen: { ...seen, count: 0, text: 0 } };
  for (const [index, item] of form.list(modal.components, ["components"], 5, 1).entries()) {
    const at = ["components", index];
    const type = isFields(item) ? (item.type as C) : undefined;
    if (type !== C.Label && type !== C.TextDisplay && type !== C.ActionRow) {
      form.add([...at, "type"], "UNION_TYPE_CHOICES", `Value of field "type" must be one of (1, 10, 18).`);
      continue;
    }
    const component = form.object(item, at, componentFields[type] ?? {});
    if (component === undefined) continue;
    checkIds(state, component, at);
    if (type === C.TextDisplay) form.text(component.content, [...at, "content"], 4000, 1);
    if (type === C.Label) {
      form.text(component.label, [...at, "label"], 45, 1);
      form.text(component.description, [...at, "description"], 100);
      input(state, component.component, [...at, "component"], inLabel);
    }
    if (type === C.ActionRow) {
      const row = form.list(component.components, [...at, "components"], 1, 1);
      for (const [number, child] of row.entries()) {
        input(state, child, [...at, "components", number], [C.TextInput]);
        if (isFields(child)) form.text(child.label, [...at, "components", number, "label"], 45, 1);
      }
    }
  }
  return form;
}

function input(
  state: Parameters<typeof checkIds>[0],
  value: unknown,
  at: (string | number)[],
  allowed: readonly unknown[],
): void {
  const { form } = state;
  if (value === undefined) return form.required(at);
  const type = isFields(value) ? (value.type as C) : undefined;
  if (type !== undefined && !allowed.includes(type)) {
    return form.add(
      [...at, "type"],
      "UNION_TYPE_CHOICES",
      `Value of field "type" must be one of (${allowed.join(", ")}).`,
    );
  }
  const control = form.object(value, at, componentFields[type ?? C.TextInput] ?? {});
  if (control === undefined) return;
  checkIds(state, control, at);
  checkControl(form, control, at, true);
}
