import type { Form, FormTool } from "#contract/form.ts";

import type { KnownBlock, ModalView } from "@slack/types";

import { QUESTION_FORM } from "../chat/question-form.ts";
import { cleanText, cutText } from "../chat/text.ts";
import type { Draft } from "./drafts.ts";
import type { WaysDesk } from "./desk.ts";
import { slackError } from "./refusal.ts";
import { buttonBlocks } from "./render/buttons.ts";
import { renderForm } from "./render/form.ts";
import { pack, words } from "./render/rich.ts";
import { escapeText } from "./render/text.ts";
import { respond } from "./respond.ts";

export const DRAFT_WINDOW = "cs:draft";

/** How much of a quoted message its window shows; the turn gets all of it. */
const SHOWN_QUOTE = 1400;

export type DraftParts = Pick<WaysDesk, "core" | "forms" | "log" | "client" | "tell">;

/** The tool of a draft as it is now. */
export function toolOf(draft: Draft, { core }: Pick<DraftParts, "core">): FormTool | undefined {
  const { about } = draft;
  if (about.kind === "quote") return undefined;
  return core.tools().find(({ tool }) => tool.id === about.call.tool)?.tool;
}

/** The form of a draft; undefined when its tool is not there now. */
export function formOf(draft: Draft, parts: Pick<DraftParts, "core" | "forms">): Form | undefined {
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
  parts: DraftParts,
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

function drawDraft(id: string, draft: Draft, parts: DraftParts): ModalView | undefined {
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
  { client: clientOf, log, tell }: DraftParts,
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
