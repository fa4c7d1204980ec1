import { describe, expect, it } from "vitest";

import { formPages, pageOfField, readFormWindow, renderFormWindow } from "#adapters/discord/render/form.ts";
import type { Form, FormField } from "#contract/form.ts";
import { checkModal } from "#test/fakes/discord/check/modal.ts";

function field(more: Partial<FormField> & Pick<FormField, "name">): FormField {
  return { label: more.name, kind: "text", required: false, value: "", ...more };
}

function form(...fields: FormField[]): Form {
  return { title: "Edit the call", fields };
}

function draw(
  given: Form,
  page: number,
  values: Record<string, string> = {},
): ReturnType<typeof renderFormWindow> {
  const window = renderFormWindow(given, {
    page,
    customId: "cs:form:1:0",
    values,
    note: "It needs approval.",
    warning: "It is from shop.",
  });
  // Whichever window they type in, and above what anybody else said.
  expect(window.components[0]).toMatchObject({ content: expect.stringMatching(/^It is from shop\./) });
  expect(checkModal(window).problems).toEqual([]);
  return window;
}

const many = form(...Array.from({ length: 11 }, (_, index) => field({ name: `field ${index}` })));

describe("a form", () => {
  it("[view.limits] of many fields takes as many windows as it needs, each valid, and loses none", () => {
    const pages = formPages(many);
    const windows = Array.from({ length: pages }, (_, page) => draw(many, page));
    const labels = windows.flatMap(({ components }) =>
      components.flatMap((component) => ("label" in component ? [component.label] : [])),
    );
    expect(labels).toEqual(many.fields.map(({ label }) => label));
    expect(windows[1]?.title).toBe(`Edit the call (2 of ${pages})`);
    expect(pageOfField(many, "field 10")).toBe(pages - 1);
  });

  it("keeps what was filled in before, and gives back what each kind of field holds", () => {
    const given = form(
      field({
        name: "size",
        kind: "select",
        value: "m",
        options: [
          { value: "s", label: "Small" },
          { value: "m", label: "Medium" },
        ],
      }),
      field({ name: "urgent", kind: "boolean" }),
      field({ name: "text", kind: "long_text", value: "one\ntwo" }),
    );
    expect(JSON.stringify(draw(given, 0, { text: "three" }))).toContain('"value":"three"');
    const read = readFormWindow(given, [
      { custom_id: "f0", values: ["0"] },
      { custom_id: "f1", values: [] },
      { custom_id: "f2", value: "four" },
    ]);
    expect([...read]).toEqual([
      ["size", "s"],
      ["urgent", ""],
      ["text", "four"],
    ]);
  });

  it("[view.limits] leaves out what Discord cannot hold, and says so", () => {
    const given = form(
      field({ name: "body", label: "Body", value: "x".repeat(4001) }),
      field({ name: "title" }),
    );
    const window = draw(given, 0);
    expect(JSON.stringify(window)).toContain("left as it is: Body");
    expect(readFormWindow(given, [{ custom_id: "f1", value: "new" }]).has("body")).toBe(false);
  });

  it("[view.limits] types what has more choices than a menu takes", () => {
    const options = Array.from({ length: 26 }, (_, index) => ({ value: `v${index}`, label: `V${index}` }));
    const given = form(field({ name: "pick", kind: "select", options, value: "v3" }));
    expect(JSON.stringify(draw(given, 0))).toContain('"value":"v3"');
  });
});
