import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Form, FormField, FormReading, FormTool } from "#contract/form.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import { createForms } from "#views/forms/forms.ts";

const forms = createForms();

function toolOf(properties: JsonObject, required: string[] = []): FormTool {
  return { id: "x.do", name: "do_it", inputSchema: { type: "object", properties, required } };
}

function valuesOf(form: Form): Map<string, string> {
  return new Map(form.fields.map((field) => [field.name, field.value]));
}

/** What comes back when these fields are changed and all others are not. */
function change(tool: FormTool, args: JsonObject, changed: Record<string, string>): FormReading {
  const values = valuesOf(forms.toForm(tool, args));
  for (const [name, text] of Object.entries(changed)) values.set(name, text);
  return forms.fromForm(tool, args, values);
}

function fieldOf(schema: JsonSchema, value?: JsonValue): FormField {
  const [field] = forms.toForm(toolOf({ it: schema }), value === undefined ? {} : { it: value }).fields;
  if (field === undefined) throw new Error("expected a field");
  return field;
}

function faultOf(schema: JsonSchema, text: string, value?: JsonValue): string | undefined {
  const reading = change(toolOf({ it: schema }), value === undefined ? {} : { it: value }, { it: text });
  return reading.ok ? undefined : reading.faults[0]?.message;
}

function readAs(schema: JsonSchema, text: string): JsonValue | undefined {
  const reading = change(toolOf({ it: schema }), {}, { it: text });
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.args["it"];
}

/** Schemas as servers write them, sensible and not. */
const anySchema = fc.oneof(
  fc.constantFrom<JsonSchema>(
    { type: "string" },
    { type: ["string", "null"] },
    { type: "string", description: "The text, in Markdown" },
    { type: "string", format: "date" },
    { type: "integer" },
    { type: "number" },
    { type: "boolean" },
    { enum: ["a", "b", ""] },
    { enum: [1, null, "1"] },
    { oneOf: [{ const: "a", title: "A" }] },
    { type: "array", items: { type: "string" } },
    { type: "array" },
    { type: "object", properties: { a: { type: "string" }, b: { type: "number" } } },
    { $ref: "#/properties/a" },
    { $ref: "#/nowhere" },
    {},
  ),
  fc
    .jsonValue()
    .map((value) => ({ type: value, enum: value, items: value, properties: value }) as JsonSchema),
);

const anyText = fc.string({
  unit: fc.constantFrom("a", " ", "\n", "\r", "\t", "\u0000", "\ud800", "[", "]", "-", "5"),
});

