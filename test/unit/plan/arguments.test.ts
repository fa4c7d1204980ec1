import { describe, expect, it } from "vitest";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type CheckedArguments, createArgumentChecker } from "#src/plan/arguments.ts";

import { makeTool, objectSchema } from "./tools.ts";

const checker = createArgumentChecker();
const check = (inputSchema: JsonSchema, args: JsonObject): CheckedArguments =>
  checker.check(makeTool("t", { name: "tool", inputSchema }), args);

const schema = objectSchema(
  {
    key: { type: "string", pattern: "^[A-Z]+-\\d+$" },
    limit: { type: "integer", default: 20 },
    day: { type: "string", format: "date" },
    fields: objectSchema({ priority: { type: "string" } }, ["priority"]),
    dry_run: { type: "boolean" },
  },
  ["key"],
);

describe("argument checker", () => {
  it("[plan.missing-args] passes what fits, without adding defaults", () => {
    expect(check(schema, { key: "A-1" })).toEqual({ ok: true, args: { key: "A-1" } });
  });

  it("[mcp.patterns] holds to a pattern that would take for ever, and to a reference to the whole schema", () => {
    const slow = objectSchema({ x: { type: "string", pattern: "^(a+)+$" }, more: { $ref: "#" } });
    expect(check(slow, { x: "a".repeat(45) })).toMatchObject({ ok: true });
    expect(check(slow, { x: `${"a".repeat(45)}!` })).toMatchObject({ ok: false, fields: ["x"] });
    expect(check(slow, { more: { more: { x: 1.5, y: 1 } } })).toMatchObject({ ok: false, fields: ["more"] });
  });

  it("[mcp.patterns] holds what cannot be checked to the required fields alone", () => {
    const endless = {
      ...objectSchema({ x: { $ref: "#/$defs/a" } }, ["y"]),
      $defs: { a: { not: { $ref: "#/$defs/a" } } },
    };
    expect(check(endless, { x: 1, y: 1 })).toMatchObject({ ok: true });
    expect(check(endless, { x: 1 })).toMatchObject({ ok: false, fields: ["y"] });
  });

  it("refuses half a character, which would be sent as U+FFFD and covered by a grant for that", () => {
    expect(check(objectSchema({ x: { type: "string" } }), { x: "a\uD800" })).toMatchObject({
      ok: false,
      fields: ["x"],
      message: expect.stringContaining("half of one (a lone surrogate)"),
    });
  });

  it("refuses what is nested too deeply", () => {
    const deep = JSON.parse("[".repeat(3_000) + "]".repeat(3_000)) as JsonObject[string];
    expect(check({ type: "object" }, { x: deep })).toMatchObject({ ok: false, fields: ["x"] });
  });

  it("[plan.missing-args] names missing and ill-typed arguments, nested ones by their top-level name", () => {
    expect(check(schema, { limit: "few", day: "tomorrow", fields: {} })).toMatchObject({
      ok: false,
      fields: ["key", "limit", "day", "fields"],
    });
  });

  it("[plan.missing-args] refuses arguments that the tool does not have, and asks nobody for them", () => {
    const checked = check(schema, { key: "A-1", force: true });
    expect(checked).toMatchObject({ ok: false, fields: [], message: expect.stringContaining("force") });
  });

  it.each<[JsonSchema, JsonObject[string], JsonObject[string]]>([
    [{ type: "integer" }, "5", 5],
    [{ type: "number" }, "-2.5", -2.5],
    [{ type: "boolean" }, "true", true],
    [{ type: "string" }, 1001, "1001"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "7", 7],
  ])("[plan.missing-args] converts what loses nothing: %j takes %j as %j", (property, given, expected) => {
    const args = { value: given };
    expect(check(objectSchema({ value: property }), args)).toEqual({ ok: true, args: { value: expected } });
    expect(args).toEqual({ value: given });
  });

  it.each<[JsonSchema, JsonObject[string]]>([
    [{ type: "integer" }, "5.5"],
    [{ type: "integer" }, "05"],
    [{ type: "integer" }, ""],
    [{ type: "integer" }, "9007199254740993"],
    [{ type: "boolean" }, "yes"],
    [{ type: "string" }, true],
    [{ type: "array", items: { type: "string" } }, "a"],
  ])("[plan.missing-args] does not bend what would lose something: %j refuses %j", (property, given) => {
    expect(check(objectSchema({ value: property }), { value: given })).toMatchObject({
      ok: false,
      fields: ["value"],
    });
  });

  it("[plan.missing-args] leaves out a null for an optional argument, not for a required one", () => {
    expect(check(schema, { key: "A-1", limit: null })).toEqual({ ok: true, args: { key: "A-1" } });
    expect(check(schema, { key: null })).toMatchObject({ ok: false, fields: ["key"] });
  });

  it("[plan.missing-args] reads draft 7 schemas, and what cannot be compiled by its required list", () => {
    const draft7 = { ...schema, $schema: "http://json-schema.org/draft-07/schema#" };
    expect(check(draft7, { key: "nonsense" })).toMatchObject({ ok: false, fields: ["key"] });
    for (const broken of [
      { $ref: "https://example.com/none.json", required: ["a"] },
      { type: "wrong", required: ["a"] },
      { $async: true, required: ["a"] },
      { properties: { b: { pattern: "(" } }, required: ["a"] },
    ]) {
      expect(check(broken, { b: 1 })).toMatchObject({ ok: false, fields: ["a"] });
      expect(check(broken, { a: 1, b: 1 })).toMatchObject({ ok: true });
    }
  });

  it("[plan.missing-args] keeps tools with the same $id apart", () => {
    const first = { $id: "https://example.com/tool", ...objectSchema({ a: {} }, ["a"]) };
    const second = { $id: "https://example.com/tool", ...objectSchema({ b: {} }, ["b"]) };
    expect(check(first, { a: 1 })).toMatchObject({ ok: true });
    expect(check(second, { b: 1 })).toMatchObject({ ok: true });
  });
});
