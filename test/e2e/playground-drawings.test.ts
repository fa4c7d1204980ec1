import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { stillDiscord, stillSlack } from "#adapters/preview/context.ts";
import { drawComponents } from "#adapters/preview/discord/components.ts";
import { toHtml } from "#adapters/preview/frame.ts";
import { drawBlocks } from "#adapters/preview/slack/blocks.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";
import { elementsOf, offences, visibleText } from "#test/unit/draw-slack/markup.ts";

import { type VisitOptions, Visitors } from "./browser.ts";
import { answerTo as discordAnswer, startDiscord, startBot as startDiscordBot } from "./discord-support.ts";
import { answerTo, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, decide, jiraOnly, type HostedProduct, startHosted } from "./support.ts";

let visitors: Visitors;
let slack: FakeSlack;
let product: HostedProduct;

beforeAll(async () => {
  slack = await startSlackWorkspace();
  [visitors, product] = await Promise.all([Visitors.launch(), startBot(slack)]);
});
afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

/** Here no request may fail. */
function visit(options: VisitOptions = {}, url = product.url): Promise<Page> {
  return visitors.visit(url, { expected: /^$/, ...options });
}

async function ask(page: Page, message: string): Promise<Locator> {
  const turn = page.locator(".turn").nth(await page.locator(".turn").count());
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
  await turn.and(page.locator('[data-state="done"], [data-state="pending_confirmation"]')).waitFor();
  return turn;
}

/** The drawing of a platform, once its tab was clicked and it is there. */
async function look(turn: Locator, platform: string): Promise<Locator> {
  await turn.getByRole("tab", { name: platform, exact: true }).click();
  const panel = turn.getByRole("tabpanel", { name: platform, exact: true });
  await panel.locator(":scope > *").first().waitFor();
  return panel;
}

/** What was said and done in Slack, once the bot's message has ended for now. */
async function inSlack(words: string, expected: string): Promise<Message> {
  const question = slack.user("ana").mention("general", words);
  const answer = await answerTo(slack, question, expected);
  return slack.until(() => (JSON.stringify(answer.blocks).includes("cs:menu") ? answer : undefined));
}

/** The blocks as the fake Slack received them, drawn; people by their ids, as the page asks nobody for their names. */
function received({ blocks = [] }: Message): string {
  return nameless(toHtml(...drawBlocks(blocks, stillSlack())));
}

/** Ana by whatever name, as her id. */
function nameless(html: string): string {
  return html.replaceAll(/U0ANA00000|\b20{16}1\b/g, "Ana Lindqvist");
}

/** The blocks of a drawing, without what makes its buttons open windows. */
function blocksOf(drawing: string): string {
  const message = drawing.slice(0, drawing.indexOf('<div id="sl-popover') >>> 0);
  const from = message.indexOf('<div class="sl-block');
  return message
    .slice(from, -"</div></div>".length)
    .replaceAll(/ popovertarget="[^"]*"/g, "")
    .replaceAll(/<button type="button"(?: disabled="")?/g, '<button type="button" disabled=""');
}

/** The same of a drawing for Discord. */
function componentsOf(drawing: string): string {
  const message = drawing.slice(0, drawing.indexOf('<div id="dc-popover') >>> 0);
  const head = '<span class="dc-note"></span></div>';
  return message
    .slice(message.indexOf(head) + head.length, -"</div></div>".length)
    .replaceAll(
      /<button type="button"(?: popovertarget="[^"]*")?(?: disabled="")?/g,
      '<button type="button" disabled=""',
    );
}

/** Times differ from run to run. */
function timeless(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)? m?s\b/g, "TIME");
}

function turnOf({ metadata }: Message): string {
  return (metadata as { event_payload: { turn_id: string } }).event_payload.turn_id;
}

