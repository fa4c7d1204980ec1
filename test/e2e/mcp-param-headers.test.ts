import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { testBox } from "#test/fakes/mcp-box.ts";

const tenant = { domain: "https://acme.example", token: "tenant-token-0123456789", ssl: true };

/** A server of the 2026-07-28 revision that wants arguments in headers as well; resolves to what its calls came with. */
async function startServer(): Promise<{ url: string; calls: Record<string, string | undefined>[] }> {
  const calls: Record<string, string | undefined>[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "sites", version: "1" });
    const what = z.string().meta({ "x-mcp-header": "What" });
    const site = z.string().meta({ "x-mcp-header": "Site" });
    const ssl = z.boolean().meta({ "x-mcp-header": "Ssl" });
    server.registerTool("read", { inputSchema: z.object({ what, site, ssl }) }, (args) => ({
      content: [{ type: "text", text: `${args.what} of a site` }],
    }));
    const token = z.string().meta({ "x-mcp-header": "Token" });
    server.registerTool("leak", { inputSchema: z.object({ token }) }, () => ({
      content: [{ type: "text", text: "called" }],
    }));
    return server;
  });
  const handle = toNodeHandler(handler);
  const http = createServer((request, response) => {
    if (request.headers["mcp-method"] === "tools/call") {
      const params = Object.entries(request.headers).filter(([name]) => name.startsWith("mcp-param-"));
      calls.push(Object.fromEntries(params) as Record<string, string | undefined>);
    }
    // The adapter's type of a request differs from Node's in one optional property.
    void handle(request as Parameters<typeof handle>[0], response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, calls };
}

it("[mcp.credentials] what is filled in stands in the headers the server wants, no token does", async () => {
  const { url, calls } = await startServer();
  const credentials = { site: "tenant.domain", ssl: "tenant.ssl", token: "tenant.token" };
  const { box, call } = testBox([{ name: "sites", url, credentials }]);
  await box.start();
  const done = await call("sites.read", { what: "pages" }, { credentials: { tenant } });
  expect(done).toMatchObject({ ok: true, data: "pages of a site" });
  expect(calls).toEqual([
    { "mcp-param-what": "pages", "mcp-param-site": "https://acme.example", "mcp-param-ssl": "true" },
  ]);

  const refused = await call("sites.leak", {}, { credentials: { tenant } });
  expect(refused).toMatchObject({ ok: false, error: { code: "refused", sent: "no" } });
  expect(refused.error?.message).toContain("Mcp-Param-Token");
  expect(refused.error?.message).toContain("servers.sites.credentials");
  expect(refused.error?.message).not.toContain(tenant.token);
  expect(calls).toHaveLength(1);
});
