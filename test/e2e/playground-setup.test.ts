import { copyFile, readFile, stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import { type JiraRest, startJiraRest } from "#test/fakes/jira-rest/server.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest } from "#test/fakes/slack/types.ts";

import { Visitors } from "./browser.ts";
import {
  cleanUp,
  cleanUpAll,
  projectRoot,
  type HostedProduct,
  startHosted,
  temporaryFolder,
} from "./support.ts";

const TOKEN = "the-api-token-of-ana";

let visitors: Visitors;
let slack: FakeSlack;
let jira: JiraRest;
let ollama: FakeOllama;
let product: HostedProduct;
let variables: string;
let config: string;

beforeAll(async () => {
  const manifest = parse(await readFile(join(projectRoot, "manifest.yml"), "utf8")) as Manifest;
  visitors = await Visitors.launch();
  slack = await startFakeSlack({ manifest });
  const discord = await startFakeDiscord();
  jira = await startJiraRest(TOKEN);
  ollama = await startFakeOllama(() => ({ do: "answer", text: "yes" }));
  for (const fake of [slack, discord, ollama]) cleanUp(() => fake.stop(), "file");
  cleanUp(() => jira.close(), "file");
  const folder = await temporaryFolder();
  variables = join(folder, ".env");
  config = join(folder, "countersign.yaml");
  await copyFile(join(projectRoot, "config/countersign.yaml"), config);
  product = await startHosted({
    env: {
      COUNTERSIGN_ENV: variables,
      COUNTERSIGN_CONFIG: config,
      OLLAMA_HOST: ollama.url,
      SLACK_API_URL: slack.environment.SLACK_API_URL,
      DISCORD_API_URL: discord.environment.DISCORD_API_URL,
    },
    endsWith: "file",
  });
}, 90_000);
afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

/** Answers the question that is asked, in words or by the label of what is chosen. */
async function answer(
  page: Page,
  question: string,
  given: { text?: string; choose?: string[] } = {},
): Promise<void> {
  const form = page.locator("#question").filter({ hasText: question });
  await form.waitFor();
  if (given.text !== undefined) await form.getByLabel(question).fill(given.text);
  for (const label of given.choose ?? []) await form.getByLabel(label).check();
  await form.getByRole("button", { name: "Go on" }).click();
}

it("[ops.setup] leads on the page of a first start from the demo to the team's own Jira and Slack", async () => {
  const page = await visitors.visit(product.url);
  await page.getByRole("link", { name: "Connect your team's tools" }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await answer(page, "Which model shall plan?");
  await answer(page, "Shall Countersign work with your Jira?");
  await answer(page, "What is the address of your Jira?", { text: "ftp://nowhere" });
  await page.getByRole("alert").getByText("An address such as").waitFor();
  await answer(page, "What is the address of your Jira?", { text: jira.url });
  await answer(page, "Which Jira is that?");
  await answer(page, "The e-mail address", { text: "ana@shop.example" });
  await answer(page, "An API token", { text: "not-the-token" });
  await page.getByText("does not accept the credentials").waitFor();
  await answer(page, "What now?");
  await answer(page, "What is the address of your Jira?");
  await answer(page, "Which Jira is that?");
  await answer(page, "The e-mail address");
  await answer(page, "An API token", { text: TOKEN });
  await page.getByText("Found 2 projects: SHOP (Shop), OPS (Operations).").waitFor();
  await answer(page, "build a search index");
  await page.getByText("+ JIRA_API_TOKEN=(hidden)").waitFor();
  await answer(page, "Write these lines?");

  // Somebody who comes back sees where it stands.
  await page.goto(`${product.url}/setup`);
  await answer(page, "Shall Countersign work with your Confluence?", { choose: ["Not now"] });
  await answer(page, "Take that out?");
  await answer(page, "Write these lines?");
  await answer(page, "Shall people ask Countersign in Slack?");
  const link = page.getByRole("link", { name: "Open it" }).first();
  expect(await link.getAttribute("href")).toMatch(
    /^https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=.*SHOP-1/,
  );
  await answer(page, "The Bot User OAuth Token", { text: slack.environment.SLACK_BOT_TOKEN });
  await answer(page, "The App-Level Token", { text: slack.environment.SLACK_APP_TOKEN });
  await answer(page, "Who are you?", { choose: ["Ana Lindqvist"] });
  await answer(page, "Write these lines?");
  await answer(page, "Shall people ask Countersign in Discord?");
  await answer(page, "Who may?", { choose: ["People that I choose now"] });
  await answer(page, "Who of Slack?", { choose: ["Ana Lindqvist", "Ben Okafor"] });
  await answer(page, "Write these lines?");
  await page.getByText("That is all.").waitFor();
  const shown = await page.content();
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN } = slack.environment;
  for (const secret of [TOKEN, "not-the-token", SLACK_BOT_TOKEN, SLACK_APP_TOKEN])
    expect(shown).not.toContain(secret);

  expect((await stat(variables)).mode & 0o777).toBe(0o600);
  expect(await readFile(variables, "utf8")).toContain(`JIRA_API_TOKEN=${TOKEN}\n`);
  const written = parse(await readFile(config, "utf8")) as {
    servers: { name: string }[];
    policy: { groups: Record<string, string[]> };
  };
  expect(written.servers.map(({ name }) => name)).toEqual(["knowledge", "jira", "confluence"]);
  expect(written.policy.groups.approvers).toHaveLength(2);
  expect(slack.messages(slack.dm("ana").id)).toHaveLength(1);

  // Again: the token that is there stays, but goes to no other site.
  await page.getByRole("button", { name: "Go through it again" }).click();
  await answer(page, "Which model shall plan?");
  await answer(page, "Shall Countersign work with your Jira?", { choose: ["Connect another one"] });
  await answer(page, "What is the address of your Jira?", { text: "http://127.0.0.1:9" });
  await answer(page, "Which Jira is that?");
  await answer(page, "The e-mail address");
  await answer(page, "An API token");
  await page.getByRole("alert").getByText("Something has to stand here.").waitFor();
}, 120_000);

it("[ops.setup] takes nothing from other pages, other machines, or without what stands on its own page", async () => {
  const url = `${product.url}/setup`;
  const before = await readFile(config, "utf8");
  const send = (headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    });
  expect((await send({ origin: "https://evil.example" }, "begin=1")).status).toBe(403);
  expect((await send({ origin: "null" }, "begin=1")).status).toBe(403);
  expect((await send({ "x-forwarded-for": "203.0.113.9" }, "begin=1")).status).toBe(403);
  for (const passed of [{ forwarded: "for=203.0.113.9" }, { "x-real-ip": "203.0.113.9" }])
    expect((await fetch(url, { headers: passed as Record<string, string> })).status).toBe(403);
  const { hostname, port } = new URL(url);
  const status = await new Promise((resolve, reject) => {
    request({ hostname, port, path: "/setup", headers: { host: "evil.example" } }, ({ statusCode }) =>
      resolve(statusCode),
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
  const page = await (await fetch(url)).text();
  const key = /name="key" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const isSame = async (): Promise<boolean> => (await (await fetch(url)).text()).includes(key);
  // Whatever key it guesses, it stands where it stood.
  expect((await send({}, "key=guessed&begin=1")).status).toBe(303);
  expect((await send({}, "answer=x")).status).toBe(303);
  expect(await isSame()).toBe(true);
  await send({ origin: product.url }, `key=${key}&begin=1`);
  expect(await isSame()).toBe(false);
  expect(await readFile(config, "utf8")).toBe(before);
});
