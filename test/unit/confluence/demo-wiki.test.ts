import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PageFilter } from "#servers/confluence/arguments.ts";
import { openDemoWiki } from "#servers/confluence/demo.ts";
import type { Wiki } from "#servers/confluence/wiki.ts";

let folder: string;
let wiki: Wiki;

const open = (user = "ben"): Wiki =>
  openDemoWiki({ dataFolder: folder, user, now: () => new Date("2026-11-20T10:00:00Z") });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wiki-"));
  wiki = open();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the demo content", () => {
  it("has three spaces and at least thirty pages, each reachable from its space's home", async () => {
    const spaces = await wiki.spaces();
    expect(spaces.map(({ key, name }) => [key, name])).toEqual([
      ["ENG", "Engineering Handbook"],
      ["OPS", "Operations Runbooks"],
      ["PEO", "People & Culture"],
    ]);
    const seen = new Set<string>();
    const visit = async (id: string): Promise<void> => {
      seen.add(id);
      for (const child of (await wiki.page(id)).children) await visit(child.id);
    };
    for (const home of ["1001", "2001", "3001"]) await visit(home);
    expect(seen.size).toBe(spaces.reduce((sum, { pages }) => sum + (pages ?? 0), 0));
    expect(seen.size).toBeGreaterThanOrEqual(30);
  });

  it("links only to pages that exist", async () => {
    await wiki.spaces();
    const state = JSON.parse(readFileSync(join(folder, "confluence.json"), "utf8")) as {
      pages: { id: string; space: string; body: string }[];
    };
    const known = new Set(state.pages.map(({ id, space }) => `${space}/pages/${id}`));
    for (const { id, body } of state.pages) {
      for (const [, target = ""] of body.matchAll(/wiki\.example\.com\/spaces\/([^)\s]+)/gu)) {
        expect(known, `page ${id}`).toContain(target);
      }
    }
  });
});

