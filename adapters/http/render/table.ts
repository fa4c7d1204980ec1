import type { TableElement } from "#contract/card.ts";

import { el, join } from "./element.ts";
import type { Html } from "./element.ts";
import { cell } from "./inline.ts";

/** A table that scrolls sideways on its own, with the count below it when rows were left out. */
export function table(element: TableElement): Html {
  const side = (index: number): string | undefined =>
    element.columns[index]?.align === "right" ? "cs-right" : undefined;
  const head = element.columns.map((column, index) =>
    el("th", { scope: "col", class: side(index) }, el("bdi", {}, column.label)),
  );
  const rows = element.rows.map((row) =>
    el("tr", {}, ...row.map((value, index) => el("td", { class: side(index) }, cell(value)))),
  );
  const shown = element.rows.length;
  const total =
    element.total !== undefined && element.total > shown
      ? el("p", { class: "cs-total" }, `${shown} of ${element.total}`)
      : undefined;
  return join([
    el(
      "div",
      {
        class: "cs-table-scroll",
        role: "region",
        "aria-label": element.caption ?? "Table",
        tabindex: 0,
      },
      el(
        "table",
        { class: "cs-table" },
        element.caption === undefined ? undefined : el("caption", { class: "cs-caption" }, element.caption),
        el("thead", {}, el("tr", {}, ...head)),
        el("tbody", {}, ...rows),
      ),
    ),
    total,
  ]);
}
