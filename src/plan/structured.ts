import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { PlannedCommand } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { jsonFault } from "../base/json.ts";
import { renderPlan, scanJsonObject } from "./protocol.ts";

/** A grammar of more branches than this costs more to build than it saves. */
const MAX_BRANCHES = 40;
const MAX_DEPTH = 4;
/** What a decision asks for at once. */
const MAX_COMMANDS = 8;
/** Letters of one text: a model that repeats itself ends there, and not at the limit of the whole answer. */
const MAX_TEXT = 500;
/** Of an answer, in brackets. */
const MAX_JSON_DEPTH = 64;

/**
 * The schema that constrains a decision: `{"commands": [{"command", "tool", "args"}]}`, where each tool
 * has its own arguments. What grammars cannot hold (patterns, formats, references) is left to the check
 * of the arguments afterwards.
 *
 * Whatever comes more than once is defined once, under a short name: Ollama makes a grammar of a schema whose rules are
 * named by their path, has room for four times the schema's length (at least 32 KiB), and answers 500 where the grammar
 * is longer.
 */
export function decisionSchema(tools: Tool[]): JsonSchema {
  const defs = new Map<string, JsonSchema>();
  const define: Define = (name, schema) => {
    defs.set(name, schema);
    return { $ref: `#/$defs/${name}` };
  };
  const branches =
    tools.length <= MAX_BRANCHES
      ? tools.map((tool, at) =>
          define(`t${at}`, callBranch({ const: tool.id }, toGrammar(tool.inputSchema, define), define)),
        )
      : [callBranch({ type: "string", enum: tools.map((tool) => tool.id) }, { type: "object" }, define)];
  return {
    type: "object",
    properties: {
      commands: {
        type: "array",
        minItems: 1,
        maxItems: MAX_COMMANDS,
        items: {
          anyOf: [
            ...branches,
            {
              type: "object",
              properties: {
                command: { const: "QUERY" },
                tool: { const: "final_answer" },
                args: { type: "object", properties: {}, additionalProperties: false },
              },
              required: ["command", "tool", "args"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { command: { const: "ERROR" }, message: boundedText(MAX_TEXT, define) },
              required: ["command", "message"],
              additionalProperties: false,
            },
          ],
        },
      },
    },
    required: ["commands"],
    additionalProperties: false,
    $defs: Object.fromEntries(defs),
  };
}

/** Keeps a schema under a name, and gives what refers to it. */
type Define = (name: string, schema: JsonSchema) => JsonSchema;

function callBranch(tool: JsonSchema, args: JsonSchema, define: Define): JsonSchema {
  return {
    type: "object",
    properties: { command: define("call", { type: "string", enum: ["QUERY", "TASK"] }), tool, args },
    required: ["command", "tool", "args"],
    additionalProperties: false,
  };
}

function boundedText(most: number, define: Define): JsonSchema {
  return define(`s${most}`, { type: "string", maxLength: most });
}

/**
 * The part of a tool's schema that every grammar understands. Nothing is required of the model: what
 * the request does not say is asked for, and must not be made up to satisfy a grammar.
 */
function toGrammar(schema: JsonSchema, define: Define, depth = 0): JsonSchema {
  const { type, properties, items, maxLength } = schema;
  if (Array.isArray(schema.enum) && schema.enum.length <= 50) return { enum: schema.enum };
  if (depth >= MAX_DEPTH) return {};
  if (isObject(properties)) {
    const inner = Object.entries(properties).map(([name, one]): [string, JsonSchema] => [
      name,
      isObject(one) ? toGrammar(one, define, depth + 1) : {},
    ]);
    return { type: "object", properties: Object.fromEntries(inner), additionalProperties: false };
  }
  if (type === "object")
    return depth === 0 ? { type, properties: {}, additionalProperties: false } : { type };
  if (type === "array") return { type, items: isObject(items) ? toGrammar(items, define, depth + 1) : {} };
  if (type === "string")
    return boundedText(typeof maxLength === "number" ? Math.min(MAX_TEXT, maxLength) : MAX_TEXT, define);
  return typeof type === "string" ? { type } : {};
}

/** Whether a value of a constrained answer ran into the bound of texts, so that its end may be missing. */
export function isBounded(value: JsonValue): boolean {
  if (typeof value === "string") return value.length >= MAX_TEXT;
  return typeof value === "object" && value !== null && Object.values(value).some(isBounded);
}

/** Commands in the form of `decisionSchema`. */
export function renderJson(commands: readonly PlannedCommand[]): string {
  return JSON.stringify({ commands });
}

/**
 * A constrained answer rendered to the protocol's block; the text itself when it is not of that form. A
 * server that does not hold its model to the schema lets it say more: like a block, the one object that
 * has the commands is found in it. So is `{"action": TOOL, "params": {…}}`, as prompts of an operator may ask for.
 */
export function renderStructured(text: string): string {
  const commands = toCommands(text) ?? toCommands(findCommands(text));
  return commands === undefined ? text : renderPlan(commands);
}

/**
 * The reads that stand whole at the beginning of an answer that was cut off, as the protocol's block: small models go on
 * listing until their limit, and what comes first is what was asked for. Undefined where none does; nothing that may
 * change something is taken from half an answer, whatever it says of itself.
 */
export function renderWholeReads(text: string, isRead: (tool: string) => boolean): string | undefined {
  const reads: PlannedCommand[] = [];
  let at = (/^\s*\{\s*"commands"\s*:\s*\[\s*/.exec(text)?.[0] ?? text).length;
  while (reads.length < MAX_COMMANDS) {
    const span = scanJsonObject(text, at, text.length, MAX_JSON_DEPTH);
    const [read] = (span.ok ? toCommands(`{"commands":[${text.slice(at, span.end)}]}`) : undefined) ?? [];
    if (!span.ok || read?.command !== "QUERY" || read.tool === "final_answer" || !isRead(read.tool)) break;
    // The same again brings nothing more.
    if (!reads.some((one) => JSON.stringify(one) === JSON.stringify(read))) reads.push(read);
    at = span.end + (/^\s*,\s*/.exec(text.slice(span.end))?.[0] ?? "").length;
  }
  return reads.length === 0 ? undefined : renderPlan(reads);
}

const OPENING = /\{\s*"(?:commands|action)"\s*:/g;

function findCommands(text: string): string {
  // A line of somebody's data that the model repeats is no answer of it.
  const own = text.replaceAll(/^[^\S\n\r\u2028\u2029]*\|.*$/gm, (line) => " ".repeat(line.length));
  const openings = [...own.matchAll(OPENING)];
  const start = openings[0]?.index ?? -1;
  if (start === -1 || /^[ \t]*BEGIN[ \t\r]*$/m.test(text)) return "";
  const span = scanJsonObject(own, start, own.length, MAX_JSON_DEPTH);
  return span.ok && openings.every(({ index }) => index < span.end) ? own.slice(start, span.end) : "";
}

function toCommands(text: string): PlannedCommand[] | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (jsonFault(value) !== undefined) return undefined;
  const list = isObject(value)
    ? (value.commands ?? (Object.hasOwn(value, "action") ? [value] : undefined))
    : undefined;
  if (!Array.isArray(list)) return undefined;
  const commands = list.map(toCommand);
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

function toCommand(value: JsonValue): PlannedCommand | undefined {
  if (!isObject(value)) return undefined;
  const { command, tool, args, message, action, params } = value;
  // The form of seed 004's own prompts: one action, which is a tool or the end.
  if (command === undefined && typeof action === "string")
    return { command: "QUERY", tool: action, args: params !== undefined && isObject(params) ? params : {} };
  if (command === "ERROR") return { command, message: typeof message === "string" ? message : "" };
  if ((command !== "QUERY" && command !== "TASK") || typeof tool !== "string") return undefined;
  return { command, tool, args: args !== undefined && isObject(args) ? args : {} };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
