import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { startFakeOllama } from "#test/fakes/ollama.ts";

import { type VisitOptions, Visitors } from "./browser.ts";
import {
  askFor,
  serversOf,
  cleanUpAll,
  decide,
  freezeServers,
  type HostedProduct,
  jiraOnly,
  say,
  startHosted,
  startProduct,
  storedIssues,
  temporaryFolder,
} from "./support.ts";

/** One issue that others than who asks decide about. */
const BY_OTHERS = {
  tools: ["jira.delete_issue"],
  when: [{ arg: "issue_key", equals: "DEMO-9" }],
  decision: "ask",
  approvers: ["channel"],
  exclude_requester: true,
};

let visitors: Visitors;
let product: HostedProduct;

beforeAll(async () => {
  [visitors, product] = await Promise.all([
    Visitors.launch(),
    startHosted({ config: jiraOnly({ delayMs: 150, policy: { rules: [BY_OTHERS] } }) }),
  ]);
});
afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

function visit(path = "/", options: VisitOptions = {}, url = product.url): Promise<Page> {
  return visitors.visit(`${url}${path}`, options);
}

function message(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message" });
}

/** Sideways and downwards beyond the window, in pixels. */
function overflow(page: Page): Promise<unknown> {
  return page.evaluate(
    "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]",
  );
}

const list = (page: Page): Locator => page.getByRole("navigation", { name: "Conversations" });

