import { type Child, jsx as el } from "hono/jsx";

import { isObject } from "#src/base/json.ts";

import { type Fields, fieldsIn, type SlackDrawContext, textOf } from "../context.ts";
import { addressOf, box, drawLink, drawRuns, span } from "../frame.ts";

/** Slack's own markup, as `mrkdwn` texts and messages without blocks have it. */
export function drawMrkdwn(text: string, context: SlackDrawContext): Child[] {
  // A fence ends the line it stands on, so the breaks around it are not drawn again.
  return text.split(/(```[\s\S]+?```)\n?/).flatMap((part): Child[] => {
    const fenced = /^```\n?([\s\S]+?)```$/.exec(part);
    return fenced === null ? lines(part, context) : [pre(decode((fenced[1] ?? "").replace(/\n$/, "")))];
  });
}

function lines(text: string, context: SlackDrawContext): Child[] {
  return drawRuns(
    text,
    (line) => /^(?:&gt;|>) ?(.*)$/s.exec(line)?.[1],
    (quoted) => quote(...inline(quoted.join("\n"), context)),
    (plain) => inline(plain, context),
  );
}

/** A mark counts at the edge of a word only, and around text that begins and ends with a character. */
function marked(mark: string): string {
  return `(?<![\\p{L}\\p{N}])${mark}(?=\\S)([^${mark}\\n]+?)(?<=\\S)${mark}(?![\\p{L}\\p{N}])`;
}

const INLINE = `<([^<>\\n]+)>|\`([^\`\\n]+)\`|${marked("\\*")}|${marked("_")}|${marked("~")}`;

function inline(text: string, context: SlackDrawContext): Child[] {
  const drawn: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(new RegExp(INLINE, "gu"))) {
    if (match.index > at) drawn.push(decode(text.slice(at, match.index)));
    at = match.index + match[0].length;
    const [, reference, coded, bold, italic, struck] = match;
    if (reference !== undefined) drawn.push(drawReference(reference, context));
    else if (coded !== undefined) drawn.push(el("code", { class: "sl-code" }, decode(coded)));
    else if (bold !== undefined) drawn.push(el("strong", null, ...inline(bold, context)));
    else if (italic !== undefined) drawn.push(el("em", null, ...inline(italic, context)));
    else drawn.push(el("s", null, ...inline(struck ?? "", context)));
  }
  if (at < text.length) drawn.push(decode(text.slice(at)));
  return drawn;
}

/** What stands between angle brackets: somebody, somewhere, a time, or an address with its label. */
function drawReference(reference: string, context: SlackDrawContext): Child {
  const [target = "", ...rest] = reference.split("|");
  const label = rest.length === 0 ? undefined : decode(rest.join("|"));
  const group = /^!subteam\^(\w+)$/.exec(target)?.[1];
  if (group !== undefined) return mention("@", group, context);
  if (/^(?:@|!(?:here|channel|everyone)$)/.test(target)) return mention("@", target.slice(1), context);
  if (target.startsWith("#")) return mention("#", target.slice(1), context);
  const address = decode(target);
  if (addressOf(address) !== undefined) return drawLink("sl", address, label ?? address);
  return label ?? `<${decode(reference)}>`;
}

/** The three characters that Slack wants escaped. */
function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The elements of a `rich_text` block, as far as the product sends them. */
export function drawRichText(block: Fields, context: SlackDrawContext): Child[] {
  return fieldsIn(block.elements).map((element) => drawPart(element, context));
}

function drawPart(part: Fields, context: SlackDrawContext): Child {
  const inside = (): Child[] => fieldsIn(part.elements).map((element) => drawElement(element, context));
  switch (part.type) {
    case "rich_text_list":
      return drawList(part, context);
    case "rich_text_preformatted":
      return pre(...inside());
    case "rich_text_quote":
      return quote(...inside());
    default:
      return box("sl-text", ...inside());
  }
}

function drawList(list: Fields, context: SlackDrawContext): Child {
  const indent = Math.min(Number(list.indent ?? 0) || 0, 6);
  return el(
    list.style === "ordered" ? "ol" : "ul",
    {
      class: `sl-list sl-indent-${indent}`,
      start: typeof list.offset === "number" ? String(list.offset + 1) : undefined,
    },
    ...fieldsIn(list.elements).map((item) => el("li", null, drawPart(item, context))),
  );
}

function drawElement(element: Fields, context: SlackDrawContext): Child {
  switch (element.type) {
    case "text":
      return styled(textOf(element.text), element.style);
    case "link":
      return styled(drawLink("sl", element.url, textOf(element.text) || textOf(element.url)), element.style);
    case "user":
      return mention("@", element.user_id, context);
    case "usergroup":
      return mention("@", element.usergroup_id, context);
    case "channel":
      return mention("#", element.channel_id, context);
    case "date":
      return textOf(element.fallback);
    default:
      return textOf(element.text) || `[${textOf(element.type)}]`;
  }
}

/** Elements by the styles of a text, the innermost first. */
const STYLES = { code: "code", bold: "strong", italic: "em", strike: "s", underline: "u" };

function styled(content: Child, style: unknown): Child {
  if (!isObject(style)) return content;
  return Object.entries(STYLES).reduce(
    (inner, [name, tag]) =>
      style[name] === true ? el(tag, name === "code" ? { class: "sl-code" } : null, inner) : inner,
    content,
  );
}

/** A person, channel, group or everybody. */
function mention(sign: "@" | "#", id: unknown, context: SlackDrawContext): Child {
  const known = textOf(id);
  return span("sl-mention", `${sign}${context.name(known) ?? known}`);
}

function pre(...content: Child[]): Child {
  return el("pre", { class: "sl-pre" }, ...content);
}

function quote(...content: Child[]): Child {
  return el("blockquote", { class: "sl-quote" }, ...content);
}
