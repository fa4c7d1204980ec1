import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { renderCardTerminal } from "#adapters/console/render/terminal.ts";
import { renderCard as renderDiscord } from "#adapters/discord/render/card.ts";
import { renderCardHtml } from "#adapters/http/page/render/html.ts";
import { stillDiscord, stillSlack } from "#adapters/preview/context.ts";
import { drawComponents } from "#adapters/preview/discord/components.ts";
import { toHtml } from "#adapters/preview/frame.ts";
import { drawBlocks } from "#adapters/preview/slack/blocks.ts";
import { renderCard as renderSlack } from "#adapters/slack/render/card.ts";
import type { Card } from "#contract/card.ts";
import type { JsonObject } from "#contract/json.ts";
import { loadSettings } from "#src/settings/load.ts";
import { root, testBox, type TestBox } from "#test/fakes/mcp-box.ts";
import { visibleText } from "#test/unit/draw-slack/markup.ts";
import { bare, wordsOf } from "#test/unit/render-chat/words.ts";
import { createViews } from "#views/manager.ts";

interface Sample {
  view: string;
  tool: string;
  args: JsonObject;
  /** What the tool answers, where its server would have to go out for it. */
  data?: JsonObject;
  /** What a person must be able to read of it, wherever it is drawn. */
  says: string[];
}

