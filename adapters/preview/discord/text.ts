import { parse } from "discord-markdown-parser";
import { type Child, jsx as el } from "hono/jsx";

import { type DiscordDrawContext, type Fields, fieldsIn, textOf } from "../context.ts";
import { box, drawLink, drawRuns, span } from "../frame.ts";

/** Text with Discord's markup. A backslash makes a character plain; nothing else does. */
export function drawMarkdown(text: string, context: DiscordDrawContext): Child[] {
  return text.split(/(```[\s\S]+?```\n?)/).flatMap((part) => {
    if (part.startsWith("```") && part.length > 6) return nodes(part.trimEnd(), context);
    // The parser knows no lists: their lines are taken out first.
    return drawRuns(
      part,
      readItem,
      (items) => drawList(items, context),
      (text) => nodes(text, context),
    );
  });
}

const ITEM = /^( *)(?:([-*])|(\d{1,9})\.) +(\S.*)$/;

/** `number`: that of an ordered item. */
type Item = Record<"indent" | "text", string> & { number: string | undefined };

function readItem(line: string): Item | undefined {
  const [whole, indent = "", , number, text = ""] = ITEM.exec(line) ?? [];
  return whole === undefined ? undefined : { indent, number, text };
}

function drawList(items: readonly Item[], context: DiscordDrawContext): Child {
  const [first] = items;
  const base = first?.indent.length ?? 0;
  const entries: { item: Item; inner: Item[] }[] = [];
  for (const item of items) {
    const last = entries.at(-1);
    if (last !== undefined && item.indent.length > base) last.inner.push(item);
    else entries.push({ item, inner: [] });
  }
  return el(
    first?.number === undefined ? "ul" : "ol",
    { class: "dc-list", start: first?.number === undefined ? undefined : String(Number(first.number)) },
    ...entries.map(({ item, inner }) =>
      el("li", null, ...nodes(item.text, context), inner.length === 0 ? null : drawList(inner, context)),
    ),
  );
}

function nodes(text: string, context: DiscordDrawContext): Child[] {
  return parse(text, "extended").map((node) => drawNode(node as Fields, context));
}

/** Elements by the kind of their node. */
const TAGS: Readonly<Record<string, string>> = {
  strong: "strong",
  em: "em",
  underline: "u",
  strikethrough: "s",
};

function drawNode(node: Fields, context: DiscordDrawContext): Child {
  const inside =
    typeof node.content === "string"
      ? [node.content]
      : fieldsIn(node.content).map((child) => drawNode(child, context));
  const type = textOf(node.type);
  const tag = TAGS[type];
  if (tag !== undefined) return el(tag, null, ...inside);
  switch (type) {
    case "spoiler":
      return span("dc-spoiler", ...inside);
    case "inlineCode":
      return el("code", { class: "dc-code" }, ...inside);
    case "codeBlock":
      return el("pre", { class: "dc-pre" }, el("code", null, ...inside));
    case "blockQuote":
      // A quote ends with the break of its last line.
      return el(
        "blockquote",
        { class: "dc-quote" },
        ...inside.slice(0, inside.at(-1) === "\n" ? -1 : undefined),
      );
    case "heading":
      return box(`dc-heading dc-heading-${Number(node.level)}`, ...inside);
    case "subtext":
      return box("dc-subtext", ...inside);
    case "br":
      return "\n";
    case "link":
    case "url":
    case "autolink":
      return drawLink("dc", node.target, ...inside);
    case "user":
    case "role":
    case "channel": {
      const id = textOf(node.id);
      return span("dc-mention", `${type === "channel" ? "#" : "@"}${context.name(type, id) ?? id}`);
    }
    case "everyone":
    case "here":
      return span("dc-mention", `@${type}`);
    case "slashCommand":
      return span("dc-mention", `/${textOf(node.fullName) || textOf(node.name)}`);
    case "timestamp":
      return drawTime(Number(node.timestamp), textOf(node.format), context.now);
    case "emoji":
      return `:${textOf(node.name)}:`;
    case "twemoji":
      return textOf(node.name);
    default:
      return inside;
  }
}

/** Styles of `<t:SECONDS:STYLE>`, https://discord.com/developers/docs/reference#message-formatting */
const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** A time in one of Discord's styles: in UTC until the page's script, which knows where the reader is, shows theirs. */
function drawTime(seconds: number, style: string, now: number): Child {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `<t:${seconds}>`;
  const said = new Intl.DateTimeFormat("en-GB", { ...(STYLES[style] ?? STYLES.f), timeZone: "UTC" }).format(
    date,
  );
  return el(
    "time",
    {
      class: "dc-when",
      datetime: date.toISOString(),
      ...(style === "R" ? { title: `${said} UTC` } : { "data-clock": true }),
    },
    style === "R" ? distance(seconds - now / 1000) : said,
  );
}

/** "in 23 hours", "5 minutes ago" */
function distance(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat("en-GB").format(Math.trunc(seconds / size), unit);
}
