import type { PendingQuestion } from "#contract/plan.ts";
import type { ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { toolById } from "../base/tool-names.ts";
import type { CallRecord } from "./rows.ts";

/**
 * The form in which a person mends the arguments of a read that its tool refused; undefined where nothing was
 * refused, or something was found besides. It asks for what the tool's own words name, else for all that was sent.
 */
export function mendQuestion(
  calls: readonly CallRecord[],
  tools: Pick<ToolBox, "find">,
): PendingQuestion | undefined {
  const call = calls.at(-1);
  const error = call?.outcome?.error;
  const isRefused = error?.code === "tool_error" && call?.approvalId === undefined;
  const tool = call && isRefused ? toolById(tools, call.toolId) : undefined;
  if (call === undefined || error === undefined || tool === undefined || calls.some(wasAnswered))
    return undefined;
  const { properties } = tool.inputSchema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const said = error.message.toLowerCase();
  const words = new Set(said.split(/[^\p{L}\p{N}_]+/u));
  const isQuoted = (value: unknown): boolean =>
    typeof value === "string" && value.trim().length > 1 && said.includes(value.toLowerCase());
  const named = names.filter((name) => words.has(name.toLowerCase()) || isQuoted(call.args[name]));
  const sent = names.filter((name) => Object.hasOwn(call.args, name));
  const fields = named.length > 0 ? named : sent;
  return fields.length === 0 ? undefined : { tool: tool.id, args: call.args, fields };
}

function wasAnswered({ outcome }: CallRecord): boolean {
  return outcome?.ok === true;
}
