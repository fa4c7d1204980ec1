import type { APIMessageTopLevelComponent } from "discord-api-types/v10";
import { ComponentType, MessageFlags } from "discord-api-types/v10";
import { parse } from "discord-markdown-parser";

import { toEmbeds } from "#adapters/discord/render/embeds.ts";
import type { RenderedMessage } from "#adapters/discord/render/message.ts";
import { checkMessage } from "#test/fakes/discord/check/message.ts";

type Node = Record<string, unknown>;

/** Everything for which Discord would refuse the message. */
export function problemsOf({ components, files }: Pick<RenderedMessage, "components" | "files">): string[] {
  const form = checkMessage({
    body: { components },
    files: new Set(files.map(({ filename }) => filename)),
    flags: MessageFlags.IsComponentsV2,
  });
  const tooMany = files.length > 10 ? [`${files.length} files`] : [];
  return [...form.problems.map((problem) => JSON.stringify(problem)), ...form.unknown, ...tooMany];
}

/** Everything for which Discord would refuse the message as embeds, and texts or buttons that it would lack. */
export function embedProblemsOf({ components, files }: RenderedMessage): string[] {
  const body = { ...toEmbeds(components) };
  const form = checkMessage({ body, files: new Set(files.map(({ filename }) => filename)), flags: 0 });
  const shown = body.embeds.map(({ description = "" }) => description).join("\n");
  const ids = new Set(buttonsOf(body.components).map((button) => button.custom_id));
  return [
    ...form.problems.map((problem) => JSON.stringify(problem)),
    ...textsOf(components).filter((text) => !shown.includes(text)),
    ...buttonsOf(components).flatMap((button) => (ids.has(button.custom_id) ? [] : [button.custom_id])),
  ];
}

/** Nodes of the platform's own markdown that only this renderer may make. */
const OURS: ReadonlySet<string> = new Set([
  "text",
  "br",
  "newline",
  "escape",
  "strong",
  "em",
  "strikethrough",
  "inlineCode",
  "codeBlock",
  "heading",
  "subtext",
  "blockQuote",
  "link",
  "autolink",
  // A character as it is, drawn as a picture.
  "twemoji",
]);

/** What Discord would read in the texts: what people see, and what could come to life. */
export function readTexts(components: readonly APIMessageTopLevelComponent[]): {
  seen: string;
  addresses: string[];
  active: string[];
} {
  let seen = "";
  const addresses: string[] = [];
  const active: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") seen += value;
    else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) {
      const node = value as Node;
      const type = String(node.type);
      // Moments are ours in this format alone.
      const isMoment = type === "timestamp" && "format" in node && node.format === "f";
      if (!OURS.has(type) && !isMoment) active.push(JSON.stringify(node).slice(0, 200));
      if (typeof node.target === "string") {
        addresses.push(node.target);
        if (!/^https?:\/\//i.test(node.target)) active.push(`link to ${node.target}`);
      }
      visit(type === "twemoji" ? node.name : node.content);
    }
  };
  for (const text of textsOf(components)) {
    visit(parse(text, "extended"));
    seen += "\n";
  }
  return { seen: seen.replaceAll("\u200B", ""), addresses, active };
}

/** The texts that Discord reads as markup. */
function textsOf(components: readonly APIMessageTopLevelComponent[]): string[] {
  return nodesOf(components)
    .filter((node) => node.type === ComponentType.TextDisplay)
    .map((node) => String(node.content));
}

export function buttonsOf(components: unknown): { label: string; custom_id: string; style: number }[] {
  return nodesOf(components)
    .filter((node) => node.type === ComponentType.Button)
    .map((node) => ({
      label: String(node.label),
      custom_id: String(node.custom_id),
      style: Number(node.style),
    }));
}

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesOf)];
}
