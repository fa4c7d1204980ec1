import {
  type CallToolResult,
  McpServer,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** Of the bundled servers: that of the product they come with. */
export const VERSION = "0.2.0";

/**
 * Why a tool cannot do what it was asked: a stable code, and a message that says what was expected,
 * what came and what exists. Thrown from a tool it becomes an MCP result with `isError`.
 */
export class ToolFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolFailure";
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isFailure(error: unknown, code: string): boolean {
  return error instanceof ToolFailure && error.code === code;
}

/** Whether a process of this machine is there, also one of somebody else. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Structured content with the same in words beside it. */
export function toolResult(structured: object, text: string): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...structured } };
}

/** Runs a tool. What it cannot do becomes a result with `isError`, which the model and people read. */
export async function answer(work: () => Promise<{ text: string; data: object }>): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return toolResult(data, text);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const text = `${error.code}: ${error.message}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}

/** Parts of a text with an empty line between, without those that are empty. */
export function paragraphs(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** A value as an opaque text for `next_cursor`. */
export function encodeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** What `encodeCursor` was given; undefined for a text that is none of its own. */
export function decodeCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** A time as a service writes it (`2026-01-05T10:00:00.000+0100`), in UTC; what is no time stays as it is. */
export function isoTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}

/** Reports `done` of `total` (unknown: undefined) units of work. Never rejects. */
export type Progress = (done: number, total: number | undefined, message: string) => Promise<void>;

/** Progress notifications for the call of this context; nothing when its caller asked for none. */
export function progressOf(context: ServerContext): Progress {
  const progressToken = context.mcpReq._meta?.progressToken;
  return async (done, total, message) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message };
    // A caller that went away is told by its signal; progress must not end the call.
    await context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

const askerSchema = z.object({ name: z.string().min(1).max(120), account: z.string().optional() });

/**
 * A text that is written with the server's own account, headed by the name of the person for whom: Countersign tells
 * it with the call. `own` is the id of that account, whose person needs no heading.
 */
export function signed(text: string, context: ServerContext, own: string | undefined): string {
  const { success, data } = askerSchema.safeParse(context.mcpReq._meta?.["countersign/asker"]);
  if (!success || (own !== undefined && data.account === own)) return text;
  return `${data.name} (via Countersign): ${text}`;
}

/** How long a client may keep what stays the same until the server is started anew. */
const unchanged = { ttlMs: 60_000, cacheScope: "public" } as const;

/** What every bundled server says of its lists: they are the same for everybody, and stay so while it runs. */
export const cacheHints: NonNullable<ServerOptions["cacheHints"]> = {
  "tools/list": unchanged,
  "server/discover": unchanged,
};

/** A bundled server that has no tools yet. */
export function createServer(name: string, title: string, instructions: string): McpServer {
  return new McpServer({ name, title, version: VERSION }, { cacheHints, instructions });
}
