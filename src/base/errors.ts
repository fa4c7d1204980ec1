import { withoutHeaderValue } from "./http.ts";

/**
 * The error of this product: a stable `code` for programs, a message that says what was expected,
 * what came and what to do, and optional data.
 */
export class CountersignError extends Error {
  readonly code: string;
  readonly details: unknown;

  constructor(code: string, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CountersignError";
    this.code = code;
    this.details = options.details;
  }

  /** Whether it is a refusal, or a state of the store, whose message is written for the person who asked. */
  get forPeople(): boolean {
    return REFUSALS.has(this.code);
  }
}

const REFUSALS: ReadonlySet<string> = new Set([
  "not_found",
  "not_offered",
  "not_pending",
  "not_eligible",
  "not_unknown",
  "no_lookup",
  "bad_args",
  "denied_by_policy",
  "reason_required",
  "grant_refused",
  "privacy_configured",
  "already_answered",
  "already_connected",
  "authorization_failed",
  "site_refused",
  // The store can take nothing now: what to do is said in words for everybody.
  "store_full",
  "store_read_only",
  "store_busy",
  "store_damaged",
  "store_lost",
  "store_unreachable",
  "store_failed",
]);

/** What was refused, as a sentence for the person who asked; rethrows what is no refusal. */
export function refusalOf(error: unknown): string {
  if (error instanceof CountersignError && error.forPeople) return error.message;
  throw error;
}

/** The message of anything thrown, without what it may quote of a header. */
export function messageOf(error: unknown): string {
  return withoutHeaderValue(error instanceof Error ? error.message : String(error));
}

/** The `code` of anything thrown, if it carries one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The names in `details.fields` of anything thrown, such as of an error with code `bad_args`. */
export function fieldsOf(error: unknown): string[] {
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("fields" in details)) return [];
  return Array.isArray(details.fields) ? details.fields.map(String) : [];
}

/** Which of these fields of a form the error is about: `fields.priority` also where it names `fields`. */
export function faultyFields(error: unknown, names: readonly string[]): string[] {
  const faulty = fieldsOf(error);
  return names.filter((name) => faulty.some((one) => name === one || name.startsWith(`${one}.`)));
}
