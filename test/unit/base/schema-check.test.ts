import { RE2JS } from "re2js";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { JsonSchema, JsonValue } from "#contract/json.ts";
import { compileSchema, type SchemaResult } from "#src/base/schema-check.ts";

const check = (schema: JsonSchema, value: JsonValue): SchemaResult => compileSchema(schema).check(value);
const fits = { errors: [] };
const tooLong = { unchecked: "checking it takes too long" };

/** A schema whose every level asks for the next twice. */
function doubling(levels: number, last: JsonSchema): JsonSchema {
  const steps = Array.from({ length: levels }, (_, index): [string, JsonSchema] => {
    const next = { $ref: `#/$defs/s${index + 1}` };
    return [`s${index}`, { allOf: [next, next] }];
  });
  return { $ref: "#/$defs/s0", $defs: Object.fromEntries([...steps, [`s${levels}`, last]]) };
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = { x: value };
  return value;
}

describe("schemas of others", () => {
  it("[mcp.patterns] holds to a pattern whose matching would take for ever elsewhere", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    expect(check(schema, "a".repeat(45))).toEqual(fits);
    expect(check(schema, `${"a".repeat(45)}!`)).toMatchObject({ errors: [{ keyword: "pattern" }] });
    const two = { properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } } };
    expect(check(two, { a: "a", b: "b" })).toEqual(fits);
    expect(check(two, { a: "b", b: "b" })).toMatchObject({ errors: [{ instancePath: "/a" }] });
    const names = { type: "object", patternProperties: { "^(a+)+$": { type: "number" } } };
    expect(check(names, { [`${"a".repeat(45)}!`]: "x" })).toEqual(fits);
    expect(check(names, { aa: "x" })).toMatchObject({ errors: [{ keyword: "type" }] });
  });

  it("[mcp.patterns] leaves a pattern that cannot be run unchecked, says so, and checks the rest", () => {
    const { check: run, ignored } = compileSchema({
      type: "object",
      properties: { a: { type: "string", pattern: "(?=x)y", maxLength: 3 } },
      patternProperties: { "(?!x)": { type: "number" } },
      additionalProperties: false,
    });
    expect(ignored).toEqual(['the pattern "(?=x)y"', 'the pattern "(?!x)"']);
    expect(run({ a: "z", other: "text" })).toEqual(fits);
    expect(run({ a: "longer" })).toMatchObject({ errors: [{ keyword: "maxLength" }] });
  });

  it("[mcp.patterns] compiles each pattern once, and no more of them than take some milliseconds", () => {
    const compile = vi.spyOn(RE2JS, "compile");
    onTestFinished(() => compile.mockRestore());
    const properties = (pattern: (at: number) => string): JsonSchema => ({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 300 }, (_, at) => [`p${at}`, { pattern: pattern(at) }]),
      ),
    });
    expect(compileSchema(properties(() => "^a{1,300}$")).ignored).toEqual([]);
    expect(compile).toHaveBeenCalledTimes(1);
    const { ignored, check: run } = compileSchema(properties((at) => `^a{1,300}${at}$`));
    expect(ignored.length).toBeGreaterThan(250);
    expect(compile.mock.calls.length).toBeLessThan(20);
    expect(run({ p0: "b", p299: "b" })).toMatchObject({ errors: [{ instancePath: "/p0" }] });
  });

  it("[mcp.patterns] compiles no schema that takes long to compile", () => {
    const branches = (many: number): JsonSchema => ({
      allOf: Array.from({ length: many }, (_, at) => ({ properties: { [`k${at}`]: true } })),
      unevaluatedProperties: false,
    });
    expect(check(branches(300), { k1: 1, other: 2 })).toMatchObject({
      errors: [{ keyword: "unevaluatedProperties" }],
    });
    expect(() => compileSchema(branches(900))).toThrow("it has more than 400 subschemas");
  });

  it("checks what a member needs beside it, by the keywords of every dialect", () => {
    const own = { properties: { a: { type: "string" } } };
    const missing = (keyword: string): object => ({
      errors: [{ keyword, params: { missingProperty: "b" } }],
    });
    expect(check({ ...own, dependentRequired: { a: ["b"] } }, { a: "x" })).toMatchObject(
      missing("dependentRequired"),
    );
    const old = {
      $schema: "http://json-schema.org/draft-07/schema#",
      dependencies: { a: ["b"], c: { required: ["b"] } },
    };
    expect(check({ ...own, ...old }, { a: "x" })).toMatchObject(missing("dependencies"));
    expect(check({ ...own, ...old }, { c: "x" })).toMatchObject(missing("required"));
  });

  it("[mcp.patterns] gives up a check that references would double for ever", () => {
    expect(check(doubling(8, { type: "number" }), 1)).toEqual(fits);
    expect(check(doubling(40, { type: "number" }), 1)).toEqual(tooLong);
    const branches: JsonSchema = {
      anyOf: [
        { properties: { x: { $ref: "#" } }, required: ["y"] },
        { properties: { x: { $ref: "#" } }, required: ["z"] },
      ],
    };
    expect(check(branches, nested(40))).toEqual(tooLong);
    const circle = {
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } },
    };
    expect(check(circle, 1)).toHaveProperty("unchecked");
  });

  it("[mcp.patterns] finds equal items without comparing every pair", () => {
    const items = Array.from({ length: 20_000 }, (_, id) => ({ id }));
    const schema = { type: "array", uniqueItems: true };
    expect(check(schema, items)).toEqual(fits);
    expect(check(schema, [...items, { id: 7 }])).toMatchObject({ errors: [{ keyword: "uniqueItems" }] });
    expect(check({ ...schema, uniqueItems: false }, [1, 1])).toEqual(fits);
  });

  it("[mcp.patterns] gives up a check that compares too much", () => {
    const wide = { items: { enum: Array.from({ length: 9_000 }, (_, index) => ({ index })) } };
    expect(
      check(
        wide,
        Array.from({ length: 10_000 }, () => ({ index: -1 })),
      ),
    ).toEqual(tooLong);
    const patterns = { items: { pattern: "(?:a|b)*a(?:a|b){500}$" } };
    expect(
      check(
        patterns,
        Array.from({ length: 1_000 }, () => "ab".repeat(500)),
      ),
    ).toEqual(tooLong);
    const texts = { anyOf: Array.from({ length: 390 }, () => ({ type: "string", minLength: 1e9 })) };
    expect(check(texts, "a".repeat(1_000_000))).toEqual(tooLong);
  });

  it("[mcp.patterns] refuses a schema that is too deep, too large or refers to data", () => {
    let deep: JsonSchema = { type: "string" };
    for (let level = 0; level < 70; level += 1) deep = { not: deep };
    const many = Array.from({ length: 2_000 }, (_, index): [string, JsonSchema] => [
      `p${index}`,
      { type: "string" },
    ]);
    for (const schema of [
      deep,
      { properties: Object.fromEntries(many) },
      { enum: Array.from({ length: 30_000 }, (_, index) => index) },
      { $ref: "#/const/a", const: { a: { $ref: "#/const/a" } } },
      { $ref: "#/%63onst/a", const: { a: {} } },
      { $ref: "https://example.org/other" },
      { $async: true },
    ])
      expect(() => compileSchema(schema)).toThrow(expect.objectContaining({ code: "bad_schema" }));
  });

  it("checks formats, and only those of a length that they can have", () => {
    const schema = (format: string): JsonSchema => ({ type: "string", format });
    expect(check(schema("email"), "ana@example.org")).toEqual(fits);
    expect(check(schema("email"), "ana")).toMatchObject({ errors: [{ keyword: "format" }] });
    expect(check(schema("url"), "https://example.org/a")).toEqual(fits);
    expect(check(schema("url"), "::::")).toMatchObject({ errors: [{ keyword: "format" }] });
    expect(check(schema("uri"), `${":".repeat(2_000)}@`)).toMatchObject({ errors: [{ keyword: "format" }] });
    expect(check(schema("url"), ":".repeat(100_000))).toEqual(fits);
    expect(check({ type: "integer", format: "int32" }, 2 ** 40)).toMatchObject({
      errors: [{ keyword: "format" }],
    });
  });

  it("reads properties that are called as keywords are", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        enum: { type: "string" },
        const: { type: "object", properties: { default: { type: "number" } } },
        $ref: { type: "string" },
        pattern: { type: "string", pattern: "^x" },
      },
      required: ["enum"],
      additionalProperties: false,
    };
    expect(check(schema, { enum: "a", const: { default: 1 }, $ref: "y", pattern: "xy" })).toEqual(fits);
    expect(check(schema, { enum: 1, const: { default: "n" }, $ref: 2, pattern: "y", more: 1 })).toMatchObject(
      {
        errors: { length: 5 },
      },
    );
  });
});
