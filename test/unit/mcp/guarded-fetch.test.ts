import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { reason } from "#src/mcp/errors.ts";
import { createGuardedFetch, type GuardOptions } from "#src/mcp/connect/guarded-fetch.ts";

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.closeAllConnections();
});

/** A server of this machine, with what it was asked. */
async function listen(
  answer: RequestListener,
): Promise<{ port: number; connections: number; seen: IncomingHttpHeaders[] }> {
  const told = { port: 0, connections: 0, seen: [] as IncomingHttpHeaders[] };
  const server = createServer((request, response) => {
    told.seen.push(request.headers);
    answer(request, response);
  });
  server.on("connection", () => (told.connections += 1));
  server.listen(0, "127.0.0.1").unref();
  open.push(server);
  await once(server, "listening");
  told.port = (server.address() as AddressInfo).port;
  return told;
}

function addressed(...addresses: string[]): NonNullable<GuardOptions["resolve"]> {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_, told) => told(null, found);
}

/** Why an address was not asked; empty where it was. */
async function whyNot(asking: Promise<Response>): Promise<string> {
  return asking.then(() => "", reason);
}

describe("an address that an MCP server of the internet names", () => {
  const server = "https://mcp.example/mcp";

  it.each([
    "http://auth.example/",
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://localhost/",
    "https://10.1.2.3/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://172.31.0.1/",
    "https://192.168.0.1/",
    "https://0.0.0.0/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fd12::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "ftp://auth.example/",
  ])("[mcp.oauth] is not asked where it is inside or in the clear: %s", async (url) => {
    const resolve = addressed("127.0.0.1");
    expect(await whyNot(createGuardedFetch({ server, resolve })(url))).toMatch(
      /expected (an https|a public|a name)/,
    );
  });

  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["169.254.169.254"]],
    [[]],
  ])("[mcp.oauth] is not connected to where its name leads inside: %j", async (addresses) => {
    const inner = await listen((_, response) => response.end("{}"));
    const guarded = createGuardedFetch({ server, resolve: addressed(...addresses) });
    expect(await whyNot(guarded(`https://auth.example:${inner.port}/`))).toContain("public addresses alone");
    expect(inner.connections).toBe(0);
  });

  it("[mcp.oauth] is no page to send a person to unless it is https", () => {
    const guarded = createGuardedFetch({ server });
    expect(() => guarded.check(new URL("http://192.168.0.1/reboot"))).toThrow(
      expect.objectContaining({ code: "address_refused" }),
    );
    expect(() => guarded.check(new URL("https://auth.example/authorize"))).not.toThrow();
  });

  it("is asked where the configuration names it", async () => {
    const issuer = await listen((_, response) => response.end(JSON.stringify({ issuer: "it" })));
    const address = `http://127.0.0.1:${issuer.port}`;
    const guarded = createGuardedFetch({ server, issuer: address });
    expect(await (await guarded(`${address}/.well-known/openid-configuration`)).json()).toEqual({
      issuer: "it",
    });
  });
});

describe("an address that an MCP server of this machine names", () => {
  const options = {
    server: "http://127.0.0.1:1/mcp",
    headers: { Authorization: "Bearer key", "x-plain": "a" },
  };

  it("may be on this machine, and gets nothing that is for the MCP server", async () => {
    const auth = await listen((_, response) => response.end(JSON.stringify({ access_token: "t" })));
    const headers = { authorization: "Bearer key", "x-plain": "a", accept: "application/json" };
    const init = { method: "POST", headers, body: new URLSearchParams({ a: "b" }) };
    const answer = await createGuardedFetch({ ...options, resolve: addressed("127.0.0.1") })(
      `http://localhost:${auth.port}/`,
      init,
    );
    expect(await answer.json()).toEqual({ access_token: "t" });
    expect(auth.seen).toEqual([expect.objectContaining({ accept: "application/json" })]);
    expect(auth.seen[0]).not.toHaveProperty("authorization");
    expect(auth.seen[0]).not.toHaveProperty("x-plain");
  });

  it.each([
    [200, "root:x:0:0", ""],
    [200, '["a"]', ""],
    [400, '{"error": "invalid_grant", "error_description": "the secret"}', '{"error":"invalid_grant"}'],
    [403, "the secret", '{"error":"server_error"}'],
    [500, '{"error": "The Secret"}', '{"error":"server_error"}'],
  ])("[mcp.oauth] says %d and %j, of which no words are passed on", async (status, said, passedOn) => {
    const auth = await listen((_, response) => response.writeHead(status).end(said));
    const answer = await createGuardedFetch(options)(`http://127.0.0.1:${auth.port}/`);
    expect([answer.status, await answer.text()]).toEqual([status, passedOn]);
  });

  it("[mcp.oauth] leads nowhere by a redirect, nor does the MCP server itself", async () => {
    const inner = await listen((_, response) => response.end("{}"));
    const leading = await listen((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    const address = `http://127.0.0.1:${leading.port}/`;
    for (const server of [address, options.server])
      expect((await createGuardedFetch({ server })(address)).status).toBe(307);
    expect(inner.connections).toBe(0);
  });

  it("[mcp.oauth] is found where the configured server itself moved it, and not beyond", async () => {
    const own = await listen(({ url }, response) => {
      if (url === "/meta/") response.end(JSON.stringify({ resource: "it" }));
      else response.writeHead(308, { location: url === "/meta" ? "/meta/" : String(url) }).end();
    });
    const server = `http://127.0.0.1:${own.port}/mcp`;
    const guarded = createGuardedFetch({ server });
    expect(await (await guarded(`http://127.0.0.1:${own.port}/meta`)).json()).toEqual({ resource: "it" });
    expect((await guarded(`http://127.0.0.1:${own.port}/round`)).status).toBe(308);
    expect(own.seen).toHaveLength(2 + 4);
    // What may have been done already is not done once more.
    expect((await guarded(`http://127.0.0.1:${own.port}/meta`, { method: "POST" })).status).toBe(308);
    expect(own.seen).toHaveLength(2 + 4 + 1);
  });

  it("is not read without an end", async () => {
    const auth = await listen((_, response) => response.end(Buffer.alloc(1_100_000, "x")));
    expect(await whyNot(createGuardedFetch(options)(`http://127.0.0.1:${auth.port}/`))).toContain(
      "at most 1 MB",
    );
  });
});
