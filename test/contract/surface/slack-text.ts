import { isFields } from "#test/fakes/slack/json.ts";
import type { Message } from "#test/fakes/slack/types.ts";

/** What people read in a message, and what of it acts. */
export interface Read {
  text: string;
  live: string[];
}

/** Reads blocks as Slack draws them. `nameOf` gives the handle of a member's id. */
export function readBlocks(
  { blocks = [], text }: Pick<Message, "blocks" | "text">,
  nameOf: (id: string) => string,
): Read {
  const live: string[] = [];
  const lines: string[] = [];
  const act = (what: string, shown: string): string => {
    live.push(what);
    return shown;
  };

  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isFields(value)) return;
    if (
      typeof value.type === "string" &&
      value.type.startsWith("rich_text_") &&
      Array.isArray(value.elements)
    ) {
      if (
        value.elements.every((element) => isFields(element) && !String(element.type).startsWith("rich_text"))
      ) {
        lines.push(value.elements.map((element) => inline(element as Record<string, unknown>)).join(""));
        return;
      }
    }
    if (value.type === "mrkdwn") lines.push(readMrkdwn(String(value.text), nameOf, act));
    else if (value.type === "plain_text" || value.type === "raw_text") lines.push(String(value.text));
    if (value.type === "button" && typeof value.url === "string") live.push(value.url);
    Object.values(value).forEach(visit);
  };

  const inline = (element: Record<string, unknown>): string => {
    switch (element.type) {
      case "text":
        if (isFields(element.style)) live.push(`formats ${String(element.text)}`);
        return String(element.text);
      case "link":
        return act(String(element.url), String(element.text ?? element.url));
      case "user":
        return act(`@${nameOf(String(element.user_id))}`, `@${nameOf(String(element.user_id))}`);
      default:
        return act(String(element.type), "");
    }
  };

  visit(blocks);
  // Notifications show it; nobody reads it in the channel.
  readMrkdwn(text, nameOf, act);
  return { text: lines.join("\n"), live };
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function readMrkdwn(
  text: string,
  nameOf: (id: string) => string,
  act: (what: string, shown: string) => string,
): string {
  for (const [, words = ""] of text.matchAll(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g))
    act(`formats ${words}`, "");
  return text
    .replaceAll(/<([^>]*)>/g, (_, inner: string) => {
      const [target = "", label] = inner.split("|", 2);
      if (target.startsWith("@")) return act(`@${nameOf(target.slice(1))}`, `@${nameOf(target.slice(1))}`);
      if (target.startsWith("!date")) return label ?? "";
      return act(target, label ?? target);
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
