import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import { configuredSources, followSettings, type OwnedSource } from "#servers/knowledge/ingest/configured.ts";
import { removeSource } from "#servers/knowledge/ingest/run-job.ts";
import { limitOf } from "#servers/knowledge/limit.ts";
import type { Embedder } from "#servers/knowledge/service/embeddings.ts";
import type { Chunk, Index } from "#servers/knowledge/service/index-store.ts";
import {
  beginJob,
  indexingPercent,
  keepAlive,
  lostJobs,
  recordJob,
  thisWorker,
  type Worker,
} from "#servers/knowledge/service/jobs.ts";
import { createService } from "#servers/knowledge/service/service.ts";

import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

import { folderOf, type Library, type Opened, openLibrary, pdfOf, writeFiles } from "./support.ts";

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

interface Planted {
  name: string;
  text: string;
  kind: string;
  isPrivate: boolean;
}

/** What an organisation has for everybody, or for the channel c1 alone; each row says whose it is. */
async function plant(
  index: Index,
  organisation: string,
  files: Planted[],
  isPrivate: boolean,
): Promise<void> {
  const mark = `${organisation}-${isPrivate ? "private" : "open"}`;
  await index.write(async (tables) => {
    const row = await tables.source({
      organisation,
      key: `git:same place as ${isPrivate}`,
      name: "same",
      channels: isPrivate ? ["c1"] : [],
      origin: "command",
    });
    for (const [n, { name, text, kind, isPrivate: isHere }] of files.entries()) {
      if (isHere !== isPrivate) continue;
      const chunk: Chunk = {
        type: kind === "ts" ? "code" : "docs",
        source_id: `${mark}/${n}`,
        title: name,
        content: `${mark} ${n} ${text}`,
        metadata: { name, language: "typescript", space: "same", repo: "same" },
        facets: ["language:typescript", "space:same"],
      };
      const definitions = [{ name, kind: "function", line: n + 1 }];
      const relations = (["calls", "imports", "extends"] as const).flatMap((kind) => [
        { kind, origin: name, within: "", target: `${mark}_${text}`, line: 1 },
        {
          kind,
          origin: `${mark}_caller`,
          within: "",
          target: kind === "imports" ? "./code.ts" : name,
          line: 2,
        },
      ]);
      const path = `${mark}/${n}/code.ts`;
      await tables.put(row.id, [{ path, hash: "1", chunks: [chunk], definitions, relations }], 1);
    }
    const { chunks } = await tables.withoutVectors(row.id, "two", 100);
    await tables.putVectors(
      row.id,
      "two",
      chunks.map(({ id }) => ({ chunk: id, vector: Float32Array.of(1, 0) })),
    );
  });
}

async function clear(index: Index): Promise<void> {
  await index.write(async (tables) => {
    for (const { id } of await tables.sources()) await tables.removeUnseen(id);
    await tables.run("DELETE FROM sources");
  });
}

