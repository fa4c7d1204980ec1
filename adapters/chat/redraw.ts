import type { TurnView } from "#contract/present.ts";

/** A settled turn that changed while it was shown is shown again; more often than this, the presenter goes on. */
const REDRAWS = 5;

/** Shows a turn anew where only what is open in its message changed, until it is shown as it is. */
export async function redraw(
  read: () => Promise<TurnView | undefined>,
  show: (view: TurnView) => Promise<void>,
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
