import type { TurnView } from "#contract/present.ts";

import type { ModalView } from "@slack/types";

import type { SlackParts } from "./options.ts";
import {
  type ModalState,
  renderAllModal,
  renderDetailsModal,
  renderJsonModal,
  renderLogModal,
  renderReplyModal,
  renderResultModal,
} from "./render/modals.ts";
import { readRef } from "./render/refs.ts";

type Parts = Pick<SlackParts, "core" | "cards" | "view">;

/** The window that a state names, at a page from 0; undefined when what it shows is no longer there. */
export async function drawWindow(
  state: ModalState,
  page: number,
  parts: Parts,
): Promise<ModalView | undefined> {
  const ref = readRef(state.ref);
  if (ref === undefined) return undefined;
  if (ref.kind === "approval") return approvalWindow(state, ref.approvalId, page, parts);
  const view = await parts.view(ref.turnId);
  if (view === undefined) return undefined;
  switch (state.view) {
    case "json":
      return renderJsonModal(view, { page });
    case "log":
      return renderLogModal(view, { page });
    case "reply":
      return renderReplyModal(view, { page });
    case "result":
      return ref.kind === "result" ? renderResultModal(view, ref.index, { page }) : undefined;
    case "all":
      return ref.kind === "result" ? wholeResult(view, ref.index, state, page) : undefined;
    default:
      return undefined;
  }
}

function wholeResult(view: TurnView, index: number, state: ModalState, page: number): ModalView | undefined {
  const card = view.results[index]?.card;
  return card === undefined ? undefined : renderAllModal(card, state.ref, state.path ?? "", { page });
}

async function approvalWindow(
  state: ModalState,
  approvalId: string,
  page: number,
  { core, cards }: Parts,
): Promise<ModalView | undefined> {
  const approval = await core.approval(approvalId);
  if (approval === undefined) return undefined;
  const card = cards.approval(approval);
  return state.view === "all"
    ? renderAllModal(card, state.ref, state.path ?? "", { page })
    : renderDetailsModal(approval, card, { page });
}
