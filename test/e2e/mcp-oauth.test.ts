import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startAuthorisedServer } from "#test/fakes/auth-server.ts";
import type { AuthorisedServer } from "#test/fakes/auth-server.ts";

import { follow, press as pressAt } from "./oauth-browser.ts";
import {
  cleanUp,
  cleanUpAll,
  type LiveTurn,
  request,
  type HostedProduct,
  say,
  sayLive,
  startHosted,
  temporaryFolder,
  type WireResult,
} from "./support.ts";

interface Link {
  question_id: string;
  kind: string;
  url: string;
  domain: string;
  state: string;
}

let product: HostedProduct;
let notes: AuthorisedServer;
let dataDir: string;
let config: object;

beforeAll(async () => {
  // Shorter than the time before their end at which tokens are renewed: each request renews them.
  notes = await startAuthorisedServer(20);
  cleanUp(() => notes.stop());
  dataDir = await temporaryFolder();
  config = {
    model: { provider: "builtin" },
    servers: [
      { name: "team", url: notes.url, trust_annotations: true, oauth: { per: "channel" } },
      { name: "notes", url: notes.url, trust_annotations: true, use_persistent_session: true, oauth: {} },
      {
        name: "rooms",
        url: notes.url,
        trust_annotations: true,
        use_persistent_session: true,
        oauth: { per: "channel" },
      },
    ],
    commands: {
      team: { server: "team", default: "whoami", subcommands: { connect: "connect", who: "whoami" } },
      notes: { server: "notes", default: "whoami", subcommands: { connect: "connect", who: "whoami" } },
      rooms: { server: "rooms", default: "whoami", subcommands: { connect: "connect", who: "whoami" } },
    },
  };
  product = await startHosted({ config, dataDir });
});
afterAll(cleanUpAll);

const press = (callback: URL): Promise<Response> => pressAt(product, callback);

async function linkOf(turn: LiveTurn): Promise<Link> {
  const { data } = await turn.until(({ event }) => event === "question");
  return data as unknown as Link;
}

async function connect(message: string, actor: string, account: string): Promise<WireResult> {
  const turn = await sayLive(product, message, { actor, session_id: actor });
  const link = await linkOf(turn);
  const { callback } = await follow(link.url, account);
  expect((await press(callback)).status).toBe(200);
  return (await turn.end())?.data as unknown as WireResult;
}

