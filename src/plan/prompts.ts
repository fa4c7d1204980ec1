import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { CountersignError, messageOf } from "../base/errors.ts";

/** What the model reads, as it stands in the prompts folder. */
export interface Prompts {
  /** With the placeholders {tools_section}, {examples_section} and {user_input}. */
  template: string;
  decision: string;
  response: string;
}

const PLACEHOLDERS = ["tools_section", "examples_section", "user_input"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Reads the prompt files. Rejects with `prompt_invalid` for a missing file or placeholder. */
export async function loadPrompts(folder: string): Promise<Prompts> {
  const [template, decision, response] = await Promise.all(
    ["planner_prompt_template.txt", "decision.txt", "response.txt"].map((name) => read(join(folder, name))),
  );
  const missing = PLACEHOLDERS.filter((name) => !(template ?? "").includes(`{${name}}`));
  if (missing.length > 0) {
    throw new CountersignError(
      "prompt_invalid",
      `${join(folder, "planner_prompt_template.txt")}: expected the placeholders {${missing.join("}, {")}}, found none of that name.`,
    );
  }
  return { template: template ?? "", decision: decision ?? "", response: response ?? "" };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CountersignError("prompt_invalid", `Cannot read the prompt file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Fills the template in one pass: what is inserted is data and is not searched for placeholders. */
export function fillTemplate(template: string, values: Record<Placeholder, string>): string {
  return template.replaceAll(
    /\{(tools_section|examples_section|user_input)\}/g,
    (_, name: Placeholder) => values[name],
  );
}
