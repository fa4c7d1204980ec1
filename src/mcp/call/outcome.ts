import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ErrorObject } from "ajv";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { CallFile, CallOutcome, Tool } from "#contract/tool.ts";

import { messageOf } from "../../base/errors.ts";
import { jsonFault, parseJson } from "../../base/json.ts";
import { compileSchema } from "../../base/schema-check.ts";
import { en } from "../../base/words/en.ts";
import { maxResultBytes } from "../limits.ts";
import type { McpLog } from "../ports.ts";

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
  const texts = content.filter((block) => block.type === "text");
  const text = texts.map((block) => block.text).join("\n");
  const attachments = content.filter((block) => block.type !== "text").map(describeAttachment);
  const structured = result.structuredContent as JsonValue | undefined;
  const data = structured ?? unstructured(text, attachments);
  // Text that is the data itself is not said twice; beside structured content it is.
  const readable = structured === undefined && text === data ? "" : text;
  const outcome = {
    data,
    ...(readable !== "" && { text: readable }),
    ...(files.length > 0 && { files }),
  };

  if (result.isError === true) {
    const message = text.trim() === "" ? en.recorded.noReasonGiven(tool.id) : withoutCode(text.trim());
    const error = { code: "tool_error", sent: "yes", message: message.slice(0, 4_000) } as const;
    return { ok: false, ...outcome, error };
  }
  const fault = check(tool, structured);
  if (fault !== undefined) {
    const message = `The answer of ${tool.id} does not fit the tool's output schema: ${fault}.`;
    return { ok: false, ...outcome, error: { code: "invalid_result", sent: "yes", message } };
  }
  return { ok: true, ...outcome };
}

/** A code that stands before a sentence, as in `issue_not_found: there is no issue DEMO-99`, is for programs. */
const CODE =
  /^(?:[a-z]+(?:_[a-z]+)+|cancelled|cannot|certificate|exists|network|refused|timeout|unreachable): (?=\S)/;

function withoutCode(message: string): string {
  return message.replace(CODE, "");
}

function whyTooLarge(tool: Tool, shown: CallToolResult): CallOutcome | undefined {
  if (fitsSurely(shown, maxResultBytes)) return undefined;
  const whole = JSON.stringify(shown);
  const bytes = Buffer.byteLength(whole);
  if (bytes <= maxResultBytes) return undefined;
  const message = `The answer of ${tool.id} has ${megabytes(bytes)} MB; at most ${megabytes(maxResultBytes)} MB are shown. It is kept as a file; narrow the request to see it here.`;
  const data = Buffer.from(whole).toString("base64");
  const files = [toFile(`${safeName(tool.name)}.json`, "application/json", data)];
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
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return jsonFault(value) === undefined ? value : undefined;
}

function describeAttachment(block: Exclude<ContentBlock, { type: "text" }>): JsonObject {
  switch (block.type) {
    case "image":
    case "audio":
      return { type: block.type, mime_type: block.mimeType, bytes: Buffer.byteLength(block.data, "base64") };
    case "resource_link":
      return {
        type: "resource_link",
        uri: block.uri,
        name: block.title ?? block.name,
        mime_type: block.mimeType ?? null,
        ...(block.description !== undefined && { description: block.description }),
      };
    case "resource": {
      const { resource } = block;
      const about = { type: "resource", uri: resource.uri, mime_type: resource.mimeType ?? null };
      return "text" in resource
        ? { ...about, text: resource.text }
        : { ...about, bytes: Buffer.byteLength(resource.blob, "base64") };
    }
    default:
      return { type: String((block as { type: unknown }).type) };
  }
}

function megabytes(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}

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
        const facts = { tool: tool.id, error: verdict.unchecked };
        if (!isTold) log.warn(facts, "a result was not checked by its output schema");
        isTold = true;
        return undefined;
      };
    } catch (error) {
      const facts = { tool: tool.id, error: messageOf(error) };
      log.warn(facts, "output schema does not compile; results go unchecked");
      return () => undefined;
    }
  }

  return (tool, structured) => {
    const check = compiled.get(tool) ?? compile(tool);
    compiled.set(tool, check);
    return check(tool, structured);
  };
}

function describe([error]: readonly ErrorObject[]): string | undefined {
  return error === undefined ? undefined : `data${error.instancePath} ${error.message ?? error.keyword}`;
}

/** The files in a result: images, sound and binary resources, named after their source where it has a name. */
function filesOf(toolName: string, result: CallToolResult): CallFile[] {
  const taken = new Set<string>();
  return (result.content ?? []).flatMap((block, index) => {
    const file = fileOf(block, `${toolName}-${index + 1}`);
    if (file === undefined) return [];
    const name = taken.has(file.name) ? `${index + 1}-${file.name}` : file.name;
    taken.add(name);
    return [{ ...file, name }];
  });
}

function fileOf(block: ContentBlock, fallback: string): CallFile | undefined {
  if (block.type === "image" || block.type === "audio") {
    return toFile(`${safeName(fallback)}${extensionOf(block.mimeType)}`, block.mimeType, block.data);
  }
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { uri, mimeType = "application/octet-stream", blob } = block.resource;
  const named = safeName(decodeURIComponentSafely(uri.split(/[?#]/)[0]?.split("/").at(-1) ?? ""));
  return toFile(named || `${safeName(fallback)}${extensionOf(mimeType)}`, mimeType, blob);
}

function toFile(name: string, type: string, data: string): CallFile {
  const isType = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i.test(type);
  const mediaType = isType ? type.toLowerCase() : "application/octet-stream";
  return { name, mediaType, bytes: Buffer.byteLength(data, "base64"), data };
}

/** No path, no control characters, nothing that a platform or a browser could read as more than a name. */
function safeName(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replace(/^[._ ]+/, "")
    .slice(0, 100);
}

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "audio/wav": ".wav",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".ogg",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "application/gzip": ".gz",
};

function extensionOf(mediaType: string): string {
  return extensions[mediaType.toLowerCase()] ?? ".bin";
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A number, a literal or the signs around a member at their longest. */
const fewBytes = 32;
/** A control character as JSON escapes it; in UTF-8 no other takes more for a unit of UTF-16. */
const mostOfUnit = 6;
/** Deeper ones are written: a server must not be able to use up the stack here. */
const mostDepth = 200;

/**
 * Whether a value certainly has no more bytes than this as JSON, without writing it: hardly any comes
 * near a limit, and writing one costs more than looking at it.
 */
export function fitsSurely(value: unknown, limit: number): boolean {
  let left = limit;
  function take(part: unknown, depth: number): boolean {
    left -= fewBytes;
    if (depth > mostDepth) return false;
    if (typeof part === "string") left -= part.length * mostOfUnit;
    else if (Array.isArray(part)) return left >= 0 && part.every((item) => take(item, depth + 1));
    else if (typeof part === "object" && part !== null) {
      for (const [key, item] of Object.entries(part)) {
        left -= key.length * mostOfUnit;
        if (left < 0 || !take(item, depth + 1)) return false;
      }
    }
    return left >= 0;
  }
  return take(value, 0);
}
