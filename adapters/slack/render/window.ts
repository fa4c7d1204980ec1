import type { KnownBlock, ModalView } from "@slack/types";

import type { Card } from "#contract/card.ts";

import { oneLine } from "../../chat/text.ts";
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

export interface ModalOptions {
  /** From 0; a page that does not exist is taken as the nearest one. */
  page?: number;
}

/** A window without inputs. */
function modal(title: string, blocks: KnownBlock[], state: WindowState): ModalView {
  const metadata = JSON.stringify(state);
  return {
    type: "modal",
    title: plain(oneLine(title), LIMITS.view.title),
    close: plain("Close"),
    blocks,
    callback_id: "cs:view",
    ...(metadata.length <= LIMITS.view.metadata ? { private_metadata: metadata } : {}),
  };
}

export function renderWindow(
  { title, card, state, buttons = [] }: Window,
  options: ModalOptions = {},
): ModalView {
  const { blocks } = renderCard(withoutActions(card), {
    buttons,
    ref: state.ref,
    page: options.page ?? 0,
    budget: VIEW_BUDGET,
    tables: false,
    unfold: true,
  });
  return modal(title, blocks, state);
}

/** A card alone, such as the answer to a press in a window. */
export function renderNotice(card: Card): ModalView {
  return renderWindow({ title: "Countersign", card, state: { view: "details", ref: "" } });
}
