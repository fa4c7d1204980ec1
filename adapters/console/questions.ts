import type { FormTool } from "#contract/form.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";

import { choose } from "./choice.ts";
import { again, askField, refused } from "./fields.ts";
import { printProblem, problemOf } from "./problems.ts";
import { printNote, type Session } from "./session.ts";

type Answer = { action: "accept"; content?: JsonObject } | { action: "decline" | "cancel" };

/**
 * Puts what a server wants to know to the person, in the middle of the turn, and sends the answer.
 * Without a terminal nobody can be asked: the server is told so.
 */
export async function answerQuestion(session: Session, asked: Question): Promise<void> {
  const { screen } = session;
  if (asked.state !== "open") {
    if (asked.note !== undefined) printNote(session, `${plainLine(asked.server)}: ${plainLine(asked.note)}`);
    return;
  }
  // A turn that is taken up again tells of questions that were closed since.
  const now = await session.core.question(asked.id);
  if (now?.state !== "open" || asked.actor !== session.actor) return;
  screen.print();
  screen.print(`${screen.ink.paint("bold", `${plainLine(asked.server)} asks:`)} ${plainText(asked.message)}`);
  try {
    const send = async (answer: Answer): Promise<void> =>
      void (await session.core.answer({ questionId: asked.id, actor: session.actor, ...answer }));
    if (asked.kind === "form") await askForm(session, asked, send);
    else await send(await askLink(session, asked));
  } catch (error) {
    // It expired, or the turn was stopped, while the person was typing.
    printProblem(screen, problemOf(error));
  }
}

async function askLink(session: Session, asked: Extract<Question, { kind: "link" }>): Promise<Answer> {
  const { screen } = session;
  screen.print(`  Domain: ${screen.ink.paint("bold", plainLine(asked.domain))}`);
  screen.print(`  ${plainLine(asked.url)}`);
  printNote(session, "Open it yourself if you trust that domain.");
  const word = await choose(session, [{ typed: "opened" }, { typed: "decline" }]);
  if (word === "opened") return { action: "accept" };
  return { action: word === "decline" ? "decline" : "cancel" };
}

async function askForm(
  session: Session,
  asked: Extract<Question, { kind: "form" }>,
  send: (answer: Answer) => Promise<void>,
): Promise<void> {
  const { screen, forms } = session;
  const tool: FormTool = { id: asked.toolId, name: asked.toolId, inputSchema: asked.schema };
  const form = forms.toForm(tool, {});
  printNote(session, secretWarning(plainLine(asked.server)));
  const word = await choose(session, [{ typed: "answer" }, { typed: "decline" }]);
  if (word !== "answer") return send({ action: word === "decline" ? "decline" : "cancel" });
  const typed = new Map<string, string>();
  let left = form.fields;
  for (;;) {
    for (const field of left) {
      const text = await askField(session, field, typed.get(field.name) ?? field.value);
      if (text === undefined) {
        printNote(session, "Broken off: the server is told that you did not answer.");
        return send({ action: "cancel" });
      }
      typed.set(field.name, text);
    }
    const reading = forms.fromForm(tool, {}, typed);
    if (!reading.ok) {
      left = again(session, form.fields, reading.faults);
      continue;
    }
    try {
      return await send({ action: "accept", content: reading.args });
    } catch (error) {
      const faults = refused(error, form.fields);
      if (faults === undefined) throw error;
      printProblem(screen, problemOf(error));
      left = again(session, form.fields, faults);
    }
  }
}
