import { z } from "zod";

/** What a window with inputs carries with it, in its `private_metadata`. */
export interface WindowMetadata {
  approvalId: string;
  /** Of a window that asks for a reason. */
  decision?: "approve" | "deny" | undefined;
  channel?: string | undefined;
  thread?: string | undefined;
}

const schema: z.ZodType<WindowMetadata> = z.object({
  approvalId: z.string(),
  decision: z.enum(["approve", "deny"]).optional(),
  channel: z.string().optional(),
  thread: z.string().optional(),
});

export function writeMetadata(metadata: WindowMetadata): string {
  return JSON.stringify(metadata);
}

/** Rejects what this adapter did not write: Slack gives it back unchanged. */
export function readMetadata(text: string): WindowMetadata {
  return schema.parse(JSON.parse(text));
}
