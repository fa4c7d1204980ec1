import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

import type { CallOutcome, CallRequest } from "#contract/tool.ts";
import { createFillIn, hideFilled, inject, type OutgoingCall } from "#src/mcp/call/credentials.ts";
import { createMask, createSecretLog, maskOutcome, type SecretLog } from "#src/mcp/call/masking.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import { testBox } from "#test/fakes/mcp-box.ts";
import { buildTool } from "#test/builders.ts";

const tenant = { domain: "https://acme.example", token: "s3cret/+token" };
const tool = buildTool("sites.read", {
  inputSchema: {
    type: "object",
    properties: { token: { type: "string" }, site: { type: "string" }, what: { type: "string" } },
    required: ["token", "what"],
  },
});

/** Calls as `callTool` makes them: filled in, and masked. */
function filledCalls(
  config: McpServerConfig,
  make: (request: OutgoingCall) => Promise<CallOutcome>,
  log: SecretLog,
): (request: CallRequest) => Promise<CallOutcome> {
  const fillIn = createFillIn(config, log);
  return async (request) => {
    const filled = fillIn(request);
    if (!filled.ok)
      return { ok: false, data: null, error: { code: "refused", sent: "no", message: filled.message } };
    const outcome = await make(filled.request);
    return filled.mask === undefined ? outcome : maskOutcome(outcome, filled.mask);
  };
}

const mapping = { token: "tenant.token", site: "tenant.domain", "header:X-Auth": "Token {tenant.token}" };

describe("filling in", () => {
  it("[mcp.credentials] hides what it fills in, and keeps the digest of what the server listed", () => {
    const shown = hideFilled(tool, mapping);
    expect(shown.inputSchema).toMatchObject({ properties: { what: {} }, required: ["what"] });
    expect(Object.keys(shown.inputSchema.properties as object)).toEqual(["what"]);
    expect(shown.digest).toBe(tool.digest);
    expect(hideFilled(tool, {})).toBe(tool);
  });

  it("[mcp.credentials] gives arguments only to a tool that has them, and never half a secret", () => {
    const made = inject(hideFilled(tool, mapping), mapping, { tenant }, true);
    expect(made).toMatchObject({
      ok: true,
      injected: {
        args: { token: tenant.token, site: tenant.domain },
        headers: { "X-Auth": `Token ${tenant.token}` },
      },
    });
    expect(inject(tool, mapping, { tenant }, true)).toMatchObject({ injected: { args: {} } });
    expect(inject(hideFilled(tool, mapping), mapping, undefined, true)).toEqual({
      ok: false,
      missing: ["tenant.token"],
    });
    const migration = { source: tenant, target: { ...tenant, ssl: false } };
    expect(
      inject(
        tool,
        { "meta:a": "target.ssl", "meta:b": "{source.token}:{tenant.token}" },
        { migration },
        true,
      ),
    ).toMatchObject({ injected: { meta: { a: false } } });
  });

  it("[mcp.credentials] keeps a token out of headers, where there are any", () => {
    const properties = { token: { type: "string", "x-mcp-header": "Site" } };
    const wanting = hideFilled({ ...tool, inputSchema: { type: "object", properties } }, mapping);
    expect(inject(wanting, mapping, { tenant }, true)).toMatchObject({
      ok: false,
      exposed: { argument: "token", header: "Mcp-Param-Site", token: "tenant.token" },
    });
    expect(inject(wanting, mapping, { tenant }, false)).toMatchObject({
      ok: true,
      injected: { args: { token: tenant.token } },
    });
  });
});

