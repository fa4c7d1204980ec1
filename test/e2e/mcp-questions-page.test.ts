import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { root } from "#test/fakes/mcp-box.ts";

import { Visitors } from "./browser.ts";
import { cleanUp, cleanUpAll, type HostedProduct, startHosted } from "./support.ts";

let visitors: Visitors;
let product: HostedProduct;

beforeAll(async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  [visitors, product] = await Promise.all([
    Visitors.launch(),
    startHosted({
      config: {
        model: { provider: "builtin" },
        servers: [{ name: "shop", url }],
        policy: { rules: [{ tools: ["shop.*"], decision: "allow", idempotent: true }] },
        commands: {
          shop: { server: "shop", subcommands: { confirm: "confirm", odd: "odd", visit: "visit" } },
        },
      },
    }),
  ]);
});

afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

/** A fresh visitor who says something. */
async function ask(message: string): Promise<Page> {
  const page = await visitors.visit(product.url);
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
  return page;
}

describe("a server's question on the page", () => {
  it("[mcp.elicit] is a form in the turn, refuses what does not fit, and goes on with the answer", async () => {
    const page = await ask("/shop confirm what=jump");
    const form = page.getByRole("form", { name: "shop asks" });
    await form.getByText("Really jump?").waitFor();
    // Nobody plans meanwhile, and no seconds run.
    await page.locator(".live-phase", { hasText: "Waiting for your answer" }).waitFor();
    expect(await page.locator(".live-seconds").isVisible()).toBe(false);
    await form.getByText("This form is from shop. Never type a password, a code or a key into it.").waitFor();
    await form.getByRole("button", { name: "Answer" }).click();
    await form.getByText("This is required.").waitFor();

    await form.getByLabel("Sure").selectOption("Yes");
    await form.getByRole("button", { name: "Answer" }).click();
    const turn = page.locator('.turn[data-state="done"]');
    await turn.waitFor();
    expect(await turn.innerText()).toContain("because");
  });

  it("[mcp.elicit] may have fields that are called as an object's own parts are", async () => {
    const page = await ask("/shop odd");
    const form = page.getByRole("form", { name: "shop asks" });
    await form.getByText("What of the object?").waitFor();
    await form.getByLabel("Constructor").fill("mine");
    await form.getByLabel("Has own property").fill("yours");
    await form.getByRole("button", { name: "Answer" }).click();
    const turn = page.locator('.turn[data-state="done"]');
    await turn.waitFor();
    expect(await turn.innerText()).toContain("constructor is mine, hasOwnProperty is yours");
  });

  it("[mcp.elicit] shows where a link leads and opens nothing; it can be declined", async () => {
    const page = await ask("/shop visit url=https://sign-in.example.com/a");
    const form = page.getByRole("form", { name: "shop asks" });
    await form.getByText("sign-in.example.com", { exact: true }).waitFor();
    const link = form.getByRole("link");
    expect(await link.getAttribute("href")).toBe("https://sign-in.example.com/a");
    expect(await link.getAttribute("rel")).toContain("noopener");
    await form.getByRole("button", { name: "Decline" }).click();
    const turn = page.locator('.turn[data-state="done"]');
    await turn.waitFor();
    expect(await turn.innerText()).toContain("decline");
  });

  it("[mcp.elicit] is there again after the page was loaded anew", async () => {
    const page = await ask("/shop confirm what=reload");
    await page.getByText("Really reload?").waitFor();
    await page.reload();
    const form = page.getByRole("form", { name: "shop asks" });
    await form.getByText("Really reload?").waitFor();
    await form.getByRole("button", { name: "Decline" }).click();
    const turn = page.locator('.turn[data-state="done"]');
    await turn.waitFor();
    expect(await turn.innerText()).toContain("decline");
  });
});
