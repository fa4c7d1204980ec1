import { z } from "zod";

// Arguments that several tools share. Descriptions and examples are read by models and by a planner.

export const issueKey: z.ZodType<string, string> = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9_]*-[0-9]+$/, { error: "expected an issue key such as DEMO-12" })
  .toUpperCase();

/** An issue key with what it is for. */
export function keyArgument(description: string, example: string): z.ZodType<string, string> {
  return issueKey.meta({
    description: `${description}, such as ${example}. Upper or lower case.`,
    examples: [example],
  });
}

export const projectArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .meta({ description: "The project: its key such as DEMO, or its name", examples: ["DEMO", "OPS", "MOB"] });

export const summaryArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\r\n]*$/, { error: "expected one line" })
  .meta({ description: "The title, one line of up to 255 characters", examples: ["Printer on fire"] });

export const bodyArgument: z.ZodType<string, string> = z
  .string()
  .refine((text) => text.trim() !== "", { error: "expected some text" })
  .meta({ description: "The text of the comment, in Markdown", examples: ["Fixed in release 4.13."] });

export const assigneeArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .meta({
    description: 'Who works on it: a name, a part of a name, an id, "me", or "unassigned" for nobody',
    examples: ["me", "Ana Lindqvist", "ben", "unassigned"],
  });

export const labelsArgument: z.ZodType<string[], string[]> = z
  .array(z.string().trim().regex(/^\S+$/, { error: "a label has no spaces" }))
  .meta({ description: "Labels, without spaces", examples: [["login", "customer"]] });

export const dueDateArgument: z.ZodType<string, string> = z.iso
  .date()
  .meta({ description: "When it is due, as YYYY-MM-DD", examples: ["2026-12-24"] });

export const dryRunArgument: z.ZodType<boolean | undefined, boolean | undefined> = z
  .boolean()
  .optional()
  .describe("true: change nothing, only say what would change (before and after)");

/** Small models fill optional arguments with empty strings; those mean nothing. */
export function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