describe("two viewers of one conversation", () => {
  it("[http.playground] see turns, progress, requests and decisions of each other as they happen", async () => {
    await say(product, "/jira DEMO-1", { session_id: "shared" });
    const [first, second] = await Promise.all([visit("/?c=shared"), visit("/?c=shared")]);
    await message(first).fill("export all issues of DEMO");
    await first.keyboard.press("Enter");
    // The other one sees it run, with its progress, and can stop it.
    const running = second.locator(".turn").nth(1);
    await running.locator(".live-phase", { hasText: "Working" }).waitFor();
    await running.locator("[data-amount]", { hasText: /of 27/ }).waitFor();
    await running.getByRole("button", { name: "Stop" }).click();
    for (const page of [first, second])
      await page.locator('.turn[data-state="stopped"]').getByText("Stopped by local").waitFor();

    await message(second).fill("create an issue in DEMO titled 'Seen by two'");
    await second.keyboard.press("Enter");
    for (const page of [first, second]) {
      await page.locator('.turn[data-state="pending_confirmation"]').waitFor();
      await list(page).locator("[aria-current] .pending").waitFor();
      expect(await page.locator(".turn").count()).toBe(3);
    }
    await first.locator('[data-action="approve"]').click();
    for (const page of [first, second]) {
      const turn = page.locator(".turn").nth(2);
      await turn.and(page.locator('[data-state="done"]')).waitFor();
      expect(await turn.locator('[data-action="approve"]').count()).toBe(0);
      await list(page).locator("[aria-current]:not(:has(.pending))").waitFor();
    }
    // Each turn stands there once, in the same order for both.
    const ids = (page: Page): Promise<unknown> =>
      page.evaluate("[...document.querySelectorAll('.turn')].map(({ id }) => id)");
    expect(await ids(first)).toEqual(await ids(second));
  });

  it("[card.statement] [http.playground] decide what still waits while another call of the turn runs", async () => {
    const page = await visit();
    await message(page).fill("move DEMO-8 and DEMO-11 to Done");
    await page.keyboard.press("Enter");
    const turn = page.locator(".turn").last();
    const button = (name: string): Locator => turn.getByRole("button", { name, exact: true });
    await button("Move DEMO-8").waitFor();
    const thaw = freezeServers(product);
    try {
      await button("Move DEMO-8").click();
      await button("Move DEMO-8").waitFor({ state: "detached" });
      await turn.locator(".live-phase").waitFor();
      await button("Move DEMO-11").click();
      await button("Move DEMO-11").waitFor({ state: "detached" });
    } finally {
      thaw();
    }
    await turn.and(page.locator('[data-state="done"]')).waitFor();
    expect(await turn.locator(".signed--done").count()).toBe(2);
  });

  it("[http.playground] see what is begun and decided elsewhere, and new conversations in the list", async () => {
    const page = await visit();
    await list(page).waitFor();
    const { pending } = await askFor(product, "/jira delete DEMO-12", { session_id: "over http" });
    await list(page).getByText("/jira delete DEMO-12").click();
    await page.locator('[data-action="approve"]').waitFor();
    await say(product, "/jira DEMO-2", { session_id: "over http" });
    await page.locator(".turn").nth(1).getByText("DEMO-2").first().waitFor();
    // What somebody types in meanwhile stays until they leave it.
    const reason = page.getByRole("textbox", { name: /Reason/ });
    await reason.fill("because");
    await decide(product, pending.approval_id, "deny", { reason: "no" });
    await list(page).locator("[aria-current]:not(:has(.pending))").waitFor();
    expect(await reason.inputValue()).toBe("because");
    await message(page).focus();
    await page.locator(".signed--denied").waitFor();
  });

  it("[http.playground] open a conversation also where the list is drawn anew while they press", async () => {
    await say(product, "/jira DEMO-5", { session_id: "pressed" });
    const page = await visit();
    const title = list(page).getByText("/jira DEMO-5");
    await title.hover();
    await page.mouse.down();
    const drawn = page.waitForResponse((response) => response.url().includes("/playground/conversations?"));
    await say(product, "/jira DEMO-6", { session_id: "begun meanwhile" });
    await (await drawn).finished();
    // What it brought may take its place by now.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    await page.mouse.up();
    await page.waitForURL(/\?c=pressed/);
    expect(await page.locator(".turn").first().innerText()).toContain("DEMO-5");
  });

  it("[http.playground] see another title, and that the conversation was deleted", async () => {
    await say(product, "/jira DEMO-3", { session_id: "short-lived" });
    const [first, second] = await Promise.all([visit("/?c=short-lived"), visit("/?c=short-lived")]);
    await first.getByRole("button", { name: "This conversation" }).click();
    await first.getByRole("button", { name: "Rename…" }).click();
    const window = first.getByRole("dialog", { name: "Rename this conversation" });
    await window.getByRole("textbox", { name: "Title" }).fill("A <b>better</b> name");
    await first.keyboard.press("Enter");
    for (const page of [first, second]) {
      await page.getByRole("heading", { name: "A <b>better</b> name" }).waitFor();
      await list(page).getByText("A <b>better</b> name").waitFor();
    }
    expect(await second.title()).toBe("A <b>better</b> name · Countersign");

    await first.getByRole("button", { name: "This conversation" }).click();
    await first.getByRole("button", { name: "Delete…" }).click();
    const remove = first.getByRole("dialog", { name: "Delete this conversation?" });
    expect(await remove.innerText()).toContain("Kept: the audit record");
    await remove.getByRole("button", { name: "Delete conversation" }).click();
    await first.getByRole("heading", { name: "What should we look into?" }).waitFor();
    await second.getByRole("heading", { name: "This conversation was deleted" }).waitFor();
    expect(await message(second).count()).toBe(0);
    expect(await list(first).getByText("A <b>better</b> name").count()).toBe(0);
  });

  it("[http.playground] is told why a conversation cannot be deleted yet", async () => {
    await askFor(product, "create an issue in DEMO titled 'Waits'", { session_id: "waits" });
    const page = await visit("/?c=waits");
    await page.getByRole("button", { name: "This conversation" }).click();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete conversation" }).click();
    await page.getByRole("alert").filter({ hasText: "1 approval of this conversation waits" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator('[data-action="approve"]').isVisible()).toBe(true);
  });
});

describe("a page of many and long conversations", () => {
  beforeAll(async () => {
    for (let at = 1; at <= 60; at += 1)
      await say(product, `/jira help ${at === 30 ? "walrus in the middle" : at}`, { session_id: "long" });
    for (let at = 1; at <= 62; at += 1) await say(product, `/jira help ${at}`, { session_id: `many-${at}` });
  });

  it("[http.playground] keeps header and message box in place, whatever the list holds", async () => {
    const page = await visit("/?c=long");
    expect(await list(page).getByRole("link").count()).toBe(60);
    await list(page).getByRole("button", { name: "Show older conversations" }).click();
    await list(page).getByRole("link").nth(60).waitFor();
    await list(page).getByRole("link").last().focus();
    expect(await overflow(page)).toEqual([0, 0]);
    for (const part of [page.locator(".topbar"), page.locator(".brand"), message(page)]) {
      const box = await part.boundingBox();
      expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 999) <= 720).toBe(true);
    }
  });

  it("[http.playground] reads a conversation of 60 turns to its start, and from its start to the end", async () => {
    const page = await visit("/?c=long");
    const turns = page.locator(".turn");
    expect(await turns.count()).toBe(20);
    await page.getByRole("button", { name: "Show earlier messages (40)" }).click();
    await turns.nth(39).waitFor();
    await page.getByRole("button", { name: "Show earlier messages (20)" }).click();
    await turns.nth(59).waitFor();
    const said = await page.locator(".ask-text").allInnerTexts();
    expect([said.length, new Set(said).size, said[0]]).toEqual([60, 60, "/jira help 1"]);
    expect(await page.getByRole("button", { name: /earlier/ }).count()).toBe(0);

    const again = await visit("/?c=long");
    await again.getByRole("button", { name: "Go to the start" }).click();
    await again.locator(".ask-text", { hasText: /^\/jira help 1$/ }).waitFor();
    await again.getByRole("button", { name: "Show later messages (40)" }).click();
    await again.getByRole("button", { name: "Show later messages (20)" }).click();
    await again.locator(".turn").nth(59).waitFor();
    expect(await again.locator(".ask-text").allInnerTexts()).toEqual(said);
    // What is said from amid a long conversation comes at its end.
    await again.reload();
    await again.getByRole("button", { name: "Go to the start" }).click();
    await again.locator(".ask-text", { hasText: /^\/jira help 1$/ }).waitFor();
    await message(again).fill("/jira help 61");
    await again.keyboard.press("Enter");
    const asked = again.locator(".turn", { has: again.getByText("/jira help 61", { exact: true }) });
    await asked.and(again.locator('[data-state="done"]')).waitFor();
    expect((await again.locator(".ask-text").allInnerTexts()).slice(-2)).toEqual([
      "/jira help 60",
      "/jira help 61",
    ]);
  });

  it("[http.playground] finds a conversation by words, and a message by its link", async () => {
    const page = await visit();
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("WALRUS middle");
    const found = list(page).getByRole("link");
    await found.locator("mark").first().waitFor();
    expect(await found.count()).toBe(1);
    expect(await found.locator("mark").allInnerTexts()).toEqual(["walrus", "middle"]);
    await page.getByRole("searchbox").fill("nothing <i>like</i> this");
    await list(page).getByText("Nothing found for “nothing <i>like</i> this”").waitFor();
    await page.getByRole("searchbox").press("Escape");
    await list(page).getByRole("link").nth(5).waitFor();

    const long = await visit("/?c=long");
    await long.getByRole("button", { name: "Show earlier messages (41)" }).click();
    const turn = long.locator(".turn", { hasText: "walrus" });
    await turn.waitFor();
    await long.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await turn.getByRole("button", { name: "Copy link" }).click();
    await long.locator("#notice", { hasText: "Link copied" }).waitFor();
    const link = new URL(String(await long.evaluate("navigator.clipboard.readText()")));
    const there = await visit(link.pathname + link.search);
    const linked = there.locator(".turn--linked");
    expect(await linked.locator(".ask-text").innerText()).toContain("walrus");
    expect(
      await linked.locator(".ask-text").evaluate((text) => text.getBoundingClientRect().top),
    ).toBeGreaterThan(0);
    expect(await there.getByRole("button", { name: /Show (?:earlier|later)/ }).count()).toBe(2);
  });
});

