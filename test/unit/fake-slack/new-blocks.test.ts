import { describe, expect, it } from "vitest";

import { limitProblems, type Surface } from "#test/fakes/slack/limits.ts";
import { NEW_BLOCKS } from "#test/fakes/slack/new-blocks.ts";
import { createStructure, structureFor } from "#test/fakes/slack/structure.ts";

const structure = createStructure();

function problems(blocks: readonly object[], surface: Surface = "message"): string[] {
  return [
    ...blocks.flatMap((block, index) => structure.block(block, `/blocks/${index}`)),
    ...limitProblems(blocks, surface),
  ];
}

const plain = (text: string): object => ({ type: "plain_text", text });
const mrkdwn = (text: string): object => ({ type: "mrkdwn", text });
const many = <Item>(amount: number, item: Item): Item[] => Array.from({ length: amount }, () => item);
const section = { type: "section", text: plain("x") };
const rich = {
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "x" }] }],
};
const cell = (text: string): object => ({ type: "raw_text", text });
const container = (more: object): object => ({
  type: "container",
  title: plain("Assign DEMO-4?"),
  child_blocks: [section],
  ...more,
});
const table = (rows: object[][], more: object = {}): object => ({
  type: "data_table",
  caption: "Issues",
  rows,
  ...more,
});
const task = (id: string, status = "complete"): object => ({
  type: "task_card",
  task_id: id,
  title: "Read DEMO-1",
  status,
});
const button = (id: string): object => ({ type: "button", action_id: id, text: plain("x") });

describe("blocks of 2026", () => {
  it.each<[string, object[], Surface?]>([
    ["a container of ten blocks", [container({ child_blocks: many(10, section) })]],
    ["a data table of 100 rows", [table([[cell("Key")], ...many(100, [cell("DEMO-1")])], { page_size: 5 })]],
    ["a plan", [{ type: "plan", title: "Working", tasks: [task("1"), task("2", "in_progress")] }]],
    ["task cards", [task("1"), task("2", "pending")]],
    ["a card", [{ type: "card", title: mrkdwn("x"), actions: [button("a"), button("b"), button("c")] }]],
    ["a carousel", [{ type: "carousel", elements: many(10, { type: "card", body: mrkdwn("x") }) }]],
    ["an alert in a modal", [{ type: "alert", level: "warning", text: plain("x") }], "modal"],
  ])("takes %s", (_, blocks, surface) => expect(problems(blocks, surface)).toEqual([]));

  it.each<[string, object[], Surface?]>([
    ["a container of eleven blocks", [container({ child_blocks: many(11, section) })]],
    ["a container without blocks", [container({ child_blocks: [] })]],
    ["a container with a title of 151", [container({ title: plain("x".repeat(151)) })]],
    ["a container with a subtitle of 151", [container({ subtitle: plain("x".repeat(151)) })]],
    ["a container without a title", [{ type: "container", child_blocks: [section] }]],
    ["rich text in a container", [container({ child_blocks: [rich] })]],
    ["a data table in a container", [container({ child_blocks: [table([[cell("a")], [cell("b")]])] })]],
    ["a folded container that does not fold", [container({ default_collapsed: true })]],
    ["a container in a modal", [container({})], "modal"],
    ["a data table without rows", [table([[cell("Key")]])]],
    ["a data table of 101 rows", [table(many(102, [cell("x")]))]],
    ["a data table of 21 columns", [table(many(2, many(21, cell("x"))))]],
    ["a data table of 10,001 characters", [table(many(2, [cell("x".repeat(5001))]))]],
    ["a data table with an empty cell", [table([[cell("Key")], [cell("")]])]],
    ["a data table with rows of two lengths", [table([[cell("Key")], [cell("a"), cell("b")]])]],
    ["a data table without a caption", [table(many(2, [cell("x")]), { caption: "" })]],
    ["a data table with pages of 101", [table(many(2, [cell("x")]), { page_size: 101 })]],
    ["a data table with a rich head", [table([[rich], [cell("x")]])]],
    ["two tables", [table(many(2, [cell("x")])), { type: "table", rows: [[cell("x")]] }]],
    ["a plan beside a task card", [{ type: "plan", title: "Working" }, task("1")]],
    ["a plan with the same task twice", [{ type: "plan", title: "x", tasks: [task("1"), task("1")] }]],
    ["a completed task", [{ type: "plan", title: "x", tasks: [task("1", "completed")] }]],
    ["a task of two texts", [{ ...task("1"), output: { ...rich, elements: many(2, rich.elements[0]) } }]],
    ["an empty card", [{ type: "card" }]],
    ["a card of four buttons", [{ type: "card", actions: ["a", "b", "c", "d"].map(button) }]],
    ["a body of 201", [{ type: "card", body: mrkdwn("x".repeat(201)) }]],
    ["a carousel of eleven", [{ type: "carousel", elements: many(11, { type: "card", body: mrkdwn("x") }) }]],
    [
      "six context actions",
      [{ type: "context_actions", elements: ["a", "b", "c", "d", "e", "f"].map(icon) }],
    ],
    ["a chart without a title", [chart({ title: "" })]],
    ["a chart with a title of 51", [chart({ title: "x".repeat(51) })]],
    ["a label of 21", [bars(["x".repeat(21)], [1])]],
    ["a chart of 21 points", [bars(many(21, "x"), many(21, 1))]],
    ["a point that is not of a category", [bars(["a", "b"], [1])]],
    ["a pie of seven", [chart({ chart: { type: "pie", segments: many(7, { label: "x", value: 1 }) } })]],
    ["a slice of nothing", [chart({ chart: { type: "pie", segments: [{ label: "x", value: 0 }] } })]],
    ["a chart of no known kind", [chart({ chart: { type: "radar" } })]],
    ["three charts", many(3, chart({}))],
    ["a chart in a modal", [chart({})], "modal"],
    ["an alert in a message", [{ type: "alert", text: plain("x") }]],
    ["an alert of 201", [{ type: "alert", text: plain("x".repeat(201)) }], "modal"],
  ])("refuses %s", (_, blocks, surface) => expect(problems(blocks, surface)).not.toEqual([]));

  it("refuses all of them for a workspace that does not have them", () => {
    const old = structureFor(structure, new Set(NEW_BLOCKS));
    expect(old.block(container({}), "/blocks/0")).toEqual([
      "unsupported type: container [json-pointer:/blocks/0/type] (not in this workspace)",
    ]);
    expect(old.block(section, "/blocks/0")).toEqual([]);
  });
});

function chart(more: object): object {
  const pie = { type: "pie", segments: [{ label: "a", value: 1 }] };
  return { type: "data_visualization", title: "x", chart: pie, ...more };
}

function bars(categories: string[], values: number[]): object {
  const data = values.map((value, at) => ({ label: categories[at] ?? "", value }));
  const axis_config = { categories };
  return chart({ chart: { type: "bar", series: [{ name: "x", data }], axis_config } });
}

function icon(id: string): object {
  return { type: "icon_button", action_id: id, icon: "trash", text: plain("Undo") };
}
