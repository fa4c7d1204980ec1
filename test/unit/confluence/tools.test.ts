import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDemoWiki } from "#servers/confluence/demo.ts";
import { createConfluenceServer } from "#servers/confluence/server.ts";

let folder: string;
let client: Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "wiki-"));
  const server = createConfluenceServer(openDemoWiki({ dataFolder: folder, user: "ana" }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  client = new Client({ name: "test", version: "1" });
  await client.connect(here);
});

afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

async function call(name: string, args: Record<string, unknown>): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const data = (result.structuredContent ?? {}) as Record<string, unknown>;
  return { text, isError: result.isError === true, data };
}

const stored = (): string => readFileSync(join(folder, "confluence.json"), "utf8");

describe("the tools", () => {
  it("are those of the contract, with schemas and truthful annotations", async () => {
    const { tools } = await client.listTools();
    const facts = tools.map(({ name, inputSchema, outputSchema, annotations }) => [
      name,
      Object.keys(inputSchema.properties ?? {}).join(","),
      (inputSchema.required ?? []).join(","),
      outputSchema !== undefined,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
      annotations?.idempotentHint,
    ]);
    expect(facts).toEqual([
      [
        "search_confluence",
        "query,space,title,labels,author,created_after,updated_after,order_by,order,limit,cursor",
        "",
        true,
        true,
        false,
        true,
      ],
      ["get_page", "page_id,title,space", "", true, true, false, true],
      ["list_spaces", "", "", true, true, false, true],
      ["create_page", "space,title,body,parent_id,dry_run", "space,title,body", true, false, false, false],
      [
        "update_page",
        "page_id,title,body,append,under,passage,replacement,version,dry_run",
        "page_id,version",
        true,
        false,
        true,
        false,
      ],
      ["add_page_comment", "page_id,body", "page_id,body", true, false, false, false],
      ["delete_page", "page_id,dry_run", "page_id", true, false, true, false],
    ]);
    for (const { inputSchema, description = "" } of tools) {
      expect(description).toMatch(/wiki/u);
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toHaveProperty("description");
      }
    }
  });

  it("[view.confluence] search answers title, space, last change, excerpt and link", async () => {
    const { data, text } = await call("search_confluence", { query: "deploying", limit: 2 });
    expect(data).toMatchObject({
      total: 12,
      next_cursor: expect.any(String) as string,
      results: [
        {
          id: "1002",
          title: "Deploying to production",
          space: { key: "ENG", name: "Engineering Handbook" },
          updated: "2026-11-04T15:27:00Z",
          updated_by: { id: "dmitri", name: "Dmitri Sokolov" },
          url: "https://wiki.example.com/spaces/ENG/pages/1002",
          excerpt: expect.stringContaining("Everybody deploys") as string,
        },
        { id: "2002" },
      ],
    });
    expect(text).toContain("Deploying to production");
    expect(text).toContain("https://wiki.example.com/spaces/ENG/pages/1002");
  });

  it("[view.confluence] get_page answers the whole page", async () => {
    const { data } = await call("get_page", { page_id: "2007" });
    expect(Object.keys(data).toSorted()).toEqual(
      "id title space updated updated_by url excerpt version created created_by parent children labels body comments"
        .split(" ")
        .toSorted(),
    );
    expect(data).toMatchObject({
      parent: { id: "2001", title: "Operations Runbooks" },
      children: [{ id: "2008", title: "Setting up the label printer" }],
      labels: ["printer", "office", "warehouse"],
    });
  });

  it.each([
    "https://wiki.example.com/spaces/OPS/pages/2007/Printers",
    "https://w/pages/viewpage.action?pageId=2007",
  ])("take the address of a page for its id (%#)", async (page_id) => {
    expect((await call("get_page", { page_id })).data).toMatchObject({ id: "2007" });
  });

  it.each([
    [{ title: "on-call GUIDE" }, "2003"],
    [{ title: "printers", space: "operations", page_id: "" }, "2007"],
    [{ title: "ADR 003: One Postgres, many schemas" }, "1013"],
    [{ title: "How we run retrospectives" }, "3008"],
  ])("get_page finds %j", async (args, id) => {
    expect((await call("get_page", args)).data).toMatchObject({ id });
  });

  it.each([
    [{}, "bad_page: expected the title or the id of the page, got neither"],
    [{ page_id: "2007", title: "Printers" }, "bad_page: expected the title or the id of the page, got both"],
    [{ title: "Retrospective" }, 'page_not_found: there is no page titled "Retrospective", or'],
    [{ title: "Retrospective" }, '1014 "Retrospective: checkout sprint, October 2026" in ENG'],
    [{ title: "Coffee machine" }, '3011 "Office guide: keys, coffee, plants" in PEO'],
    [{ title: "Printers", space: "ENG" }, 'there is no page titled "Printers" in the space ENG'],
    [{ title: "About" }, "Search the wiki for it"],
  ])("get_page says what is wrong with %j, and what is near", async (args, message) => {
    const { isError, text } = await call("get_page", args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });

  it("get_page lists the pages that share a title, and finds one by its space", async () => {
    await call("create_page", { space: "PEO", title: "Glossary of shop words", body: "x" });
    const { isError, text } = await call("get_page", { title: "glossary of shop words" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^ambiguous_title: 2 pages .*"Glossary of shop words" in PEO/u);
    expect(text).toContain('1015 "Glossary of shop words" in ENG');
    const { data } = await call("get_page", { title: "glossary of shop words", space: "PEO" });
    expect(data).toMatchObject({ space: { key: "PEO" }, body: "x" });
  });

  it("search takes blank arguments for none, and says what a date looks like", async () => {
    const blanks = { query: "", title: null, author: " ", created_after: "" };
    const { data, text } = await call("search_confluence", { ...blanks, space: "OPS", limit: 1 });
    expect(data).toMatchObject({ total: 12, results: [{ title: "Printers" }] });
    expect(text).toMatch(/^1 of 12 pages:/u);
    const wrong = await call("search_confluence", { updated_after: "last week" });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain('expected a date such as 2026-11-30, got "last week"');
  });

  it("search takes labels, all of which a page has, and none with spaces", async () => {
    const { data } = await call("search_confluence", { labels: ["Culture"] });
    expect(data).toMatchObject({
      total: 3,
      results: [
        { title: "The cake register" },
        { title: "How we run retrospectives" },
        { title: "Meeting rules" },
      ],
    });
    const both = await call("search_confluence", { labels: ["culture", "runbook"] });
    expect(both.data).toMatchObject({ total: 0 });
    const wrong = await call("search_confluence", { labels: ["two words"] });
    expect(wrong.text).toContain("a label has no spaces");
  });

  it("say what exists when an id is unknown", async () => {
    const { isError, text } = await call("get_page", { page_id: "99" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^page_not_found: .*"99".*1001 "Engineering Handbook"/u);
  });

  it("refuse a limit that is out of bounds", async () => {
    for (const limit of [0, 51, 1.5]) {
      const { isError, text } = await call("search_confluence", { query: "deploy", limit });
      expect(isError).toBe(true);
      expect(text).toContain("limit");
    }
  });
});

describe("a dry run", () => {
  it("[approve.card] of a new page shows what will be set and makes nothing", async () => {
    await call("list_spaces", {});
    const before = stored();
    const args = { space: "ENG", title: "Kiln", body: "hot", parent_id: "1001" };
    const dry = await call("create_page", { ...args, dry_run: true });
    expect(dry.data).toEqual({
      dry_run: true,
      before: null,
      after: {
        space: { key: "ENG", name: "Engineering Handbook" },
        title: "Kiln",
        body: "hot",
        parent: { id: "1001", title: "Engineering Handbook" },
      },
      page: null,
    });
    expect(stored()).toBe(before);
    const real = await call("create_page", args);
    expect(real.data).toMatchObject({
      dry_run: false,
      before: dry.data["before"],
      after: dry.data["after"],
      page: { title: "Kiln" },
    });
  });

  it("[approve.card] of an update shows the touched fields before and after and changes nothing", async () => {
    await call("list_spaces", {});
    const before = stored();
    const args = { page_id: "2007", title: "Printers and other demons", version: 27 };
    const dry = await call("update_page", { ...args, dry_run: true });
    expect(dry.data).toMatchObject({ dry_run: true, page: { title: "Printers" } });
    expect(dry.data["before"]).toEqual({ title: "Printers", version: 27 });
    expect(dry.data["after"]).toEqual({ title: "Printers and other demons", version: 28 });
    expect(stored()).toBe(before);
    const real = await call("update_page", args);
    expect(real.data).toMatchObject({ page: { title: "Printers and other demons" } });
  });

  it("[approve.card] of text that is added shows the whole text before and after", async () => {
    const { data } = await call("get_page", { page_id: "2007" });
    const body = String(data["body"]).trimEnd();
    const args = { page_id: "2007", append: "- Floor 2 takes recycled paper", version: 27 };
    const dry = await call("update_page", { ...args, dry_run: true });
    expect(dry.data["after"]).toEqual({ body: `${body}\n\n- Floor 2 takes recycled paper`, version: 28 });
    await call("update_page", args);
    const now = await call("get_page", { page_id: "2007" });
    expect(now.data["body"]).toBe(`${body}\n\n- Floor 2 takes recycled paper`);
  });

  it.each([
    [{ append: "x", body: "x" }, /^bad_change: .*got both/u],
    [{ append: "x", body: "x", passage: "x" }, /^bad_change: .*got all/u],
    [{ title: "x", under: "Day one" }, /^bad_change: under: expected append/u],
    [{ title: "x", replacement: "y" }, /^bad_change: replacement: expected passage/u],
    [{ passage: "no such words" }, /^text_not_found: passage/u],
    [{ append: "x", under: "no such heading" }, /^section_not_found: under/u],
  ])("refuses arguments that do not go together, or name nothing (%#)", async (change, message) => {
    for (const dry_run of [true, false]) {
      const { text } = await call("update_page", { page_id: "2007", version: 27, ...change, dry_run });
      expect(text).toMatch(message);
    }
  });

  it("[approve.card] of a deletion shows the page and deletes nothing", async () => {
    await call("list_spaces", {});
    const before = stored();
    const dry = await call("delete_page", { page_id: "2007", dry_run: true });
    expect(dry.data).toMatchObject({
      dry_run: true,
      before: { id: "2007", title: "Printers" },
      after: null,
    });
    expect(stored()).toBe(before);
    expect((await call("delete_page", { page_id: "2007" })).data).toMatchObject({ page: null });
    expect((await call("get_page", { page_id: "2007" })).isError).toBe(true);
  });

  it("reports a conflict as the change itself would", async () => {
    for (const dry_run of [true, false]) {
      const { isError, text } = await call("update_page", {
        page_id: "2007",
        body: "x",
        version: 3,
        dry_run,
      });
      expect(isError).toBe(true);
      expect(text).toMatch(/^version_conflict: .*at version 27 now.*version 3/u);
    }
  });

  it.each([{}, { title: "Printers" }])("says when an update would change nothing (%#)", async (change) => {
    const { isError, text } = await call("update_page", { page_id: "2007", version: 27, ...change });
    expect(isError).toBe(true);
    expect(text).toMatch(/^nothing_to_change/u);
  });
});

it("add_page_comment answers the comment and where it is", async () => {
  const { data } = await call("add_page_comment", { page_id: "2007", body: "Fixed it" });
  expect(data).toMatchObject({
    page_id: "2007",
    comment: { author: { id: "ana", name: "Ana Lindqvist" }, body: "Fixed it" },
    url: expect.stringContaining("/pages/2007") as string,
  });
});
