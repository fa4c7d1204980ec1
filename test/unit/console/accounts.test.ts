import { expect, it } from "vitest";

import type { Account } from "#contract/connections.ts";
import { CountersignError } from "#src/base/errors.ts";
import { createAccountActions } from "#src/present/account-actions.ts";

import { Chat } from "./chat.ts";
import { cards } from "./scripted-core.ts";

const since = Date.UTC(2026, 10, 22, 9, 30);

function chatWith(accounts: Account[]): { chat: Chat; gone: string[]; used: unknown[] } {
  const gone: string[] = [];
  const used: unknown[] = [];
  const chat = new Chat(async () => undefined);
  chat.accounts = createAccountActions({
    cards,
    connections: {
      use: async (choice) => void used.push(choice),
      accounts: async () => accounts,
      begin: async (server, { actor }) => ({
        server,
        whose: actor,
        url: "https://sign-in.example.com/authorize?state=1",
        domain: "sign-in.example.com",
        expiresAt: Date.now() + 15 * 60_000,
      }),
      async disconnect(server, actor, whose) {
        const found = accounts.find(
          (one) =>
            one.server === server && one.connection?.by === actor && one.whose === (whose ?? one.whose),
        );
        if (found?.connection === undefined)
          throw new CountersignError("not_found", `You have connected no account with ${server}.`);
        gone.push(`${server} ${whose ?? ""}`);
        return found.connection;
      },
    },
  });
  return { chat, gone, used };
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

const takes = ["tenant", "source", "target"] as const;
const siteOf = (name: string): Account => ({
  server: "sisense",
  per: "person",
  whose: `site:${name}`,
  connection: {
    server: "sisense",
    whose: `site:${name}`,
    per: "person",
    by: "console:ana",
    since,
  },
  takes,
  site: { name, domain: `${name.toLowerCase()}.example.com`, uses: name === "EU" ? ["tenant"] : [] },
});

it("[ops.connect] /connect lists sites, gives the link to a page, and chooses what is used here", async () => {
  const { chat, gone, used } = chatWith([
    siteOf("EU"),
    siteOf("US"),
    { server: "sisense", per: "person", whose: "console:ana", takes },
  ]);
  chat.start();
  chat.type(
    "/connect\n/connect Sisense\n/connect use us\n/connect from eu to us\n/connect use mars\n/connect nonsense\n/accounts disconnect US\n",
  );
  chat.input.end();
  await chat.ended;
  const said = chat.text.replaceAll(/\s+/g, " ");
  expect(said).toContain("eu.example.com, for sisense, connected on 22 Nov 2026, 09:30 UTC");
  expect(said).toContain("used here");
  expect(said).toContain("give the address and the token of your site there, not here");
  expect(said).toContain("You have no site mars that fits. Yours are EU, US.");
  expect(said).toContain("/connect from NAME to NAME the two of a migration");
  expect(said).toContain("EU is used as the source of migrations for sisense here");
  expect(used).toEqual([
    { server: "sisense", name: "US", as: "tenant" },
    { server: "sisense", name: "EU", as: "source" },
    { server: "sisense", name: "US", as: "target" },
  ]);
  expect(gone).toEqual(["sisense site:US"]);
});
