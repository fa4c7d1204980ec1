import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { CardElement, SectionElement } from "#contract/card.ts";
import { targetArguments } from "#src/base/call-targets.ts";
import { wordsFor } from "#src/base/statement.ts";
import { roughDuration } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";

import { changesElement } from "../change-data.ts";
import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { visibleValue } from "./changes.ts";
import { argumentElements, exactLine, personLabel, visibleLine } from "./exact.ts";
import { grantElements, usedGrant } from "./grants.ts";
import { sourceElements } from "./sources.ts";

/** Where nothing was sent, or nobody can say, the card speaks of what was asked for. */
const ARGUMENTS_TITLE: Partial<
  Record<
    ApprovalState,
    Exclude<keyof Words["details"], "asInMessage" | "fromResultOf" | "expires" | "reminded">
  >
> = {
  pending: "willBeSent",
  approved: "willBeSent",
  executing: "isBeingSent",
  done: "wasSent",
  unknown: "wasSent",
};

/** Everything exact about a request: the call as it is bound, the rule, ids, and where values come from. */
export function detailsSection(approval: Approval): SectionElement {
  const say = wordsFor(approval.statement);
  const title = say.details[ARGUMENTS_TITLE[approval.state] ?? "wasAskedFor"];
  return {
    type: "section",
    role: "details",
    title: say.buttons.details,
    folded: true,
    elements: [
      {
        type: "section",
        title,
        elements: argumentElements({ ...approval.args, ...targetArguments(approval) }, say),
      },
      ...sourceElements(approval),
      ...effectElements(approval),
      ...grantElements(approval),
      recordFields(approval),
    ],
  };
}

/** The tool's own dry run, whole. */
function effectElements({ effect, statement }: Approval): CardElement[] {
  if (effect === undefined) return [];
  const say = wordsFor(statement);
  const items = changesElement(effect.before, effect.after, say).items.map(({ label, before, after }) => ({
    label: exactLine(label),
    before: visibleValue(before ?? null),
    after: visibleValue(after ?? null),
  }));
  if (items.length === 0) return [];
  return [{ type: "section", title: say.details.dryRun, elements: [{ type: "changes", items }] }];
}

function recordFields(approval: Approval): CardElement {
  const { state, names, createdAt, expiresAt, remindedAt, toolDescription, replacedBy } = approval;
  const isPending = state === "pending";
  const say = wordsFor(approval.statement);
  return knownFields(
    {
      Action: exactLine(approval.toolId),
      "About this action": toolDescription.trim() === "" ? null : visibleLine(toolDescription, 300),
      "Requested by": personLabel(approval.requestedBy, names),
      Expires: isPending
        ? say.details.expires(humanTime(expiresAt), roughDuration(expiresAt - createdAt, say))
        : null,
      Reminder: isPending && remindedAt !== undefined ? say.details.reminded(humanTime(remindedAt)) : null,
      Rule: exactLine(approval.rule),
      "Standing approval": usedGrant(approval)?.use ?? null,
      "Replaced by": replacedBy === undefined ? null : exactLine(replacedBy),
      Request: exactLine(approval.id),
      Key: exactLine(approval.key.slice(0, 12)),
    },
    say,
  );
}
