import type { Context } from "hono";
import { html, raw } from "hono/html";

import type { Card } from "#contract/card.ts";

import { actorLabel, type HttpEnv, type Identity } from "../identity.ts";
import { renderCardHtml } from "./render/html.ts";

export { html, raw };

/** Markup of the `html` template tag, which escapes every value put into it. */
export type Html = ReturnType<typeof html>;

type IconName =
  | "close"
  | "copy"
  | "down"
  | "link"
  | "menu"
  | "more"
  | "plus"
  | "save"
  | "search"
  | "send"
  | "stop"
  | "tools"
  | "up";

const PATHS: Record<IconName, string> = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  down: "M5.5 9l2.3 4.5c.9 0 1.5-.7 1.5-1.6V9.5h3.2c.8 0 1.3-.7 1.1-1.5l-.9-4c-.1-.6-.6-1-1.2-1h-6zM2.5 3h3v6h-3z",
  link: "M6.5 9.5l3-3M7.5 4.5l1.6-1.6a2.5 2.5 0 0 1 3.5 3.5L11 8M8.5 11.5l-1.6 1.6a2.5 2.5 0 0 1-3.5-3.5L5 8",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  save: "M8 2.5v7.5M4.5 7L8 10.5 11.5 7M3 13.5h10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  plus: "M8 3v10M3 8h10",
  send: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  up: "M5.5 7l2.3-4.5c.9 0 1.5.7 1.5 1.6v2.4h3.2c.8 0 1.3.7 1.1 1.5l-.9 4c-.1.6-.6 1-1.2 1h-6zM2.5 7h3v6h-3z",
  tools: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M8.5 3.2v3.6h3V3.2zM4.5 9.2v3.6h3V9.2z",
};

/** A decorative line icon; what it stands for is said beside it or in the label of its button. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d="${PATHS[name]}" />
  </svg>`;
}

/** A time that the page's script shows in the reader's own words and zone. */
export function time(milliseconds: number): Html {
  const date = new Date(milliseconds);
  const iso = date.toISOString();
  return html`<time datetime="${iso}" data-relative>${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** The same with date and clock. */
export function moment(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString();
  return html`<time datetime="${iso}" data-clock>${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A button that the script carries out: `action` on `value`. `label` where its words do not say it all. */
export function button(
  action: string,
  words: string,
  { value = "", style, label }: { value?: string; style?: "primary" | "danger"; label?: string } = {},
): Html {
  const look = style && ` cs-button--${style}`;
  return html`<button
    type="button"
    class="cs-button${look}"
    data-action="${action}"
    data-value="${value}"
    ${label && html`aria-label="${label}"`}
  >
    ${words}
  </button>`;
}

/** The entries of a definition list. */
export function definitions(
  entries: readonly (readonly [name: string, value: Html | string | Html[]])[],
): Html {
  return html`${entries.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  )}`;
}

export function cardHtml(card: Card, chart?: string): Html {
  return raw(renderCardHtml(card, chart));
}

/** Tabs by the ids of their panels; the first one is chosen. See the WAI-ARIA tabs pattern. */
export function tabList(label: string, tabs: readonly (readonly [panelId: string, name: string])[]): Html {
  return html`<div class="shown-tabs" role="tablist" aria-label="${label}">
    ${tabs.map(
      ([id, name], index) =>
        html`<button
          type="button"
          class="shown-tab"
          role="tab"
          id="${id}-tab"
          aria-controls="${id}"
          aria-selected="${String(index === 0)}"
          tabindex="${index === 0 ? 0 : -1}"
        >
          ${name}
        </button>`,
    )}
  </div>`;
}

/** The foot of a form: who acts, its buttons, and what was wrong. */
export function signature(identity: Identity, buttons: Html, fault?: string): Html {
  return html`<div class="signature">
    <div class="signature-line">${actingAs(identity)}</div>
    <div class="cs-actions">${buttons}</div>
    ${faultLine(fault)}
  </div>`;
}

/** Where the script, or a form that came back, says what was wrong. */
export function faultLine(fault?: string): Html {
  return html`<p class="approval-fault" data-fault role="alert" ${fault === undefined && "hidden"}>
    ${fault}
  </p>`;
}

/** Who speaks and signs. Without tokens the name can be changed in place; the script keeps all copies equal. */
export function actingAs(identity: Identity): Html {
  if (identity.mode === "token") {
    return html`<span class="acting"
      >Acting as <strong data-actor-fixed>${actorLabel(identity.actor)}</strong></span
    >`;
  }
  return html`<label class="acting">
    Acting as
    <input
      data-actor
      type="text"
      value="local"
      size="8"
      maxlength="64"
      spellcheck="false"
      autocapitalize="none"
      aria-label="Acting as"
    />
  </label>`;
}

/** Answers with a part of the page as it is now. */
export function fragment(
  c: Context<HttpEnv>,
  markup: Html | string,
  status: 200 | 403 | 404 | 422 = 200,
): Response | Promise<Response> {
  c.header("cache-control", "no-store");
  return c.html(markup, status);
}
