import type { Form, FormFault, FormField, FormOption, FormTool } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { cleanText } from "./text.ts";

/** What is asked about a message that somebody points at. */
export function questionForm(language: string | undefined): Form {
  const { forms: say } = wordsOf(language);
  const field: FormField = {
    name: "question",
    label: say.whatToKnow,
    kind: "long_text",
    required: true,
    value: "",
  };
  return { title: say.askAboutThis, fields: [field], ...(language === undefined ? {} : { language }) };
}

/** The answer to a server's question, as a tool whose arguments are filled in. */
export function answerTool({ toolId, schema }: Extract<Question, { kind: "form" }>): FormTool {
  return { id: toolId, name: toolId, inputSchema: schema };
}

/** A fault that belongs to no field stands at the first one. */
export function faultAtFirst({ fields }: Pick<Form, "fields">, message: string): FormFault {
  return { name: fields[0]?.name ?? "", message };
}

/** What there is to choose from, and the present value where it is none of that. */
export function optionsOf({ kind, options = [], value }: FormField, { buttons: say }: Words): FormOption[] {
  const yesNo = [
    { value: "true", label: say.yes },
    { value: "false", label: say.no },
  ];
  const all = kind === "boolean" ? yesNo : options;
  const isKnown = value === "" || all.some((option) => option.value === value);
  return isKnown ? [...all] : [...all, { value, label: value }];
}

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
