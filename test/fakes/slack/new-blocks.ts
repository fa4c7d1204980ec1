import { isFields } from "./json.ts";
import type { Fields } from "./types.ts";

/** Blocks of 2026, which a workspace that has not got them yet refuses. */
export const NEW_BLOCKS: readonly string[] = [
  "alert",
  "card",
  "carousel",
  "container",
  "context_actions",
  "data_table",
  "data_visualization",
  "plan",
  "task_card",
];

/**
 * What a container may hold. The reference lists `file`, `input` and `rich_text` as well; the check that
 * Slack makes refuses them (see the remarks of slack-morphism), so the fake takes what both allow.
 */
const CHILDREN: ReadonlySet<string> = new Set([
  "actions",
  "context",
  "divider",
  "header",
  "image",
  "section",
  "table",
  "video",
]);

/** Of all tables of a message together: https://docs.slack.dev/reference/block-kit/blocks/data-table-block */
const MOST_IN_TABLES = 10_000;

/** What the reference says of one of the new blocks beside lengths and counts. */
export function newBlockProblems(block: Fields, pointer: string): string[] {
  switch (block.type) {
    case "card":
      return ["hero_image", "title", "actions", "body"].some((key) => block[key] !== undefined)
        ? []
        : [`a card has a hero_image, title, actions or body [json-pointer:${pointer}]`];
    case "container":
      return containerProblems(block, pointer);
    case "data_table":
      return dataTableProblems(block, pointer);
    case "data_visualization":
      return chartProblems(block, pointer);
    case "plan":
      return planProblems(block, pointer);
    case "task_card":
      return taskProblems(block, pointer);
    default:
      return [];
  }
}

function containerProblems(block: Fields, pointer: string): string[] {
  const problems: string[] = [];
  if (block.title === undefined && block.rich_text_title === undefined) {
    problems.push(`missing required field: title or rich_text_title [json-pointer:${pointer}]`);
  }
  if (block.default_collapsed === true && block.is_collapsible !== true) {
    problems.push(
      `default_collapsed needs is_collapsible to be true [json-pointer:${pointer}/default_collapsed]`,
    );
  }
  for (const [index, child] of listOf(block.child_blocks).entries()) {
    const type = isFields(child) ? String(child.type) : "";
    if (!CHILDREN.has(type)) {
      problems.push(`unsupported type: ${type} [json-pointer:${pointer}/child_blocks/${index}/type]`);
    }
  }
  return problems;
}

function dataTableProblems(block: Fields, pointer: string): string[] {
  const problems: string[] = [];
  const rows = listOf(block.rows).map(listOf);
  const [header = []] = rows;
  if (block.caption === "") {
    problems.push(`must be more than 0 characters [json-pointer:${pointer}/caption]`);
  }
  if (rows.some((row) => row.length !== header.length)) {
    problems.push(`all rows must have the same number of values [json-pointer:${pointer}/rows]`);
  }
  if (header.some((cell) => isFields(cell) && cell.type === "rich_text")) {
    problems.push(`rich_text is not allowed in the header [json-pointer:${pointer}/rows/0]`);
  }
  for (const [index, row] of rows.entries()) {
    if (row.some((cell) => textOf(cell).trim() === "")) {
      problems.push(`a cell must not be empty [json-pointer:${pointer}/rows/${index}]`);
    }
  }
  whole(block.page_size, [1, 100], `${pointer}/page_size`, problems);
  whole(
    block.row_header_column_index,
    [0, header.length - 1],
    `${pointer}/row_header_column_index`,
    problems,
  );
  return problems;
}

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
function chartProblems(block: Fields, pointer: string): string[] {
  const problems: string[] = [];
  const chart = isFields(block.chart) ? block.chart : {};
  const texts = (value: unknown, most: number, at: string): void => {
    if (typeof value !== "string" || value === "") problems.push(`must not be empty [json-pointer:${at}]`);
    else if (value.length > most)
      problems.push(`must be less than ${most + 1} characters [json-pointer:${at}]`);
  };
  const amount = (value: unknown, most: number, at: string): Fields[] => {
    const items = listOf(value);
    if (items.length === 0 || items.length > most)
      problems.push(`must have 1 to ${most} items [json-pointer:${at}]`);
    return items.filter(isFields);
  };
  const points = (items: readonly Fields[], at: string): void => {
    for (const { label, value } of items) {
      texts(label, 20, at);
      if (typeof value !== "number") problems.push(`value must be a number [json-pointer:${at}]`);
    }
  };
  texts(block.title, 50, `${pointer}/title`);
  const here = `${pointer}/chart`;
  if (chart.type === "pie") {
    const segments = amount(chart.segments, 6, `${here}/segments`);
    points(segments, `${here}/segments`);
    if (segments.some(({ value }) => Number(value) <= 0))
      problems.push(`must be greater than 0 [json-pointer:${here}/segments]`);
    return problems;
  }
  if (!["bar", "area", "line"].includes(String(chart.type)))
    return [...problems, `unsupported type: ${String(chart.type)} [json-pointer:${here}/type]`];
  const axis = isFields(chart.axis_config) ? chart.axis_config : {};
  const categories = listOf(axis.categories);
  if (categories.length === 0 || categories.length > 20)
    problems.push(`must have 1 to 20 items [json-pointer:${here}/axis_config/categories]`);
  for (const one of categories) texts(one, 20, `${here}/axis_config/categories`);
  const series = amount(chart.series, 6, `${here}/series`);
  if (new Set(series.map(({ name }) => name)).size < series.length)
    problems.push(`names of series must be unique [json-pointer:${here}/series]`);
  for (const [index, { name, data }] of series.entries()) {
    const at = `${here}/series/${index}`;
    texts(name, 20, `${at}/name`);
    const own = listOf(data).filter(isFields);
    points(own, `${at}/data`);
    if (JSON.stringify(own.map(({ label }) => label)) !== JSON.stringify(categories))
      problems.push(`labels must match the categories [json-pointer:${at}/data]`);
  }
  return problems;
}

