import { rmSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Embedder } from "#servers/knowledge/service/embeddings.ts";
import { openIndex } from "#servers/knowledge/service/index-store.ts";
import { createService } from "#servers/knowledge/service/service.ts";

import { folderOf, openLibrary, pdfOf, writeFiles } from "./support.ts";

const SHOP = {
  "src/payments/retry.ts": `import { Clock } from "./clock.ts";
import { log } from "winston";

/** Sends a payment again while the bank is busy. */
export async function retryPayment(order: Order): Promise<void> {
  const pause = backOff(order.tries);
  await waitFor(pause);
}

export class PaymentClient extends HttpClient {
  charge(order: Order): void {
    retryPayment(order);
  }
}
`,
  "src/payments/clock.ts":
    "export class Clock {}\nexport function backOff(tries: number): number {\n  return tries * 2;\n}\n",
  "src/app.ts": 'import { retryPayment } from "./payments/retry.ts";\nretryPayment(first);\n',
  "tools/report.py": `import json
from shop.orders import Order

class Report(Base):
    def lines(self):
        return summarise(self.orders)

def summarise(orders):
    """Adds the orders up."""
    return json.dumps(orders)
`,
  "server/main.go": `package main

import "shop/ledger"

type Server struct {
	Listener
}

func (s *Server) Start() error {
	return ledger.Open()
}

func main() {
	Start()
}
`,
  "lib/Basket.java": `package shop;

import shop.money.Price;

public class Basket extends Container implements Countable {
  public Price total() {
    return Price.sum(lines());
  }
}
`,
  "docs/deploying.md": `# Deploying

How the shop reaches production.

## Rolling back

Press the button "previous version" on the release page. It takes four minutes.

## Windows

On Fridays nobody deploys after three.
`,
};

describe("what is found", () => {
  it("[knowledge.search] [knowledge.service] finds code by its symbols and pages by their headings, each with its place", async () => {
    const { service, ingest } = openLibrary();
    await ingest({ type: "git", path: folderOf(SHOP), name: "shop" });
    const code = await service.query({ query: "retry of a payment", org_id: "acme" }, ["code"]);
    expect(code).toMatchObject({ search: "lexical", cached: false, source_types_queried: ["code"] });
    expect(code.results[0]).toMatchObject({
      source_type: "code",
      source_id: "shop/src/payments/retry.ts#retryPayment",
      metadata: {
        repo: "shop",
        file_path: "src/payments/retry.ts",
        language: "typescript",
        name: "retryPayment",
        chunk_type: "function",
        line_start: 4,
        line_end: 8,
        relations: {
          calls: ["backOff", "waitFor"],
          called_by: expect.arrayContaining(["charge", "src/app.ts"]),
        },
      },
    });
    const [page] = (await service.query({ query: "how do we roll back a deploy?", org_id: "acme" })).results;
    expect(page).toMatchObject({
      source_type: "docs",
      metadata: { page_title: "Deploying", section: "Rolling back" },
    });
    expect(page?.content).toContain("previous version");
    expect(page?.relevance_score).toBeGreaterThan(0.5);
    expect((await service.query({ query: "xylophone", org_id: "acme" })).results).toEqual([]);
  });

  it("[knowledge.search] narrows by repository, language, project, status and space, at the top level or inside filters", async () => {
    const { service, ingest } = openLibrary();
    await ingest({ type: "git", path: folderOf(SHOP), name: "shop" });
    await ingest({
      type: "git",
      path: folderOf({ "a.ts": "export function summarise(): void {}\n" }),
      name: "desk",
    });
    await ingest({ type: "jira" });
    await ingest({ type: "confluence" });
    const ids = async (
      body: object,
      ...types: ("code" | "jira" | "confluence" | "docs")[]
    ): Promise<string[]> =>
      (await service.query({ query: "summarise", org_id: "acme", ...body }, types)).results.map(
        (hit) => hit.source_id,
      );
    expect(await ids({}, "code")).toEqual(
      expect.arrayContaining(["desk/a.ts#summarise", "shop/tools/report.py#summarise"]),
    );
    expect(await ids({ repo_filter: "de*" }, "code")).toEqual(["desk/a.ts#summarise"]);
    expect(new Set(await ids({ filters: { language: "python" } }, "code"))).toEqual(
      new Set(["shop/tools/report.py#summarise", "shop/tools/report.py#Report"]),
    );
    const tickets = await service.query(
      { query: "login", org_id: "acme", filters: { project: "MOB", status: "To Do" } },
      ["jira"],
    );
    expect(tickets.results.length).toBeGreaterThan(0);
    for (const { metadata } of tickets.results)
      expect(metadata).toMatchObject({ project: "MOB", status: "To Do" });
    const pages = await service.query({ query: "deploy", org_id: "acme", space: "ops" }, [
      "confluence",
      "docs",
    ]);
    expect(pages.results.length).toBeGreaterThan(0);
    for (const { metadata } of pages.results) expect(metadata["space"]).toBe("OPS");
    expect(pages.results[0]?.metadata).toMatchObject({
      page_id: expect.any(String),
      version: expect.any(Number),
      chunk_index: expect.any(Number),
    });
  });

  it("[knowledge.service] answers from its cache for 300 s, and not once the index has changed", async () => {
    const { index, ingest } = openLibrary();
    let now = 1_000_000;
    const service = createService(index, undefined, () => now);
    const folder = folderOf(SHOP);
    await ingest({ type: "git", path: folder });
    const body = { query: "payments", org_id: "acme" };
    const first = await service.query(body);
    now += 299_000;
    expect(await service.query(body)).toMatchObject({ cached: true, results: first.results });
    expect((await service.query({ ...body, top_k: 3 })).cached).toBe(false);
    now += 2_000;
    expect((await service.query(body)).cached).toBe(false);
    writeFiles(folder, { "src/new.ts": "export function settlePayments(): void {}\n" });
    await ingest({ type: "git", path: folder });
    const fresh = await service.query(body);
    expect(fresh.cached).toBe(false);
    expect(fresh.results.map((hit) => hit.metadata["name"])).toContain("settlePayments");
  });

  it("[knowledge.search] fuses words with meaning where a model answers, and says when none does", async () => {
    let isThere = true;
    // Two dimensions: about money, and about anything else.
    const vectorOf = (text: string): Float32Array =>
      /bill|invoice|charge/i.test(text) ? Float32Array.of(1, 0.1) : Float32Array.of(0.1, 1);
    const embedder: Embedder = {
      model: "two",
      ofQuestion: (text) => Promise.resolve(isThere ? vectorOf(text) : undefined),
      ofChunks: (texts) => Promise.resolve(texts.map(vectorOf)),
    };
    const { service, ingest } = openLibrary(embedder);
    const pages = {
      "money.md": "# Invoices\n\nSent on Mondays.",
      "garden.md": "# Roses\n\nCut them in March.",
    };
    await ingest({ type: "files", path: folderOf(pages), name: "handbook" });
    const body = { query: "what do we charge?", org_id: "acme" };
    expect(await service.query(body)).toMatchObject({
      search: "hybrid",
      results: [{ metadata: { page_title: "Invoices" } }, {}],
    });
    expect(service.health()).toMatchObject({
      status: "healthy",
      vector_store: { status: "ready", vectors: 2 },
    });
    isThere = false;
    expect(await service.query({ ...body, top_k: 4 })).toMatchObject({ search: "lexical", results: [] });
    expect(service.health().status).toBe("degraded");
  });
});

