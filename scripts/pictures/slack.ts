import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Browser } from "playwright-core";
import { parse } from "yaml";

import { startFakeSlack, type FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest, Message } from "#test/fakes/slack/types.ts";

import { clipOf, openPage, root, take } from "./camera.ts";
import { startDemo } from "./product.ts";

/** Milliseconds for each issue of an export, so that it can be seen while it goes on. */
const DELAY_MS = 700;

/** A workspace in which people talk to the product, from the blocks that the product sent. */
export async function takeSlack(browser: Browser): Promise<void> {
  const manifest = parse(await readFile(join(root, "manifest.yml"), "utf8")) as Manifest;
  const slack = await startFakeSlack({ manifest });
  const product = await startDemo({ ...slack.environment, SLACK_SIGNING_SECRET: "" }, DELAY_MS);
  try {
    await takeMessages(browser, slack);
  } finally {
    await product.stop();
    await slack.stop();
  }
}

async function takeMessages(browser: Browser, slack: FakeSlack): Promise<void> {
  const ana = slack.user("ana");
  const mention = (text: string): Message => ana.mention("general", text);

  const slow = mention("export all issues of DEMO");
  const status = await answer(slack, slow, /█[^]*cs:stop/);
  await thread(browser, slack, slow, "status");
  const stop = slack.message(status.ts);
  if (stop !== undefined) await ana.click(status.ts, "cs:stop");

  const issue = mention("show me MOB-20");
  await answer(slack, issue, /Run log/);
  await thread(browser, slack, issue, "issue");

  const failed = mention("show me MOB-404");
  await answer(slack, failed, /Run log/);
  await thread(browser, slack, failed, "error");

  const change = mention("move MOB-20 to In Progress");
  const request = await answer(slack, change, /cs:approve/);
  await thread(browser, slack, change, "approval-pending");
  await home(browser, slack);
  await ana.click(request.ts, "cs:approve");
  await answer(slack, change, /Approved by/);
  await thread(browser, slack, change, "approval-done");

  const search = mention("find issues about login");
  await answer(slack, search, /Run log/);
  await thread(browser, slack, search, "search");
}

/** The bot's message in the thread of a question, once its blocks say what is expected. */
function answer(slack: FakeSlack, question: Message, expected: RegExp): Promise<Message> {
  return slack.until(() =>
    slack.thread(question.ts).find(({ bot_id, blocks }) => bot_id !== undefined && says(blocks, expected)),
  );
}

function says(blocks: unknown, expected: RegExp): boolean {
  return expected.test(JSON.stringify(blocks ?? ""));
}

interface Place {
  as: string;
  place: string;
  thread?: string;
}

/** So high that nothing has to be scrolled. */
const WINDOW = { viewport: { width: 1400, height: 2400 }, colorScheme: "light" } as const;

/** The question and its answer. */
async function thread(browser: Browser, slack: FakeSlack, question: Message, file: string): Promise<void> {
  await shoot(browser, slack, { as: "ana", place: question.channel, thread: question.ts }, "#thread", file);
}

async function home(browser: Browser, slack: FakeSlack): Promise<void> {
  slack.user("ana").openHome("home");
  await slack.until(() => slack.home("ana"));
  await shoot(browser, slack, { as: "ana", place: "home" }, "#messages", "home");
}

async function shoot(
  browser: Browser,
  slack: FakeSlack,
  place: Place,
  part: string,
  file: string,
): Promise<void> {
  const page = await openPage(browser, WINDOW);
  await page.goto(`${slack.url}/#${new URLSearchParams({ ...place }).toString()}`);
  const log = page.locator(part);
  await log.locator("> *").first().waitFor();
  await take(page, `slack/${file}.png`, await clipOf(log));
  await page.context().close();
}
