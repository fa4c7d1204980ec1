import { request as rawRequest } from "node:http";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cleanUpAll, request, type HostedProduct, say, startHosted } from "./support.ts";

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted();
});
afterAll(cleanUpAll);

/** fetch does not let Host be chosen. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = rawRequest(`${product.url}${path}`, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.on("error", reject).end(body);
  });
}

function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

const json = { "content-type": "application/json" };

describe("a body", () => {
  it.each([
    ["no message and no keys", { session_id: "s" }, "message"],
    ["an empty message", { session_id: "s", message: "" }, "message"],
    ["a blank message", { session_id: "s", message: " \n\t " }, "message"],
    ["NUL in the message", { session_id: "s", message: "a\0b" }, "message"],
    ["an escape sequence in the message", { session_id: "s", message: "\u001B[31mred" }, "message"],
    ["half a character in the message", { session_id: "s", message: "\uD800" }, "message"],
    ["a message over 32 KB", { session_id: "s", message: "ä".repeat(16 * 1024 + 1) }, "message"],
    ["a message that is no text", { session_id: "s", message: 5 }, "message"],
    ["no session", { message: "hi" }, "session_id"],
    ["an empty session", { session_id: "", message: "hi" }, "session_id"],
    ["a long session", { session_id: "s".repeat(129), message: "hi" }, "session_id"],
    ["an unknown field", { session_id: "s", message: "hi", mesage: "hi" }, "mesage"],
    [
      "a token that no header can hold",
      { session_id: "s", message: "hi", tenant_config: { domain: "d", token: "a\nb" } },
      "tenant_config.token",
    ],
    [
      "an unknown field within",
      { session_id: "s", message: "hi", tenant_config: { domain: "d", token: "t", tls: true } },
      "tenant_config.tls",
    ],
    ["an actor of another surface", { session_id: "s", message: "hi", actor: "discord:G1:U1" }, "actor"],
    ["an actor with blanks", { session_id: "s", message: "hi", actor: "ana b" }, "actor"],
    ["keys nested 3,000 deep", { session_id: "s", approved_keys: nested(3_000) }, "approved_keys"],
    ["keys that are no list", { session_id: "s", approved_keys: "k" }, "approved_keys"],
  ])("[http.auth] with %s is refused with 400 that names the field", async (_, body, field) => {
    const answer = await request(product, "POST", "/agent/turn", body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", details: { field } } },
    });
    expect((answer.body as { error: { message: string } }).error.message).toContain(field);
  });

  it("[http.auth] of 100 KB is refused with 413, and the server goes on", async () => {
    const answer = await request(product, "POST", "/agent/turn", {
      session_id: "s",
      message: "a".repeat(100_000),
    });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "too_large" } } });
    const chunked = await fetch(`${product.url}/agent/turn`, {
      method: "POST",
      headers: json,
      body: new Blob(["a".repeat(100_000)]).stream(),
      duplex: "half",
    });
    expect(chunked.status).toBe(413);
    expect((await say(product, "/jira DEMO-1")).status).toBe(200);
  });

  it("[http.auth] that is not JSON, or not sent as JSON, is refused", async () => {
    const text = '{"session_id":"s","message":"hi"}';
    const plain = await send("POST", "/agent/turn", { "content-type": "text/plain" }, text);
    expect(plain.status).toBe(415);
    expect(JSON.parse(plain.text)).toMatchObject({ error: { code: "unsupported_media_type" } });
    const form = await send(
      "POST",
      "/agent/turn",
      { "content-type": "application/x-www-form-urlencoded" },
      "a=b",
    );
    expect(form.status).toBe(415);
    const broken = await send("POST", "/agent/turn", json, text.slice(0, -3));
    expect(broken.status).toBe(400);
    expect(JSON.parse(broken.text)).toMatchObject({ error: { code: "bad_json" } });
    expect((await send("POST", "/agent/turn", json, "[]")).status).toBe(400);
    expect(
      (await send("POST", "/agent/turn", { "content-type": "application/json; charset=utf-8" }, text)).status,
    ).toBe(200);
  });

  it("[http.auth] with tabs, line ends and any script of the world is accepted", async () => {
    const message = "/jira DEMO-1";
    expect((await say(product, `${message}\r\n`)).status).toBe(200);
    expect((await say(product, "plane\n\t日本語 العربية 👩‍👩‍👧")).status).toBe(200);
  });
});

describe("a request without tokens configured", () => {
  it("[mcp.patterns] of nothing but signs is answered like any other, and makes nobody wait", async () => {
    // Each took three seconds, in which nobody else was answered: together more than a test may take.
    const message = "`".repeat(32_000);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, at) => say(product, message, { session_id: `signs-${at}` })),
    );
    for (const { body } of replies) expect(body.reply).toContain("too long to read as one wish");
  });

  it("[http.auth] from a foreign Host is refused, whatever it asks for", async () => {
    const { port } = new URL(product.url);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "192.168.1.5"]) {
      for (const path of ["/", "/health", "/tools", "/playground/assets/app.js"]) {
        const answer = await send("GET", path, { host });
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "foreign_host" } });
      }
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "localhost"]) {
      expect((await send("GET", "/health", { host })).status).toBe(200);
    }
  });

  it("[http.auth] from a foreign Origin is refused and starts nothing", async () => {
    const body = JSON.stringify({ session_id: "csrf", message: "/jira DEMO-1" });
    for (const origin of [
      "https://evil.example",
      "null",
      "http://127.0.0.1:1",
      `${product.url}.evil.example`,
    ]) {
      const answer = await send("POST", "/agent/turn", { ...json, origin }, body);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "foreign_origin" } });
    }
    expect((await send("POST", "/agent/turn", { ...json, origin: product.url }, body)).status).toBe(200);
  });
});

describe("an address", () => {
  it("[http.turn] that does not exist is answered in JSON", async () => {
    expect(await request(product, "GET", "/nowhere")).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
  });

  it("[http.turn] asked with a wrong method says which one it takes", async () => {
    for (const [method, path, allow] of [
      ["PUT", "/agent/turn", "POST"],
      ["GET", "/agent/turn", "POST"],
      ["DELETE", "/tools", "GET, HEAD"],
      ["GET", "/approvals/x/decision", "POST"],
    ] as const) {
      const answer = await send(method, path, {});
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(allow);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "method_not_allowed" } });
    }
  });

  it("[http.auth] carries the security headers, errors included", async () => {
    for (const path of ["/", "/health", "/nowhere", "/playground/assets/app.js", "/agent/turns/none"]) {
      const { headers } = await send("GET", path, {});
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["x-frame-options"]).toBe("DENY");
      expect(headers["referrer-policy"]).toBe("same-origin");
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });
});

describe("GET /health and GET /tools", () => {
  it("[http.turn] show the servers, the model, the store and what policy says of each tool", async () => {
    const health = await request(product, "GET", "/health");
    expect(health).toMatchObject({
      status: 200,
      body: {
        status: "ok",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        model: { provider: "builtin", reachable: true },
        servers: { jira: { status: "up", tools: expect.any(Number) }, confluence: { status: "up" } },
        store: { kind: "sqlite", ok: true },
      },
    });
    const { body } = await request<{ tools: Record<string, unknown>[] }>(product, "GET", "/tools");
    const byId = new Map(body.tools.map((tool) => [tool.id, tool]));
    expect(byId.get("jira.get_jira_issue")).toMatchObject({
      server: "jira",
      name: "get_jira_issue",
      decision: "allow",
      input_schema: { type: "object" },
    });
    expect(byId.get("jira.create_issue")).toMatchObject({ decision: "ask" });
  });
});
