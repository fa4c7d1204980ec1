import { randomUUID } from "node:crypto";

import { type APIModalSubmitInteraction, ComponentType } from "discord.js";

import type { ApprovalForm } from "#contract/approval-actions.ts";
import type { FormFault, FormReading, FormTool } from "#contract/form.ts";
import type { JsonObject } from "#contract/json.ts";
import { formNote, questionText } from "#src/base/question-words.ts";
import { HOUR_MS } from "#src/base/time.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { errorForUser, readPageValue } from "../../chat/actions.ts";
import { answerTool, faultAtFirst, questionForm } from "../../chat/forms.ts";
import { cleanText } from "../../chat/text.ts";
import type { FormPurpose, FormSession, TurnStart } from "../options.ts";
import type { DiscordButton } from "../render/buttons.ts";
import { formPages, pageOfField, readFormWindow, renderFormWindow, type SentInput } from "../render/form.ts";
import { renderNotice } from "../render/window.ts";
import { type InteractionContext, type InteractionDeps, startTurn } from "./context.ts";

/** A form as it stands now. */
interface RequestedForm extends Omit<ApprovalForm, "topic"> {
  /** Whose arguments it fills in. */
  tool?: FormTool;
  /** What people have to know wherever they type. */
  warning?: string;
}

/** A form that a person fills in, over as many windows as it needs. */
interface OpenForm {
  id: string;
  session: FormSession;
  asked: RequestedForm;
}

/** How long a form is kept in the store: enough for a window that stays open overnight. */
const KEPT_MS = 48 * HOUR_MS;

/** Begins a form: what it is about is read first where it has to be, then its first window opens. */
export async function beginForm(
  purpose: FormPurpose,
  { actor, channel, response, language }: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const say = wordsOf(language).buttons;
  const asked = await requestedForm(purpose, { actor, language }, deps);
  if (asked === undefined) return response.tell(GONE);
  const id = randomUUID();
  const session = { actor, channel, purpose, values: {} };
  await deps.formStore.set(id, session, KEPT_MS);
  if (asked.card === undefined) return openWindow({ id, session, asked }, 0, { response, language });
  const { card, form, submit } = asked;
  // Where nothing has to be filled in, what is shown can be sent as it is.
  const buttons: DiscordButton[] = form.fields.some(({ required }) => required)
    ? [windowButton(say.fillIn, id, 0)]
    : [
        { action: "form_send", label: submit, value: id, style: "primary" },
        { action: "form_next", label: say.addReason, value: `${id}|0` },
      ];
  return response.tell(renderNotice(card, buttons));
}

/** Opens a window of a form that was begun, by the button that says so. */
export async function openForm(
  value: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { ref = "", page = 0 } = readPageValue(value) ?? {};
  const form = await findForm(ref, context, deps);
  return form === undefined ? context.response.tell(GONE) : openWindow(form, page, context);
}

/** Sends a form whose last windows were left out. */
export async function sendEarly(
  id: string,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const form = await findForm(id, context, deps);
  return form === undefined ? context.response.update(GONE) : finish(form, context, deps);
}

/** Takes what one window brought; the last one sends the form. */
export async function onFormWindow(
  { data }: APIModalSubmitInteraction,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const [, id = "", at = "0"] = /^cs:form:(.*):(\d{1,4})$/.exec(data.custom_id) ?? [];
  const form = await findForm(id, context, deps);
  if (form === undefined) return context.response.tell(GONE);
  const { asked } = form;
  const say = wordsOf(context.language);
  const inputs = data.components.flatMap((component) =>
    component.type === ComponentType.Label ? [component.component as SentInput] : [],
  );
  const brought = Object.fromEntries(readFormWindow(asked.form, inputs));
  const session = { ...form.session, values: { ...form.session.values, ...brought } };
  await deps.formStore.set(id, session, KEPT_MS);
  const next = Number(at) + 1;
  const pages = formPages(asked.form);
  if (next >= pages) return finish({ id, session, asked }, context, deps);
  return context.response.update(
    renderNotice(recordedText(en.recorded.notedPart(String(next), String(pages)), say), [
      windowButton(say.buttons.nextPart, id, next),
      { action: "form_send", label: asked.submit, value: id },
    ]),
  );
}

/** Nobody fills in the form of another, nor somewhere else than where it was opened. */
async function findForm(
  id: string,
  { actor, channel, language }: InteractionContext,
  deps: InteractionDeps,
): Promise<OpenForm | undefined> {
  const session = await deps.formStore.get(id);
  if (session?.actor !== actor || session.channel !== channel) return undefined;
  const asked = await requestedForm(session.purpose, { actor, language }, deps);
  return asked && { id, session, asked };
}

