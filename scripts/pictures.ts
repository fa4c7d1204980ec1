/**
 * Takes the pictures of the documentation: starts the product with its demo on a temporary data folder,
 * talks to it in Debian's chromium as a person would, and writes docs/*.png. Run it after changing what
 * the playground looks like, and look at what it wrote.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const root = fileURLToPath(new URL("../", import.meta.url));
const executablePath = "/usr/bin/chromium";

/** A picture that is larger makes the README slow to open. */
const MAX_BYTES = 300_000;

/** What keeps a headless browser from reaching for anything but the page. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

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
  options: BrowserContextOptions;
}

const PICTURES: readonly Picture[] = [
  {
    file: "playground.png",
    messages: [SHOW, MOVE],
    options: { viewport: { width: 1280, height: 1800 }, colorScheme: "light" },
  },
  {
    file: "playground-dark.png",
    messages: ["find issues about login"],
    options: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
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

interface Product {
  url: string;
  stop(): Promise<void>;
}

/** The demo as a process of its own, with nothing of this shell's accounts and services. */
async function startDemo(data: string): Promise<Product> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["src/main.ts", "start"], {
    cwd: root,
    env: {
      PATH,
      HOME,
      PORT: "0",
      COUNTERSIGN_DATA: data,
      // Nothing answers there, so the pictures show the built-in planner on every machine.
      OLLAMA_HOST: "http://127.0.0.1:9",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // However this script ends, the demo does not outlive it.
  process.once("exit", () => child.kill());
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  let url = "";
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as { url?: string; msg?: string };
    url = line.url ?? url;
    if (line.msg?.startsWith("ready") === true) return { url, stop };
  }
  throw new Error("The demo ended before it was ready; its last words are above.");
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

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { file, messages, options } = picture;
  const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
  const page = await context.newPage();
  await page.goto(`${url}/?c=${file}`);
  for (const message of messages) await ask(page, message);
  // Drawn anew, nothing moves any more: a turn that has just ended is still being scrolled to.
  await page.reload();
  await page
    .locator(".turn")
    .nth(messages.length - 1)
    .waitFor();
  // The conversation fits, or else it is shown from its first message.
  await page.evaluate(SCROLL_TO_FIRST_TURN);
  await page.mouse.move(0, 0);
  const path = join(root, "docs", file);
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  await context.close();
  const { size } = await stat(path);
  if (size > MAX_BYTES)
    throw new Error(`docs/${file}: expected at most ${MAX_BYTES} bytes, got ${size}; make the view smaller`);
  console.log(`docs/${file}: ${Math.round(size / 1000)} KB`);
}

if (!existsSync(executablePath)) {
  console.error(`expected a chromium at ${executablePath}, found none; on Debian: apt-get install chromium`);
  process.exit(1);
}

const data = await mkdtemp(join(tmpdir(), "countersign-pictures-"));
const product = await startDemo(data);
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  for (const [session, message] of EARLIER) await say(product.url, session, message);
  for (const picture of PICTURES) await take(browser, product.url, picture);
} finally {
  await browser.close();
  await product.stop();
  await rm(data, { recursive: true, force: true });
}