it("[mcp.credentials] calls nothing with a header that cannot be sent, and does not repeat it", async () => {
  const calls = filledCalls(
    { name: "sites", url: "http://x/mcp", credentials: { "header:X-Site": "{tenant.domain}" } },
    () => Promise.reject(new Error("called")),
    createSecretLog({ debug() {}, info() {}, warn() {}, error() {} }),
  );
  const credentials = { tenant: { ...tenant, domain: "hush\nit" } };
  const { signal } = new AbortController();
  const { error } = await calls({ tool, args: {}, channel: "c", credentials, signal });
  expect(error).toMatchObject({ code: "refused", sent: "no" });
  expect(error?.message).toContain("the header X-Site of what this turn came with");
  expect(error?.message).not.toContain("hush");
});

describe("masking", () => {
  const { token, domain } = tenant;
  it.each([
    ["as it is", token],
    ["in another case", "ACME.example"],
    ["in a URL", encodeURIComponent(token)],
    ["in JSON", JSON.stringify({ [token]: domain })],
    ["in Base64", Buffer.from(`a user:${token}`).toString("base64")],
    ["in Base64 of a URL", Buffer.from(`:${token}`).toString("base64url")],
    ["in hexadecimal", Buffer.from(token).toString("hex")],
  ])("[mcp.credentials] finds a secret %s", (_, text) => {
    const masked = createMask([token, domain]).text(`before ${text} after`);
    expect(masked).toContain("[redacted]");
    expect(masked).not.toContain(text);
  });

  it("[mcp.credentials] masks data, keys, errors and the bytes of files", () => {
    const data = Buffer.from(`png\xff${token}`, "latin1").toString("base64");
    const masked = maskOutcome(
      {
        ok: false,
        data: { [token]: [token, 1, null] },
        text: token,
        error: { code: "tool_error", sent: "yes", message: `no ${token}` },
        files: [{ name: "a.png", mediaType: "image/png", bytes: 1, data }],
      },
      createMask([token]),
    );
    expect(JSON.stringify(masked)).not.toContain(token);
    const file = Buffer.from(masked.files?.[0]?.data ?? "", "base64");
    expect(file.toString("latin1")).toBe("png\xff[redacted]");
    expect(masked.files?.[0]?.bytes).toBe(file.length);
  });

  it("[mcp.credentials] a person's secret masks the log of the server it was sent to, and no other's", () => {
    const lines: string[] = [];
    const write = (data: object, message: string): void => void lines.push(JSON.stringify([data, message]));
    const log = createSecretLog({ debug: write, info: write, warn: write, error: write });
    log.sent("sites", ["approved"]);
    log.warn({ server: "sites", line: "approved" }, "approved");
    log.warn({ server: "jira", line: "approved" }, "approved");
    log.warn({}, "approved");
    expect(lines).toEqual([
      '[{"server":"sites","line":"[redacted]"},"[redacted]"]',
      '[{"server":"jira","line":"approved"},"approved"]',
      '[{},"approved"]',
    ]);
  });
});

