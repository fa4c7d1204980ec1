import type { Approval } from "#contract/approval.ts";

/**
 * A request as approvers read it who take no part in its conversation: that an argument comes from an earlier message
 * is theirs to know, what else that message says is not.
 */
export function forOutsiders(approval: Approval): Approval {
  const { sources } = approval;
  if (sources === undefined) return approval;
  const told = Object.entries(sources).map(([name, source]) => {
    const { ref: _, ...rest } = source;
    return [name, source.from === "history" ? rest : source] as const;
  });
  return { ...approval, sources: Object.fromEntries(told) };
}
