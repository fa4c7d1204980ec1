import { type Child, jsx as el } from "hono/jsx";

import { code, link, mention, pre, quote } from "./inline.ts";
import type { Look } from "./look.ts";
import { addressOf } from "../../chat/draw/wire.ts";

/** Slack's own markup, as `mrkdwn` texts and messages without blocks have it. */
export function drawMrkdwn(text: string, look: Look): Child[] {
  // A fence ends the line it stands on, so the breaks around it are not drawn again.
  return text.split(/(```[\s\S]+?```)\n?/).flatMap((part): Child[] => {
    const fenced = /^```\n?([\s\S]+?)```$/.exec(part);
    return fenced === null ? lines(part, look) : [pre(decode((fenced[1] ?? "").replace(/\n$/, "")))];
  });
}

function lines(text: string, look: Look): Child[] {
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

function inline(text: string, look: Look): Child[] {
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
function drawReference(reference: string, look: Look): Child {
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
