import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startAuthorisedServer } from "#test/fakes/auth-server.ts";
import type { AuthorisedServer } from "#test/fakes/auth-server.ts";

import { connectAt, follow, press } from "./oauth-browser.ts";
import {
  cleanUp,
  cleanUpAll,
  projectRoot,
  readStore,
  request,
  type HostedProduct,
  say,
  sayLive,
  startHosted,
  temporaryFolder,
  type WireResult,
} from "./support.ts";

interface Account {
  server: string;
  per: string;
  whose: string;
  connected: boolean;
  by?: string;
  since?: string;
}

let product: HostedProduct;
let notes: AuthorisedServer;
let rooms: AuthorisedServer;
let dataDir: string;
let file: string;
let config: object;

beforeAll(async () => {
  notes = await startAuthorisedServer(20);
  rooms = await startAuthorisedServer(600, { hasSessions: true });
  cleanUp(() => Promise.all([notes.stop(), rooms.stop()]));
  dataDir = await temporaryFolder();
  config = {
    model: { provider: "builtin" },
    servers: [
      { name: "team", url: notes.url, trust_annotations: true, oauth: { per: "channel" } },
      { name: "notes", url: notes.url, trust_annotations: true, use_persistent_session: true, oauth: {} },
      {
        name: "rooms",
        url: rooms.url,
        trust_annotations: true,
        use_persistent_session: true,
        oauth: { per: "channel" },
      },
    ],
    commands: {
      team: { server: "team", default: "whoami", subcommands: { who: "whoami" } },
      notes: { server: "notes", default: "whoami", subcommands: { who: "whoami" } },
      rooms: { server: "rooms", default: "whoami", subcommands: { who: "whoami" } },
    },
  };
  file = join(await temporaryFolder(), "countersign.json");
  await writeFile(file, JSON.stringify(config));
  product = await startHosted({ config, dataDir });
});
afterAll(cleanUpAll);

async function accounts(actor: string, session = "room"): Promise<Account[]> {
  const { body } = await request<{ accounts: Account[] }>(
    product,
    "GET",
    `/accounts?actor=${actor}&session_id=${session}`,
  );
  return body.accounts;
}

function begin(server: string, actor: string, session = "room") {
  return request<{ url: string; domain: string; whose: string; error?: { code: string; message: string } }>(
    product,
    "POST",
    `/connections/${server}`,
    { actor, session_id: session },
  );
}

async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["countersign.js", ...args, "--config", file], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

type Health = {
  status: string;
  servers: Record<string, { status: string; tools: number; note?: string; error?: string }>;
};

async function health(): Promise<Health> {
  return (await request<Health>(product, "GET", "/health")).body;
}

/** Asks until the server is as it should be: its list is read anew after an account was connected. */
async function untilServer(name: string, status: string): Promise<Health> {
  for (;;) {
    const now = await health();
    if (now.servers[name]?.status === status) return now;
  }
}

