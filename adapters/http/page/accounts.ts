import type { Context, Hono } from "hono";
import * as z from "zod";

import type { AccountActions, AccountLink, AccountList } from "#contract/connections.ts";

import { actorField, readBody } from "../api/bodies.ts";
import { conversationOf } from "../api/wire.ts";
import { ApiError } from "../errors.ts";
import { type HttpEnv, offerOf, viewerOf } from "../identity.ts";
import { cardHtml, fragment, html, type Html } from "./html.ts";

const accountActionBody = z.strictObject({
  action: z.enum(["connect", "disconnect"]),
  value: z.string().min(1).max(500),
  session_id: z.string().min(1).max(128),
  actor: actorField,
});

/** Lists the requester's accounts, connects and disconnects them. */
export function addAccountFragments(app: Hono<HttpEnv>): void {
  app.get("/playground/accounts", async (c) => {
    const asker = { actor: viewerOf(c), channel: conversationOf(c.req.query("c") ?? "") };
    return fragment(c, accountsBlock(await accountsOf(c).list(asker)));
  });

  app.post("/playground/accounts", async (c) => {
    const { action, value, session_id, actor } = await readBody(c, accountActionBody);
    if (action === "disconnect")
      return fragment(c, accountOutcome(await accountsOf(c).disconnect(value, actor)));
    const answer = await accountsOf(c).connect(value, { actor, channel: conversationOf(session_id) });
    return fragment(c, accountOutcome(answer.words, answer.ok ? answer.link : undefined));
  });
}

function accountsOf(c: Context<HttpEnv>): AccountActions {
  const { accounts } = offerOf(c);
  if (accounts === undefined) throw new ApiError(404, "not_found", "There are no accounts to connect here");
  return accounts;
}

/** Accounts that servers work with, above tools and health; empty where no server wants one. */
function accountsBlock({ card, actions }: AccountList): Html | string {
  if (card.elements.every(({ type }) => type !== "list")) return "";
  return html`<section class="server accounts" aria-label="Accounts">
    ${cardHtml(card)}
    <div class="cs-actions">
      ${actions.map(
        ({ action, label, value }) =>
          html`<button
            type="button"
            class="cs-button ${action === "connect" ? "cs-button--primary" : "cs-button--danger"}"
            data-account="${action}"
            data-value="${value}"
          >
            ${label}
          </button>`,
      )}
    </div>
    <div data-account-said role="status"></div>
  </section>`;
}

/** What connecting or disconnecting gave. Only the person opens the link, never the script. */
function accountOutcome(words: string, link?: AccountLink): Html {
  return html`<p>${words}</p>
    ${
      link &&
      html`<p>
        <a href="${link.url}" target="_blank" rel="noopener noreferrer nofollow">Open ${link.domain}</a>
      </p>`
    }`;
}
