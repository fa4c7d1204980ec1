import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { openPage, take } from "./camera.ts";
import { startDemo } from "./product.ts";

const SHOW = "show me MOB-20";
const MOVE = "move MOB-20 to In Progress";

/** Conversations of earlier, so that the list at the side is not empty. */
const EARLIER: readonly (readonly [session: string, message: string])[] = [
  ["on-call", "what does the wiki say about deploying"],
  ["checkout", "show me epic DEMO-10"],
  ["login", "find issues about login"],
];

/**
 * Scrolls to the first turn, from within the page. It is text because the types of the browser are not those
 * of scripts; it takes a few frames because the page scrolls to its end after it was drawn.
 */
const SCROLL_TO_FIRST_TURN = `(async () => {
    const turn = document.querySelectorAll(".turn")[0];
    for (let times = 0; times < 3; times += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      turn.scrollIntoView({ block: "start", behavior: "instant" });
    }
  })()`;

interface Picture {
  file: string;
  messages: readonly string[];
  /** The tabs that are chosen, turn by turn. */
  tabs?: readonly string[];
  options: BrowserContextOptions;
}

const PICTURES: readonly Picture[] = [
  {
    file: "playground.png",
    messages: [SHOW, MOVE],
    options: { viewport: { width: 1280, height: 1860 }, colorScheme: "light" },
  },
  {
    file: "playground-dark.png",
    messages: ["find issues about login"],
    options: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  },
  {
    file: "playground-platforms.png",
    messages: [SHOW, MOVE],
    tabs: ["Slack", "Discord"],
    options: { viewport: { width: 1280, height: 1540 }, colorScheme: "light" },
  },
  {
    file: "playground-phone.png",
    messages: [MOVE],
    options: {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
      colorScheme: "light",
    },
  },
];

/** The playground, used as a person uses it. */
export async function takePlayground(browser: Browser): Promise<void> {
  const product = await startDemo();
  try {
    for (const [session, message] of EARLIER) await say(product.url, session, message);
    for (const picture of PICTURES) await takeOne(browser, product.url, picture);
  } finally {
    await product.stop();
  }
}

async function say(url: string, session: string, message: string): Promise<void> {
  const response = await fetch(`${url}/agent/turn`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ session_id: session, message }),
  });
  if (!response.ok)
    throw new Error(`expected an answer to ${JSON.stringify(message)}, got HTTP ${response.status}`);
}

/** Types a message as a person does and waits until its turn rests. */
async function ask(page: Page, message: string): Promise<void> {
  const turns = page.locator(".turn");
  const turn = turns.nth(await turns.count());
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
  await turn.and(page.locator('[data-state="done"], [data-state="pending_confirmation"]')).waitFor();
}

async function takeOne(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { file, messages, tabs = [], options } = picture;
  const page = await openPage(browser, options);
  await page.goto(url);
  for (const message of messages) await ask(page, message);
  // Drawn anew, nothing moves any more: a turn that has just ended is still being scrolled to.
  await page.reload();
  await page
    .locator(".turn")
    .nth(messages.length - 1)
    .waitFor();
  for (const [index, tab] of tabs.entries()) {
    const turn = page.locator(".turn").nth(index);
    await turn.getByRole("tab", { name: tab, exact: true }).click();
    await turn.locator(".drawing:not([hidden]) > *").first().waitFor();
  }
  // The conversation fits, or else it is shown from its first message.
  await page.evaluate(SCROLL_TO_FIRST_TURN);
  await page.mouse.move(0, 0);
  await take(page, file);
  await page.context().close();
}
