import { type APIModalSubmitInteraction, ComponentType } from "discord.js";

import type { ApprovalForm } from "#contract/approval-actions.ts";
import type { Form, FormFault, FormTool, FormValues } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import { errorForUser } from "../../chat/actions.ts";
import { QUESTION_FORM } from "../../chat/forms.ts";
import { cleanText, oneLine } from "../../chat/text.ts";
import type { DiscordDeps, FormPurpose, FormSession, FormSessions, TurnStart } from "../options.ts";
import { formPages, pageOfField, readFormWindow, renderFormWindow, type SentInput } from "../render/form.ts";
import { renderNotice } from "../render/window.ts";
import type { InteractionContext } from "./interaction.ts";
import type { InteractionResponse } from "./response.ts";
import type { StartTurn } from "./start-turn.ts";

export interface FormDeps extends Pick<DiscordDeps, "core" | "forms" | "desk" | "log">, SendFormDeps {
  sessions: FormSessions;
}

/** Begins a form: what it is about is read first where it has to be, then its first window opens. */
export async function beginForm(
  session: FormSession,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const asked = await requestedForm(session, parts);
  if (asked === undefined) return answer.tell(GONE);
  const id = await parts.sessions.begin(session);
  if (asked.card !== undefined) {
    const shown = renderNotice(asked.card, [
      { action: "form_next", label: "Fill in", value: `${id}|0`, style: "primary" },
    ]);
    return answer.tell(shown);
  }
  return openWindow(id, session, 0, answer, parts);
}

/** Opens a window of a form that was begun, by the button that says so. */
export async function openForm(
  value: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const [, id = "", page = "0"] = /^(.*)\|(\d{1,4})$/.exec(value) ?? [];
  const session = await ownSession(id, deed, parts);
  if (session === undefined) return answer.tell(GONE);
  return openWindow(id, session, Number(page), answer, parts);
}

/** Sends a form whose last windows were left out. */
export async function sendEarly(
  id: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const session = await ownSession(id, deed, parts);
  const asked = session === undefined ? undefined : await requestedForm(session, parts);
  if (session === undefined || asked === undefined) return answer.update(GONE);
  return finish(id, session, asked, deed, answer, parts);
}

/** Takes what one window brought; the last one sends the form. */
export async function onFormWindow(
  interaction: APIModalSubmitInteraction,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const [, id = "", at = "0"] = /^cs:form:(.*):(\d{1,4})$/.exec(interaction.data.custom_id) ?? [];
  const page = Number(at);
  const session = await ownSession(id, deed, parts);
  const asked = session === undefined ? undefined : await requestedForm(session, parts);
  if (session === undefined || asked === undefined) return answer.tell(GONE);
  const { form } = asked;
  const values = { ...session.values, ...Object.fromEntries(readFormWindow(form, inputsOf(interaction))) };
  const filled = { ...session, values };
  await parts.sessions.keep(id, filled);
  const pages = formPages(form);
  if (page + 1 >= pages) return finish(id, filled, asked, deed, answer, parts);
  return answer.update(
    renderNotice(`Noted: part ${page + 1} of ${pages}. What you leave out stays as it is.`, [
      { action: "form_next", label: "Next part", value: `${id}|${page + 1}`, style: "primary" },
      { action: "form_send", label: asked.submit, value: id },
    ]),
  );
}

async function openWindow(
  id: string,
  session: FormSession,
  page: number,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const asked = await requestedForm(session, parts);
  if (asked === undefined) return answer.tell(GONE);
  const { form, note, warning } = asked;
  const window = renderFormWindow(form, {
    page: Math.min(page, formPages(form) - 1),
    customId: `cs:form:${id}:${page}`,
    values: session.values,
    ...(note === undefined ? {} : { note }),
    ...(warning === undefined ? {} : { warning }),
  });
  if (await answer.open(window)) return undefined;
  return answer.tell(
    renderNotice("That took longer than Discord waits for a form. Nothing is lost: open it here.", [
      { action: "form_next", label: "Open the form", value: `${id}|${page}`, style: "primary" },
    ]),
  );
}

async function finish(
  id: string,
  session: FormSession,
  asked: RequestedForm,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: FormDeps,
): Promise<void> {
  const faults = await sendForm(id, session, asked, deed, answer, parts);
  if (faults === undefined) return undefined;
  const [first] = faults;
  const labels = new Map(asked.form.fields.map(({ name, label }) => [name, label]));
  const lines = faults.map(({ name, message }) => `${labels.get(name) ?? name}: ${message}`);
  return answer.update(
    renderNotice(`This was not sent yet.\n${lines.join("\n")}`, [
      {
        action: "form_next",
        label: "Correct it",
        value: `${id}|${pageOfField(asked.form, first?.name ?? "")}`,
        style: "primary",
      },
    ]),
  );
}

