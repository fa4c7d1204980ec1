import type { Browser } from "playwright-core";

import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Channel, Message } from "#test/fakes/discord/types.ts";

import { clipOf, openPage, take } from "./camera.ts";
import { startDemo } from "./product.ts";

/** Milliseconds for each issue of an export, so that it can be seen while it goes on. */
const DELAY_MS = 700;

/** A server in which people talk to the product, from the components that the product sent. */
export async function takeDiscord(browser: Browser): Promise<void> {
  const discord = await startFakeDiscord();
  const product = await startDemo(discord.environment, DELAY_MS);
  try {
    await takeMessages(browser, discord);
  } finally {
    await product.stop();
    await discord.stop();
  }
}

async function takeMessages(browser: Browser, discord: FakeDiscord): Promise<void> {
  const ana = discord.user("ana");
  const mention = (text: string): Message => ana.mention("general", text);

  const slow = mention("export all issues of DEMO");
  const status = await answer(discord, slow, /█[^]*cs:stop/);
  await thread(browser, discord, slow, "status");
  await ana.click(status, "Stop");

  const issue = mention("show me MOB-20");
  await answer(discord, issue, /cs:menu/);
  await thread(browser, discord, issue, "issue");

  const search = mention("find issues about login");
  await answer(discord, search, /cs:menu/);
  await thread(browser, discord, search, "search");

  const failed = mention("show me MOB-404");
  await answer(discord, failed, /cs:menu/);
  await thread(browser, discord, failed, "error");

  const change = mention("move MOB-20 to In Progress");
  const request = await answer(discord, change, /cs:approve/);
  await thread(browser, discord, change, "approval-pending");
  await ana.click(request, "Move MOB-20");
  await answer(discord, change, /Approved by/);
  await thread(browser, discord, change, "approval-done");
}

/** The bot's message in the thread of a question, once its components say what is expected. */
function answer(discord: FakeDiscord, question: Message, expected: RegExp): Promise<Message> {
  return discord.until(() => {
    const side = discord.threadOf(question);
    if (side === undefined) return undefined;
    return discord.messages(side).find(({ components }) => expected.test(JSON.stringify(components)));
  });
}

/** So high that nothing has to be scrolled. */
const WINDOW = { viewport: { width: 1500, height: 2400 }, colorScheme: "dark" } as const;

/** The answer in the thread that the bot opened. */
async function thread(
  browser: Browser,
  discord: FakeDiscord,
  question: Message,
  file: string,
): Promise<void> {
  const side: Channel | undefined = discord.threadOf(question);
  if (side === undefined) throw new Error(`expected a thread for "${question.content}"`);
  const page = await openPage(browser, WINDOW);
  const place = new URLSearchParams({ as: "ana", place: question.channel, thread: side.id });
  await page.goto(`${discord.url}/#${place.toString()}`);
  const log = page.locator("#thread");
  await log.locator("> *").first().waitFor();
  await take(page, `discord/${file}.png`, await clipOf(log));
  await page.context().close();
}