/** A call of a bundled server for every view. */
const SAMPLES: readonly Sample[] = [
  {
    view: "JiraIssueView",
    tool: "jira.get_jira_issue",
    args: { issue_key: "MOB-20" },
    says: ["MOB-20", "Login with passkey opens the browser of the wrong phone", "Farid Haddad", "To Do"],
  },
  {
    view: "JiraSearchView",
    tool: "jira.search_issues",
    args: { query: "login" },
    says: ["DEMO-1", "MOB-20", "Farid Haddad", "In Progress"],
  },
  {
    view: "JiraCountView",
    tool: "jira.count_issues",
    args: { type: "Bug" },
    says: ["22 issues"],
  },
  {
    view: "JiraEpicView",
    tool: "jira.get_epic",
    args: { epic_key: "DEMO-10" },
    says: ["DEMO-10", "Checkout redesign", "Guest checkout without an account"],
  },
  {
    view: "ConfluenceSearchView",
    tool: "confluence.search_confluence",
    args: { query: "deploying" },
    says: ["eploy"],
  },
  { view: "ConfluencePageView", tool: "confluence.get_page", args: {}, says: ["Version"] },
  {
    view: "ChangeView",
    tool: "jira.transition_issue",
    args: { issue_key: "MOB-20", status: "In Progress", dry_run: true },
    says: ["Status", "To Do", "In Progress"],
  },
  {
    view: "SqlQueryView",
    tool: "sql.query",
    args: { sql: "select name, city from customers order by id limit 3" },
    says: ["name", "city", "3 rows"],
  },
  { view: "SqlTablesView", tool: "sql.list_tables", args: {}, says: ["customers", "order_items"] },
  { view: "SqlTableView", tool: "sql.describe_table", args: { table: "orders" }, says: ["customer_id"] },
  {
    view: "SisenseMigrationView",
    tool: "sisense.migration.migrate_dashboards",
    args: {},
    data: {
      succeeded: [
        { name: "Weekly Sales", source_id: "1", as: "Weekly Sales (Duplicate)", done: "duplicate" },
      ],
      skipped: [{ name: "Agents", source_id: "2", reason: "at the target already" }],
      failed: [{ name: "Salaries", source_id: "3", reason: "a widget of it has no data source" }],
      meta: { kind: "dashboards", source: "eu.example", target: "us.example", not_tried: ["Visits"] },
    },
    says: ["Migrated 1 dashboard:", "eu.example", "Salaries", "no data source", "Visits", "not tried"],
  },
  {
    view: "SisenseCheckView",
    tool: "sisense.wellcheck.run_full_wellcheck",
    args: {},
    data: {
      checked: 35,
      rows: [],
      findings: [
        { check: "a", severity: "low", subject: "Sales", detail: "orders is filled by a query of its own" },
        { check: "b", severity: "high", subject: "People", detail: "rows multiply" },
      ],
      failed: [{ subject: "Web", reason: "does not answer" }],
    },
    says: ["2 findings in 35 checked", "high", "People", "rows multiply", "Web could not be checked"],
  },
  {
    view: "SisenseModelView",
    tool: "sisense.datamodel.describe_datamodel",
    args: {},
    data: {
      title: "Orders",
      type: "extract",
      last_build: "2026-11-20T06:00:00.000Z",
      tables: [
        { table: "orders", kind: "base", columns: [{ column: "customer_id", type: "integer" }] },
        { table: "customers", kind: "base", columns: [{ column: "customer_id", type: "integer" }] },
      ],
      relations: [
        [
          { table: "orders", column: "customer_id" },
          { table: "customers", column: "customer_id" },
        ],
      ],
      shares: [{ name: "Finance", type: "group", permission: "USE" }],
    },
    says: ["Orders", "extract", "customer_id (integer)", "customers.customer_id", "Finance (USE)"],
  },
  {
    view: "WebPageView",
    tool: "web.fetch_url",
    args: { url: "https://example.com/a" },
    data: {
      url: "https://example.com/a",
      title: "A page",
      text: "## Part\n\nSome *words*.",
      next_start: null,
    },
    says: ["A page", "example.com"],
  },
  {
    view: "WebSearchView",
    tool: "web.web_search",
    args: { query: "pages" },
    data: {
      results: [
        { title: "First", url: "https://example.com/1", excerpt: "About it", published: "2026-11-04" },
        { title: "Second", url: "https://example.org/2", excerpt: null, published: null },
      ],
    },
    says: ["First", "Second", "example.org", "About it"],
  },
  {
    view: "KnowledgeView",
    tool: "knowledge.knowledge_query",
    args: { query: "roll back" },
    data: {
      results: [
        {
          content:
            "# Rolling back\n\n```\n- [ ] Press the *red* `button` on [the page](https://example.com/x).",
          source_type: "confluence",
          source_id: "1001",
          relevance_score: 0.9,
          metadata: { page_title: "Rolling back", space: "ENG", url: "https://wiki.example.com/1001" },
        },
        {
          content: "It took an hour.",
          source_type: "jira",
          source_id: "OPS-2",
          relevance_score: 0.5,
          metadata: { key: "OPS-2", summary: "Rollback failed", status: "Done" },
        },
        {
          content: "function undo() {}",
          source_type: "code",
          source_id: "shop/a.ts#undo",
          relevance_score: 0.2,
          metadata: { repo: "shop", file_path: "a.ts", name: "undo", line_start: 3, line_end: 9 },
        },
      ],
      search: "lexical",
      indexing: 40,
    },
    says: [
      "3 results",
      "Rolling back",
      "Page in ENG",
      "Press the red button on the page.",
      "close match",
      "OPS-2 Rollback failed",
      "likely",
      "shop/a.ts:3-9",
      "by words alone",
      "40 %",
    ],
  },
  {
    view: "CodeView",
    tool: "knowledge.code_search",
    args: { query: "undo" },
    data: {
      results: [
        {
          content: "function undo() {}",
          source_type: "code",
          source_id: "shop/a.ts#undo",
          relevance_score: 0.9,
          metadata: { repo: "shop", file_path: "a.ts", language: "typescript", line_start: 3, line_end: 9 },
        },
      ],
    },
    says: ["1 result", "shop/a.ts:3-9", "function undo() {}"],
  },
  {
    view: "RelatedCodeView",
    tool: "knowledge.find_related_code",
    args: { entity: "undo" },
    data: {
      entity: "undo",
      results: [
        { relationship: "calls", name: "redo", file: "b.ts", line: 4 },
        { relationship: "called_by", name: "main", file: "c.ts", line: 8 },
      ],
    },
    says: ["Code related to undo", "undo calls", "redo", "b.ts:4", "Called by", "c.ts:8"],
  },
  {
    view: "EnsembleView",
    tool: "ensembles.invoke",
    args: { ensemble_name: "panel", input_data: "the plan" },
    data: {
      ensemble: "panel",
      status: "completed_with_errors",
      deliverable: "Go, but **later**.",
      artifact: "panel/20261123-101500-123",
      results: {
        facts: { response: '{"success": true}', status: "success", data: { lines: 12 } },
        tests: { response: "", status: "failed", error: "Ollama answered 500: out of memory" },
        summary: { response: "Go, but **later**.", status: "success" },
      },
      metadata: {
        agents_used: 3,
        duration_ms: 4200,
        phases: [["facts"], ["tests"], ["summary"]],
        depends_on: { facts: [], tests: ["facts"], summary: ["tests"] },
        usage: {
          agents: {
            facts: { total_tokens: 0, duration_ms: 90 },
            summary: { total_tokens: 1200, duration_ms: 4000 },
          },
          totals: { total_tokens: 1200, total_cost_usd: 0 },
        },
      },
    },
    says: ["panel", "2 of 3 agents succeeded", "out of memory", "12", "1,200 tokens"],
  },
  {
    view: "ValidationView",
    tool: "ensembles.validate_ensemble",
    args: { ensemble_name: "panel" },
    data: {
      ensemble: "panel",
      valid: false,
      details: {
        errors: [],
        agent_count: 3,
        phases: [["facts"], ["tests"]],
        agents: [
          { name: "facts", kind: "script", depends_on: [] },
          { name: "tests", kind: "model", depends_on: ["facts"] },
        ],
        warnings: ["panel.yaml:2: role is not supported"],
        faults: [
          {
            file: "panel.yaml",
            line: 7,
            key: "agents[1].depends_on",
            message: "unknown key",
            remedy: "Write depends_on",
          },
        ],
      },
    },
    says: ["panel has 1 fault", "Write depends_on", "panel.yaml:7", "not supported", "model, after facts"],
  },
  {
    view: "ArtifactView",
    tool: "ensembles.analyze_execution",
    args: { artifact_id: "panel/latest" },
    data: {
      artifact_id: "panel/20261123-101500-123",
      ensemble: "panel",
      status: "interrupted",
      started_at: "2026-11-23T10:15:00.123Z",
      analysis: { total_agents: 3, successful_agents: 1, failures: { tests: "out of memory" } },
      phases: [["facts"], ["tests"], ["summary"]],
      agents: [
        { name: "facts", status: "success", depends_on: [] },
        { name: "tests", status: "failed", depends_on: ["facts"] },
        { name: "summary", status: "unfinished", depends_on: ["tests"] },
      ],
      metrics: { cost: 0.0123, duration: 4.2, total_tokens: 1200 },
      report: "# panel\n\nIt went as far as this.",
    },
    says: ["panel", "1 of 3 agents succeeded", "Started", "out of memory", "$0.0123"],
  },
  {
    view: "GenericView",
    tool: "jira.get_jira_issue",
    args: { issue_key: "MOB-20" },
    says: ["MOB-20", "Farid"],
  },
];

