/**
 * A named place between two durable writes. With `COUNTERSIGN_FAIL_POINT=NAME` (or `NAME:K` for the
 * K-th time it is passed) the process kills itself there, as a power cut would; without it nothing
 * happens. Tests and `npm run chaos` drive the product through every one of them.
 */
export type FailPoint = (name: FailPointName) => void;

export type FailPointName =
  | "inbox.before"
  | "inbox.after"
  | "plan.before"
  | "plan.after"
  | "intent.before"
  | "intent.after"
  | "send.after"
  | "outcome.after"
  | "settle.before"
  | "settle.after"
  | "request.before"
  | "request.after"
  | "decision.before"
  | "decision.after"
  | "edit.before"
  | "edit.after"
  | "renew.before"
  | "renew.after"
  | "expire.before"
  | "expire.after"
  | "continuation.before"
  | "takeover.after"
  | "reply.after"
  | "end.before"
  | "end.after"
  | "present.posted"
  | "notice.posted"
  | "restore.staged"
  | "restore.kept"
  | "restore.decided"
  | "restore.cleared"
  | "rotate.made"
  | "rotate.retired"
  | "rotate.sealed";

/** Reads the environment once. */
export function createFailPoint(env: NodeJS.ProcessEnv): FailPoint {
  const [wanted, count = "1"] = (env.COUNTERSIGN_FAIL_POINT ?? "").split(":");
  if (wanted === undefined || wanted === "") return () => undefined;
  let left = Number(count);
  return (name) => {
    if (name !== wanted) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}
