import type { Approval, Grant } from "#contract/approval.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { approversText, isTakenBack } from "#src/base/approvers.ts";
import { isSamePerson, personText } from "#src/base/ids.ts";
import { allowedText } from "#src/base/plain-statement.ts";
import { askText, buttonText, groupButtonText, groupText, wordsFor } from "#src/base/statement.ts";
import { plural } from "#src/base/text.ts";
import { exactDuration } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import { grantState } from "../api/wire.ts";
import { actorLabel, type Identity } from "../identity.ts";
import { actingAs, button, cardHtml, definitions, faultLine, html, type Html, time } from "./html.ts";

/**
 * Who looks at a page. `mayApprove`: the requests that wait for them, where who they are is certain; absent: whoever they
 * say they are may be asked.
 */
export type Viewing = Identity & { mayApprove?: ReadonlySet<string> };

/** The viewer with the requests among those drawn that wait for them. */
export async function viewingOf(
  identity: Identity,
  approvals: readonly Approval[],
  core: Pick<Core, "approvalsFor">,
): Promise<Viewing> {
  if (identity.mode !== "token" || !approvals.some(({ state }) => state === "pending")) return identity;
  const waiting = await core.approvalsFor(identity.actor);
  return { ...identity, mayApprove: new Set(waiting.map(({ id }) => id)) };
}

/** Changes whenever a request of the turn does, so that the page knows when to draw it again. */
export function versionOf(approvals: Approval[]): string {
  return approvals
    .map(({ id, state, votes, evidence }) => `${id}:${state}:${votes.length}:${evidence?.at ?? ""}`)
    .join(" ");
}

/** The requests of a turn, oldest first: those that wait together where they are several. */
export function approvalBlocks(
  approvals: Approval[],
  cards: Cards,
  identity: Viewing,
): readonly (Html | string)[] {
  const pending = approvals.filter((one) => one.state === "pending" && mayApprove(one, identity));
  const isGroup = pending.length > 1;
  return approvals.map((approval) => {
    if (!isGroup || !pending.includes(approval)) return approvalBlock(approval, approvals, cards, identity);
    return approval === pending[0] ? groupBlock(pending, approvals, cards, identity) : "";
  });
}

/**
 * A request for approval: with the signature line while it waits, folded under its stamp
 * afterwards. `siblings` are all requests of the turn, for the one that it replaced.
 */
export function approvalBlock(
  approval: Approval,
  siblings: Approval[],
  cards: Cards,
  identity: Viewing,
): Html {
  const shown = requestCard(approval, cards);
  if (approval.state === "pending") return pendingBlock(approval, siblings, shown, identity);
  if (approval.state === "unknown") return unknownBlock(approval, shown, identity);
  const ending = isTakenBack(approval) ? "taken-back" : approval.state;
  return html`<details class="signed signed--${ending}" id="${approval.id}">
    <summary>
      <span class="stamp stamp--${ending}">${stampOf(approval)}</span>
      <span class="signed-what">${decidedBy(approval)}${askText(approval.statement)}</span>
    </summary>
    ${shown}
  </details>`;
}

/** Requests of a turn that wait, each with its own buttons, then those that decide all that are drawn here. */
function groupBlock(
  pending: readonly Approval[],
  siblings: readonly Approval[],
  cards: Cards,
  identity: Identity,
): Html {
  const statements = pending.map(({ statement }) => statement);
  const say = wordsFor(statements[0] ?? {});
  const needsReason = pending.some(({ reasonRequired }) => reasonRequired);
  const ids = pending.map(({ id }) => id).join(" ");
  const style = statements.some(({ isDestructive }) => isDestructive) ? "danger" : "primary";
  return html`<section class="approval" data-together="${ids}" aria-label="Approval requests">
    <p class="approval-flag">${say.page.requests(pending.length)}</p>
    <h3 class="approval-all">${say.statement.question(groupText(statements))}</h3>
    <ol class="approval-items">
      ${pending.map(
        (approval) =>
          html`<li>
            <section
              id="${approval.id}"
              data-approval="${approval.id}"
              aria-label="Approval request"
              ${approval.reasonRequired && "data-needs-reason"}
            >
              <div class="approval-request" data-request>
                ${originOf(approval, siblings)} ${requestCard(approval, cards)}
                <div class="approval-own">
                  ${grantChoice(approval)} ${decisionButtons(approval, "secondary")} ${faultLine()}
                </div>
              </div>
            </section>
          </li>`,
      )}
    </ol>
    <div class="signature" data-all>
      <div class="signature-line">${actingAs(identity)} ${reasonField("all", needsReason, say)}</div>
      <div class="cs-actions" role="group" aria-label="Decision on all">
        ${button("approve_all", groupButtonText(statements), { value: ids, style })}
        ${button("deny_all", say.buttons.denyAll, { value: ids })}
      </div>
      ${faultLine()}
    </div>
  </section>`;
}

