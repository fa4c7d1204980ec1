import type { App, MessageShortcut } from "@slack/bolt";

import { openDraft } from "./draft-window.ts";
import type { SubmitParts } from "./draft-submit.ts";
import type { Draft } from "./drafts.ts";
import { actorOf, teamOfInteraction } from "./ids.ts";
import type { WaysDesk } from "./desk.ts";
import { plainWords } from "./words.ts";

/** The callback id of "Ask Countersign about this" in manifest.yml. */
export const ASK_SHORTCUT = "ask_about_message";

export type ShortcutParts = SubmitParts & Pick<WaysDesk, "conversation">;

/** Handles the message shortcut: asks in a window what is wanted of the message. */
export function handleShortcut(app: App, parts: ShortcutParts): void {
  app.shortcut({ type: "message_action", callback_id: ASK_SHORTCUT }, async ({ shortcut, ack }) => {
    if (shortcut.type !== "message_action") return ack();
    const draft = await toDraft(shortcut, parts);
    const id = await parts.drafts.keep(draft);
    await ack();
    const { user, trigger_id: triggerId } = shortcut;
    return openDraft(id, draft, { user: user.id, triggerId }, parts);
  });
}

async function toDraft(shortcut: MessageShortcut, { conversation }: ShortcutParts): Promise<Draft> {
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
