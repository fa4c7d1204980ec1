import type { App, MessageShortcut, ViewSubmitAction } from "@slack/bolt";
import type { KnownBlock, ModalView } from "@slack/types";

import type { ActorId } from "#contract/actor.ts";
import type { Form, FormFault, FormTool } from "#contract/form.ts";
import type { FilledCall, Quote } from "#contract/message.ts";

import { QUESTION_FORM } from "../../chat/forms.ts";
import { cleanText, cutText } from "../../chat/text.ts";
import type { SlackContext } from "./context.ts";
import { actorOf, channelOf, conversationOf, teamOfInteraction } from "../ids.ts";
import { secondsAgo, toPlace } from "../ids.ts";
import type { Draft } from "../options.ts";
import { plainWords } from "../receive/parse-message.ts";
import { buttonBlocks } from "../render/buttons.ts";
import { formErrors, readForm, renderForm, type StateValues } from "../render/form.ts";
import { pack, words } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import { respond } from "../send/ephemeral.ts";
import { slackError } from "../send/refusal.ts";
import type { Click } from "./interaction.ts";

const DRAFT_WINDOW = "cs:draft";

/** How much of a quoted message its window shows; the turn gets all of it. */
const SHOWN_QUOTE = 1400;

export type DraftDeps = Pick<SlackContext, "core" | "forms" | "log" | "client" | "tell">;

/** The tool of a draft as it is now. */
function toolOf(draft: Draft, { core }: Pick<DraftDeps, "core">): FormTool | undefined {
  const { about } = draft;
  if (about.kind === "quote") return undefined;
  return core.tools().find(({ tool }) => tool.id === about.call.tool)?.tool;
}

/** The form of a draft; undefined when its tool is not there now. */
function formOf(draft: Draft, parts: Pick<DraftDeps, "core" | "forms">): Form | undefined {
  if (draft.about.kind === "quote") return QUESTION_FORM;
  const tool = toolOf(draft, parts);
  return tool === undefined ? undefined : parts.forms.toForm(tool, draft.about.call.args);
}

/**
 * Opens the window of a draft. Slack takes it within three seconds of what the person did; where that is
 * over, the person gets a button, whose press opens it.
 */
export async function openDraft(
  id: string,
  draft: Draft,
  person: { user: string; triggerId: string },
  parts: DraftDeps,
): Promise<void> {
  const view = drawDraft(id, draft, parts);
  if (view === undefined) return offer(draft, person.user, TOOL_GONE, [], parts);
  const client = await parts.client(draft.team);
  try {
    await client.views.open({ trigger_id: person.triggerId, view });
  } catch (error) {
    if (!LATE.has(slackError(error) ?? "")) throw error;
    const again = buttonBlocks([
      { action: "open_form", label: "Open the form", value: id, style: "primary" },
    ]);
    await offer(draft, person.user, TOO_LATE, again, parts);
  }
  return undefined;
}

const LATE: ReadonlySet<string> = new Set(["expired_trigger_id", "exchanged_trigger_id", "trigger_expired"]);
const TOO_LATE = "That took longer than Slack waits for a form. Nothing is lost: open it here.";
const TOOL_GONE = "This tool is not there now; its server may be down. Nothing was sent.";

function drawDraft(id: string, draft: Draft, parts: DraftDeps): ModalView | undefined {
  const form = formOf(draft, parts);
  if (form === undefined) return undefined;
  const { about } = draft;
  if (about.kind === "quote") {
    const above = quoteBlocks(about.quote.text);
    return renderForm(form, { callbackId: DRAFT_WINDOW, metadata: id, submit: "Ask", above });
  }
  const listing = parts.core.tools().find(({ tool }) => tool.id === about.call.tool);
  const note =
    listing?.decision === "ask" ? { note: "This changes something: it still needs approval." } : {};
  return renderForm(form, { callbackId: DRAFT_WINDOW, metadata: id, submit: "Run", people: true, ...note });
}

function quoteBlocks(text: string): KnownBlock[] {
  const shown = cutText(cleanText(text).trim(), SHOWN_QUOTE);
  return pack([{ type: "rich_text_quote", elements: words(shown === "" ? "(no text)" : shown) }]);
}

/** To the person alone: at the address that came with what they did, else in the channel. */
async function offer(
  draft: Draft,
  user: string,
  text: string,
  buttons: KnownBlock[],
  { client: clientOf, log, tell }: DraftDeps,
): Promise<void> {
  const { team, channel, thread } = draft;
  const content = { text: escapeText(text), blocks: [...pack([words(text)]), ...buttons] };
  if (draft.respond !== undefined) {
    if (await respond(draft.respond, { response_type: "ephemeral", ...content }, log)) return;
  }
  if (buttons.length === 0)
    return tell({ team, channel, user, ...(thread === undefined ? {} : { thread }) }, text);
  const client = await clientOf(team);
  await client.chat.postEphemeral({
    channel,
    user,
    ...content,
    ...(thread === undefined ? {} : { thread_ts: thread }),
  });
  return undefined;
}

