import type { ModalView } from "@slack/types";

import type { Card } from "#contract/card.ts";

import { oneLine } from "#src/base/text.ts";
import { wordsOf } from "#src/base/words/words.ts";
import { type Window, type WindowState, withoutActions } from "../../chat/windows.ts";
import { renderCard } from "./card.ts";
import { LIMITS, VIEW_BUDGET } from "./limits.ts";
import { plain } from "./rich.ts";

/** The state of a modal stands in its `private_metadata`, for its buttons that turn pages. */
export function readModalState(metadata: string): WindowState | undefined {
  try {
    const state = JSON.parse(metadata) as Partial<WindowState> | null;
    if (typeof state?.view !== "string" || typeof state.ref !== "string") return undefined;
    return { view: state.view, ref: state.ref, ...(state.path === undefined ? {} : { path: state.path }) };
  } catch {
    return undefined;
  }
}

/** A window without inputs; a page (from 0) that does not exist is taken as the nearest one. */
export function renderWindow(
  { title, card, state, buttons = [] }: Window,
  { page = 0 }: { page?: number } = {},
): ModalView {
  const options = { buttons, ref: state.ref, page, budget: VIEW_BUDGET, tables: false, unfold: true };
  const metadata = JSON.stringify(state);
  return {
    type: "modal",
    title: plain(oneLine(title), LIMITS.view.title),
    close: plain(wordsOf(card.language).buttons.close),
    blocks: renderCard(withoutActions(card), options).blocks,
    callback_id: "cs:view",
    ...(metadata.length <= LIMITS.view.metadata ? { private_metadata: metadata } : {}),
  };
}

/** A card alone, such as the answer to a press in a window. */
export function renderNotice(card: Card): ModalView {
  return renderWindow({ title: "Countersign", card, state: { view: "details", ref: "" } });
}
