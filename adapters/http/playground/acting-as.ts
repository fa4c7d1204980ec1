import { actorLabel } from "../actors.ts";
import type { Identity } from "../identity.ts";
import { html, type Html } from "./html.ts";

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