const MESSAGES: readonly (readonly [kind: string, words: string, expected: string])[] = [
  ["a result", "show me DEMO-1", "DEMO-1"],
  ["a table", "find issues about login", "login"],
  ["a request for approval", "create an issue in DEMO titled 'Drawn'", "Create a task"],
  ["a failure", "show me DEMO-99999", "DEMO-99999"],
];

describe("what Slack would show", () => {
  it.each(MESSAGES)(
    "[http.playground] draws %s from the very blocks that Slack got",
    async (_, words, expected) => {
      const message = await inSlack(words, expected);
      const response = await fetch(`${product.url}/playground/turns/${turnOf(message)}/drawings/slack`);
      const drawing = await response.text();
      expect(response.status).toBe(200);
      expect(offences(drawing)).toEqual([]);
      expect(nameless(blocksOf(drawing))).toBe(received(message));
      expect(received(message)).toContain("sl-block");
    },
  );

  it("[http.playground] shows in its tab what Slack showed for the same words", async () => {
    const page = await visit();
    for (const [, words, expected] of MESSAGES.slice(0, 2)) {
      const message = await inSlack(words, expected);
      const panel = await look(await ask(page, words), "Slack");
      const drawn = await panel.innerHTML();
      expect(timeless(visibleText(blocksOf(drawn)))).toBe(timeless(visibleText(received(message))));
      expect(await panel.locator(".sl-author").innerText()).toMatch(/^Countersign\s*APP/);
    }
  });

  it("[http.playground] opens the windows that the buttons open there, and decides nothing", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Untouched'");
    const panel = await look(turn, "Slack");
    const button = (name: string): Locator => panel.getByRole("button", { name, exact: true }).first();
    expect(await button("Create a task").isDisabled()).toBe(true);

    await button("Edit").click();
    const window = page.locator(".sl-popover:popover-open");
    await window.waitFor();
    expect(await window.getByRole("textbox", { name: "Summary" }).inputValue()).toBe("Untouched");
    expect(await window.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await window.getByRole("button", { name: "Cancel" }).click();
    await window.waitFor({ state: "hidden" });

    await button("Deny").click();
    expect(await window.getByRole("textbox", { name: "Reason" }).count()).toBe(1);
    await page.keyboard.press("Escape");
    await window.waitFor({ state: "hidden" });

    await button("Details").click();
    expect(await window.innerText()).toContain("What will be sent");
    await page.keyboard.press("Escape");
    expect(await turn.getAttribute("data-state")).toBe("pending_confirmation");
  });

  it("[http.playground] stays in the chosen tab when the turn goes on, and shows how it ended", async () => {
    const page = await visit();
    const turn = await ask(page, "move DEMO-4 to In Progress");
    const id = (await turn.locator("[data-approval]").getAttribute("data-approval")) ?? "";
    const panel = await look(turn, "Slack");
    expect(await panel.innerText()).toContain("needs approval");
    expect(await decide(product, id, "approve")).toMatchObject({ status: 200 });
    await turn.and(page.locator('[data-state="done"]')).waitFor();
    await panel.getByText("Approved by local").first().waitFor();
    expect(await turn.getByRole("tab", { name: "Slack" }).getAttribute("aria-selected")).toBe("true");
    await turn.getByRole("tab", { name: "Countersign" }).click();
    expect(await turn.locator(".signed").count()).toBe(1);
  });
});