describe("accounts", () => {
  it("[mcp.oauth] a server that nobody has connected yet waits for that, and is not down", async () => {
    const { status, servers } = await health();
    expect(status).toBe("ok");
    expect(servers.notes).toEqual({ status: "waiting", tools: 0, note: "waiting for a first account" });
    const { code, stdout } = await run("servers");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^notes +waiting .*waiting for a first account$/m);
  });

  it("[mcp.oauth] are listed for the person and the channel, and connected by a link", async () => {
    expect(await accounts("ana")).toEqual([
      { server: "team", per: "channel", whose: "http:room", connected: false },
      { server: "notes", per: "person", whose: "http:ana", connected: false },
      { server: "rooms", per: "channel", whose: "http:room", connected: false },
    ]);
    const { status, body } = await begin("notes", "ana");
    expect(status).toBe(201);
    expect(body).toMatchObject({ server: "notes", whose: "http:ana", domain: new URL(notes.issuer).host });
    await connectAt(product, body.url, "ana-account");
    const [, mine] = await accounts("ana");
    expect(mine).toMatchObject({ server: "notes", connected: true, by: "http:ana" });
    expect(Date.parse(mine?.since ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect((await accounts("bo"))[1]).toMatchObject({ connected: false });
    const now = await untilServer("notes", "up");
    expect(now.servers.notes).toEqual({ status: "up", tools: 1 });
    const again = await begin("notes", "ana");
    expect(again).toMatchObject({ status: 409, body: { error: { code: "already_connected" } } });
    const unknown = await begin("nothing", "ana");
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    const nowhere = await request(product, "POST", "/connections/team", { actor: "ana" });
    expect(nowhere).toMatchObject({ status: 400, body: { error: { code: "bad_request" } } });
  });

  it("[mcp.oauth] of a channel are disconnected by who connected them, also after others have used them", async () => {
    const { body } = await begin("team", "ana");
    await connectAt(product, body.url, "team-account");
    const since = (await accounts("bo"))[0]?.since;
    // Its tokens are renewed for this call.
    await untilServer("team", "up");
    const used = await say(product, "/team who", { actor: "bo", session_id: "room" });
    expect(used.body.tool_result?.data).toContain("notes of team-account");
    expect((await accounts("bo"))[0]).toMatchObject({ connected: true, by: "http:ana", since });
    const refused = await request<{ error: { code: string; message: string } }>(
      product,
      "DELETE",
      "/connections/team?whose=http:room",
      { actor: "bo" },
    );
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "not_eligible" } } });
    expect(refused.body.error.message).toContain("Only ana");
    expect((await accounts("bo"))[0]).toMatchObject({ connected: true });
  });

  it("[mcp.oauth] commands of operators use the account of the person they name", async () => {
    const listed = await run("tools", "--as", "http:ana");
    expect(listed.stdout).toMatch(/^notes\.whoami /m);
    const called = await run("call", "notes.whoami", "--as", "http:ana");
    expect(called).toMatchObject({ code: 0 });
    expect(called.stdout).toMatch(/^notes of ana-account, read with \[redacted\]/);
    // What had to be renewed for it is kept: the product goes on with it.
    const after = await say(product, "/notes who", { actor: "ana", session_id: "ana" });
    expect(after.body.tool_result?.data).toContain("notes of ana-account");

    const nobody = await run("call", "notes.whoami", "--as", "http:bo");
    expect(nobody.code).not.toBe(0);
    expect(nobody.stderr).toContain("http:bo has no account connected with notes");
    expect(nobody.stderr).toContain('POST /connections/notes and {"actor":"bo"}');
    const slack = await run("call", "notes.whoami", "--as", "slack:T1:U1");
    expect(slack.stderr).toContain("/connect");
    const unnamed = await run("call", "notes.whoami");
    expect(unnamed.stderr).toContain("--as ACTOR");
    const channel = await run("call", "team.whoami", "--as", "http:bo", "--channel", "http:room");
    expect(channel.stdout).toContain("notes of team-account");
    const noChannel = await run("call", "team.whoami", "--as", "http:bo");
    expect(noChannel.stderr).toContain("--channel CHANNEL");
    const without = await run("tools", "--as", "http:bo");
    expect(without.code).toBe(1);
    expect(without.stderr).toContain("http:bo has no account connected with notes");
    expect(without.stdout).not.toContain("notes.whoami");
  }, 120_000);

  it("[mcp.oauth] disconnecting revokes, is in the audit chain, and keeps the tools", async () => {
    const token = [...notes.tokens].findLast(([, account]) => account === "ana-account")?.[0] ?? "";
    expect(await notes.isGood(token)).toBe(true);
    const gone = await request(product, "DELETE", "/connections/notes", { actor: "ana" });
    expect(gone).toMatchObject({ status: 200, body: { server: "notes", whose: "http:ana", by: "http:ana" } });
    expect(await notes.isGood(token)).toBe(false);
    const entries = readStore<{ kind: string; actor: string; data: string }>(
      dataDir,
      "select kind, actor, data from audit where kind like 'account.%' order by seq",
    );
    expect(entries.map(({ kind, actor }) => `${kind} ${actor}`)).toEqual([
      "account.connected http:ana",
      "account.connected http:ana",
      "account.disconnected http:ana",
    ]);
    expect(entries.at(-1)?.data).toContain('"whose":"http:ana"');
    const now = await untilServer("notes", "waiting");
    expect(now.status).toBe("ok");
    expect(now.servers.notes).toEqual({ status: "waiting", tools: 1, note: "waiting for a first account" });
    const twice = await request(product, "DELETE", "/connections/notes", { actor: "ana" });
    expect(twice).toMatchObject({ status: 404 });
  });

  it("[mcp.oauth] a server whose only account was refused is up again when it is connected anew", async () => {
    await connectAt(product, (await begin("notes", "ana")).body.url, "ana-account");
    await untilServer("notes", "up");
    await notes.takeBack("ana-account");
    // Another account's coming and going has the server looked at again.
    await connectAt(product, (await begin("notes", "bo")).body.url, "bo-account");
    await request(product, "DELETE", "/connections/notes", { actor: "bo" });
    await untilServer("notes", "waiting");
    await connectAt(product, (await begin("notes", "ana")).body.url, "ana-account");
    expect((await untilServer("notes", "up")).servers.notes).toEqual({ status: "up", tools: 1 });
  });
});

