import { WebClient } from "@slack/web-api";
import { afterEach, describe, expect, it } from "vitest";

import { manualClock } from "#test/fakes/slack/clock.ts";
import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { FakeSlack, FakeSlackOptions } from "#test/fakes/slack/slack.ts";
import { acme } from "#test/fakes/slack/world.ts";

let slack: FakeSlack;
let client: WebClient;

afterEach(() => slack.stop());

async function start(options?: FakeSlackOptions): Promise<void> {
  slack = await startFakeSlack(options);
  client = clientOf(slack.environment.SLACK_BOT_TOKEN);
}

function clientOf(token: string): WebClient {
  const quiet = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    setLevel() {},
    setName() {},
    getLevel: () => "error",
  };
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet as never,
  });
}

/** Slack's word for the refusal, or `ok`. */
async function outcome(
  method: string,
  args: Record<string, unknown>,
  by: WebClient = client,
): Promise<string> {
  return by.apiCall(method, args).then(
    () => "ok",
    (error: { data?: { error: string }; message: string }) => error.data?.error ?? error.message,
  );
}

/** The ts of a new message. */
async function posted(args: Record<string, unknown>): Promise<string> {
  return ((await client.apiCall("chat.postMessage", args)) as { ts?: string }).ts ?? "";
}

const section = (text: string): object => ({ type: "section", text: { type: "mrkdwn", text } });
const button = (more: object): object => ({
  type: "actions",
  elements: [{ type: "button", action_id: "a", text: { type: "plain_text", text: "x" }, ...more }],
});
const row = (cells: number): object[] =>
  Array.from({ length: cells }, () => ({ type: "raw_text", text: "x" }));

describe("tokens and scopes", () => {
  it("knows its tokens, its methods and what each needs", async () => {
    const scopes = ["chat:write"];
    await start({ teams: [{ ...acme, scopes }] });
    expect(await client.auth.test()).toMatchObject({
      team_id: slack.team().id,
      user_id: slack.team().botUserId,
    });
    expect(await outcome("auth.test", {}, clientOf("xoxb-wrong"))).toBe("invalid_auth");
    expect(await outcome("no.such.method", {})).toBe("unknown_method");
    expect(await outcome("users.info", { user: slack.user("ana").id })).toBe("missing_scope");
    expect(await outcome("apps.connections.open", {})).toBe("not_allowed_token_type");
  });

  it("keeps workspaces apart and installs one over OAuth", async () => {
    const globex = { ...acme, domain: "globex", name: "Globex", installed: false };
    await start({ teams: [acme, globex] });
    const redirect_uri = "http://127.0.0.1/back";
    slack.app.redirectUrls.push(redirect_uri);
    const query = new URLSearchParams({
      team: "globex",
      state: "s",
      redirect_uri,
      client_id: slack.app.clientId,
    });
    const consent = new URL(`/oauth/v2/authorize?${query.toString()}`, slack.url);
    const answer = await fetch(consent, { redirect: "manual" });
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const { clientId: client_id, clientSecret: client_secret } = slack.app;
    const exchange = { code, client_id, client_secret, redirect_uri };
    const installed = await client.oauth.v2.access(exchange);
    expect(await outcome("oauth.v2.access", exchange)).toBe("invalid_code");
    const other = clientOf(installed.access_token ?? "");
    expect(await other.auth.test()).toMatchObject({ team: "Globex" });
    const channel = slack.channel("general").id;
    expect(await outcome("chat.postMessage", { channel, text: "x" }, other)).toBe("channel_not_found");
  });
});

