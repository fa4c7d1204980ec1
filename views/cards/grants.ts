import type { Approval, ApprovalVote, Grant } from "#contract/approval.ts";
import type { Card, CardElement } from "#contract/card.ts";
import type { JsonObject } from "#contract/json.ts";
import { allowedText } from "#src/base/plain-statement.ts";
import { languageOf, wordsFor } from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";
import { roughDuration } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { argumentElements, exactLine, exactName, personLabel, personName } from "./exact.ts";

/** What a standing approval for this request would cover: every argument that must be equal, with its value. */
export function grantTermsCard(approval: Approval): Card {
  const { maxTtlMs = 0, maxUses = 0, vary = [] } = approval.grants ?? {};
  const { language } = approval.statement;
  const say = wordsOf(language);
  // What may differ is no part of what is said yes to.
  const reads = approval.grants?.reads;
  const what = allowedText({ ...approval, vary, ...(reads && { reads }) }, language);
  return {
    kind: "approval",
    ...languageOf(approval.statement),
    title: cutText(say.grants.terms(what), 150),
    elements: [
      {
        type: "text",
        text:
          reads === undefined
            ? say.grants.termsText(what, roughDuration(maxTtlMs, say), maxUses)
            : say.grants.trustTerms(exactLine(reads.server), roughDuration(maxTtlMs, say), maxUses),
      },
      ...(reads === undefined ? pattern(approval.args, vary, say) : []),
    ],
  };
}

/** Standing approvals with what each covers, in the order given. */
export function grantsCard(grants: readonly Grant[], language?: string): Card {
  const say = wordsOf(language);
  const sections = grants.map((grant, index) =>
    grantSection(grant, grants.length === 1 ? "" : `${index + 1}. `, language),
  );
  return {
    kind: "status",
    ...languageOf(language === undefined ? {} : { language }),
    title: say.grants.some(grants.length),
    elements: grants.length === 0 ? [{ type: "text", text: say.grants.nothing }] : sections,
  };
}

function grantSection(grant: Grant, number: string, language: string | undefined): CardElement {
  const { toolId, args, vary, uses, maxUses, expiresAt, grantedBy, rule } = grant;
  const say = wordsOf(language);
  const fields = knownFields(
    {
      Used: say.grants.used(uses, maxUses),
      Ends: humanTime(expiresAt),
      "Given by": personLabel(grantedBy),
      Action: exactLine(toolId),
      Rule: exactLine(rule),
    },
    say,
  );
  return {
    type: "section",
    title: `${number}${allowedText(grant, language)}`,
    elements: [fields, ...(grant.reads === undefined ? pattern(args, vary, say) : [])],
  };
}

/** What must be equal, with its values as they will be sent, and what may differ. */
function pattern(args: JsonObject, vary: readonly string[], say: Words): CardElement[] {
  const equal = Object.fromEntries(Object.entries(args).filter(([name]) => !vary.includes(name)));
  const fixed: CardElement[] =
    Object.keys(equal).length === 0
      ? [{ type: "text", text: say.grants.toolAlone }]
      : argumentElements(equal, say);
  return [
    { type: "section", title: say.grants.mustBeEqual, elements: fixed },
    knownFields({ "May differ": mayDiffer(vary, say) }, say),
  ];
}

function mayDiffer(vary: readonly string[], say: Words): string {
  return vary.length === 0 ? say.grants.nothingMayDiffer : vary.map(exactName).join(", ");
}

/** Where the rule lets an approver allow more of the same: how much, what must be equal and what may differ. */
export function grantElements(approval: Approval): CardElement[] {
  const { grants, state, args, quorum, statement } = approval;
  if (grants === undefined || state !== "pending" || quorum > 1) return [];
  const say = wordsFor(statement);
  if (grants.reads !== undefined) {
    const duration = roughDuration(grants.maxTtlMs, say);
    const text = say.grants.trustTerms(exactLine(grants.reads.server), duration, grants.maxUses);
    return [{ type: "section", title: say.grants.mayBeAllowed, elements: [{ type: "text", text }] }];
  }
  const equal = Object.keys(args).filter((name) => !grants.vary.includes(name));
  return [
    {
      type: "section",
      title: say.grants.mayBeAllowed,
      elements: [
        { type: "text", text: say.grants.offer(roughDuration(grants.maxTtlMs, say), grants.maxUses) },
        knownFields(
          {
            "Must be equal":
              equal.length === 0
                ? say.grants.equalTool
                : say.grants.equalNames(equal.map(exactName).join(", ")),
            "May differ": mayDiffer(grants.vary, say),
          },
          say,
        ),
      ],
    },
  ];
}

/** The standing approval that was given with the approval, and how it stands. */
export function standingElements(approval: Approval): CardElement[] {
  const { standing, statement } = approval;
  if (standing === undefined) return [];
  const { uses, maxUses, expiresAt, revokedBy } = standing;
  const say = wordsFor(statement).grants;
  const text =
    revokedBy === undefined
      ? say.given(humanTime(expiresAt), uses, maxUses)
      : say.revokedBy(personName(revokedBy, approval), uses, maxUses);
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
