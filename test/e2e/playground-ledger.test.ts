import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type VisitOptions, Visitors } from "./browser.ts";
import { ledgerConfig } from "./ledger-config.ts";
import {
  cleanUpAll,
  decide,
  follow,
  type HostedProduct,
  request,
  startHosted,
  startProduct,
  storedIssues,
} from "./support.ts";

/** Two starts, a kill and a browser, on a machine that is busy. */
const RESTART_LIMIT_MS = 90_000;

let visitors: Visitors;
let product: HostedProduct;

beforeAll(async () => {
  [visitors, product] = await Promise.all([Visitors.launch(), startHosted({ config: ledgerConfig() })]);
});
afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

function visit(url = product.url, options: VisitOptions = {}): Promise<Page> {
  return visitors.visit(url, options);
}

/** Says something as a person does, and waits until the turn rests. */
async function ask(page: Page, message: string): Promise<Locator> {
  const before = await page.locator(".turn").count();
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
  const turn = page.locator(".turn").nth(before);
  await turn.and(page.locator('[data-state="done"], [data-state="pending_confirmation"]')).waitFor();
  return turn;
}

/** Waits until the element has the focus. */
async function focused(element: Locator): Promise<void> {
  await element.and(element.page().locator(":focus")).waitFor();
}

async function done(turn: Locator): Promise<void> {
  await turn.and(turn.page().locator('[data-state="done"]')).waitFor();
}

async function readApproval(id: string | null): Promise<{ args: object }> {
  return (await request<{ args: object }>(product, "GET", `/approvals/${id}`)).body;
}

describe("several requests on the page", () => {
  it("[card.statement] are one card, decided one by one or all at once", async () => {
    const page = await visit();
    const turn = await ask(page, "add label urgent to MOB-3, assign MOB-4 to Emi and delete MOB-5");
    const group = turn.getByRole("region", { name: "Approval requests" });
    await group
      .getByRole("heading", { name: /^Add label urgent to MOB-3, assign MOB-4 to Emi Tanaka/ })
      .waitFor();
    const own = group.getByRole("region", { name: "Approval request", exact: true });
    expect(await own.count()).toBe(3);
    expect(await group.getByLabel("Reason").count()).toBe(1);
    await own.nth(1).getByRole("button", { name: "Deny" }).click();
    await group.getByRole("button", { name: "Approve all 2" }).waitFor();
    expect(await own.count()).toBe(2);
    await group.getByRole("button", { name: "Approve all 2" }).click();
    await done(turn);
    expect(await turn.locator(".signed").count()).toBe(3);
    const [labelled] = storedIssues(
      product.dataDir,
      "App crashes on login when the keyboard is set to emoji",
    );
    expect(labelled).toMatchObject({ labels: ["login", "crash", "urgent"] });
    await turn
      .getByText(/Deleted MOB-5/)
      .first()
      .waitFor({ state: "attached" });
  });
});

describe("a request that was read in other words, on the page", () => {
  it("[card.statement] says above it how the message was read", async () => {
    const page = await visit();
    const turn = await ask(page, "OPS-4: vacuum ran on Sunday, disk at 41 %. You can tick it off");
    expect(await turn.locator(".reply").innerText()).toMatch(
      /^I read “OPS-4: vacuum ran on Sunday.*” as: move OPS-4 to Done\.$/,
    );
    await turn.getByRole("button", { name: "Deny" }).click();
    await done(turn);
  });
});

