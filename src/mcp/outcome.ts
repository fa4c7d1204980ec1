import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";

import { jsonFault } from "../base/json.ts";
import { filesOf, wholeResult } from "./files.ts";
import { fitsSurely } from "./json-size.ts";
import { maxResultBytes } from "./options.ts";
import type { CheckOutput } from "./output-check.ts";

/**
 * What a result of `tools/call` brings. Structured content is preferred; text that is a JSON object
 * or array is read as such. Images, audio and binary resources become descriptors with their size.
 */
export function toOutcome(tool: Tool, result: CallToolResult, check: CheckOutput): CallOutcome {
  const tooDeep = jsonFault(result);
  if (tooDeep !== undefined) {
    const message = `The answer of ${tool.id} cannot be shown: ${tooDeep.why}.`;
    return { ok: false, data: null, error: { code: "too_large", sent: "yes", message } };
  }
  const files = filesOf(tool.name, result);
  // Files are kept beside the data.
  const tooLarge = whyTooLarge(tool, files.length === 0 ? result : withoutFiles(result));
  if (tooLarge !== undefined) return tooLarge;

  const content = result.content ?? [];
  const text = content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");
  const attachments = content.map(describeAttachment).filter((described) => described !== undefined);
  const structured = result.structuredContent as JsonValue | undefined;
  const data = structured ?? unstructured(text, attachments);
  const readable = structured === undefined && attachments.length === 0 ? (text === data ? "" : text) : text;
  const outcome = {
    data,
    ...(readable === "" ? {} : { text: readable }),
    ...(files.length === 0 ? {} : { files }),
  };

  if (result.isError === true) {
    const message = text.trim() === "" ? `${tool.id} reported an error without saying what.` : text.trim();
    return {
      ok: false,
      ...outcome,
      error: { code: "tool_error", sent: "yes", message: message.slice(0, 4_000) },
    };
  }
  const fault = check(tool, structured);
  if (fault !== undefined) {
    const message = `The answer of ${tool.id} does not fit the tool's output schema: ${fault}.`;
    return { ok: false, ...outcome, error: { code: "invalid_result", sent: "yes", message } };
  }
  return { ok: true, ...outcome };
}

function whyTooLarge(tool: Tool, shown: CallToolResult): CallOutcome | undefined {
  if (fitsSurely(shown, maxResultBytes)) return undefined;
  const whole = JSON.stringify(shown);
  const bytes = Buffer.byteLength(whole);
  if (bytes <= maxResultBytes) return undefined;
  const message = `The answer of ${tool.id} has ${megabytes(bytes)} MB; at most ${megabytes(maxResultBytes)} MB are shown. It is kept as a file; narrow the request to see it here.`;
  const files = [wholeResult(tool.name, whole)];
  const code = shown.isError === true ? "tool_error" : "too_large";
  return { ok: false, data: null, files, error: { code, sent: "yes", message } };
}

function withoutFiles(result: CallToolResult): CallToolResult {
  const content = result.content.map((block): ContentBlock => {
    if (block.type === "image" || block.type === "audio") return { ...block, data: "" };
    if (block.type !== "resource" || !("blob" in block.resource)) return block;
    return { ...block, resource: { ...block.resource, blob: "" } };
  });
  return { ...result, content };
}

function unstructured(text: string, attachments: JsonObject[]): JsonValue {
  if (attachments.length === 0) return parseDocument(text) ?? text;
  return text === "" ? { attachments } : { text, attachments };
}

/** A JSON object or array, or nothing. */
function parseDocument(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return jsonFault(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeAttachment(block: ContentBlock): JsonObject | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "image":
    case "audio":
      return { type: block.type, mime_type: block.mimeType, bytes: decodedBytes(block.data) };
    case "resource_link":
      return {
        type: "resource_link",
        uri: block.uri,
        name: block.title ?? block.name,
        mime_type: block.mimeType ?? null,
        ...(block.description === undefined ? {} : { description: block.description }),
      };
    case "resource": {
      const { resource } = block;
      const about = { type: "resource", uri: resource.uri, mime_type: resource.mimeType ?? null };
      return "text" in resource
        ? { ...about, text: resource.text }
        : { ...about, bytes: decodedBytes(resource.blob) };
    }
    default:
      return { type: String((block as { type: unknown }).type) };
  }
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

function megabytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
