import { afterAll, beforeAll, expect, it } from "vitest";

import {
  cleanUpAll,
  jiraOnly,
  readStore,
  request,
  say,
  startHosted,
  type HostedProduct,
  type WireError,
} from "./support.ts";

interface Privacy {
  channel: string;
  summarize: boolean;
  set_by?: string;
}

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted({
    config: {
      ...jiraOnly({ policy: { groups: { admins: ["http:root"] } } }),
      channels: { "http:locked": { privacy: { summarize: false } } },
    },
  });
});

afterAll(() => cleanUpAll());

const put = (session: string, summarize: boolean, actor: string) =>
  request<Privacy & WireError>(product, "PUT", `/channels/${encodeURIComponent(`http:${session}`)}/privacy`, {
    summarize,
    actor,
  });

const get = async (session: string): Promise<Privacy> =>
  (await request<Privacy>(product, "GET", `/channels/${encodeURIComponent(`http:${session}`)}/privacy`)).body;

async function replyIn(session: string): Promise<string> {
  const { body } = await say(product, "show me DEMO-1", { session_id: session });
  return body.reply;
}

it("[privacy.mode] a person makes a channel private, and it takes them or an administrator to end that", async () => {
  expect(await get("open")).toEqual({ channel: "http:open", summarize: true });
  expect(await replyIn("open")).not.toMatch(/^Ran /);

  expect((await put("open", false, "ana")).body).toEqual({
    channel: "http:open",
    summarize: false,
    set_by: "http:ana",
  });
  expect(await replyIn("open")).toMatch(/^Ran “Get jira issue”, /);
  // Somebody else finds it private already, and it stays the first one's.
  expect((await put("open", false, "ben")).body.set_by).toBe("http:ana");
  const refused = await put("open", true, "ben");
  expect([refused.status, refused.body.error.code]).toEqual([403, "not_eligible"]);
  expect((await put("open", true, "ana")).body).toEqual({ channel: "http:open", summarize: true });
  expect(await replyIn("open")).not.toMatch(/^Ran /);

  await put("open", false, "ana");
  expect((await put("open", true, "root")).body.summarize).toBe(true);
  // Twice the same changes nothing, and nothing is recorded of it.
  await put("open", true, "ben");
  const kept = readStore<{ actor: string; data: string }>(
    product.dataDir,
    "select actor, data from audit where kind = 'privacy.set' order by seq",
  );
  expect(kept.map(({ actor }) => actor)).toEqual(["http:ana", "http:ana", "http:ana", "http:root"]);
});

it("[privacy.mode] nobody makes a channel less private than the configuration", async () => {
  expect(await get("locked")).toEqual({ channel: "http:locked", summarize: false });
  for (const actor of ["ana", "root"]) {
    const refused = await put("locked", true, actor);
    expect([refused.status, refused.body.error.code]).toEqual([403, "privacy_configured"]);
  }
  expect((await put("locked", false, "ana")).body).toEqual({ channel: "http:locked", summarize: false });
  expect(await replyIn("locked")).toMatch(/^Ran /);
});

it("says what a request for privacy has to be, and whose channel it is", async () => {
  const { status, body } = await request<WireError>(product, "PUT", "/channels/http%3Aopen/privacy", {
    summarize: "yes",
  });
  expect([status, body.error.code]).toEqual([400, "bad_request"]);
  const foreign = await request<WireError>(product, "PUT", "/channels/slack%3AT1%3AC1/privacy", {
    summarize: false,
    actor: "ana",
  });
  expect([foreign.status, foreign.body.error.code]).toEqual([403, "not_eligible"]);
});
