import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { describe, expect, it } from "vitest";

import { type AuthorisedServer, startAuthorisedServer } from "#test/fakes/auth-server.ts";
import { root } from "#test/fakes/mcp-box.ts";

import type { ChatHands } from "./chat-hands.ts";
import { connectAt, follow } from "./oauth-browser.ts";
import { cleanUp, type HostedProduct, readStore } from "./support.ts";

export interface ServersInChat<Message> {
  hands: ChatHands<Message>;
  product: HostedProduct;
  notes: AuthorisedServer;
  /** Kills the product and starts it anew over the same data. */
  restart: () => Promise<void>;
}

/** Servers that ask people, bring files and want accounts. */
export async function startServers(): Promise<{ config: object; notes: AuthorisedServer }> {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const notes = await startAuthorisedServer(3_600);
  cleanUp(() => notes.stop());
  const config = {
    model: { provider: "builtin" },
    servers: [
      { name: "shop", url },
      { name: "hasty", url, question_timeout_ms: 1_000 },
      { name: "notebook", command: ["node", "test/fakes/mcp-notebook.ts"], use_persistent_session: true },
      { name: "files", command: ["node", "test/fakes/mcp-files.ts"], trust_annotations: true },
      { name: "team", url: notes.url, trust_annotations: true, oauth: { per: "channel" } },
      { name: "notes", url: notes.url, trust_annotations: true, oauth: {} },
      {
        name: "sites",
        command: ["node", "test/fakes/mcp-sites.ts"],
        trust_annotations: true,
        credentials: {
          tenant_domain: "tenant.domain",
          tenant_token: "tenant.token",
          source_domain: "source.domain",
          source_token: "source.token",
          target_domain: "target.domain",
          target_token: "target.token",
        },
      },
    ],
    policy: { rules: [{ tools: ["*"], decision: "allow", idempotent: true }] },
    views: {},
    commands: {
      shop: {
        server: "shop",
        subcommands: { confirm: "confirm", odd: "odd", visit: "visit", double: "double" },
      },
      hasty: { server: "hasty", subcommands: { confirm: "confirm" } },
      files: { server: "files", subcommands: { report: "report", many: "many", big: "big" } },
      notes: { server: "notes", subcommands: { who: "whoami", connect: "connect" } },
      sites: { server: "sites", subcommands: { who: "whoami" } },
      notebook: { server: "notebook", subcommands: { jot: "jot", recall: "recall" } },
    },
  };
  return { config, notes };
}

