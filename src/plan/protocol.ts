import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ParsedPlan, PlanFault, PlannedCommand } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { type ArgumentChecker, createArgumentChecker } from "./arguments.ts";

/** The built-in that says that enough is known. It is never sent anywhere, so it has no server. */
const FINAL_ANSWER = "final_answer";

/** Deeper JSON is refused before it is parsed, so nothing that walks a plan can run out of stack. */
const MAX_DEPTH = 64;

type Fault = { ok: false; fault: PlanFault };

interface RawCommand {
  word: "QUERY" | "TASK" | "ERROR";
  body: JsonObject;
  line: number;
}

/**
 * Reads the planner's protocol (contracts/protocol.md) out of any text. Never throws; the time is
 * linear in the length of the text. `checker` keeps compiled schemas between calls.
 */
export function parsePlan(
  text: string,
  catalogue: { find(name: string): Tool | undefined },
  checker: ArgumentChecker = createArgumentChecker(),
): ParsedPlan {
  const block = findBlock(text);
  if (!block.ok) return block;
  const raw = readCommands(text, block.start, block.end, block.line);
  if (!raw.ok) return raw;
  if (raw.commands.length === 0)
    return fault("empty_block", "expected one or more COMMAND(JSON) lines between BEGIN and END, got none");

  const commands: PlannedCommand[] = [];
  for (const command of raw.commands) {
    const checked = checkCommand(command, catalogue, checker);
    if (!checked.ok) return checked;
    commands.push(checked.command);
  }
  return checkTogether(commands);
}

/** The block that `parsePlan` reads back as the same commands. Values cannot leave their line. */
export function renderPlan(commands: readonly PlannedCommand[]): string {
  const lines = commands.map((command) =>
    command.command === "ERROR"
      ? `ERROR(${inlineJson({ message: command.message })})`
      : `${command.command}(${inlineJson({ tool: command.tool, args: command.args })})`,
  );
  return ["BEGIN", ...lines, "END"].join("\n");
}

export function isFinalAnswer(command: PlannedCommand): boolean {
  return command.command !== "ERROR" && command.tool === FINAL_ANSWER;
}

/** JSON.stringify escapes \n and \r; the two Unicode line ends are escaped for other readers. */
function inlineJson(value: JsonObject): string {
  return JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}

/**
 * No JSON text can hold BEGIN or END alone on a line (strings have no raw line ends), so the two
 * delimit a block wherever they stand and one pass over the lines finds it.
 */
function findBlock(text: string): { ok: true; start: number; end: number; line: number } | Fault {
  let open: { at: number; line: number } | undefined;
  let found: { start: number; end: number; line: number } | undefined;
  let line = 0;
  for (let at = 0; at <= text.length;) {
    line += 1;
    const newline = text.indexOf("\n", at);
    const next = newline === -1 ? text.length + 1 : newline + 1;
    const word = delimiterAt(text, at, next - 1);
    if (word === "BEGIN") {
      if (open && !found) return fault("bad_line", `line ${line}: expected END before another BEGIN`);
      open = { at: next, line: line + 1 };
    } else if (word === "END" && open) {
      if (found) return fault("second_block", `line ${line}: expected one block, got a second one`);
      found = { start: open.at, end: at, line: open.line };
      open = undefined;
    }
    at = next;
  }
  if (found) return { ok: true, ...found };
  if (open)
    return fault(
      "unclosed_block",
      "expected END alone on a line after the commands, got the end of the text",
    );
  return fault("no_block", "expected a block from BEGIN to END, each alone on its line, got none");
}

