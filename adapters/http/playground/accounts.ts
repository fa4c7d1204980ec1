import type { AccountList } from "#contract/accounts.ts";
import type { AccountLink } from "#contract/connections.ts";

import { renderCardHtml } from "../render/html.ts";
import { html, type Html, raw } from "./html.ts";

/** Accounts that servers work with, above tools and health; empty where no server wants one. */
export function accountsBlock({ card, deeds }: AccountList): Html | string {
  const isEmpty = card.elements.every(({ type }) => type !== "list");
  if (isEmpty) return "";
  return html`<section class="server accounts" aria-label="Accounts">
    ${raw(renderCardHtml(card))}
    <div class="cs-actions">
      ${deeds.map(
        ({ deed, label, value }) =>
          html`<button
            type="button"
            class="cs-button ${deed === "connect" ? "cs-button--primary" : "cs-button--danger"}"
            data-account="${deed}"
            data-value="${value}"
          >
            ${label}
          </button>`,
      )}
    </div>
    <div data-account-said role="status"></div>
  </section>`;
}

/** What came of a press; the page is opened by the person, never by the script. */
export function accountSaid(words: string, link?: AccountLink): Html {
  return html`<p>${words}</p>
    ${
      link === undefined
        ? ""
        : html`<p>
            <a href="${link.url}" target="_blank" rel="noopener noreferrer nofollow">Open ${link.domain}</a>
          </p>`
    }`;
}
