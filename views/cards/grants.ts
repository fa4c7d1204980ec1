import type { Approval, ApprovalVote, Grant } from "#contract/approval.ts";
import type { Card, CardElement } from "#contract/card.ts";
import type { JsonObject } from "#contract/json.ts";
import { allowedText } from "#src/base/plain-statement.ts";
import { count, cutText } from "#src/base/text.ts";
import { roughDuration } from "#src/base/time.ts";

import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { argumentElements, exactLine, exactName, personLabel, personName } from "./exact.ts";

/** What a standing approval for this request would cover: every argument that must be equal, with its value. */
export function grantTermsCard(approval: Approval): Card {
  const { maxTtlMs = 0, maxUses = 0, vary = [] } = approval.grants ?? {};
  // What may differ is no part of what is said yes to.
  const what = allowedText({ ...approval, vary });
  return {
    kind: "approval",
    title: cutText(`Allow for a while: ${what}`, 150),
    elements: [
      {
        type: "text",
        text: `${what}\nApproves this request, and lets the same run again in this conversation without asking: for up to ${roughDuration(maxTtlMs)}, up to ${count(maxUses, "time")}.`,
      },
      ...pattern(approval.args, vary),
    ],
  };
}

/** Standing approvals with what each covers, in the order given. */
export function grantsCard(grants: readonly Grant[]): Card {
  const sections = grants.map((grant, index) =>
    grantSection(grant, grants.length === 1 ? "" : `${index + 1}. `),
  );
  return {
    kind: "status",
    title: count(grants.length, "standing approval"),
    elements:
      grants.length === 0
        ? [{ type: "text", text: "Nothing runs without asking in this conversation." }]
        : sections,
  };
}

function grantSection(grant: Grant, number: string): CardElement {
  const { toolId, args, vary, uses, maxUses, expiresAt, grantedBy, rule } = grant;
  const fields = knownFields({
    Used: `${uses} of ${maxUses}`,
    Ends: humanTime(expiresAt),
    "Given by": personLabel(grantedBy),
    Action: exactLine(toolId),
    Rule: exactLine(rule),
  });
  return {
    type: "section",
    title: `${number}${allowedText(grant)}`,
    elements: [fields, ...pattern(args, vary)],
  };
}

/** What must be equal, with its values as they will be sent, and what may differ. */
function pattern(args: JsonObject, vary: readonly string[]): CardElement[] {
  const equal = Object.fromEntries(Object.entries(args).filter(([name]) => !vary.includes(name)));
  const fixed: CardElement[] =
    Object.keys(equal).length === 0
      ? [{ type: "text", text: "The tool alone; no argument has to be equal." }]
      : argumentElements(equal);
  return [
    { type: "section", title: "Must be equal, and nothing added", elements: fixed },
    knownFields({ "May differ": mayDiffer(vary) }),
  ];
}

function mayDiffer(vary: readonly string[]): string {
  return vary.length === 0 ? "nothing" : vary.map(exactName).join(", ");
}

/** Where the rule lets an approver allow more of the same: how much, what must be equal and what may differ. */
export function grantElements(approval: Approval): CardElement[] {
  const { grants, state, args, quorum } = approval;
  if (grants === undefined || state !== "pending" || quorum > 1) return [];
  const equal = Object.keys(args).filter((name) => !grants.vary.includes(name));
  return [
    {
      type: "section",
      title: "May be allowed for a while",
      elements: [
        {
          type: "text",
          text: `With the approval, the same may run again without asking: for up to ${roughDuration(grants.maxTtlMs)}, up to ${count(grants.maxUses, "time")}, in this conversation alone.`,
        },
        knownFields({
          "Must be equal":
            equal.length === 0
              ? "the tool, with no other argument added"
              : `${equal.map(exactName).join(", ")}, as above, and nothing added`,
          "May differ": mayDiffer(grants.vary),
        }),
      ],
    },
  ];
}

/** The standing approval that was given with the approval, and how it stands. */
export function standingElements(approval: Approval): CardElement[] {
  const { standing } = approval;
  if (standing === undefined) return [];
  const { uses, maxUses, expiresAt, revokedBy } = standing;
  const used = `used ${uses} of ${count(maxUses, "time")}`;
  const text =
    revokedBy === undefined
      ? `Given with it: the same runs without asking until ${humanTime(expiresAt)}; ${used}.`
      : `Given with it, and revoked by ${personName(revokedBy, approval)}: the same asks again; it was ${used}.`;
  return [{ type: "text", text }];
}

/** The grant that gave this approval: `grant_01J…, use 2 of 10`. */
export function usedGrant(approval: Approval): { vote: ApprovalVote; use: string } | undefined {
  for (const vote of approval.votes) {
    const match = /^grant (grant_\w+, use \d+ of \d+)$/.exec(vote.reason ?? "");
    // A person's words come after the request; only the ledger votes in the moment it is made.
    if (match?.[1] !== undefined && vote.at === approval.createdAt) return { vote, use: match[1] };
  }
  return undefined;
}
