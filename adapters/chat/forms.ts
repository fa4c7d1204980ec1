import type { Form, FormFault, FormTool } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";

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

/** The answer to a server's question, as a tool whose arguments are filled in. */
export function answerTool({ toolId, schema }: Extract<Question, { kind: "form" }>): FormTool {
  return { id: toolId, name: toolId, inputSchema: schema };
}

/** A fault that belongs to no field stands at the first one. */
export function faultAtFirst({ fields }: Pick<Form, "fields">, message: string): FormFault {
  return { name: fields[0]?.name ?? "", message };
}
