import type { GrantTerms, PolicyDecision } from "#contract/approval.ts";
import type { Tool } from "#contract/tool.ts";

import { digest } from "../base/json.ts";
import { DAY_MS } from "../base/time.ts";
import { DEFAULT_RULE } from "./policy.ts";

/** How long, and for how many calls, a server's word is taken that a person vouched for. */
const MOST = { maxTtlMs: 30 * DAY_MS, maxUses: 10_000 };

/**
 * What a person may allow with the approval of a call that says of itself that it only reads, where nobody vouches for
 * its server's word and no rule names it: all that this server says only reads, as it is listed now. `all`: the tools
 * as they are now.
 */
export function withTrustInReads(
  decision: PolicyDecision,
  tool: Tool,
  all: () => readonly Tool[],
): PolicyDecision {
  const isAsked = decision.decision === "ask" && decision.rule === DEFAULT_RULE;
  if (!isAsked || !isUnknownRead(tool)) return decision;
  const { server } = tool;
  const reads = all().filter((one) => one.server === server && isUnknownRead(one));
  // A tool that is new, or told otherwise, is none that somebody vouched for.
  const seal = digest(Object.fromEntries(reads.map((one) => [one.id, one.digest])));
  const grants: GrantTerms = { ...MOST, vary: [], reads: { server, seal } };
  return { ...decision, grants };
}

/** Whether nothing but its server's own word says that a tool only reads. */
export function isUnknownRead({ trusted, annotations }: Tool): boolean {
  return !trusted && annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}