/** The page draws the buttons itself, beside the name and the reason they go with. */
function requestCard(approval: Approval, cards: Cards): Html {
  const card = cards.approval(approval);
  return cardHtml({ ...card, elements: card.elements.filter(({ type }) => type !== "actions") });
}

function originOf({ id, requestedBy, statement }: Approval, siblings: readonly Approval[]): Html | string {
  const isEdited = siblings.some(({ replacedBy }) => replacedBy === id);
  if (!isEdited) return "";
  const said = wordsFor(statement).page.editedBy(actorLabel(requestedBy));
  return html`<span class="approval-origin">${said}</span>`;
}

function reasonField(id: string, isRequired: boolean, { page: say, presses }: Words): Html {
  return html`<label class="reason" for="reason-${id}">
    ${presses.reason} <span class="optional">${isRequired ? say.required : say.optional}</span>
    <input id="reason-${id}" data-reason type="text" maxlength="2000" ${isRequired && "required"} />
  </label>`;
}

function decisionButtons({ id, statement }: Approval, rank?: "secondary"): Html {
  const style = statement.isDestructive ? "danger" : "primary";
  const { buttons: say } = wordsFor(statement);
  return html`<div class="cs-actions" role="group" aria-label="Decision">
    ${button("approve", buttonText(statement), { value: id, ...(rank === undefined && { style }) })}
    ${button("deny", say.deny, { value: id })} ${button("edit", say.edit, { value: id })}
  </div>`;
}

function mayApprove({ id }: Approval, { mayApprove: waiting }: Viewing): boolean {
  return waiting?.has(id) ?? true;
}

/** What waits for others: who they are, and for who asked for it the way to take it back. */
function othersLine(approval: Approval, identity: Viewing): Html {
  const { id, statement, requestedBy, votes, names } = approval;
  const say = wordsFor(statement);
  const { page, buttons } = say;
  const isOf = (actor: string): boolean => identity.mode === "token" && isSamePerson(actor, identity.actor);
  const who = approversText(approval, (actor) => personText(actor, names, say), say);
  const hasVoted = votes.some(({ actor, decision }) => decision === "approve" && isOf(actor));
  return html`<div class="signature-line">${hasVoted ? page.youApproved : page.othersDecide(who)}</div>
    ${
      isOf(requestedBy) &&
      html`<div class="cs-actions" role="group" aria-label="Your request">
        ${button("deny", buttons.withdraw, { value: id })} ${button("edit", buttons.edit, { value: id })}
      </div>`
    }`;
}

function pendingBlock(approval: Approval, siblings: Approval[], card: Html, identity: Viewing): Html {
  const { id, reasonRequired, statement } = approval;
  const say = wordsFor(statement);
  return html`<section class="approval" id="${id}" data-approval="${id}" aria-label="Approval request">
    <p class="approval-flag">${say.page.stamps.pending} ${originOf(approval, siblings)}</p>
    <div class="approval-request" data-request>
      ${card}
      <div class="signature">
        ${
          mayApprove(approval, identity)
            ? html`<div class="signature-line">
                  ${actingAs(identity)} ${reasonField(id, reasonRequired, say)}
                </div>
                ${grantChoice(approval)} ${decisionButtons(approval)}`
            : othersLine(approval, identity)
        }
        ${faultLine()}
      </div>
    </div>
  </section>`;
}

/** A sent call whose outcome is unknown: a person settles it. */
function unknownBlock({ id, lookup, statement }: Approval, card: Html, identity: Identity): Html {
  const { page: say, buttons } = wordsFor(statement);
  return html`<section
    class="approval approval--unknown"
    id="${id}"
    data-approval="${id}"
    aria-label="Unknown outcome"
  >
    <p class="approval-flag">${lookup === undefined ? say.lookFirst : say.lookUpFirst}</p>
    ${card}
    <div class="signature">
      <div class="signature-line">${actingAs(identity)}</div>
      <div class="cs-actions" role="group" aria-label="Settle">
        ${button("settle_happened", buttons.happened, { value: id })}
        ${button("settle_did_not", buttons.didNot, { value: id })}
        ${lookup && button("look_up", buttons.lookUp, { value: id })}
      </div>
      <div class="looked-up" data-looked-up role="status"></div>
      ${faultLine()}
    </div>
  </section>`;
}

