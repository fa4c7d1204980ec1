import type { Approval, Grant } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { grantState } from "../api/wire.ts";
import { actorLabel } from "../actors.ts";
import { count, html, type Html, longDuration, time } from "./html.ts";

/** Beside Approve: allow more of the same, with exactly what that means. Empty where the rule offers none. */
export function grantChoice(approval: Approval): Html | string {
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
    <div class="grant-terms" id="grant-${id}">${sameness(args, grants.vary)}</div>
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
      <div class="grant-terms">${sameness(grant.args, grant.vary)}</div>
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
function sameness(args: JsonObject, vary: string[]): Html {
  const equal = Object.entries(args).filter(([name]) => !vary.includes(name));
  return html`<dl>
    <div>
      <dt>Must be equal</dt>
      <dd>
        ${
          equal.length === 0
            ? "nothing but the tool"
            : equal.map(([name, value]) => html`<code>${name} = ${exact(value)}</code> `)
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
function exact(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (hidden) =>
      Array.from(
        { length: hidden.length },
        (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
}
