import type { InputBlock, KnownBlock, ModalView } from "@slack/types";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formErrors, readForm, renderForm } from "#adapters/slack/render/form.ts";
import type { StateValue, StateValues } from "#adapters/slack/render/form.ts";
import type { Form, FormField } from "#contract/form.ts";

import { slackHostile } from "./arbitrary.ts";
import { activePartsOf, ofType, problemsOf, textOf } from "./checks.ts";

const options = { callbackId: "cs:edit", metadata: '{"approval":"appr_1"}' };

function field(more: Partial<FormField> & Pick<FormField, "name">): FormField {
  return { label: more.name, kind: "text", required: false, value: "", ...more };
}

function inputs(modal: ModalView): InputBlock[] {
  return ofType(modal.blocks as KnownBlock[], "input");
}

function typed(element: InputBlock["element"]): string | null {
  const isText = element.type === "plain_text_input" || element.type === "number_input";
  return isText ? (element.initial_value ?? null) : null;
}

/** What Slack sends when the person changes nothing. */
function untouched(modal: ModalView): StateValues {
  return Object.fromEntries(
    inputs(modal).map(({ block_id: id = "", element }) => {
      const value: StateValue =
        element.type === "static_select"
          ? {
              type: element.type,
              selected_option:
                element.initial_option?.value === undefined ? null : { value: element.initial_option.value },
            }
          : { type: element.type, value: typed(element) };
      return [id, { [element.action_id ?? ""]: value }];
    }),
  );
}

function draw(fields: FormField[]): { form: Form; modal: ModalView } {
  const form = { title: "Change an issue", fields };
  const modal = renderForm(form, options);
  expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
  expect(activePartsOf(modal.blocks as KnownBlock[])).toEqual([]);
  return { form, modal };
}

