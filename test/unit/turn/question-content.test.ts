import { expect, it } from "vitest";

import { renderFormWindow } from "#adapters/discord/render/form.ts";
import { editBody } from "#adapters/http/api/bodies.ts";
import type { JsonObject } from "#contract/json.ts";
import { checkContent } from "#src/turn/questions.ts";
import { createForms } from "#views/forms/forms.ts";

const names = ["__proto__", "constructor", "hasOwnProperty"];
const schema: JsonObject = {
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
};
const answer = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));

it("[mcp.elicit] opens, fills in and answers fields that are called as an object's own parts are", () => {
  const forms = createForms();
  const tool = { id: "s.t", name: "t", inputSchema: schema };
  const form = forms.toForm(tool, {});
  expect(form.fields.map(({ name }) => name)).toEqual(names);
  const window = renderFormWindow(form, { page: 0, customId: "f", values: {} });
  expect(JSON.stringify(window)).not.toContain("native code");

  const reading = forms.fromForm(tool, {}, new Map(Object.entries(answer)));
  expect(reading).toMatchObject({ ok: true });
  const given = reading.ok ? reading.args : {};
  expect(Object.entries(given)).toEqual(Object.entries(answer));
  expect(Object.entries(checkContent(schema, given))).toEqual(Object.entries(answer));
});

it("[approve.edit] loses no argument of a body, whatever it is called", () => {
  const body: unknown = JSON.parse(JSON.stringify({ args: answer }));
  expect(Object.entries(editBody.parse(body).args)).toEqual(Object.entries(answer));
});

it("refuses half a character in an answer, and one that is nested too deeply", () => {
  const open: JsonObject = { type: "object", properties: { a: {} } };
  expect(() => checkContent(open, { a: "\uD800" })).toThrow("half of one (a lone surrogate)");
  const deep = JSON.parse("[".repeat(3_000) + "]".repeat(3_000)) as JsonObject[string];
  expect(() => checkContent(open, { a: deep })).toThrow("64 levels");
});
