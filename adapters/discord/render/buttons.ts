import { createHash } from "node:crypto";

import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from "discord-api-types/v10";

import { cutText, oneLine } from "#src/base/text.ts";

import type { ActionName, ButtonSpec } from "../../chat/actions.ts";
import { cleanText } from "../../chat/text.ts";
import { LIMITS } from "./limits.ts";

export type Button = APIButtonComponentWithCustomId;

/** Values that are too long for a button, by the word that stands in their place. */
export type LongValues = ReadonlyMap<string, string>;

/** Actions of this adapter alone: those of forms, windows and questions. */
export const OWN_ACTIONS = [
  "form_next",
  "form_send",
  "window",
  "answer",
  "answer_done",
  "answer_show",
  "answer_decline",
] as const;

export type ButtonAction = ActionName | (typeof OWN_ACTIONS)[number];

export interface DiscordButton extends Omit<ButtonSpec, "action"> {
  action: ButtonAction;
}

const CUSTOM_ID = /^cs:([a-z_]+):([\s\S]*?)(?:~\d+)?$/;

/** Action and value of a `custom_id` such as `cs:approve:appr_01`; `isKept`: the value stands in the store. */
export function readCustomId(
  customId: string,
): { action: string; value: string; isKept: boolean } | undefined {
  const [, action, value = ""] = CUSTOM_ID.exec(customId) ?? [];
  return action === undefined ? undefined : { action, value, isKept: value.startsWith("#") };
}

function customIdOf({ action, value }: Pick<DiscordButton, "action" | "value">): string {
  const whole = `cs:${action}:${value}`;
  return isShort(whole) ? whole : `cs:${action}:${keyOf(value)}`;
}

/** What of the buttons has to be kept, as their ids only name it. */
export function longValues(specs: readonly Pick<DiscordButton, "action" | "value">[]): LongValues {
  return new Map(
    specs
      .filter(({ action, value }) => !isShort(`cs:${action}:${value}`))
      .map(({ value }) => [keyOf(value), value]),
  );
}

/** With room for what tells two of the same kind apart; a value may not look as if it stood in the store. */
function isShort(customId: string): boolean {
  return customId.length <= LIMITS.button.customId - 4 && !/^cs:[a-z_]+:#|~\d+$/.test(customId);
}

function keyOf(value: string): string {
  return `#${createHash("sha256").update(value).digest("base64url").slice(0, 32)}`;
}

const STYLES = { primary: ButtonStyle.Success, danger: ButtonStyle.Danger } as const;

export function buttonComponent(spec: DiscordButton): Button {
  return {
    type: ComponentType.Button,
    style: spec.style === undefined ? ButtonStyle.Secondary : STYLES[spec.style],
    label: labelOf(spec),
    custom_id: customIdOf(spec),
  };
}

/** Discord shows the label of a button as it is. */
export function labelOf({ label }: Pick<DiscordButton, "label">): string {
  return cutText(oneLine(cleanText(label)), LIMITS.button.label) || "–";
}

/** Buttons in rows of five. */
export function rowsOf<Made extends APIButtonComponent>(
  buttons: readonly Made[],
): APIActionRowComponent<Made>[] {
  return chunksOf(buttons, LIMITS.row).map((components) => ({ type: ComponentType.ActionRow, components }));
}

export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks = Math.ceil(items.length / size);
  return Array.from({ length: chunks }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** A `custom_id` may occur once in a message only. */
export function withUniqueIds<Component>(components: readonly Component[]): Component[] {
  const seen = new Map<string, number>();
  return components.map((component) => unique(component, seen) as Component);
}

function unique(value: unknown, seen: Map<string, number>): unknown {
  if (Array.isArray(value)) return value.map((item) => unique(item, seen));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      if (key !== "custom_id" || typeof item !== "string") return [key, unique(item, seen)];
      const count = (seen.get(item) ?? 0) + 1;
      seen.set(item, count);
      return [key, count === 1 ? item : `${item}~${count}`];
    }),
  );
}
