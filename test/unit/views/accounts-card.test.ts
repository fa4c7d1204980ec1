import { expect, it } from "vitest";

import type { Account } from "#contract/connections.ts";
import { createCards } from "#views/cards/cards.ts";

const cards = createCards();
const since = Date.UTC(2026, 10, 22, 9, 30);
const mine: Account = {
  server: "notes",
  per: "person",
  whose: "slack:T1:U1",
  connection: { server: "notes", whose: "slack:T1:U1", per: "person", by: "slack:T1:U1", since },
};
const ours: Account = {
  server: "team",
  per: "channel",
  whose: "slack:T1:C1",
  connection: { server: "team", whose: "slack:T1:C1", per: "channel", by: "slack:T1:U2", since },
};

it("[mcp.oauth] the card of accounts says for whom each is connected, since when and by whom", () => {
  const text = JSON.stringify(
    cards.accounts([mine, ours, { server: "wiki", per: "person", whose: "slack:T1:U1" }], "slack:T1:U1", {
      "slack:T1:U2": "Ben Adler",
    }),
  );
  expect(text).toContain("your own account, connected on 22 Nov 2026, 09:30 UTC");
  expect(text).toContain("this channel's account, connected by Ben Adler (U2) on 22 Nov 2026, 09:30 UTC");
  expect(text).toContain("works with an account of your own");
  expect(text.match(/"connected"/g)).toHaveLength(2);
  expect(text).toContain('"not connected"');
});

it("[mcp.oauth] the card of accounts says when no server wants one", () => {
  expect(JSON.stringify(cards.accounts([], "http:ana"))).toContain("No accounts to connect here");
});

it("[mcp.oauth] the status says of a server that waits for an account just that", () => {
  const text = JSON.stringify(
    cards.status({
      status: "ok",
      version: "1",
      model: { provider: "builtin", model: "builtin", reachable: true },
      servers: [{ name: "notes", status: "waiting", tools: 0, note: "waiting for a first account" }],
      store: { kind: "sqlite", ok: true },
    }),
  );
  expect(text).toContain("waiting for a first account, 0 tools");
});