function delimiterAt(text: string, start: number, end: number): "BEGIN" | "END" | undefined {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  if (to - from === 5 && text.startsWith("BEGIN", from)) return "BEGIN";
  if (to - from === 3 && text.startsWith("END", from)) return "END";
  return undefined;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

function readCommands(
  text: string,
  start: number,
  end: number,
  firstLine: number,
): { ok: true; commands: RawCommand[] } | Fault {
  const commands: RawCommand[] = [];
  const opening = /([A-Za-z_]\w{0,63})[ \t]*\(\s*/y;
  const closing = /\s*\)[ \t\r]*(?:\n|$)/y;
  let at = start;
  let line = firstLine;
  for (;;) {
    for (; at < end && (isBlank(text.charCodeAt(at)) || text[at] === "\n"); at += 1)
      if (text[at] === "\n") line += 1;
    if (at >= end) return { ok: true, commands };

    opening.lastIndex = at;
    const word = opening.exec(text);
    if (!word || opening.lastIndex > end)
      return fault("bad_line", `line ${line}: expected COMMAND(JSON), got ${excerpt(text, at, end)}`);
    const name = word[1] ?? "";
    if (name !== "QUERY" && name !== "TASK" && name !== "ERROR")
      return fault("unknown_command", `line ${line}: expected QUERY, TASK or ERROR, got ${name}`);

    const span = scanJsonObject(text, opening.lastIndex, end, MAX_DEPTH);
    if (!span.ok)
      return fault("bad_json", `line ${line}: ${describeSpan(span.reason)} in ${excerpt(text, at, end)}`);
    const body = parseObject(text.slice(opening.lastIndex, span.end));
    if (typeof body === "string") return fault("bad_json", `line ${line}: ${body}`);

    closing.lastIndex = span.end;
    const close = closing.exec(text);
    if (!close || close.index + close[0].trimEnd().length > end)
      return fault(
        "bad_line",
        `line ${line}: expected ")" and the end of the line after the JSON, got ${excerpt(text, span.end, end)}`,
      );
    commands.push({ word: name, body, line });
    for (let i = at; i < closing.lastIndex; i += 1) if (text[i] === "\n") line += 1;
    at = closing.lastIndex;
  }
}

function describeSpan(reason: Extract<JsonSpan, { ok: false }>["reason"]): string {
  if (reason === "not_an_object") return "expected a JSON object between the parentheses, got something else";
  if (reason === "too_deep") return `expected at most ${MAX_DEPTH} levels of nesting, got more`;
  return "expected complete JSON before END, got an object that is never closed";
}

function parseObject(text: string): JsonObject | string {
  let value: JsonObject;
  try {
    value = JSON.parse(text) as JsonObject; // The scan has seen that it starts as an object.
  } catch (error) {
    return `expected valid JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  return hasPrototypeKey(value) ? 'expected plain keys, got "__proto__"' : value;
}

function hasPrototypeKey(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasPrototypeKey);
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

function checkCommand(
  { word, body, line }: RawCommand,
  catalogue: { find(name: string): Tool | undefined },
  checker: ArgumentChecker,
): { ok: true; command: PlannedCommand } | Fault {
  const wanted = word === "ERROR" ? ["message"] : ["tool", "args"];
  const shape = `line ${line}: expected ${word}({${wanted.map((key) => `"${key}": …`).join(", ")}})`;
  const extra = Object.keys(body).find((key) => !wanted.includes(key));
  if (extra !== undefined)
    return fault("bad_shape", `${shape}, got the key ${excerpt(extra, 0, extra.length)}`);
  if (word === "ERROR") {
    if (typeof body.message !== "string") return fault("bad_shape", `${shape} with a text as message`);
    return { ok: true, command: { command: "ERROR", message: body.message } };
  }

  const { tool: name, args } = body;
  if (typeof name !== "string") return fault("bad_shape", `${shape} with a text as tool`);
  if (!isObject(args)) return fault("bad_shape", `${shape} with an object as args`);
  if (name === FINAL_ANSWER || name === `builtin.${FINAL_ANSWER}`)
    return { ok: true, command: { command: "QUERY", tool: FINAL_ANSWER, args: {} } };

  const tool = catalogue.find(name);
  if (!tool)
    return fault(
      "unknown_tool",
      `line ${line}: expected a tool of the list, got ${excerpt(name, 0, name.length)}`,
    );
  const checked = checker.check(tool, args);
  if (checked.ok) return { ok: true, command: { command: word, tool: tool.id, args: checked.args } };
  const answer = fault("bad_args", `line ${line}: ${tool.id}: ${checked.message}`);
  // A version is read from the record once that is known, and nobody is asked for it.
  const fields = checked.fields.filter((name) => name !== "version" || checked.fields.length === 1);
  if (fields.length > 0) answer.fault.question = { tool: tool.id, args, fields };
  return answer;
}

function checkTogether(commands: PlannedCommand[]): ParsedPlan {
  if (commands.length > 1) {
    const alone = commands.find((command) => command.command !== "QUERY" || isFinalAnswer(command));
    if (alone) {
      const name = alone.command === "QUERY" ? FINAL_ANSWER : alone.command;
      return fault("mixed_block", `expected ${name} alone in its block, got ${commands.length} commands`);
    }
  }
  return { ok: true, commands };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function excerpt(text: string, start: number, end: number): string {
  const piece = text.slice(start, Math.min(end, start + 60));
  return JSON.stringify(end - start > 60 ? `${piece}…` : piece.trimEnd());
}

function fault(code: PlanFault["code"], message: string): Fault {
  return { ok: false, fault: { code, message } };
}

export type JsonSpan =
  | { ok: true; end: number }
  | { ok: false; reason: "not_an_object" | "too_deep" | "unclosed" };

/**
 * Where the JSON object that starts at `start` ends: one pass that counts brackets outside strings
 * and parses nothing. `end` in the answer is the offset after its last brace.
 */
export function scanJsonObject(text: string, start: number, limit: number, maxDepth: number): JsonSpan {
  if (text[start] !== "{" || start >= limit) return { ok: false, reason: "not_an_object" };
  let depth = 0;
  let inString = false;
  for (let at = start; at < limit; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > maxDepth) return { ok: false, reason: "too_deep" };
    } else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return { ok: true, end: at + 1 };
    }
  }
  return { ok: false, reason: "unclosed" };
}
