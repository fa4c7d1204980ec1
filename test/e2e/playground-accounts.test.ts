import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { type AuthorisedServer, startAuthorisedServer } from "#test/fakes/auth-server.ts";

import { launchBrowser } from "./browser.ts";
import { connectAt } from "./oauth-browser.ts";
import { cleanUp, cleanUpAll, type RunningProduct, startProduct } from "./support.ts";

let browser: Browser;
let product: RunningProduct;
let notes: AuthorisedServer;

beforeAll(async () => {
  notes = await startAuthorisedServer(3_600);
  cleanUp(() => notes.stop());
  [browser, product] = await Promise.all([
    launchBrowser(),
    startProduct({
      config: {
        model: { provider: "builtin" },
        servers: [{ name: "notes", url: notes.url, oauth: {} }],
      },
    }),
  ]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await cleanUpAll();
});

it("[mcp.oauth] the page lists accounts of the person, with buttons to connect and disconnect", async () => {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (line) => void (line.type() === "error" && faults.push(line.text())));
  await page.goto(product.url);
  await page.getByRole("button", { name: "Tools & health" }).last().click();
  const accounts = page.locator("#panel-accounts");
  await accounts.getByText("not connected").waitFor();
  await accounts.getByRole("button", { name: "Connect notes" }).click();
  const link = accounts.getByRole("link", { name: /^Open 127\.0\.0\.1/ });
  await link.waitFor();
  expect(await link.getAttribute("rel")).toContain("noopener");
  await connectAt(product, (await link.getAttribute("href")) ?? "", "local-account");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Tools & health" }).last().click();
  await accounts.getByText("your own account, connected on").waitFor();
  await accounts.getByRole("button", { name: "Disconnect notes" }).click();
  await accounts.getByText("Disconnected: the account with notes").waitFor();
  await accounts.getByRole("button", { name: "Connect notes" }).waitFor();
  expect(faults).toEqual([]);
});
