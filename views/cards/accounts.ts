import type { Card, CardElement } from "#contract/card.ts";
import type { Account } from "#contract/connections.ts";

import { humanTime } from "../dates.ts";
import { exactLine } from "./shown.ts";
import { who } from "./words.ts";

/** The accounts that servers want of a person and of the channel they are in, with what stands of them. */
export function accountsCard(
  accounts: readonly Account[],
  actor: string,
  names: Readonly<Record<string, string>> = {},
): Card {
  const title = "Accounts";
  const none: CardElement = { type: "text", text: "No server here wants an account of yours." };
  const list: CardElement = { type: "list", items: accounts.map((account) => itemOf(account, actor, names)) };
  return {
    kind: "status",
    title,
    elements: [{ type: "header", text: title }, accounts.length === 0 ? none : list],
  };
}

function itemOf(
  { server, per, connection }: Account,
  actor: string,
  names: Readonly<Record<string, string>>,
): { text: string; detail: string; badges: { text: string; tone: "good" | "neutral" }[] } {
  if (connection === undefined) {
    const whose = per === "channel" ? "an account of this channel" : "an account of your own";
    return {
      text: exactLine(server),
      detail: `works with ${whose}`,
      badges: [{ text: "not connected", tone: "neutral" }],
    };
  }
  const whose = per === "channel" ? "this channel's account" : "your own account";
  const by = per === "person" ? "" : ` by ${connection.by === actor ? "you" : who(connection.by, names)}`;
  return {
    text: exactLine(server),
    detail: `${whose}, connected${by} on ${humanTime(connection.since)}`,
    badges: [{ text: "connected", tone: "good" }],
  };
}
