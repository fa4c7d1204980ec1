import type { FailPointName } from "#src/base/fail-point.ts";

/**
 * Messages are posted by chat surfaces only, and here people talk over HTTP; nobody edits, nothing changes between
 * approval and call, no model answers, and no command runs. Those have tests of their own: test/e2e/crash.test.ts, slack-restart.test.ts.
 */
type Passed = Exclude<
  FailPointName,
  | "present.posted"
  | "notice.posted"
  | "reply.after"
  | `${"edit" | "renew"}.${"before" | "after"}`
  | `${"restore" | "rotate"}.${string}`
>;

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
  "expire.before": true,
  "expire.after": true,
  "takeover.after": true,
  "settle.before": true,
  "settle.after": true,
  "intent.before": true,
  "intent.after": true,
  "send.after": true,
  "outcome.after": true,
  "end.before": true,
  "end.after": true,
} satisfies Record<Passed, true>) as Passed[];
