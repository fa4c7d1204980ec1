import type { ModelText } from "#contract/model.ts";
import type { SamplingRequest } from "#contract/tool.ts";

import { createFence, toSingleLine } from "./fence.ts";
import { joinText, text } from "./model-text.ts";

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
