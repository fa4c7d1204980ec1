import { escapeUTF8 as escape } from "entities";

import { optionsOf } from "../form.ts";
import { asText, isFields } from "../json.ts";
import type { Block, Fields, World } from "../types.ts";

export interface Drawing {
  world: World;
  /** The ts of the message or the id of the view that the controls belong to. */
  target: string;
  /** `state.values` of a view. */
  values: Fields;
}

/** A control that works: a button, or an input whose name the form sends back. Undefined for what has none. */
export function drawControl(drawing: Drawing, block: Block, element: Fields): string | undefined {
  const { world, target } = drawing;
  const name = `${block.block_id ?? ""}/${String(element.action_id)}`;
  const where = `data-target="${escape(target)}" data-control="${escape(name)}"`;
  const state = stateOf(drawing, block, element);
  const people = (): Choice[] =>
    [...world.users.values()].filter((user) => !user.isBot).map(({ id, realName }) => [id, realName]);
  const places = (): Choice[] =>
    [...world.channels.values()].filter(({ kind }) => kind !== "im").map(({ id, name }) => [id, `#${name}`]);
  switch (element.type) {
    case "button":
    case "icon_button":
    case "workflow_button":
      return `<button ${where} class="${escape(asText(element.style, "default"))}">${words(element.text)}</button>${link(element.url)}`;
    case "feedback_buttons":
      return [element.positive_button, element.negative_button]
        .filter(isFields)
        .map(
          (button) =>
            `<button ${where} value="${escape(String(button.value))}">${words(button.text)}</button>`,
        )
        .join("");
    case "overflow":
      return choice(where, choices(element), [], false, "…");
    case "static_select":
    case "external_select":
      return choice(where, choices(element), chosen(state), false, words(element.placeholder) || "Choose");
    case "multi_static_select":
    case "multi_external_select":
      return choice(where, choices(element), chosen(state), true, "");
    case "users_select":
      return choice(where, people(), chosen(state), false, "Choose a person");
    case "multi_users_select":
      return choice(where, people(), chosen(state), true, "");
    case "conversations_select":
    case "channels_select":
      return choice(where, places(), chosen(state), false, "Choose a channel");
    case "multi_conversations_select":
    case "multi_channels_select":
      return choice(where, places(), chosen(state), true, "");
    case "radio_buttons":
      return ticks(where, "radio", name, choices(element), chosen(state));
    case "checkboxes":
      return ticks(where, "checkbox", name, choices(element), chosen(state));
    case "plain_text_input": {
      const value = escape(asText(state.value));
      const hint = `placeholder="${words(element.placeholder)}"`;
      return element.multiline === true
        ? `<textarea ${where} ${hint} rows="4">${value}</textarea>`
        : `<input ${where} ${hint} value="${value}">`;
    }
    case "number_input":
      return field(where, "text", state.value, ` inputmode="decimal"`);
    case "email_text_input":
      return field(where, "email", state.value);
    case "url_text_input":
      return field(where, "url", state.value);
    case "datepicker":
      return field(where, "date", state.selected_date);
    case "timepicker":
      return field(where, "time", state.selected_time);
    case "datetimepicker":
      return field(where, "number", state.selected_date_time, ` title="seconds since 1970"`);
    default:
      return undefined;
  }
}

type Choice = [value: string, label: string];

function stateOf({ values }: Drawing, block: Block, element: Fields): Fields {
  const inBlock = values[block.block_id ?? ""];
  const state = isFields(inBlock) ? inBlock[String(element.action_id)] : undefined;
  return isFields(state) ? state : {};
}

function choices(element: Fields): Choice[] {
  return optionsOf(element).map((option) => [asText(option.value), words(option.text)]);
}

/** The values that are chosen now, whatever the kind of element calls them. */
function chosen(state: Fields): string[] {
  return Object.entries(state)
    .filter(([key]) => key.startsWith("selected_"))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => value !== null && value !== undefined)
    .map((value) => String(isFields(value) ? value.value : value));
}

/** Labels from `words` are escaped already; names of people and channels hold no markup. */
function choice(where: string, all: Choice[], selected: string[], many: boolean, none: string): string {
  const options = all.map(
    ([value, label]) =>
      `<option value="${escape(value)}"${selected.includes(value) ? " selected" : ""}>${label}</option>`,
  );
  const empty = many ? "" : `<option value="">${none}</option>`;
  return `<select ${where}${many ? " multiple" : ""}>${empty}${options.join("")}</select>`;
}

function ticks(where: string, type: string, name: string, all: Choice[], selected: string[]): string {
  return all
    .map(
      ([value, label]) =>
        `<label class="tick"><input type="${type}" name="${escape(name)}" ${where} value="${escape(value)}"${selected.includes(value) ? " checked" : ""}> ${label}</label>`,
    )
    .join("");
}

function field(where: string, type: string, value: unknown, extra = ""): string {
  return `<input type="${type}" ${where} value="${escape(asText(value))}"${extra}>`;
}

function link(url: unknown): string {
  const safe = typeof url === "string" && /^https?:\/\//.test(url);
  return safe ? ` <a href="${escape(url)}" rel="noreferrer">${escape(url)}</a>` : "";
}

/** The text of a text object, escaped; empty without one. */
export function words(value: unknown): string {
  return isFields(value) && typeof value.text === "string" ? escape(value.text) : "";
}
