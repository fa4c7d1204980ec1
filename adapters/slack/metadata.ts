import type { DeskTopic } from "#contract/desk.ts";

import { z } from "zod";

/** What a window with inputs carries with it, in its `private_metadata`. */
export interface WindowMetadata {
  topic: DeskTopic;
  /** Where the person is told what is not shown to everybody. */
  channel?: string | undefined;
  thread?: string | undefined;
}

const approvalId = z.string();

const schema: z.ZodType<WindowMetadata> = z.object({
  topic: z.discriminatedUnion("about", [
    z.object({ about: z.literal("reason"), approvalId, decision: z.enum(["approve", "deny"]) }),
    z.object({ about: z.literal("grant"), approvalId }),
    z.object({ about: z.literal("edit"), approvalId }),
  ]),
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
