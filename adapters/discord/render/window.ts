import { MessageFlags } from "discord-api-types/v10";

import type { Window, WindowState } from "../../chat/windows.ts";
import { withoutActions } from "../../chat/windows.ts";
import { renderCard } from "./card.ts";
import { createDraft } from "./message.ts";
import type { RenderedMessage } from "./message.ts";

/** What an answer for one person alone carries. */
export const FOR_ONE: number = MessageFlags.Ephemeral | MessageFlags.IsComponentsV2;

/** A window as a message for one person; its buttons turn its own pages alone. */
export function renderWindow({ card, state, buttons = [] }: Window, page = 0): RenderedMessage {
  const draft = createDraft();
  const { parts } = renderCard(withoutActions(card), {
    page,
    unfold: true,
    files: false,
    buttons,
    pageButton: (to, label) => ({ action: "window", label, value: windowValue(state, to) }),
  });
  draft.addBoxed(parts);
  return draft.done([], []);
}

/** Names a window and its page. */
export function windowValue({ view, ref, path = "" }: WindowState, page: number): string {
  return `${view}|${path}|${page}|${ref}`;
}

export function readWindowValue(value: string): { state: WindowState; page: number } | undefined {
  const [, view, path = "", page, ref = ""] =
    /^(json|log|details|result|all|reply|grants)\|([\d.]*)\|(\d{1,6})\|([\s\S]+)$/.exec(value) ?? [];
  if (view === undefined) return undefined;
  const state = { view: view as WindowState["view"], ref, ...(path === "" ? {} : { path }) };
  return { state, page: Number(page) };
}