/** How it stands, in a word or two. */
export function stampOf(approval: Approval): string {
  const { state, quorum, statement } = approval;
  const { page: say } = wordsFor(statement);
  if (isTakenBack(approval)) return say.takenBack;
  const isAllowed = quorum === 0 && ["approved", "executing", "done"].includes(state);
  return isAllowed ? say.allowed : say.stamps[state];
}

/** Names who decided, for the line of a folded request. */
export function decidedBy({ state, votes, note, createdAt, statement, names = {} }: Approval): string {
  const say = wordsFor(statement);
  if (state === "superseded") return note === undefined ? "" : `${recordedText(note, say)} · `;
  const decision = state === "denied" ? "deny" : "approve";
  const deciding = votes.filter((vote) => vote.decision === decision);
  const people = deciding.map(({ actor }) => names[actor] ?? actorLabel(actor));
  if (people.length === 0) return "";
  // A vote in the moment of the request is not a person's: a standing approval gave it.
  const isStanding = deciding.every((vote) => vote.at === createdAt && vote.reason?.startsWith("grant "));
  return (isStanding ? say.page.byStanding : say.page.by)(people.join(", "));
}

/** Beside Approve: allow more of the same, with exactly what that means. Empty where the rule offers none. */
function grantChoice({ grants, id, quorum, args, statement }: Approval): Html | string {
  if (grants === undefined || quorum > 1) return "";
  const { reads } = grants;
  const say = wordsFor(statement);
  return html`<div class="grant-choice">
    <label>
      <input
        type="checkbox"
        data-grant
        data-ttl="${Math.floor(grants.maxTtlMs / 1000)}s"
        data-uses="${grants.maxUses}"
        aria-describedby="grant-${id}"
      />
      ${
        reads === undefined
          ? say.page.allowToo(exactDuration(grants.maxTtlMs, say), grants.maxUses)
          : say.grants.trustReads(reads.server)
      }
    </label>
    <div class="grant-terms" id="grant-${id}">
      ${
        reads === undefined
          ? grantTerms(args, grants.vary)
          : say.grants.trustTerms(reads.server, exactDuration(grants.maxTtlMs, say), grants.maxUses)
      }
    </div>
  </div>`;
}

/** What is allowed in this conversation without asking, now; empty when nothing is. */
export function grantList(grants: Grant[]): Html | string {
  const active = grants.filter((grant) => grantState(grant) === "active");
  if (active.length === 0) return "";
  const ends = Math.min(...active.map(({ expiresAt }) => expiresAt));
  return html`<details class="grants-box" data-ends="${ends}">
    <summary>
      <span class="grants-count">${plural(active.length, "standing approval")}</span>
      <span class="grants-tools"
        >${[...new Set(active.map((grant) => grant.reads?.server ?? grant.toolId))].join(", ")}</span
      >
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
        ${grant.reads === undefined ? html`<code>${grant.toolId}</code>` : allowedText(grant)} runs without
        asking. Ends ${time(grant.expiresAt)}, used ${grant.uses} of ${grant.maxUses}, given by
        ${actorLabel(grant.grantedBy)}.
      </p>
      ${
        grant.reads === undefined
          ? html`<div class="grant-terms">${grantTerms(grant.args, grant.vary)}</div>`
          : ""
      }
    </div>
    ${button("revoke", "Revoke", {
      value: grant.id,
      style: "danger",
      label: `Revoke the standing approval of ${grant.toolId}`,
    })}
  </li>`;
}

/** What must be equal, with its values, and what may differ. */
function grantTerms(args: JsonObject, vary: string[]): Html {
  const equal = Object.entries(args)
    .filter(([name]) => !vary.includes(name))
    .map(([name, value]) => html`<code>${name} = ${visibleJson(value)}</code> `);
  const varying = vary.map((name) => html`<code>${name}</code> `);
  return html`<dl>
    ${definitions([
      ["Must be equal", equal.length === 0 ? "nothing but the tool" : equal],
      ["May differ", varying.length === 0 ? "nothing" : varying],
      ["Not allowed", "any other argument"],
    ])}
  </dl>`;
}

/** JSON with invisible characters escaped. */
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
