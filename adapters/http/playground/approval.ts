import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";

import { actorLabel } from "../actors.ts";
import type { Identity } from "../identity.ts";
import { renderCardHtml } from "../render/html.ts";
import { actingAs } from "./acting-as.ts";
import { grantChoice } from "./grants.ts";
import { html, type Html, raw } from "./html.ts";

const STAMPS: Record<ApprovalState, string> = {
  pending: "Awaiting signature",
  approved: "Countersigned",
  executing: "Countersigned",
  done: "Countersigned",
  failed: "Countersigned, failed",
  unknown: "Outcome unknown",
  denied: "Denied",
  expired: "Expired",
  void: "Void",
  superseded: "Replaced",
};

/** Changes whenever a request of the turn does, so that the page knows when to draw it again. */
export function markOf(approvals: Approval[]): string {
  return approvals
    .map(({ id, state, votes, evidence }) => `${id}:${state}:${votes.length}:${evidence?.at ?? ""}`)
    .join(" ");
}

/**
 * A request for a countersignature: with the signature line while it waits, folded under its stamp
 * afterwards. `siblings` are all requests of the turn, for the one that it replaced.
 */
export function approvalBlock(
  approval: Approval,
  siblings: Approval[],
  cards: Cards,
  identity: Identity,
): Html {
  const card = cards.approval(approval);
  if (approval.state === "pending") return pendingBlock(approval, siblings, card, identity);
  if (approval.state === "unknown") return unknownBlock(approval, card, identity);
  return html`<details class="signed signed--${approval.state}" id="${approval.id}">
    <summary>
      <span class="stamp stamp--${approval.state}">${stampOf(approval)}</span>
      <span class="signed-what">${how(approval)}<code>${approval.toolId}</code></span>
    </summary>
    ${raw(renderCardHtml(withoutActions(card)))}
  </details>`;
}

function pendingBlock(approval: Approval, siblings: Approval[], card: Card, identity: Identity): Html {
  const reasonId = `reason-${approval.id}`;
  const origin = siblings.find((other) => other.replacedBy === approval.id);
  return html`<section
    class="approval"
    id="${approval.id}"
    data-approval="${approval.id}"
    aria-label="Approval request"
  >
    <p class="approval-flag">
      Needs a countersignature
      ${
        origin === undefined
          ? ""
          : html`<span class="approval-origin">edited by ${actorLabel(approval.requestedBy)}</span>`
      }
    </p>
    <div class="approval-request" data-request>
      ${raw(renderCardHtml(withoutActions(card)))}
      <div class="signature">
        <div class="signature-line">
          ${actingAs(identity)}
          <label class="reason" for="${reasonId}">
            Reason <span class="optional">${approval.reasonRequired ? "(required)" : "(optional)"}</span>
            <input
              id="${reasonId}"
              data-reason
              type="text"
              maxlength="2000"
              ${approval.reasonRequired ? html`required` : ""}
            />
          </label>
        </div>
        ${grantChoice(approval)}
        <div class="cs-actions" role="group" aria-label="Decision">
          ${button("approve", "Approve", approval.id, "primary")}
          ${button("deny", "Deny", approval.id, "danger")} ${button("edit", "Edit", approval.id)}
        </div>
        <p class="approval-fault" data-fault role="alert" hidden></p>
      </div>
    </div>
  </section>`;
}

/** The call was sent and nobody knows whether it happened: a person says. */
function unknownBlock(approval: Approval, card: Card, identity: Identity): Html {
  const where =
    approval.lookup === undefined ? "Look at the source, then settle it." : "Look it up, then settle it.";
  return html`<section
    class="approval approval--unknown"
    id="${approval.id}"
    data-approval="${approval.id}"
    aria-label="Unknown outcome"
  >
    <p class="approval-flag">Nobody knows whether this happened. ${where}</p>
    ${raw(renderCardHtml(withoutActions(card)))}
    <div class="signature">
      <div class="signature-line">${actingAs(identity)}</div>
      <div class="cs-actions" role="group" aria-label="Settle">
        ${button("settle_happened", "It happened", approval.id)}
        ${button("settle_did_not", "It did not", approval.id)}
        ${approval.lookup === undefined ? "" : button("look_up", "Look it up", approval.id)}
      </div>
      <div class="looked-up" data-looked-up role="status"></div>
      <p class="approval-fault" data-fault role="alert" hidden></p>
    </div>
  </section>`;
}

function button(action: string, label: string, value: string, style?: "primary" | "danger"): Html {
  const look = style === undefined ? "" : ` cs-button--${style}`;
  return html`<button type="button" class="cs-button${look}" data-action="${action}" data-value="${value}">
    ${label}
  </button>`;
}

function stampOf({ state, quorum }: Approval): string {
  const isAllowed = quorum === 0 && STAMPS[state] === "Countersigned";
  return isAllowed ? "Allowed by policy" : STAMPS[state];
}

/** By whom, in the line of a folded request. */
function how(approval: Approval): string {
  const { state, votes, note, createdAt } = approval;
  if (state === "superseded") return note === undefined ? "" : `${note} · `;
  const decision = state === "denied" ? "deny" : "approve";
  const deciding = votes.filter((vote) => vote.decision === decision);
  const names = deciding.map((vote) => actorLabel(vote.actor));
  if (names.length === 0) return "";
  // A vote in the moment of the request is not a person's: a standing approval gave it.
  const isStanding = deciding.every((vote) => vote.at === createdAt && vote.reason?.startsWith("grant "));
  return `by ${isStanding ? "the standing approval of " : ""}${names.join(", ")} · `;
}

/** The page draws the buttons itself, beside the name and the reason they go with. */
function withoutActions(card: Card): Card {
  return { ...card, elements: card.elements.filter((element) => element.type !== "actions") };
}