describe("what the configuration gives a server", () => {
  it("[mcp.credentials] is masked where the server says it back, if its name says that it is secret", async () => {
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const config = {
      name: "sites",
      url: "http://127.0.0.1/mcp",
      env: { SITE_API_TOKEN: "from-the-environment", SITE_URL: "https://acme.example", A_TOKEN: "short" },
      headers: { Authorization: "Bearer for-everybody", Accept: "application/json" },
      person_headers: { "http:ana": { "X-Api-Key": "for-ana-alone" } },
    };
    const said =
      "from-the-environment for-everybody for-ana-alone https://acme.example short application/json";
    const call = filledCalls(
      config,
      async () => ({ ok: false, data: said, error: { code: "tool_error", sent: "yes", message: said } }),
      createSecretLog(quiet),
    );
    const signal = AbortSignal.timeout(1_000);
    const outcome = await call({ tool, args: {}, channel: "http:x", actor: "http:ana", signal });
    const masked = "[redacted] [redacted] [redacted] https://acme.example short application/json";
    expect([outcome.data, outcome.error?.message]).toEqual([masked, masked]);
  });

  it("[mcp.credentials] masks what the arguments say is a secret, where the server says it back", async () => {
    const args = {
      user: "ana.lopez",
      password: "Hunter2-hunter2",
      pin_token: "short",
      opts: [{ api_key: "K3y-of-the-site" }, { next_page_token: "page-two-of-it" }],
    };
    const call = filledCalls(
      { name: "sites" },
      async (request) => ({
        ok: false,
        data: { said: JSON.stringify(request.args) },
        error: {
          code: "tool_error",
          sent: "yes",
          message: "Hunter2-hunter2 is not the password of ana.lopez",
        },
      }),
      createSecretLog({ debug() {}, info() {}, warn() {}, error() {} }),
    );
    const outcome = await call({ tool, args, channel: "c", signal: AbortSignal.timeout(1_000) });
    expect(outcome.error?.message).toBe("[redacted] is not the password of ana.lopez");
    expect(outcome.data).toEqual({
      said: JSON.stringify({
        ...args,
        password: "[redacted]",
        opts: [{ api_key: "[redacted]" }, { next_page_token: "page-two-of-it" }],
      }),
    });
  });

  it("[mcp.credentials] masks what a server says back of its headers in its list and in why it is away", async () => {
    const secret = "s3cret-of-the-operator";
    let isAway = false;
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const said = String(request.headers["x-api-key"]);
      const sent = await json(request).catch(() => ({}));
      const { id, method = "" } = sent as { id?: number; method?: string };
      if (isAway) return void response.writeHead(400).end(`no use of ${said}`);
      if (request.method !== "POST") return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      const property = { type: "string", description: said, default: said };
      const inputSchema = { type: "object", properties: { a: property } };
      const listed = ["look", `look_${said}`].map((name) => ({
        name,
        title: said,
        description: said,
        inputSchema,
      }));
      const serverInfo = { name: "echo", version: "1" };
      const results: Record<string, object> = {
        initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
        "tools/list": { tools: listed },
      };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const { box, call, logged } = testBox([
      { name: "echo", url, headers: { "x-api-key": secret }, use_persistent_session: true },
    ]);
    try {
      await box.start();
      expect(box.tools().map(({ id }) => id)).toContain("echo.look");
      isAway = true;
      // Whoever gives such an answer does not say what was done; the server is looked for anew.
      expect((await call("echo.look")).error?.message).toContain("no use of [redacted]");
      await expect.poll(() => box.servers()[0]?.status).toBe("retrying");
      const { error } = await call("echo.look");
      expect(error).toMatchObject({ code: "server_down" });
      expect(error?.message).toContain("no use of [redacted]");
      expect(JSON.stringify([box.tools(), box.servers(), error])).not.toContain(secret);
      expect(logged.map(({ message }) => message)).toContain("tools left out: they cannot be read");
    } finally {
      await box.stop();
      server.closeAllConnections();
      server.close();
    }
  });

  it("[mcp.credentials] leaves what anybody may say, and finds a password in an address", async () => {
    const config = {
      name: "sites",
      env: {
        TOKEN_URL: "https://acme.example/oauth/token",
        SECRET_BACKEND: "kubernetes",
        STORE: "postgres://bot:pass%2Fword@db.example/x",
        KEY_PASSWORD: "correct horse batterystaple",
        API_SECRET: "work/Kx9aa83",
      },
    };
    const data =
      "https://acme.example/PROJ-1 kubernetes batterystaple work db.example pass/word pass%2Fword work/Kx9aa83";
    const call = filledCalls(
      config,
      async () => ({ ok: true, data }),
      createSecretLog({ debug() {}, info() {}, warn() {}, error() {} }),
    );
    const signal = AbortSignal.timeout(1_000);
    expect(await call({ tool, args: {}, channel: "http:x", actor: "http:ana", signal })).toMatchObject({
      data: "https://acme.example/PROJ-1 kubernetes batterystaple work db.example [redacted] [redacted] [redacted]",
    });
  });
});
