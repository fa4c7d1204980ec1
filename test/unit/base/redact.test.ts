import { describe, expect, it } from "vitest";

import { createRedactor, isSecretKey } from "#src/base/redact.ts";

describe("the redactor", () => {
  const redactor = createRedactor(["swordfish", "swordfish-2", "abc", "", "pass.*word"]);

  it("[ops.logs] masks known secrets wherever they stand, longest first", () => {
    expect(redactor.text("say swordfish and swordfish-2!")).toBe("say [redacted] and [redacted]!");
    expect(redactor.text("pass.*word, not passXXword")).toBe("[redacted], not passXXword");
    expect(redactor.json({ deep: [{ note: "a swordfish b" }] })).toEqual({
      deep: [{ note: "a [redacted] b" }],
    });
  });

  it("[ops.logs] leaves secrets that are too short to tell from words, and everything else", () => {
    expect(redactor.text("abc")).toBe("abc");
    const value = { n: 1, yes: true, none: null, list: ["a", 2], text: "plain" };
    expect(redactor.json(value)).toEqual(value);
  });

  it("[ops.logs] masks values under names of secrets, also objects and numbers, but not empty ones", () => {
    expect(
      redactor.json({
        api_token: "t",
        Authorization: "Bearer x",
        headers: { "x-api-key": "k", accept: "json" },
        credentials: { user: "ana" },
        password: 12_345_678,
        secret: "",
        token: null,
      }),
    ).toEqual({
      api_token: "[redacted]",
      Authorization: "[redacted]",
      headers: { "x-api-key": "[redacted]", accept: "json" },
      credentials: "[redacted]",
      password: "[redacted]",
      secret: "",
      token: null,
    });
  });

  it("[ops.logs] does not change what it is given", () => {
    const value = { password: "hunter22", list: ["swordfish"] };
    redactor.json(value);
    expect(value).toEqual({ password: "hunter22", list: ["swordfish"] });
  });

  it.each([
    "token",
    "tokens",
    "apiToken",
    "API_KEY",
    "api-key",
    "clientSecret",
    "passphrase",
    "set-cookie",
    "privateKey",
    "signing_secret",
    "SLACK_BOT_TOKEN",
  ])("[ops.logs] %s names a secret", (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  it.each([
    "issue_key",
    "keys",
    "key",
    "tokenizer",
    "page_token",
    "next_page_token",
    "progressToken",
    "promptTokens",
    "passed",
    "author",
    "secretary",
  ])("[ops.logs] %s does not", (key) => {
    expect(isSecretKey(key)).toBe(false);
  });
});
