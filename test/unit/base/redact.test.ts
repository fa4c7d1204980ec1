import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { codeOf, messageOf } from "#src/base/errors.ts";
import { createRedactor, isSecretKey, unmask } from "#src/base/redact.ts";

describe("the redactor", () => {
  const redactor = createRedactor(["swordfish", "swordfish-2", "abc", "", "pass.*word"]);

  it("[ops.logs] masks known secrets wherever they stand, longest first", () => {
    expect(redactor.text("say swordfish and swordfish-2!")).toBe("say [redacted] and [redacted]!");
    expect(redactor.text("pass.*word, not passXXword")).toBe("[redacted], not passXXword");
    expect(redactor.json({ deep: [{ note: "a swordfish b" }] })).toEqual({
      deep: [{ note: "a [redacted] b" }],
    });
  });

  it("[ops.logs] masks in one pass: what stands for a secret holds none", () => {
    expect(createRedactor(["hunter2-hunter2", "redact"]).text("hunter2-hunter2 redact")).toBe(
      "[redacted] [redacted]",
    );
    expect(createRedactor([]).text("text")).toBe("text");
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

describe("putting back what was masked", () => {
  const mask = "[redacted]";
  const redactor = createRedactor(["swordfish", "tr0ub4dor"]);
  const back = (edited: JsonObject, original: JsonObject): JsonObject => unmask(edited, original, redactor);
  /** What an edit is refused with. */
  const whyNot = (edited: JsonObject, original: JsonObject): string => {
    try {
      return JSON.stringify(back(edited, original));
    } catch (error) {
      return `${String(codeOf(error))} ${messageOf(error)}`;
    }
  };
  const accounts = {
    accounts: [
      { name: "x", token: "token-of-x" },
      { name: "y", token: "token-of-y" },
    ],
  };
  const x = { name: "x", token: mask };
  const y = { name: "y", token: mask };

  it("[approve.edit] sends the entry of a list with its own secret, wherever it was moved to", () => {
    expect(back({ accounts: [y] }, accounts)).toEqual({ accounts: [accounts.accounts[1]] });
    expect(back({ accounts: [y, x] }, accounts)).toEqual({ accounts: accounts.accounts.toReversed() });
    expect(back({ accounts: [{ name: "z", token: "new" }, y] }, accounts)).toEqual({
      accounts: [{ name: "z", token: "new" }, accounts.accounts[1]],
    });
    expect(back({ accounts: [{ name: "x2", token: mask }, y] }, accounts)).toEqual({
      accounts: [{ name: "x2", token: "token-of-x" }, accounts.accounts[1]],
    });
  });

  it("[approve.edit] refuses an edit after which it is not certain what a mask stands for", () => {
    expect(whyNot({ accounts: [{ name: "z", token: mask }] }, accounts)).toContain(
      "bad_args accounts.0: [redacted] stands for",
    );
    expect(whyNot({ accounts: [y, { name: "z", token: mask }] }, accounts)).toContain(
      "bad_args accounts.1: [redacted] stands for",
    );
    expect(
      whyNot(
        {
          accounts: [
            { name: "a", token: mask },
            { name: "b", token: mask },
          ],
        },
        accounts,
      ),
    ).toContain("bad_args accounts.0: [redacted] stands for");
    expect(whyNot({ list: [mask] }, { list: ["swordfish", "tr0ub4dor"] })).toContain(
      "bad_args list.0: [redacted] stands for",
    );
    expect(whyNot({ renamed: mask }, { password: "hunter2" })).toContain(
      "bad_args renamed: [redacted] stands for",
    );
    expect(whyNot({ note: mask }, { note: "nothing hidden" })).toContain(
      "bad_args note: [redacted] stands for",
    );
    expect(whyNot({ password: { inner: mask } }, { password: { inner: "hunter2" } })).toContain(
      "bad_args password: [redacted] stands for",
    );
    expect(whyNot({ password: `${mask}!` }, { password: 12_345 })).toContain(
      "bad_args password: [redacted] stands for",
    );
    expect(whyNot({ list: { 0: mask } }, { list: ["swordfish"] })).toContain(
      "bad_args list: [redacted] stands for",
    );
  });

  it("[approve.edit] changes the text around a mask and keeps the secret in it", () => {
    const original = {
      note: "use swordfish on board A",
      list: ["swordfish", "tr0ub4dor"],
      password: "hunter2",
    };
    expect(
      back({ ...original, note: `use ${mask} on board B`, list: [mask, mask], password: mask }, original),
    ).toEqual({
      ...original,
      note: "use swordfish on board B",
    });
    expect(back({ password: `${mask}!` }, { password: "hunter2" })).toEqual({ password: "hunter2!" });
    expect(whyNot({ note: `${mask} ${mask}` }, { note: "use swordfish" })).toContain(
      "bad_args note: [redacted] stands for",
    );
    expect(whyNot({ note: `only ${mask}` }, { note: "swordfish or tr0ub4dor" })).toContain(
      "bad_args note: [redacted] stands for",
    );
    expect(back({ note: "none at all" }, original)).toEqual({ note: "none at all" });
    expect(back({ note: `${mask} $& $1` }, { note: "swordfish" })).toEqual({ note: "swordfish $& $1" });
  });

  it("[approve.edit] does not take a text that looks like a mask for one", () => {
    const original = { note: "log shows [redacted] here", password: "hunter2" };
    expect(back({ note: original.note, password: mask }, original)).toEqual(original);
  });
});
