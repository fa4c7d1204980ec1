import { type Child, jsx as el } from "hono/jsx";

import type { Choice } from "./context.ts";

/** Without `none` several can be chosen. */
export function drawSelect(
  props: Readonly<Record<string, string | boolean>>,
  all: readonly Choice[],
  selected: readonly string[],
  none?: string,
): Child {
  return el(
    "select",
    { ...props, multiple: none === undefined },
    none === undefined ? null : el("option", { value: "" }, none),
    ...all.map(([value, label]) => el("option", { value, selected: selected.includes(value) }, label)),
  );
}

/** Boxes to tick, or with `type: "radio"` of which one can be chosen. */
export function drawTicks(
  label: string,
  props: Readonly<Record<string, string | boolean>>,
  all: readonly Choice[],
  selected: readonly string[],
): Child {
  return all.map(([value, text]) =>
    el(
      "label",
      { class: label },
      el("input", { ...props, value, checked: selected.includes(value) }),
      ` ${text}`,
    ),
  );
}

/** The first line break of a textarea is not part of its text, so there is one more. */
export function drawTextarea(props: Readonly<Record<string, string | boolean>>, value: string): Child {
  return el("textarea", { rows: "4", ...props }, `\n${value}`);
}
