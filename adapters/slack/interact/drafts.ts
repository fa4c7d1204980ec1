import { randomUUID } from "node:crypto";

import type { App, MessageShortcut } from "@slack/bolt";
import type { KnownBlock, ModalView } from "@slack/types";

import type { ToolListing } from "#contract/core.ts";
import type { Form, FormFault } from "#contract/form.ts";
import type { FilledCall, Quote } from "#contract/message.ts";
import type { TurnView } from "#contract/present.ts";
import { cutText } from "#src/base/text.ts";
import { HOUR_MS } from "#src/base/time.ts";
import { en, type Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { faultAtFirst, questionForm } from "../../chat/forms.ts";
import { cleanText } from "../../chat/text.ts";
import { formOf } from "../../chat/turn-parts.ts";
import { channelOf, conversationOf } from "../ids.ts";
import type { Draft } from "../options.ts";
import { personOf } from "../receive/event.ts";
import { plainWords } from "../receive/parse-message.ts";
import { words } from "../../chat/line.ts";
import { buttonBlocks } from "../render/buttons.ts";
import { formErrors, readForm, renderForm, type StateValues } from "../render/form.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";
import { respond } from "../send/ephemeral.ts";
import { slackError } from "../send/refusal.ts";
import {
  type Faults,
  handleWindow,
  type SlackContext,
  startTurn,
  type Submission,
  wordsAt,
} from "./context.ts";
import type { Click } from "./interaction.ts";

/** The callback id of "Ask Countersign about this" in manifest.yml. */
export const ASK_SHORTCUT = "ask_about_message";

const DRAFT_WINDOW = "cs:draft";

/** How much of a quoted message its window shows; the turn gets all of it. */
const SHOWN_QUOTE = 1400;

/** Long enough for a window that stays open overnight. */
const KEPT_MS = 48 * HOUR_MS;

/** Resolves to the name of the draft, once it is durable. */
export async function keepDraft(
  draft: Draft,
  { draftStore }: Pick<SlackContext, "draftStore">,
): Promise<string> {
  const id = `draft_${randomUUID()}`;
  await draftStore.set(id, draft, KEPT_MS);
  return id;
}

/** Handles the message shortcut: asks in a window what is wanted of the message. */
export function handleShortcut(app: App, deps: SlackContext): void {
  app.shortcut({ type: "message_action", callback_id: ASK_SHORTCUT }, async ({ shortcut, ack }) => {
    if (shortcut.type !== "message_action") return ack();
    const draft = await quoting(shortcut, deps);
    const id = await keepDraft(draft, deps);
    await ack();
    return openDraft(id, draft, { user: shortcut.user.id, triggerId: shortcut.trigger_id }, deps);
  });
}

async function quoting(shortcut: MessageShortcut, { conversation }: SlackContext): Promise<Draft> {
  const { message, channel, response_url: respondAt } = shortcut;
  const { team, actor } = personOf(shortcut);
  const thread = typeof message["thread_ts"] === "string" ? message["thread_ts"] : message.ts;
  return {
    team,
    channel: channel.id,
    actor,
    thread,
    conversationId: await conversation(team, channel.id, thread),
    respond: respondAt,
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

/** Opens the form for what a turn ended by asking for, or for what was chosen of what it offered. */
export async function fillIn(click: Click, deps: SlackContext): Promise<void> {
  return openFormOf(click, await formOf(click.value, deps.view), deps);
}

/** Opens the form of a call that a turn asks for or offers. */
export async function openFormOf(
  { ref, user, actor, triggerId, target }: Click,
  form: { view: TurnView; call: FilledCall } | undefined,
  deps: SlackContext,
): Promise<void> {
  // What changes something concerns the channel, also where only one person saw what it changes.
  const shown = ref ?? target;
  if (form === undefined || shown === undefined) return deps.sendEphemeral(target, en.recorded.formExpired());
  const { team, channel } = shown;
  const thread = "ts" in shown ? (shown.thread ?? shown.ts) : undefined;
  const { conversationId, message } = form.view;
  const about = { kind: "call" as const, call: form.call };
  const inThread = thread === undefined ? {} : { thread };
  const draft: Draft = { team, channel, actor, ...inThread, conversationId, message, about };
  return openDraft(await keepDraft(draft, deps), draft, { user, triggerId }, deps);
}

/** Opens a form that Slack did not take before. */
export async function openForm(click: Click, deps: SlackContext): Promise<void> {
  const draft = await deps.draftStore.get(click.value);
  return draft === undefined
    ? deps.sendEphemeral(click.target, en.recorded.formExpired())
    : openDraft(click.value, draft, click, deps);
}

/**
 * Opens the window of a draft. Slack takes it within three seconds of what the person did; where that is
 * over, the person gets a button, whose press opens it.
 */
export async function openDraft(
  id: string,
  draft: Draft,
  { user, triggerId }: { user: string; triggerId: string },
  deps: SlackContext,
): Promise<void> {
  const view = drawDraft(id, draft, deps);
  if (view === undefined) return offer(draft, user, en.recorded.toolDown(), [], deps);
  const client = await deps.client(draft.team);
  try {
    await client.views.open({ trigger_id: triggerId, view });
    return undefined;
  } catch (error) {
    if (!LATE.has(slackError(error) ?? "")) throw error;
    const again = {
      action: "open_form",
      label: wordsAt(draft, deps).buttons.openTheForm,
      value: id,
      style: "primary",
    } as const;
    return offer(draft, user, en.recorded.formLate("Slack"), buttonBlocks([again]), deps);
  }
}

const LATE: ReadonlySet<string> = new Set(["expired_trigger_id", "exchanged_trigger_id", "trigger_expired"]);

/** Returns undefined when the draft's tool is not there now. */
function drawDraft(id: string, draft: Draft, deps: SlackContext): ModalView | undefined {
  const { about } = draft;
  const window = { callbackId: DRAFT_WINDOW, metadata: id };
  const language = deps.language(channelOf(draft.team, draft.channel));
  const say = wordsOf(language);
  if (about.kind === "quote") {
    const shown = cutText(cleanText(about.quote.text).trim(), SHOWN_QUOTE) || say.forms.noText;
    const elements = [{ type: "text" as const, text: shown }];
    const above: KnownBlock[] = [{ type: "rich_text", elements: [{ type: "rich_text_quote", elements }] }];
    return renderForm(questionForm(language), { ...window, submit: say.buttons.ask, above });
  }
  const listing = listingOf(about.call, deps);
  if (listing === undefined) return undefined;
  const form = deps.forms.toForm(listing.tool, about.call.args, language);
  const note = listing.decision === "ask" ? { note: say.forms.nothingChangesYet } : {};
  return renderForm(form, { ...window, submit: say.buttons.run, people: true, ...note });
}

/** The tool of a draft as it is now. */
function listingOf(call: FilledCall, { core }: Pick<SlackContext, "core">): ToolListing | undefined {
  return core.tools().find(({ tool }) => tool.id === call.tool);
}

/** To the person alone: at the address that came with what they did, else in the channel. */
async function offer(
  { team, channel, thread, respond: respondAt }: Draft,
  user: string,
  said: string,
  buttons: KnownBlock[],
  deps: SlackContext,
): Promise<void> {
  const { log, sendEphemeral } = deps;
  const text = recordedText(said, wordsAt({ team, channel }, deps));
  const content = { text: escapeText(text), blocks: [...pack([words(text)]), ...buttons] };
  const response = { response_type: "ephemeral", ...content } as const;
  if (respondAt !== undefined && (await respond(respondAt, response, log))) return undefined;
  return sendEphemeral({ team, channel, user, thread }, buttons.length === 0 ? text : content);
}

/** Handles what people send with the windows of drafts: the turn is durable before the window closes. */
export function handleDrafts(app: App, deps: SlackContext): void {
  handleWindow(app, DRAFT_WINDOW, (sent) => submit(sent, deps));
}

/** What a window becomes: a turn with these, or a window with these faults. */
type Filled = { message: string; call?: FilledCall; quote?: Quote } | { faults: Faults };

async function submit(sent: Submission, deps: SlackContext): Promise<Faults | undefined> {
  const { metadata: id, viewId, actor, values } = sent;
  const draft = await deps.draftStore.get(id);
  if (draft === undefined) return firstInput(values, en.recorded.formTooOld(), wordsAt(undefined, deps));
  const filled = await fill(draft, values, deps);
  if ("faults" in filled) return filled.faults;
  const { team, channel, thread, respond: respondAt } = draft;
  const conversationId = draft.conversationId ?? conversationOf(team, channel, `form-${viewId}`);
  // A window that is sent twice, as its first answer was late, starts one turn.
  const eventId = `form:${team}:${viewId}`;
  try {
    await startTurn(
      { team, channel, thread, respond: respondAt, actor, conversationId, eventId, ...filled },
      deps,
    );
    return undefined;
  } catch (error) {
    deps.log.error({ error, actor }, "a form could not be taken");
    return firstInput(values, en.recorded.notSavedForm(), wordsAt(draft, deps));
  }
}

async function fill(
  { team, channel, message, about }: Draft,
  state: StateValues,
  deps: SlackContext,
): Promise<Filled> {
  const language = deps.language(channelOf(team, channel));
  const { core, forms, people } = deps;
  if (about.kind === "quote") {
    const asking = questionForm(language);
    const question = readForm(asking, state).get("question")?.trim() ?? "";
    const fault = { name: "question", message: en.recorded.sayWhat() };
    if (question === "") return { faults: formErrors(asking, [fault]) };
    const author = await people.name(team, about.authorId);
    return { message: question, quote: { ...about.quote, ...(author === undefined ? {} : { author }) } };
  }
  const listing = listingOf(about.call, deps);
  if (listing === undefined) {
    return {
      faults: firstInput(state, en.recorded.toolDownLater(), wordsOf(language)),
    };
  }
  const form = forms.toForm(listing.tool, about.call.args, language);
  const values = new Map(readForm(form, state));
  for (const { name, kind } of form.fields) {
    const user = values.get(name);
    // Slack names people by their ids, which no tool knows.
    if (kind !== "person" || user === undefined || !/^[UW][A-Z0-9]{5,}$/.test(user)) continue;
    values.set(name, (await people.name(team, user)) ?? user);
  }
  const reading = forms.fromForm(listing.tool, about.call.args, values);
  if (!reading.ok) return { faults: formErrors(form, reading.faults) };
  const call = { tool: about.call.tool, args: reading.args };
  const checked = core.checkCall(call);
  return checked.ok ? { message, call } : { faults: formErrors(form, faultsOf(checked, form)) };
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

/** At the first input of a window, so that nothing typed is lost. */
function firstInput(values: StateValues, message: string, say: Words): Faults {
  const [first = ""] = Object.keys(values);
  return { [first]: recordedText(message, say) };
}
