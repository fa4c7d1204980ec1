import type { Tool } from "#contract/tool.ts";

import { toSingleLine } from "./fence.ts";
import { splitName } from "./slot.ts";

const DESCRIPTION_CHARS = 600;
const MAX_ARGUMENTS = 20;

/** What a tool says of itself in running words, for a model that embeds. */
export function toToolText(tool: Tool): string {
  const names = argumentNames(tool)
    .slice(0, MAX_ARGUMENTS)
    .map((name) => splitName(name).join(" "));
  return [
    `${[...splitName(tool.server), ...splitName(tool.name)].join(" ")}.`,
    ...(tool.title === undefined ? [] : [`${toSingleLine(tool.title, 100)}.`]),
    toSingleLine(tool.description, DESCRIPTION_CHARS),
    ...(names.length === 0 ? [] : [`Takes ${toSingleLine(names.join(", "), 300)}.`]),
  ].join(" ");
}

export function argumentNames(tool: Tool): string[] {
  const { properties } = tool.inputSchema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** What some models have to be told before a text that is looked for, and before one that is looked among. */
interface Roles {
  asked: string;
  kept: string;
}

/** Models know their own marks only: https://huggingface.co/nomic-ai/nomic-embed-text-v1.5 and the pages beside it. */
export function rolesOf(model: string): Roles {
  if (/nomic-embed-text/i.test(model)) return { asked: "search_query: ", kept: "search_document: " };
  if (/mxbai-embed|snowflake-arctic-embed(?!2)/i.test(model))
    return { asked: "Represent this sentence for searching relevant passages: ", kept: "" };
  return { asked: "", kept: "" };
}
