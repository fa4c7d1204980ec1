import { expect, it } from "vitest";

import { loadText, problemsOf } from "./write-config.ts";

const base = (more: string): string => `servers: [{ name: web, url: "http://127.0.0.1:9006/mcp", ${more} }]`;

it.each([
  ["credentials: { token: tenant.tokn }", "servers[0].credentials.token"],
  ['credentials: { token: "Bearer {tenant}" }', "servers[0].credentials.token"],
  ["credentials: { token: hunter2 }", "servers[0].credentials.token"],
  ["oauth: { client_id: me }", "servers[0].oauth.issuer"],
  ["oauth: { client_secret: shh }", "servers[0].oauth.client_secret"],
  ["person_headers: { ana: { a: b } }", "servers[0].person_headers.ana"],
])(
  "[mcp.config] [mcp.credentials] a mapping that could never be filled is refused: %s",
  async (text, path) => {
    expect((await problemsOf(base(text))).map((problem) => problem.path)).toContain(path);
  },
);

it("[mcp.credentials] headers and accounts are refused for a server without an address", async () => {
  const text =
    'servers: [{ name: a, command: [node], oauth: {}, credentials: { "header:X": tenant.token }, person_headers: { "http:ana": { a: b } } }]';
  const paths = (await problemsOf(text)).map((problem) => problem.path);
  expect(paths).toContain("servers[0].oauth");
  expect(paths).toContain("servers[0].person_headers");
  expect(paths.some((path) => path.startsWith("servers[0].credentials"))).toBe(true);
});

it("[mcp.credentials] names, texts around names, headers and _meta are taken", async () => {
  const mapping = {
    token: "tenant.token",
    both: "{source.domain}:{target.token}",
    "header:Authorization": "Bearer {tenant.token}",
    "meta:example.com/site": "tenant.domain",
  };
  const { servers } = await loadText(base(`credentials: ${JSON.stringify(mapping)}`));
  expect(servers[0]?.credentials).toEqual(mapping);
});
