import type {
  ActionsElement,
  ChangesElement,
  ErrorElement,
  FieldsElement,
  HeaderElement,
  LinksElement,
  ListElement,
  ProgressElement,
} from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { el } from "./element.ts";
import type { Html } from "./element.ts";
import { badges, cell, json, link } from "./inline.ts";
import { fold } from "./text.ts";

/** Characters. */
const LONG_VALUE = 600;

export function header(element: HeaderElement): Html {
  return el(
    "header",
    { class: "cs-header" },
    element.eyebrow === undefined ? undefined : el("p", { class: "cs-eyebrow" }, element.eyebrow),
    el("h3", { class: "cs-title" }, link(element.href, el("bdi", {}, element.text))),
    badges(element.badges),
  );
}

export function fields(element: FieldsElement): Html {
  return el(
    "dl",
    { class: "cs-fields" },
    ...element.items.map((item) =>
      el(
        "div",
        { class: "cs-field" },
        el("dt", { class: "cs-label" }, el("bdi", {}, item.label)),
        el("dd", { class: "cs-value" }, cell(item.value)),
      ),
    ),
  );
}

export function list(element: ListElement): Html {
  return el(
    element.ordered === true ? "ol" : "ul",
    { class: "cs-list" },
    ...element.items.map((item) =>
      el(
        "li",
        { class: "cs-list-item" },
        el("span", { class: "cs-list-text" }, link(item.href, el("bdi", {}, item.text))),
        badges(item.badges),
        ...(item.detail ?? "")
          .split(/\r\n?|\n/)
          .filter((line) => line !== "")
          .map((line) => el("div", { class: "cs-list-detail" }, line)),
      ),
    ),
  );
}

export function links(element: LinksElement): Html {
  return el(
    "ul",
    { class: "cs-links" },
    ...element.items.map((item) => el("li", {}, link(item.href, el("bdi", {}, item.label)))),
  );
}

/** A bar where both numbers can be drawn, else the count alone. */
export function progress({ label, value, total }: ProgressElement): Html {
  const drawable = total !== undefined && Number.isFinite(total) && total > 0 && Number.isFinite(value);
  const bar = drawable
    ? el("progress", {
        class: "cs-bar",
        max: total,
        value: Math.min(Math.max(value, 0), total),
        "aria-label": label,
      })
    : undefined;
  return el(
    "div",
    { class: "cs-progress" },
    el("span", { class: "cs-progress-label" }, label),
    bar,
    el("span", { class: "cs-progress-count" }, total === undefined ? `${value}` : `${value} of ${total}`),
  );
}

export function changes(element: ChangesElement): Html {
  const columns = ["Field", "Before", "After"].map((name) => el("th", { scope: "col" }, name));
  const rows = element.items.map((item) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("bdi", {}, item.label)),
      el("td", {}, side("del", item.before)),
      el("td", {}, side("ins", item.after)),
    ),
  );
  return el(
    "div",
    { class: "cs-table-scroll", role: "region", "aria-label": "Changes", tabindex: 0 },
    el("table", { class: "cs-changes" }, el("thead", {}, el("tr", {}, ...columns)), el("tbody", {}, ...rows)),
  );
}

/** One side of a change; a whole page's text would bury the other fields, so it is folded. */
function side(tag: "del" | "ins", value: JsonValue): Html {
  const content = el(tag, { class: tag === "del" ? "cs-before" : "cs-after" }, json(value));
  return typeof value === "string" && value.length > LONG_VALUE ? fold(value, content) : content;
}

/** Buttons that say what they do in `data-action` and with what in `data-value`; the page's script listens. */
export function actions(element: ActionsElement): Html {
  return el(
    "div",
    { class: "cs-actions", role: "group", "aria-label": "Actions" },
    ...element.items.map((item) =>
      el(
        "button",
        {
          type: "button",
          class: item.style === undefined ? "cs-button" : `cs-button cs-button--${item.style}`,
          "data-action": item.id,
          "data-value": item.value,
        },
        item.label,
      ),
    ),
  );
}

export function error(element: ErrorElement): Html {
  return el(
    "div",
    { class: "cs-error", role: "note", "aria-label": "Error" },
    el("p", { class: "cs-error-message" }, element.message),
    element.detail === undefined ? undefined : el("pre", { class: "cs-error-detail" }, element.detail),
  );
}
