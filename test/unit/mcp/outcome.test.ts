import type { CallToolResult } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";

import { createOutputCheck, toOutcome } from "#src/mcp/call/outcome.ts";
import { toTool } from "#src/mcp/catalogue/catalogue.ts";

const warnings: string[] = [];
const log = {
  debug() {},
  info() {},
  error() {},
  warn: (_: object, message: string) => void warnings.push(message),
};
const check = createOutputCheck(log);
const plain = toTool("s", false, { name: "plain", inputSchema: { type: "object" } });

function outcome(result: CallToolResult): ReturnType<typeof toOutcome> {
  return toOutcome(plain, result, check);
}

function text(...texts: string[]): CallToolResult {
  return { content: texts.map((value) => ({ type: "text", text: value })) };
}

it.each([
  ["one two", "one two"],
  ['{"a": [1, 2]}', { a: [1, 2] }],
  [" [1, 2]\n", [1, 2]],
  ["{broken", "{broken"],
  ["42", "42"],
  ['"quoted"', '"quoted"'],
  ["null", "null"],
  ["", ""],
])("reads the text %j as data", (given, data) => {
  expect(outcome(text(given))).toMatchObject({ ok: true, data });
});

it("joins texts by lines and does not repeat them beside the data", () => {
  expect(outcome(text("one", "two"))).toEqual({ ok: true, data: "one\ntwo" });
  expect(outcome({ content: [] })).toEqual({ ok: true, data: "" });
});

it("prefers structured content, whatever JSON it is, and keeps the readable text", () => {
  expect(outcome({ ...text("ten"), structuredContent: { n: 10 } })).toEqual({
    ok: true,
    data: { n: 10 },
    text: "ten",
  });
});

it("describes images, audio and resources without their bytes", () => {
  const data = Buffer.alloc(3_000, 7).toString("base64");
  const { data: described } = outcome({
    content: [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data },
      { type: "audio", mimeType: "audio/wav", data },
      {
        type: "resource",
        resource: { uri: "file:///a.bin", mimeType: "application/octet-stream", blob: data },
      },
      { type: "resource", resource: { uri: "file:///a.txt", text: "hello" } },
      { type: "resource_link", uri: "https://wiki.example.com/1", name: "page", title: "The page" },
    ],
  });
  expect(described).toEqual({
    text: "look",
    attachments: [
      { type: "image", mime_type: "image/png", bytes: 3_000 },
      { type: "audio", mime_type: "audio/wav", bytes: 3_000 },
      { type: "resource", uri: "file:///a.bin", mime_type: "application/octet-stream", bytes: 3_000 },
      { type: "resource", uri: "file:///a.txt", mime_type: null, text: "hello" },
      { type: "resource_link", uri: "https://wiki.example.com/1", name: "The page", mime_type: null },
    ],
  });
});

it("gives an error without words some", () => {
  expect(outcome({ content: [], isError: true }).error).toEqual({
    code: "tool_error",
    sent: "yes",
    message: "s.plain reported an error without saying what.",
  });
});

it("takes 5 MB and not more", () => {
  expect(outcome(text("x".repeat(5 * 1024 * 1024 - 200))).ok).toBe(true);
  expect(outcome(text("x".repeat(5 * 1024 * 1024))).error?.code).toBe("too_large");
});

it("takes a result whose schema cannot be read, and warns once", () => {
  const odd = toTool("s", false, {
    name: "odd",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } },
  });
  const result = { content: [], structuredContent: { a: 1 } };
  expect([toOutcome(odd, result, check).ok, toOutcome(odd, result, check).ok]).toEqual([true, true]);
  expect(warnings).toEqual(["output schema does not compile; results go unchecked"]);
});

it("[mcp.patterns] holds structured content to a pattern that would take for ever", () => {
  const slow = toTool("s", false, {
    name: "slow",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } },
  });
  const answer = (x: string): CallToolResult => ({ content: [], structuredContent: { x } });
  expect(toOutcome(slow, answer("a".repeat(45)), check)).toMatchObject({ ok: true });
  expect(toOutcome(slow, answer(`${"a".repeat(45)}!`), check)).toMatchObject({
    ok: false,
    error: { code: "invalid_result", message: expect.stringContaining("data/x") },
  });
});

it("[mcp.patterns] says once what of a schema it leaves unchecked", () => {
  warnings.length = 0;
  const half = toTool("s", false, {
    name: "half",
    inputSchema: { type: "object" },
    outputSchema: {
      type: "object",
      properties: { x: { type: "string", pattern: "^(?=a)b" }, again: { $ref: "#/$defs/a" } },
      $defs: { a: { not: { $ref: "#/$defs/a" } } },
    },
  });
  for (let turn = 0; turn < 3; turn += 1)
    expect(toOutcome(half, { content: [], structuredContent: { x: "c", again: 1 } }, check)).toMatchObject({
      ok: true,
    });
  expect(warnings).toEqual([
    "parts of an output schema cannot be checked and are left out",
    "a result was not checked by its output schema",
  ]);
});

it("shows no answer that is nested so deeply that nothing could walk it, and keeps such a text as text", () => {
  const deep = "[".repeat(3_000) + "]".repeat(3_000);
  const structuredContent = { deep: JSON.parse(deep) as unknown };
  expect(outcome({ content: [], structuredContent })).toMatchObject({
    ok: false,
    error: { code: "too_large" },
  });
  expect(outcome(text(deep))).toEqual({ ok: true, data: deep });
});

it.each([
  [
    "service_down: the service at localhost:1 cannot be reached",
    "the service at localhost:1 cannot be reached",
  ],
  ["exists: there is a page already", "there is a page already"],
  ["Jira: nothing there", "Jira: nothing there"],
  ["note: nothing there", "note: nothing there"],
])("[card.statement] people read no code of a program: %s", (text, message) => {
  const { data, error } = outcome({ content: [{ type: "text", text }], isError: true });
  expect([data, error?.message]).toEqual([text, message]);
});
