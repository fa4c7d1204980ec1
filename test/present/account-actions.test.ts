import { expect, it } from "vitest";

import type { Account, Connection } from "#contract/connections.ts";
import { createAccountActions } from "#src/present/account-actions.ts";
import { createCards } from "#views/cards/cards.ts";

it("[mcp.oauth] disconnects the account that the button stands for, whatever signs its channel has", async () => {
  const whose = "http:team|a";
  const by = "http:ana";
  const connection: Connection = { server: "jira", per: "channel", whose, by, since: 0 };
  const account: Account = { server: "jira", per: "channel", whose, connection };
  const forgotten: unknown[] = [];
  const desk = createAccountActions({
    cards: createCards(),
    connections: {
      use: () => Promise.reject(new Error("no sites here")),
      accounts: () => Promise.resolve([account]),
      begin: () => Promise.reject(new Error("nothing to begin")),
      disconnect(...asked) {
        forgotten.push(asked);
        return Promise.resolve(connection);
      },
    },
  });
  const { actions } = await desk.list({ actor: by, channel: whose });
  expect(actions).toMatchObject([{ action: "disconnect", server: "jira" }]);
  await desk.disconnect(actions[0]?.value ?? "", by);
  expect(forgotten).toEqual([["jira", by, whose]]);
});
