import type { IncomingMessage } from "node:http";

import { asText, isFields } from "../json.ts";
import { SlackError } from "../types.ts";
import type { Fields } from "../types.ts";

export interface RequestBody {
  raw: Buffer;
  type: string;
}

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return { raw: Buffer.concat(chunks), type: request.headers["content-type"] ?? "" };
}

/** The arguments of a call: from the query, a form or JSON. Nested values of a form stay JSON strings. */
export function parseArguments({ raw, type }: RequestBody, query: URLSearchParams): Fields {
  const args: Fields = Object.fromEntries(query);
  if (type.startsWith("application/json")) {
    let body: unknown;
    try {
      body = JSON.parse(raw.toString() || "{}");
    } catch {
      throw new SlackError("invalid_json");
    }
    if (!isFields(body)) throw new SlackError("json_not_object");
    return { ...args, ...body };
  }
  if (raw.length === 0 || type.startsWith("application/x-www-form-urlencoded")) {
    return { ...args, ...Object.fromEntries(new URLSearchParams(raw.toString())) };
  }
  throw new SlackError("invalid_post_type");
}

export function text(args: Fields, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "object" || typeof value === "boolean" ? JSON.stringify(value) : asText(value);
}

/** An argument that must be there. */
export function required(args: Fields, name: string): string {
  const value = text(args, name);
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`);
  return value;
}

export function flag(args: Fields, name: string): boolean {
  return ["true", "1"].includes(String(args[name]));
}

/** A list or object: as it is in JSON, or as a JSON string in a form. `error` is what Slack calls a bad one. */
export function nested(args: Fields, name: string, error = "invalid_arguments"): unknown {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new SlackError(error);
  }
}

export function nestedList(args: Fields, name: string, error?: string): unknown[] | undefined {
  const value = nested(args, name, error);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw new SlackError(error ?? "invalid_arguments");
  return value;
}

export function invalidArguments(...messages: string[]): SlackError {
  return new SlackError("invalid_arguments", {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

/** One page of a list, with Slack's cursor. */
export function page<T>(items: readonly T[], args: Fields, usual = 100): { items: T[]; metadata: Fields } {
  const limit = Math.min(1000, Number(text(args, "limit") ?? usual));
  if (!Number.isInteger(limit) || limit < 1) throw new SlackError("invalid_limit");
  const cursor = text(args, "cursor");
  const start =
    cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64").toString().replace("next:", ""));
  if (!Number.isInteger(start) || start < 0) throw new SlackError("invalid_cursor");
  const end = start + limit;
  const next = end < items.length ? Buffer.from(`next:${end}`).toString("base64") : "";
  return { items: items.slice(start, end), metadata: { next_cursor: next } };
}