describe("what Discord would show", () => {
  it("[http.playground] draws results, tables, requests and failures as Discord got them", async () => {
    const discord = await startDiscord();
    const bot = await startDiscordBot(discord);
    for (const [, words] of MESSAGES) {
      const question = discord.user("ana").mention("general", words);
      const answer = await discordAnswer(discord, question, "cs:menu");
      const turn = /cs:menu:(turn_\w+)/.exec(JSON.stringify(answer.components))?.[1];
      const drawing = await (await fetch(`${bot.url}/playground/turns/${turn}/drawings/discord`)).text();
      expect(offences(drawing)).toEqual([]);
      const got = nameless(toHtml(...drawComponents(answer.components, stillDiscord(0))));
      expect(got).toContain("dc-container");
      expect(nameless(componentsOf(drawing))).toBe(got);
    }
  });

  it("[http.playground] opens the windows and answers that the buttons bring there", async () => {
    const page = await visit();
    const panel = await look(await ask(page, "create an issue in DEMO titled 'Untouched'"), "Discord");
    const button = (name: string): Locator => panel.getByRole("button", { name, exact: true }).first();
    expect(await button("Create a task").isDisabled()).toBe(true);
    const window = page.locator(".dc-popover:popover-open");
    await button("Edit").click();
    expect(await window.getByRole("textbox", { name: "Summary" }).inputValue()).toBe("Untouched");
    await window.getByRole("button", { name: "Cancel" }).click();
    await window.waitFor({ state: "hidden" });
    await button("Details").click();
    expect(await window.innerText()).toContain("Only you can see this");
    await window.getByRole("button", { name: "Dismiss message" }).click();
    await window.waitFor({ state: "hidden" });
  });
});

it("[http.playground] shows how a turn goes on as Slack and Discord would, while it does", async () => {
  const slow = await startHosted({ config: jiraOnly({ delayMs: 300 }) });
  const page = await visit({}, slow.url);
  await page.getByRole("textbox", { name: "Message" }).fill("export all issues of DEMO");
  await page.keyboard.press("Enter");
  const turn = page.locator(".turn").first();
  for (const platform of ["Slack", "Discord"]) {
    const panel = await look(turn, platform);
    await panel.getByText("Working").waitFor();
    await panel.getByText(/█.*[1-9]\d* of 27/).waitFor();
    expect(await panel.getByRole("button", { name: "Stop" }).isDisabled()).toBe(true);
  }
  await turn.getByRole("tab", { name: "Countersign" }).click();
  await turn.getByRole("button", { name: "Stop" }).click();
  await turn.and(page.locator('[data-state="stopped"]')).waitFor();
});

describe("the tabs of platforms", () => {
  it("[http.playground] are chosen as the mouse presses them, so that a redraw loses no press", async () => {
    const page = await visit();
    const turn = await ask(page, "show me DEMO-1");
    const tab = turn.getByRole("tab", { name: "Slack", exact: true });
    await tab.hover();
    await page.mouse.down();
    await turn.getByRole("tab", { name: "Slack", exact: true, selected: true }).waitFor();
    await page.mouse.up();
    const panel = turn.getByRole("tabpanel", { name: "Slack", exact: true });
    await panel.locator(":scope > *").first().waitFor();
    expect(await panel.innerText()).toContain("DEMO-1");
    await page.close();
  });

  it("[http.playground] are reached by arrow keys, and show the same answer as Slack and as Discord", async () => {
    const page = await visit();
    const turn = await ask(page, "show me DEMO-1");
    await turn.getByRole("tab", { name: "Countersign" }).focus();
    const title = await turn.locator(".cs-title").innerText();
    for (const platform of ["Slack", "Discord"]) {
      await page.keyboard.press("ArrowRight");
      const panel = turn.getByRole("tabpanel", { name: platform, exact: true });
      await panel.getByText(title).first().waitFor();
      expect(await panel.locator(":scope > div").first().getByText("APP", { exact: true }).count()).toBe(1);
    }
    await page.keyboard.press("Home");
    expect(await turn.locator(".cs-title").isVisible()).toBe(true);
  });

  it("[http.playground] fit a phone in both colour schemes, where tables scroll by themselves", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit({
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      });
      const turn = await ask(page, "find issues about login");
      for (const [platform, background] of [
        ["Slack", { light: "rgb(255, 255, 255)", dark: "rgb(26, 29, 33)" }],
        ["Discord", { light: "rgb(255, 255, 255)", dark: "rgb(49, 51, 56)" }],
      ] as const) {
        const panel = await look(turn, platform);
        const message = panel.locator(":scope > div").first();
        const box = await message.boundingBox();
        expect(box?.width ?? 999).toBeLessThan(360);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
        const shown = "document.querySelector('.drawing:not([hidden]) > div')";
        expect(await page.evaluate(`getComputedStyle(${shown}).backgroundColor`)).toBe(
          background[colorScheme],
        );
      }
    }
  });

  it("[http.playground] show data of tools and people as text, whatever is in it", async () => {
    const page = await visit();
    const turn = await ask(
      page,
      "create an issue in DEMO titled '<img src=x onerror=alert(1)> *b* @everyone'",
    );
    for (const platform of ["Slack", "Discord"]) {
      const panel = await look(turn, platform);
      expect(await panel.innerText()).toContain("<img src=x onerror=alert(1)> *b* @");
      expect(await panel.locator("img").count()).toBe(0);
      expect(elementsOf(await panel.innerHTML()).some(({ tagName }) => tagName === "script")).toBe(false);
    }
  });

  it("[http.playground] answer 404 for a turn or a platform that is not there", async () => {
    for (const path of ["turn_0/drawings/slack", "turn_0/drawings/icq"]) {
      const response = await fetch(`${product.url}/playground/turns/${path}`);
      expect(response.status).toBe(404);
    }
  });
});

