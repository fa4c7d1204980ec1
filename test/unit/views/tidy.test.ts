import { describe, expect, it } from "vitest";

import type { JsonValue } from "#contract/json.ts";

import { all, fieldsOf, show, textsOf } from "./help.ts";

const generic = (data: JsonValue): ReturnType<typeof show> => show("GenericView", data);
const api = "https://tracker.example/rest/api/3";
const person = (name: string): JsonValue => ({
  self: `${api}/user?id=${name}`,
  accountId: name,
  displayName: name,
  avatarUrls: { "16x16": "https://tracker.example/a.png" },
  active: true,
});
const status = (name: string): JsonValue => ({
  self: `${api}/status/3`,
  name,
  id: "3",
  statusCategory: { self: `${api}/statuscategory/2`, key: "new", name: "To Do" },
});
const document = (text: string): JsonValue => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }],
});

describe("GenericView on answers of REST APIs", () => {
  it("[view.fallback] shows a record without its envelope, its references by name, its documents as text", () => {
    const card = generic({
      key: "SHOP-1",
      self: `${api}/issue/1`,
      fields: {
        summary: "Printer on fire",
        status: status("In Progress"),
        assignee: person("Ben"),
        description: document("It smokes."),
        labels: ["hot"],
        comment: {
          total: 2,
          startAt: 0,
          comments: [
            { author: person("Ana"), body: document("Run!") },
            { author: person("Ben"), body: document("I did.") },
          ],
        },
      },
    });
    expect(card.title).toBe("Tool: SHOP-1 Printer on fire");
    expect(fieldsOf(card)).toEqual({
      Key: "SHOP-1",
      Summary: "Printer on fire",
      Status: "In Progress",
      Assignee: "Ben",
      Description: "It smokes.",
      Labels: "hot",
    });
    expect(all(card, "table")[0]).toMatchObject({
      columns: [{ label: "Author" }, { label: "Body" }],
      rows: [
        ["Ana", "Run!"],
        ["Ben", "I did."],
      ],
    });
    expect(JSON.stringify(card)).not.toContain("rest/api");
    expect(textsOf(card).at(-1)).toBe(
      "Left out here: details of 4 things shown by name, the formatting of 3 documents, 3 technical fields; see JSON.",
    );
  });

  it("[view.fallback] shows a list of records as a table with a column for each field", () => {
    const row = (key: string, who: string): JsonValue => ({
      key,
      self: `${api}/issue/${key}`,
      fields: { summary: `About ${key}`, status: status("To Do"), assignee: person(who) },
    });
    const card = generic({ issues: [row("SHOP-1", "Ana"), row("SHOP-2", "Ben")] });
    expect(all(card, "table")[0]).toEqual({
      type: "table",
      columns: [{ label: "Key" }, { label: "Summary" }, { label: "Status" }, { label: "Assignee" }],
      rows: [
        ["SHOP-1", "About SHOP-1", "To Do", "Ana"],
        ["SHOP-2", "About SHOP-2", "To Do", "Ben"],
      ],
    });
  });

  it("[view.fallback] names many empty fields in one line, and few of them as fields", () => {
    const empty = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`custom_${index}`, null]));
    const card = generic({ id: 1, name: "Thing", ...empty });
    expect(fieldsOf(card)).toEqual({ ID: 1, Name: "Thing" });
    expect(textsOf(card)).toContainEqual(
      expect.stringMatching(/^Left out here: 30 empty fields \(custom_0, custom_1/),
    );
    expect(fieldsOf(generic({ id: 1, name: "Thing", owner: null }))).toEqual({
      ID: 1,
      Name: "Thing",
      Owner: null,
    });
  });

  it.each<[string, JsonValue, string[]]>([
    ["a thing with rows of its own", { url: "https://a.example", name: "A", rows: [{ x: "one" }] }, ["one"]],
    ["a thing without an address", { name: "Ana", phone: "0123", room: "12" }, ["0123", "12"]],
    ["a link for people", { name: "report.pdf", url: "https://a.example/r" }, ["https://a.example/r"]],
    ["a page of which there is more", { items: [{ x: "one" }], total: 90 }, ["one", "90"]],
    ["a page from the middle", { items: [{ x: "one" }], startAt: 50, maxResults: 2 }, ["one", "50"]],
    ["a full page", { items: [{ x: "one" }], offset: 0, limit: 1 }, ["one"]],
    ["a page of a counted list", { items: [{ x: "one" }], offset: 0, limit: 2, count: 500 }, ["one", "500"]],
    ["a page that is not the last", { items: [{ x: "one" }], isLast: false }, ["one", "false"]],
    ["a list with a size of its own", { colours: ["red"], size: "XL" }, ["red", "XL"]],
    ["what sounds like an icon", { silicon: "pure", x: 1 }, ["pure"]],
    ["what may be expanded", { expand: "all", x: 1 }, ["all"]],
    ["fields beside which nothing is", { fields: { a: "one" } }, ["one"]],
    ["an icon that is a word", { icon: "star", x: 1 }, ["star"]],
    ["what is no document", { type: "doc", content: "words" }, ["words"]],
  ])("[view.fallback] keeps %s", (_, value, words) => {
    const shown = JSON.stringify(generic({ thing: value, other: "x" }));
    for (const word of words) expect(shown).toContain(word);
    expect(shown).not.toContain("Left out here");
  });
});
