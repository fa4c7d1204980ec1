import { createSecretKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { openOAuthStore } from "#app/accounts.ts";
import { createOAuth, type OAuth } from "#src/mcp/auth/oauth.ts";
import type { OAuthStore } from "#src/mcp/auth/oauth-provider.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import { createSealer } from "#src/store/sealed.ts";
import { type AuthorisedServer, startAuthorisedServer } from "#test/fakes/auth-server.ts";

import { follow } from "../../e2e/oauth-browser.ts";

const ends: (() => Promise<unknown>)[] = [];
let notes: AuthorisedServer;
let store: OAuthStore;
let oauth: OAuth;
/** Called after each reading of an account. */
let afterReading: (key: string) => Promise<unknown>;

beforeEach(async () => {
  // Shorter than the time before their end at which tokens are renewed.
  notes = await startAuthorisedServer(20);
  const page = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(page, "listening");
  const folder = await mkdtemp(join(tmpdir(), "renewal-"));
  const opened = await openEmbeddedStore(folder);
  ends.push(
    () => rm(folder, { recursive: true, force: true }),
    () => opened.close(),
    () => notes.stop(),
    async () => {
      page.closeAllConnections();
      page.close();
    },
  );
  const real = openOAuthStore(opened.db, createSealer(createSecretKey(randomBytes(32))));
  const { grants } = real;
  afterReading = async () => {};
  store = {
    ...real,
    grants: {
      set: (key, grant) => grants.set(key, grant),
      delete: (key) => grants.delete(key),
      async get(key) {
        const grant = await grants.get(key);
        await afterReading(key);
        return grant;
      },
    },
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  oauth = createOAuth({
    servers: [{ name: "notes", url: notes.url, oauth: { per: "person" } }],
    store,
    publicUrl: () => `http://127.0.0.1:${(page.address() as AddressInfo).port}`,
    log,
    now: Date.now,
  });
  const { url } = await oauth.begin("notes", { actor: "http:ana", channel: "http:room" });
  const { callback } = await follow(url, "ana-account");
  await oauth.finish(callback.searchParams);
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

it("[mcp.oauth] tokens that are renewed are kept, with who connected the account and when", async () => {
  const before = await oauth.grant("notes", "http:ana");
  const tokens = await oauth
    .provider(
      "notes",
      "http:ana",
      () => "http:bo",
      () => {},
    )
    .tokens();
  const after = await oauth.grant("notes", "http:ana");
  expect(tokens?.access_token).not.toBe(before?.tokens.access_token);
  expect(after).toMatchObject({ actor: "http:ana", connectedAt: before?.connectedAt, tokens });
});

it("[mcp.oauth] an account disconnected in a renewal stays so; new tokens are revoked", async () => {
  const provider = oauth.provider(
    "notes",
    "http:ana",
    () => "http:ana",
    () => {},
  );
  const given: string[] = [];
  const save = provider.saveTokens.bind(provider);
  provider.saveTokens = (tokens, context) => {
    given.push(tokens.access_token);
    return save(tokens, context);
  };
  afterReading = async (key) => {
    // The new tokens are there, and are about to be kept.
    if (given.length > 0) await store.grants.delete(key);
  };
  expect(await provider.tokens()).toBeUndefined();
  expect(await oauth.grant("notes", "http:ana")).toBeUndefined();
  expect(notes.granted).toEqual(["authorization_code", "refresh_token"]);
  expect(given).toHaveLength(1);
  expect(await notes.isGood(given[0] ?? "")).toBe(false);
});

it("[mcp.oauth] a token that could not be sent is not taken, and not told", async () => {
  const provider = oauth.provider(
    "notes",
    "http:ana",
    () => "http:ana",
    () => {},
  );
  const before = await oauth.grant("notes", "http:ana");
  const saved = provider.saveTokens({ access_token: "hush\nit", token_type: "bearer" }, undefined);
  await expect(saved).rejects.toMatchObject({
    code: "authorization_failed",
    message: expect.not.stringContaining("hush"),
  });
  expect(await oauth.grant("notes", "http:ana")).toEqual(before);
});
