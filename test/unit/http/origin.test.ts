import { expect, it } from "vitest";

import { checkLoopbackHost, checkSameOrigin, isLoopbackHost } from "#adapters/http/guard.ts";

it.each(["127.0.0.1", "127.8.9.1", "localhost", "LOCALHOST", "::1", "[::1]"])(
  "[http.auth] %s is this machine",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

it.each([
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "127.evil.example",
  "",
])("[http.auth] %s is not this machine", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

it.each([undefined, "", "evil.example", "evil.example:127", "a b", "127.0.0.1@evil.example"])(
  "[http.auth] Host %s is refused",
  (host) => {
    expect(() => checkLoopbackHost(host)).toThrow(
      expect.objectContaining({ code: "foreign_host", status: 403 }),
    );
  },
);

it("[http.auth] only no Origin, or the one that Host names, is the own page", () => {
  checkSameOrigin(undefined, "127.0.0.1:80");
  checkSameOrigin("http://127.0.0.1:8787", "127.0.0.1:8787");
  checkSameOrigin("https://bot.example.com", "bot.example.com");
  for (const [origin, host] of [
    ["http://127.0.0.1:8788", "127.0.0.1:8787"],
    ["http://localhost:8787", "127.0.0.1:8787"],
    ["null", "127.0.0.1:8787"],
    ["http://127.0.0.1:8787", undefined],
    ["not a url", "not a url"],
  ] as const) {
    expect(() => checkSameOrigin(origin, host)).toThrow(expect.objectContaining({ code: "foreign_origin" }));
  }
});
