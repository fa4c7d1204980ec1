import type { Context, Hono } from "hono";
import * as z from "zod";

import type { AccountActions, AccountAsker, AccountLink, AccountList } from "#contract/connections.ts";

import { readBody } from "../api/bodies.ts";
import { conversationOf } from "../api/wire.ts";
import { ApiError } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf } from "../identity.ts";
import { html, type Html, raw } from "./html.ts";
import { renderCardHtml } from "./render/html.ts";

/** `POST /playground/accounts` */
interface AccountActionBody {
  deed: "connect" | "disconnect";
  value: string;
  session_id: string;
  actor?: string | undefined;
}

const accountActionBody: z.ZodType<AccountActionBody> = z.strictObject({
  deed: z.enum(["connect", "disconnect"]),
  value: z.string().min(1).max(500),
  session_id: z.string().min(1).max(128),
  actor: z.string().min(1).max(80).optional(),
});

/** Accounts that servers work with, for who looks, and what came of a press. */
export function addAccountFragments(app: Hono<HttpEnv>): void {
  app.get("/playground/accounts", async (c) => {
    const list = await accountsOf(c).list(askerOf(c, c.req.query("c") ?? "", c.req.query("actor")));
    c.header("cache-control", "no-store");
    return c.html(accountsBlock(list));
  });

  app.post("/playground/accounts", async (c) => {
    const { deed, value, session_id, actor } = await readBody(c, accountActionBody);
    const asker = askerOf(c, session_id, actor);
    c.header("cache-control", "no-store");
    if (deed === "disconnect")
      return c.html(accountOutcome(await accountsOf(c).disconnect(value, asker.actor)));
    const answer = await accountsOf(c).connect(value, asker);
    return c.html(accountOutcome(answer.words, answer.ok ? answer.link : undefined));
  });
}

function accountsOf(c: Context<HttpEnv>): AccountActions {
  const { accounts } = offerOf(c);
  if (accounts === undefined) throw new ApiError(404, "not_found", "No server wants an account");
  return accounts;
}

function askerOf(c: Context<HttpEnv>, session: string, named: string | undefined): AccountAsker {
  return { actor: actorOf(c.get("identity"), named), channel: conversationOf(session) };
}

/** Accounts that servers work with, above tools and health; empty where no server wants one. */
function accountsBlock({ card, deeds }: AccountList): Html | string {
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
function accountOutcome(words: string, link?: AccountLink): Html {
  return html`<p>${words}</p>
    ${
      link === undefined
        ? ""
        : html`<p>
            <a href="${link.url}" target="_blank" rel="noopener noreferrer nofollow">Open ${link.domain}</a>
          </p>`
    }`;
}
