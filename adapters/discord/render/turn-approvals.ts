import type { Approval } from "#contract/approval.ts";
import type { Cards } from "#contract/core.ts";

import { approvalButtons, detailsButton, inOrder, isOpen } from "../../chat/approvals.ts";
import { toButton } from "../../chat/buttons.ts";
import { approvalRef } from "../../chat/refs.ts";
import { count, cutText, oneLine } from "../../chat/text.ts";
import { colorOf, inRows, renderCard } from "./card.ts";
import { bold, flowLine, pack } from "./lines.ts";
import type { Draft } from "./message.ts";
import { isEnough } from "./message.ts";
import type { Laid } from "./pages.ts";
import { costOf, textOf } from "./pages.ts";

/** What the lines of requests or results that are not drawn may take up. */
const LINES = { chars: 400, components: 10 };

/**
 * Requests that wait come first; each in full while there is room, and by its title and buttons where there
 * is not.
 */
export function addApprovals(
  draft: Draft,
  approvals: readonly Approval[],
  cards: Cards,
  pages: Readonly<Record<string, number>>,
): void {
  const ordered = inOrder(approvals);
  let hidden = 0;
  for (const approval of ordered) {
    const card = cards.approval(approval);
    const left = draft.left();
    const beside = ordered.length > 1 ? 2 : 1;
    const budget = {
      chars: left.chars - LINES.chars * beside,
      components: left.components - LINES.components * (beside - 1),
    };
    if (isEnough(budget)) {
      const ref = approvalRef(approval.id);
      const options = { ref, page: pages[ref] ?? 0, budget, buttons: approvalButtons(approval) };
      draft.addBoxed(renderCard(card, options).parts, colorOf(card));
      continue;
    }
    const own = card.elements.flatMap((element) => (element.type === "actions" ? element.items : []));
    const buttons = [...(isOpen(approval) ? own.map(toButton) : []), detailsButton(approval)];
    const title = pack([flowLine(bold(cutText(oneLine(card.title), 100)))]);
    const named: Laid[] = [...title.map(textOf), ...inRows(buttons)];
    const cost = costOf(named);
    if (cost.chars <= left.chars - 80 && cost.components <= left.components - 2) {
      draft.addBoxed(named, colorOf(card));
    } else {
      hidden += 1;
    }
  }
  if (hidden > 0) draft.add([textOf(`-# ${count(hidden, "more request")}: see /countersign approvals.`)]);
}
