import { MessageFlags } from "discord-api-types/v10";

import type { Card } from "#contract/card.ts";

import { type Window, type WindowState, withoutActions } from "../../chat/windows.ts";
import type { DiscordButton } from "./buttons.ts";
import { colorOf, inRows, renderCard } from "./card.ts";
import { Draft, type RenderedMessage } from "./message.ts";

/** What an answer for one person alone carries. */
export const FOR_ONE: number = MessageFlags.Ephemeral | MessageFlags.IsComponentsV2;

/** A window as a message for one person; its buttons turn its own pages alone. */
export function renderWindow({ card, state, buttons = [] }: Window, page = 0): RenderedMessage {
  const draft = new Draft();
  const { parts } = renderCard(withoutActions(card), {
    page,
    unfold: true,
    files: false,
    buttons,
    pageButton: (to, label) => ({ action: "window", label, value: windowValue(state, to) }),
  });
  draft.addBoxed(parts);
  return draft.done();
}

/** Names a window and its page. */
function windowValue({ view, ref, path = "" }: WindowState, page: number): string {
  return `${view}|${path}|${page}|${ref}`;
}

export function readWindowValue(value: string): { state: WindowState; page: number } | undefined {
  const [, view, path = "", page, ref = ""] =
    /^(json|log|menu|details|result|all|reply|grants)\|([\d.]*)\|(\d{1,6})\|([\s\S]+)$/.exec(value) ?? [];
  if (view === undefined) return undefined;
  const state = { view: view as WindowState["view"], ref, ...(path === "" ? {} : { path }) };
  return { state, page: Number(page) };
}

/** Something said to one person. Of a card that takes several pages the first one: this is for short answers. */
export function renderNotice(words: string | Card, buttons: readonly DiscordButton[] = []): RenderedMessage {
  const card: Card =
    typeof words === "string"
      ? { kind: "status", title: words, elements: [{ type: "text", text: words }] }
      : words;
  const draft = new Draft();
  const row = inRows(buttons);
  draft.reserve(row);
  const { parts } = renderCard(card, { budget: draft.left, unfold: true, files: false });
  if (typeof words === "string") draft.add(parts);
  else draft.addBoxed(parts, colorOf(card));
  return draft.done(row, []);
}
