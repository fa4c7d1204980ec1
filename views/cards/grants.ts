import type { Approval, ApprovalVote } from "#contract/approval.ts";
import type { CardElement } from "#contract/card.ts";

import { humanDuration, humanTime } from "../dates.ts";
import { count } from "../text.ts";
import { exactName } from "./arguments.ts";
import { who } from "./words.ts";

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
          text: `With the approval, the same may run again without asking: for up to ${humanDuration(grants.maxTtlMs)}, up to ${count(grants.maxUses, "time")}, in this conversation alone.`,
        },
        {
          type: "fields",
          items: [
            {
              label: "Must be equal",
              value:
                equal.length === 0
                  ? "the tool, with no other argument added"
                  : `${equal.map(exactName).join(", ")}, as above, and nothing added`,
            },
            {
              label: "May differ",
              value: grants.vary.length === 0 ? "nothing" : grants.vary.map(exactName).join(", "),
            },
          ],
        },
      ],
    },
  ];
}

/** The standing approval that was given with the approval, and how it stands. */
export function standingElements({ standing, names }: Approval): CardElement[] {
  if (standing === undefined) return [];
  const { uses, maxUses, expiresAt, revokedBy } = standing;
  const used = `used ${uses} of ${count(maxUses, "time")}`;
  const text =
    revokedBy === undefined
      ? `Given with it: the same runs without asking until ${humanTime(expiresAt)}; ${used}.`
      : `Given with it, and revoked by ${who(revokedBy, names)}: the same asks again; it was ${used}.`;
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
