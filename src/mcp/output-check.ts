import type { ErrorObject } from "ajv";

import type { JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import { compileSchema } from "../base/schema-check.ts";
import type { McpLog } from "./options.ts";

/** Says what is wrong with the structured content of a tool, or nothing when it fits. */
export type CheckOutput = (tool: Tool, structured: JsonValue | undefined) => string | undefined;

/**
 * Compiles each output schema once. What a schema asks for and cannot be checked in bounded time is
 * logged, once, and left unchecked: the result is still worth having.
 */
export function createOutputCheck(log: McpLog): CheckOutput {
  const compiled = new WeakMap<Tool, CheckOutput>();

  function compile(tool: Tool): CheckOutput {
    if (tool.outputSchema === undefined) return () => undefined;
    try {
      const { check, ignored } = compileSchema(tool.outputSchema, { all: false });
      if (ignored.length > 0)
        log.warn({ tool: tool.id, ignored }, "parts of an output schema cannot be checked and are left out");
      let isTold = false;
      return (_, structured) => {
        if (structured === undefined) return "structured content was expected and none came";
        const verdict = check(structured);
        if ("errors" in verdict) return describe(verdict.errors);
        if (!isTold)
          log.warn(
            { tool: tool.id, error: verdict.unchecked },
            "a result was not checked by its output schema",
          );
        isTold = true;
        return undefined;
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

function describe([error]: readonly ErrorObject[]): string | undefined {
  return error === undefined ? undefined : `data${error.instancePath} ${error.message ?? error.keyword}`;
}