describe("limits of messages", () => {
  const cases: [name: string, args: Record<string, unknown>, error: string][] = [
    ["no text at all", {}, "no_text"],
    ["3000 characters in a section", { blocks: [section("x".repeat(3000))] }, "ok"],
    ["3001 characters in a section", { blocks: [section("x".repeat(3001))] }, "invalid_blocks"],
    ["an empty text", { blocks: [section("")] }, "invalid_blocks"],
    ["50 blocks", { blocks: Array.from({ length: 50 }, () => section("x")) }, "ok"],
    ["51 blocks", { blocks: Array.from({ length: 51 }, () => section("x")) }, "invalid_blocks"],
    [
      "13,000 characters in all",
      { blocks: Array.from({ length: 5 }, () => section("x".repeat(2600))) },
      "ok",
    ],
    [
      "13,005 in all",
      { blocks: Array.from({ length: 5 }, () => section("x".repeat(2601))) },
      "msg_blocks_too_long",
    ],
    ["a block of no known type", { blocks: [{ type: "hologram" }] }, "invalid_blocks"],
    ["a misspelt property", { blocks: [{ ...section("x"), colour: "red" }] }, "invalid_blocks"],
    [
      "a label of 76",
      { blocks: [button({ text: { type: "plain_text", text: "x".repeat(76) } })] },
      "invalid_blocks",
    ],
    ["a value of 2001", { blocks: [button({ value: "x".repeat(2001) })] }, "invalid_blocks"],
    [
      "a table of 100 by 20",
      { blocks: [{ type: "table", rows: Array.from({ length: 100 }, () => row(20)) }] },
      "ok",
    ],
    [
      "101 rows",
      { blocks: [{ type: "table", rows: Array.from({ length: 101 }, () => row(1)) }] },
      "invalid_blocks",
    ],
    ["21 columns", { blocks: [{ type: "table", rows: [row(21)] }] }, "invalid_blocks"],
    [
      "an alert outside a modal",
      { blocks: [{ type: "alert", text: { type: "mrkdwn", text: "x" } }] },
      "invalid_blocks",
    ],
    ["blocks that are no JSON", { blocks: "[{" }, "invalid_blocks_format"],
    ["markdown and text", { text: "x", markdown_text: "x" }, "markdown_text_conflict"],
    ["12,001 characters of markdown", { markdown_text: "x".repeat(12_001) }, "msg_too_long"],
  ];

  it.each(cases)("%s", async (_, args, error) => {
    await start();
    expect(await outcome("chat.postMessage", { channel: slack.channel("general").id, ...args })).toBe(error);
    expect(slack.sent).toHaveLength(1);
    expect(slack.sent[0]?.error).toBe(error === "ok" ? undefined : error);
  });

  it("refuses the same action_id twice in a block, and takes it in two", async () => {
    await start();
    const channel = slack.channel("general").id;
    const one = { type: "button", action_id: "a", text: { type: "plain_text", text: "x" } };
    const twice = [{ type: "actions", elements: [one, one] }];
    expect(await outcome("chat.postMessage", { channel, text: "x", blocks: twice })).toBe("invalid_blocks");
    expect(slack.sent[0]?.problems[0]).toContain('action_id "a" is not unique in its block');
    expect(await outcome("chat.postMessage", { channel, text: "x", blocks: [button({}), button({})] })).toBe(
      "ok",
    );
  });

  it("edits only the bot's own messages, up to 4000 characters, and keeps what they said", async () => {
    await start();
    const channel = slack.channel("general").id;
    const ts = await posted({ channel, text: "one" });
    expect(await outcome("chat.update", { channel, ts, text: "x".repeat(4001) })).toBe("msg_too_long");
    expect(await outcome("chat.update", { channel, ts, text: "two" })).toBe("ok");
    expect(slack.message(ts)).toMatchObject({ text: "two", history: [{ text: "one" }] });
    const foreign = slack.user("ana").say("general", "mine").ts;
    expect(await outcome("chat.update", { channel, ts: foreign, text: "x" })).toBe("cant_update_message");
    expect(await outcome("chat.postMessage", { channel, text: "x", thread_ts: "1.000001" })).toBe(
      "cannot_reply_to_message",
    );
  });
});

describe("views", () => {
  const view = (more: object = {}): object => ({
    type: "modal",
    title: { type: "plain_text", text: "Title" },
    blocks: [section("x")],
    ...more,
  });

  it("opens with a fresh trigger only, once", async () => {
    const clock = manualClock();
    await start({ clock, ackMs: 100_000 });
    slack.overHttp("http://127.0.0.1:9/");
    const triggers = async (): Promise<string> => {
      await slack.user("ana").command("/jira", "", "general");
      return String(slack.deliveries.at(-1)?.payload.trigger_id);
    };
    const trigger_id = await triggers();
    expect(await outcome("views.open", { trigger_id, view: view() })).toBe("ok");
    expect(await outcome("views.open", { trigger_id, view: view() })).toBe("exchanged_trigger_id");
    const late = await triggers();
    clock.advance(3001);
    expect(await outcome("views.open", { trigger_id: late, view: view() })).toBe("expired_trigger_id");
    const next = await triggers();
    const long = view({ title: { type: "plain_text", text: "x".repeat(25) } });
    expect(await outcome("views.open", { trigger_id: next, view: long })).toBe("invalid_arguments");
    expect(slack.modal("ana")).toMatchObject({ title: { text: "Title" } });
  });

  it("publishes a home and refuses a stale hash", async () => {
    await start();
    const user_id = slack.user("ben").id;
    const home = { type: "home", blocks: [section("hello")] };
    expect(await outcome("views.publish", { user_id, view: home })).toBe("ok");
    const hash = slack.home("ben")?.hash;
    expect(await outcome("views.publish", { user_id, view: home, hash })).toBe("ok");
    expect(await outcome("views.publish", { user_id, view: home, hash })).toBe("hash_conflict");
  });
});

