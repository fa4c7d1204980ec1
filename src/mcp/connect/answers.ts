import {
  type CallToolResult,
  type Progress,
  specTypeSchemas,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";

import type { CallProgress } from "#contract/tool.ts";

import { isObject } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";

/* What a server answers to a call, and says while it runs. */

/** The SDK reports its own rounds of the 2026-07-28 revision as progress. */
export function isOwn({ message }: Progress): boolean {
  return message?.startsWith("Fulfilling input required by") === true;
}

export function toProgress({ progress, total, message }: Progress): CallProgress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

/** What a server writes to its log in the middle of a call, for the person whose call it is. */
export function toSaid({ level, data }: { level: string; data: unknown }): CallProgress | undefined {
  const { text, rest } = wordsOf(data);
  const tone = ["info", "notice"].includes(level) ? "" : level === "warning" ? "Warning: " : "Error: ";
  const detail = Object.entries(rest)
    .filter(([key, value]) => !ofTheEvent.has(key) && ["string", "number", "boolean"].includes(typeof value))
    .map(([key, value]) => `${key}: ${String(value)}`);
  const message = oneLine(text === "" ? detail.splice(0).join(", ") : text, longestSaid.text);
  if (message === "") return undefined;
  const more = oneLine(detail.join(", "), longestSaid.detail);
  return { message: `${tone}${message}`, ...(more !== "" && { detail: more }) };
}

/** Members that tell programs what kind of thing is said. */
const ofTheEvent: ReadonlySet<string> = new Set(["type", "step"]);
const longestSaid = { text: 300, detail: 500 };

/** Most servers log a text, or an object that has one. */
function wordsOf(data: unknown): { text: string; rest: Record<string, unknown> } {
  if (!isObject(data))
    return { text: typeof data === "string" ? data : JSON.stringify(data ?? ""), rest: {} };
  const key = ["message", "msg", "text"].find((name) => typeof data[name] === "string");
  if (key === undefined) return { text: "", rest: data };
  const { [key]: text, ...rest } = data;
  return { text: String(text), rest };
}

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
