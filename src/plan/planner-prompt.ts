import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { Observation, PastTurn, PlanInput, ToolExample } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { createFence, type Fence, toSingleLine } from "./fence.ts";
import { fillTemplate } from "./prompts.ts";
import { renderPlan } from "./protocol.ts";
import { cutForModel } from "./size.ts";

const DESCRIPTION_CHARS = 240;
const MESSAGE_CHARS = 8_000;
const REPLY_CHARS = 600;

/** The prompt of the decision stage. `resultChars` bounds what is shown of tool results in all. */
export function buildPlannerPrompt(
  template: string,
  input: PlanInput,
  tools: Tool[],
  resultChars: number,
): string {
  const fence = createFence();
  return fillTemplate(template, {
    tools_section: tools.map(describeTool).join("\n"),
    examples_section:
      input.examples.length === 0 ? "(none)" : input.examples.map(describeExample).join("\n\n"),
    user_input: describeSituation(input, fence, resultChars),
  });
}

/** One tool on one line: id, arguments with their types (optional ones with a question mark), description. */
function describeTool(tool: Tool): string {
  const required = new Set(Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : []);
  const args = Object.entries(asObject(tool.inputSchema.properties)).map(
    ([name, schema]) =>
      `${toSingleLine(name, 60)}${required.has(name) ? "" : "?"}: ${describeType(asObject(schema))}`,
  );
  return `- ${tool.id}(${args.join(", ")}): ${toSingleLine(tool.description, DESCRIPTION_CHARS)}`;
}

function describeType(schema: JsonSchema): string {
  if (Array.isArray(schema.enum))
    return schema.enum
      .slice(0, 12)
      .map((value) => toSingleLine(JSON.stringify(value), 40))
      .join("|");
  if (schema.type === "array") return `${describeType(asObject(schema.items))}[]`;
  return typeof schema.type === "string" ? schema.type : "any";
}

function describeExample(example: ToolExample): string {
  const plan = renderPlan([{ command: "QUERY", tool: example.tool, args: example.args }]);
  return `Request: ${toSingleLine(example.message, 300)}\n${plan}`;
}

function describeSituation(input: PlanInput, fence: Fence, resultChars: number): string {
  const parts = [
    `Today is ${input.now.toISOString().slice(0, 10)}. The person who asks is ${toSingleLine(input.actorName, 60)}.`,
  ];
  if (input.history.length > 0) {
    parts.push("Earlier in this conversation:", fence("history", input.history.map(describePast).join("\n")));
  }
  parts.push("The request:", fence("request", cutForModel(input.message, MESSAGE_CHARS)));
  if (input.observations.length > 0) {
    const share = Math.floor(resultChars / input.observations.length);
    parts.push("Results so far:");
    for (const [index, observation] of input.observations.entries()) {
      parts.push(fence(`result ${index + 1}`, describeObservation(observation, share)));
    }
  }
  return parts.join("\n");
}

function describePast(turn: PastTurn): string {
  const calls = turn.calls.map((call) => `${call.tool} ${JSON.stringify(call.args)}`).join("; ");
  return [
    `asked: ${toSingleLine(turn.message, REPLY_CHARS)}`,
    ...(calls === "" ? [] : [`called: ${toSingleLine(calls, REPLY_CHARS)}`]),
    ...(turn.reply === "" ? [] : [`answered: ${toSingleLine(turn.reply, REPLY_CHARS)}`]),
  ].join("\n");
}

/** A result as the model may see it: its words and data cut to a size in all, or only its facts in privacy mode. */
export function describeObservation(observation: Observation, limit: number): string {
  const head = `${observation.tool} ${JSON.stringify(observation.args)}: ${observation.ok ? "succeeded" : "failed"}`;
  const { rows, error, fields } = observation.facts;
  const words = error === undefined ? "" : cutForModel(error, limit);
  const facts = [
    ...(rows === undefined ? [] : [`${rows} rows`]),
    ...(error === undefined ? [] : [`error: ${words}`]),
    ...(observation.data === undefined && fields !== undefined && fields.length > 0
      ? [`fields: ${fields.join(", ")}`]
      : []),
  ];
  const lines = [head, ...facts];
  const left = limit - words.length;
  const { data } = observation;
  // A tool that fails mostly says the same in its data as in its error.
  const isSaid =
    error !== undefined && typeof data === "string" && data.trim().startsWith(error.slice(0, 200));
  if (data !== undefined && data !== null && left > 0 && !isSaid) lines.push(cutForModel(data, left));
  return lines.join("\n");
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
