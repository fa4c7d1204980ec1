import type { Approval, Grant } from "#contract/approval.ts";
import type { Card, CardElement, Cell } from "#contract/card.ts";
import type { JsonObject } from "#contract/json.ts";

import { humanDuration, humanTime } from "../dates.ts";
import { count } from "../text.ts";
import { argumentElements, exactName } from "./arguments.ts";
import { exactLine } from "./shown.ts";
import { who } from "./words.ts";

/** What a standing approval for this request would cover: every argument that must be equal, with its value. */
export function grantTermsCard(approval: Approval): Card {
  const tool = exactLine(approval.toolId);
  const { maxTtlMs = 0, maxUses = 0, vary = [] } = approval.grants ?? {};
  return {
    kind: "approval",
    title: `Allow ${tool} for a while`,
    elements: [
      {
        type: "text",
        text: `Approves this call, and lets ${tool} run again in this conversation without asking: for up to ${humanDuration(maxTtlMs)}, up to ${count(maxUses, "time")}.`,
      },
      ...pattern(approval.args, vary),
    ],
  };
}

/** Standing approvals with what each covers, in the order given. */
export function grantsCard(grants: readonly Grant[]): Card {
  const none: CardElement = {
    type: "text",
    text: "Nothing runs without asking in this conversation.",
  };
  return {
    kind: "status",
    title: count(grants.length, "standing approval"),
    elements:
      grants.length === 0
        ? [none]
        : grants.map((grant, index) => grantSection(grant, grants.length === 1 ? "" : `${index + 1}. `)),
  };
}

function grantSection(grant: Grant, number: string): CardElement {
  const { toolId, args, vary, uses, maxUses, expiresAt, grantedBy, rule } = grant;
  const items: { label: string; value: Cell }[] = [
    { label: "Used", value: `${uses} of ${maxUses}` },
    { label: "Ends", value: humanTime(expiresAt) },
    { label: "Given by", value: who(grantedBy) },
    { label: "Rule", value: exactLine(rule) },
  ];
  return {
    type: "section",
    title: `${number}${exactLine(toolId)}`,
    elements: [{ type: "fields", items }, ...pattern(args, vary)],
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
    {
      type: "fields",
      items: [{ label: "May differ", value: vary.length === 0 ? "nothing" : vary.map(exactName).join(", ") }],
    },
  ];
}
