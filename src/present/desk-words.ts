import type { Form, FormFault } from "#contract/form.ts";

import { refusalOf } from "../base/errors.ts";

/** What Core refused at the fields that it names, else at the first one; rethrows what is no refusal. */
export function toFaults(error: unknown, fields: Form["fields"]): FormFault[] {
  const message = refusalOf(error);
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
