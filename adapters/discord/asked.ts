import type { DeskQuestion } from "#contract/desk.ts";
import type { Form, FormFault, FormTool } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import { QUESTION_FORM } from "../chat/question-form.ts";
import { cleanText, oneLine } from "../chat/text.ts";
import type { FormSession } from "./form-sessions.ts";
import type { DiscordDesk } from "./options.ts";

/** A form as it stands now. */
export interface Asked extends Pick<DeskQuestion, "form" | "card" | "note" | "submit"> {
  /** Whose arguments it fills in. */
  tool?: FormTool;
  /** What people have to know wherever they type. */
  warning?: string;
}

/** What a form asks now; undefined when that can no longer be asked. */
export async function askedBy(
  { purpose }: FormSession,
  parts: Pick<DiscordDesk, "core" | "forms" | "desk">,
): Promise<Asked | undefined> {
  const { core, desk, forms } = parts;
  switch (purpose.kind) {
    case "desk":
      return desk.question(purpose.topic);
    case "question": {
      const question = await core.question(purpose.questionId);
      if (question?.kind !== "form" || question.state !== "open") return undefined;
      const tool = toolOfQuestion(question);
      const note = `${question.server} asks: ${question.message}`;
      const warning = secretWarning(oneLine(cleanText(question.server)));
      return { tool, form: { ...forms.toForm(tool, {}), title: "Answer" }, note, warning, submit: "Send" };
    }
    case "call": {
      const listing = core.tools().find(({ tool }) => tool.id === purpose.call.tool);
      if (listing === undefined) return undefined;
      const form = forms.toForm(listing.tool, purpose.call.args);
      const note =
        listing.decision === "ask" ? { note: "This changes something: it still needs approval." } : {};
      return { tool: listing.tool, form, submit: "Run", ...note };
    }
    default:
      return { form: QUESTION_FORM, submit: "Ask" };
  }
}

export function toolOfQuestion(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

/** A fault that belongs to no field stands at the first one. */
export function faultAtFirst({ fields }: Form, message: string): FormFault {
  return { name: fields[0]?.name ?? "", message };
}
