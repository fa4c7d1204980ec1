import type { FormFault, FormField, FormTool } from "#contract/form.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Question, QuestionReply } from "#contract/question.ts";
import { codeOf, faultyFields } from "#src/base/errors.ts";
import { formNote, whoAsks } from "#src/base/question-words.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { choose } from "./choice.ts";
import { printProblem, problemOf } from "./screen.ts";
import { printLink, printNote, type Session } from "./session.ts";

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
  const who = asked.kind === "form" ? whoAsks(asked) : `${asked.server} asks`;
  const head = who === "" ? "" : `${screen.ink.paint("bold", `${plainLine(who)}:`)} `;
  screen.say(`${head}${plainText(asked.message)}`);
  try {
    const send = async (answer: QuestionReply): Promise<void> =>
      void (await session.core.answer({ questionId: asked.id, actor: session.actor, ...answer }));
    if (asked.kind === "form") await askForm(session, asked, send);
    else await send(await askLink(session, asked));
  } catch (error) {
    // It expired, or the turn was stopped, while the person was typing.
    printProblem(screen, problemOf(error));
  }
}

async function askLink(session: Session, asked: Extract<Question, { kind: "link" }>): Promise<QuestionReply> {
  printLink(session, asked);
  printNote(session, "Open it yourself if you trust that domain.");
  const word = await choose(session, [{ typed: "opened" }, { typed: "decline" }]);
  if (word === "opened") return { action: "accept" };
  return { action: word === "decline" ? "decline" : "cancel" };
}

async function askForm(
  session: Session,
  asked: Extract<Question, { kind: "form" }>,
  send: (answer: QuestionReply) => Promise<void>,
): Promise<void> {
  const tool = { id: asked.toolId, name: asked.toolId, inputSchema: asked.schema };
  printNote(session, plainLine(formNote(asked, { where: "/me" })));
  const word = await choose(session, [{ typed: "answer" }, { typed: "decline" }]);
  if (word !== "answer") return send({ action: word === "decline" ? "decline" : "cancel" });
  const sent = await fillForm(session, tool, {}, (content) => send({ action: "accept", content }));
  if (sent !== "broken_off") return;
  const isServers = asked.topic === undefined;
  printNote(session, `Left unanswered${isServers ? ": the server is told so" : ""}.`);
  return send({ action: "cancel" });
}

export const FORM_KEYS =
  "Empty keeps a value, - clears an optional one, \\ at the end goes on in the next line. Ctrl-C leaves it.";

/**
 * Asks for the fields of a tool's form, and again for those that are wrong, until `send` takes them. Resolves to what
 * it gave, or `broken_off`.
 */
export async function fillForm<Sent>(
  session: Session,
  tool: FormTool,
  args: JsonObject,
  send: (args: JsonObject) => Promise<Sent>,
): Promise<Sent | "broken_off"> {
  const { forms, screen } = session;
  const { fields } = forms.toForm(tool, args);
  const typed = new Map<string, string>();
  let left = fields;
  for (;;) {
    for (const field of left) {
      const text = await askField(session, field, typed.get(field.name) ?? field.value);
      if (text === undefined) return "broken_off";
      typed.set(field.name, text);
    }
    const reading = forms.fromForm(tool, args, typed);
    if (!reading.ok) {
      left = reportFaults(session, fields, reading.faults);
      continue;
    }
    try {
      return await send(reading.args);
    } catch (error) {
      if (codeOf(error) !== "bad_args") throw error;
      printProblem(screen, problemOf(error));
      const faulty = faultyFields(
        error,
        fields.map(({ name }) => name),
      );
      left = fieldsOr(fields, faulty);
    }
  }
}

/** One field's text; undefined when it was broken off. */
async function askField(session: Session, field: FormField, now: string): Promise<string | undefined> {
  const { screen, keyboard } = session;
  const { ink } = screen;
  const optional = field.required ? "" : ink.paint("gray", " (optional)");
  screen.say(`${ink.paint("bold", plainLine(field.label))}${optional}`);
  const hint = [...choicesOf(field), ...(field.help === undefined ? [] : [field.help])].join(" · ");
  if (hint !== "") screen.say(ink.paint("gray", plainLine(hint)), "  ");
  // Several lines stand above the prompt; a single one in it.
  const isLong = now.includes("\n") || now.length > 60;
  if (isLong) screen.say(plainText(now), "  ");
  const shown = now === "" ? "none" : isLong ? "as above" : plainLine(labelOf(field, now));
  const text = await keyboard.ask(`${ink.paint("gray", `[${shown}]`)} `, { lines: true });
  if (text === undefined) return undefined;
  if (text === "") return now;
  if (text === "-" && !field.required) return "";
  return byLabel(field, text);
}

function choicesOf({ kind, options = [] }: FormField): string[] {
  if (kind === "boolean") return ["yes or no"];
  return kind === "select" ? [options.map(({ label }) => label).join(", ")] : [];
}

/** A value as a person would type it. */
function labelOf({ kind, options = [] }: FormField, value: string): string {
  if (kind === "boolean" && value === "true") return "yes";
  if (kind === "boolean" && value === "false") return "no";
  return options.find((option) => option.value === value)?.label ?? value;
}

/** A choice by its label as well, in any case; what is none is left for the form to refuse. */
function byLabel({ kind, options = [] }: FormField, text: string): string {
  const said = text.trim().toLowerCase();
  if (kind === "boolean") {
    if (said === "yes" || said === "y") return "true";
    return said === "no" || said === "n" ? "false" : said;
  }
  if (kind !== "select" || options.some(({ value }) => value === text)) return text;
  const named = options.filter(({ label }) => label.toLowerCase() === said);
  return named.length === 1 ? (named[0]?.value ?? text) : text;
}

/** Prints the faults and returns the fields to ask for again. */
function reportFaults({ screen }: Session, fields: FormField[], faults: FormFault[]): FormField[] {
  for (const { name, message } of faults) {
    const label = fields.find((field) => field.name === name)?.label ?? name;
    screen.say(screen.ink.paint("red", plainLine(`${label}: ${message}`)), screen.ink.paint("red", "✖ "));
  }
  return fieldsOr(
    fields,
    faults.map(({ name }) => name),
  );
}

/** Returns the named fields, or all when none is named. */
function fieldsOr(fields: FormField[], names: string[]): FormField[] {
  const named = fields.filter(({ name }) => names.includes(name));
  return named.length === 0 ? fields : named;
}