describe("of a channel, with a server that knows a session by its beginning", () => {
  const who = (actor: string) => say(product, "/rooms who", { actor, session_id: "room" });
  const inRoom = async (): Promise<Account | undefined> =>
    (await accounts("bo")).find(({ server }) => server === "rooms");

  it("[mcp.oauth] of two that connect at once one is kept, and the other replaces nothing", async () => {
    const [anas, bos] = [(await begin("rooms", "ana")).body.url, (await begin("rooms", "bo")).body.url];
    const [hers, his] = [await follow(anas, "ana-account"), await follow(bos, "bo-account")];
    expect((await press(product, hers.callback)).status).toBe(200);
    const granted = rooms.granted.length;
    const refused = await press(product, his.callback);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("ana has connected an account with rooms here already");
    // The code was not even exchanged.
    expect(rooms.granted.length).toBe(granted);
    expect(await inRoom()).toMatchObject({ connected: true, by: "http:ana" });
  });

  it("[mcp.oauth] disconnecting ends the sessions that the account began, here and in the store", async () => {
    await untilServer("rooms", "up");
    expect((await who("bo")).body.tool_result?.data).toContain("notes of ana-account");
    expect([...rooms.sessions.values()]).toContain("ana-account");
    const kept = (): unknown[] => readStore(dataDir, "select key from kv where key like 'mcp-session:%'");
    expect(kept()).not.toEqual([]);
    await request(product, "DELETE", "/connections/rooms?whose=http:room", { actor: "ana" });
    expect(kept()).toEqual([]);
    await untilServer("rooms", "waiting");
    const turn = await sayLive(product, "/rooms who", { actor: "bo", session_id: "room" });
    const { data } = await turn.until(({ event }) => event === "question");
    await connectAt(product, String(data.url), "bo-account");
    const result = (await turn.end())?.data as unknown as WireResult;
    expect(result.tool_result?.data).toContain("notes of bo-account");
    expect(await inRoom()).toMatchObject({ connected: true, by: "http:bo" });
    while ([...rooms.sessions.values()].includes("ana-account")) await health();
  });
});

describe("with tokens", () => {
  it("[mcp.oauth] the link of one person does nothing in the browser of another", async () => {
    const guarded = await startHosted({
      config: {
        ...config,
        http: {
          tokens: [
            { token: "ana-token-0123456789", actor: "ana" },
            { token: "bo-token-0123456789", actor: "bo" },
          ],
        },
      },
    });
    const as = (name: string) => ({ authorization: `Bearer ${name}-token-0123456789` });
    const response = await fetch(`${guarded.url}/connections/notes`, { method: "POST", headers: as("ana") });
    const { url } = (await response.json()) as { url: string };
    const { callback, page } = await follow(url, "bo-account");
    expect(page).toContain("<strong>http:ana</strong>");
    for (const headers of [{}, as("bo")]) {
      const refused = await press(guarded, callback, headers);
      expect(refused.status).toBe(403);
      expect(await refused.text()).toContain("This link is for ana");
    }
    // Nobody has used it up: whose it is may still end it.
    expect((await press(guarded, callback, as("ana"))).status).toBe(200);
  });
});
