import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";

import type { CallFile } from "#contract/tool.ts";

/** The files in a result: images, sound and binary resources, named after their source where it has a name. */
export function filesOf(toolName: string, result: CallToolResult): CallFile[] {
  const taken = new Set<string>();
  return (result.content ?? []).flatMap((block, index) => {
    const file = fileOf(block, `${toolName}-${index + 1}`);
    if (file === undefined) return [];
    const name = taken.has(file.name) ? `${index + 1}-${file.name}` : file.name;
    taken.add(name);
    return [{ ...file, name }];
  });
}

/** A result that is too large to show, whole, as a file. */
export function wholeResult(toolName: string, text: string): CallFile {
  const data = Buffer.from(text);
  return {
    name: `${safeName(toolName)}.json`,
    mediaType: "application/json",
    bytes: data.length,
    data: data.toString("base64"),
  };
}

function fileOf(block: ContentBlock, fallback: string): CallFile | undefined {
  if (block.type === "image" || block.type === "audio") {
    const name = `${safeName(fallback)}${extensionOf(block.mimeType)}`;
    return toFile(name, block.mimeType, block.data);
  }
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { uri, mimeType = "application/octet-stream", blob } = block.resource;
  const named = safeName(decodeURIComponentSafely(uri.split(/[?#]/)[0]?.split("/").at(-1) ?? ""));
  return toFile(named === "" ? `${safeName(fallback)}${extensionOf(mimeType)}` : named, mimeType, blob);
}

function toFile(name: string, mediaType: string, data: string): CallFile {
  return { name, mediaType: safeType(mediaType), bytes: Buffer.byteLength(data, "base64"), data };
}

/** No path, no control characters, nothing that a platform or a browser could read as more than a name. */
function safeName(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replace(/^[._ ]+/, "")
    .slice(0, 100);
}

function safeType(text: string): string {
  return /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i.test(text) ? text.toLowerCase() : "application/octet-stream";
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
