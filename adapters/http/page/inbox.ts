import type { Context, Hono } from "hono";

import type { Approval } from "#contract/approval.ts";
import type { Cards } from "#contract/core.ts";
import { alikeApprovals, MOST_TOGETHER, recentlyDecided } from "#src/base/alike.ts";
import { isSamePerson, personText } from "#src/base/ids.ts";
import { askText } from "#src/base/statement.ts";
import { count, plural } from "#src/base/text.ts";

import { sessionOf } from "../api/wire.ts";
import { type HttpEnv, type Identity, offerOf, requiredIdentity, viewerOf } from "../identity.ts";
import { approvalBlock, decidedBy, stampOf, versionOf, type Viewing } from "./approval.ts";
import { isOperator, placePage, prefersPage } from "./frame.ts";
import { actingAs, button, faultLine, fragment, html, type Html, time } from "./html.ts";
import { signInPage } from "./page.ts";

/** Where browsers find what waits for who looks; programs get JSON there. */
const INBOX_PATH = "/approvals";

/** Of a flood of requests the most urgent are drawn. */
const MOST_SHOWN = 50;

/** The page of what waits for the viewer, and what its script draws anew whenever something happens. */
export function addInboxRoutes(app: Hono<HttpEnv>, cards: Cards): void {
  app.get(INBOX_PATH, async (c, next) => {
    if (!prefersPage(c.req.header("accept"))) return next();
    const identity = c.get("identity");
    if (identity === undefined) return c.html(signInPage(undefined, INBOX_PATH), 401);
    // Before anything is read: what changes meanwhile is told once the page follows.
    const change = await offerOf(c).core.lastChange();
    return fragment(c, inboxPage(await drawInbox(c, cards), identity, change));
  });

  app.get("/playground/inbox", async (c) => fragment(c, await drawInbox(c, cards)));
}

async function drawInbox(c: Context<HttpEnv>, cards: Cards): Promise<Html> {
  const identity = requiredIdentity(c);
  const { core } = offerOf(c);
  const viewer = viewerOf(c);
  const mine = await core.approvalsFor(viewer);
  const isWatched = ({ requestedBy }: Approval): boolean =>
    isOperator(identity) || isSamePerson(requestedBy, viewer);
  const others = (await core.approvals({ state: "pending" })).filter(isWatched);
  const ids = new Set(mine.map(({ id }) => id));
  const viewing: Viewing = identity.mode === "token" ? { ...identity, mayApprove: ids } : identity;
  return inboxBody(
    mine,
    others.filter(({ id }) => !ids.has(id)),
    recentlyDecided(await core.approvals({}), viewer),
    (approval) => approvalBlock(approval, [approval], cards, viewing),
  );
}

function inboxPage(body: Html, identity: Identity, change: number): Html {
  return placePage(INBOX_PATH, "Approvals", {
    identity,
    script: "inbox.js",
    styles: ["inbox.css"],
    body: html`
      ${identity.mode === "open" && html`<p class="inbox-acting">${actingAs(identity)}</p>`}
      <p class="inbox-line" id="inbox-line" role="status" hidden>
        The server does not answer. What you see may be old.
      </p>
      <div id="inbox" data-change="${change}">${body}</div>
      <p class="approval-fault" id="inbox-fault" role="alert" hidden></p>
      <section id="grants" hidden></section>
    `,
  });
}

/** `mark` changes whenever something that is drawn does. */
function inboxBody(
  mine: readonly Approval[],
  others: readonly Approval[],
  recent: readonly Approval[],
  draw: (approval: Approval) => Html,
): Html {
  const shown = mine.slice(0, MOST_SHOWN);
  const rest = mine.length - shown.length;
  return html`<div data-inbox="${versionOf([...mine, ...others, ...recent])}">
    <h2 class="inbox-title">
      ${mine.length === 0 ? "Nothing waits for you" : `${count(mine.length, "request")} for you`}
    </h2>
    ${mine.length === 0 && html`<p class="inbox-none">What you may approve stands here as soon as somebody asks.</p>`}
    ${alikeApprovals(shown).map(({ approvals }) => group(approvals, draw))}
    ${rest > 0 && html`<p class="inbox-none">and ${rest} more</p>`}
    ${others.length > 0 && waitingForOthers(others, draw)} ${recent.length > 0 && decidedLately(recent)}
  </div>`;
}

