import { once } from "node:events";
import { createServer } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cleanUpAll, readStore, refusalOf, type HostedProduct, startHosted } from "./support.ts";

const ANA_TOKEN = "token-of-ana-0123456789";
const BEN_TOKEN = "the-one-of-ben-0123456789";
const CONFIG = `
servers:
  - name: jira
    command: [node, servers/jira/main.ts]
    trust_annotations: true
commands:
  jira: { server: jira, default: get_jira_issue }
http:
  tokens:
    - { token: ${ANA_TOKEN}, actor: ana }
    - { token: other-of-ana-0123456789, actor: ana }
    - { token: ${BEN_TOKEN}, actor: "http:ben" }
`;
const ANA = { authorization: `Bearer ${ANA_TOKEN}` };

let product: HostedProduct;

function signIn(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${product.url}/session`, {
    method: "POST",
    redirect: "manual",
    headers,
    body: new URLSearchParams({ token }),
  });
}

/** Signs in and gives the cookie. */
async function session(token: string): Promise<{ cookie: string }> {
  const cookie = (await signIn(token)).headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(cookie).toMatch(/^countersign_session=[\w-]{43}$/);
  return { cookie };
}

function signOut(headers: Record<string, string>, everywhere = ""): Promise<Response> {
  return fetch(`${product.url}/session${everywhere}`, { method: "DELETE", headers });
}

function ask(path: string, headers: Record<string, string>, body?: unknown): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    redirect: "manual",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("with tokens configured", () => {
  beforeAll(async () => {
    product = await startHosted({ config: CONFIG });
  });
  afterAll(cleanUpAll);

  it("[ops.setup] [http.auth] has no set-up page: who is on this machine is no operator here", async () => {
    expect((await ask("/setup", {})).status).toBe(401);
    expect((await ask("/setup", ANA)).status).toBe(404);
  });

  it("[http.auth] answers 401 without a token or with a wrong one", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: "Basic YTpi" },
      { cookie: "countersign_session=wrong" },
    ]) {
      for (const path of ["/tools", "/approvals", "/agent/turns/x", "/playground/panel"]) {
        const response = await ask(path, headers);
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toContain("Bearer");
        expect(await response.json()).toMatchObject({ error: { code: "unauthorized" } });
      }
    }
    expect((await ask("/agent/turn", {}, { session_id: "s", message: "hi" })).status).toBe(401);
  });

  it("[http.auth] takes the actor from the token, and refuses another one in the body", async () => {
    const body = { session_id: "who", message: "/jira DEMO-1" };
    const own = await ask("/agent/turn", ANA, body);
    expect(own.status).toBe(200);
    const { turn_id: id } = (await own.json()) as { turn_id: string };
    expect(await (await ask(`/agent/turns/${id}`, ANA)).json()).toMatchObject({ actor: "http:ana" });
    expect((await ask("/agent/turn", ANA, { ...body, actor: "ana" })).status).toBe(200);
    const other = await ask("/agent/turn", ANA, { ...body, actor: "ben" });
    expect(other.status).toBe(403);
    expect(await other.json()).toMatchObject({ error: { code: "actor_mismatch" } });
  });

  it("[http.auth] tells a probe without a token how it is, and nothing about what it is connected to", async () => {
    expect(await (await ask("/health", {})).json()).toEqual({ status: "ok", version: expect.any(String) });
    expect(await (await ask("/health", ANA)).json()).toMatchObject({ servers: { jira: { status: "up" } } });
  });

  it("[http.auth] signs the page in with a cookie that scripts and other sites cannot use", async () => {
    for (const path of ["/", "/approvals", "/audit"]) {
      const page = await ask(path, { accept: "text/html" });
      expect([path, page.status]).toEqual([path, 401]);
      expect(await page.text()).toContain("Sign in");
    }
    expect((await signIn("wrong")).status).toBe(401);
    expect((await signIn(BEN_TOKEN, { origin: "https://evil.example" })).status).toBe(403);

    const signedIn = await signIn(BEN_TOKEN);
    expect(signedIn.status).toBe(303);
    const set = signedIn.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/HttpOnly/);
    expect(set).toMatch(/SameSite=Strict/);
    expect(set).not.toContain(BEN_TOKEN.slice(0, 8));
    const cookie = set.split(";")[0] ?? "";
    expect(await (await ask("/", { cookie })).text()).toMatch(/Acting as\s*<strong[^>]*>ben</);
    expect((await ask("/tools", { cookie })).status).toBe(200);
    expect((await ask("/tools", { cookie, origin: "https://evil.example" })).status).toBe(403);
  });

  it("[http.auth] signing out ends the session in the server, here or everywhere", async () => {
    const statuses = async (...all: { cookie: string }[]): Promise<number[]> =>
      Promise.all(all.map(async (one) => (await ask("/tools", one)).status));
    const [first, second, third] = [
      await session(ANA_TOKEN),
      await session(ANA_TOKEN),
      await session(ANA_TOKEN),
    ];
    const bens = await session(BEN_TOKEN);
    expect(new Set([first, second, third, bens].map(({ cookie }) => cookie)).size).toBe(4);
    // Another site cannot sign anybody out.
    expect((await signOut({ ...first, origin: "https://evil.example" })).status).toBe(403);
    expect(await statuses(first, second, third, bens)).toEqual([200, 200, 200, 200]);
    expect((await signOut(first)).status).toBe(204);
    expect(await statuses(first, second, third, bens)).toEqual([401, 200, 200, 200]);
    expect((await signOut(second, "?everywhere=1")).status).toBe(204);
    expect(await statuses(first, second, third, bens)).toEqual([401, 401, 401, 200]);
    // Signing in again in the same browser ends the session before.
    const again = await signIn(BEN_TOKEN, bens);
    expect(again.status).toBe(303);
    expect(await statuses(bens)).toEqual([401]);
    const kept = readStore<{ key: string; value: string }>(
      product.dataDir,
      "select key, value from kv where key like 'http-session:%'",
    );
    const values = [first, second, third, bens].map(({ cookie }) => cookie.split("=")[1] ?? "");
    for (const secret of [...values, ANA_TOKEN, BEN_TOKEN])
      expect(JSON.stringify(kept)).not.toContain(secret);
  });

  it("[http.auth] answers few of many guesses, and keeps nobody out whose token they do not come near", async () => {
    const guesses = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        n % 2 === 0 ? signIn(`${n}-secret`) : ask("/tools", { authorization: `Bearer ${n}-secret` }),
      ),
    );
    const counts = (status: number): number =>
      guesses.filter((response) => response.status === status).length;
    expect(counts(401)).toBeLessThanOrEqual(10);
    expect(counts(401) + counts(429)).toBe(200);
    const refused = await signIn("one-more");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.text()).toContain("Try again in");
    const bearer = await ask("/tools", { authorization: "Bearer one-more" });
    expect(await bearer.json()).toMatchObject({ error: { code: "rate_limited" } });
    // Long tokens are not found by guessing, so those who have one come in from the same address.
    expect((await signIn(BEN_TOKEN)).status).toBe(303);
    expect((await ask("/tools", ANA)).status).toBe(200);
    expect((await ask("/health", {})).status).toBe(200);
    const signedIn = await session(ANA_TOKEN);
    for (let n = 0; n < 10; n += 1) await ask("/tools", { authorization: `Bearer ${ANA_TOKEN}${n}` });
    expect((await ask("/tools", ANA)).status).toBe(429);
    // Who is signed in already is not asked for a token.
    expect((await ask("/tools", signedIn)).status).toBe(200);
  });

  it("[http.auth] a session outlives a restart, and not its token", async () => {
    const [anas, bens] = [await session("other-of-ana-0123456789"), await session(BEN_TOKEN)];
    await product.stop();
    const config = CONFIG.replace(/servers:[^]*(?=http:\n)/, "servers: []\n").replace(
      BEN_TOKEN,
      "another-of-ben-0123456789",
    );
    product = await startHosted({ config, dataDir: product.dataDir });
    expect((await ask("/tools", anas)).status).toBe(200);
    expect((await ask("/tools", bens)).status).toBe(401);
  });
});

describe("start-up", () => {
  it("[http.auth] refuses to listen beyond this machine without tokens, and says what to do", async () => {
    const refusal = await refusalOf({ env: { HOST: "0.0.0.0" } });
    expect(refusal).toContain("insecure_bind");
    expect(refusal).toContain("http.tokens");
  });

  it("[http.turn] names a port that is in use and what to do", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const refusal = await refusalOf({ env: { PORT: port } });
    holder.close();
    expect(refusal).toContain("port_in_use");
    expect(refusal).toContain(port);
    expect(refusal).toContain("PORT=");
  });
});
