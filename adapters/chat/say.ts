/** An error as a sentence for the person who caused it; what is not meant for people stays in the log. */
export function say(error: unknown): string {
  const isOurs = error instanceof Error && "code" in error && typeof error.code === "string";
  if (isOurs && KNOWN.has(String(error.code))) return error.message;
  return "That did not work, and nothing was changed. Please try again.";
}

/** Codes of Core, whose messages are written for people. */
const KNOWN: ReadonlySet<string> = new Set([
  "not_found",
  "not_offered",
  "not_pending",
  "not_eligible",
  "not_unknown",
  "no_lookup",
  "bad_args",
  "denied_by_policy",
  "reason_required",
  "privacy_configured",
]);
