import type { AccountList } from "#contract/accounts.ts";
import type { Card } from "#contract/card.ts";

import type { ButtonSpec } from "./buttons.ts";

/** The list of accounts with what can be pressed in it; below `said` where something just happened. */
export function accountsShown(
  { card, deeds }: AccountList,
  said?: string,
): { card: Card; buttons: ButtonSpec[] } {
  const above: Card["elements"] = said === undefined ? [] : [{ type: "text", text: said }];
  const buttons = deeds.map(({ deed, label, value }): ButtonSpec => ({
    action: deed,
    label,
    value,
    style: deed === "connect" ? "primary" : "danger",
  }));
  return { card: { ...card, elements: [...above, ...card.elements] }, buttons };
}
