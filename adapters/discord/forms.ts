import type { APIModalSubmitInteraction } from "discord.js";
import { ComponentType } from "discord.js";

import type { Answer } from "./answer.ts";
import { type Asked, askedBy } from "./asked.ts";
import type { FormSession, FormSessions } from "./form-sessions.ts";
import type { Deed } from "./interaction.ts";
import type { DiscordDesk } from "./options.ts";
import { formPages, pageOfField, readFormWindow, renderFormWindow, type SentInput } from "./render/form.ts";
import { renderNotice } from "./render/notice.ts";
import { sendForm, type SendParts } from "./send-form.ts";

export interface FormParts extends Pick<DiscordDesk, "core" | "forms" | "desk" | "log">, SendParts {
  sessions: FormSessions;
}

/** Begins a form: what it is about is read first where it has to be, then its first window opens. */
export async function beginForm(session: FormSession, answer: Answer, parts: FormParts): Promise<void> {
  const asked = await askedBy(session, parts);
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
export async function openForm(value: string, deed: Deed, answer: Answer, parts: FormParts): Promise<void> {
  const [, id = "", page = "0"] = /^(.*)\|(\d{1,4})$/.exec(value) ?? [];
  const session = await ownSession(id, deed, parts);
  if (session === undefined) return answer.tell(GONE);
  return openWindow(id, session, Number(page), answer, parts);
}

/** Sends a form whose last windows were left out. */
export async function sendEarly(id: string, deed: Deed, answer: Answer, parts: FormParts): Promise<void> {
  const session = await ownSession(id, deed, parts);
  const asked = session === undefined ? undefined : await askedBy(session, parts);
  if (session === undefined || asked === undefined) return answer.update(GONE);
  return finish(id, session, asked, deed, answer, parts);
}

/** Takes what one window brought; the last one sends the form. */
export async function takeWindow(
  interaction: APIModalSubmitInteraction,
  deed: Deed,
  answer: Answer,
  parts: FormParts,
): Promise<void> {
  const [, id = "", at = "0"] = /^cs:form:(.*):(\d{1,4})$/.exec(interaction.data.custom_id) ?? [];
  const page = Number(at);
  const session = await ownSession(id, deed, parts);
  const asked = session === undefined ? undefined : await askedBy(session, parts);
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
  answer: Answer,
  parts: FormParts,
): Promise<void> {
  const asked = await askedBy(session, parts);
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
  asked: Asked,
  deed: Deed,
  answer: Answer,
  parts: FormParts,
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
  { actor, channel }: Deed,
  { sessions }: FormParts,
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