describe("times", () => {
  it("answers 429 with Retry-After and lets the call pass after it", async () => {
    const clock = manualClock();
    await start({ clock, rateLimits: "real" });
    const post = (channel: string): Promise<Response> =>
      fetch(`${slack.apiUrl}chat.postMessage`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${slack.environment.SLACK_BOT_TOKEN}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ channel, text: "x" }),
      });
    const channel = slack.channel("general").id;
    for (let n = 0; n < 4; n += 1) expect((await post(channel)).status).toBe(200);
    const refused = await post(channel);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toEqual({ ok: false, error: "ratelimited" });
    expect((await post(slack.channel("engineering").id)).status).toBe(200);
    clock.advance(1000);
    expect((await post(channel)).status).toBe(200);
    expect(slack.sent).toHaveLength(6);
  });

  it("takes five answers at a response_url, within half an hour", async () => {
    const clock = manualClock();
    await start({ clock, ackMs: 100_000 });
    slack.overHttp("http://127.0.0.1:9/");
    const respond = async (url: string): Promise<number> =>
      (await fetch(url, { method: "POST", body: JSON.stringify({ text: "x" }) })).status;
    const fresh = async (): Promise<string> => {
      await slack.user("ana").command("/jira", "", "general");
      return String(slack.deliveries.at(-1)?.payload.response_url);
    };
    const url = await fresh();
    for (let n = 0; n < 5; n += 1) expect(await respond(url)).toBe(200);
    expect(await respond(url)).toBe(404);
    expect(slack.ephemerals("ana")).toHaveLength(5);
    const old = await fresh();
    clock.advance(30 * 60_000 + 1);
    expect(await respond(old)).toBe(404);
  });

  it("streams for five minutes and no longer", async () => {
    const clock = manualClock();
    await start({ clock });
    const { channel, ts: thread_ts } = slack.user("ana").say("dm", "tell me");
    const { ts = "" } = await client.chat.startStream({ channel, thread_ts, markdown_text: "Once " });
    expect(await outcome("chat.appendStream", { channel, ts, markdown_text: "upon" })).toBe("ok");
    expect(slack.message(ts)?.text).toBe("Once upon");
    expect(await outcome("chat.update", { channel, ts, text: "x" })).toBe("streaming_state_conflict");
    clock.advance(300_001);
    expect(await outcome("chat.appendStream", { channel, ts, markdown_text: "!" })).toBe(
      "message_not_in_streaming_state",
    );
    expect(await outcome("chat.update", { channel, ts, text: "Once upon a time" })).toBe("ok");
    const general = slack.user("ana").say("general", "tell us");
    const rest = { channel: general.channel, thread_ts: general.ts };
    expect(await outcome("chat.startStream", rest)).toBe("missing_recipient_user_id");
  });
});

it("uploads a file into a thread through the client's three steps", async () => {
  await start();
  const question = slack.user("ana").say("general", "export?");
  const target = { channel_id: question.channel, thread_ts: question.ts };
  await client.filesUploadV2({
    ...target,
    filename: "issues.csv",
    content: "key\nDEMO-1\n",
    initial_comment: "here",
  });
  expect(slack.files().map(({ name, content }) => [name, content?.toString()])).toEqual([
    ["issues.csv", "key\nDEMO-1\n"],
  ]);
  expect(slack.thread(question.ts)[1]).toMatchObject({ text: "here", files: [slack.files()[0]?.id] });
});

it("lists people, groups, channels and replies page by page", async () => {
  await start();
  const channel = slack.channel("general").id;
  const users = await client.users.list({ limit: 100 });
  expect(
    users.members?.filter((user) => user.is_admin || user.is_restricted).map(({ name }) => name),
  ).toEqual(["ana", "farid"]);
  const groups = await client.usergroups.list({ include_users: true });
  const oncall = groups.usergroups?.find(({ handle }) => handle === "oncall");
  expect(oncall?.users).toEqual([slack.user("ben").id, slack.user("dmitri").id]);
  const list = await client.conversations.list({ types: "public_channel,private_channel" });
  expect(list.channels?.map(({ name }) => name)).toEqual(["general", "engineering", "ops-private", "random"]);
  const { ts } = slack.user("ana").say("general", "root");
  for (const text of ["one", "two"]) slack.user("ben").say({ channel, thread_ts: ts }, text);
  const pages: (string | undefined)[][] = [];
  const all = client.paginate("conversations.replies", { channel, ts, limit: 2 });
  for await (const page of all as AsyncIterable<{ messages?: unknown }>) {
    pages.push((page.messages as { text?: string }[]).map(({ text }) => text));
  }
  expect(pages).toEqual([["root", "one"], ["two"]]);
});