/** Each renderer as text that people can read. */
const RENDERERS: Readonly<Record<string, (card: Card) => string>> = {
  Slack(card) {
    const first = renderSlack(card, { unfold: true });
    const pages = Array.from({ length: first.pages }, (_, page) =>
      page === 0 ? first : renderSlack(card, { unfold: true, page }),
    );
    return visibleText(
      pages.map(({ blocks }) => toHtml(...drawBlocks(blocks as never, stillSlack()))).join(""),
    );
  },
  Discord(card) {
    const first = renderDiscord(card, { unfold: true });
    const pages = Array.from({ length: first.pages }, (_, page) =>
      page === 0 ? first : renderDiscord(card, { unfold: true, page }),
    );
    return visibleText(
      pages
        .map(({ parts }) =>
          toHtml(
            ...drawComponents(
              parts.map(({ component }) => component),
              stillDiscord(0),
            ),
          ),
        )
        .join(""),
    );
  },
  terminal: (card) => renderCardTerminal(card, { width: 400, color: false }),
  HTML: (card) => visibleText(renderCardHtml(card)),
};

let servers: TestBox;

beforeAll(async () => {
  const settings = await loadSettings({ env: {}, cwd: root });
  servers = testBox(settings.servers.filter(({ name }) => ["jira", "confluence", "sql"].includes(name)));
  await servers.box.start();
});
afterAll(() => servers.box.stop());

