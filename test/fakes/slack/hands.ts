import { controlsOf, filled, findControl, optionOf } from "./form.ts";
import type { Control } from "./form.ts";
import { isFields } from "./json.ts";
import type { Fields, View, World } from "./types.ts";

/** The control that a test or page means. Throws with the names of those there are. */
export function controlNamed(blocks: View["blocks"], name: string): Control {
  const control = findControl(blocks, name);
  if (control !== undefined) return control;
  const known = controlsOf(blocks).map(({ label, element }) => `"${label}" (${element.action_id})`);
  throw new Error(`expected one of the controls ${known.join(", ") || "(there are none)"}, got "${name}"`);
}

/** The entry of `actions` in a block_actions payload; what was chosen goes into `values`. */
export function actionOf(world: World, { block, element }: Control, value: unknown, values: Fields): Fields {
  const { type, action_id, text, style, icon } = element;
  const common = { type, action_id, block_id: block.block_id, action_ts: world.nextTs() };
  if (type === "overflow") return { ...common, selected_option: optionOf(element, String(value)) };
  if (type === "feedback_buttons") {
    const chosen = [element.positive_button, element.negative_button].find(
      (b) => isFields(b) && isFields(b.text) && (b.value === value || b.text.text === value),
    );
    if (!isFields(chosen))
      throw new Error(`expected one of the two feedback buttons, got "${String(value)}"`);
    return { ...common, text: chosen.text, value: chosen.value };
  }
  if (type === "button" || type === "icon_button" || type === "workflow_button") {
    const optional = { text, style, icon, value: element.value };
    return { ...common, ...Object.fromEntries(Object.entries(optional).filter(([, v]) => v !== undefined)) };
  }
  const state = filled(element, value);
  (values as Record<string, Fields>)[block.block_id ?? ""] = {
    ...(values[block.block_id ?? ""] as Fields | undefined),
    [action_id]: state,
  };
  return { ...common, ...state };
}

/** Types into the form and refuses, as Slack's own form does, to send it while something required is empty. */
export function fill(view: View, values: Record<string, unknown>): void {
  const state = view.state.values as Record<string, Fields>;
  for (const [name, value] of Object.entries(values)) {
    const { block, element } = controlNamed(view.blocks, name);
    (state[block.block_id ?? ""] ??= {})[element.action_id] = filled(element, value);
  }
  for (const { block, element, label } of controlsOf(view.blocks)) {
    if (block.type !== "input" || block.optional === true) continue;
    const answer = state[block.block_id ?? ""]?.[element.action_id];
    const given = isFields(answer) ? Object.entries(answer).find(([key]) => key !== "type")?.[1] : undefined;
    if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) {
      throw new Error(`Slack's form is not sent while "${label}" is empty`);
    }
  }
}
