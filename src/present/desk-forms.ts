import type { Approval } from "#contract/approval.ts";
import type { Form, FormFault, FormField, FormValues } from "#contract/form.ts";

const MINUTE = 60_000;
/** What people choose from, as far as the rule goes. */
const TIMES: readonly number[] = [
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  4 * 60 * MINUTE,
  8 * 60 * MINUTE,
  24 * 60 * MINUTE,
];

/** Asks why; a reason may be left out unless the rule wants one. */
export function reasonForm(
  { reasonRequired }: Pick<Approval, "reasonRequired">,
  decision: "approve" | "deny",
): Form {
  const title = decision === "approve" ? "Approve" : "Deny";
  return { title, fields: [reasonField(reasonRequired)] };
}

function reasonField(required: boolean): FormField {
  const help = required ? "The rule of this tool wants one." : "Everybody here sees it on the card.";
  return { name: "reason", label: "Reason", kind: "long_text", required, value: "", help };
}

/** For how long and how often, within the rule; undefined where it offers nothing. */
export function grantForm({ grants, quorum, reasonRequired }: Approval): Form | undefined {
  if (grants === undefined || quorum > 1) return undefined;
  const { maxTtlMs, maxUses } = grants;
  const times = [...TIMES.filter((ms) => ms < maxTtlMs), maxTtlMs];
  return {
    title: "Allow for a while",
    fields: [
      {
        name: "time",
        label: "For how long",
        kind: "select",
        required: true,
        value: String(maxTtlMs),
        options: times.map((ms) => ({ value: String(ms), label: timeText(ms) })),
      },
      {
        name: "uses",
        label: "How many more times",
        kind: "integer",
        required: true,
        value: String(maxUses),
        help: `From 1 to ${maxUses}. This call itself is not counted.`,
      },
      ...(reasonRequired ? [reasonField(true)] : []),
    ],
  };
}

export function readGrantForm(
  approval: Approval,
  values: FormValues,
): { ok: true; grant: { ttlMs: number; uses: number } } | { ok: false; faults: FormFault[] } {
  const { maxTtlMs = 0, maxUses = 0 } = approval.grants ?? {};
  const ttlMs = Number(values.get("time"));
  const uses = Number(values.get("uses")?.trim() || "x");
  const faults: FormFault[] = [];
  if (!isBetween(ttlMs, maxTtlMs)) {
    faults.push({ name: "time", message: `The rule allows at most ${timeText(maxTtlMs)}.` });
  }
  if (!isBetween(uses, maxUses)) {
    faults.push({ name: "uses", message: `Expected a whole number from 1 to ${maxUses}.` });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, grant: { ttlMs, uses } };
}

function isBetween(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** "30 minutes", "1 hour", "90 seconds": in the largest unit that says it exactly. */
function timeText(ms: number): string {
  for (const [size, name] of [
    [24 * 60 * MINUTE, "day"],
    [60 * MINUTE, "hour"],
    [MINUTE, "minute"],
  ] as const) {
    if (ms >= size && ms % size === 0) return amount(ms / size, name);
  }
  return amount(Math.max(1, Math.round(ms / 1000)), "second");
}

function amount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
