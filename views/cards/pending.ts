import type { Approval } from "#contract/approval.ts";
import type { Card, CardElement } from "#contract/card.ts";

import { humanTime } from "../dates.ts";
import { exactLine } from "./shown.ts";
import { who } from "./words.ts";

/** Requests that wait for one person. Their arguments stand on their own cards, where everybody sees them. */
export function pendingCard(approvals: readonly { approval: Approval; link?: string }[]): Card {
  const elements: CardElement[] =
    approvals.length === 0
      ? [{ type: "text", text: "Nothing waits for your countersignature." }]
      : [{ type: "list", items: approvals.map(({ approval, link }) => itemOf(approval, link)) }];
  const title = approvals.length === 0 ? "Nothing waits for you" : "Waiting for you";
  return { kind: "status", title, elements: [{ type: "header", text: title }, ...elements] };
}

function itemOf(
  approval: Approval,
  link: string | undefined,
): { text: string; href?: string; detail: string } {
  const given = approval.votes.filter(({ decision }) => decision === "approve").length;
  return {
    text: exactLine(approval.toolId),
    ...(link === undefined ? {} : { href: link }),
    detail: `asked by ${who(approval.requestedBy)}, ${given} of ${approval.quorum} approvals, until ${humanTime(approval.expiresAt)}`,
  };
}
