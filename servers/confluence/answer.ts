import type { CallToolResult } from "@modelcontextprotocol/server";
import { ToolFailure } from "../kit/failure.ts";

/** Runs a tool. What it cannot do becomes a result with `isError`, which the model and people read. */
export async function answer(
  work: () => Promise<{ text: string; data: Record<string, unknown> }>,
): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const text = `${error.code}: ${error.message}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}
