import { expect, it } from "vitest";

import { signature } from "#test/fakes/slack/signed-http.ts";

import { answers, answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { storedIssues } from "./support.ts";

it("serves signed requests: a mention, a click, and nothing that is not signed", async () => {
  const slack = await startSlackWorkspace();
  const product = await startBot(slack, { over: "http" });
  const { slack_url: url } = await product.line((line) => typeof line.slack_url === "string");
  slack.overHttp(String(url));

  const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'Over HTTP'");
  const card = await answerTo(slack, question, "cs:approve");
  expect(await slack.user("ben").click(card.ts, "cs:approve")).toMatchObject({ ok: true });
  await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
  expect(storedIssues(product.dataDir, "Over HTTP")).toHaveLength(1);
  expect(answers(slack, question)).toHaveLength(1);

  const forged = await fetch(String(url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "event_callback", event_id: "Ev1", team_id: "T1", event: {} }),
  });
  expect(forged.status).toBe(401);

  // A copy of a request is good for five minutes, to either side of its time.
  const send = (body: string, { seconds = 0, type = "application/json" } = {}): Promise<Response> => {
    const timestamp = Math.floor(Date.now() / 1000) + seconds;
    const headers = {
      "content-type": type,
      "x-slack-request-timestamp": String(timestamp),
      "x-slack-signature": signature(slack.app.signingSecret, timestamp, body),
    };
    return fetch(String(url), { method: "POST", headers, body });
  };
  const challenge = JSON.stringify({ type: "url_verification", challenge: "c" });
  const statuses: number[] = [];
  for (const seconds of [-400, -310, 310, 400, 1e9]) {
    statuses.push((await send(challenge, { seconds })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  for (const seconds of [-280, 0, 280]) {
    expect((await send(challenge, { seconds })).status).toBe(200);
  }

  // What is signed and odd all the same is refused, and the next request is served.
  const form = "application/x-www-form-urlencoded";
  for (const body of ["null", "7", '"text"', "[]", "{"]) {
    expect((await send(body)).status).toBeGreaterThanOrEqual(400);
    expect((await send(`payload=${encodeURIComponent(body)}`, { type: form })).status).toBeGreaterThanOrEqual(
      400,
    );
  }
  const after = slack.user("ana").mention("general", "show me DEMO-1");
  expect(says((await answerTo(slack, after, "cs:menu")).blocks, "DEMO-1")).toBe(true);
  expect(await product.stop()).toBe(0);
});
