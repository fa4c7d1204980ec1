import type {
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  APISelectMenuOption,
  APITextDisplayComponent,
} from "discord-api-types/v10";
import { ComponentType, TextInputStyle } from "discord-api-types/v10";

import type { Form, FormField, FormValues } from "#contract/form.ts";

import { cutText, oneLine } from "#src/base/text.ts";
import { en, type Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";
import { cleanText } from "../../chat/text.ts";
import { comesBack, isLong, labelOf, optionsOf } from "../../chat/forms.ts";
import { escapeText } from "./escape.ts";
import { LIMITS } from "./limits.ts";

export interface FormWindow {
  /** Which of the windows that the form needs, from 0. */
  page: number;
  customId: string;
  /** What was filled in so far, by field. */
  values: Readonly<Record<string, string>>;
  /** A line above the fields of the first window. */
  note?: string;
  /** A line above the fields of every window. */
  warning?: string;
}

/** What Discord sends of the inputs. */
export interface SentInput {
  custom_id: string;
  value?: string | boolean | null;
  values?: readonly string[];
}

/** A window takes five fields: how many windows the form needs. */
export function formPages(form: Form): number {
  return Math.max(1, Math.ceil(shownFields(form).length / perPage(form)));
}

/** The window in which a field stands. */
export function pageOfField(form: Form, name: string): number {
  const at = shownFields(form).findIndex(({ field }) => field.name === name);
  return at === -1 ? 0 : Math.floor(at / perPage(form));
}

export function renderFormWindow(
  form: Form,
  { page, customId, values, note, warning }: FormWindow,
): APIModalInteractionResponseCallbackData {
  const size = perPage(form);
  const pages = formPages(form);
  const fields = shownFields(form).slice(page * size, (page + 1) * size);
  const above = [
    ...(warning === undefined ? [] : [warning]),
    ...(page === 0 && note !== undefined ? [note] : []),
    ...(page === 0 ? leftOut(form) : []),
    ...(fields.length === 0 ? [wordsOf(form.language).forms.nothingToFillIn] : []),
  ];
  const words: APITextDisplayComponent[] =
    above.length === 0
      ? []
      : [{ type: ComponentType.TextDisplay, content: cutText(escapeText(above.join("\n")), 2000) }];
  const counted = pages === 1 ? "" : ` ${wordsOf(form.language).forms.part(page + 1, pages)}`;
  return {
    custom_id: customId,
    title: `${cutText(oneLine(cleanText(form.title)) || wordsOf(form.language).forms.form, LIMITS.modal.title - counted.length)}${counted}`,
    components: [
      ...words,
      ...fields.map(({ field, index }) =>
        labelled(
          field,
          index,
          wordsOf(form.language),
          (Object.hasOwn(values, field.name) ? values[field.name] : undefined) ?? field.value,
        ),
      ),
    ],
  };
}

/** What a person left in the inputs of one window, by field. */
export function readFormWindow(form: Form, inputs: readonly SentInput[]): FormValues {
  const read = new Map<string, string>();
  for (const [index, field] of form.fields.entries()) {
    const input = inputs.find(({ custom_id: id }) => id === `f${index}`);
    if (input === undefined) continue;
    if (input.values === undefined) {
      read.set(field.name, typeof input.value === "string" ? input.value : "");
    } else {
      const [chosen] = input.values;
      read.set(field.name, chosen === undefined ? "" : (optionsOf(field, en)[Number(chosen)]?.value ?? ""));
    }
  }
  return read;
}

/** A window keeps one place for the line above the fields. */
function perPage(form: Form): number {
  const { components } = LIMITS.modal;
  return shownFields(form).length <= components - 1 ? components : components - 1;
}

function shownFields(form: Form): { field: FormField; index: number }[] {
  return form.fields
    .map((field, index) => ({ field, index }))
    .filter(
      ({ field }) => isChoice(field) || (field.value.length <= LIMITS.modal.text && comesBack(field.value)),
    );
}

function leftOut(form: Form): string[] {
  const shown = new Set(shownFields(form).map(({ index }) => index));
  const names = form.fields.filter((_, index) => !shown.has(index)).map(({ label }) => oneLine(label));
  return names.length === 0 ? [] : [wordsOf(form.language).forms.tooLong(cutText(names.join(", "), 500))];
}

function labelled(field: FormField, index: number, say: Words, value: string): APILabelComponent {
  const label = labelOf(field);
  const { label: most, description } = LIMITS.modal;
  const help = [...(label.length > most ? [label] : []), ...(field.help === undefined ? [] : [field.help])];
  const text = cutText(oneLine(cleanText(help.join(" · "))), description);
  return {
    type: ComponentType.Label,
    label: cutText(label, most) || "–",
    ...(text === "" ? {} : { description: text }),
    component: isChoice(field) ? menu(field, index, value, say) : input(field, index, value),
  };
}

function input(field: FormField, index: number, value: string): APILabelComponent["component"] {
  return {
    type: ComponentType.TextInput,
    custom_id: `f${index}`,
    style: isLong(field, value) ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: field.required,
    max_length: LIMITS.modal.text,
    ...(value === "" ? {} : { value }),
  };
}

function menu(field: FormField, index: number, value: string, say: Words): APILabelComponent["component"] {
  return {
    type: ComponentType.StringSelect,
    custom_id: `f${index}`,
    required: field.required,
    min_values: field.required ? 1 : 0,
    max_values: 1,
    options: optionsOf(field, say).map((option, at): APISelectMenuOption => ({
      label: cutText(oneLine(cleanText(option.label)) || option.value || "–", LIMITS.select.label),
      // Options are named by their place, as their values may be longer than Discord takes.
      value: String(at),
      ...(option.value === value ? { default: true } : {}),
    })),
  };
}

/** A menu takes 25 options; more of them are typed. */
function isChoice(field: FormField): boolean {
  if (field.kind !== "select" && field.kind !== "boolean") return false;
  const { length } = optionsOf(field, en);
  return length > 0 && length <= LIMITS.select.options;
}
