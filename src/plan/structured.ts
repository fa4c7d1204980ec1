import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { PlannedCommand } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { renderPlan } from "./protocol.ts";

/** The schema that constrains a decision: `{"commands": [{"command", "tool", "args"}]}`. */
export function decisionSchema(tools: Tool[]): JsonSchema {
  return {
    type: "object",
    properties: {
      commands: {
        type: "array",
        minItems: 1,
        maxItems: 8,
        items: {
          type: "object",
          properties: {
            command: { type: "string", enum: ["QUERY", "TASK", "ERROR"] },
            tool: { type: "string", enum: [...tools.map((tool) => tool.id), "final_answer"] },
            args: { type: "object" },
            message: { type: "string" },
          },
          required: ["command"],
        },
      },
    },
    required: ["commands"],
  };
}

/** A constrained answer rendered to the protocol's block; the text itself when it is not of that form. */
export function renderStructured(text: string): string {
  const commands = toCommands(text);
  return commands === undefined ? text : renderPlan(commands);
}

function toCommands(text: string): PlannedCommand[] | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const list = isObject(value) ? value.commands : undefined;
  if (!Array.isArray(list)) return undefined;
  const commands = list.map(toCommand);
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

function toCommand(value: JsonValue): PlannedCommand | undefined {
  if (!isObject(value)) return undefined;
  const { command, tool, args, message } = value;
  if (command === "ERROR") return { command, message: typeof message === "string" ? message : "" };
  if ((command !== "QUERY" && command !== "TASK") || typeof tool !== "string") return undefined;
  return { command, tool, args: args !== undefined && isObject(args) ? args : {} };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
