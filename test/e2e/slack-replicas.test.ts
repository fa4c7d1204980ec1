import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, expect, it } from "vitest";

import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { askChange, deskConfig, effects, ended, fillIn, told } from "./slack-desk.ts";
import { answers, answerTo, says, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, type RunningProduct, temporaryFolder } from "./support.ts";

let server: PostgresServer;
let slack: FakeSlack;
let folder: string;
let a: RunningProduct;
let start: () => Promise<RunningProduct>;

beforeAll(async () => {
  server = await joinPostgres();
  const databaseUrl = await server.createDatabase();
  const secret = randomBytes(32).toString("base64");
  slack = await startSlackWorkspace();
  folder = await temporaryFolder();
  start = () =>
    startOwnBot(slack, {
      config: deskConfig(folder, { store: { url: "${DATABASE_URL}" } }),
      env: { DATABASE_URL: databaseUrl, COUNTERSIGN_SECRET_KEY: secret },
    });
  a = await start();
  await start();
  await slack.until(() => slack.connections.filter(isOpen).length === 2);
}, 120_000);

afterAll(async () => {
  await cleanUpAll();
  await server.stop();
});

function isOpen({ open }: { open: boolean }): boolean {
  return open;
}

it("[slack.approve] [approve.once] takes clicks on a replica that did not post the card", async () => {
  slack.deliverTo(0);
  const card = await askChange(slack, "/desk set name=two value=across");
  slack.deliverTo(1);
  await slack.user("ben").click(card.ts, "cs:approve");
  await told(slack, "ben", card, "1 of 2");
  await slack.until(() => says(card.blocks, "1 of 2 approvals"));
  slack.deliverTo(0);
  await slack.user("chloe").click(card.ts, "cs:approve");
  await ended(slack, card, "Approved by");
  slack.deliverTo(1);
  const late = await slack.user("dmitri").click(card.ts, "cs:menu", "Show JSON");
  expect(late).toMatchObject({ ok: true });
  expect(says(await slack.until(() => slack.modal("dmitri")), "across")).toBe(true);
  expect(effects(folder).filter((line) => line === "two=across")).toHaveLength(1);
});

it("turns pages and edits requests on the other replica", async () => {
  slack.deliverTo(0);
  const question = slack.user("ana").mention("general", "/desk rows count=120");
  const message = await answerTo(slack, question, "Page 1 of");
  slack.deliverTo(1);
  await slack.user("ben").click(message.ts, "cs:page_next");
  await slack.until(() => says(message.blocks, "Page 2 of"));
  slack.deliverTo(0);
  await slack.user("chloe").click(message.ts, "cs:page_next");
  await slack.until(() => says(message.blocks, "Page 3 of"));

  const card = await askChange(slack, "/desk set name=draft-1 value=1");
  slack.deliverTo(1);
  await fillIn(slack, { by: "ben", card, button: "Edit" }, { Name: "draft-2" });
  await slack.until(() => says(card.blocks, "draft-2") && says(card.blocks, "cs:approve"));
  await slack.user("chloe").click(card.ts, "cs:approve");
  await ended(slack, card, "Approved by");
  expect(effects(folder).filter((line) => line.startsWith("draft"))).toEqual(["draft-2=1"]);
});

it("[approve.durable] [approve.once] takes the click when the replica that posted the card was killed", async () => {
  slack.deliverTo(0);
  const card = await askChange(slack, "/desk set name=orphan value=1");
  await a.kill();
  await slack.until(() => slack.connections.filter(isOpen).length === 1);
  slack.deliverTo();
  await slack.user("ben").click(card.ts, "cs:approve");
  // Its jobs and its message are taken over once it has been silent for long enough.
  await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "Approved by"), 60_000);
  await slack.until(() => says(card.blocks, "cs:menu"), 60_000);
  expect(effects(folder).filter((line) => line === "orphan=1")).toHaveLength(1);
  const thread = slack.thread(card.thread_ts ?? "");
  expect(thread.filter(({ bot_id }) => bot_id !== undefined)).toHaveLength(1);
  a = await start();
}, 120_000);

it("[approve.expiry] reminds once, though each replica sees it due", async () => {
  const question = slack.user("ana").mention("general", "/desk set name=urgent value=2");
  const card = await answerTo(slack, question, "cs:approve");
  const reminders = (): number =>
    slack.thread(question.ts).filter(({ blocks }) => says(blocks, "Still waiting")).length;
  await slack.until(() => reminders() > 0);
  await slack.user("chloe").click(card.ts, "cs:approve");
  await slack.until(() => says(card.blocks, "1 of 2 approvals"));
  await slack.user("ana").click(card.ts, "cs:approve");
  await ended(slack, card, "Approved by");
  expect(reminders()).toBe(1);
  // The card, who is asked, and the reminder.
  expect(answers(slack, question)).toHaveLength(3);
});