/** What servers do to people in a chat, the same on each platform. `here` is read in the tests. */
export function serversInChat<Message>(here: () => ServersInChat<Message>): void {
  const shown = (message: Message, ...words: string[]): Promise<true> =>
    here().hands.until(() => words.every((one) => here().hands.holds(message, one)));
  /** Nothing is left to be pressed but what the answer of a turn has. */
  const answered = (message: Message, words: string): Promise<true> =>
    here().hands.until(() => here().hands.holds(message, words) && here().hands.holds(message, "cs:menu"));

  async function lastAlone(who: string, words: string): Promise<Message> {
    const { hands } = here();
    return hands.until(() => {
      const message = hands.alone(who).at(-1);
      return message !== undefined && hands.holds(message, words) ? message : undefined;
    });
  }

  describe("a form of a server", () => {
    it("[mcp.elicit] is answered by the person who asked, and by nobody else", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/shop confirm what=jump", "Really jump?");
      await hands.press("ben", message, "Answer");
      await lastAlone("ben", "Only the person who asked");
      expect(hands.hasForm("ben")).toBe(false);
      expect(hands.read(message)).toContain("Really jump?");
      // Beside the question and where people type: whose form it is, and what does not belong into it.
      const warning = "This form is from shop. Never type a password, a code or a key into it.";
      expect(hands.holds(message, warning)).toBe(true);
      await hands.press("ana", message, "Answer");
      await hands.until(() => hands.hasForm("ana"));
      expect(hands.formHolds("ana", warning)).toBe(true);
      await hands.fill("ana", { Sure: "Yes", Why: "I can" });
      await answered(message, "I can");
      expect(hands.read(message)).not.toContain("Decline");
    });

    it("[mcp.elicit] may have fields that are called as an object's own parts are", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/shop odd", "What of the object?");
      await hands.press("ana", message, "Answer");
      await hands.fill("ana", { Constructor: "mine", "Has own property": "yours" });
      await answered(message, "constructor is mine, hasOwnProperty is yours");
      expect(hands.read(message)).not.toContain("Decline");
    });

    it("[mcp.elicit] is declined with a button", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/shop confirm what=fall", "Really fall?");
      await hands.press("ana", message, "Decline");
      await answered(message, "decline");
      expect(hands.holds(message, "Really fall?")).toBe(false);
    });

    it("[mcp.elicit] goes when nobody answers in time, and the server hears that", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/hasty confirm what=wait", "cs:menu");
      await answered(message, "cancel");
      expect(hands.read(message)).not.toContain("Decline");
    });

    it("[mcp.elicit] is asked again after a restart, and the new one is answered", async () => {
      const { hands, restart } = here();
      const message = await hands.ask("ana", "/shop confirm what=survive", "Really survive?");
      const [id = ""] = /ques_[0-9A-Z]+/.exec(hands.read(message)) ?? [];
      await restart();
      await hands.until(() => {
        const [now] = /ques_[0-9A-Z]+/.exec(hands.read(message)) ?? [];
        return now !== undefined && now !== id;
      });
      await hands.press("ana", message, "Answer");
      await hands.fill("ana", { Sure: "Yes", Why: "still here" });
      await answered(message, "still here");
      expect(hands.read(message)).not.toContain("Decline");
    }, 90_000);
  });

  describe("a page that a server wants opened", () => {
    const page = "https://sign-in.example.com/a?secret=of-ana";

    it("[mcp.elicit] is shown to the person who asked, and to nobody else", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", `/shop visit url=${page}`, "Show me the page");
      await shown(message, "Waiting for ", " to open a page for shop.");
      // What was asked for stands in the question of the person; the product says nothing of it.
      expect(hands.read(message)).not.toContain("sign-in.example.com/");
      expect(hands.read(message)).not.toContain("Sign in there");

      const before = hands.alone("ben").length;
      await hands.press("ben", message, "Show me the page");
      const refused = await hands.until(() => hands.alone("ben")[before]);
      expect(hands.read(refused)).toMatch(/Only the person who asked/);
      expect(hands.read(refused)).not.toContain("sign-in.example.com");

      await hands.press("ana", message, "Show me the page");
      const own = await lastAlone("ana", "I have opened it");
      expect(hands.read(own)).toContain("secret=of-ana");
      expect(hands.read(own)).toContain("page at sign-in.example.com");
      await hands.press("ana", own, "Decline");
      await answered(message, "decline");
      await hands.until(() => hands.holds(own, "Declined."));
    });

    it("[mcp.elicit] goes on when the person says that they opened it", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", `/shop visit url=${page}&b`, "Show me the page");
      await hands.press("ana", message, "Show me the page");
      const own = await lastAlone("ana", "I have opened it");
      await hands.press("ana", own, "I have opened it");
      await answered(message, "accept");
      await hands.until(() => hands.holds(own, "you have opened the page"));
      expect(hands.read(message)).not.toContain("Show me the page");
    });
  });

  describe("what a call lacks", () => {
    it("[plan.missing-args] is filled in, and the button is gone after that", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/shop double", "Fill in");
      await hands.press("ana", message, "Fill in");
      await hands.fill("ana", { N: "21" });
      await hands.until(() => !hands.holds(message, "Fill in"));
      expect(hands.holds(message, "cs:menu")).toBe(true);
    });

    it("[plan.missing-args] is said in plain words, and the button is gone after that as well", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/shop double", "Fill in");
      await hands.reply("ana", message, "/shop double n=4");
      await hands.until(() => !hands.holds(message, "Fill in"));
      expect(hands.holds(message, "cs:menu")).toBe(true);
    });
  });

  describe("what may have been meant", () => {
    it("[plan.missing-args] is offered by title, filled in, and no more offered after that", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "frobnicate the double", "Double (shop)");
      await hands.press("ana", message, "Double (shop)");
      await hands.fill("ana", { N: "23" });
      await hands.until(() => !hands.holds(message, "Double (shop)"));
      expect(hands.holds(message, "cs:menu")).toBe(true);
    });
  });

  describe("files of a call", () => {
    it("stand beside the answer, a picture and a text", async () => {
      const { hands } = here();
      const message = await hands.ask("ana", "/files report", "cs:menu");
      const names = await hands.until(() => hands.files(message).length === 2 && hands.files(message));
      expect(names).toEqual(["report-2.png", "report.txt"]);
    });

    it("are left out where there are too many, and named", async () => {
      const { hands } = here();
      const most = hands.platform === "slack" ? 10 : 4;
      const message = await hands.ask("ana", "/files many count=12", "cs:menu");
      await hands.until(() => hands.files(message).length === most);
      expect(hands.read(message)).toContain("Not attached, as too large or too many");
      expect(hands.holds(message, `part-${most + 1}.txt`)).toBe(true);
    });
  });

  describe("accounts", () => {
    it("[mcp.oauth] are connected by a link of the person's own, and disconnected", async () => {
      const { hands, product, notes } = here();
      await hands.own("ana", "accounts");
      const list = await lastAlone("ana", "not connected");
      await shown(
        list,
        "notes",
        "works with an account of your own",
        "works with an account of this channel",
      );
      await hands.press("ana", list, "Connect notes");
      const link = await lastAlone("ana", "for you alone");
      await connectAt(product, urlIn(hands.read(link)), "ana-account");
      await hands.press("ana", list, "Connect team");
      await hands.until(
        () => hands.alone("ana").filter((one) => hands.holds(one, "for you alone")).length > 1,
      );
      await connectAt(product, urlIn(hands.read(hands.alone("ana").at(-1) as Message)), "team-account");
      // Somebody else has none, and may not give up that of the channel.
      await hands.own("ben", "accounts");
      const others = await lastAlone("ben", "not connected");
      await shown(others, "works with an account of your own", "connected by ");
      expect(hands.read(others)).not.toContain("Disconnect");

      await hands.own("ana", "accounts");
      const mine = await lastAlone("ana", "Disconnect notes");
      await shown(mine, "your own account, connected on", "connected by you on");
      await product.line(({ msg, server }) => msg === "server is up" && server === "notes");
      const answer = await hands.ask("ana", "/notes who", "cs:menu");
      await shown(answer, "notes of ana");
      const token = [...notes.tokens].findLast(([, account]) => account === "ana-account")?.[0] ?? "";
      expect(await notes.isGood(token)).toBe(true);
      await hands.press("ana", mine, "Disconnect notes");
      await shown(mine, "Disconnected: the account with notes", "Connect notes");
      expect(await notes.isGood(token)).toBe(false);
      expect(kinds(product)).toEqual(["account.connected", "account.connected", "account.disconnected"]);
    });

    it("[ops.connect] a site and its token are given on a page, and chosen for the channel with buttons", async () => {
      const { hands } = here();
      const none = await hands.ask("ana", "/sites who", "cs:menu");
      await shown(none, "none is chosen here", "/connect");
      await hands.own("ana", "accounts");
      const list = await lastAlone("ana", "Connect a site for sites");
      for (const name of ["old", "new"]) {
        const before = hands.alone("ana").length;
        await hands.press("ana", list, "Connect a site for sites");
        const link = await hands.until(() => hands.alone("ana")[before]);
        await shown(link, "for you alone");
        const typed = { name, domain: `${name}.example`, token: `tok-${name}-secret` };
        const kept = await fetch(connectUrl(hands.read(link)), {
          method: "POST",
          body: new URLSearchParams(typed),
        });
        expect(kept.status).toBe(200);
      }
      const chosen = await hands.ask("ana", "/sites who", "cs:menu");
      await shown(chosen, "Somebody of new");
      expect(hands.read(chosen)).not.toContain("tok-new-secret");
      // Nobody else's message goes there.
      await shown(await hands.ask("ben", "/sites who", "cs:menu"), "none is chosen here");
      await hands.own("ana", "accounts");
      const mine = await lastAlone("ana", "Use old here");
      await hands.press("ana", mine, "Use old here");
      await shown(mine, "old is used as your site for sites here", "Stop using old here");
      await shown(await hands.ask("ana", "/sites who", "cs:menu"), "Somebody of old");
      await hands.press("ana", mine, "Disconnect old");
      await shown(mine, "your site old is forgotten here");
      await shown(await hands.ask("ana", "/sites who", "cs:menu"), "none is chosen here");
    });

    it("[mcp.oauth] the link of a call is for the person whose call it is, and the call goes on by itself", async () => {
      const { hands, product } = here();
      const message = await hands.ask("ana", "/notes who", "Show me the page");
      await hands.press("ana", message, "Show me the page");
      const own = await lastAlone("ana", "I have opened it");
      // Who looks at the link before its person does, such as an unfurler, uses nothing up.
      const { callback } = await follow(urlIn(hands.read(own)), "ana-account");
      for (const method of ["GET", "HEAD", "GET"]) {
        const seen = await fetch(`${product.url}/oauth/callback${callback.search}`, { method });
        expect(seen.status).toBe(200);
      }
      // Neither does somebody else who presses.
      await hands.press("ben", message, "Show me the page");
      await lastAlone("ben", "Only the person who asked for this");
      await connectAt(product, urlIn(hands.read(own)), "ana-account");
      await answered(message, "notes of ana");
      expect(hands.read(message)).not.toContain("Show me the page");
      // What they were shown alone is still there; it says that it is too late for it.
      await hands.press("ana", own, "Decline");
      await lastAlone("ana", "This question was answered already");
    });
  });
}

function connectUrl(text: string): string {
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{32}/.exec(text) ?? [];
  if (url === undefined) throw new Error(`expected a link to connect a site, got ${text}`);
  return url;
}

function kinds({ dataDir }: HostedProduct): string[] {
  const sql = "select kind from audit where kind like 'account.%' order by seq";
  return readStore<{ kind: string }>(dataDir, sql).map(({ kind }) => kind);
}

/** The address of an authorisation server in what a person was shown. */
function urlIn(text: string): string {
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/auth\?[^\s"\\)>]+/.exec(text) ?? [];
  if (url === undefined) throw new Error(`expected an address, got ${text}`);
  return url;
}
