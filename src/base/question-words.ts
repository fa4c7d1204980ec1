import type { Question } from "#contract/question.ts";

import { secretWarning } from "./secret-words.ts";
import { oneLine } from "./text.ts";

/** A server's questions, and the product's own, which have a topic. */
type Asked = Pick<Question, "server"> & Pick<Extract<Question, { kind: "form" }>, "topic">;

/** Who asks, such as "jira asks"; empty where the product itself does, whose words need no name. */
export function whoAsks({ server, topic }: Asked): string {
  return topic === undefined ? `${oneLine(server)} asks` : "";
}

/** The question with who asks it before its words. */
export function questionText(question: Asked & { message: string }): string {
  const who = whoAsks(question);
  return who === "" ? question.message : `${who}: ${question.message}`;
}

/** What stands beside the form: whose it is, or what becomes of the answer; `where` it is changed later. */
export function formNote({ server, topic }: Asked, where = "/countersign me"): string {
  if (topic === undefined) return secretWarning(oneLine(server));
  return topic.actor === undefined
    ? "For this once."
    : `I ask this once and remember the answer; ${where} shows and changes it.`;
}