describe("renderForm", () => {
  it("[slack.commands] gives each kind of field the input that fits it", () => {
    const { modal } = draw([
      field({ name: "summary", required: true, help: "One line" }),
      field({ name: "body", kind: "long_text" }),
      field({ name: "points", kind: "number", value: "2.5" }),
      field({ name: "count", kind: "integer", value: "3" }),
      field({ name: "urgent", kind: "boolean", value: "true" }),
      field({ name: "type", kind: "select", options: [{ value: "bug", label: "Bug" }], required: true }),
      field({ name: "labels", kind: "list", value: "a\nb" }),
      field({ name: "extra", kind: "json", value: '{"a":1}' }),
    ]);
    expect(
      inputs(modal).map(({ element, optional }) => [
        element.type,
        optional,
        "multiline" in element ? element.multiline : undefined,
      ]),
    ).toEqual([
      ["plain_text_input", false, false],
      ["plain_text_input", true, true],
      ["number_input", true, undefined],
      ["number_input", true, undefined],
      ["static_select", true, undefined],
      ["static_select", false, undefined],
      ["plain_text_input", true, true],
      ["plain_text_input", true, true],
    ]);
    expect(modal.private_metadata).toBe(options.metadata);
    expect(inputs(modal)[0]?.hint?.text).toBe("One line");
  });

  it("[slack.approve] gives back exactly what it was made from when nothing is changed", () => {
    const kind = fc.constantFrom(
      "text",
      "long_text",
      "number",
      "integer",
      "boolean",
      "select",
      "list",
      "json",
    );
    const value = fc.oneof(
      slackHostile,
      fc
        .tuple(slackHostile, fc.constantFrom(1, 300))
        .map(([text, times]) => `${text}x\n`.repeat(times).slice(0, -1)),
      fc.constantFrom("", "true", "12", "-3.5", "1e300", "one", "two"),
    );
    const arbitrary = fc.array(fc.record({ kind, value, required: fc.boolean() }), { maxLength: 8 });
    fc.assert(
      fc.property(arbitrary, (list) => {
        const { form, modal } = draw(
          list.map((item, index) =>
            field({
              name: `f${index}`,
              ...item,
              options: [
                { value: "one", label: "One" },
                { value: "two", label: "" },
              ],
            }),
          ),
        );
        for (const [name, text] of readForm(form, untouched(modal))) {
          expect(text).toBe(form.fields.find((item) => item.name === name)?.value);
        }
      }),
      { numRuns: 80 },
    );
  });

  it("[view.limits] lays a long text on several inputs and joins what comes back", () => {
    const value = Array.from({ length: 600 }, (_, index) => `line ${index}, with some words in it`).join(
      "\n",
    );
    const { form, modal } = draw([field({ name: "body", kind: "long_text", value })]);
    expect(inputs(modal).length).toBeGreaterThan(5);
    expect(inputs(modal)[1]?.label.text).toBe(`body (2 of ${inputs(modal).length})`);
    expect(readForm(form, untouched(modal)).get("body")).toBe(value);
  });

  it("[slack.commands] reads what a person chose and typed, and what they took back", () => {
    const { form, modal } = draw([
      field({
        name: "type",
        kind: "select",
        options: [
          { value: "bug", label: "Bug" },
          { value: "task", label: "Task" },
        ],
        value: "bug",
      }),
      field({ name: "urgent", kind: "boolean", value: "true" }),
      field({ name: "summary", value: "old" }),
    ]);
    const [type, urgent, summary] = inputs(modal).map((block) => block.block_id ?? "");
    const state: StateValues = {
      [type ?? ""]: { value: { type: "static_select", selected_option: { value: "1" } } },
      [urgent ?? ""]: { value: { type: "static_select", selected_option: { value: "none" } } },
      [summary ?? ""]: { value: { type: "plain_text_input", value: "new" } },
    };
    expect([...readForm(form, state)]).toEqual([
      ["type", "task"],
      ["urgent", ""],
      ["summary", "new"],
    ]);
  });

  it("[view.limits] groups many options, and names the fields it has no room for", () => {
    const many = Array.from({ length: 250 }, (_, index) => ({
      value: `v${index}`,
      label: `Option ${index}`,
    }));
    const { form, modal } = draw([
      field({ name: "who", kind: "select", options: many, value: "v200" }),
      ...Array.from({ length: 120 }, (_, index) => field({ name: `field ${index}` })),
      field({ name: "bytes", value: "a\u0000b" }),
    ]);
    expect(readForm(form, untouched(modal)).get("who")).toBe("v200");
    expect(textOf(ofType(modal.blocks as KnownBlock[], "context"))).toMatch(
      /arguments cannot be edited here.*field 119/,
    );
    expect(readForm(form, untouched(modal)).has("bytes")).toBe(false);
  });

  it("[slack.commands] puts faults at their inputs", () => {
    const { form, modal } = draw([
      field({ name: "a" }),
      field({ name: "b", value: "x\u0000" }),
      field({ name: "c" }),
    ]);
    const ids = inputs(modal).map((block) => block.block_id ?? "");
    expect(
      formErrors(form, [
        { name: "c", message: "Too short." },
        { name: "b", message: "Odd." },
      ]),
    ).toEqual({
      [ids[1] ?? ""]: "Too short.",
      [ids[0] ?? ""]: "b: Odd.",
    });
  });
});

describe("days and people in a form", () => {
  const form: Form = {
    title: "Create",
    fields: [
      field({ name: "due", kind: "date", value: "2026-12-24" }),
      field({ name: "start", kind: "date" }),
      field({ name: "assignee", kind: "person" }),
      field({ name: "reporter", kind: "person", value: "Somebody else" }),
    ],
  };
  const elements = (people: boolean): string[] => {
    const modal = renderForm(form, { ...options, people });
    expect(problemsOf(modal.blocks as KnownBlock[], "modal")).toEqual([]);
    return inputs(modal).map(({ element }) => element.type);
  };

  it("[slack.commands] picks a day, and a person where whoever reads it knows what they are called", () => {
    expect(elements(true)).toEqual(["datepicker", "datepicker", "users_select", "plain_text_input"]);
    expect(elements(false)).toEqual(["datepicker", "datepicker", "plain_text_input", "plain_text_input"]);
  });

  it("[slack.commands] reads what was picked, and what was left or cleared", () => {
    const state: StateValues = {
      "f0.0": { value: { type: "datepicker", selected_date: null } },
      "f1.0": { value: { type: "datepicker", selected_date: "2027-01-02" } },
      "f2.0": { value: { type: "users_select", selected_user: "U0ANA00000" } },
      "f3.0": { value: { type: "plain_text_input", value: "Somebody else" } },
    };
    expect([...readForm(form, state)]).toEqual([
      ["due", ""],
      ["start", "2027-01-02"],
      ["assignee", "U0ANA00000"],
      ["reporter", "Somebody else"],
    ]);
  });
});
