import { once } from "node:events";
import { createServer } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cleanUpAll, type RunningProduct, startProduct, startRefused } from "./support.ts";

const CONFIG = `
servers:
  - name: jira
    command: [node, servers/jira/main.ts]
    trust_annotations: true
commands:
  jira: { server: jira, default: get_jira_issue }
http:
  tokens:
    - { token: token-of-ana-0123456789, actor: ana }
    - { token: token-of-ben-0123456789, actor: "http:ben" }
`;
const ANA = { authorization: "Bearer token-of-ana-0123456789" };

let product: RunningProduct;

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
    product = await startProduct({ config: CONFIG });
  });
  afterAll(cleanUpAll);

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
    const page = await ask("/", {});
    expect(page.status).toBe(401);
    expect(await page.text()).toContain("Sign in");
    const signIn = (token: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${product.url}/session`, {
        method: "POST",
        redirect: "manual",
        headers,
        body: new URLSearchParams({ token }),
      });
    expect((await signIn("wrong")).status).toBe(401);
    expect((await signIn("token-of-ben-0123456789", { origin: "https://evil.example" })).status).toBe(403);

    const signedIn = await signIn("token-of-ben-0123456789");
    expect(signedIn.status).toBe(303);
    const set = signedIn.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/HttpOnly/);
    expect(set).toMatch(/SameSite=Strict/);
    expect(set).not.toContain("token-of-ben");
    const cookie = set.split(";")[0] ?? "";
    expect(await (await ask("/", { cookie })).text()).toMatch(/Acting as\s*<strong[^>]*>ben</);
    expect((await ask("/tools", { cookie })).status).toBe(200);
    expect((await ask("/tools", { cookie, origin: "https://evil.example" })).status).toBe(403);
  });
});

describe("start-up", () => {
  it("[http.auth] refuses to listen beyond this machine without tokens, and says what to do", async () => {
    const { code, stderr } = await startRefused({ env: { HOST: "0.0.0.0" } });
    expect(code).toBe(1);
    expect(stderr).toContain("insecure_bind");
    expect(stderr).toContain("http.tokens");
  });

  it("[http.turn] names a port that is in use and what to do", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, stderr } = await startRefused({ env: { PORT: port } });
    holder.close();
    expect(code).toBe(1);
    expect(stderr).toContain("port_in_use");
    expect(stderr).toContain(port);
    expect(stderr).toContain("PORT=");
  });
});
