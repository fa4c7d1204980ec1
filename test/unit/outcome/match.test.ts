import { expect, it } from "vitest";

import { differences, matches } from "../../../bench/outcome/match.ts";

it.each([
  [" In  Progress ", "in progress", true],
  ["Text", { exact: "text" }, false],
  ["7", 7, false],
  [["b", "a"], ["a", "b"], true],
  [["b", "a"], { exact: ["a", "b"] }, false],
  [["a", "a"], ["a", "b"], false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  ["Rome, Italy", { any_of: ["Rome", "Rome, Italy"] }, true],
  ["Rome, Italy", { contains: "rome" }, true],
  ["Rome", { matches: "^r.m$" }, false],
  [null, { any: true }, true],
  [5, { optional: 6 }, false],
])("%j against %j: %s", (value, wanted, isSame) => {
  expect(matches(value, wanted)).toBe(isSame);
});

const schema = { properties: { limit: { default: 20 }, port: { type: "string" } } };

it.each([
  [{ limit: 20 }, {}, []],
  [{ limit: 5 }, {}, ["limit extra"]],
  [{}, { limit: 20, query: { optional: "x" } }, []],
  [{}, { query: "x" }, ["query missing"]],
  [{ port: "80" }, { port: 80 }, []],
  [{ fields: { a: 1, b: 2 } }, { fields: { a: 1, c: 3 } }, ["c missing", "b extra"]],
  [{ key: "A" }, { key: "B" }, ["key value"]],
])("%j, expected %j: %j", (sent, wanted, found) => {
  expect(differences(sent, wanted, schema).map(({ arg, kind }) => `${arg} ${kind}`)).toEqual(found);
});
