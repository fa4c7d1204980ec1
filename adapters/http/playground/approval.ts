import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";

import { actorLabel } from "../actors.ts";
import type { Identity } from "../identity.ts";
import { renderCardHtml } from "../render/html.ts";
import { actingAs } from "./acting-as.ts";
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
  superseded: "Superseded",
};

/** A request for a countersignature: with the signature line while it waits, folded under its stamp afterwards. */
export function approvalBlock(approval: Approval, cards: Cards, identity: Identity): Html {
  const card = cards.approval(approval);
  if (approval.state === "pending") return pendingBlock(approval, card, identity);
  if (approval.state === "unknown") return unknownBlock(approval, card);
  return html`<details class="signed signed--${approval.state}" id="${approval.id}">
    <summary>
      <span class="stamp stamp--${approval.state}">${STAMPS[approval.state]}</span>
      <span class="signed-what">${signers(approval)}<code>${approval.toolId}</code></span>
    </summary>
    ${raw(renderCardHtml(withoutActions(card)))}
  </details>`;
}

function pendingBlock(approval: Approval, card: Card, identity: Identity): Html {
  const reasonId = `reason-${approval.id}`;
  return html`<section
    class="approval"
    id="${approval.id}"
    data-approval="${approval.id}"
    data-votes="${String(approval.votes.length)}"
    aria-label="Approval request"
  >
    <p class="approval-flag">Needs a countersignature</p>
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
      <div class="cs-actions" role="group" aria-label="Decision">
        <button
          type="button"
          class="cs-button cs-button--primary"
          data-action="approve"
          data-value="${approval.id}"
        >
          Approve
        </button>
        <button
          type="button"
          class="cs-button cs-button--danger"
          data-action="deny"
          data-value="${approval.id}"
        >
          Deny
        </button>
      </div>
      <p class="approval-fault" data-fault role="alert" hidden></p>
    </div>
  </section>`;
}

/** The call was sent and nobody knows whether it happened: a person says. */
function unknownBlock(approval: Approval, card: Card): Html {
  return html`<section
    class="approval approval--unknown"
    id="${approval.id}"
    data-approval="${approval.id}"
    aria-label="Unknown outcome"
  >
    <p class="approval-flag">Nobody knows whether this happened. Look at the source, then settle it.</p>
    ${raw(renderCardHtml(withoutActions(card)))}
    <div class="signature">
      <div class="cs-actions" role="group" aria-label="Settle">
        <button type="button" class="cs-button" data-action="settle_happened" data-value="${approval.id}">
          It happened
        </button>
        <button type="button" class="cs-button" data-action="settle_did_not" data-value="${approval.id}">
          It did not
        </button>
      </div>
      <p class="approval-fault" data-fault role="alert" hidden></p>
    </div>
  </section>`;
}

function signers(approval: Approval): string {
  const decision = approval.state === "denied" ? "deny" : "approve";
  const names = approval.votes
    .filter((vote) => vote.decision === decision)
    .map((vote) => actorLabel(vote.actor));
  return names.length === 0 ? "" : `by ${names.join(", ")} · `;
}

/** The page draws the buttons itself, beside the name and the reason they go with. */
function withoutActions(card: Card): Card {
  return { ...card, elements: card.elements.filter((element) => element.type !== "actions") };
}