function group(approvals: readonly Approval[], draw: (approval: Approval) => Html): Html {
  const isSeveral = approvals.length > 1;
  const needsReason = approvals.some(({ reasonRequired }) => reasonRequired);
  return html`<section class="inbox-group" data-group>
    <ul class="inbox-list">
      ${approvals.map(
        (approval) =>
          html`<li class="inbox-item">
            ${
              isSeveral &&
              html`<input
                type="checkbox"
                data-pick="${approval.id}"
                aria-label="${askText(approval.statement)}"
              />`
            }
            ${row(approval, draw)}
          </li>`,
      )}
    </ul>
    ${
      isSeveral &&
      html`<div class="inbox-together">
        <label class="inbox-all">
          <input type="checkbox" data-pick-all="${MOST_TOGETHER}" />
          Select
          ${approvals.length > MOST_TOGETHER ? `the first ${MOST_TOGETHER}` : `all ${approvals.length}`}
        </label>
        <label class="reason">
          Reason <span class="optional">${needsReason ? "(required)" : "(optional)"}</span>
          <input data-group-reason type="text" maxlength="2000" ${needsReason && "required"} />
        </label>
        <div class="cs-actions">
          ${button("approve_picked", "Approve selected", { style: "primary" })}
          ${button("deny_picked", "Deny selected")}
        </div>
        ${faultLine()}
      </div>`
    }
  </section>`;
}

/** A request that opens. */
function row(approval: Approval, draw: (approval: Approval) => Html): Html {
  return html`<details class="inbox-row turn" data-request="${approval.id}" data-turn="${approval.turnId}">
    <summary>${what(approval)}${facts(approval)}</summary>
    ${draw(approval)} ${wayTo(approval)}
  </details>`;
}

function what({ statement }: Approval): Html {
  return html`<span class="inbox-what">${askText(statement)}?</span>`;
}

/** What is said on chat platforms is read there. */
function wayTo({ conversationId, turnId }: Approval): Html | string {
  if (!conversationId.startsWith("http:")) return "";
  const path = `/?c=${encodeURIComponent(sessionOf(conversationId))}&t=${turnId}`;
  return html`<a class="inbox-open" href="${path}">Open the conversation</a>`;
}

function facts({ requestedBy, names, createdAt, expiresAt, quorum, votes }: Approval): Html {
  const given = votes.filter(({ decision }) => decision === "approve").length;
  return html`<span class="inbox-facts">
    ${personText(requestedBy, names)} asked ${time(createdAt)} · expires ${time(expiresAt)}
    ${quorum > 1 && `· ${given} of ${plural(quorum, "approval")}`}
  </span>`;
}

/** What the viewer decided or asked for. */
function decidedLately(approvals: readonly Approval[]): Html {
  return html`<section class="inbox-recent">
    <h2 class="inbox-title">Recently decided</h2>
    <ul class="inbox-list">
      ${approvals.map(
        (approval) =>
          html`<li class="inbox-row">
            <span class="inbox-what">${askText(approval.statement)}</span>
            <span class="inbox-facts">
              <span class="stamp stamp--${approval.state}">${stampOf(approval)}</span>
              ${decidedBy(approval)}${time(approval.decidedAt ?? approval.createdAt)}
            </span>
            ${wayTo(approval)}
          </li>`,
      )}
    </ul>
  </section>`;
}

/** What the viewer asked for and others decide; for who sees everything, whatever nobody has decided yet. */
function waitingForOthers(approvals: readonly Approval[], draw: (approval: Approval) => Html): Html {
  const shown = approvals.slice(0, MOST_SHOWN);
  return html`<details class="inbox-others">
    <summary>
      ${count(approvals.length, "request")} ${approvals.length === 1 ? "waits" : "wait"} for others
    </summary>
    <ul class="inbox-list">
      ${shown.map((approval) => html`<li class="inbox-item">${row(approval, draw)}</li>`)}
    </ul>
  </details>`;
}
