import type { Core } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { readPageValue, readRef } from "./actions.ts";
import type { ChatParts } from "./parts.ts";

/** A settled turn that changed while it was shown is shown again; more often than this, the presenter goes on. */
const REDRAWS = 5;

/** Shows a turn anew where only what is open in its message changed, until it is shown as it is. */
export async function redraw(
  read: () => Promise<TurnView | undefined>,
  show: (view: TurnView) => Promise<unknown>,
): Promise<void> {
  let shown: string | undefined;
  for (let count = 0; count < REDRAWS; count += 1) {
    const view = await read();
    // A turn that goes on is drawn by the presenter.
    if (view?.isSettled !== true || JSON.stringify(view) === shown) return;
    shown = JSON.stringify(view);
    await show(view);
  }
}

/**
 * Remembers the page that a button of a message opens. Resolves to the turn to show anew; undefined where
 * the turn is no longer there.
 */
export async function openPage(
  value: string,
  { core, pages }: { core: Pick<Core, "approval"> } & Pick<ChatParts, "pages">,
): Promise<string | undefined> {
  const wanted = readPageValue(value);
  const ref = wanted && readRef(wanted.ref);
  if (wanted === undefined || ref === undefined) return undefined;
  const turnId = ref.kind === "approval" ? (await core.approval(ref.approvalId))?.turnId : ref.turnId;
  if (turnId === undefined) return undefined;
  await pages.set(turnId, { ...(await pages.get(turnId)), [wanted.ref]: wanted.page });
  return turnId;
}
