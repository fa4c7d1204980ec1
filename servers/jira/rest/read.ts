import type { z } from "zod";

import { ToolFailure } from "#servers/kit/failure.ts";

/** Checks an answer of Jira against the shape this server relies on. Throws `invalid_answer`. */
export function read<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : `${issue.path.join(".") || "the whole answer"}: ${issue.message}`;
  throw new ToolFailure(
    "invalid_answer",
    `Jira's answer for ${what} is not what its API describes (${where}): check JIRA_URL and the version of Jira`,
  );
}

/** Jira writes offsets without a colon: "2026-11-21T10:00:00.000+0100". */
export function toIso(text: string): string {
  const time = new Date(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
