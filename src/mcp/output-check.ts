import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";

import type { JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import type { McpLog } from "./options.ts";

/** Says what is wrong with the structured content of a tool, or nothing when it fits. */
export type CheckOutput = (tool: Tool, structured: JsonValue | undefined) => string | undefined;

/**
 * Compiles each output schema once. A schema that does not compile is logged and checks nothing:
 * the result is still worth having.
 */
export function createOutputCheck(log: McpLog): CheckOutput {
  const provider = new AjvJsonSchemaValidator();
  const compiled = new WeakMap<Tool, CheckOutput>();

  function compile(tool: Tool): CheckOutput {
    if (tool.outputSchema === undefined) return () => undefined;
    try {
      const validate = provider.getValidator(tool.outputSchema);
      return (_, structured) => {
        if (structured === undefined) return "structured content was expected and none came";
        const verdict = validate(structured);
        return verdict.valid ? undefined : verdict.errorMessage;
      };
    } catch (error) {
      log.warn(
        { tool: tool.id, error: messageOf(error) },
        "output schema does not compile; results go unchecked",
      );
      return () => undefined;
    }
  }

  return (tool, structured) => {
    let check = compiled.get(tool);
    if (check === undefined) {
      check = compile(tool);
      compiled.set(tool, check);
    }
    return check(tool, structured);
  };
}
