import type { IncomingMessage } from "node:http";

import { isFields } from "../../slack/json.ts";
import { REQUEST_LIMIT } from "../check/message.ts";
import { refusal } from "../errors.ts";
import type { Fields } from "../types.ts";

export interface SentFile {
  /** The number in `files[n]`. */
  id: string;
  name: string;
  type: string;
  content: Buffer;
}

export interface Body {
  body: unknown;
  files: SentFile[];
}

/** Reads JSON, or a form with `payload_json` and `files[n]`. */
export async function readRequest(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  if (raw.length > REQUEST_LIMIT) throw refusal(40005);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return { body: parse(raw.toString()), files: [] };
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
  const files: SentFile[] = [];
  const fields: Fields = {};
  for (const [key, value] of form) {
    if (typeof value === "string") fields[key] = value;
    else {
      const content = Buffer.from(await value.arrayBuffer());
      const id = /^files\[(\d+)\]$/.exec(key)?.[1] ?? key;
      files.push({ id, name: value.name, type: value.type, content });
    }
  }
  const { payload_json } = fields;
  return { body: typeof payload_json === "string" ? parse(payload_json) : fields, files };
}

function parse(text: string): unknown {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) || isFields(value) ? value : {};
  } catch {
    throw refusal(50109);
  }
}
