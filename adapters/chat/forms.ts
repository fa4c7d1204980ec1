import type { Form } from "#contract/form.ts";

/** What is asked about a message that somebody points at. */
export const QUESTION_FORM: Form = {
  title: "Ask about this",
  fields: [
    {
      name: "question",
      label: "What do you want to know or have done?",
      kind: "long_text",
      required: true,
      value: "",
    },
  ],
};
