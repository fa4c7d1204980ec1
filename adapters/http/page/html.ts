import { html, raw } from "hono/html";

import { actorLabel, type Identity } from "../identity.ts";

/** Markup of the `html` template tag, which escapes every value put into it. */
export type Html = ReturnType<typeof html>;

type IconName = "close" | "copy" | "menu" | "pen" | "plus" | "send" | "stop" | "tools";

const PATHS: Record<IconName, string> = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  pen: "M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z",
  plus: "M8 3v10M3 8h10",
  send: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  tools: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M8.5 3.2v3.6h3V3.2zM4.5 9.2v3.6h3V9.2z",
};

/** A decorative line icon; what it stands for is said beside it or in the label of its button. */
export function icon(name: IconName): Html {
  return html`<svg
    class="icon"
    viewBox="0 0 16 16"
    width="16"
    height="16"
    aria-hidden="true"
    focusable="false"
  >
    <path
      d="${PATHS[name]}"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>`;
}

/** A time that the page's script shows in the reader's own words and zone. */
export function time(milliseconds: number): Html {
  const date = new Date(milliseconds);
  const iso = date.toISOString();
  return html`<time datetime="${iso}" data-relative>${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** `850 ms`, `3.2 s`, `2 min 5 s` */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** `30 minutes`, `24 hours`, `1 day`: in the largest unit that says it whole. */
export function longDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const units: [number, string][] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ];
  const [size, name] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, "second"];
  return count(seconds / size, name);
}

/** One of two words by number: `1 tool`, `3 tools`. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

export { html, raw };

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
