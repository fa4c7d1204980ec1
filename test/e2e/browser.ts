import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type LaunchOptions,
  type Page,
  type Request,
} from "playwright-core";
import { onTestFinished } from "vitest";

import { browserPath } from "../machine.ts";
import { type Shared, sharedAddress } from "../shared.ts";

export const executablePath = browserPath();

/** What Playwright switches off itself, which naming any replaces, as far as it asks the network or waits. */
const UNWANTED_FEATURES = [
  "AimEnabled",
  "DestroyProfileOnBrowserClose",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  // Each window would load two pages for an address bar that nobody sees, which took half of its computing.
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
  // A process for every address that a window goes to, and one more in advance: all are this machine's products.
  "IsolateOrigins",
  "site-per-process",
  "SpareRendererForSitePerProcess",
];

/** A chromium that asks nobody on the network for anything. */
const LAUNCH: LaunchOptions = {
  executablePath,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-site-isolation-trials",
    `--disable-features=${UNWANTED_FEATURES.join(",")}`,
  ],
};

/** For `offer`: the browser of a test run. */
export async function offeredBrowser(): Promise<Shared> {
  const server = await chromium.launchServer(LAUNCH);
  return { address: server.wsEndpoint(), stop: () => server.close() };
}

/** The browser of the test run, of which closing ends its own windows alone; one of its own where there is none. */
export async function joinBrowser(): Promise<Browser> {
  const address = await sharedAddress("browser");
  return address === undefined ? chromium.launch(LAUNCH) : chromium.connect(address);
}

export interface VisitOptions extends BrowserContextOptions {
  /** Errors of the console that are no fault. Default: what the browser itself says of a request that failed. */
  expected?: RegExp;
}

/** The browser of a test file. It keeps its windows: opening one takes more than most tests do in it. */
export class Visitors {
  readonly #browser: Browser;
  /** Windows that nobody is at, by their options. */
  readonly #free = new Map<string, Page[]>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<Visitors> {
    return new Visitors(await joinBrowser());
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  /**
   * A window of somebody who was never there, until the test ends. The test fails if the page asked for
   * anything elsewhere, broke its content security policy or threw.
   */
  async visit(
    url: string,
    { expected = /^Failed to load resource|net::ERR_/, ...options }: VisitOptions = {},
  ): Promise<Page> {
    const kind = JSON.stringify(options);
    const free = this.#free.get(kind) ?? [];
    this.#free.set(kind, free);
    const page = free.pop() ?? (await this.#open(options));
    const { origin } = new URL(url);
    const faults: string[] = [];
    function onRequest(request: Request): void {
      if (new URL(request.url()).origin !== origin) faults.push(`asked for ${request.url()}`);
    }
    function onConsole(message: ConsoleMessage): void {
      const { url: from } = message.location();
      // For what has no head, such as a page that is being left, the browser asks for this itself.
      const isIcon = from.endsWith("/favicon.ico");
      if (message.type() === "error" && !isIcon && !expected.test(message.text()))
        faults.push(`${message.text()} ${from}`);
    }
    function onError(error: Error): void {
      faults.push(String(error));
    }
    page.on("request", onRequest).on("console", onConsole).on("pageerror", onError);
    onTestFinished(async ({ task }) => {
      if (task.result?.state === "fail") {
        const shown = await page.locator("body").innerText({ timeout: 2000 }).catch(String);
        process.stderr.write(`${task.name} failed at ${page.url()}, which showed:\n${shown.slice(-4000)}\n`);
      }
      page.off("request", onRequest).off("console", onConsole).off("pageerror", onError);
      if (await leave(page, origin)) free.push(page);
      else await page.context().close();
      if (faults.length > 0) throw new Error(`faults of the page:\n${faults.join("\n")}`);
    });
    await page.goto(url);
    return page;
  }

  async #open(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser.newContext({ reducedMotion: "reduce", ...options });
    return context.newPage();
  }
}

/** Ends what the window shows and forgets what it kept; false where it cannot, such as when the product is gone. */
async function leave(page: Page, origin: string): Promise<boolean> {
  try {
    const context = page.context();
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll();
    // A document without a script, and of the same origin: for another the browser starts a process.
    await page.goto(`${origin}/health`, { timeout: 10_000 });
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await context.clearCookies();
    return true;
  } catch {
    return false;
  }
}