/** What a form asks now; undefined when that can no longer be asked. */
async function requestedForm(
  purpose: FormPurpose,
  { actor, language }: Pick<InteractionContext, "actor" | "language">,
  { core, desk, forms }: InteractionDeps,
): Promise<RequestedForm | undefined> {
  const say = wordsOf(language);
  switch (purpose.kind) {
    case "desk":
      return desk.question(purpose.topic, actor);
    case "question": {
      const question = await core.question(purpose.questionId);
      if (question?.kind !== "form" || question.state !== "open") return undefined;
      const tool = answerTool(question);
      return {
        tool,
        form: { ...forms.toForm(tool, {}, language), title: say.buttons.answer },
        note: questionText(question, say),
        warning: cleanText(formNote(question, { say })),
        submit: say.buttons.send,
      };
    }
    case "call": {
      const { tool: id, args } = purpose.call;
      const listing = core.tools().find(({ tool }) => tool.id === id);
      if (listing === undefined) return undefined;
      const { tool, decision } = listing;
      const form: RequestedForm = { tool, form: forms.toForm(tool, args, language), submit: say.buttons.run };
      return decision === "ask" ? { ...form, note: say.forms.nothingChangesYet } : form;
    }
    default:
      return { form: questionForm(language), submit: say.buttons.ask };
  }
}

async function openWindow(
  { id, session, asked }: OpenForm,
  page: number,
  { response, language }: Pick<InteractionContext, "response" | "language">,
): Promise<void> {
  const say = wordsOf(language);
  const { form, note, warning } = asked;
  const window = renderFormWindow(form, {
    page: Math.min(page, formPages(form) - 1),
    customId: `cs:form:${id}:${page}`,
    values: session.values,
    ...(note === undefined ? {} : { note }),
    ...(warning === undefined ? {} : { warning }),
  });
  if (await response.open(window)) return undefined;
  const late = recordedText(en.recorded.formLate("Discord"), say);
  return response.tell(renderNotice(late, [windowButton(say.buttons.openTheForm, id, page)]));
}

async function finish(open: OpenForm, context: InteractionContext, deps: InteractionDeps): Promise<void> {
  const faults = await send(open, context, deps);
  if (faults === undefined) return undefined;
  const { form } = open.asked;
  const say = wordsOf(context.language);
  const labels = new Map(form.fields.map(({ name, label }) => [name, label]));
  const lines = faults.map(
    ({ name, message }) => `${labels.get(name) ?? name}: ${recordedText(message, say)}`,
  );
  const page = pageOfField(form, faults[0]?.name ?? "");
  const words = recordedText(en.recorded.notSentYet(lines.join("\n")), say);
  return context.response.update(renderNotice(words, [windowButton(say.buttons.correctIt, open.id, page)]));
}

/** Does what the form was filled in for; resolves to what is wrong with it, and then nothing was done. */
async function send(
  { id, session: { purpose, values: given }, asked }: OpenForm,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<FormFault[] | undefined> {
  const { core, desk, forms, log } = deps;
  const { actor, message, response } = context;
  const values = new Map(Object.entries(given));
  const read = (args: JsonObject): FormReading =>
    asked.tool === undefined ? { ok: false, faults: [] } : forms.fromForm(asked.tool, args, values);
  /** The message of the turn shows what came of it, unless there is something to say. */
  const end = (words?: string): Promise<void> => {
    if (words === undefined && message?.isForOne !== true) return response.done();
    return response.update(words ?? en.recorded.sent());
  };
  const begin = async (start: TurnStart, about: Parameters<typeof startTurn>[1]): Promise<void> => {
    if (await startTurn(start, about, context, deps, `form:${id}`)) await response.done();
  };
  try {
    switch (purpose.kind) {
      case "desk": {
        const sent = await desk.submit(purpose.topic, actor, values);
        if (!sent.ok) return sent.faults;
        await end(sent.words);
        return undefined;
      }
      case "question": {
        const reading = read({});
        if (!reading.ok) return reading.faults;
        const { questionId } = purpose;
        await core.answer({ questionId, actor, action: "accept", content: reading.args });
        await end();
        return undefined;
      }
      case "call": {
        const reading = read(purpose.call.args);
        if (!reading.ok) return reading.faults;
        const call = { tool: purpose.call.tool, args: reading.args };
        const checked = core.checkCall(call);
        if (!checked.ok)
          return checked.faults.length > 0 ? checked.faults : [faultAtFirst(asked.form, checked.message)];
        await begin(purpose.start, { call });
        return undefined;
      }
      default: {
        const question = values.get("question")?.trim() ?? "";
        if (question === "") return [{ name: "question", message: en.recorded.sayWhat() }];
        await begin({ ...purpose.start, message: question }, { quote: purpose.quote });
        return undefined;
      }
    }
  } catch (error) {
    log.warn({ error, about: purpose.kind }, "what a person sent had no effect");
    return [faultAtFirst(asked.form, errorForUser(error))];
  }
}

/** `value` as `readPageValue` reads it. */
function windowButton(label: string, id: string, page: number): DiscordButton {
  return { action: "form_next", label, value: `${id}|${page}`, style: "primary" };
}

const GONE = en.recorded.formExpired();
