import type { Browser, BrowserContextOptions } from "playwright-core";

import { type Company, startCompany } from "#test/scenarios/company.ts";
import { type Scenario, scenariosFor } from "#test/scenarios/scenarios.ts";
import { discordStage, pageStage, play, slackStage } from "#test/scenarios/stages.ts";
import { TERMINAL_SCENARIOS, TerminalStage } from "#test/scenarios/terminal.ts";

import { clipOf, openPage, root, take } from "./camera.ts";

/** Windows so high that nothing has to be scrolled. */
const SLACK = { viewport: { width: 1180, height: 4000 }, colorScheme: "light" } as const;
const DISCORD = { viewport: { width: 1400, height: 4000 }, colorScheme: "dark" } as const;
const PAGES: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ["Page", { viewport: { width: 900, height: 2400 }, colorScheme: "light" }],
  ["Page, dark", { viewport: { width: 900, height: 2400 }, colorScheme: "dark" }],
  ["Phone", { viewport: { width: 390, height: 2400 }, isMobile: true, hasTouch: true, colorScheme: "light" }],
];

/** By scenario, by surface: the pictures in their order, as `data:` URLs or as the terminal's lines. */
type Album = Map<string, Map<string, string[]>>;

/** Ten scenarios on every surface, as one sheet for each: docs/scenarios/NAME.jpg. */
export async function takeScenarios(browser: Browser): Promise<void> {
  const company = await startCompany();
  const album: Album = new Map();
  const terminal = new TerminalStage(root, company.chat);
  try {
    await onSlack(browser, company, album);
    await onDiscord(browser, company, album);
    await onPage(browser, company, album);
    await inTerminal(terminal, album);
  } finally {
    terminal.stop();
    await company.stop();
  }
  for (const { name, title } of scenariosOf("DEMO", "2.1"))
    await takeSheet(browser, name, title, album.get(name));
}

function scenariosOf(project: string, version: string): readonly Scenario[] {
  return scenariosFor({ project, version, first: 3 });
}

function keep(album: Album, scenario: string, surface: string, picture: string): void {
  const surfaces = album.get(scenario) ?? new Map<string, string[]>();
  album.set(scenario, surfaces.set(surface, [...(surfaces.get(surface) ?? []), picture]));
}

async function onSlack(browser: Browser, company: Company, album: Album): Promise<void> {
  const { slack } = company;
  const stage = slackStage(slack);
  for (const scenario of scenariosOf("DEMO", "2.1")) {
    await play(company, stage, scenario, async () => {
      const place = { as: "ana", place: slack.channel("general").id, thread: stage.thread };
      const url = `${slack.url}/#${new URLSearchParams(place).toString()}`;
      keep(album, scenario.name, "Slack", await threadOf(browser, SLACK, url));
    });
  }
}

async function onDiscord(browser: Browser, company: Company, album: Album): Promise<void> {
  const { discord } = company;
  const stage = discordStage(discord);
  for (const scenario of scenariosOf("MOB", "2.2")) {
    await play(company, stage, scenario, async () => {
      const { question } = stage;
      const thread = question && discord.threadOf(question);
      if (question === undefined || thread === undefined)
        throw new Error(`${scenario.name}: nothing on Discord`);
      const place = { as: "ana", place: question.channel, thread: thread.id };
      const url = `${discord.url}/#${new URLSearchParams(place).toString()}`;
      keep(album, scenario.name, "Discord", await threadOf(browser, DISCORD, url));
    });
  }
}

async function threadOf(browser: Browser, options: BrowserContextOptions, url: string): Promise<string> {
  const page = await openPage(browser, options);
  await page.goto(url);
  const log = page.locator("#thread");
  await log.locator("> *").first().waitFor();
  const picture = await page.screenshot({ animations: "disabled", caret: "hide", clip: await clipOf(log) });
  await page.context().close();
  return dataUrl(picture);
}

async function onPage(browser: Browser, company: Company, album: Album): Promise<void> {
  const stage = pageStage(company);
  for (const scenario of scenariosOf("OPS", "2.3")) {
    await play(company, stage, scenario, async () => {
      for (const [surface, options] of PAGES) {
        const page = await openPage(browser, options);
        await page.request.post(`${company.url}/session`, { form: { token: company.token("ana") } });
        await page.goto(`${company.url}/?c=${stage.session}`);
        const turns = page.locator(".turn");
        await turns.last().waitFor();
        const boxes = await Promise.all((await turns.all()).map((turn) => turn.boundingBox()));
        const [first, last] = [boxes[0], boxes.at(-1)];
        if (first == null || last == null) throw new Error(`${scenario.name}: the page shows no turn`);
        const clip = { x: first.x, y: first.y, width: first.width, height: last.y + last.height - first.y };
        const picture = await page.screenshot({ animations: "disabled", caret: "hide", clip });
        keep(album, scenario.name, surface, dataUrl(picture));
        await page.context().close();
      }
    });
  }
}

async function inTerminal(terminal: TerminalStage, album: Album): Promise<void> {
  await terminal.see("countersign> ");
  for (const scenario of TERMINAL_SCENARIOS) {
    keep(album, scenario.name, "Terminal", await terminal.play(scenario));
    if (scenario.typed.at(-1)?.[1] === "answer> ") await terminal.leave();
  }
}

function dataUrl(picture: Buffer): string {
  return `data:image/png;base64,${picture.toString("base64")}`;
}

/** One scenario on all surfaces, side by side. */
async function takeSheet(
  browser: Browser,
  name: string,
  title: string,
  surfaces: ReadonlyMap<string, string[]> = new Map(),
): Promise<void> {
  const columns = [...surfaces].map(([surface, pictures]) => {
    const shots = pictures.map((one) =>
      one.startsWith("data:") ? `<img src="${one}" alt="">` : `<pre>${one}</pre>`,
    );
    return `<section class="${surface === "Phone" ? "phone" : "wide"}"><h2>${surface}</h2>${shots.join("")}</section>`;
  });
  const page = await openPage(browser, { viewport: { width: 1600, height: 1200 } });
  await page.setContent(
    `<!doctype html><style>${SHEET}</style><h1>${title}</h1><main>${columns.join("")}</main>`,
  );
  const height = await page.evaluate("document.documentElement.scrollHeight");
  await page.setViewportSize({ width: 1600, height: Number(height) });
  await take(page, `scenarios/${name}.jpg`);
  await page.context().close();
}

const SHEET = `
  body { margin: 16px; background: #eceef1; font: 14px sans-serif; color: #22262b }
  h1 { font-size: 20px; margin: 0 0 12px }
  h2 { font-size: 13px; margin: 0 0 6px; color: #59616b }
  main { columns: 3; column-gap: 16px }
  section { break-inside: avoid; margin-bottom: 16px }
  img { display: block; width: 100%; border-radius: 6px; margin-bottom: 8px; background: white }
  .phone img { width: 62% }
  pre { margin: 0; padding: 12px; border-radius: 6px; background: #17191d; color: #d5d8dd; font-size: 8.6px; line-height: 1.35; overflow: hidden }
`;