const anyValue = fc.oneof(
  anyText,
  fc.array(anyText),
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.record({ a: anyText, b: fc.integer() }, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>,
);

const anyName = fc.oneof(fc.constantFrom("a", "b", "a.b", "__proto__", "constructor", ""), fc.string());

function dictionary<Value extends JsonValue>(values: fc.Arbitrary<Value>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(anyName, values), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
}

it("[card.statement] says what is sent for a field that is left empty, unless that is nothing", () => {
  expect(fieldOf({ type: "integer", default: 20 }).help).toBe("Left empty: 20.");
  for (const nothing of ["", null, [], {}])
    expect(fieldOf({ type: "string", description: "What it is for", default: nothing }).help).toBe(
      "What it is for.",
    );
});

describe("a form from an input schema", () => {
  it("[approve.edit] gives back exactly the same arguments when no field is touched", () => {
    fc.assert(
      fc.property(dictionary(anySchema), dictionary(anyValue), (properties, args) => {
        const tool = toolOf(properties);
        const form = forms.toForm(tool, args);
        expect(new Set(form.fields.map(({ name }) => name)).size).toBe(form.fields.length);
        const reading = forms.fromForm(tool, args, valuesOf(form));
        expect(JSON.stringify(reading)).toBe(JSON.stringify({ ok: true, args }));
      }),
      { numRuns: 300 },
    );
  });

  it("[approve.edit] writes no value as empty, nor what an input would lose", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        for (const { name, value: text } of forms.toForm(toolOf({ it: schema }), { it: value }).fields) {
          if (name === "it") expect(text).not.toBe("");
          expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("[approve.edit] asks for each argument in the way that fits its type", () => {
    const kinds = (schema: JsonSchema, value?: JsonValue): string => fieldOf(schema, value).kind;
    expect(kinds({ type: "string" })).toBe("text");
    expect(kinds({ type: "string" }, "two\nlines")).toBe("long_text");
    expect(kinds({ type: "string", description: "In Markdown" })).toBe("long_text");
    expect(kinds({ type: ["integer", "null"] }, 5)).toBe("integer");
    expect(kinds({ anyOf: [{ type: "number" }, { type: "null" }] })).toBe("number");
    expect(kinds({ type: "boolean" }, false)).toBe("boolean");
    expect(kinds({ type: "array", items: { type: "string" } }, ["a", "b"])).toBe("list");
    expect(fieldOf({ enum: ["High", "Low"] }, "Low")).toMatchObject({
      kind: "select",
      value: "Low",
      options: [
        { value: "High", label: "High" },
        { value: "Low", label: "Low" },
      ],
    });
    expect(fieldOf({ oneOf: [{ const: 1, title: "One" }] }).options).toEqual([{ value: "1", label: "One" }]);
  });

  it("[approve.edit] falls back to JSON for what the kind cannot express", () => {
    const shown = (schema: JsonSchema, value: JsonValue): [string, string] => {
      const { kind, value: text } = fieldOf(schema, value);
      return [kind, text];
    };
    expect(shown({ type: "string" }, "")).toEqual(["json", '""']);
    expect(shown({ type: ["string", "null"] }, null)).toEqual(["json", "null"]);
    expect(shown({ type: "string" }, "a\r\u0000")).toEqual(["json", String.raw`"a\r\u0000"`]);
    expect(shown({ type: "integer" }, 1.5)).toEqual(["json", "1.5"]);
    expect(shown({ enum: ["a"] }, "b")).toEqual(["json", '"b"']);
    expect(shown({ type: "array", items: { type: "string" } }, [])).toEqual(["json", "[]"]);
    expect(shown({ type: "array", items: { type: "string" } }, ["a", ""])).toEqual([
      "json",
      '[\n  "a",\n  ""\n]',
    ]);
    expect(shown({ type: ["string", "number"] }, "5")).toEqual(["json", '"5"']);
  });

  it("[approve.edit] opens an object with known members, and names them by their path", () => {
    const fields: JsonSchema = {
      type: "object",
      properties: { priority: { type: "string" }, due: { type: "string", title: "Due date" } },
      required: ["due"],
    };
    const tool = toolOf({ issue_key: { type: "string" }, fields }, ["issue_key"]);
    const args = { issue_key: "DEMO-1", fields: { priority: "High", extra: [1] } };
    const form = forms.toForm(tool, args);
    expect(form.title).toBe("Do it");
    expect(form.fields.map(({ name, label, kind, required }) => [name, label, kind, required])).toEqual([
      ["issue_key", "Issue key", "text", true],
      ["fields.priority", "Fields: Priority", "text", false],
      ["fields.due", "Fields: Due date", "text", true],
      ["fields.extra", "Fields: Extra", "json", false],
    ]);
    expect(change(tool, args, { "fields.priority": "Low", "fields.due": "2026-12-01" })).toEqual({
      ok: true,
      args: { issue_key: "DEMO-1", fields: { priority: "Low", extra: [1], due: "2026-12-01" } },
    });
    const lone = { issue_key: "DEMO-1", fields: { priority: "High" } };
    const open = toolOf({ fields: { ...fields, required: [] } });
    expect(change(open, lone, { "fields.priority": "" })).toEqual({
      ok: true,
      args: { issue_key: "DEMO-1" },
    });
  });
});

describe("what comes back from a form", () => {
  it("[approve.edit] is read by the kind of its field", () => {
    expect(readAs({ type: "string" }, " 5 ")).toBe(" 5 ");
    expect(readAs({ type: "integer" }, " 5 ")).toBe(5);
    expect(readAs({ type: "number" }, "-2.50e3")).toBe(-2500);
    expect(readAs({ type: "boolean" }, "false")).toBe(false);
    expect(readAs({ enum: [1, "1"] }, '"1"')).toBe("1");
    expect(readAs({ type: "array", items: { type: "string" } }, "a\r\n\nb c\n")).toEqual(["a", "b c"]);
    expect(readAs({ type: "array", items: { type: "string" } }, "[]")).toEqual([]);
    expect(readAs({}, '{"__proto__": 1}')).toEqual(JSON.parse('{"__proto__": 1}'));
  });

  it("[approve.edit] leaves optional empty fields out and asks for required ones by name", () => {
    const tool = toolOf({ a: { type: "string" }, b: { type: "string" } }, ["a"]);
    expect(change(tool, { a: "x", b: "y" }, { b: "" })).toEqual({ ok: true, args: { a: "x" } });
    expect(change(tool, { a: "x", b: "y" }, { a: "" })).toEqual({
      ok: false,
      faults: [{ name: "a", message: "This is required." }],
    });
    expect(change(tool, {}, { b: "y" })).toMatchObject({ faults: [{ name: "a" }] });
  });

  it("[approve.edit] is refused with the reason rather than changed in silence", () => {
    expect(faultOf({ type: "integer" }, "5.0")).toContain('a whole number such as 5, got "5.0"');
    expect(faultOf({ type: "number" }, "five")).toContain('a number such as 5 or 2.5, got "five"');
    expect(faultOf({ type: "number" }, "1e999")).toContain("more digits than can be sent exactly");
    expect(faultOf({ type: "integer" }, "12345678901234567890")).toContain("more digits");
    expect(faultOf({}, "[12345678901234567890]")).toContain(
      "12345678901234567890: This number has more digits",
    );
    expect(faultOf({}, "{")).toContain("Expected JSON");
    expect(faultOf({ type: "boolean" }, "yes")).toContain('Expected true or false, got "yes"');
    expect(faultOf({ enum: ["a", "b"] }, "c")).toContain('Expected one of a, b, got "c"');
    expect(faultOf({ type: "number" }, "0.10")).toBeUndefined();
    expect(change(toolOf({}), {}, { gone: "x" })).toMatchObject({ ok: false, faults: [{ name: "gone" }] });
  });

  it("[approve.edit] keeps an argument whose field did not come back", () => {
    const tool = toolOf({ a: { type: "string" } }, ["a"]);
    expect(forms.fromForm(tool, { a: "x" }, new Map())).toEqual({ ok: true, args: { a: "x" } });
  });
});

describe("days and people", () => {
  const DAY: JsonSchema = { type: "string", format: "date" };

  it("[plan.missing-args] takes a day of the calendar, and nothing else for one", () => {
    expect(fieldOf(DAY).kind).toBe("date");
    expect(fieldOf(DAY, "2026-12-24")).toMatchObject({ kind: "date", value: "2026-12-24" });
    expect(readAs(DAY, " 2026-12-24 ")).toBe("2026-12-24");
    expect(fieldOf({ anyOf: [DAY, { type: "null" }] }).kind).toBe("date");
    for (const text of ["tomorrow", "2026-02-30", "24.12.2026", "2026-12-24T00:00:00Z"]) {
      expect(faultOf(DAY, text)).toContain("Expected a day such as 2026-12-24");
    }
    // What is there already and is no day stays as it is.
    expect(fieldOf(DAY, "next week")).toMatchObject({ kind: "text", value: "next week" });
  });

  it("[plan.missing-args] knows an argument that takes a person by its name", () => {
    const kindOf = (name: string, schema: JsonSchema = { type: "string" }): string | undefined =>
      forms.toForm(toolOf({ [name]: schema }), {}).fields[0]?.kind;
    expect(["assignee", "reporter", "page_owner"].map((name) => kindOf(name))).toEqual([
      "person",
      "person",
      "person",
    ]);
    expect(["assignee_id", "ownership", "summary"].map((name) => kindOf(name))).toEqual([
      "text",
      "text",
      "text",
    ]);
    expect(kindOf("assignee", { enum: ["ana", "ben"] })).toBe("select");
    expect(kindOf("assignee", { type: "string", format: "email" })).toBe("text");
    expect(change(toolOf({ assignee: { type: "string" } }), {}, { assignee: "Ana" })).toEqual({
      ok: true,
      args: { assignee: "Ana" },
    });
  });
});
