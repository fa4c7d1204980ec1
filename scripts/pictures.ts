/**
 * Takes the pictures of the documentation: starts the product with its demo, and with a Slack and a Discord of
 * its own, talks to it in Debian's chromium as people would, and writes docs/*.png. Run it after changing what
 * anything looks like, and look at what it wrote. With names (`npm run pictures slack`) only those are taken.
 */
import { existsSync } from "node:fs";

import { executablePath, joinBrowser } from "#test/e2e/browser.ts";

import { takeDiscord } from "./pictures/discord.ts";
import { takePlayground } from "./pictures/playground.ts";
import { takeScenarios } from "./pictures/scenarios.ts";
import { takeSlack } from "./pictures/slack.ts";

const ALBUMS = {
  playground: takePlayground,
  slack: takeSlack,
  discord: takeDiscord,
  scenarios: takeScenarios,
};

if (!existsSync(executablePath)) {
  console.error(`expected a chromium at ${executablePath}, found none; on Debian: apt-get install chromium`);
  process.exit(1);
}
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(ALBUMS, name));
if (unknown.length > 0) {
  console.error(`expected names out of ${Object.keys(ALBUMS).join(", ")}; got ${unknown.join(", ")}`);
  process.exit(1);
}

const browser = await joinBrowser();
try {
  for (const [name, takeAlbum] of Object.entries(ALBUMS)) {
    if (wanted.length === 0 || wanted.includes(name)) await takeAlbum(browser);
  }
} finally {
  await browser.close();
}
