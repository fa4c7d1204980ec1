import type { ActionsBlock, Button, KnownBlock } from "@slack/types";

import { LIMITS, PIECE } from "./limits.ts";
import { bold, pack, plain, preformatted } from "./rich.ts";
import { cleanText, costOf, splitText, weigh } from "./text.ts";

/** What a button does. `value` of those that page and unfold: see `pageValue` and `foldValue`. */
export type ActionName =
  | "approve"
  | "deny"
  | "edit"
  | "details"
  | "lookup"
  | "settle_happened"
  | "settle_did_not"
  | "stop"
  | "prompt"
  | "show_json"
  | "run_log"
  | "show_all"
  | "show_result"
  | "page_previous"
  | "page_next"
  | "privacy";

export interface ButtonSpec {
  action: ActionName;
  label: string;
  value: string;
  style?: "primary" | "danger";
}

const ACTION_ID = /^cs:([a-z_]+)(?::\d+)?$/;

/** The action of an `action_id` such as `cs:approve` or, where a block has several, `cs:prompt:2`. */
export function readActionId(actionId: string): string | undefined {
  return ACTION_ID.exec(actionId)?.[1];
}

/** Reference and page of a button that turns pages; asking for the same page twice changes nothing. */
export function pageValue(ref: string, page: number): string {
  return `${ref}|${page}`;
}

export function readPageValue(value: string): { ref: string; page: number } | undefined {
  const match = /^(.*)\|(\d{1,6})$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", page: Number(match[2]) };
}

/** Reference of a card and the place of the folded element in it. */
export function foldValue(ref: string, path: string): string {
  return `${ref}|${path}`;
}

export function readFoldValue(value: string): { ref: string; path: string } | undefined {
  const match = /^(.*)\|(\d+(?:\.\d+)*|reply)$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", path: match[2] ?? "" };
}

export function button(spec: ButtonSpec, actionId = `cs:${spec.action}`): Button {
  return {
    type: "button",
    text: plain(spec.label.replaceAll(/\s+/g, " "), LIMITS.button.text),
    action_id: actionId,
    value: spec.value,
    ...(spec.style === undefined ? {} : { style: spec.style }),
  };
}

/** Whether a reference can stand in a button. */
export function fitsButton(value: string): boolean {
  return value !== "" && value.length <= LIMITS.button.value && costOf(value) <= PIECE - 300;
}

/**
 * Buttons in rows. A label that a button cannot hold stands in whole above it; a value that it cannot
 * hold is shown, to be sent by hand.
 */
export function buttonBlocks(specs: readonly ButtonSpec[]): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let row: Button[] = [];
  const close = (): void => {
    if (row.length > 0) blocks.push({ type: "actions", elements: row } satisfies ActionsBlock);
    row = [];
  };
  for (const spec of specs) {
    if (!fitsButton(spec.value)) {
      close();
      const text = spec.value === "" ? [] : preformatted(spec.value);
      blocks.push(...pack([bold(spec.label), ...text]));
      continue;
    }
    if (cleanText(spec.label).length > LIMITS.button.text) {
      close();
      blocks.push(...pack([bold(spec.label)]));
    }
    const made = button(spec, uniqueId(row, spec));
    if (row.length === LIMITS.actionsElements || weigh([...row, made]) > PIECE) close();
    row.push(button(spec, uniqueId(row, spec)));
  }
  close();
  return blocks;
}

/** An `action_id` may occur once in a block only. */
function uniqueId(row: readonly Button[], spec: ButtonSpec): string {
  const same = row.filter((item) => readActionId(item.action_id ?? "") === spec.action).length;
  return same === 0 ? `cs:${spec.action}` : `cs:${spec.action}:${same + 1}`;
}

/** A short line with a button at its side. */
export function lineWithButton(text: string, spec: ButtonSpec): KnownBlock {
  return { type: "section", text: plain(text), accessory: button(spec) };
}

/** Small grey text; long text in several elements and blocks. */
export function contextBlocks(texts: readonly string[]): KnownBlock[] {
  const parts = texts
    .filter((text) => text.trim() !== "")
    .flatMap((text) => splitText(cleanText(text), PIECE - 300));
  const blocks: KnownBlock[] = [];
  let elements: ReturnType<typeof plain>[] = [];
  const close = (): void => {
    if (elements.length > 0) blocks.push({ type: "context", elements });
    elements = [];
  };
  for (const part of parts) {
    const element = plain(part, LIMITS.contextText);
    if (elements.length === LIMITS.contextElements || weigh([...elements, element]) > PIECE) close();
    elements.push(element);
  }
  close();
  return blocks;
}
