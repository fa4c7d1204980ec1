import type { FailPointName } from "#src/base/fail-point.ts";

/** A message is posted by chat surfaces only, and here people talk over HTTP. */
type Passed = Exclude<FailPointName, "present.posted">;

/** Every place where the product can be told to kill itself; the type makes sure that none is left out. */
export const failPoints: readonly Passed[] = Object.keys({
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
} satisfies Record<Passed, true>) as Passed[];
