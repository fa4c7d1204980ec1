import { randomBytes } from "node:crypto";

import { blocksLength, limitProblems } from "../limits.ts";
import type { Surface } from "../limits.ts";
import { isFields } from "../json.ts";
import type { Structure } from "../structure.ts";
import { SlackError } from "../types.ts";
import type { Block, Content, Fields } from "../types.ts";
import { invalidArguments, nestedList, text } from "./arguments.ts";

/** Text beyond this is cut off. */
const MOST_TEXT = 40_000;
/** An edit is refused beyond this. */
const MOST_EDITED_TEXT = 4000;
const MOST_MARKDOWN = 12_000;
/** Undocumented; seen between 12,000 and 13,000. */
const MOST_IN_BLOCKS = 13_000;

/** What the app asks to be shown, checked as Slack does. Throws the refusal. */
export function messageContent(structure: Structure, args: Fields, edit = false): Content {
  const markdown = text(args, "markdown_text");
  const plain = text(args, "text");
  const blocks = nestedList(args, "blocks", "invalid_blocks_format");
  const attachments = nestedList(args, "attachments", "invalid_attachments");
  if (markdown !== undefined) {
    if (plain !== undefined || blocks !== undefined) throw new SlackError("markdown_text_conflict");
    if (markdown.length > MOST_MARKDOWN) throw new SlackError("msg_too_long");
    return { text: markdown, blocks: withIds([{ type: "markdown", text: markdown }]) };
  }
  if (plain === undefined && !blocks?.length && !attachments?.length) throw new SlackError("no_text");
  if (edit && (plain?.length ?? 0) > MOST_EDITED_TEXT) throw new SlackError("msg_too_long");
  if ((attachments?.length ?? 0) > 100) throw new SlackError("too_many_attachments");
  return {
    text: (plain ?? "").slice(0, MOST_TEXT),
    ...(blocks === undefined ? {} : { blocks: checkBlocks(structure, blocks, "message") }),
    ...(attachments === undefined ? {} : { attachments: checkAttachments(structure, attachments) }),
  };
}

/** Throws what Slack answers to blocks it cannot take; otherwise gives them ids where they have none. */
export function checkBlocks(structure: Structure, blocks: readonly unknown[], surface: Surface): Block[] {
  const problems = [
    ...blocks.flatMap((block, index) => structure.block(block, `/blocks/${index}`)),
    ...limitProblems(blocks, surface),
  ];
  if (problems.length > 0) throw refusal(problems, surface);
  if (surface === "message" && blocksLength(blocks) > MOST_IN_BLOCKS)
    throw new SlackError("msg_blocks_too_long");
  return withIds(blocks as Block[]);
}

function refusal(problems: string[], surface: Surface): SlackError {
  if (surface !== "message") return invalidArguments(...problems);
  return new SlackError("invalid_blocks", {
    errors: problems,
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });
}

function checkAttachments(structure: Structure, attachments: readonly unknown[]): Fields[] {
  const problems = attachments.flatMap((attachment, index) => {
    const pointer = `/attachments/${index}`;
    const blocks = isFields(attachment) && Array.isArray(attachment.blocks) ? attachment.blocks : [];
    return [
      ...structure.attachment(attachment, pointer),
      ...blocks.flatMap((block, n) => structure.block(block, `${pointer}/blocks/${n}`)),
      ...limitProblems(blocks, "message", `${pointer}/blocks`),
    ];
  });
  if (problems.length > 0) {
    throw new SlackError("invalid_attachments", { response_metadata: { messages: problems } });
  }
  return attachments as Fields[];
}

/** A title, button or data that every view may have: https://docs.slack.dev/reference/views */
export function checkView(
  structure: Structure,
  view: unknown,
  type: "modal" | "home",
): Fields & { blocks: Block[] } {
  if (!isFields(view)) throw invalidArguments("view must be an object [json-pointer:/view]");
  const problems: string[] = [];
  if (view.type !== type) problems.push(`must be "${type}" [json-pointer:/view/type]`);
  const modal = ["title", "submit", "close", "clear_on_close", "notify_on_close"];
  const allowed = ["type", "blocks", "private_metadata", "callback_id", "external_id"];
  if (type === "modal") allowed.push(...modal, "submit_disabled");
  for (const key of Object.keys(view)) {
    if (!allowed.includes(key)) problems.push(`no more fields allowed: ${key} [json-pointer:/view]`);
  }
  for (const [key, most] of [
    ["private_metadata", 3000],
    ["callback_id", 255],
    ["external_id", 255],
  ] as const) {
    const value = view[key];
    if (value !== undefined && (typeof value !== "string" || value.length > most)) {
      problems.push(`must be less than ${most + 1} characters [json-pointer:/view/${key}]`);
    }
  }
  const blocks = Array.isArray(view.blocks) ? view.blocks : undefined;
  if (blocks === undefined) problems.push("missing required field: blocks [json-pointer:/view]");
  if (type === "modal") problems.push(...modalProblems(view, blocks ?? []));
  if (problems.length > 0) throw invalidArguments(...problems);
  return { ...view, blocks: checkBlocks(structure, blocks ?? [], type) };
}

function modalProblems(view: Fields, blocks: readonly unknown[]): string[] {
  const problems: string[] = [];
  for (const key of ["title", "submit", "close"]) {
    const words = view[key];
    if (words === undefined && key !== "title") continue;
    if (
      !isFields(words) ||
      words.type !== "plain_text" ||
      typeof words.text !== "string" ||
      words.text === ""
    ) {
      problems.push(`must be a plain_text object with text [json-pointer:/view/${key}]`);
    } else if (words.text.length > 24) {
      problems.push(`must be less than 25 characters [json-pointer:/view/${key}/text]`);
    }
  }
  if (view.submit === undefined && blocks.some((block) => isFields(block) && block.type === "input")) {
    problems.push("submit is required when an input block is within blocks [json-pointer:/view/submit]");
  }
  return problems;
}

/** Slack names every block and every element a person can act on. */
export function withIds(blocks: readonly Block[]): Block[] {
  const named = structuredClone(blocks) as Block[];
  for (const block of named) {
    block.block_id ??= shortId();
    const { child_blocks: children } = block;
    if (Array.isArray(children)) block.child_blocks = withIds(children as Block[]);
    nameActions(block);
  }
  return named;
}

const interactive =
  /^(button|overflow|checkboxes|radio_buttons|feedback_buttons|icon_button|workflow_button|.*select|.*picker|.*_input)$/;

function nameActions(value: unknown): void {
  if (Array.isArray(value)) value.forEach(nameActions);
  if (!isFields(value)) return;
  if (typeof value.type === "string" && interactive.test(value.type)) value.action_id ??= shortId();
  Object.values(value).forEach(nameActions);
}

function shortId(): string {
  return randomBytes(4).toString("base64url").slice(0, 5);
}