describe("editing a request on the page", () => {
  it("[approve.edit] [http.playground] opens a form by keyboard alone, and shows both requests", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Printer on fire'");
    await turn.getByRole("button", { name: "Edit" }).focus();
    await page.keyboard.press("Enter");
    const form = turn.getByRole("form", { name: "Edit: Create a task “Printer on fire” in DEMO" });
    const project = form.getByRole("textbox", { name: "Project" });
    await focused(project);
    await page.keyboard.press("Escape");
    await focused(turn.getByRole("button", { name: "Edit" }));
    await page.keyboard.press("Enter");
    await focused(project);
    expect(await project.inputValue()).toBe("DEMO");
    expect(await turn.locator('[data-action="approve"]').isVisible()).toBe(false);
    await page.keyboard.press("Tab");
    await page.keyboard.type("Printer is <b>hot</b>");
    await form.getByText("7 more fields").click();
    await form.getByRole("textbox", { name: "Description" }).fill("\nSmoke.\n\nMuch smoke.");
    await form.getByRole("textbox", { name: "Labels" }).fill("heat\nprinter");
    expect(await form.getByRole("combobox", { name: "Dry run" }).count()).toBe(0);
    await page.keyboard.press("Tab");
    await form.getByRole("button", { name: "Save" }).click();

    const asked = turn.getByRole("region", { name: "Approval request" });
    await asked.getByText("Printer is <b>hot</b>").first().waitFor();
    expect(await asked.innerText()).toContain("edited by local");
    const old = turn.locator(".signed");
    expect(await old.locator("> summary").innerText()).toMatch(
      /replaced\s+edited by local · Create a task “Printer/i,
    );
    await old.locator("> summary").click();
    const id = await asked.getAttribute("data-approval");
    await expect.poll(() => old.innerText()).toContain("A newer request took its place (edited by local)");
    await old.getByText("Details", { exact: true }).click();
    expect(await old.innerText()).toContain(String(id));
    expect((await readApproval(id)).args).toEqual({
      project: "DEMO",
      summary: "Printer is <b>hot</b>",
      description: "\nSmoke.\n\nMuch smoke.",
      labels: ["heat", "printer"],
    });

    // The form of the new request holds it all as it was typed.
    await asked.getByRole("button", { name: "Edit" }).click();
    const again = asked.getByRole("form");
    expect(await again.getByRole("textbox", { name: "Description" }).inputValue()).toBe(
      "\nSmoke.\n\nMuch smoke.",
    );
    expect(await again.getByRole("textbox", { name: "Labels" }).inputValue()).toBe("heat\nprinter");
    await again.getByRole("button", { name: "Cancel" }).click();
    await asked.locator('[data-action="approve"]').click();
    await done(turn);
    expect(storedIssues(product.dataDir, "Printer is <b>hot</b>")).toHaveLength(1);
  });

  it("[http.playground] what was decided elsewhere is drawn as it was fetched, so that no form opened since is lost", async () => {
    const page = await visit();
    const turn = await ask(page, "add label printer to OPS-12");
    const id = await turn.locator("[data-approval]").first().getAttribute("data-approval");
    const decided = Promise.withResolvers<void>();
    let fetches = 0;
    await page.route("**/playground/turns/*", async (route) => {
      fetches += 1;
      await decided.promise;
      // A second look would replace, much later, what somebody does in what the first has shown.
      if (fetches === 1) await route.continue();
    });
    expect((await decide(product, String(id), "deny")).body.outcome).toBe("denied");
    await follow(product, String(await turn.getAttribute("data-turn")));
    decided.resolve();
    await done(turn);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("[http.playground] a button that is being pressed stays until it is let go", async () => {
    const page = await visit();
    const turn = await ask(page, "add label tray to OPS-13 and add label toner to OPS-14");
    const own = turn.getByRole("region", { name: "Approval request", exact: true });
    const asked = Promise.withResolvers<void>();
    const pressed = Promise.withResolvers<void>();
    await page.route("**/playground/turns/*", async (route) => {
      asked.resolve();
      await pressed.promise;
      await route.continue();
    });
    await own.nth(0).getByRole("button", { name: "Deny" }).click();
    await asked.promise;
    await own.nth(1).locator("[data-action=approve]").hover();
    await page.mouse.down();
    const drawn = page.waitForResponse("**/playground/turns/*");
    pressed.resolve();
    await (await drawn).finished();
    // Until the page has done what it does with the drawing.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    expect(await own.count()).toBe(2);
    await page.mouse.up();
    await done(turn);
    await turn.getByText("Added label toner to OPS-14").first().waitFor({ state: "attached" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("[approve.edit] [http.playground] keeps what is written in one request while another is decided", async () => {
    const page = await visit();
    const turn = await ask(
      page,
      "add label urgent to OPS-1, add label cable to OPS-2 and add label fan to OPS-3",
    );
    const own = turn.getByRole("region", { name: "Approval request", exact: true });
    await own.nth(0).getByRole("button", { name: "Edit" }).click();
    const labels = own.nth(0).getByRole("form").getByRole("textbox", { name: "Fields: Labels" });
    await labels.fill("urgent\nstorage");
    await own.nth(2).getByRole("button", { name: "Deny" }).click();
    await turn.locator(".signed").waitFor();
    expect(await own.count()).toBe(2);
    expect(await labels.inputValue()).toBe("urgent\nstorage");
    await own.nth(0).getByRole("button", { name: "Save" }).click();
    await turn.getByText("edited by local").first().waitFor();
    await turn.getByRole("button", { name: "Deny all" }).click();
    await done(turn);
  });

  it("[http.playground] an older drawing that comes last does not take the place of a newer one", async () => {
    const page = await visit();
    const turn = await ask(page, "add label urgent to OPS-4 and add label cable to OPS-5");
    const own = turn.getByRole("region", { name: "Approval request", exact: true });
    const id = String(await own.nth(0).getAttribute("data-approval"));
    const [held, isLate, isOver] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    let fetches = 0;
    await page.route("**/playground/turns/*", async (route) => {
      const at = (fetches += 1);
      const response = await route.fetch();
      if (at === 1) {
        held.resolve();
        await isLate.promise;
      }
      // Looked at once more after the late one: it was put, or not, by then.
      if (at === 3) {
        expect(await own.count()).toBe(0);
        isOver.resolve();
      }
      await route.fulfill({ response });
    });
    expect((await decide(product, id, "deny")).body.outcome).toBe("denied");
    await held.promise;
    await own.nth(1).getByRole("button", { name: "Deny" }).click();
    await done(turn);
    isLate.resolve();
    await isOver.promise;
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("[approve.edit] [http.playground] says what is wrong next to its field, keeps what was typed", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Kettle on fire'");
    const edit = turn.getByRole("button", { name: "Edit" });
    await edit.click();
    const save = turn.getByRole("button", { name: "Save" });
    await save.click();
    await turn.getByRole("alert").filter({ hasText: "Nothing was changed yet" }).waitFor();

    const project = turn.getByRole("textbox", { name: "Project" });
    await project.fill("");
    await turn.getByRole("textbox", { name: "Summary" }).fill("Tea");
    await page.keyboard.press("Enter");
    await turn.locator('[aria-invalid="true"]').waitFor();
    await focused(project);
    const fault = await project.getAttribute("aria-describedby");
    expect(await turn.locator(`[id="${fault?.split(" ")[0]}"]`).innerText()).toBe("This is required.");
    expect(await turn.getByRole("textbox", { name: "Summary" }).inputValue()).toBe("Tea");

    await project.fill("OPS");
    await save.click();
    await turn.getByRole("alert").filter({ hasText: "denies jira.create_issue" }).waitFor();
    await project.fill("DEMO");
    await turn.getByRole("textbox", { name: "Summary" }).fill("x".repeat(300));
    await save.click();
    await turn.locator(".edit-fault").waitFor();
    expect(await turn.locator(".edit-field", { has: page.getByText("Summary") }).innerText()).toContain(
      "255",
    );

    await turn.getByRole("button", { name: "Cancel" }).click();
    await focused(edit);
    expect(await turn.locator(".cs-card").innerText()).toContain("Kettle on fire");
    await turn.getByRole("button", { name: "Deny" }).click();
    await done(turn);
  });

  it("[approve.edit] [http.playground] notices that somebody else decided meanwhile", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Door on fire'");
    const id = (await turn.locator("[data-approval]").getAttribute("data-approval")) ?? "";
    await turn.getByRole("button", { name: "Edit" }).click();
    await turn.getByRole("textbox", { name: "Summary" }).fill("Window on fire");
    expect((await decide(product, id, "deny", { reason: "no" })).status).toBe(200);
    await turn.getByRole("button", { name: "Save" }).click();
    await done(turn);
    await page.getByRole("alert").filter({ hasText: "Only a pending request can be edited" }).waitFor();
  });
});

describe("allowing the same for a while on the page", () => {
  it("[approve.policy] [http.playground] shows, lists and revokes a standing approval", async () => {
    const page = await visit();
    const turn = await ask(page, "comment on DEMO-1: first");
    const box = turn.getByRole("checkbox", { name: "and allow the same for 30 minutes, up to 2 times" });
    const terms = turn.locator(`[id="${await box.getAttribute("aria-describedby")}"]`);
    expect((await terms.innerText()).replaceAll(/\s+/g, " ")).toBe(
      'Must be equal issue_key = "DEMO-1" May differ body Not allowed any other argument',
    );
    await box.check();
    await turn.locator('[data-action="approve"]').click();
    await done(turn);

    const again = await ask(page, "comment on DEMO-1: second");
    await done(again);
    expect(await again.locator(".signed > summary").innerText()).toContain(
      "by the standing approval of local",
    );
    const grants = page.getByRole("region", { name: "Standing approvals" });
    await grants.getByText("1 standing approval").click();
    await grants.getByText("used 1 of 2, given by local").waitFor();
    await grants.getByRole("button", { name: "Revoke the standing approval of jira.add_comment" }).click();
    await grants.getByText("1 standing approval").waitFor({ state: "detached" });
    const asked = await ask(page, "comment on DEMO-1: third");
    expect(await asked.getByRole("checkbox").isChecked()).toBe(false);

    const plain = await ask(page, "create an issue in DEMO titled 'Lamp on fire'");
    expect(await plain.getByRole("checkbox").count()).toBe(0);
  });
});

describe("an unknown outcome on the page", () => {
  it(
    "[approve.unknown] [http.playground] is looked up in place and settled with a button",
    async () => {
      const config = ledgerConfig();
      const doomed = await startProduct({ config, env: { COUNTERSIGN_FAIL_POINT: "send.after" } });
      const page = await visit(doomed.url);
      const turn = await ask(page, "create an issue in DEMO titled 'Cable on fire'");
      await turn.locator('[data-action="approve"]').click();
      await doomed.ended;

      const revived = await startHosted({ config, dataDir: doomed.dataDir });
      // On a busy machine a server may take longer than the product waits for it before it says that it is ready.
      await expect
        .poll(async () => (await request<{ servers: object }>(revived, "GET", "/health")).body.servers)
        .toMatchObject({ jira: { status: "up" } });
      const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
      const again = await visit(`${revived.url}/${new URL(page.url()).search}`, phone);
      const block = again.getByRole("region", { name: "Unknown outcome" });
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      await again.route("**/lookup", async (route) => {
        await held;
        await route.continue();
      });
      await block.getByRole("button", { name: "Look it up" }).click();
      // Meanwhile the turn is drawn anew, as it is when its stream ends.
      await again.evaluate(
        `import("/playground/assets/live.js").then(({ redraw }) => {
          const article = document.querySelector(".turn");
          return redraw(article, article.dataset.turn).then((drawn) => drawn !== undefined);
        })`,
      );
      answer();
      await block.getByRole("status").getByText("Cable on fire").first().waitFor();
      expect(await block.getByRole("status").innerText()).toContain("jira.search_issues");
      expect(await again.evaluate("[document.documentElement.scrollWidth, innerWidth]")).toEqual([360, 360]);
      const { body } = await request<{ approvals: unknown[] }>(revived, "GET", "/approvals?state=unknown");
      expect(body.approvals).toHaveLength(1);
      await block.getByRole("button", { name: "It happened" }).click();
      const settled = again.locator(".turn").first();
      await done(settled);
      await settled.locator(".signed > summary").click();
      expect(await settled.locator(".signed").innerText()).toContain("local settled it: it happened");
      expect(storedIssues(revived.dataDir, "Cable on fire")).toHaveLength(1);
    },
    RESTART_LIMIT_MS,
  );
});