describe("a server that wants to know people", () => {
  it("[mcp.oauth] gives the person a link, and the turn goes on when they come back from it", async () => {
    const turn = await sayLive(product, "/notes connect", { actor: "ana", session_id: "ana" });
    const link = await linkOf(turn);
    expect(link).toMatchObject({ kind: "link", domain: new URL(notes.issuer).host, state: "open" });
    const asked = new URL(link.url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      resource: notes.url,
      redirect_uri: `${product.url}/oauth/callback`,
    });

    const { callback, page } = await follow(link.url, "ana-account");
    expect(page).toContain("<strong>http:ana</strong>");
    expect(page).toContain("<strong>notes</strong>");
    expect(await (await press(callback)).text()).toContain("notes is connected for http:ana");
    const result = (await turn.end())?.data as unknown as WireResult;
    expect(result.tool_result).toMatchObject({ ok: true, data: { connected: "notes" } });
    const question = await request<Link>(product, "GET", `/questions/${link.question_id}`);
    expect(question.body.state).toBe("accepted");

    // A link is good for one use.
    const again = await press(callback);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("was used already");
  });

  it("[mcp.oauth] each person has an account of their own, asked for at their first call", async () => {
    const mine = await say(product, "/notes who", { actor: "ana", session_id: "ana" });
    expect(mine.body.tool_result).toMatchObject({ ok: true });
    expect(mine.body.tool_result?.data).toContain("notes of ana-account");
    const theirs = await connect("/notes who", "bo", "bo-account");
    expect(theirs.tool_result?.data).toContain("notes of bo-account");
    const { body } = await request(product, "GET", "/connections?actor=bo");
    expect(body).toMatchObject({ connections: [{ server: "notes", whose: "http:bo", per: "person" }] });
  });

  it("[mcp.oauth] tokens are renewed, once for calls at the same time", async () => {
    const before = notes.granted.length;
    const turns = ["a", "b", "c"].map((session) =>
      say(product, "/notes who", { actor: "ana", session_id: session }),
    );
    for (const { body } of await Promise.all(turns)) {
      expect(body.tool_result?.data).toContain("notes of ana-account");
    }
    expect(notes.granted.slice(before)).toContain("refresh_token");
    expect(new Set(notes.granted.slice(before))).toEqual(new Set(["refresh_token"]));
  });

  it("[mcp.oauth] with per: channel one account is everybody's in the channel, and in no other", async () => {
    const connected = await connect("/team connect", "dan", "team-account");
    expect(connected.tool_result).toMatchObject({ ok: true });
    const here = await say(product, "/team who", { actor: "bo", session_id: "dan" });
    expect(here.body.tool_result?.data).toContain("notes of team-account");
    const elsewhere = await sayLive(product, "/team who", { actor: "dan", session_id: "elsewhere" });
    const link = await linkOf(elsewhere);
    await request(product, "POST", `/questions/${link.question_id}/answer`, {
      action: "decline",
      actor: "dan",
    });
    const result = (await elsewhere.end())?.data as unknown as WireResult;
    expect(result.tool_result).toMatchObject({ ok: false, error: { code: "refused" } });
  });

  it("[mcp.oauth] the link of a channel is for who asks, also in a session that another opened", async () => {
    await connect("/rooms connect", "fay", "fay-account");
    const first = await say(product, "/rooms who", { actor: "fay", session_id: "fay" });
    expect(first.body.tool_result?.data).toContain("notes of fay-account");
    await notes.takeBack("fay-account");
    const turn = await sayLive(product, "/rooms who", { actor: "gus", session_id: "fay" });
    const { callback, page } = await follow((await linkOf(turn)).url, "gus-account");
    expect(page).toContain("<strong>http:gus</strong>");
    expect((await press(callback)).status).toBe(200);
    const result = (await turn.end())?.data as unknown as WireResult;
    expect(result.tool_result?.data).toContain("notes of gus-account");
    const { body } = await request(product, "GET", "/connections?actor=gus");
    expect(body).toMatchObject({ connections: [{ server: "rooms", whose: "http:fay", by: "http:gus" }] });
  });

  it("[mcp.oauth] without an authorisation nothing is called", async () => {
    const turn = await sayLive(product, "/notes who", { actor: "cy", session_id: "cy" });
    const link = await linkOf(turn);
    await request(product, "POST", `/questions/${link.question_id}/answer`, {
      action: "decline",
      actor: "cy",
    });
    const result = (await turn.end())?.data as unknown as WireResult;
    expect(result.tool_result).toMatchObject({ ok: false, error: { code: "refused" } });
  });

  it("[mcp.oauth] an answer that names another issuer, or a state that nobody was given, is refused", async () => {
    const turn = await sayLive(product, "/notes who", { actor: "eve", session_id: "eve" });
    const link = await linkOf(turn);
    const { callback } = await follow(link.url, "eve-account");
    const codes = notes.granted.length;
    const stranger = new URL(callback);
    stranger.searchParams.set("state", "made-up");
    expect((await press(stranger)).status).toBe(400);
    callback.searchParams.set("iss", "https://evil.example");
    const refused = await press(callback);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("not the one that was asked");
    expect(notes.granted.length).toBe(codes);
    expect((await request(product, "GET", "/connections?actor=eve")).body).toEqual({ connections: [] });
    await request(product, "POST", `/questions/${link.question_id}/answer`, {
      action: "decline",
      actor: "eve",
    });
    await turn.end();
  });

  it("[mcp.oauth] tokens outlive a restart, and stand nowhere in the clear", async () => {
    await product.stop();
    const log = JSON.stringify(product.log);
    const restarted = await startHosted({ config, dataDir });
    const { body } = await say(restarted, "/notes who", { actor: "bo", session_id: "bo" });
    expect(body.tool_result?.data).toMatch(/notes of bo-account, read with \[redacted\]/);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = files
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
      .join();
    expect(notes.tokens.size).toBeGreaterThan(3);
    for (const token of notes.tokens.keys()) {
      for (const text of [bytes, log, JSON.stringify(restarted.log), JSON.stringify(body)]) {
        expect(text.includes(token)).toBe(false);
      }
    }

    const last = [...notes.tokens].findLast(([, account]) => account === "bo-account")?.[0] ?? "";
    expect(await notes.isGood(last)).toBe(true);
    const gone = await request(restarted, "DELETE", "/connections/notes", { actor: "bo" });
    expect(gone).toMatchObject({ status: 200, body: { server: "notes", whose: "http:bo" } });
    const warnings = restarted.log.filter(
      (line) => Number(line.level) >= 40 && String(line.msg).includes("revo"),
    );
    expect(warnings).toEqual([]);
    expect(await notes.isGood(last)).toBe(false);
    const turn = await sayLive(restarted, "/notes who", { actor: "bo", session_id: "bo" });
    const link = await linkOf(turn);
    await request(restarted, "POST", `/questions/${link.question_id}/answer`, {
      action: "decline",
      actor: "bo",
    });
    await turn.end();
  });
});
