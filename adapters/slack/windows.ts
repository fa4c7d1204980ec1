import type { CardElement } from "#contract/card.ts";

import type { ModalView } from "@slack/types";

import { findWindow } from "../chat/windows.ts";
import type { WindowParts, WindowState } from "../chat/windows.ts";
import { renderWindow } from "./render/modals.ts";

/**
 * The window that a state names, at a page from 0, below a notice where there is one; undefined when what
 * it shows is no longer there.
 */
export async function drawWindow(
  state: WindowState,
  page: number,
  parts: WindowParts,
  notice?: string,
): Promise<ModalView | undefined> {
  const window = await findWindow(state, parts);
  if (window === undefined) return undefined;
  const { card } = window;
  const above: CardElement[] = notice === undefined ? [] : [{ type: "text", text: notice }];
  return renderWindow({ ...window, card: { ...card, elements: [...above, ...card.elements] } }, { page });
}
