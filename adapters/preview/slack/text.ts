import { type Child, jsx as el } from "hono/jsx";
import type { Token, Tokens } from "marked";

import { readMarkdown } from "../../document/markdown.ts";

import type { SlackDrawContext } from "../context.ts";
import { addressOf, type Fields, fieldsIn, isFields, textOf } from "../payload.ts";

/** Slack's own markup, as `mrkdwn` texts and messages without blocks have it. */
export function drawMrkdwn(text: string, look: SlackDrawContext): Child[] {
  // A fence ends the line it stands on, so the breaks around it are not drawn again.
  return text.split(/(```[\s\S]+?```)\n?/).flatMap((part): Child[] => {
    const fenced = /^```\n?([\s\S]+?)```$/.exec(part);
    return fenced === null ? lines(part, look) : [pre(decode((fenced[1] ?? "").replace(/\n$/, "")))];
  });
}

function lines(text: string, look: SlackDrawContext): Child[] {
  const drawn: Child[] = [];
  let quoted: string[] = [];
  let plain: string[] = [];
  const close = (): void => {
    if (quoted.length > 0) drawn.push(quote(...inline(quoted.join("\n"), look)));
    if (plain.length > 0) drawn.push(...inline(plain.join("\n"), look));
    quoted = [];
    plain = [];
  };
  for (const line of text.split("\n")) {
    const isQuoted = /^(?:&gt;|>)/.exec(line);
    if ((isQuoted === null) !== (quoted.length === 0)) close();
    if (isQuoted === null) plain.push(line);
    else quoted.push(line.slice(isQuoted[0].length).replace(/^ /, ""));
  }
  close();
  return drawn;
}

/** A mark counts at the edge of a word only, and around text that begins and ends with a character. */
function marked(mark: string): string {
  return `(?<![\\p{L}\\p{N}])${mark}(?=\\S)([^${mark}\\n]+?)(?<=\\S)${mark}(?![\\p{L}\\p{N}])`;
}

function patterns(): RegExp {
  return new RegExp(`<([^<>\\n]+)>|\`([^\`\\n]+)\`|${marked("\\*")}|${marked("_")}|${marked("~")}`, "gu");
}

function inline(text: string, look: SlackDrawContext): Child[] {
  const drawn: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(patterns())) {
    if (match.index > at) drawn.push(decode(text.slice(at, match.index)));
    at = match.index + match[0].length;
    const [, reference, coded, bold, italic, struck] = match;
    if (reference !== undefined) drawn.push(drawReference(reference, look));
    else if (coded !== undefined) drawn.push(code(decode(coded)));
    else if (bold !== undefined) drawn.push(el("strong", null, ...inline(bold, look)));
    else if (italic !== undefined) drawn.push(el("em", null, ...inline(italic, look)));
    else drawn.push(el("s", null, ...inline(struck ?? "", look)));
  }
  if (at < text.length) drawn.push(decode(text.slice(at)));
  return drawn;
}

/** What stands between angle brackets: somebody, somewhere, a time, or an address with its label. */
function drawReference(reference: string, look: SlackDrawContext): Child {
  const [target = "", ...rest] = reference.split("|");
  const label = rest.length === 0 ? undefined : decode(rest.join("|"));
  const group = /^!subteam\^(\w+)$/.exec(target)?.[1];
  if (group !== undefined) return mention("@", group, look);
  if (target.startsWith("@")) return mention("@", target.slice(1), look);
  if (target.startsWith("#")) return mention("#", target.slice(1), look);
  if (/^!(?:here|channel|everyone)$/.test(target)) return mention("@", target.slice(1), look);
  const address = decode(target);
  if (addressOf(address) !== undefined) return link(address, label ?? address);
  return label ?? `<${decode(reference)}>`;
}

/** The three characters that Slack wants escaped. */
function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The text of a `markdown` block. HTML in it is text, and an image is its description. */
export function drawMarkdown(text: string): Child[] {
  return readMarkdown(text).map(drawBlock);
}

function drawBlock(token: Token): Child {
  switch (token.type) {
    case "heading":
      return el("div", { class: "sl-heading" }, ...children(token));
    case "paragraph":
    case "text":
      return el("div", { class: "sl-text" }, ...children(token));
    case "code":
      return pre((token as Tokens.Code).text);
    case "blockquote":
      return quote(...((token as Tokens.Blockquote).tokens ?? []).map(drawBlock));
    case "hr":
      return el("hr", { class: "sl-divider" });
    case "list": {
      const { ordered, items } = token as Tokens.List;
      const drawn = items.map((item) => el("li", null, ...item.tokens.map(drawBlock)));
      return el(ordered ? "ol" : "ul", { class: "sl-list" }, ...drawn);
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const row = (tag: "th" | "td", cells: readonly Tokens.TableCell[]): Child =>
        el("tr", null, ...cells.map((cell) => el(tag, null, ...cell.tokens.map(drawInline))));
      return el("table", { class: "sl-table" }, row("th", header), ...rows.map((cells) => row("td", cells)));
    }
    case "space":
    case "def":
      return null;
    default:
      return el("div", { class: "sl-text" }, token.raw);
  }
}

