import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startFakeOllama } from "#test/fakes/ollama.ts";

import { type VisitOptions, Visitors } from "./browser.ts";
import {
  cleanUpAll,
  type HostedProduct,
  jiraOnly,
  say,
  startHosted,
  startProduct,
  storedIssues,
} from "./support.ts";

let visitors: Visitors;
let product: HostedProduct;

beforeAll(async () => {
  [visitors, product] = await Promise.all([Visitors.launch(), startHosted()]);
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
  const turns = page.locator(".turn");
  const before = await turns.count();
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.keyboard.press("Enter");
  const turn = turns.nth(before);
  await resting(turn);
  return turn;
}

async function resting(turn: Locator): Promise<void> {
  await turn
    .and(
      turn
        .page()
        .locator(
          '[data-state="done"], [data-state="pending_confirmation"], [data-state="failed"], [data-state="stopped"]',
        ),
    )
    .waitFor();
}

/** What a turn's calls brought, in the way that is chosen. */
function resultOf(turn: Locator): Locator {
  return turn.locator(".result > section:not([hidden])");
}

/** Chooses one of the ways to see a turn, in its menu. */
async function see(turn: Locator, way: string): Promise<void> {
  await turn.getByRole("button", { name: "More about this answer" }).click();
  await turn.getByRole("button", { name: way, exact: true }).click();
}

async function done(turn: Locator): Promise<void> {
  await turn.and(turn.page().locator('[data-state="done"]')).waitFor();
}

async function issuesTitled(title: string): Promise<number> {
  const { body } = await say(product, `/jira search ${title}`, { session_id: "count" });
  const issues = (body.tool_result?.data.issues ?? []) as { summary: string }[];
  return issues.filter(({ summary }) => summary === title).length;
}

describe("a conversation on the page", () => {
  it("[http.playground] [view.jira] [view.confluence] shows an issue, a search, the wiki", async () => {
    const page = await visit();
    const issue = await ask(page, "show me DEMO-1");
    const panel = resultOf(issue);
    expect(await panel.innerText()).toContain("DEMO-1");
    expect(await panel.getByRole("heading").first().innerText()).not.toBe("");
    expect(await issue.locator(".planner").isVisible()).toBe(false);
    await issue.getByRole("button", { name: "More about this answer" }).click();
    expect(await issue.locator(".planner").innerText()).toBe("Built-in planner");
    await page.keyboard.press("Escape");

    const search = await ask(page, "find issues about login");
    expect(await resultOf(search).getByRole("row").count()).toBeGreaterThan(2);

    const wiki = await ask(page, "what does the wiki say about deploying");
    expect(await resultOf(wiki).innerText()).toMatch(/deploy/i);
  });

  it("[http.playground] shows a result as table, JSON and run log, by one menu and its keys", async () => {
    const page = await visit();
    const turn = await ask(page, "/jira DEMO-1");
    const item = (name: string): Locator => turn.getByRole("button", { name, exact: true });
    // Nothing of it is offered before somebody asks.
    expect(await item("JSON").count()).toBe(0);
    await see(turn, "Table");
    expect(await resultOf(turn).count()).toBe(1);
    expect(
      await resultOf(turn)
        .getByRole("row", { name: /^key DEMO-1/ })
        .count(),
    ).toBe(1);
    await see(turn, "JSON");
    expect(await resultOf(turn).innerText()).toContain('"key": "DEMO-1"');
    // The same by keys alone, and closed by Escape with the focus where it was.
    const more = turn.getByRole("button", { name: "More about this answer" });
    await more.focus();
    await page.keyboard.press("Enter");
    await turn.locator('[aria-pressed="true"]', { hasText: "JSON" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await more.evaluate((button) => button.matches(":focus"))).toBe(true);
    await page.keyboard.press("Enter");
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await resultOf(turn).innerText()).toContain("inbox");
    // A view that is pressed again gives way to the result.
    await see(turn, "Run log");
    expect(await resultOf(turn).getByRole("heading").count()).toBeGreaterThan(0);
  });

  it("[http.playground] starts from a suggested prompt, and is in the list with its title", async () => {
    const example = {
      message: "find issues about login",
      tool: "jira.search_issues",
      args: { query: "login" },
    };
    const config = { ...jiraOnly(), examples: [example] };
    const page = await visit((await startHosted({ config })).url);
    const suggestion = page.getByRole("list", { name: "Suggestions" }).getByRole("button").first();
    const text = await suggestion.innerText();
    await suggestion.click();
    await resting(page.locator(".turn").first());
    expect(await page.locator(".ask-text").first().innerText()).toBe(text);
    await page.locator(".conversation[aria-current]", { hasText: text }).waitFor();
    await page.getByRole("link", { name: "New conversation" }).click();
    expect(await page.locator(".turn").count()).toBe(0);
    await page.locator(".conversation", { hasText: text }).first().click();
    await page.locator(".turn").first().waitFor();
    expect(await page.locator(".ask-text").first().innerText()).toBe(text);
  });

  it("[http.playground] keeps line breaks that Shift and Enter make, and shows markup as text", async () => {
    const page = await visit();
    const box = page.getByRole("textbox", { name: "Message" });
    await box.pressSequentially("<b>bold</b>");
    await page.keyboard.press("Shift+Enter");
    await box.pressSequentially("<img src=x onerror=alert(1)>");
    expect(await page.locator(".turn").count()).toBe(0);
    await page.keyboard.press("Enter");
    const turn = page.locator(".turn").first();
    await resting(turn);
    expect(await turn.locator(".ask-text").innerText()).toBe("<b>bold</b>\n<img src=x onerror=alert(1)>");
    expect(await turn.locator("img, b").count()).toBe(0);
  });
});

describe("an approval on the page", () => {
  it("[http.playground] [approve.two-phase] [approve.card] creates one issue by a click, and says who", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Printer on fire'");
    const request = turn.getByRole("region", { name: "Approval request" });
    const text = await request.innerText();
    expect(text).toContain("Create a task “Printer on fire” in DEMO?");
    expect(text).not.toContain("jira.create_issue");
    expect(await request.getByRole("textbox", { name: "Acting as" }).inputValue()).toBe("local");
    await page.locator(".conversation[aria-current] .pending").waitFor();
    expect(await issuesTitled("Printer on fire")).toBe(0);

    await request.locator('[data-action="approve"]').click();
    await done(turn);
    expect(await resultOf(turn).innerText()).toContain("Printer on fire");
    expect(await turn.locator(".signed > summary").innerText()).toMatch(/approved[^]*by local/i);
    expect(await turn.locator('[data-action="approve"]').count()).toBe(0);
    expect(await issuesTitled("Printer on fire")).toBe(1);
    await page.locator(".conversation[aria-current]:not(:has(.pending))").waitFor();
  });

  it("[http.playground] [approve.two-phase] creates nothing when denied, and keeps the reason", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Desk on fire'");
    await turn.getByRole("textbox", { name: /Reason/ }).fill("use the extinguisher");
    await turn.getByRole("button", { name: "Deny" }).click();
    await done(turn);
    await turn.locator(".signed--denied > summary").click();
    expect(await turn.locator(".signed--denied").innerText()).toContain("use the extinguisher");
    expect(await issuesTitled("Desk on fire")).toBe(0);
  });

  it("[http.playground] [approve.eligible] tells who may not sign why, and takes the right name", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Chair on fire'");
    const name = turn.getByRole("textbox", { name: "Acting as" });
    await name.fill("mallory");
    await turn.locator('[data-action="approve"]').click();
    await turn.getByRole("alert").waitFor();
    expect(await turn.getByRole("alert").innerText()).not.toBe("");
    expect(await issuesTitled("Chair on fire")).toBe(0);
    await name.fill("local");
    await turn.locator('[data-action="approve"]').click();
    await done(turn);
    expect(await issuesTitled("Chair on fire")).toBe(1);
  });

  it("[http.playground] is asked for and given with the keyboard alone, with the focus in sight", async () => {
    const page = await visit();
    expect(await page.evaluate("document.activeElement?.id")).toBe("message");
    await page.keyboard.type("create an issue in DEMO titled 'Lamp on fire'");
    await page.keyboard.press("Enter");
    const turn = page.locator(".turn").first();
    await resting(turn);
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement?.dataset.action");
    for (let steps = 0; steps < 40 && (await focused()) !== "approve"; steps += 1) {
      await page.keyboard.press("Shift+Tab");
    }
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline).toBe("solid");
    await page.keyboard.press("Enter");
    await done(turn);
    expect(await issuesTitled("Lamp on fire")).toBe(1);
  });

  it("[http.playground] given elsewhere is noticed by the page that waits", async () => {
    const page = await visit();
    const turn = await ask(page, "create an issue in DEMO titled 'Door on fire'");
    const id = await turn.locator("[data-approval]").getAttribute("data-approval");
    await fetch(`${product.url}/approvals/${id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve" }),
    });
    await done(turn);
    expect(await turn.locator(".signed > summary").innerText()).toMatch(/approved/i);
  });
});

describe("the page", () => {
  it("[http.playground] [approve.durable] is the same after a reload and after kill -9 of the server", async () => {
    const config = jiraOnly();
    const first = await startProduct({ config });
    const page = await visit(first.url);
    await ask(page, "/jira DEMO-1");
    await ask(page, "create an issue in DEMO titled 'Wall on fire'");
    const shown = (): Promise<string[]> => page.locator(".ask-text, .cs-title").allInnerTexts();
    const before = await shown();
    expect(before.length).toBeGreaterThan(3);
    await page.reload();
    expect(await shown()).toEqual(before);

    const path = new URL(page.url()).search;
    await first.kill();
    const second = await startHosted({ config, dataDir: first.dataDir });
    const again = await visit(`${second.url}/${path}`);
    expect(await again.locator(".ask-text, .cs-title").allInnerTexts()).toEqual(before);
    await again.locator('[data-action="approve"]').click();
    await done(again.locator(".turn").last());
    expect(await again.locator(".turn").last().innerText()).toContain("Wall on fire");
  });

  it("[http.playground] [mcp.cancel] shows phase and seconds, also after a reload, and stops", async () => {
    const ollama = await startFakeOllama(() => ({ do: "hang" }));
    const config = {
      model: { anchored: "model", provider: "ollama", ollama: { base_url: ollama.url } },
      servers: [],
    };
    const slow = await startHosted({ config });
    const page = await visit(slow.url);
    await page.keyboard.type("think for ever");
    await page.keyboard.press("Enter");
    await page.locator(".live-phase", { hasText: "Planning" }).waitFor();
    await page.locator(".live-seconds", { hasText: /^[1-9]\d* s$/ }).waitFor();
    expect(await page.locator("#announcer").innerText()).toBe("Planning");
    await page.reload();
    await page.locator(".live-phase", { hasText: "Planning" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator('.turn[data-state="stopped"]').waitFor();
    expect(await page.locator(".stopped").innerText()).toContain("Stopped by local");
    expect(await page.locator(".live").count()).toBe(0);
    await ollama.stop();
  });

  it("[http.playground] lists servers and tools with what policy says, and closes with Escape", async () => {
    const page = await visit();
    await page.locator(".topbar").getByRole("button", { name: "Tools & health" }).click();
    const dialog = page.getByRole("dialog", { name: "Tools and health" });
    const tool = (name: string): Locator =>
      dialog.locator("summary", { hasText: new RegExp(`^\\s*${name}\\s`) });
    await tool("get_jira_issue").waitFor();
    expect(await tool("get_jira_issue").innerText()).toMatch(/allow$/);
    expect(await tool("create_issue").innerText()).toMatch(/ask$/);
    await tool("create_issue").click();
    expect(await dialog.innerText()).toContain("summary string, required");
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(false);
  });

  it("[http.playground] fits a phone in both colour schemes, with the conversations in a drawer", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit(product.url, {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      });
      await ask(page, "/jira search login");
      await ask(page, "delete DEMO-12");
      const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
      expect(widths).toEqual([360, 360]);
      const controls = ["approve", "deny"].map((action) => page.locator(`[data-action="${action}"]`).last());
      for (const control of [...controls, page.getByRole("textbox", { name: /Reason/ }).last()]) {
        const box = await control.boundingBox();
        expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 360).toBe(true);
      }
      const list = page.getByRole("navigation", { name: "Conversations" });
      expect(await list.isVisible()).toBe(false);
      await page.getByRole("button", { name: "Conversations", exact: true }).click();
      await list.waitFor({ state: "visible" });
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "hidden" });
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(background).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(16, 16, 19)");
    }
  });

  it("[http.playground] gives the words back and says what to do when the server is gone", async () => {
    const gone = await startProduct({ config: { servers: [] } });
    const page = await visit(gone.url);
    await gone.kill();
    await page.keyboard.type("hello?");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("hello?");
  });

  it("[http.auth] [http.playground] asks for a token once, and acts as its person", async () => {
    const rules = [{ tools: ["jira.create_issue"], decision: "ask", approvers: ["http:ben"] }];
    const tokens = ["ana", "ben"].map((actor) => ({ token: `token-of-${actor}-0123456789`, actor }));
    const guarded = await startHosted({ config: { ...jiraOnly({ policy: { rules } }), http: { tokens } } });
    const page = await visit(guarded.url);
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill("token-of-ana-0123456789");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    // Enter is the script's, which comes after the text box.
    await page.waitForLoadState();
    expect(await page.locator(".composer .acting").innerText()).toMatch(/^Acting as\s+ana$/);
    const turn = await ask(page, "hello");
    expect(await turn.locator(".ask-who").innerText()).toContain("ana");
    await page.reload();
    expect(await page.locator(".turn").count()).toBe(1);
    expect(await page.evaluate("document.cookie")).toBe("");
    await ask(page, "create an issue in DEMO titled 'Seen by Ben'");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByLabel("Token").waitFor();
    await page.goto(guarded.url);

    // Who may sign finds the request at the side, without the conversation that it is in.
    await page.getByLabel("Token").fill("token-of-ben-0123456789");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /^ana: Create .*Seen by Ben/ }).click();
    const waiting = page.locator(".turn");
    await waiting.locator('[data-action="approve"]').waitFor();
    expect(await waiting.count()).toBe(1);
    expect(await page.locator("body").innerText()).not.toContain("hello");
    await page.waitForLoadState();
    const accounts = page.waitForResponse((answer) => answer.url().includes("/playground/accounts"));
    await page.getByRole("button", { name: "Tools & health" }).click();
    expect((await accounts).status()).toBe(404);
    await page.getByRole("heading", { name: /^jira/ }).waitFor();
    expect(await page.locator("#health-line").innerText()).toContain("All systems ready");
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await waiting.locator('[data-action="approve"]').click();
    await page.getByText("create an issue in DEMO titled 'Seen by Ben'").waitFor();
    await resting(waiting);
    expect(storedIssues(guarded.dataDir, "Seen by Ben")).toHaveLength(1);
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("Token").waitFor();
  });
});