it("[knowledge.ingest] finds what TypeScript, Python, Go and Java code calls, imports and extends", async () => {
  const { service, ingest } = openLibrary();
  await ingest({ type: "git", path: folderOf(SHOP) });
  const table = [
    [
      "retryPayment",
      "function",
      "calls",
      [
        ["backOff", "src/payments/clock.ts", 2],
        ["waitFor", "src/payments/retry.ts", 7],
      ],
    ],
    [
      "retryPayment",
      "function",
      "called_by",
      [
        ["src/app.ts", "src/app.ts", 2],
        ["charge", "src/payments/retry.ts", 12],
      ],
    ],
    ["PaymentClient", "class", "extends", [["HttpClient", "src/payments/retry.ts", 10]]],
    [
      "src/payments/retry.ts",
      "file",
      "imports",
      [
        ["src/payments/clock.ts", "src/payments/retry.ts", 1],
        ["winston", "src/payments/retry.ts", 2],
      ],
    ],
    ["payments/retry", "module", "imported_by", [["src/app.ts", "src/app.ts", 1]]],
    ["Report", "class", "extends", [["Base", "tools/report.py", 4]]],
    ["Report", "class", "calls", [["summarise", "tools/report.py", 8]]],
    [
      "tools/report.py",
      "file",
      "imports",
      [
        ["json", "tools/report.py", 1],
        ["shop.orders", "tools/report.py", 2],
      ],
    ],
    ["Server", "class", "extends", [["Listener", "server/main.go", 6]]],
    ["Start", "function", "called_by", [["main", "server/main.go", 14]]],
    ["ledger", "module", "imported_by", [["server/main.go", "server/main.go", 3]]],
    [
      "Basket",
      "class",
      "extends",
      [
        ["Container", "lib/Basket.java", 5],
        ["Countable", "lib/Basket.java", 5],
      ],
    ],
    [
      "total",
      "function",
      "calls",
      [
        ["sum", "lib/Basket.java", 7],
        ["lines", "lib/Basket.java", 7],
      ],
    ],
    ["lib/Basket.java", "file", "imports", [["shop.money.Price", "lib/Basket.java", 3]]],
  ] as const;
  for (const [entity, entity_type, relationship, expected] of table) {
    const { results } = service.related({ entity, entity_type, org_id: "acme", relationship });
    const found = results.filter((row) => row.relationship === relationship);
    const places = found.map((row) => [row.name, row.file, row.line].join(" "));
    expect(places.toSorted(), `${entity} ${relationship}`).toEqual(
      expected.map((row) => row.join(" ")).toSorted(),
    );
    for (const row of results) expect([row.file_path, row.line_number]).toEqual([row.file, row.line]);
  }
});

