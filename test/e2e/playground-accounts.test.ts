import { afterAll, beforeAll, expect, it } from "vitest";

import { type AuthorisedServer, startAuthorisedServer } from "#test/fakes/auth-server.ts";

import { Visitors } from "./browser.ts";
import { connectAt } from "./oauth-browser.ts";
import { cleanUp, cleanUpAll, type HostedProduct, startHosted } from "./support.ts";

let visitors: Visitors;
let product: HostedProduct;
let notes: AuthorisedServer;

beforeAll(async () => {
  notes = await startAuthorisedServer(3_600);
  cleanUp(() => notes.stop());
  [visitors, product] = await Promise.all([
    Visitors.launch(),
    startHosted({
      config: {
        model: { provider: "builtin" },
        servers: [
          { name: "notes", url: notes.url, oauth: {} },
          {
            name: "sites",
            command: ["node", "test/fakes/mcp-sites.ts"],
            trust_annotations: true,
            credentials: {
              tenant_domain: "tenant.domain",
              tenant_token: "tenant.token",
              source_domain: "source.domain",
              source_token: "source.token",
              target_domain: "target.domain",
              target_token: "target.token",
            },
          },
        ],
      },
    }),
  ]);
});

afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

it("[mcp.oauth] the page lists accounts of the person, with buttons to connect and disconnect", async () => {
  const page = await visitors.visit(product.url, { expected: /^$/ });
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
});

it("[ops.connect] a site is connected on a page of its own, and two are chosen for migrations by words", async () => {
  const page = await visitors.visit(product.url);
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("/connect sites");
  await message.press("Enter");
  const accounts = page.locator("#panel-accounts");
  for (const name of ["eu", "us"]) {
    const link = accounts.getByRole("link", { name: /^Open 127\.0\.0\.1/ });
    if (name === "us") {
      const asked = Promise.withResolvers<void>();
      await page.route(
        "**/playground/accounts",
        async (route) => {
          await asked.promise;
          await route.continue();
        },
        { times: 1 },
      );
      await accounts.getByRole("button", { name: "Connect a site for sites" }).click();
      // The link that was used is gone before there is another.
      await link.waitFor({ state: "detached" });
      asked.resolve();
    }
    const opened = page.waitForEvent("popup");
    await link.click();
    const form = await opened;
    await form.getByLabel("Address").fill(`https://${name}.example.com/`);
    await form.getByLabel("Token").fill("revoked-token");
    await form.getByLabel("Name").fill(name);
    await form.getByRole("button", { name: "Try and connect" }).click();
    // What was refused can be mended; the token is not sent back to the page.
    await form.getByRole("alert").getByText("sites could not work with this site").waitFor();
    expect(await form.getByLabel("Address").inputValue()).toBe(`https://${name}.example.com/`);
    expect(await form.content()).not.toContain("revoked-token");
    await form.getByLabel("Token").fill(`good-token-of-${name}`);
    await form.getByRole("button", { name: "Try and connect" }).click();
    await form.getByText("sites could work with it").waitFor();
    await form.close();
  }
  await page.getByRole("button", { name: "Close" }).click();
  await message.fill("/connect from eu to us");
  await message.press("Enter");
  await accounts.getByText("eu is used as the source of migrations for sites here").waitFor();
  await accounts.getByText("target of migrations here").waitFor();
  await accounts.getByRole("button", { name: "Stop using us as target" }).click();
  await accounts.getByText("No site of yours is used as the target of migrations").waitFor();
  await accounts.getByRole("button", { name: "Disconnect us" }).click();
  await accounts.getByText("your site us is forgotten here").waitFor();
  await accounts.getByRole("button", { name: "Disconnect us" }).waitFor({ state: "detached" });
});