/** Nobody fills in the form of another, nor somewhere else than where it was opened. */
async function ownSession(
  id: string,
  { actor, channel }: InteractionContext,
  { sessions }: FormDeps,
): Promise<FormSession | undefined> {
  const session = await sessions.find(id);
  return session?.actor === actor && session.channel === channel ? session : undefined;
}

function inputsOf({ data }: APIModalSubmitInteraction): SentInput[] {
  return data.components.flatMap((component) =>
    component.type === ComponentType.Label ? [component.component as SentInput] : [],
  );
}

const GONE = "This form is too old, or what it asks for is known by now. Please ask again.";

/** A form as it stands now. */
interface RequestedForm extends Pick<ApprovalForm, "form" | "card" | "note" | "submit"> {
  /** Whose arguments it fills in. */
  tool?: FormTool;
  /** What people have to know wherever they type. */
  warning?: string;
}

/** What a form asks now; undefined when that can no longer be asked. */
async function requestedForm(
  { purpose }: FormSession,
  parts: Pick<DiscordDeps, "core" | "forms" | "desk">,
): Promise<RequestedForm | undefined> {
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

function toolOfQuestion(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

/** A fault that belongs to no field stands at the first one. */
function faultAtFirst({ fields }: Form, message: string): FormFault {
  return { name: fields[0]?.name ?? "", message };
}

interface SendFormDeps extends Pick<DiscordDeps, "core" | "forms" | "desk" | "log"> {
  startTurn: StartTurn;
}

/** Does what the form was filled in for; resolves to what is wrong with it, and then nothing was done. */
async function sendForm(
  id: string,
  { purpose, values: given, actor }: FormSession,
  asked: RequestedForm,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: SendFormDeps,
): Promise<FormFault[] | undefined> {
  const values: FormValues = new Map(Object.entries(given));
  try {
    switch (purpose.kind) {
      case "desk": {
        const sent = await parts.desk.submit(purpose.topic, actor, values);
        if (!sent.ok) return sent.faults;
        await end(sent.words, deed, answer);
        return undefined;
      }
      case "question":
        return await answerServer(purpose, asked, deed, values, answer, parts);
      case "call": {
        const call = fill(purpose, asked, values, parts);
        if ("faults" in call) return call.faults;
        await begin(id, purpose.start, { call: call.call }, deed, answer, parts);
        return undefined;
      }
      default: {
        const message = values.get("question")?.trim() ?? "";
        if (message === "") return [{ name: "question", message: "Say what you want to know." }];
        await begin(id, { ...purpose.start, message }, { quote: purpose.quote }, deed, answer, parts);
        return undefined;
      }
    }
  } catch (error) {
    parts.log.warn({ error, about: purpose.kind }, "what a person sent had no effect");
    return [faultAtFirst(asked.form, errorForUser(error))];
  }
}

/** The message of the turn shows what came of it, unless there is something to say. */
async function end(
  words: string | undefined,
  { message }: InteractionContext,
  answer: InteractionResponse,
): Promise<void> {
  if (words !== undefined) return answer.update(words);
  return message?.isForOne === true ? answer.update("Sent.") : answer.done();
}

async function begin(
  id: string,
  start: TurnStart,
  about: Parameters<StartTurn>[1],
  deed: InteractionContext,
  answer: InteractionResponse,
  { startTurn }: SendFormDeps,
): Promise<void> {
  await startTurn({ ...start, actor: deed.actor, eventId: `form:${id}` }, about, deed, answer);
}

function fill(
  { call }: Extract<FormPurpose, { kind: "call" }>,
  { tool, form }: RequestedForm,
  values: FormValues,
  { core, forms }: SendFormDeps,
): { call: typeof call } | { faults: FormFault[] } {
  if (tool === undefined) return { faults: [] };
  const reading = forms.fromForm(tool, call.args, values);
  if (!reading.ok) return { faults: reading.faults };
  const filled = { tool: call.tool, args: reading.args };
  const checked = core.checkCall(filled);
  if (checked.ok) return { call: filled };
  return { faults: checked.faults.length > 0 ? checked.faults : [faultAtFirst(form, checked.message)] };
}

async function answerServer(
  { questionId }: Extract<FormPurpose, { kind: "question" }>,
  { tool }: RequestedForm,
  deed: InteractionContext,
  values: FormValues,
  answer: InteractionResponse,
  { core, forms }: SendFormDeps,
): Promise<FormFault[] | undefined> {
  const question = await core.question(questionId);
  if (tool === undefined || question?.kind !== "form") return [];
  const reading = forms.fromForm(toolOfQuestion(question), {}, values);
  if (!reading.ok) return reading.faults;
  await core.answer({ questionId, actor: deed.actor, action: "accept", content: reading.args });
  await end(undefined, deed, answer);
  return undefined;
}