let cluster: PostgresServer | undefined;
beforeAll(async () => {
  cluster = await joinPostgres();
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

describe.each(["sqlite", "postgres"])("an index in %s", (kind) => {
  const open = async (more: Opened = {}): Promise<Library> =>
    openLibrary({ ...more, url: kind === "sqlite" ? "" : ((await cluster?.createDatabase()) ?? "") });

  describe("what is found", () => {
    it("[knowledge.search] [knowledge.service] finds code by its symbols and pages by their headings, each with its place", async () => {
      const { service, ingest } = await open();
      await ingest({ type: "git", path: folderOf(SHOP), name: "shop" });
      const code = await service.query({ query: "retry of a payment", org_id: "acme" }, "/query/code");
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
      const [page] = (await service.query({ query: "how do we roll back a deploy?", org_id: "acme" }))
        .results;
      expect(page).toMatchObject({
        source_type: "docs",
        metadata: { page_title: "Deploying", section: "Rolling back" },
      });
      expect(page?.content).toContain("previous version");
      expect(page?.relevance_score).toBeGreaterThan(0.5);
      expect((await service.query({ query: "xylophone", org_id: "acme" })).results).toEqual([]);
    });

    it("[knowledge.search] narrows by repository, language, project, status and space, at the top level or inside filters", async () => {
      const { service, ingest } = await open();
      await ingest({ type: "git", path: folderOf(SHOP), name: "shop" });
      await ingest({
        type: "git",
        path: folderOf({ "a.ts": "export function summarise(): void {}\n" }),
        name: "desk",
      });
      await ingest({ type: "jira" });
      await ingest({ type: "confluence" });
      const ids = async (body: object): Promise<string[]> =>
        (await service.query({ query: "summarise", org_id: "acme", ...body }, "/query/code")).results.map(
          (hit) => hit.source_id,
        );
      expect(await ids({})).toEqual(
        expect.arrayContaining(["desk/a.ts#summarise", "shop/tools/report.py#summarise"]),
      );
      expect(await ids({ repo_filter: "de*" })).toEqual(["desk/a.ts#summarise"]);
      expect(new Set(await ids({ filters: { language: "python" } }))).toEqual(
        new Set(["shop/tools/report.py#summarise", "shop/tools/report.py#Report"]),
      );
      const tickets = await service.query(
        { query: "login", org_id: "acme", filters: { project: "MOB", status: "To Do" } },
        "/query/tickets",
      );
      expect(tickets.results.length).toBeGreaterThan(0);
      for (const { metadata } of tickets.results)
        expect(metadata).toMatchObject({ project: "MOB", status: "To Do" });
      const pages = await service.query({ query: "deploy", org_id: "acme", space: "ops" }, "/query/docs");
      expect(pages.results.length).toBeGreaterThan(0);
      for (const { metadata } of pages.results) expect(metadata["space"]).toBe("OPS");
      expect(pages.results[0]?.metadata).toMatchObject({
        page_id: expect.any(String),
        version: expect.any(Number),
        chunk_index: expect.any(Number),
      });
    });

    it("[knowledge.service] answers from its cache for 300 s, and not once the index has changed", async () => {
      const { index, ingest } = await open();
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
      const { service, ingest } = await open({ embedder });
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
      expect(await service.health()).toMatchObject({
        status: "healthy",
        vector_store: { status: "ready", vectors: 2 },
      });
      isThere = false;
      expect(await service.query({ ...body, top_k: 4 })).toMatchObject({ search: "lexical", results: [] });
      expect((await service.health()).status).toBe("degraded");
    });
  });

  it("[knowledge.ingest] finds what TypeScript, Python, Go and Java code calls, imports and extends", async () => {
    const { service, ingest } = await open();
    const defined = {
      "shop/orders.py": "class Order:\n    pass\n\nclass Unused:\n    pass\n",
      "ledger/open.go": "package ledger\n\nfunc Open() error {\n\treturn nil\n}\n",
      "src/main/java/shop/money/Price.java": "package shop.money;\n\npublic class Price {}\n",
      "other/clock.py": "def tick():\n    backOff(1)\n",
    };
    await ingest({
      type: "git",
      path: folderOf({ ...SHOP, ...defined, "tools/use.py": "from shop.orders import Order\n" }),
    });
    const table = [
      // The file that defines it is imported, and the name stands there.
      ["retryPayment", "function", "imported_by", [["src/app.ts", "src/app.ts", 1]]],
      ["Clock", "class", "imported_by", [["src/payments/retry.ts", "src/payments/retry.ts", 1]]],
      [
        "Order",
        "class",
        "imported_by",
        [
          ["tools/report.py", "tools/report.py", 2],
          ["tools/use.py", "tools/use.py", 1],
        ],
      ],
      ["Unused", "class", "imported_by", []],
      ["Open", "function", "imported_by", [["server/main.go", "server/main.go", 3]]],
      ["Price", "class", "imported_by", [["lib/Basket.java", "lib/Basket.java", 3]]],
      // Not by the function of the same name in another language.
      ["src/payments/clock.ts", "file", "called_by", [["retryPayment", "src/payments/retry.ts", 6]]],
      ["payments/retry", "module", "called_by", [["src/app.ts", "src/app.ts", 2]]],
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
      const { results } = await service.related({ entity, entity_type, org_id: "acme", relationship });
      const found = results.filter((row) => row.relationship === relationship);
      const places = found.map((row) => [row.name, row.file, row.line].join(" "));
      expect(places.toSorted(), `${entity} ${relationship}`).toEqual(
        expected.map((row) => row.join(" ")).toSorted(),
      );
      for (const row of results) expect([row.file_path, row.line_number]).toEqual([row.file, row.line]);
    }
  });

  describe("who finds what", () => {
    it("[knowledge.search] never gives a row of one organisation to another, nor of a channel elsewhere, by words or by meaning", async () => {
      const word = fc.constantFrom("deploy", "login", "rollback", "payment", "retryPayment", "OPS-2", "the");
      const file = fc.record({
        name: word,
        text: fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" ")),
        kind: fc.constantFrom("ts", "md"),
        isPrivate: fc.boolean(),
      });
      const companies = fc.array(fc.array(file, { minLength: 1, maxLength: 6 }), {
        minLength: 2,
        maxLength: 4,
      });
      // Whatever is asked is near to everything, so that only the scope keeps it away.
      const embedder: Embedder = {
        model: "two",
        ofQuestion: () => Promise.resolve(Float32Array.of(1, 0)),
        ofChunks: (texts) => Promise.resolve(texts.map(() => Float32Array.of(1, 0))),
      };
      const { index } = await open();
      await fc.assert(
        fc.asyncProperty(companies, fc.array(word, { minLength: 1, maxLength: 4 }), async (all, query) => {
          await clear(index);
          const [lexical, hybrid] = [createService(index, undefined), createService(index, embedder)];
          for (const [at, files] of all.entries())
            for (const isPrivate of [false, true]) await plant(index, `org${at}`, files, isPrivate);
          for (const [at, files] of all.entries()) {
            const org = `org${at}`;
            for (const channel of ["", "c1", "c2"]) {
              const own = files.filter((one) => !one.isPrivate || channel === "c1");
              const expectOwn = (found: unknown, what: string): void => {
                const text = JSON.stringify(found);
                expect(text.replaceAll(`${org}-`, ""), `${what} of ${org}`).not.toMatch(/org\d-/);
                if (channel !== "c1") expect(text, `${what} in ${channel}`).not.toContain("private");
              };
              const asked = { query: query.join(" "), org_id: org, channel };
              for (const narrowed of [
                {},
                { repo_filter: "sa*" },
                { filters: { space: "same" } },
                { source_types: ["code", "docs"] },
              ]) {
                expectOwn((await lexical.query({ ...asked, ...narrowed })).results, "words");
                const found = await hybrid.query({ ...asked, ...narrowed, top_k: 100 });
                expectOwn(found.results, "meaning");
                expect(found.search).toBe("hybrid");
                expect(new Set(found.results.map((hit) => hit.source_id)).size).toBe(own.length);
              }
              for (const [entity, entity_type] of [
                [query[0], "function"],
                ["code.ts", "file"],
              ])
                expectOwn(
                  (await lexical.related({ entity, entity_type, org_id: org, channel })).results,
                  "relations",
                );
            }
          }
          for (const service of [lexical, hybrid])
            expect((await service.query({ query: query.join(" "), org_id: "nobody" })).results).toEqual([]);
        }),
        { numRuns: kind === "sqlite" ? 25 : 4 },
      );
    });

    it("[knowledge.search] gives what is for some channels to those alone", async () => {
      const { service, ingest } = await open();
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

  describe("what the settings list", () => {
    const listed = (...sources: object[]): OwnedSource[] =>
      configuredSources({ KNOWLEDGE_SOURCES: JSON.stringify(sources) }) ?? [];

    it("[knowledge.search] what the settings list no more is found by nobody at once, and removed; what a command indexed stays", async () => {
      const { service, ingest, index } = await open();
      const [handbook, notes] = [folderOf({ "a.md": "# Anchors" }), folderOf({ "b.md": "# More anchors" })];
      for (const organisation of ["acme", "beta"])
        await ingest({ type: "files", path: handbook }, { organisation, isConfigured: true });
      await ingest({ type: "files", path: notes }, { organisation: "beta" });
      const found = async (org_id: string, channel = ""): Promise<number> =>
        (await service.query({ query: "anchors", org_id, channel })).results.length;
      expect([await found("acme"), await found("beta")]).toEqual([1, 2]);

      const source = { type: "files", path: handbook };
      const gone = await followSettings(
        index,
        listed({ ...source, organisations: ["acme"], channels: ["c1"] }),
      );
      expect([await found("acme"), await found("acme", "c1"), await found("beta")]).toEqual([0, 1, 1]);
      expect(await service.collections("beta")).toMatchObject([{ source: `files:${notes}` }]);
      expect(gone.map(({ organisation, key }) => [organisation, key])).toEqual([
        ["beta", `files:${handbook}`],
      ]);
      for (const { organisation, key } of gone)
        expect((await removeSource(index, organisation, key)).report.removed).toBe(1);
      expect((await index.sources()).map(({ organisation, origin }) => [organisation, origin])).toEqual([
        ["acme", "settings"],
        ["beta", "command"],
      ]);
      expect(await followSettings(index, [])).toHaveLength(1);
      expect([await found("acme", "c1"), await found("beta")]).toEqual([0, 1]);
    });

    it("[knowledge.ingest] two sources of one place keep their own files and channels by their names", async () => {
      const { service, ingest } = await open();
      const path = folderOf({ "open/a.md": "# Anchors", "staff/b.md": "# Anchors of the staff" });
      await ingest({ type: "files", path, name: "open", include: ["open/**"] });
      await ingest({ type: "files", path, name: "staff", include: ["staff/**"], channels: ["c1"] });
      await ingest({ type: "files", path, name: "open", include: ["open/**"] });
      const found = async (channel: string): Promise<string[]> =>
        (await service.query({ query: "anchors", org_id: "acme", channel })).results
          .map((hit) => hit.source_id)
          .toSorted();
      expect(await found("c2")).toEqual(["open/open/a.md#0"]);
      expect(await found("c1")).toEqual(["open/open/a.md#0", "staff/staff/b.md#0"]);
      const twice = [
        { type: "git", path },
        { type: "folder", path: `${path}/`, channels: ["c1"] },
      ];
      expect(() => listed(...twice)).toThrow(`git:${path} is listed twice for default: give each a name`);
    });
  });

  describe("jobs", () => {
    const other: Worker = { id: "other", host: thisWorker.host, pid: thisWorker.pid };
    const asked = { organisation: "acme", source: "git:/srv/shop", definition: {}, mode: "full" } as const;

    it("[knowledge.ingest] a job that was left by a process with this one's number is taken up", async () => {
      const { index } = await open();
      const left = await beginJob(index, asked, other);
      expect((await lostJobs(index)).map(({ id }) => id)).toEqual([left.id]);
      expect((await beginJob(index, asked)).id).toBe(left.id);
      await expect(beginJob(index, asked)).rejects.toThrow("is being indexed by the process");
      // It was only slow: what it does afterwards does not count.
      await expect(index.write((tables) => recordJob(tables, left, other))).rejects.toThrow("was taken over");
    });

    it("[knowledge.ingest] a job of another machine counts as alive while it says so, however long it works on one thing", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const { index } = await open();
      // Its number here is somebody else's, or nobody's.
      const elsewhere: Worker = { id: "elsewhere", host: "another-machine", pid: 2 ** 30 };
      const job = await beginJob(index, asked, elsewhere);
      const letGo = keepAlive(index, job, elsewhere);
      vi.advanceTimersByTime(3_600_000);
      for (let beat = 0; beat < Date.now();)
        [beat = 0] = (await index.all<{ beat_at: number }>("SELECT beat_at FROM jobs")).map(
          (row) => row.beat_at,
        );
      await expect(beginJob(index, asked)).rejects.toThrow("on another-machine");
      expect(await indexingPercent(index)).toBe(0);
      letGo();
      vi.advanceTimersByTime(80_000);
      expect(await lostJobs(index)).toEqual([]);
      vi.advanceTimersByTime(20_000);
      expect(await lostJobs(index)).toHaveLength(1);
      expect(await indexingPercent(index)).toBeUndefined();
      expect((await beginJob(index, asked)).id).toBe(job.id);
    });
  });

  it("[knowledge.service] an answer that takes too long, or that nobody waits for, ends with a word", async () => {
    const { index, ingest } = await open();
    await ingest({ type: "files", path: folderOf({ "a.md": "# Anchors" }) });
    // Somebody goes away while the model thinks.
    const stop = new AbortController();
    const hung = createService(index, {
      model: "two",
      ofQuestion(_, signal) {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        signal.addEventListener("abort", () => resolve(undefined));
        stop.abort();
        return promise;
      },
      ofChunks: () => Promise.resolve(undefined),
    });
    await index.write((tables) => tables.putVectors(1, "two", [{ chunk: 1, vector: Float32Array.of(1, 0) }]));
    const asked = hung.query({ query: "anchors", org_id: "acme" }, "/query", stop.signal);
    await expect(asked).rejects.toThrow("the call was cancelled");
    await expect(hung.related({ entity: "a", org_id: "acme" }, stop.signal)).rejects.toThrow("was cancelled");
    expect((await hung.health()).status).toBe("healthy");
    expect(() => limitOf(0).check()).toThrow("did not answer within");
    expect(() => limitOf(60_000).check()).not.toThrow();
  });

  describe("indexing", () => {
    it("[knowledge.ingest] reads what changed, follows what is gone, and keeps its ids", async () => {
      const { service, ingest, index } = await open();
      const folder = folderOf(SHOP);
      const first = await ingest({ type: "git", path: folder });
      expect(first).toMatchObject({ state: "done", report: { changed: 7, unchanged: 0, done: 7, total: 7 } });
      const ids = (): Promise<unknown[]> => index.all("SELECT source_id FROM chunks ORDER BY source_id");
      const before = await ids();
      expect((await ingest({ type: "git", path: folder })).report).toMatchObject({
        changed: 0,
        unchanged: 7,
      });
      expect((await ingest({ type: "git", path: folder }, { mode: "full" })).report).toMatchObject({
        changed: 7,
      });
      expect(await ids()).toEqual(before);
      rmSync(join(folder, "src/app.ts"));
      writeFiles(folder, { "docs/deploying.md": "# Deploying\n\nEverything is automatic now." });
      expect((await ingest({ type: "git", path: folder })).report).toMatchObject({
        changed: 1,
        unchanged: 5,
        removed: 1,
      });
      expect((await service.query({ query: "previous version button", org_id: "acme" })).results).toEqual([]);
      expect(
        (await service.related({ entity: "retryPayment", org_id: "acme", relationship: "called_by" }))
          .results,
      ).toHaveLength(1);
      expect((await ingest({ type: "git", path: folder }, { mode: "delete" })).report).toMatchObject({
        removed: 6,
      });
      expect((await service.health()).counts).toEqual({ sources: 0, documents: 0, chunks: 0 });
      for (const table of ["definitions", "relations", "vectors"])
        expect(await index.all(`SELECT * FROM ${table}`)).toEqual([]);
      expect(await index.countWords(["payment", "deploying"])).toMatchObject([{ rows: 0 }, { rows: 0 }]);
    });

    it("[knowledge.ingest] reads Markdown, HTML and PDF, and leaves out in words what is no text for people", async () => {
      const { service, ingest } = await open();
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
        "handbook/recording.md": "",
        "handbook/scan.pdf": "",
      });
      // Of 100 MB each, without taking the place.
      for (const path of ["handbook/recording.md", "handbook/scan.pdf"])
        truncateSync(join(folder, path), 100_000_000);
      const { report } = await ingest({ type: "files", path: folder, exclude: ["**/nothing/**"] });
      expect(report).toMatchObject({
        changed: 4,
        secrets: 1,
        skipped: { binary: 2, "too large": 3, empty: 1, "not readable": 1 },
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
      const { service, ingest } = await open();
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
      const [ticket] = (
        await service.query({ query: "login with passkey", org_id: "acme" }, "/query/tickets")
      ).results;
      expect(ticket).toMatchObject({
        source_id: "MOB-20",
        metadata: { key: "MOB-20", project: "MOB", status: "To Do" },
      });
      expect((await service.collections("acme")).map(({ name, source }) => [name, source])).toEqual([
        ["confluence", "confluence:OPS"],
        ["jira", "jira"],
        ["jira", "jira:project = DEMO AND type = Epic"],
      ]);
      expect(await service.collections(undefined)).toMatchObject([
        { name: "confluence", source: null },
        { name: "jira", source: null },
      ]);
    });

    it("[knowledge.ingest] says what is wrong with a source, and leaves what was there", async () => {
      const { service, ingest, folder } = await open();
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
});