describe("charts on the page", () => {
  it("[view.charts] are drawn as SVG in light and dark, with words and a table beside them", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit({ colorScheme });
      const turn = await ask(page, "open issues in DEMO as a pie");
      const picture = turn.locator("figure.cs-chart img");
      await picture.scrollIntoViewIfNeeded();
      expect(await picture.getAttribute("alt")).toMatch(/^Pie chart, Count by status: .*To Do \d+/);
      const drawn = "document.querySelector('figure.cs-chart img')";
      await expect.poll(() => page.evaluate(`${drawn}.complete && ${drawn}.naturalWidth`)).toBe(720);
      // What the reader's colours do to it: the darkest and the brightest of its pixels.
      const shot = await picture.screenshot();
      const [least, most] = await page.evaluate<number[]>(`(${brightness})("${shot.toString("base64")}")`);
      expect([least, most]).toEqual(
        colorScheme === "light" ? [expect.any(Number), 255] : [expect.any(Number), expect.any(Number)],
      );
      if (colorScheme === "dark") expect(most).toBeGreaterThan(180);
      else expect(least).toBeLessThan(80);
      const numbers = turn.locator("details", { hasText: "The numbers" }).first();
      await numbers.locator("summary").click();
      expect(await numbers.innerText()).toContain("To Do");
      const slackView = await look(turn, "Slack");
      expect(await slackView.innerText()).toContain("Count by status");
    }
  });

  it("[view.charts] run nothing when they are opened by themselves, and are their turn's", async () => {
    const page = await visit();
    const turn = await ask(page, "open issues in DEMO by status as a chart");
    const src = await turn.locator("figure.cs-chart img").getAttribute("src");
    const response = await fetch(product.url + src);
    expect(response.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'",
    );
    expect(response.headers.get("content-type")).toBe("image/svg+xml");
    const svg = await response.text();
    expect(svg).not.toMatch(/<script|href=|url\(|@import|on\w+=/i);
    expect((await fetch(`${product.url}${src}`.replace("/results/0/", "/results/9/"))).status).toBe(404);
  });
});

/** The least and the most bright of a picture's pixels that are not its background's, from 0 to 255. */
const brightness = `async (data) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data: bytes } = pen.getImageData(0, 0, image.width, 60);
  let [least, most] = [255, 0];
  for (let at = 0; at < bytes.length; at += 4) {
    const mean = (bytes[at] + bytes[at + 1] + bytes[at + 2]) / 3;
    [least, most] = [Math.min(least, mean), Math.max(most, mean)];
  }
  return [least, most];
}`;
