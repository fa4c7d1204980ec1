import { createHmac, randomBytes } from "node:crypto";

import type { ModelText } from "#contract/model.ts";

import { firstCharacters } from "./model-text.ts";

/**
 * Puts text from people, tools and documents into a prompt as data: between markers that nobody can
 * guess, every line quoted so that no line can be BEGIN, END, a command or a role marker, and without
 * control characters.
 */
export type Fence = (label: string, text: string) => ModelText;

/** A fence with a boundary of its own; make one for each prompt. */
export function createFence(boundary: string = randomBytes(6).toString("hex")): Fence {
  return (label, text) =>
    `<data ${label} ${boundary}>\n${quoteLines(text)}\n</data ${boundary}>` as ModelText;
}

/**
 * A boundary that stays the same from prompt to prompt, so that a model server can reuse what it has
 * evaluated. Nobody can guess it without `secret`; and whoever learned it could still begin no line.
 */
export function stableBoundary(secret: string, label: string): string {
  return createHmac("sha256", secret).update(label).digest("hex").slice(0, 12);
}

/** One line of data, for places that hold a single line, such as a tool's description. */
export function toSingleLine(text: string, limit: number): ModelText {
  // NEL is a line end for some readers, and no white space for \s.
  const line = neutralize(
    stripControls(text)
      .replaceAll(/[\s\u0085]+/g, " ")
      .trim(),
  );
  return (line.length <= limit ? line : `${firstCharacters(line, limit - 1)}…`) as ModelText;
}

function quoteLines(text: string): string {
  return stripControls(text)
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) => `| ${neutralize(line)}`)
    .join("\n");
}

/**
 * C0 and C1 controls but tab and line ends, and the invisible characters that hide or turn text. The
 * joiners stay: emoji and several scripts are written with them.
 */
const HIDDEN = new RegExp(
  String.raw`[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u034F\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]`,
  "gu",
);

function stripControls(text: string): string {
  return text.replaceAll(HIDDEN, "");
}

/** Names inside angle brackets that some model's template or tokenizer takes for a control token. */
const CONTROL_TOKEN =
  /<(\/?(?:start_of_turn|end_of_turn|start_of_image|end_of_image|start_header_id|end_header_id|eot_id|im_start|im_end|bos|eos|s|unk|pad|mask|eod|think|thinking|tool_call|tool_response|tool_calls|function|function_call|functions|system|user|assistant|human|instructions?|data|unused\d+|fim_\w+)\b[^<>\n]{0,80})>/gi;

/**
 * Makes words inert that mean something to a parser: tokens of chat templates (a model server may read
 * them as such anywhere in the text), and commands of our protocol, should the model copy the text.
 */
function neutralize(line: string): string {
  return line
    .replaceAll("<|", "‹|")
    .replaceAll("|>", "|›")
    .replaceAll("<<SYS>>", "‹‹SYS››")
    .replaceAll("<</SYS>>", "‹‹/SYS››")
    .replaceAll("<｜", "‹｜")
    .replaceAll("｜>", "｜›")
    .replaceAll(CONTROL_TOKEN, "‹$1›")
    .replaceAll(/\[(\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\]/gi, "($1)")
    .replaceAll(/\b(QUERY|TASK|ERROR)\s*\((?=\s*\{)/g, "$1·(")
    .replaceAll(/(\{\s*"commands")(?=\s*:)/g, "$1·")
    .replace(/^(\s*)(BEGIN|END)(\s*)$/, "$1“$2”$3");
}
