import { specTypeSchemas } from "@modelcontextprotocol/client";
import type { CallToolResult, StandardSchemaV1 } from "@modelcontextprotocol/client";

/** Members of what a server answers that has not made the call, or not to its end. */
const ofOtherAnswers = ["task", "inputRequests", "requestState"];

/**
 * A result of `tools/call` on the 2025-11-25 revision. Where no schema is given the SDK makes one for each
 * call and tries it on nothing, which takes as long as all that the pool does for a call.
 */
export const callResult: StandardSchemaV1<unknown, CallToolResult> = {
  "~standard": {
    version: 1,
    vendor: "countersign",
    validate(value) {
      if (!isObject(value)) return { issues: [{ message: "expected an object" }] };
      const { structuredContent } = value;
      if (structuredContent !== undefined && !isObject(structuredContent))
        return { issues: [{ message: "structuredContent: expected an object" }] };
      // Many old servers leave it out where there is none, and it is made up.
      const other = value.content === undefined ? ofOtherAnswers.find((key) => key in value) : undefined;
      if (other !== undefined) return { issues: [{ message: `content: expected beside ${other}` }] };
      return known.validate(value);
    },
  },
};

const known = specTypeSchemas.CallToolResult["~standard"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
