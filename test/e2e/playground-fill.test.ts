import { afterAll, beforeAll, expect, it } from "vitest";

import { Visitors } from "./browser.ts";
import { cleanUpAll, jiraOnly, type HostedProduct, say, startHosted } from "./support.ts";

let visitors: Visitors;
let product: HostedProduct;

beforeAll(async () => {
  visitors = await Visitors.launch();
  product = await startHosted({ config: jiraOnly() });
});

afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

it("[plan.missing-args] asks on the page for exactly what a call lacks, and runs what is filled in", async () => {
  const page = await visitors.visit(product.url);
  await page.getByRole("textbox", { name: "Message" }).fill("/jira create project=DEMO");
  await page.keyboard.press("Enter");
  const asks = page.locator(".turn").first();
  await asks.getByRole("button", { name: "Fill in" }).click();
  const form = asks.getByRole("form", { name: "Create a Jira issue" });
  expect(await form.getByLabel("Project").inputValue()).toBe("DEMO");

  // Refused: what is missing is said at its field, and what was typed stays.
  await form.getByText("more field").click();
  await form.getByLabel("Labels").fill("two words");
  await form.getByRole("button", { name: "Ask for approval" }).click();
  await form.getByText("This is required.").waitFor();
  await form.getByLabel("Summary").fill("Filled in on the page");
  await form.getByRole("button", { name: "Ask for approval" }).click();
  await form.locator('[aria-invalid="true"]').and(form.getByLabel("Labels")).waitFor();
  expect(await form.getByLabel("Summary").inputValue()).toBe("Filled in on the page");
  await form.getByLabel("Labels").fill("one");
  await form.getByRole("button", { name: "Ask for approval" }).click();

  const change = page.locator('.turn[data-state="pending_confirmation"]');
  await change.getByText("Filled in on the page").first().waitFor();
  expect(await form.count()).toBe(0);
  expect(await page.locator(".turn").count()).toBe(2);
});

it("[http.playground] says what a message waits for where the one before asks something", async () => {
  const page = await visitors.visit(product.url);
  const send = async (text: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
  };
  await send("assign DEMO-4 to me");
  const [first, second] = [page.locator(".turn").nth(0), page.locator(".turn").nth(1)];
  const question = first.getByRole("form", { name: "Who are you in" });
  await question.waitFor();
  await send("show DEMO-2");
  await second.getByText("Waits for the answer to the question above").waitFor();
  await question.getByRole("button", { name: "Decline" }).click();
  await second.and(page.locator('[data-state="done"]')).waitFor();
  expect(await second.innerText()).toContain("DEMO-2");
});

it("[plan.missing-args] offers on the page what may be meant, each with its form", async () => {
  const page = await visitors.visit(product.url);
  await page.getByRole("textbox", { name: "Message" }).fill("change an issue");
  await page.keyboard.press("Enter");
  const asks = page.locator(".turn").first();
  await asks.getByRole("button", { name: "Update a Jira issue" }).click();
  await asks.getByRole("form", { name: "Update a Jira issue" }).waitFor();
  await asks.getByRole("button", { name: "Move a Jira issue to another status" }).click();
  const form = asks.getByRole("form", { name: "Move a Jira issue to another status" });
  await form.getByLabel("Issue key").fill("DEMO-4");
  await form.getByRole("button", { name: "Ask for approval" }).click();
  await form.getByText("This is required.").waitFor();
  await form.getByLabel("Status").fill("In Progress");
  await form.getByRole("button", { name: "Ask for approval" }).click();
  const change = page.locator('.turn[data-state="pending_confirmation"]');
  await change.getByText("DEMO-4").first().waitFor();
  expect(await form.count()).toBe(0);
});

it("[plan.missing-args] refuses the form of a choice that a turn does not offer", async () => {
  const { body } = await say(product, "change an issue");
  for (const choice of ["9", "x", "-1"]) {
    const answer = await fetch(
      `${product.url}/playground/turns/${String(body.turn_id)}/fill?choice=${choice}`,
    );
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain(`offers nothing at place ${choice}`);
  }
});