export type SubmitDeps = DraftDeps & Pick<SlackContext, "drafts" | "people" | "presenter">;

/** What a window becomes: a turn with these, or a window with these faults. */
type Filled = { message: string; call?: FilledCall; quote?: Quote } | { faults: Record<string, string> };

/** Handles what people send with the windows of drafts: the turn is durable before the window closes. */
export function handleDrafts(app: App, parts: SubmitDeps): void {
  app.view(DRAFT_WINDOW, async ({ body, ack }) => {
    if (body.type !== "view_submission") return ack();
    const faults = await submit(body, parts);
    return faults === undefined ? ack() : ack({ response_action: "errors", errors: faults });
  });
}

async function submit(
  body: ViewSubmitAction,
  parts: SubmitDeps,
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
  { presenter }: SubmitDeps,
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

async function read(body: ViewSubmitAction, draft: Draft, form: Form, parts: SubmitDeps): Promise<Filled> {
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

/** Opens the form for what a turn ended by asking for. */
export async function fillIn(click: Click, parts: SlackContext): Promise<void> {
  const view = await parts.view(click.value);
  if (view?.missing === undefined || click.ref === undefined) return parts.tell(click.ear, GONE);
  const { team, channel, ts, thread = ts } = click.ref;
  const { tool, args } = view.missing;
  const draft: Draft = {
    team,
    channel,
    actor: click.actor,
    thread,
    conversationId: view.conversationId,
    message: view.message,
    about: { kind: "call", call: { tool, args } },
  };
  return open(click, await parts.drafts.keep(draft), draft, parts);
}

/** Opens a form that Slack did not take before. */
export async function openForm(click: Click, parts: SlackContext): Promise<void> {
  const draft = await parts.drafts.find(click.value);
  if (draft === undefined) return parts.tell(click.ear, GONE);
  return open(click, click.value, draft, parts);
}

async function open(click: Click, id: string, draft: Draft, parts: SlackContext): Promise<void> {
  const user = click.actor.slice(click.actor.lastIndexOf(":") + 1);
  return openDraft(id, draft, { user, triggerId: click.triggerId }, parts);
}

const GONE = "This form is too old, or what it asks for is known by now. Please ask again.";

/** The callback id of "Ask Countersign about this" in manifest.yml. */
export const ASK_SHORTCUT = "ask_about_message";

export type ShortcutDeps = SubmitDeps & Pick<SlackContext, "conversation">;

/** Handles the message shortcut: asks in a window what is wanted of the message. */
export function handleShortcut(app: App, parts: ShortcutDeps): void {
  app.shortcut({ type: "message_action", callback_id: ASK_SHORTCUT }, async ({ shortcut, ack }) => {
    if (shortcut.type !== "message_action") return ack();
    const draft = await toDraft(shortcut, parts);
    const id = await parts.drafts.keep(draft);
    await ack();
    const { user, trigger_id: triggerId } = shortcut;
    return openDraft(id, draft, { user: user.id, triggerId }, parts);
  });
}

async function toDraft(shortcut: MessageShortcut, { conversation }: ShortcutDeps): Promise<Draft> {
  const { message, channel, user, response_url: respond } = shortcut;
  const team = teamOfInteraction(shortcut);
  const thread = typeof message["thread_ts"] === "string" ? message["thread_ts"] : message.ts;
  return {
    team,
    channel: channel.id,
    actor: actorOf(user.team_id ?? team, user.id),
    thread,
    conversationId: await conversation(team, channel.id, thread),
    respond,
    message: "",
    about: {
      kind: "quote",
      // What a bot said may be what a tool brought, this one's in particular.
      quote: { text: textOf(message), ...(message["bot_id"] === undefined ? {} : { derived: true }) },
      ...(message.user === undefined ? {} : { authorId: message.user }),
    },
  };
}

/** What the message says; of one without words of its own, what its attachments say for themselves. */
function textOf(message: MessageShortcut["message"]): string {
  const own = plainWords(message.text ?? "");
  if (own !== "") return own;
  const attachments: unknown = message["attachments"];
  if (!Array.isArray(attachments)) return "";
  return attachments
    .flatMap((one: { fallback?: unknown; text?: unknown }) => [one.text ?? one.fallback])
    .filter((text) => typeof text === "string")
    .map(plainWords)
    .join("\n");
}
