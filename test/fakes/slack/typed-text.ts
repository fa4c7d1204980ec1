import type { Block } from "./types.ts";

/** References such as `<@U…>` and `<#C…|name>`: what a client puts in when a person picks a name. */
const REFERENCE = /(<[@#!][^<>\s]+>)/;

/** Typed text on the wire: references stay, all other angle brackets and ampersands are escaped. */
export function escaped(text: string): string {
  return text
    .split(REFERENCE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    )
    .join("");
}

/** What Slack makes of typed text. */
export function richText(text: string): Block {
  const parts = text.split(/(<@[A-Z0-9]+>)/).filter((part) => part !== "");
  const elements = parts.map((part) => {
    const mention = /^<@([A-Z0-9]+)>$/.exec(part);
    return mention === null ? { type: "text", text: part } : { type: "user", user_id: mention[1] };
  });
  const section = { type: "rich_text_section", elements };
  return { type: "rich_text", block_id: "typed", elements: [section] };
}
