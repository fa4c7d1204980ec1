import { parse } from "discord-markdown-parser";
import { type Child, jsx as el } from "hono/jsx";

import type { DiscordDrawContext } from "../context.ts";
import { addressOf, type Fields, fieldsIn, textOf } from "../payload.ts";

/** Text with Discord's markup. A backslash makes a character plain; nothing else does. */
export function drawMarkdown(text: string, look: DiscordDrawContext): Child[] {
  return text.split(/(```[\s\S]+?```\n?)/).flatMap((part) => {
    if (part.startsWith("```") && part.length > 6) return nodes(part.trimEnd(), look);
    return withLists(part.split("\n"), look);
  });
}

const ITEM = /^( *)(?:([-*])|(\d{1,9})\.) +(\S.*)$/;

interface Item {
  indent: number;
  /** The number of an ordered item. */
  number: number | undefined;
  text: string;
}

/** The parser knows no lists: their lines are taken out first. */
function withLists(lines: readonly string[], look: DiscordDrawContext): Child[] {
  const drawn: Child[] = [];
  let items: Item[] = [];
  let plain: string[] = [];
  const close = (): void => {
    if (items.length > 0) drawn.push(drawList(items, look));
    if (plain.length > 0) drawn.push(...nodes(plain.join("\n"), look));
    items = [];
    plain = [];
  };
  for (const line of lines) {
    const item = ITEM.exec(line);
    if ((item === null) !== (items.length === 0)) close();
    if (item === null) plain.push(line);
    else {
      const number = item[3] === undefined ? undefined : Number(item[3]);
      items.push({ indent: item[1]?.length ?? 0, number, text: item[4] ?? "" });
    }
  }
  close();
  return drawn;
}

function drawList(items: readonly Item[], look: DiscordDrawContext): Child {
  const [first] = items;
  const base = first?.indent ?? 0;
  const entries: { item: Item; inner: Item[] }[] = [];
  for (const item of items) {
    const last = entries.at(-1);
    if (last !== undefined && item.indent > base) last.inner.push(item);
    else entries.push({ item, inner: [] });
  }
  return el(
    first?.number === undefined ? "ul" : "ol",
    { class: "dc-list", start: first?.number === undefined ? undefined : String(first.number) },
    ...entries.map(({ item, inner }) =>
      el("li", null, ...nodes(item.text, look), inner.length === 0 ? null : drawList(inner, look)),
    ),
  );
}

function nodes(text: string, look: DiscordDrawContext): Child[] {
  return parse(text, "extended").map((node) => drawNode(node as Fields, look));
}

function drawNode(node: Fields, look: DiscordDrawContext): Child {
  const inside = (): Child[] =>
    typeof node.content === "string"
      ? [node.content]
      : fieldsIn(node.content).map((child) => drawNode(child, look));
  switch (node.type) {
    case "strong":
      return el("strong", null, ...inside());
    case "em":
      return el("em", null, ...inside());
    case "underline":
      return el("u", null, ...inside());
    case "strikethrough":
      return el("s", null, ...inside());
    case "spoiler":
      return el("span", { class: "dc-spoiler" }, ...inside());
    case "inlineCode":
      return el("code", { class: "dc-code" }, ...inside());
    case "codeBlock":
      return el("pre", { class: "dc-pre" }, el("code", null, ...inside()));
    case "blockQuote":
      return el("blockquote", { class: "dc-quote" }, ...withoutLastBreak(inside()));
    case "heading":
      return el("div", { class: `dc-heading dc-heading-${Number(node.level)}` }, ...inside());
    case "subtext":
      return el("div", { class: "dc-subtext" }, ...inside());
    case "br":
      return "\n";
    case "link":
    case "url":
    case "autolink":
      return link(node.target, inside());
    case "user":
      return mention(`@${look.name("user", textOf(node.id)) ?? textOf(node.id)}`);
    case "role":
      return mention(`@${look.name("role", textOf(node.id)) ?? textOf(node.id)}`);
    case "channel":
      return mention(`#${look.name("channel", textOf(node.id)) ?? textOf(node.id)}`);
    case "everyone":
    case "here":
      return mention(`@${textOf(node.type)}`);
    case "slashCommand":
      return mention(`/${textOf(node.fullName) || textOf(node.name)}`);
    case "timestamp":
      return drawTime(Number(node.timestamp), textOf(node.format), look.now);
    case "emoji":
      return `:${textOf(node.name)}:`;
    case "twemoji":
      return textOf(node.name);
    default:
      return inside();
  }
}

/** A quote ends with the break of its last line. */
function withoutLastBreak(drawn: Child[]): Child[] {
  return drawn.at(-1) === "\n" ? drawn.slice(0, -1) : drawn;
}

/** Any other scheme than http and https stays text, as at Discord. */
export function link(target: unknown, label: readonly Child[]): Child {
  const href = addressOf(target);
  if (href === undefined) return [...label];
  return el("a", { class: "dc-link", href, target: "_blank", rel: "noreferrer noopener" }, ...label);
}

function mention(text: string): Child {
  return el("span", { class: "dc-mention" }, text);
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

/** A time in one of Discord's styles; in UTC, as nobody knows where the reader is. */
function drawTime(seconds: number, style: string, now: number): Child {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `<t:${seconds}>`;
  const said = new Intl.DateTimeFormat("en-GB", { ...(STYLES[style] ?? STYLES.f), timeZone: "UTC" }).format(
    date,
  );
  return el(
    "time",
    { class: "dc-when", datetime: date.toISOString(), title: `${said} UTC` },
    style === "R" ? distance(seconds - now / 1000) : said,
  );
}

/** "in 23 hours", "5 minutes ago" */
function distance(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat("en-GB").format(Math.trunc(seconds / size), unit);
}