/** The result of a real call, shown by the view. */
async function cardOf({ view, tool, args, data }: Sample): Promise<Card> {
  const given = tool === "confluence.get_page" ? { page_id: await somePage() } : args;
  const outcome = data === undefined ? await servers.call(tool, given) : ({ ok: true, data } as const);
  if (!outcome.ok) throw new Error(`${tool} failed: ${JSON.stringify(outcome)}`);
  const [server = "", name = ""] = tool.split(".");
  const views = createViews({ [tool]: view }, (message) => {
    throw new Error(message);
  });
  const shown = views.result({
    toolId: tool,
    server,
    name,
    args: given,
    ok: true,
    data: outcome.data,
  });
  expect(shown.view).toBe(view);
  return shown.card;
}

async function somePage(): Promise<string> {
  const found = await servers.call("confluence.search_confluence", { query: "deploying" });
  const id = /"id":"([^"]+)"/.exec(JSON.stringify(found))?.[1];
  if (id === undefined) throw new Error("expected the search to find a page");
  return id;
}

/** "18 Nov 2026, 10:55 UTC", bare. */
const MOMENT = /\d{1,2}[A-Z][a-z]{2}\d{8}UTC/;

describe.each(SAMPLES)("$view", (sample) => {
  it.each(Object.keys(RENDERERS))(
    "[view.neutral] makes one card of a real result that %s draws",
    async (name) => {
      const card = await cardOf(sample);
      const said = wordsOf(card);
      for (const words of sample.says) expect(said.join("|")).toContain(bare(words));
      const shown = bare(RENDERERS[name]?.(card) ?? "");
      // Chats and the page write a moment in the reader's own time.
      const kept = said.flatMap((words) => (name === "terminal" ? [words] : words.split(MOMENT)));
      expect(kept.filter((words) => !shown.includes(words))).toEqual([]);
    },
  );
});

it("[view.neutral] has a sample of every view there is", () => {
  const refusal = ((): string => {
    try {
      createViews({ tool: "NoSuchView" }, () => undefined);
      return "";
    } catch (error) {
      return String(error);
    }
  })();
  const known = /expected one of (.+);/.exec(refusal)?.[1]?.split(", ") ?? [];
  expect(known.length).toBeGreaterThan(5);
  expect(SAMPLES.map(({ view }) => view).toSorted()).toEqual(known.toSorted());
});

const PLATFORMS =
  /\b(?:slack|discord|block ?kit|mrkdwn|rich_text|embeds?|components? ?v2|ansi|terminal|console|browser|playground)\b|#adapters/i;

it("[view.neutral] no file of views names a platform or its words", async () => {
  const files = (await readdir(join(root, "views"), { recursive: true })).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(10);
  const found = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(root, "views", file), "utf8")).split("\n");
      return lines
        .map((line, index) => `${file}:${index + 1}: ${line.trim()}`)
        .filter((line) => PLATFORMS.test(line.slice(line.indexOf(": "))));
    }),
  );
  expect(found.flat()).toEqual([]);
  // The words would be found.
  for (const word of ["a Slack block", "`mrkdwn`", "in the terminal", "#adapters/http"]) {
    expect(PLATFORMS.test(word)).toBe(true);
  }
});
