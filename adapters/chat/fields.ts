import type { FormField, FormOption } from "#contract/form.ts";

import { oneLine } from "#src/base/text.ts";
import { cleanText } from "./text.ts";

/** What there is to choose from, and the present value where it is none of that. */
export function optionsOf({ kind, options = [], value }: FormField): FormOption[] {
  const all = kind === "boolean" ? YES_NO : options;
  const isKnown = value === "" || all.some((option) => option.value === value);
  return isKnown ? [...all] : [...all, { value, label: value }];
}

const YES_NO: readonly FormOption[] = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Whether a value returns as it is: chats change line ends and characters that are not text. */
export function comesBack(value: string): boolean {
  return cleanText(value).startsWith(value);
}

/** Whether a field wants several lines for a value. */
export function isLong({ kind }: FormField, value: string): boolean {
  return kind === "long_text" || kind === "list" || kind === "json" || value.includes("\n");
}

export function labelOf({ label, name }: FormField): string {
  return oneLine(cleanText(label)) || name;
}
