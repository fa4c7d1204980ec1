import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { ModelStage, ModelText } from "#contract/model.ts";
import type { SamplingRequest } from "#contract/tool.ts";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
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

const FILES = {
  system: "system.txt",
  template: "planner_prompt_template.txt",
  perception: "perception.txt",
  decision: "decision.txt",
  decisionJson: "decision_json.txt",
  response: "response.txt",
} as const;

/**
 * Reads the prompt files of a folder; what an operator's own folder has not is that of `usual`. Rejects with
 * `prompt_invalid` for a missing placeholder, a file that cannot be read, or a folder that has none of them.
 */
export async function loadPrompts(folder: string, usual?: Prompts): Promise<Prompts> {
  const read = async (name: keyof typeof FILES): Promise<ModelText | undefined> => {
    const file = join(folder, FILES[name]);
    try {
      return fromOperator(await readFile(file, "utf8"));
    } catch (error) {
      if (usual !== undefined && codeOf(error) === "ENOENT") return undefined;
      throw invalid(`Cannot read the prompt file ${file}: ${messageOf(error)}`, error);
    }
  };
  const names = Object.keys(FILES) as (keyof typeof FILES)[];
  const found = await Promise.all(names.map(read));
  if (found.every((one) => one === undefined))
    throw invalid(`${folder}: expected at least one of ${Object.values(FILES).join(", ")}, found none.`);
  const own = Object.fromEntries(
    names.flatMap((name, at) => (found[at] === undefined ? [] : [[name, found[at]]])),
  );
  const prompts = { ...usual, ...own } as Prompts;
  const { template } = prompts;
  const missing = PLACEHOLDERS.filter((name) => !template.includes(`{${name}}`));
  if (missing.length > 0) {
    const file = join(folder, FILES.template);
    throw invalid(`${file}: expected the placeholders {${missing.join("}, {")}}, found none of that name.`);
  }
  return prompts;
}

function invalid(message: string, cause?: unknown): CountersignError {
  return new CountersignError("prompt_invalid", message, cause === undefined ? {} : { cause });
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
