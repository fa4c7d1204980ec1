import type { FailPointName } from "#src/base/fail-point.ts";

/** Every place where the product can be told to kill itself; the type makes sure that none is left out. */
export const failPoints: readonly FailPointName[] = Object.keys({
  "inbox.before": true,
  "inbox.after": true,
  "plan.before": true,
  "plan.after": true,
  "request.before": true,
  "request.after": true,
  "decision.before": true,
  "decision.after": true,
  "continuation.before": true,
  "intent.before": true,
  "intent.after": true,
  "send.after": true,
  "outcome.after": true,
  "reply.after": true,
  "end.before": true,
  "end.after": true,
} satisfies Record<FailPointName, true>) as FailPointName[];
