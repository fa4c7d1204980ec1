import { createSecretKey } from "node:crypto";

import { describe, expect, it } from "vitest";

import { loadText, problemsOf, refusal } from "./write-config.ts";

const many = (more: string): string => `slack: { client_id: "1.2", client_secret: s, ${more} }`;

describe("[slack.transports] slack", () => {
  it("[slack.transports] takes workspaces as a list or in a line, as the environment gives them", async () => {
    const ids = ["T0123", "E0456"];
    const list = await loadText(many("signing_secret: x, workspaces: [T0123, E0456]"));
    expect(list.slack.workspaces).toEqual(ids);
    const line = many('app_token: x, workspaces: "${WORKSPACES}"');
    expect((await loadText(line, { env: { WORKSPACES: "T0123, E0456" } })).slack.workspaces).toEqual(ids);
    expect((await loadText("")).slack).toMatchObject({ workspaces: [], client_id: "", public_url: "" });
  });

  it("[slack.transports] says which workspaces may install it before anybody can", async () => {
    expect(await problemsOf(many("signing_secret: x"))).toMatchObject([
      { path: "slack.workspaces", fix: expect.stringContaining("[T0123ABCD]") },
    ]);
    expect(await problemsOf(many("signing_secret: x, workspaces: [acme]"))).toMatchObject([
      { path: expect.stringContaining("slack.workspaces") },
    ]);
    expect((await loadText(many("signing_secret: x, workspaces: ['*']"))).slack.workspaces).toEqual(["*"]);
  });

  it.each([
    [many("workspaces: [T1]"), "slack.signing_secret"],
    [many("workspaces: [T1], app_token: x, bot_token: y"), "slack.bot_token"],
    ['slack: { client_id: "1.2", app_token: x, workspaces: [T1] }', "slack.client_secret"],
    ["slack: { client_secret: s, app_token: x, workspaces: [T1] }", "slack.client_id"],
    ["slack: { bot_token: x }", "slack.app_token"],
    ["slack: { port: 70000 }", "slack.port"],
    ["slack: { public_url: countersign.example.com }", "slack.public_url"],
  ])("[slack.transports] refuses %s", async (text, path) => {
    expect(await problemsOf(text)).toMatchObject([{ path }]);
  });
});

describe("COUNTERSIGN_SECRET_KEY_OLD", () => {
  const keys = [1, 2].map((byte) => Buffer.alloc(32, byte));

  it("holds keys that only open what they sealed", async () => {
    const text = keys.map((key) => key.toString("base64")).join(", ");
    const settings = await loadText("", { env: { COUNTERSIGN_SECRET_KEY_OLD: text } });
    expect(
      settings.old_secret_keys.map((key) => key.equals(createSecretKey(keys[0] ?? Buffer.alloc(0)))),
    ).toEqual([true, false]);
    expect(settings.secret_key).toBeUndefined();
    expect(JSON.stringify(settings)).not.toContain(keys[0]?.toString("base64"));
  });

  it("is refused in another form, without being shown", async () => {
    const error = await refusal("", { env: { COUNTERSIGN_SECRET_KEY_OLD: "c2hvcnQ=" } });
    expect(error.problems).toMatchObject([
      { path: "COUNTERSIGN_SECRET_KEY_OLD", expected: "32 bytes in base64", found: "5 bytes" },
    ]);
    expect(error.message).not.toContain("c2hvcnQ=");
  });
});