function planProblems(block: Fields, pointer: string): string[] {
  const tasks = listOf(block.tasks);
  const ids = tasks.map((task) => (isFields(task) ? task.task_id : undefined));
  return [
    ...(block.title === "" ? [`must be more than 0 characters [json-pointer:${pointer}/title]`] : []),
    ...(new Set(ids).size < ids.length ? [`task_id is not unique [json-pointer:${pointer}/tasks]`] : []),
    ...tasks.flatMap((task, index) =>
      isFields(task) && task.type === "task_card"
        ? []
        : [`a task must be a task_card [json-pointer:${pointer}/tasks/${index}]`],
    ),
  ];
}

function taskProblems(task: Fields, pointer: string): string[] {
  const problems = ["task_id", "title"].flatMap((key) =>
    task[key] === "" ? [`must be more than 0 characters [json-pointer:${pointer}/${key}]`] : [],
  );
  // `completed` is a common mistake.
  if (!["pending", "in_progress", "complete", "error"].includes(String(task.status))) {
    problems.push(`must be one of the states of a task [json-pointer:${pointer}/status]`);
  }
  for (const key of ["details", "output"]) {
    const text = task[key];
    if (isFields(text) && listOf(text.elements).length !== 1) {
      problems.push(`must have exactly one element [json-pointer:${pointer}/${key}]`);
    }
  }
  return problems;
}

/** What the blocks of a message may not hold together. */
export function togetherProblems(blocks: readonly unknown[], at: string): string[] {
  const types = blocks.map((block) => (isFields(block) ? block.type : undefined));
  const tables = tablesIn(blocks);
  const chars = tables
    .flatMap(({ rows }) => listOf(rows).flatMap(listOf))
    .reduce((sum: number, cell) => sum + textOf(cell).length, 0);
  return [
    ...(types.includes("plan") && types.includes("task_card")
      ? [`plan and task_card cannot be in one message [json-pointer:${at}]`]
      : []),
    ...(types.filter((type) => type === "data_visualization").length > 2
      ? [`no more than 2 data_visualization blocks allowed [json-pointer:${at}]`]
      : []),
    ...(tables.length > 1 ? [`only_one_table_allowed [json-pointer:${at}]`] : []),
    ...(chars > MOST_IN_TABLES
      ? [`tables must be under ${MOST_IN_TABLES + 1} characters in all [json-pointer:${at}]`]
      : []),
  ];
}

/** Types of blocks that a workspace does not know, wherever they stand. */
export function unknownTypes(value: unknown, unknown: ReadonlySet<string>): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => unknownTypes(item, unknown));
  if (!isFields(value)) return [];
  const own = typeof value.type === "string" && unknown.has(value.type) ? [value.type] : [];
  return [...own, ...Object.values(value).flatMap((item) => unknownTypes(item, unknown))];
}

function tablesIn(blocks: readonly unknown[]): Fields[] {
  return blocks.flatMap((block): Fields[] => {
    if (!isFields(block)) return [];
    if (block.type === "container") return tablesIn(listOf(block.child_blocks));
    return block.type === "table" || block.type === "data_table" ? [block] : [];
  });
}

/** All that can be read in a cell. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (!isFields(value)) return "";
  return `${typeof value.text === "string" ? value.text : ""}${textOf(value.elements)}`;
}

function whole(
  value: unknown,
  [least, most]: readonly [number, number],
  pointer: string,
  problems: string[],
): void {
  if (value === undefined) return;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    problems.push(`must be a whole number from ${least} to ${most} [json-pointer:${pointer}]`);
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