describe("search", () => {
  const titles = async (query: string, space?: string): Promise<string[]> =>
    (await wiki.search({ query, space, limit: 50 })).results.map(({ title }) => title);

  it.each([
    ["deploying", "Deploying to production"],
    ["what does the wiki say about deploying?", "Deploying to production"],
    ["how do we roll back", "Rolling back a deploy"],
    ["on-call", "On-call guide"],
    ["oncall", "On-call guide"],
    ["printers", "Printers"],
    ["vacation", "Holiday policy"],
    ["restore databases", "Backups and restore"],
    ["CHLOE interview", "Hiring and interviews"],
    ["incidnet process", "Incident process"],
  ])('[view.confluence] finds "%s"', async (query, first) => {
    expect((await titles(query))[0]).toBe(first);
  });

  it("ranks a word in the title above the same word in the text", async () => {
    const found = await titles("incident");
    const inTitle = found.indexOf("Incident process");
    const inText = found.indexOf("Feedback and yearly talks");
    expect(inTitle).toBe(0);
    expect(inText === -1 || inText > inTitle).toBe(true);
    expect(found).toContain("Printers");
  });

  it.each(["OPS", "ops", "Operations Runbooks", "operations"])("stays in the space %s", async (space) => {
    const { results } = await wiki.search({ query: "deploy", space, limit: 50 });
    expect(results.length).toBeGreaterThan(2);
    expect(new Set(results.map((page) => page.space.key))).toEqual(new Set(["OPS"]));
  });

  it("names the spaces that exist when there is no such space", async () => {
    await expect(wiki.search({ query: "deploy", space: "NOPE", limit: 5 })).rejects.toThrow(
      /no space .*"NOPE".*ENG "Engineering Handbook", OPS .*PEO/u,
    );
  });

  it("asks for words when there are none", async () => {
    await expect(wiki.search({ query: "the ?!", limit: 5 })).rejects.toMatchObject({
      code: "nothing_to_search",
    });
  });

  it.each<[PageFilter, string[]]>([
    [{ title: "the retrospective" }, ["1014", "3008", "2010"]],
    [{ title: "printer" }, ["2007", "2008"]],
    [{ author: "Emi" }, ["3012", "1016", "1010", "1015"]],
    [{ author: "me" }, ["1002", "1011", "1007", "2011"]],
    [{ author: "farid", space: "OPS", updated_after: "2026-03-02" }, ["2007", "2009", "2008"]],
    [{ created_after: "2026-03-16" }, ["1014", "2010"]],
    [{ updated_after: "2026-11-10" }, ["3012", "2007", "1004"]],
    [{ order_by: "created", created_after: "2025-10-20" }, ["1014", "2010", "3010", "3012"]],
    [{ order_by: "created", order: "asc", created_after: "2025-10-20" }, ["3012", "3010", "2010", "1014"]],
    [{ order_by: "title", title: "guide" }, ["3011", "2003"]],
    [{ query: "incident", author: "dmitri" }, ["2010", "2001", "2002"]],
    [{ query: "incident", author: "dmitri", order_by: "updated" }, ["2002", "2001", "2010"]],
  ])("finds by %j", async (filter, ids) => {
    const { results, total } = await wiki.search({ ...filter, limit: 50 });
    expect(results.map(({ id }) => id)).toEqual(ids);
    expect(total).toBe(ids.length);
  });

  it("lists all pages, last changed first, where nothing is asked", async () => {
    const { results, total } = await wiki.search({ limit: 3 });
    expect(results.map(({ title }) => title)).toEqual(["The cake register", "Printers", "Release calendar"]);
    expect(total).toBe(40);
  });

  it("names the people when an author is unknown", async () => {
    await expect(wiki.search({ author: "zoe", limit: 1 })).rejects.toMatchObject({
      code: "unknown_user",
      message: expect.stringContaining("Ana Lindqvist (ana)") as string,
    });
  });

  it("shows the text around the match", async () => {
    const { results } = await wiki.search({ query: "smoke", limit: 1 });
    expect(results[0]).toMatchObject({ title: "Printers", updated_by: { name: "Farid Haddad" } });
    expect(results[0]?.excerpt).toContain("smells of smoke");
    expect(results[0]?.excerpt.startsWith("… ")).toBe(true);
    expect(results[0]?.excerpt.length).toBeLessThan(320);
  });

  it("pages through all results without a gap or a repeat", async () => {
    const all = await titles("deploy");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const answer = await wiki.search({ query: "deploy", limit: 5, cursor });
      expect(answer.total).toBe(all.length);
      seen.push(...answer.results.map(({ title }) => title));
      cursor = answer.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
  });

  it("refuses a cursor that is damaged or belongs to another search", async () => {
    const { next_cursor } = await wiki.search({ query: "deploy", limit: 1 });
    for (const [query, cursor] of [
      ["printer", next_cursor ?? ""],
      ["deploy", "%%%"],
      ["deploy", Buffer.from("[-1]").toString("base64url")],
    ] as const) {
      await expect(wiki.search({ query, limit: 1, cursor })).rejects.toMatchObject({
        code: "bad_cursor",
      });
    }
    const narrowed = wiki.search({ query: "deploy", author: "ana", limit: 1, cursor: next_cursor ?? "" });
    await expect(narrowed).rejects.toMatchObject({ code: "bad_cursor" });
  });
});

