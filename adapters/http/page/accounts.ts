import type { Context, Hono } from "hono";
import * as z from "zod";

import type { MeReply } from "#contract/people.ts";
import type { AccountActions, AccountLink, AccountList } from "#contract/connections.ts";

import { actorField, readBody } from "../api/bodies.ts";
import { conversationOf } from "../api/wire.ts";
import { ApiError } from "../errors.ts";
import { type HttpEnv, offerOf, viewerOf } from "../identity.ts";
import { cardHtml, fragment, html, type Html } from "./html.ts";

const accountActionBody = z.strictObject({
  /** `me`: who somebody is in a server, as `MeActions` takes it. */
  action: z.enum(["connect", "disconnect", "use_site", "words", "me"]),
  value: z.string().min(1).max(500),
  session_id: z.string().min(1).max(128),
  actor: actorField,
});

/** Lists the requester's accounts, connects and disconnects them. */
export function addAccountFragments(app: Hono<HttpEnv>): void {
  app.get("/playground/accounts", async (c) => {
    const asker = { actor: viewerOf(c), channel: conversationOf(c.req.query("c") ?? "") };
    const { me } = offerOf(c);
    const who = await me?.me("", { actor: asker.actor, command: "" });
    return fragment(c, html`${accountsBlock(await accountsOf(c).list(asker))}${who && whoBlock(who)}`);
  });

  app.post("/playground/accounts", async (c) => {
    const { action, value, session_id, actor } = await readBody(c, accountActionBody);
    if (action === "me") {
      const reply = await offerOf(c).me?.me(value, { actor, command: "" });
      return fragment(c, accountOutcome(reply?.said ?? ""));
    }
    if (action === "disconnect")
      return fragment(c, accountOutcome(await accountsOf(c).disconnect(value, actor)));
    const asker = { actor, channel: conversationOf(session_id) };
    if (action === "use_site") return fragment(c, accountOutcome(await accountsOf(c).use(value, asker)));
    const answer = await (action === "words"
      ? accountsOf(c).byWords(value, asker)
      : accountsOf(c).connect(value, asker));
    const link = answer?.ok === true ? answer.link : undefined;
    return fragment(c, accountOutcome(answer?.words ?? "", link));
  });
}

const STYLE = {
  connect: "cs-button--primary",
  disconnect: "cs-button--danger",
  use_site: "",
} as const;

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
            class="cs-button ${STYLE[action]}"
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

/** Who the person is in the servers, with a field for each. */
function whoBlock({ card, view }: MeReply): Html | string {
  if (view.servers.length === 0) return "";
  return html`<section class="server accounts" aria-label="Who you are">
    ${cardHtml(card)}
    ${view.servers
      .filter(({ account }) => account?.origin !== "file")
      .map(
        ({ server, title, account }) =>
          html`<form class="cs-actions edit-field" data-me="${server}">
            <input
              name="account"
              maxlength="120"
              required
              aria-label="You in ${title}"
              placeholder="You in ${title}: name or address"
            />
            <button type="submit" class="cs-button">Save</button>
            ${
              account?.origin === "told" &&
              html`<button type="button" class="cs-button" data-account="me" data-value="${server} forget">
                Forget
              </button>`
            }
          </form>`,
      )}
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
