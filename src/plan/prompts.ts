import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { ModelStage, ModelText } from "#contract/model.ts";
import type { SamplingRequest } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import { createFence, toSingleLine } from "./fence.ts";
import { fromOperator, joinText, text } from "./model-text.ts";

/** What the model reads, as it stands in the prompts folder: for each stage what it is to do, which stands last. */
export interface Prompts extends Record<ModelStage, ModelText> {
  /** Of all stages. */
  system: ModelText;
  /** The decision stage of a model whose answers are held to a schema: the same rules, another form. */
  decisionJson: ModelText;
  /** What all stages read before their own part, with the placeholders {tools_section}, {examples_section} and {user_input}. */
  template: ModelText;
}

const PLACEHOLDERS = ["tools_section", "examples_section", "user_input"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Reads the prompt files. Rejects with `prompt_invalid` for a missing file or placeholder. */
export async function loadPrompts(folder: string): Promise<Prompts> {
  const [system, template, perception, decision, decisionJson, response] = await Promise.all([
    read(join(folder, "system.txt")),
    read(join(folder, "planner_prompt_template.txt")),
    read(join(folder, "perception.txt")),
    read(join(folder, "decision.txt")),
    read(join(folder, "decision_json.txt")),
    read(join(folder, "response.txt")),
  ]);
  const missing = PLACEHOLDERS.filter((name) => !template.includes(`{${name}}`));
  if (missing.length > 0) {
    throw new CountersignError(
      "prompt_invalid",
      `${join(folder, "planner_prompt_template.txt")}: expected the placeholders {${missing.join("}, {")}}, found none of that name.`,
    );
  }
  return { system, template, perception, decision, decisionJson, response };
}

async function read(file: string): Promise<ModelText> {
  try {
    return fromOperator(await readFile(file, "utf8"));
  } catch (error) {
    throw new CountersignError("prompt_invalid", `Cannot read the prompt file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Fills the template in one pass: what is inserted is data and is not searched for placeholders. */
export function fillTemplate(template: ModelText, values: Record<Placeholder, ModelText>): ModelText {
  return template.replaceAll(
    /\{(tools_section|examples_section|user_input)\}/g,
    (_, name: Placeholder) => values[name],
  ) as ModelText;
}

/**
 * What a server has the model answer, as a prompt: all of it is the server's, so it is fenced, its
 * system prompt included, and what the model says goes back to that server and nowhere else.
 */
export function samplingPrompt({ server, system, messages }: SamplingRequest): {
  system: ModelText;
  prompt: ModelText;
} {
  const fence = createFence();
  const asked = messages.map(({ role, text: said }) => fence(role, said));
  return {
    system: text`The MCP server ${toSingleLine(server, 64)} asks for an answer. What it wants stands between markers. Answer its last message in plain text, and do nothing else.`,
    prompt: joinText(system === undefined ? asked : [fence("system", system), ...asked], "\n\n"),
  };
}
