import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { FixedArgument, Tool } from "#contract/tool.ts";

import { isObject } from "../../base/json.ts";

/**
 * The tool as planner, people and policy see it: without the arguments that the configuration fixes, and without
 * what says no more than that a change is meant (`confirm`). A change that only tries unless it is told otherwise
 * (`dry_run`) is told otherwise, where the call says nothing of it.
 */
export function fixArguments(tool: Tool, configured: JsonObject): Tool {
  const { properties, required } = tool.inputSchema;
  if (!isObject(properties)) return tool;
  const fixed: FixedArgument[] = Object.entries(configured)
    .filter(([name]) => Object.hasOwn(properties, name))
    .map(([name, value]) => ({ name, value, ...mirroredOf(properties[name]) }));
  const isSet = (name: string): boolean => fixed.some((one) => one.name === name);
  const isRead = tool.trusted && tool.annotations.readOnlyHint === true;
  if (!isRead && isSwitch(properties.confirm) && !isSet("confirm"))
    fixed.push({ name: "confirm", value: true });
  if (!isRead && isSwitch(properties.dry_run) && !isOff(properties.dry_run) && !isSet("dry_run"))
    fixed.push({ name: "dry_run", value: false, yields: true });
  if (fixed.length === 0) return tool;
  const hidden = new Set(fixed.flatMap(({ name, yields }) => (yields === true ? [] : [name])));
  const shown: JsonSchema = {
    ...tool.inputSchema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.has(name))),
    ...(Array.isArray(required) && {
      required: required.filter((name) => typeof name !== "string" || !isSet(name)),
    }),
  };
  return { ...tool, inputSchema: shown, fixed };
}

function isSwitch(schema: JsonValue | undefined): boolean {
  return isObject(schema) && schema.type === "boolean";
}

function isOff(schema: JsonValue | undefined): boolean {
  return isObject(schema) && schema.default === false;
}

function mirroredOf(schema: JsonValue | undefined): Pick<FixedArgument, "mirrored"> {
  return isObject(schema) && typeof schema["x-mcp-header"] === "string" ? { mirrored: schema } : {};
}
