import { type Browser, chromium } from "playwright-core";

export const executablePath = "/usr/bin/chromium";

/** A chromium of its own, which asks nobody on the network for anything. The test closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
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
    ],
  });
}