describe("links that lead nowhere", () => {
  it("[http.playground] say what was looked for and where to go", async () => {
    const page = await visit("/?c=%3Cb%3Enowhere%3C%2Fb%3E");
    await page.getByRole("heading", { name: "This conversation is not here" }).waitFor();
    expect(await page.locator(".nothing").innerText()).toContain("“<b>nowhere</b>”");
    expect(await message(page).count()).toBe(0);
    await page.getByRole("button", { name: "Search conversations" }).click();
    await page.locator("#find:focus").waitFor();
    await page.getByRole("link", { name: "Start a new conversation" }).click();
    await message(page).waitFor();
    expect((await fetch(`${product.url}/?c=nowhere`)).status).toBe(404);

    await say(product, "/jira help", { session_id: "somewhere" });
    const other = await visit("/?c=somewhere&t=turn_0");
    await other.getByRole("heading", { name: "This message is not in this conversation" }).waitFor();
    await other.getByRole("link", { name: "Open the whole conversation" }).click();
    await other.locator(".turn").waitFor();

    const none = await fetch(`${product.url}/nowhere`, { headers: { accept: "text/html" } });
    expect([none.status, await none.text()]).toEqual([404, expect.stringContaining("There is no page")]);
    const json = await fetch(`${product.url}/nowhere`);
    expect(await json.json()).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("the message box", () => {
  it("[http.playground] completes commands with what they take, and sends what is typed", async () => {
    const page = await visit();
    await page.getByRole("searchbox").focus();
    await page.locator("body").click({ position: { x: 700, y: 300 } });
    await page.keyboard.press("/");
    const options = page.getByRole("listbox", { name: "Commands" }).getByRole("option");
    await options.first().waitFor();
    expect(await options.locator(".completion-name").allInnerTexts()).toContain("/jira search");
    await page.keyboard.type("jira se");
    await expect.poll(() => options.count()).toBe(1);
    expect(await options.first().innerText()).toContain("query");
    await page.keyboard.press("Tab");
    expect(await message(page).inputValue()).toBe("/jira search ");
    await page.locator(".completion-row--hint", { hasText: "query" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox", { name: "Commands" }).waitFor({ state: "hidden" });
    await page.keyboard.type("login");
    await page.keyboard.press("Enter");
    await page.locator('.turn[data-state="done"]').waitFor();
    // The title is there at once, and in the list.
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("/jira search login");

    await page.keyboard.press("ArrowUp");
    expect(await message(page).inputValue()).toBe("/jira search login");
    await page.keyboard.press("ArrowDown");
    expect(await message(page).inputValue()).toBe("");
    await page.keyboard.type("/");
    await options.first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = await page.locator('[role=option][aria-selected="true"] .completion-name').innerText();
    await page.keyboard.press("Enter");
    expect(await message(page).inputValue()).toBe(`${chosen} `);
    expect(await page.locator(".turn").count()).toBe(1);
  });
});

describe("results on the page", () => {
  it("[http.playground] are copied and downloaded as tables", async () => {
    const page = await visit();
    await message(page).fill("/jira search login");
    await page.keyboard.press("Enter");
    const turn = page.locator('.turn[data-state="done"]');
    await turn.waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await turn.getByRole("button", { name: "Copy table" }).click();
    await page.locator("#notice", { hasText: "Table copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied.split("\n")[0]?.split("\t")).toContain("summary");
    await turn.getByRole("button", { name: "Copy answer" }).click();
    await page.locator("#notice", { hasText: "Answer copied" }).waitFor();
    expect(String(await page.evaluate("navigator.clipboard.readText()"))).toMatch(/\d+ issues[^]*DEMO-1/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      turn.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("jira.search_issues.csv");
    const path = await turn.getByRole("link", { name: "Download CSV" }).getAttribute("href");
    const response = await fetch(`${product.url}${path}`);
    expect(response.headers.get("content-disposition")).toContain("attachment");
    const lines = (await response.text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(copied.trimEnd().split("\n").length);
    for (const [wrong, status] of [
      ["/9/table", 404],
      ["/0/table?format=xls", 400],
    ] as const)
      expect((await fetch(`${product.url}${path?.replace("/0/table", wrong)}`)).status).toBe(status);

    // A list that is empty has nothing to take elsewhere.
    await message(page).fill("/jira search nothinghasthisword");
    await page.keyboard.press("Enter");
    const empty = page.locator('.turn[data-state="done"]', { hasText: "No issues found" });
    await empty.waitFor();
    expect(await empty.getByRole("button", { name: "Copy table" }).count()).toBe(0);
  });
});

describe("for everybody", () => {
  it("[http.playground] shares a message through the phone's own apps", async () => {
    await say(product, "/jira DEMO-1", { session_id: "shared on a phone" });
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const page = await visit("/?c=shared+on+a+phone", phone);
    // The browser of the tests has none.
    await page.evaluate("navigator.share = async (what) => { globalThis.shared = what; }");
    await page.getByRole("button", { name: "Share" }).click();
    const id = await page.locator(".turn").getAttribute("id");
    expect(await page.evaluate("globalThis.shared.url")).toBe(
      `${product.url}/?c=shared%20on%20a%20phone&t=${id}`,
    );
  });

  it("[http.playground] names whatever can be pressed or filled in, on every page", async () => {
    await askFor(product, "move DEMO-3 to Done", { session_id: "named" });
    await say(product, "/jira search login", { session_id: "named" });
    const page = await visit("/?c=named");
    const check = async (): Promise<void> => {
      const tree = await page.locator("body").ariaSnapshot();
      const nameless =
        /^\s*- (?:button|link|textbox|searchbox|combobox|checkbox|tab|tabpanel|dialog|article)(?: \[.*)?:?$/gm;
      expect(tree.match(nameless)).toBe(null);
      expect(tree.match(/- heading .*\[level=1\]/g)).toHaveLength(1);
      expect(tree.match(/- main/g)).toHaveLength(1);
      const twice = `(() => {
        const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
        return ids.filter((id, at) => ids.indexOf(id) !== at);
      })()`;
      expect(await page.evaluate(twice)).toEqual([]);
    };
    await check();
    for (const path of ["/", "/?c=nowhere", "/audit", "/nowhere"]) {
      await page.goto(`${product.url}${path}`);
      await check();
    }
    await page.goto(product.url);
    await page.getByRole("button", { name: "Tools & health" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Tools and health" });
    await dialog.getByText("create_issue").waitFor();
    expect(await dialog.ariaSnapshot()).not.toMatch(/^\s*- (?:button|link)(?: \[.*)?:?$/m);
  });
});

describe("what works", () => {
  it("[http.playground] is told as it changes: a server that is gone, and Countersign itself", async () => {
    // Starts as long as the file is there.
    const flag = join(await temporaryFolder(), "runs");
    await writeFile(flag, "");
    const config = jiraOnly() as { servers: { command: string[] }[] };
    const [jira] = config.servers;
    if (jira !== undefined)
      jira.command = ["sh", "-c", `test -e '${flag}' && exec node servers/jira/main.ts`];
    const fragile = await startProduct({ config });
    const page = await visit("/", {}, fragile.url);
    const status = page.locator("#health-line");
    await status.getByText("All systems ready").waitFor();
    const trouble = page.locator("#trouble");
    expect(await trouble.innerText()).toBe("");
    await rm(flag);
    for (const pid of serversOf(fragile)) process.kill(pid, "SIGKILL");
    await trouble.getByText("jira is not running.").waitFor();
    await status.getByText("0 of 1 server up").waitFor();
    // It is started again by itself.
    await writeFile(flag, "");
    await status.getByText("All systems ready").waitFor();
    await trouble.getByText("jira is not running.").waitFor({ state: "detached" });

    await message(page).fill("half a thought");
    await fragile.kill();
    await trouble.getByText("Countersign does not answer.").waitFor();
    expect(await message(page).inputValue()).toBe("half a thought");
    const port = new URL(fragile.url).port;
    await startHosted({ config, dataDir: fragile.dataDir, env: { PORT: port } });
    await status.getByText("All systems ready").waitFor();
    expect(await trouble.innerText()).toBe("");
    expect(await message(page).inputValue()).toBe("half a thought");
  });

  it("[http.playground] says that the model is missing and what to do, and that it is back", async () => {
    const ollama = await startFakeOllama(() => ({ do: "hang" }));
    const config = {
      model: { provider: "ollama", ollama: { base_url: ollama.url, retries: 0 } },
      servers: [],
    };
    const modelled = await startHosted({ config });
    const page = await visit("/", {}, modelled.url);
    await page.locator("#health-line").getByText("Ready, no servers").waitFor();
    await ollama.stop();
    await page.locator("#trouble").getByText("does not answer.").waitFor();
    expect(await page.locator("#trouble").innerText()).toContain(ollama.url);
  });
});

describe("the audit page", () => {
  it("[http.playground] tells operators who asked for and decided what, and checks and hands out the record", async () => {
    const { pending } = await askFor(product, "create an issue in DEMO titled '=cmd Table'", {
      session_id: "audited",
    });
    await decide(product, pending.approval_id, "deny", { reason: "no more <b>tables</b>" });
    const page = await visit();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("searchbox", { name: "Search the record" }).fill("cmd table");
    await page.keyboard.press("Enter");
    const entries = page.getByRole("list", { name: "Entries, newest first" }).getByRole("listitem");
    await expect.poll(() => entries.count()).toBe(2);
    const denied = entries.first();
    expect(await denied.innerText()).toMatch(/local\s+Denied\s+Create .*=cmd Table.*no more <b>tables<\/b>/s);
    // What it is made of is a press away.
    await denied.locator("summary").click();
    await denied.getByText(pending.approval_id).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("audit.csv");
    const file = await (await fetch(`${product.url}/audit/export?q=cmd+table`)).text();
    expect(file.trimEnd().split("\r\n")).toHaveLength(3);
    expect(file).toContain(`,local,http:local,Denied,Create`);

    await page.getByRole("link", { name: "Check the whole record" }).click();
    await page.getByText("The record is whole").waitFor();
    // What happens meanwhile is offered, and moves nothing away.
    await say(product, "/jira DEMO-1", { session_id: "audited" });
    await page.getByRole("link", { name: "Show them" }).waitFor();
    await denied.locator("summary").click();
    await denied.getByRole("link", { name: "Open the conversation" }).click();
    await page.locator(".turn--linked").waitFor();

    expect((await fetch(`${product.url}/audit?about=x`)).status).toBe(400);
    const json = await (await fetch(`${product.url}/audit?about=all&before=3`)).json();
    expect(json).toMatchObject({ entries: [{ seq: 2 }, { seq: 1, kind: "turn.accepted" }] });
  });
});

describe("what waits", () => {
  it("[card.notify] shows who asked what they wait for others to decide, and they take it back there", async () => {
    await askFor(product, "delete DEMO-9", { session_id: "inbox regretted" });
    const page = await visit("/approvals");
    await page.locator(".inbox-others > summary").click();
    const request = page.locator(".inbox-others .inbox-item", { hasText: "DEMO-9" });
    await request.locator("summary").first().click();
    await request.getByRole("textbox", { name: /Reason/ }).fill("not needed");
    await request.getByRole("button", { name: "Deny" }).click();
    await request.waitFor({ state: "detached" });
    const decided = page.locator(".inbox-recent .inbox-row", { hasText: "DEMO-9" });
    await expect.poll(() => decided.innerText()).toMatch(/taken back/i);
  });

  const row = (page: Page, title: string): Locator =>
    page.locator(".inbox-group .inbox-item", { hasText: title });
  const ask = (title: string): Promise<unknown> =>
    askFor(product, `create an issue in DEMO titled '${title}'`, { session_id: `inbox ${title}` });

  it("[card.notify] is one page for every viewer, who see it change, and approve several together", async () => {
    await Promise.all(["Inbox one", "Inbox two"].map(ask));
    const first = await visit();
    await first.getByRole("link", { name: "Approvals" }).first().click();
    const second = await visit("/approvals", { viewport: { width: 390, height: 844 } });
    for (const page of [first, second])
      for (const title of ["Inbox one", "Inbox two"]) await row(page, title).waitFor();
    expect((await second.locator("#inbox").innerText()).match(/create_issue|appr_|slack:|http:/)).toBeNull();
    expect(await overflow(second)).toEqual([0, 0]);
    // It appears without a reload.
    await ask("Inbox three");
    await row(first, "Inbox three").waitFor();
    // Nothing is ticked before somebody ticks it, and what is not ticked goes on waiting.
    expect(await first.locator("input[data-pick]:checked").count()).toBe(0);
    await first.locator(".inbox-group", { hasText: "Inbox one" }).getByText("Approve selected").click();
    await first.getByText("Tick what you approve.").waitFor();
    const group = first.locator(".inbox-group", { hasText: "Inbox one" });
    await group.getByRole("checkbox", { name: /^Select all \d/ }).check();
    expect(await group.locator("input[data-pick]:not(:checked)").count()).toBe(0);
    await group.getByRole("checkbox", { name: /^Select all \d/ }).uncheck();
    for (const title of ["Inbox one", "Inbox three"])
      await row(first, title).locator("input[data-pick]").check();
    await first.getByRole("button", { name: "Approve selected" }).click();
    for (const page of [first, second])
      for (const title of ["Inbox one", "Inbox three"]) await row(page, title).waitFor({ state: "detached" });
    for (const title of ["Inbox one", "Inbox three"])
      await vi.waitUntil(() => storedIssues(product.dataDir, title).length === 1, { timeout: 60_000 });
    // One is read and decided in its row.
    const deny = row(second, "Inbox two").getByRole("button", { name: "Deny" });
    await expect
      .poll(async () => {
        // The list may be drawn anew between the press and its release.
        if (!(await deny.isVisible())) await row(second, "Inbox two").locator("summary").first().click();
        return deny.isVisible();
      })
      .toBe(true);
    await deny.click();
    for (const page of [first, second]) await row(page, "Inbox two").waitFor({ state: "detached" });
    expect(storedIssues(product.dataDir, "Inbox two")).toEqual([]);
  });

  it("[card.notify] is JSON for programs, and for a browser without its token the way to sign in", async () => {
    const html = { accept: "text/html,application/xhtml+xml,*/*" };
    const page = await fetch(`${product.url}/approvals`, { headers: html });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(await (await fetch(`${product.url}/approvals`)).json()).toHaveProperty("approvals");
  });
});

describe("small windows", () => {
  it.each([
    ["a phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
    ["a small phone in the dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" as const }],
    ["200 % zoom", { viewport: { width: 640, height: 400 } }],
  ])("[http.playground] [approve.card] show the whole card on %s", async (_, options) => {
    await askFor(product, "move DEMO-4 to In Progress", { session_id: "card" }).catch(() => undefined);
    const page = await visit("/?c=card", options);
    await page.getByRole("button", { name: "Move DEMO-4" }).waitFor();
    expect(await overflow(page)).toEqual([0, 0]);
    const width = options.viewport.width;
    for (const part of await page.locator(".approval :is(.cs-after, .cs-before, .cs-button)").all()) {
      if (!(await part.isVisible())) continue;
      await part.scrollIntoViewIfNeeded();
      const box = await part.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= width).toBe(true);
    }
    expect(await page.locator(".approval .cs-after").first().isVisible()).toBe(true);
    // What is read has at least half of the height.
    const scroll = await page.locator("#scroll").boundingBox();
    expect(scroll?.height ?? 0).toBeGreaterThan(options.viewport.height / 2);
    for (const path of ["/audit", "/approvals"]) {
      await page.goto(`${product.url}${path}`);
      expect([path, await overflow(page)]).toEqual([path, [0, 0]]);
    }
  });
});
