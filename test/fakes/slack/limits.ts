import { isFields } from "./json.ts";
import { newBlockProblems, togetherProblems } from "./new-blocks.ts";
import type { Fields } from "./types.ts";

export type Surface = "message" | "modal" | "home";

/** Limits of one kind of object: the longest text at a path, the fewest and most items at a path. */
interface Rule {
  text?: Record<string, number>;
  items?: Record<string, readonly [least: number, most: number]>;
}

/** Slack's documented limits by the type of the block or element. Paths are dotted. */
const rules: Record<string, Rule> = {
  section: { text: { "text.text": 3000 }, items: { fields: [1, 10] } },
  header: { text: { "text.text": 150 } },
  actions: { items: { elements: [1, 25] } },
  context: { items: { elements: [1, 10] } },
  context_actions: { items: { elements: [1, 5] } },
  image: { text: { alt_text: 2000, "title.text": 2000, image_url: 3000 } },
  input: { text: { "label.text": 2000, "hint.text": 2000 } },
  markdown: { text: { text: 12_000 } },
  alert: { text: { "text.text": 200 } },
  card: { text: { "title.text": 150, "subtitle.text": 150, "body.text": 200 }, items: { actions: [1, 3] } },
  carousel: { items: { elements: [1, 10] } },
  container: { text: { "title.text": 150, "subtitle.text": 150 }, items: { child_blocks: [1, 10] } },
  table: { items: { rows: [1, 100], column_settings: [0, 20] } },
  data_table: { items: { rows: [2, 101] } },
  video: { text: { "title.text": 200, alt_text: 2000, "description.text": 200 } },
  button: { text: { "text.text": 75, value: 2000, url: 3000, accessibility_label: 75 } },
  workflow_button: { text: { "text.text": 75, accessibility_label: 75 } },
  icon_button: { text: { "text.text": 75, value: 2000, accessibility_label: 75 } },
  feedback_buttons: {
    text: {
      "positive_button.text.text": 75,
      "negative_button.text.text": 75,
      "positive_button.value": 2000,
      "negative_button.value": 2000,
    },
  },
  overflow: { items: { options: [1, 5] } },
  checkboxes: { items: { options: [1, 10] } },
  radio_buttons: { items: { options: [1, 10] } },
  static_select: { items: { options: [1, 100], option_groups: [1, 100] } },
  multi_static_select: { items: { options: [1, 100], option_groups: [1, 100] } },
  plain_text: { text: { text: 3000 } },
  mrkdwn: { text: { text: 3000 } },
};

/** Blocks and elements that only some surfaces take. */
const surfaces: Record<string, readonly Surface[]> = {
  alert: ["modal"],
  file_input: ["modal"],
  table: ["message"],
  data_table: ["message"],
  data_visualization: ["message"],
  container: ["message"],
  card: ["message"],
  carousel: ["message"],
  task_card: ["message"],
  plan: ["message"],
  markdown: ["message"],
  context_actions: ["message"],
};

/** Text that Slack refuses when it is empty. */
const neverEmpty = new Set(["plain_text", "mrkdwn", "raw_text", "raw_number"]);

/** Everything in the blocks that goes over a limit, as Slack words it, with a JSON pointer. */
export function limitProblems(blocks: readonly unknown[], surface: Surface, at = "/blocks"): string[] {
  const problems: string[] = [];
  const most = surface === "message" ? 50 : 100;
  if (blocks.length > most) problems.push(`no more than ${most} items allowed [json-pointer:${at}]`);
  if (blocks.length === 0 && surface === "modal") {
    problems.push(`no fewer than 1 items allowed [json-pointer:${at}]`);
  }
  const blockIds = new Set<string>();
  let markdown = 0;
  for (const [index, block] of blocks.entries()) {
    if (!isFields(block)) continue;
    const pointer = `${at}/${index}`;
    const id = block.block_id;
    if (typeof id === "string") {
      if (blockIds.has(id))
        problems.push(`block_id "${id}" is not unique [json-pointer:${pointer}/block_id]`);
      blockIds.add(id);
    }
    if (block.type === "markdown") markdown += String(block.text).length;
    walk(block, pointer, surface, problems);
    uniqueActions(block, pointer, problems);
  }
  if (markdown > 12_000)
    problems.push(`markdown blocks must be under 12001 characters in all [json-pointer:${at}]`);
  problems.push(...togetherProblems(blocks, at));
  return problems;
}

/** Keys whose strings people read. */
const READ: ReadonlySet<string> = new Set(["text", "title", "caption"]);

/** Characters of text in the blocks: what `msg_blocks_too_long` counts. */
export function blocksLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + blocksLength(item), 0);
  if (!isFields(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) =>
      sum + (READ.has(key) && typeof item === "string" ? item.length : blocksLength(item)),
    0,
  );
}