function children(token: Token): Child[] {
  return "tokens" in token && token.tokens !== undefined ? token.tokens.map(drawInline) : [token.raw];
}

function drawInline(token: Token): Child {
  switch (token.type) {
    case "strong":
      return el("strong", null, ...children(token));
    case "em":
      return el("em", null, ...children(token));
    case "del":
      return el("s", null, ...children(token));
    case "codespan":
      return code((token as Tokens.Codespan).text);
    case "br":
      return el("br", null);
    case "link":
      return link((token as Tokens.Link).href, (token as Tokens.Link).text);
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? children(token) : (token as Tokens.Text).text;
    default:
      return token.raw;
  }
}

/** The elements of a `rich_text` block. */
export function drawRichText(block: Fields, look: SlackDrawContext): Child[] {
  return fieldsIn(block.elements).map((element) => drawPart(element, look));
}

function drawPart(part: Fields, look: SlackDrawContext): Child {
  const inside = (): Child[] => fieldsIn(part.elements).map((element) => drawElement(element, look));
  switch (part.type) {
    case "rich_text_list":
      return drawList(part, look);
    case "rich_text_preformatted":
      return pre(...inside());
    case "rich_text_quote":
      return quote(...inside());
    default:
      return el("div", { class: "sl-text" }, ...inside());
  }
}

function drawList(list: Fields, look: SlackDrawContext): Child {
  const indent = Math.min(Number(list.indent ?? 0) || 0, 6);
  return el(
    list.style === "ordered" ? "ol" : "ul",
    {
      class: `sl-list sl-indent-${indent}`,
      start: typeof list.offset === "number" ? String(list.offset + 1) : undefined,
    },
    ...fieldsIn(list.elements).map((item) => el("li", null, drawPart(item, look))),
  );
}

function drawElement(element: Fields, look: SlackDrawContext): Child {
  switch (element.type) {
    case "text":
      return styled(textOf(element.text), element.style);
    case "link":
      return styled(link(element.url, textOf(element.text) || textOf(element.url)), element.style);
    case "user":
      return mention("@", element.user_id, look);
    case "usergroup":
      return mention("@", element.usergroup_id, look);
    case "channel":
      return mention("#", element.channel_id, look);
    case "broadcast":
      return mention("@", element.range, look);
    case "emoji":
      return emoji(element.name, element.unicode);
    case "date":
      return textOf(element.fallback) || new Date(Number(element.timestamp) * 1000).toUTCString();
    case "color":
      return code(textOf(element.value));
    default:
      return textOf(element.text) || `[${textOf(element.type)}]`;
  }
}

function styled(content: Child, style: unknown): Child {
  if (!isFields(style)) return content;
  let drawn = style.code === true ? el("code", { class: "sl-code" }, content) : content;
  if (style.bold === true) drawn = el("strong", null, drawn);
  if (style.italic === true) drawn = el("em", null, drawn);
  if (style.strike === true) drawn = el("s", null, drawn);
  if (style.underline === true) drawn = el("u", null, drawn);
  return drawn;
}

export function link(url: unknown, label: string): Child {
  const href = addressOf(url);
  if (href === undefined) return label;
  return el("a", { class: "sl-link", href, target: "_blank", rel: "noreferrer noopener" }, label);
}

/** A person, channel, group or everybody. */
function mention(sign: "@" | "#", id: unknown, look: SlackDrawContext): Child {
  const known = textOf(id);
  return el("span", { class: "sl-mention" }, `${sign}${look.name(known) ?? known}`);
}

function code(text: string): Child {
  return el("code", { class: "sl-code" }, text);
}

function pre(...content: Child[]): Child {
  return el("pre", { class: "sl-pre" }, ...content);
}

function quote(...content: Child[]): Child {
  return el("blockquote", { class: "sl-quote" }, ...content);
}

/** Characters from their code points, as Slack sends an emoji: `1f44d-1f3fd`. */
function emoji(name: unknown, unicode: unknown): Child {
  const points = textOf(unicode).split("-");
  const isKnown = points.every(
    (point) => /^[0-9a-f]{1,6}$/i.test(point) && parseInt(point, 16) <= 0x10_ff_ff,
  );
  return isKnown ? String.fromCodePoint(...points.map((point) => parseInt(point, 16))) : `:${textOf(name)}:`;
}
