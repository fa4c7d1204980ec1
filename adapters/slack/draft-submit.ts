import type { ActorId } from "#contract/actor.ts";
import type { Form, FormFault } from "#contract/form.ts";
import type { FilledCall, Quote } from "#contract/given.ts";

import type { App, ViewSubmitAction } from "@slack/bolt";

import { QUESTION_FORM } from "../chat/question-form.ts";
import { DRAFT_WINDOW, type DraftParts, formOf, toolOf } from "./draft-window.ts";
import type { Draft } from "./drafts.ts";
import { actorOf, channelOf, conversationOf, teamOfInteraction } from "./ids.ts";
import type { WaysDesk } from "./desk.ts";
import { toPlace } from "./place.ts";
import { formErrors, readForm, type StateValues } from "./render/form.ts";
import { secondsAgo } from "./since.ts";

export type SubmitParts = DraftParts & Pick<WaysDesk, "drafts" | "people" | "presenter">;

/** What a window becomes: a turn with these, or a window with these faults. */
type Filled = { message: string; call?: FilledCall; quote?: Quote } | { faults: Record<string, string> };

/** Handles what people send with the windows of drafts: the turn is durable before the window closes. */
export function handleDrafts(app: App, parts: SubmitParts): void {
  app.view(DRAFT_WINDOW, async ({ body, ack }) => {
    if (body.type !== "view_submission") return ack();
    const faults = await submit(body, parts);
    return faults === undefined ? ack() : ack({ response_action: "errors", errors: faults });
  });
}

async function submit(
  body: ViewSubmitAction,
  parts: SubmitParts,
): Promise<Record<string, string> | undefined> {
  const draft = await parts.drafts.find(body.view.private_metadata);
  if (draft === undefined) return firstFault(body, "This form is too old. Close it and open it again.");
  const form = formOf(draft, parts);
  if (form === undefined) {
    return firstFault(body, "This tool is not there now; its server may be down. Try again later.");
  }
  const filled = await read(body, draft, form, parts);
  if ("faults" in filled) return filled.faults;
  const team = teamOfInteraction(body);
  const actor = actorOf(body.user.team_id ?? team, body.user.id);
  try {
    await start(body.view.id, actor, draft, filled, parts);
    return undefined;
  } catch (error) {
    parts.log.error({ error, actor }, "a form could not be taken");
    return formErrors(form, [
      faultAtFirst(form, "I could not take that down: nothing was done. Send it again."),
    ]);
  }
}

async function start(
  viewId: string,
  actor: ActorId,
  draft: Draft,
  filled: Exclude<Filled, { faults: unknown }>,
  { presenter }: SubmitParts,
): Promise<void> {
  const { team, channel, thread, conversationId, respond } = draft;
  await presenter.submit(
    {
      surface: "slack",
      actor,
      conversationId: conversationId ?? conversationOf(team, channel, `form-${viewId}`),
      channel: channelOf(team, channel),
      // A window that is sent twice, as its first answer was late, starts one turn.
      eventId: `form:${team}:${viewId}`,
      ...filled,
    },
    toPlace({
      team,
      channel,
      since: secondsAgo(60),
      ...(thread === undefined ? {} : { thread }),
      ...(respond === undefined ? {} : { respond }),
    }),
  );
}

async function read(body: ViewSubmitAction, draft: Draft, form: Form, parts: SubmitParts): Promise<Filled> {
  const { about } = draft;
  const state: StateValues = body.view.state.values;
  if (about.kind === "quote") {
    const message = readForm(QUESTION_FORM, state).get("question")?.trim() ?? "";
    if (message === "")
      return { faults: formErrors(form, [{ name: "question", message: "Say what you want to know." }]) };
    const author = await parts.people.name(draft.team, about.authorId);
    return { message, quote: { ...about.quote, ...(author === undefined ? {} : { author }) } };
  }
  const tool = toolOf(draft, parts);
  if (tool === undefined) return { faults: {} };
  const people = new Map<string, string>();
  for (const { name, user } of peopleIn(form, state)) {
    people.set(name, (await parts.people.name(draft.team, user)) ?? user);
  }
  const values = new Map([...readForm(form, state), ...people]);
  const reading = parts.forms.fromForm(tool, about.call.args, values);
  if (!reading.ok) return { faults: formErrors(form, reading.faults) };
  const call = { tool: about.call.tool, args: reading.args };
  const checked = parts.core.checkCall(call);
  if (!checked.ok) return { faults: formErrors(form, faultsOf(checked, form)) };
  return { message: draft.message, call };
}

/** Who was chosen in the fields for people; Slack names them by their ids, which no tool knows. */
function peopleIn(form: Form, state: StateValues): { name: string; user: string }[] {
  const chosen = readForm(form, state);
  return form.fields
    .filter(({ kind }) => kind === "person")
    .flatMap(({ name }) => {
      const user = chosen.get(name);
      return user !== undefined && /^[UW][A-Z0-9]{5,}$/.test(user) ? [{ name, user }] : [];
    });
}

/** A fault of an argument stands at its field, or at the first field of its members. */
function faultsOf(
  { message, faults }: { message: string; faults: readonly FormFault[] },
  form: Form,
): FormFault[] {
  const placed = faults.flatMap((fault) => {
    const field = form.fields.find(({ name }) => name === fault.name || name.startsWith(`${fault.name}.`));
    return field === undefined ? [] : [{ name: field.name, message: fault.message }];
  });
  return placed.length > 0 ? placed : [faultAtFirst(form, message)];
}

function faultAtFirst({ fields }: Form, message: string): FormFault {
  return { name: fields[0]?.name ?? "", message };
}

/** Of a window whose form is not known: at its first input, so that nothing typed is lost. */
function firstFault({ view }: ViewSubmitAction, message: string): Record<string, string> {
  const [first = ""] = Object.keys(view.state.values);
  return { [first]: message };
}
