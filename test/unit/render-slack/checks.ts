import type { KnownBlock } from "@slack/types";

import { blocksLength, limitProblems } from "#test/fakes/slack/limits.ts";
import type { Surface } from "#test/fakes/slack/limits.ts";
import { createStructure } from "#test/fakes/slack/structure.ts";

const structure = createStructure();

/** Everything for which Slack would refuse the blocks. */
export function problemsOf(blocks: readonly KnownBlock[], surface: Surface = "message"): string[] {
  const problems = blocks.flatMap((block, index) => structure.block(block, `/blocks/${index}`));
  problems.push(...limitProblems(blocks, surface));
  if (surface === "message") {
    const size = JSON.stringify(blocks).length;
    if (size >= 12_000) problems.push(`msg_blocks_too_long: ${size} characters of JSON`);
    if (blocks.length === 0) problems.push("no_text: a message without blocks");
  }
  for (const node of nodesOf(blocks)) {
    if (node["type"] === "text" && node["text"] === "") problems.push("empty text in rich text");
    if (node["type"] === "table") {
      const chars = blocksLength(node["rows"]);
      if (chars > 10_000) problems.push(`table of ${chars} characters`);
    }
  }
  return problems;
}

/** Objects whose text Slack reads as markup, and elements that notify people or draw emoji. */
const ACTIVE = new Set([
  "mrkdwn",
  "markdown",
  "user",
  "usergroup",
  "broadcast",
  "channel",
  "team",
  "emoji",
  "color",
  "image",
  "video",
]);

/** What in the blocks could come to life: markup, mentions, emoji, and links that are not http. */
export function activePartsOf(blocks: readonly KnownBlock[]): string[] {
  return nodesOf(blocks).flatMap((node) => {
    const found: string[] = [];
    const type = String(node["type"]);
    if (ACTIVE.has(type)) found.push(type);
    if (type === "plain_text" && node["emoji"] !== false) found.push("plain_text that draws emoji");
    const url = node["url"];
    const isHttp = typeof url === "string" && /^https?:\/\//i.test(url);
    if (url !== undefined && !isHttp) found.push(`link to ${JSON.stringify(url)}`);
    return found;
  });
}

/** What of Slack's markup a message's `text` still holds. */
export function markupOf(text: string): string[] {
  // What stands on both sides of an entity is not together: ":&lt;https:" is no emoji.
  const plain = text.replaceAll(/&(?:amp|lt|gt);/g, " ");
  return plain.match(/[&<>*~`]|:[\w+'-]+:|:\/\//g) ?? [];
}

type Node = Record<string, unknown>;

export function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesOf)];
}

/** Every text and address that people see in the blocks, one after the other. */
export function textOf(value: unknown): string {
  return nodesOf(value)
    .flatMap((node) => [
      node["title"],
      node["caption"],
      node["text"],
      node["url"],
      node["value"],
      node["fallback"],
    ])
    .filter((text) => typeof text === "string")
    .join("");
}

export function ofType<T extends KnownBlock["type"]>(
  blocks: readonly KnownBlock[],
  type: T,
): Extract<KnownBlock, { type: T }>[] {
  return blocks.filter((block): block is Extract<KnownBlock, { type: T }> => block.type === type);
}

export function buttonsOf(
  value: unknown,
): { action_id: string; value: string; text: string; style?: string }[] {
  return nodesOf(value)
    .filter((node) => node["type"] === "button")
    .map((node) => ({
      action_id: String(node["action_id"]),
      value: String(node["value"]),
      text: String((node["text"] as Node)["text"]),
      ...(typeof node["style"] === "string" ? { style: node["style"] } : {}),
    }));
}
