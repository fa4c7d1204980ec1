import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { CardElement, Cell, SectionElement } from "#contract/card.ts";
import type { ArgSource } from "#contract/plan.ts";
import { targetArguments } from "#src/base/call-targets.ts";
import { wordsFor } from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";
import { roughDuration } from "#src/base/time.ts";
import type { Words } from "#src/base/words/en.ts";

import { changesElement } from "../change-data.ts";
import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { visibleValue } from "./changes.ts";
import { argumentElements, exactLine, exactName, personLabel, visibleLine } from "./exact.ts";
import { grantElements, usedGrant } from "./grants.ts";

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

/**
 * Where the arguments come from that nobody said in the message, those from one place together. What a model
 * made up comes first and has a badge, so that nobody overlooks it.
 */
function sourceElements({
  args,
  sources = {},
  statement,
}: Pick<Approval, "args" | "sources" | "statement">): CardElement[] {
  const say = wordsFor(statement);
  const guess = say.approval.assumed;
  const groups = new Map<string, string[]>([[guess, []]]);
  for (const [name, source] of Object.entries(sources)) {
    const words = sourceText(source, say);
    if (words === undefined || !Object.hasOwn(args, name)) continue;
    groups.set(words, [...(groups.get(words) ?? []), cutText(exactName(name), 80)]);
  }
  const items = [...groups]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]): { label: string; value: Cell } => ({
      label: names.join(", "),
      value: text === guess ? { text, tone: "warn" } : text,
    }));
  if (items.length === 0) return [];
  return [{ type: "section", title: say.details.notFromMessage, elements: [{ type: "fields", items }] }];
}

/** Undefined where the person who asked said it, or filled it in. */
function sourceText({ from, ref }: ArgSource, { details: say, approval, quote }: Words): string | undefined {
  switch (from) {
    case "history":
      return ref === undefined ? say.fromEarlier : say.asInMessage(quote(visibleLine(ref, 120)));
    case "result":
      return ref === undefined ? say.fromEarlierResult : say.fromResultOf(exactLine(ref));
    case "default":
      return say.toolDefault;
    case "model":
      return approval.assumed;
    case "fixed":
      return say.fixed;
    case "form":
      return ref === "edit" ? say.fromForm : undefined;
    // Credentials are no argument of the request that people see.
    case "credential":
    case "message":
    default:
      return undefined;
  }
}
