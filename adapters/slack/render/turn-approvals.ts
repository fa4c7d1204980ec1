import type { Approval } from "#contract/approval.ts";
import type { Cards } from "#contract/core.ts";

import { approvalButtons, detailsButton, inOrder, isOpen } from "../../chat/approvals.ts";
import { toButton } from "../../chat/buttons.ts";
import { approvalRef } from "../../chat/refs.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import { buttonBlocks, lineWithButton } from "./buttons.ts";
import { renderCard } from "./card.ts";
import { LEAST_BUDGET } from "./limits.ts";
import { isEnough } from "./page.ts";
import type { Page } from "./page.ts";
import { bold, pack } from "./rich.ts";

/** What the lines of requests or results that are not drawn may take up. */
const LINES = 1800;
const LINES_BLOCKS = 10;
const MAX_LINES = 6;

/**
 * Requests that wait come first, then the newest of the others; each in full while there is room, and
 * by its title and buttons where there is not.
 */
export function addApprovals(
  page: Page,
  approvals: readonly Approval[],
  cards: Cards,
  pages: Readonly<Record<string, number>>,
): void {
  const ordered = inOrder(approvals);
  const named: Approval[] = [];
  for (const approval of ordered) {
    const { chars, blocks } = page.left();
    const beside = ordered.length > 1 ? LINES : 0;
    const budget = { chars: chars - LINES - beside, blocks: blocks - LINES_BLOCKS - (beside > 0 ? 7 : 0) };
    if (!isEnough(budget, LEAST_BUDGET)) {
      named.push(approval);
      continue;
    }
    const ref = approvalRef(approval.id);
    const drawn = renderCard(cards.approval(approval), {
      ref,
      page: pages[ref] ?? 0,
      budget,
      buttons: approvalButtons(approval),
    });
    page.addApart(drawn.blocks);
  }
  for (const approval of named.slice(0, MAX_LINES)) page.add(nameApproval(approval, cards));
}

/** A request by its title; one that waits keeps what it waits for. */
function nameApproval(approval: Approval, cards: Cards): ReturnType<typeof buttonBlocks> {
  const card = cards.approval(approval);
  const title = cutText(oneLine(card.title), 100);
  if (!isOpen(approval)) return [lineWithButton(title, detailsButton(approval))];
  const own = card.elements.flatMap((element) => (element.type === "actions" ? element.items : []));
  return [...pack([bold(title)]), ...buttonBlocks([...own.map(toButton), detailsButton(approval)])];
}
