import type { Form, FormFault } from "#contract/form.ts";

import { codeOf, messageOf } from "../base/errors.ts";

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
  "grant_refused",
]);

/** What Core refused, as a sentence for the person who asked; rethrows what is no refusal. */
export function wordsOf(error: unknown): string {
  if (KNOWN.has(codeOf(error) ?? "")) return messageOf(error);
  throw error;
}

/** What Core refused at the fields that it names, else at the first one; rethrows what is no refusal. */
export function toFaults(error: unknown, fields: Form["fields"]): FormFault[] {
  const message = wordsOf(error);
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  const named =
    typeof details === "object" && details !== null && "fields" in details && Array.isArray(details.fields)
      ? details.fields.map(String)
      : [];
  const faults = fields
    .filter(({ name }) => named.some((one) => name === one || name.startsWith(`${one}.`)))
    .map(({ name }) => ({ name, message }));
  return faults.length > 0 ? faults : [{ name: fields[0]?.name ?? "", message }];
}