describe("who finds what", () => {
  it("[knowledge.search] never gives a row of one organisation to another", async () => {
    const word = fc.constantFrom("deploy", "login", "rollback", "payment", "retryPayment", "OPS-2", "the");
    const file = fc.record({
      name: word,
      text: fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" ")),
      kind: fc.constantFrom("ts", "md"),
    });
    const companies = fc.array(fc.array(file, { minLength: 1, maxLength: 6 }), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(companies, fc.array(word, { minLength: 1, maxLength: 4 }), async (all, query) => {
        const index = openIndex(":memory:");
        const service = createService(index, undefined);
        for (const [at, files] of all.entries()) {
          const org = `org${at}`;
          const row = index.source(org, "git:same place", "same", []);
          index.write(() => {
            for (const [n, { name, text, kind }] of files.entries())
              index.put(
                row,
                {
                  path: `${n}.${kind}`,
                  hash: "1",
                  chunks: [
                    {
                      type: kind === "ts" ? "code" : "docs",
                      source_id: `${org}/${n}`,
                      title: name,
                      content: `${org} ${text}`,
                      metadata: { name, language: "typescript", space: "same", repo: "same" },
                      facets: ["language:typescript", "space:same"],
                    },
                  ],
                  definitions: [{ name, kind: "function", line: n + 1 }],
                  relations: [{ kind: "calls", origin: name, within: "", target: `${org}_${text}`, line: 1 }],
                },
                1,
              );
          });
        }
        for (const [at] of all.entries()) {
          const org = `org${at}`;
          for (const narrowed of [
            {},
            { repo_filter: "sa*" },
            { filters: { space: "same" } },
            { source_types: ["code"] },
          ]) {
            const { results } = await service.query({ query: query.join(" "), org_id: org, ...narrowed });
            for (const hit of results) {
              expect(hit.source_id.startsWith(`${org}/`)).toBe(true);
              expect(JSON.stringify(hit).replaceAll(org, "")).not.toMatch(/org\d/);
            }
          }
          const { results } = service.related({ entity: query[0], org_id: org });
          expect(JSON.stringify(results).replaceAll(org, "")).not.toMatch(/org\d/);
        }
        expect((await service.query({ query: query.join(" "), org_id: "nobody" })).results).toEqual([]);
        index.close();
      }),
      { numRuns: 25 },
    );
  });

  it("[knowledge.search] gives what is for some channels to those alone", async () => {
    const { service, ingest } = openLibrary();
    await ingest({
      type: "files",
      path: folderOf({ "pay.md": "# Salaries\n\nPaid monthly." }),
      channels: ["slack:T1:C7"],
    });
    const found = async (channel?: string): Promise<number> =>
      (
        await service.query({
          query: "salaries",
          org_id: "acme",
          ...(channel === undefined ? {} : { channel }),
        })
      ).results.length;
    expect([await found("slack:T1:C7"), await found("slack:T1:C8"), await found()]).toEqual([1, 0, 0]);
  });
});