describe("changes", () => {
  it("makes a page that another process of the same folder finds", async () => {
    const draft = {
      space: "engineering handbook",
      title: "Kiln repair",
      body: "Use *gloves*.",
      parent_id: "1001",
    };
    const made = await wiki.create(await wiki.prepare(draft));
    const page = await open("ana").page(made.id);
    expect(page).toMatchObject({
      title: "Kiln repair",
      space: { key: "ENG", name: "Engineering Handbook" },
      version: 1,
      created: "2026-11-20T10:00:00.000Z",
      created_by: { id: "ben", name: "Ben Okafor" },
      parent: { id: "1001", title: "Engineering Handbook" },
      body: "Use *gloves*.",
    });
    const { results } = await open("ana").search({ query: "kiln gloves", limit: 1 });
    expect(results[0]?.id).toBe(made.id);
  });

  it.each([
    [{ space: "NOPE", title: "x", body: "" }, "space_not_found", /Spaces that exist: ENG/u],
    [{ space: "ENG", title: "api GUIDELINES", body: "" }, "title_taken", /id 1007/u],
    [
      { space: "ENG", title: "x", body: "", parent_id: "2001" },
      "parent_not_found",
      /in the space ENG.*1001 "Engineering Handbook"/u,
    ],
  ])("refuses a page that cannot be made (%#)", async (draft, code, message) => {
    await expect(wiki.prepare(draft)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it("takes an update of the current version and refuses one of an old version, naming the current", async () => {
    const { version } = await wiki.page("2007");
    await wiki.update("2007", { body: "All printers are gone.", version });
    await expect(wiki.update("2007", { body: "No!", version })).rejects.toMatchObject({
      code: "version_conflict",
      message: expect.stringContaining(`at version ${version + 1} now`) as string,
    });
    expect(await wiki.page("2007")).toMatchObject({
      title: "Printers",
      body: "All printers are gone.",
      version: version + 1,
      updated_by: { id: "ben" },
    });
  });

  it("puts a row behind the last one of a table, and changes nothing where none has as many columns", async () => {
    const { version, body } = await wiki.page("3012");
    const row = "| 27 November 2026 | Emi | Matcha roll | Friday |";
    await wiki.update("3012", { append: row, version });
    const after = (await wiki.page("3012")).body;
    expect(after.split("\n")).toEqual(
      body.split("\n").flatMap((line) => (line.startsWith("| 3 July 2026") ? [line, row] : [line])),
    );
    await expect(wiki.update("3012", { append: "| a | b |", version: version + 1 })).rejects.toMatchObject({
      code: "no_table",
      message:
        "expected a table of 2 columns on the page, as the new row has 2 cells; its tables have 4 columns",
    });
    expect(await wiki.page("3012")).toMatchObject({ body: after, version: version + 1 });
  });

  it("adds a comment without a new version", async () => {
    const before = await wiki.page("2007");
    const { comment, url } = await wiki.comment("2007", "It is **on fire**");
    const after = await wiki.page("2007");
    expect(after.version).toBe(before.version);
    expect(after.comments.at(-1)).toEqual(comment);
    expect(url).toContain("/spaces/OPS/pages/2007");
  });

  it("moves the children of a deleted page up", async () => {
    await wiki.remove("2007");
    await expect(wiki.page("2007")).rejects.toMatchObject({ code: "page_not_found" });
    expect((await wiki.page("2008")).parent).toEqual({ id: "2001", title: "Operations Runbooks" });
  });

  it("loses nothing when two processes write at once", async () => {
    const script = `
      import { openDemoWiki } from ${JSON.stringify(join(import.meta.dirname, "../../../servers/confluence/demo.ts"))};
      const wiki = openDemoWiki({ dataFolder: process.argv[1], user: process.argv[2] });
      for (let n = 0; n < 8; n++) {
        await wiki.create(await wiki.prepare({ space: "PEO", title: process.argv[2] + " " + n, body: "x" }));
        await wiki.comment("3012", process.argv[2] + " " + n);
      }`;
    const before = (await wiki.page("3012")).comments.length;
    const exits = await Promise.all(
      ["ana", "emi"].map(async (user) => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder, user], {
          stdio: ["ignore", "ignore", "pipe"],
        });
        let errors = "";
        child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
        const [code] = (await once(child, "exit")) as [number];
        return `${code} ${errors}`;
      }),
    );
    expect(exits).toEqual(["0 ", "0 "]);
    const people = (await wiki.spaces()).find(({ key }) => key === "PEO");
    expect(people?.pages).toBe(12 + 16);
    const comments = (await wiki.page("3012")).comments;
    expect(comments).toHaveLength(before + 16);
    expect(new Set(comments.map(({ id }) => id)).size).toBe(comments.length);
  });
});
