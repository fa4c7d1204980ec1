import type { ActionsBlock, Button, ContextActionsBlock, KnownBlock, Overflow } from "@slack/types";

import type { ButtonSpec } from "../../chat/actions.ts";
import { cleanText } from "../../chat/text.ts";
import { bold, code } from "../../chat/line.ts";
import { LIMITS, PIECE } from "./limits.ts";
import { pack, plain } from "./rich.ts";
import { costOf, weigh } from "./text.ts";

const ACTION_ID = /^cs:([a-z_]+)(?::\d+)?$/;

/** The action of an `action_id` such as `cs:approve` or, where a block has several, `cs:prompt:2`. */
export function readActionId(actionId: string): string | undefined {
  return ACTION_ID.exec(actionId)?.[1];
}

function button(spec: ButtonSpec, actionId = `cs:${spec.action}`): Button {
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
 * hold is shown, to be sent by hand. What is in `menu` stands behind three dots.
 */
export function buttonBlocks(specs: readonly ButtonSpec[], menu: readonly ButtonSpec[] = []): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let row: (Button | Overflow)[] = [];
  const close = (): void => {
    if (row.length > 0) blocks.push({ type: "actions", elements: row } satisfies ActionsBlock);
    row = [];
  };
  for (const spec of specs) {
    if (!fitsButton(spec.value)) {
      close();
      blocks.push(...pack([bold(spec.label), ...(spec.value === "" ? [] : [code(spec.value)])]));
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
  if (menu.length > 0) row.push(overflow(menu));
  close();
  return blocks;
}

/** An `action_id` may occur once in a block only. */
function uniqueId(row: readonly (Button | Overflow)[], spec: ButtonSpec): string {
  const same = row.filter((item) => readActionId(item.action_id ?? "") === spec.action).length;
  return same === 0 ? `cs:${spec.action}` : `cs:${spec.action}:${same + 1}`;
}

function overflow(items: readonly ButtonSpec[]): Overflow {
  const options = items.slice(0, LIMITS.overflow).map(({ action, label, value }) => ({
    text: plain(label, LIMITS.option.text),
    value: `${action}|${value}`,
  }));
  return { type: "overflow", action_id: "cs:menu", options };
}

/** Two thumbs below a message, one up and one down; what each stands for is its value. */
export function feedbackBlocks([good, bad]: readonly ButtonSpec[]): KnownBlock[] {
  if (good === undefined || bad === undefined) return [];
  const thumb = ({ action, label, value }: ButtonSpec) => ({
    text: plain(label, LIMITS.button.text),
    value: `${action}|${value}`,
  });
  const pair = { positive_button: thumb(good), negative_button: thumb(bad) };
  return [
    {
      type: "context_actions",
      elements: [{ type: "feedback_buttons", action_id: "cs:rate", ...pair }],
    } satisfies ContextActionsBlock,
  ];
}

/** What was chosen of a menu, or which thumb was pressed, as the button that it stands for. */
export function readMenuValue(value: string): { action_id: string; value: string } | undefined {
  const [, action, rest = ""] = /^([a-z_]+)\|(.*)$/s.exec(value) ?? [];
  return action === undefined ? undefined : { action_id: `cs:${action}`, value: rest };
}

/** A short line with a button at its side. */
export function lineWithButton(text: string, spec: ButtonSpec): KnownBlock {
  return { type: "section", text: plain(text), accessory: button(spec) };
}