describe("indexing", () => {
  it("[knowledge.ingest] reads what changed, follows what is gone, and keeps its ids", async () => {
    const { service, ingest, index } = openLibrary();
    const folder = folderOf(SHOP);
    const first = await ingest({ type: "git", path: folder });
    expect(first).toMatchObject({ state: "done", report: { changed: 7, unchanged: 0, done: 7, total: 7 } });
    const ids = (): unknown[] => index.all("SELECT source_id FROM chunks ORDER BY source_id");
    const before = ids();
    expect((await ingest({ type: "git", path: folder })).report).toMatchObject({ changed: 0, unchanged: 7 });
    expect((await ingest({ type: "git", path: folder }, { mode: "full" })).report).toMatchObject({
      changed: 7,
    });
    expect(ids()).toEqual(before);
    rmSync(join(folder, "src/app.ts"));
    writeFiles(folder, { "docs/deploying.md": "# Deploying\n\nEverything is automatic now." });
    expect((await ingest({ type: "git", path: folder })).report).toMatchObject({
      changed: 1,
      unchanged: 5,
      removed: 1,
    });
    expect((await service.query({ query: "previous version button", org_id: "acme" })).results).toEqual([]);
    expect(
      service.related({ entity: "retryPayment", org_id: "acme", relationship: "called_by" }).results,
    ).toHaveLength(1);
    expect((await ingest({ type: "git", path: folder }, { mode: "delete" })).report).toMatchObject({
      removed: 6,
    });
    expect(service.health().counts).toEqual({ sources: 0, documents: 0, chunks: 0 });
    for (const table of ["definitions", "relations", "vectors"])
      expect(index.all(`SELECT * FROM ${table}`)).toEqual([]);
    expect(index.all("SELECT rowid FROM words")).toEqual([]);
  });

  it("[knowledge.ingest] reads Markdown, HTML and PDF, and leaves out in words what is no text for people", async () => {
    const { service, ingest } = openLibrary();
    const key = ["AKIA", "ABCDEFGH12345678"].join("");
    const folder = folderOf({
      "handbook/leave.html":
        "<html><head><title>Leave</title></head><body><main><h1>Leave</h1><p>Ask your lead for holidays.</p></main></body></html>",
      "handbook/travel.pdf": pdfOf("Trains are booked by the front desk"),
      "handbook/broken.pdf": "%PDF-1.4 this is no document",
      "handbook/binary.md": Uint8Array.of(0x23, 0x20, 0, 1, 2, 3),
      "handbook/latin.md": Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
      "handbook/huge.md": "word ".repeat(300_000),
      "handbook/empty.md": " \n",
      "handbook/keys.md": `# Keys\n\nThe old one was ${key} and is gone.`,
      "handbook/ignored/drafts.md": "# Drafts",
      "handbook/link.md": "# Linked",
      ".gitignore": "ignored/\n*.log.md\n!kept.log.md\n",
      "handbook/a.log.md": "# Log",
      "handbook/kept.log.md": "# Kept",
      "handbook/.gitignore": "link.md\n",
      "node_modules/x/readme.md": "# Not ours",
      "code.ts": "export {}",
    });
    const { report } = await ingest({ type: "files", path: folder, exclude: ["**/nothing/**"] });
    expect(report).toMatchObject({
      changed: 4,
      secrets: 1,
      skipped: { binary: 2, "too large": 1, empty: 1, "not readable": 1 },
      failures: [expect.stringContaining("handbook/broken.pdf: the PDF cannot be read")],
    });
    const text = async (query: string): Promise<string> =>
      (await service.query({ query, org_id: "acme" })).results.map(({ content }) => content).join("\n");
    expect(await text("holidays")).toContain("Ask your lead");
    expect(await text("trains")).toContain("booked by the front desk");
    expect(await text("old key gone")).toContain("The old one was [secret left out] and is gone.");
    expect(await text("kept")).toContain("Kept");
    for (const gone of [key, "drafts", "linked", "log", "ours"])
      expect(await text(gone)).not.toMatch(/AKIA|Drafts|Linked|Not ours/);
  });

  it("[knowledge.ingest] takes tickets and pages from the bundled servers' sites, again only when they changed", async () => {
    const { service, ingest } = openLibrary();
    const tickets = await ingest({ type: "jira" });
    const pages = await ingest({ type: "confluence", spaces: ["OPS"] });
    expect(tickets.report.changed).toBeGreaterThan(50);
    expect((await ingest({ type: "jira" })).report).toMatchObject({
      changed: 0,
      unchanged: tickets.report.changed,
    });
    expect(
      (await ingest({ type: "jira", jql: "project = DEMO AND type = Epic" })).report.changed,
    ).toBeGreaterThan(0);
    expect(pages.report.changed).toBeGreaterThan(5);
    const [ticket] = (await service.query({ query: "login with passkey", org_id: "acme" }, ["jira"])).results;
    expect(ticket).toMatchObject({
      source_id: "MOB-20",
      metadata: { key: "MOB-20", project: "MOB", status: "To Do" },
    });
    expect(service.collections("acme").map(({ name, source }) => [name, source])).toEqual([
      ["confluence", "confluence:OPS"],
      ["jira", "jira"],
      ["jira", "jira:project = DEMO AND type = Epic"],
    ]);
    expect(service.collections(undefined)).toMatchObject([
      { name: "confluence", source: null },
      { name: "jira", source: null },
    ]);
  });

  it("[knowledge.ingest] says what is wrong with a source, and leaves what was there", async () => {
    const { service, ingest, folder } = openLibrary();
    const docs = folderOf({ "a.md": "# Anchors" });
    await ingest({ type: "files", path: docs });
    await expect(ingest({ type: "git", path: join(folder, "nowhere") })).rejects.toThrow(
      /expected a folder at .*nowhere/,
    );
    rmSync(docs, { recursive: true });
    await expect(ingest({ type: "files", path: docs })).rejects.toThrow("expected a folder");
    expect((await service.query({ query: "anchors", org_id: "acme" })).results).toHaveLength(1);
  });
});
