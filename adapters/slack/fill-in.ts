import type { Click } from "./click.ts";
import type { WaysDesk } from "./desk.ts";
import { openDraft } from "./draft-window.ts";
import type { Draft } from "./drafts.ts";

/** Opens the form for what a turn ended by asking for. */
export async function fillIn(click: Click, parts: WaysDesk): Promise<void> {
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
export async function openForm(click: Click, parts: WaysDesk): Promise<void> {
  const draft = await parts.drafts.find(click.value);
  if (draft === undefined) return parts.tell(click.ear, GONE);
  return open(click, click.value, draft, parts);
}

async function open(click: Click, id: string, draft: Draft, parts: WaysDesk): Promise<void> {
  const user = click.actor.slice(click.actor.lastIndexOf(":") + 1);
  return openDraft(id, draft, { user, triggerId: click.triggerId }, parts);
}

const GONE = "This form is too old, or what it asks for is known by now. Please ask again.";
