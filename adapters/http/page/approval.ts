import type { Approval, ApprovalState, Grant } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { grantState } from "../api/wire.ts";
import { actorLabel, type Identity } from "../identity.ts";
import { actingAs, count, html, type Html, longDuration, raw, time } from "./html.ts";
import { renderCardHtml } from "./render/html.ts";

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
export function versionOf(approvals: Approval[]): string {
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
      <span class="signed-what">${decidedBy(approval)}<code>${approval.toolId}</code></span>
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
function decidedBy(approval: Approval): string {
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

/** Beside Approve: allow more of the same, with exactly what that means. Empty where the rule offers none. */
function grantChoice(approval: Approval): Html | string {
  const { grants, id, quorum, args } = approval;
  if (grants === undefined || quorum > 1) return "";
  return html`<div class="grant-choice">
    <label>
      <input
        type="checkbox"
        data-grant
        data-ttl="${String(Math.floor(grants.maxTtlMs / 1000))}s"
        data-uses="${String(grants.maxUses)}"
        aria-describedby="grant-${id}"
      />
      and allow the same for ${longDuration(grants.maxTtlMs)}, up to ${count(grants.maxUses, "time")}
    </label>
    <div class="grant-terms" id="grant-${id}">${grantTerms(args, grants.vary)}</div>
  </div>`;
}

/** What is allowed in this conversation without asking, now; empty when nothing is. */
export function grantList(grants: Grant[], now: number): Html | string {
  const active = grants.filter((grant) => grantState(grant, now) === "active");
  if (active.length === 0) return "";
  return html`<details class="grants-box">
    <summary>
      <span class="grants-count">${count(active.length, "standing approval")}</span>
      <span class="grants-tools">${[...new Set(active.map((grant) => grant.toolId))].join(", ")}</span>
    </summary>
    <ul>
      ${active.map(grantItem)}
    </ul>
    <p class="approval-fault" data-grant-fault role="alert" hidden></p>
  </details>`;
}

function grantItem(grant: Grant): Html {
  return html`<li class="grant">
    <div>
      <p>
        <code>${grant.toolId}</code> runs without asking. Ends ${time(grant.expiresAt)}, used
        ${String(grant.uses)} of ${String(grant.maxUses)}, given by ${actorLabel(grant.grantedBy)}.
      </p>
      <div class="grant-terms">${grantTerms(grant.args, grant.vary)}</div>
    </div>
    <button
      type="button"
      class="cs-button cs-button--danger"
      data-action="revoke"
      data-value="${grant.id}"
      aria-label="Revoke the standing approval of ${grant.toolId}"
    >
      Revoke
    </button>
  </li>`;
}

/** What must be equal, with its values, and what may differ. */
function grantTerms(args: JsonObject, vary: string[]): Html {
  const equal = Object.entries(args).filter(([name]) => !vary.includes(name));
  return html`<dl>
    <div>
      <dt>Must be equal</dt>
      <dd>
        ${
          equal.length === 0
            ? "nothing but the tool"
            : equal.map(([name, value]) => html`<code>${name} = ${visibleJson(value)}</code> `)
        }
      </dd>
    </div>
    <div>
      <dt>May differ</dt>
      <dd>${vary.length === 0 ? "nothing" : vary.map((name) => html`<code>${name}</code> `)}</dd>
    </div>
    <div>
      <dt>Not allowed</dt>
      <dd>any other argument</dd>
    </div>
  </dl>`;
}

/** JSON in which what cannot be seen is written out. */
function visibleJson(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (hidden) =>
      Array.from(
        { length: hidden.length },
        (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
}
