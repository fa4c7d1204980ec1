import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import { amount } from "#test/amount.ts";
import { anyCharacter } from "#test/any-character.ts";
import { parseDate } from "#views/text.ts";
import { createViews } from "#views/manager.ts";

import { cardSchema } from "./card-schema.ts";
import { input, textsOf } from "./help.ts";
import { issue, page, summary, wholePage } from "./samples.ts";

const VIEWS = [
  "JiraIssueView",
  "JiraSearchView",
  "JiraEpicView",
  "ConfluenceSearchView",
  "ConfluencePageView",
  "SqlQueryView",
  "SqlTablesView",
  "SqlTableView",
  "WebPageView",
  "WebSearchView",
  "EnsembleView",
  "ValidationView",
  "ArtifactView",
  "ChangeView",
  "GenericView",
];

const json: fc.Arbitrary<JsonValue> = fc
  .oneof(
    fc.jsonValue({ maxDepth: 5, stringUnit: anyCharacter }),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string().map((text) => JSON.stringify({ text })),
    fc.array(
      fc.dictionary(
        fc.constantFrom("id", "name", "url", "key", "title", "a_b", "__proto__", "constructor", ""),
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          fc.jsonValue(),
        ),
        { noNullPrototype: true },
      ),
    ),
  )
  .map((value) => value as JsonValue);

/** A well-formed result with one to three of its values, at any depth, replaced by something else. */
const damaged: fc.Arbitrary<JsonValue> = fc
  .record({
    source: fc.constantFrom<JsonObject>(
      issue,
      wholePage,
      { issues: [summary, summary], total: 2, next_cursor: null, jql: null },
      { epic: issue, children: [summary], progress: { todo: 0, in_progress: 1, done: 0, total: 1 } },
      { results: [page, page], total: 2, next_cursor: "c" },
      { columns: ["a", "b"], rows: [{ a: 1, b: "x" }], row_count: 1, truncated: true },
      { tables: [{ name: "a", kind: "table", columns: ["b"] }] },
      {
        table: "a",
        columns: [
          { name: "b", type: "", primary_key: true, references: null, nullable: false, default: null },
        ],
      },
      { url: "https://a.example/", title: "A", text: "*a*", next_start: 3 },
      { results: [{ title: "A", url: "https://a.example/", excerpt: "a", published: null }] },
      { dry_run: true, before: { a: 1 }, after: { a: 2 }, issue: summary },
      {
        ensemble: "p",
        status: "completed",
        results: {
          a: { response: "x", status: "success" },
          constructor: { response: "", status: "skipped" },
        },
        metadata: {
          agents_used: 2,
          duration_ms: 1,
          phases: [["a"], ["constructor"]],
          depends_on: { a: [], constructor: ["a"] },
          usage: { totals: { total_tokens: 0 } },
        },
      },
      {
        ensemble: "p",
        valid: true,
        details: {
          agent_count: 2,
          faults: [],
          phases: [["a"], ["__proto__"]],
          agents: [
            { name: "a", kind: "model", depends_on: [] },
            { name: "__proto__", kind: "script", depends_on: ["a"] },
          ],
        },
      },
    ),
    wounds: fc.array(fc.tuple(fc.nat(), json), { minLength: 0, maxLength: 3 }),
  })
  .map(({ source, wounds }) =>
    wounds.reduce<JsonValue>((value, [place, wound]) => hurt(value, place, wound), source),
  );

function hurt(value: JsonValue, place: number, wound: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return wound;
  const keys = Object.keys(value);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) return wound;
  const inner = hurt((value as JsonObject)[key] ?? null, Math.floor(place / (keys.length + 1)), wound);
  return Array.isArray(value)
    ? value.map((item, index) => (String(index) === key ? inner : item))
    : { ...value, [key]: inner };
}

describe("every view", () => {
  it("[view.fallback] makes a valid card of anything, and never throws", () => {
    for (const name of VIEWS) {
      const views = createViews({ tool: name }, () => {});
      fc.assert(
        fc.property(
          fc.oneof(json, damaged),
          json,
          fc.option(fc.string(), { nil: undefined }),
          (data, args, text) => {
            const { card } = views.result(
              input("tool", data, { args, ...(text === undefined ? {} : { text }) }),
            );
            cardSchema.parse(card);
          },
        ),
        { numRuns: amount(150, 50) },
      );
    }
  });

  it("[view.fallback] makes a valid card of any failure", () => {
    const views = createViews({}, () => {});
    fc.assert(
      fc.property(json, fc.string(), fc.string(), (args, code, message) => {
        cardSchema.parse(
          views.result(input("tool", null, { ok: false, args, error: { code, message } })).card,
        );
      }),
    );
  });

  it("[view.limits] keeps every value of a small result, or says that something is left out", () => {
    const views = createViews({}, () => {});
    fc.assert(
      fc.property(fc.oneof(json, damaged), (data) => {
        const texts = textsOf(views.result(input("tool", data)).card);
        const everything = texts.join("\n");
        const saysSo = /left out here|see JSON/i.test(everything);
        const missing = textsOf(data).filter(
          (value) => value.trim() !== "" && !saysSo && !isShown(value, everything),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: amount(500, 167) },
    );
  });
});

/** As itself, as a date, as part of a JSON text, or, where it is JSON text itself, value by value. */
function isShown(value: string, everything: string): boolean {
  if (everything.includes(value) || everything.includes(value.toWellFormed())) return true;
  if (everything.includes(JSON.stringify(value).slice(1, -1))) return true;
  const date = parseDate(value);
  if (date !== undefined && everything.includes(date)) return true;
  try {
    const parsed = JSON.parse(value) as unknown;
    return typeof parsed === "object" && textsOf(parsed).every((item) => isShown(item, everything));
  } catch {
    return false;
  }
}
