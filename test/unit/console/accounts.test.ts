import { expect, it } from "vitest";

import type { Account } from "#contract/connections.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createAccountActions } from "#src/present/account-actions.ts";

import { Chat } from "./chat.ts";
import { cards } from "./scripted-core.ts";

const since = Date.UTC(2026, 10, 22, 9, 30);

function chatWith(accounts: Account[]): { chat: Chat; gone: string[] } {
  const gone: string[] = [];
  const chat = new Chat(async () => undefined);
  chat.accounts = createAccountActions({
    cards,
    connections: {
      accounts: async () => accounts,
      begin: async (server, { actor }) => ({
        server,
        whose: actor,
        url: "https://sign-in.example.com/authorize?state=1",
        domain: "sign-in.example.com",
        expiresAt: Date.now() + 15 * 60_000,
      }),
      async disconnect(server, actor, whose) {
        const found = accounts.find((one) => one.server === server && one.connection?.by === actor);
        if (found?.connection === undefined)
          throw new CountersignError("not_found", `You have connected no account with ${server}.`);
        gone.push(`${server} ${whose ?? ""}`);
        return found.connection;
      },
    },
  });
  return { chat, gone };
}

const notes: Account = {
  server: "notes",
  per: "person",
  whose: "console:ana",
  connection: { server: "notes", whose: "console:ana", per: "person", by: "console:ana", since },
};
const team: Account = { server: "team", per: "channel", whose: "c" };

it("[mcp.oauth] /accounts lists what servers want, and says how to connect and disconnect", async () => {
  const { chat, gone } = chatWith([notes, team]);
  chat.start();
  chat.type(
    "/accounts\n/accounts connect team\n/accounts disconnect notes\n/accounts disconnect other\n/accounts what\n",
  );
  chat.input.end();
  await chat.ended;
  expect(chat.text).toContain("notes");
  expect(chat.text).toContain("your own account, connected on 22 Nov 2026, 09:30 UTC");
  expect(chat.text).toContain("works with an account of this channel");
  expect(chat.text).toContain("https://sign-in.example.com/authorize?state=1");
  expect(chat.text).toContain("Domain: sign-in.example.com");
  expect(chat.text).toContain("Disconnected: the account with notes is forgotten here");
  expect(chat.text).toContain("You have connected no account with other.");
  expect(gone).toEqual(["notes console:ana"]);
});