function walk(value: unknown, pointer: string, surface: Surface, problems: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, `${pointer}/${index}`, surface, problems);
    return;
  }
  if (!isFields(value)) return;
  const type = typeof value.type === "string" ? value.type : "";
  if (surfaces[type]?.includes(surface) === false) {
    problems.push(`${type} is not allowed in a ${surface} [json-pointer:${pointer}]`);
  }
  checkRule(value, rules[type] ?? {}, pointer, problems);
  checkShape(value, type, pointer, problems);
  problems.push(...newBlockProblems(value, pointer));
  for (const [key, item] of Object.entries(value)) walk(item, `${pointer}/${key}`, surface, problems);
}

function checkRule(
  value: Fields,
  { text = {}, items = {} }: Rule,
  pointer: string,
  problems: string[],
): void {
  for (const [path, most] of Object.entries(text)) {
    tooLong(at(value, path), most, `${pointer}/${path.replaceAll(".", "/")}`, problems);
  }
  for (const [path, [least, most]] of Object.entries(items)) {
    const list = at(value, path);
    if (!Array.isArray(list)) continue;
    if (list.length > most)
      problems.push(`no more than ${most} items allowed [json-pointer:${pointer}/${path}]`);
    if (list.length < least)
      problems.push(`no fewer than ${least} items allowed [json-pointer:${pointer}/${path}]`);
  }
}

/** What is not a plain length or count. */
function checkShape(value: Fields, type: string, pointer: string, problems: string[]): void {
  tooLong(value.action_id, 255, `${pointer}/action_id`, problems);
  tooLong(value.block_id, 255, `${pointer}/block_id`, problems);
  tooLong(at(value, "placeholder.text"), 150, `${pointer}/placeholder/text`, problems);
  if (neverEmpty.has(type) && value.text === "") {
    problems.push(`must be more than 0 characters [json-pointer:${pointer}/text]`);
  }
  if (isFields(value.confirm)) {
    const most = { "title.text": 100, "text.text": 300, "confirm.text": 30, "deny.text": 30 };
    checkRule(value.confirm, { text: most }, `${pointer}/confirm`, problems);
  }
  for (const list of ["options", "initial_options"] as const)
    options(value[list], `${pointer}/${list}`, problems);
  if (Array.isArray(value.option_groups)) {
    for (const [index, group] of value.option_groups.entries()) {
      const here = `${pointer}/option_groups/${index}`;
      tooLong(at(group, "label.text"), 75, `${here}/label/text`, problems);
      options(at(group, "options"), `${here}/options`, problems);
    }
  }
  if (type === "section") {
    if (value.text === undefined && value.fields === undefined) {
      problems.push(`missing required field: text or fields [json-pointer:${pointer}]`);
    }
    for (const [index, field] of (Array.isArray(value.fields) ? value.fields : []).entries()) {
      tooLong(at(field, "text"), 2000, `${pointer}/fields/${index}/text`, problems);
    }
  }
  if (type === "table" || type === "data_table") tableShape(value, pointer, problems);
}

function tableShape(value: Fields, pointer: string, problems: string[]): void {
  const rows = Array.isArray(value.rows) ? value.rows : [];
  for (const [index, row] of rows.entries()) {
    if (Array.isArray(row) && (row.length > 20 || row.length === 0)) {
      problems.push(`a row has 1 to 20 cells [json-pointer:${pointer}/rows/${index}]`);
    }
  }
}

function options(list: unknown, pointer: string, problems: string[]): void {
  for (const [index, option] of (Array.isArray(list) ? list : []).entries()) {
    const here = `${pointer}/${index}`;
    tooLong(at(option, "text.text"), 75, `${here}/text/text`, problems);
    tooLong(at(option, "description.text"), 75, `${here}/description/text`, problems);
    tooLong(at(option, "value"), 75, `${here}/value`, problems);
    tooLong(at(option, "url"), 3000, `${here}/url`, problems);
  }
}

function uniqueActions(block: Fields, pointer: string, problems: string[]): void {
  const seen = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isFields(value)) return;
    if (typeof value.action_id === "string") {
      if (seen.has(value.action_id)) {
        problems.push(`action_id "${value.action_id}" is not unique in its block [json-pointer:${pointer}]`);
      }
      seen.add(value.action_id);
    }
    Object.values(value).forEach(visit);
  };
  visit(block);
}

function tooLong(value: unknown, most: number, pointer: string, problems: string[]): void {
  if (typeof value === "string" && value.length > most) {
    problems.push(`must be less than ${most + 1} characters [json-pointer:${pointer}]`);
  }
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split(".")) found = isFields(found) ? found[key] : undefined;
  return found;
}
