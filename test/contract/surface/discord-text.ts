import { parse } from "discord-markdown-parser";

import { isFields } from "#test/fakes/slack/json.ts";

import type { Read } from "./slack-text.ts";

/** Reads a text with Discord's markup as Discord draws it. `nameOf` gives the handle of a member's id. */
export function readMarkup(text: string, nameOf: (id: string) => string): Read {
  const live: string[] = [];
  const visit = (node: unknown): string => {
    if (typeof node === "string") return node;
    if (Array.isArray(node)) return node.map(visit).join("");
    if (!isFields(node)) return "";
    const inner = visit(node.content);
    switch (node.type) {
      case "br":
        return "\n";
      case "link":
      case "url":
      case "autolink":
        live.push(String(node.target));
        return inner;
      case "strong":
      case "em":
      case "underline":
      case "strikethrough":
      case "spoiler":
      case "inlineCode":
        live.push(`formats ${inner}`);
        return inner;
      case "user": {
        const name = `@${nameOf(String(node.id))}`;
        live.push(name);
        return name;
      }
      case "role":
      case "channel":
      case "everyone":
      case "here":
      case "emoji":
      case "slashCommand":
        live.push(node.type);
        return "";
      default:
        return inner;
    }
  };
  const shown = visit(parse(text, "extended"));
  // Characters of no width, and wide brackets in the words of a link, keep marks from being read as markup.
  const plain = shown.replaceAll("\u200B", "").replaceAll("［", "[").replaceAll("］", "]");
  return { text: plain, live };
}
