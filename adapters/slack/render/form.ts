import type { InputBlock, InputBlockElement, KnownBlock, ModalView, PlainTextOption } from "@slack/types";

import type { Form, FormFault, FormField, FormOption, FormValues } from "#contract/form.ts";

import { cutText, oneLine } from "#src/base/text.ts";
import { en, type Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";
import { cleanText } from "../../chat/text.ts";

import { LIMITS, VIEW_BUDGET } from "./limits.ts";
import { comesBack, isLong, labelOf, optionsOf } from "../../chat/forms.ts";
import { contextBlocks, plain } from "./rich.ts";
import { costOf } from "./text.ts";

export interface FormOptions {
  callbackId: string;
  /** For the adapter, at most 3000 characters. */
  metadata: string;
  submit?: string;
  /** A line above the fields. */
  note?: string;
  /** People are chosen from a list: whoever reads the form gets their ids. */
  people?: boolean;
  /** Other blocks above the fields. */
  above?: readonly KnownBlock[];
}

/** What Slack sends of the inputs: by block id, then by action id. */
export type StateValues = Record<string, Record<string, StateValue>>;

export interface StateValue {
  type: string;
  value?: string | null;
  selected_option?: { value?: string } | null;
  selected_date?: string | null;
  selected_user?: string | null;
}

const ACTION = "value";
const NOTHING = "none";
/** What one input holds; texts that are longer are laid on several. */
const PART = 2900;
const MAX_PARTS = 20;

/** The inputs of one field; `joint` is what stood between this part of its text and the one before. */
interface Part {
  blockId: string;
  text: string;
}

/**
 * A form as a modal. Long texts get several inputs, which `readForm` joins again. Fields for which there
 * is no room, or whose value would not come back as it is, are named at the end and keep their values.
 */
export function renderForm(form: Form, options: FormOptions): ModalView {
  const blocks: KnownBlock[] = [
    ...(options.above ?? []),
    ...(options.note === undefined ? [] : contextBlocks([options.note])),
  ];
  const say = wordsOf(form.language);
  const left: string[] = [];
  for (const [index, field] of form.fields.entries()) {
    const inputs = inputsOf(field, index, say, options.people);
    if (inputs === undefined || blocks.length + inputs.length > VIEW_BUDGET.blocks - 2)
      left.push(field.label);
    else blocks.push(...inputs);
  }
  if (left.length > 0) {
    const names = cutText(left.map((label) => cutText(oneLine(label), 60)).join(", "), 700);
    blocks.push(...contextBlocks([say.forms.fixedArguments(left.length, names)]));
  }
  if (blocks.length === 0) blocks.push(...contextBlocks([say.forms.nothingToFillIn]));
  return {
    type: "modal",
    title: plain(oneLine(form.title), LIMITS.view.title),
    submit: plain(options.submit ?? say.buttons.send, LIMITS.view.title),
    close: plain(say.buttons.cancel),
    callback_id: options.callbackId,
    private_metadata: options.metadata,
    blocks,
  };
}

/** What a person left in the inputs, by field; a field that had no input is absent. */
export function readForm(form: Form, state: StateValues): FormValues {
  const values = new Map<string, string>();
  for (const [index, field] of form.fields.entries()) {
    const texts = Object.entries(state)
      .flatMap(([blockId, actions]) => {
        const part = readBlockId(blockId);
        const value = actions[ACTION];
        return part?.field === index && value !== undefined ? [{ ...part, value }] : [];
      })
      .toSorted((a, b) => a.part - b.part);
    if (texts.length === 0) continue;
    const text = texts.map(({ joint, value }, at) => (at === 0 ? "" : joint) + textOf(value, field)).join("");
    values.set(field.name, text);
  }
  return values;
}

/** Faults as Slack wants them: by block id. Those of fields without an input go to the first one. */
export function formErrors(form: Form, faults: readonly FormFault[]): Record<string, string> {
  const say = wordsOf(form.language);
  const errors: Record<string, string> = {};
  for (const fault of faults) {
    const index = form.fields.findIndex((field) => field.name === fault.name);
    const fallback = form.fields.findIndex((field, at) => inputsOf(field, at, en) !== undefined);
    const field = form.fields[index];
    const hasInput = field !== undefined && inputsOf(field, index, en) !== undefined;
    const at = hasInput ? index : Math.max(0, fallback);
    const said = recordedText(fault.message, say);
    const message = hasInput ? said : `${field?.label ?? fault.name}: ${said}`;
    const id = blockIdOf(at, 0, "");
    errors[id] = cutText(errors[id] === undefined ? message : `${errors[id]} ${message}`, 1000);
  }
  return errors;
}

/** `f3.0` for the first input of the fourth field, `f3.1n` for a second one that begins a new line. */
function blockIdOf(field: number, part: number, joint: string): string {
  return `f${field}.${part}${joint === "\n" ? "n" : ""}`;
}

function readBlockId(blockId: string): { field: number; part: number; joint: string } | undefined {
  const match = /^f(\d+)\.(\d+)(n?)$/.exec(blockId);
  if (match === null) return undefined;
  return { field: Number(match[1]), part: Number(match[2]), joint: match[3] === "n" ? "\n" : "" };
}

function textOf(value: StateValue, field: FormField): string {
  const chosen = value.selected_option?.value;
  if (chosen === undefined) return value.value ?? value.selected_date ?? value.selected_user ?? "";
  return chosen === NOTHING ? "" : (optionsOf(field, en)[Number(chosen)]?.value ?? "");
}

/** Undefined where Slack cannot hold the value as it is. */
function inputsOf(field: FormField, index: number, say: Words, people = false): InputBlock[] | undefined {
  const one = oneInput(field, people, say);
  if (one !== undefined) return [input(field, blockIdOf(index, 0, ""), one, { part: 0, parts: 1, say })];
  if (!comesBack(field.value)) return undefined;
  const parts = partsOf(field.value, index);
  if (parts.length > MAX_PARTS) return undefined;
  return parts.map(({ blockId, text }, at) => {
    const element: InputBlockElement = {
      type: "plain_text_input",
      action_id: ACTION,
      multiline: parts.length > 1 || isLong(field, field.value),
      max_length: LIMITS.input.text,
      ...(text === "" ? {} : { initial_value: text }),
    };
    return input(field, blockId, element, { part: at, parts: parts.length, say });
  });
}

/** What is chosen or counted; undefined where it is written as a text. */
function oneInput(field: FormField, people: boolean, say: Words): InputBlockElement | undefined {
  const { kind, value } = field;
  switch (kind) {
    case "select":
    case "boolean": {
      const options = optionsOf(field, say);
      const isChoice = options.length > 0 && options.length < LIMITS.option.perList * LIMITS.option.groups;
      return isChoice ? selectOf(field, options, say) : undefined;
    }
    case "date":
      return { type: "datepicker", action_id: ACTION, ...(value === "" ? {} : { initial_date: value }) };
    case "person":
      // What is written already may be somebody whom Slack does not know: it stays a text.
      return people && value === "" ? { type: "users_select", action_id: ACTION } : undefined;
    case "number":
    case "integer":
      if (!/^(?:-?\d{1,15}(?:\.\d{1,10})?)?$/.test(value)) return undefined;
      return {
        type: "number_input",
        action_id: ACTION,
        is_decimal_allowed: kind === "number",
        ...(value === "" ? {} : { initial_value: value }),
      };
    default:
      return undefined;
  }
}

/** Broken between lines where it can be: Slack may trim an input, and the line break is kept in its id. */
function partsOf(value: string, field: number): Part[] {
  const parts: Part[] = [];
  let joint = "";
  let rest = value;
  while (costOf(rest) > PART) {
    const window = rest.slice(0, windowOf(rest));
    const at = window.lastIndexOf("\n");
    const isLine = at > window.length / 4;
    const end = isLine ? at : wordEnd(window);
    parts.push({ blockId: blockIdOf(field, parts.length, joint), text: rest.slice(0, end) });
    joint = isLine ? "\n" : "";
    rest = rest.slice(isLine ? end + 1 : end);
  }
  parts.push({ blockId: blockIdOf(field, parts.length, joint), text: rest });
  return parts;
}

function windowOf(text: string): number {
  let cost = 0;
  let end = 0;
  for (const character of text) {
    cost += costOf(character);
    if (cost > PART) break;
    end += character.length;
  }
  return end;
}

/** Between two characters that are not spaces, as Slack may trim those, and not within one character. */
function wordEnd(window: string): number {
  for (let at = window.length - 1; at > 0; at -= 1) {
    if (/^\S\S$/.test(window.slice(at - 1, at + 1)) && !/^[\uDC00-\uDFFF]/.test(window.slice(at))) return at;
  }
  return window.length;
}

function input(
  field: FormField,
  blockId: string,
  element: InputBlockElement,
  { part, parts, say }: { part: number; parts: number; say: Words },
): InputBlock {
  const label = labelOf(field);
  const help = part === 0 ? oneLine(cleanText(field.help ?? "")) : "";
  return {
    type: "input",
    block_id: blockId,
    label: plain(
      parts === 1 ? label : `${cutText(label, 500)} ${say.forms.part(part + 1, parts)}`,
      LIMITS.input.label,
    ),
    element,
    optional: !field.required || part > 0,
    ...(help === "" ? {} : { hint: plain(help, LIMITS.input.hint) }),
  };
}

/** Options are named by their place, as their values may be longer than Slack takes. */
function selectOf(field: FormField, options: readonly FormOption[], say: Words): InputBlockElement {
  const made = options.map((option, index): PlainTextOption => ({
    text: plain(oneLine(option.label) || option.value, LIMITS.option.text),
    value: String(index),
  }));
  const at = options.findIndex((option) => option.value === field.value);
  const initial = field.value === "" && at === -1 ? undefined : made[at];
  // A choice cannot be taken back in Slack without something to choose instead.
  const all = field.required ? made : [{ text: plain(say.buttons.none), value: NOTHING }, ...made];
  return {
    type: "static_select",
    action_id: ACTION,
    ...(initial === undefined ? {} : { initial_option: initial }),
    ...(all.length <= LIMITS.option.perList ? { options: all } : { option_groups: groups(all, say) }),
  };
}

function groups(
  options: readonly PlainTextOption[],
  { forms: say }: Words,
): { label: PlainTextOption["text"]; options: PlainTextOption[] }[] {
  const { perList } = LIMITS.option;
  return Array.from({ length: Math.ceil(options.length / perList) }, (_, index) => {
    const part = options.slice(index * perList, (index + 1) * perList);
    const first = index * perList + 1;
    return { label: plain(say.range(first, first + part.length - 1)), options: part };
  });
}
