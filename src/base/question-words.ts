import type { Question } from "#contract/question.ts";

import { secretWarning } from "./secret-words.ts";
import { oneLine } from "./text.ts";
import { en, type Words } from "./words/en.ts";
import { recordedText } from "./words/recorded.ts";

/** A server's questions, and the product's own, which have a topic. */
type Asked = Pick<Question, "server"> & Pick<Extract<Question, { kind: "form" }>, "topic">;

/** Who asks, such as "jira asks"; empty where the product itself does, whose words need no name. */
export function whoAsks({ server, topic }: Asked, say: Words = en): string {
  return topic === undefined ? say.questions.serverAsks(oneLine(server)) : "";
}

/** The question with who asks it before its words. */
export function questionText(
  { server, topic, message }: Asked & { message: string },
  say: Words = en,
): string {
  return topic === undefined ? say.questions.asks(oneLine(server), message) : recordedText(message, say);
}

/** What stands beside the form: whose it is, or what becomes of the answer; `where` it is changed later. */
export function formNote(
  { server, topic }: Asked,
  { say = en, where = "/countersign me" }: { say?: Words; where?: string } = {},
): string {
  if (topic === undefined) return recordedText(secretWarning(oneLine(server)), say);
  return topic.actor === undefined ? say.questions.forThisOnce : say.questions.remembered(where);
}
