import { decodeHTMLStrict } from "entities";
import type { Token, Tokens } from "marked";
import type { AdfMark, AdfNode } from "./adf-document.ts";
import { textNode } from "./adf-document.ts";

/** Links to people are written `[@Name](accountid:ID)`, so that an edited page still mentions them. */
export const MENTION = "accountid:";

/** Inline tokens of marked to inline nodes. */
export function inlineNodes(tokens: readonly Token[], marks: readonly AdfMark[] = []): AdfNode[] {
  return merge(tokens.flatMap((token) => inline(token, marks)));
}

export function isHtmlBreak(html: string): boolean {
  return /^\s*<br\s*\/?>\s*$/iu.test(html);
}

function inline(token: Token, marks: readonly AdfMark[]): AdfNode[] {
  switch (token.type) {
    case "strong":
      return inlineNodes(token.tokens ?? [], withMark(marks, { type: "strong" }));
    case "em":
      return inlineNodes(token.tokens ?? [], withMark(marks, { type: "em" }));
    case "del":
      return inlineNodes(token.tokens ?? [], withMark(marks, { type: "strike" }));
    case "codespan": {
      const link = marks.filter(({ type }) => type === "link");
      return text((token as Tokens.Codespan).text, [{ type: "code" }, ...link]);
    }
    case "br":
      return [{ type: "hardBreak" }];
    case "link":
      return link(token as Tokens.Link, marks);
    case "image": {
      const { href, text: alt } = token as Tokens.Image;
      return text(decodeHTMLStrict(alt) || href, withLink(marks, decodeHTMLStrict(href)));
    }
    case "html":
      return isHtmlBreak(token.raw) ? [{ type: "hardBreak" }] : text(token.raw, marks);
    case "escape":
      return text((token as Tokens.Escape).text, marks);
    case "checkbox":
      return [];
    default: {
      const nested = "tokens" in token ? token.tokens : undefined;
      if (nested !== undefined && nested.length > 0) return inlineNodes(nested, marks);
      const value = (token as Tokens.Text).text ?? token.raw;
      return text(decodeHTMLStrict(value).replace(/(?<!\s)\s*\n\s*/gu, " "), marks);
    }
  }
}

function link(token: Tokens.Link, marks: readonly AdfMark[]): AdfNode[] {
  if (token.autolink === true) return text(token.text, withLink(marks, token.href));
  const href = decodeHTMLStrict(token.href);
  const label = inlineNodes(token.tokens, withLink(marks, href));
  const id = href.startsWith(MENTION) ? decode(href.slice(MENTION.length)) : "";
  if (id !== "") {
    const name = label.map((node) => node.text ?? "").join("");
    return [{ type: "mention", attrs: { id, text: name === "" ? `@${id}` : name } }];
  }
  return label.length > 0 ? label : text(href, withLink(marks, href));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function text(value: string, marks: readonly AdfMark[]): AdfNode[] {
  return value === "" ? [] : [textNode(value, marks)];
}

function withMark(marks: readonly AdfMark[], mark: AdfMark): readonly AdfMark[] {
  return marks.some(({ type }) => type === mark.type) ? marks : [...marks, mark];
}

/** A link that could run script is dropped and its label kept. */
function withLink(marks: readonly AdfMark[], href: string): readonly AdfMark[] {
  return isSafeLink(href) ? withMark(marks, { type: "link", attrs: { href } }) : marks;
}

export function isSafeLink(href: string): boolean {
  // Browsers skip spaces and control characters before they read the scheme.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const bare = href.replace(/[\u0000-\u0020\u007f]/gu, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/iu.exec(bare)?.[1]?.toLowerCase();
  if (scheme === undefined) return bare !== "";
  return ["http", "https", "mailto", "tel", "ftp"].includes(scheme);
}

/** Neighbours with the same marks become one text node. */
function merge(nodes: readonly AdfNode[]): AdfNode[] {
  const merged: AdfNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    const same =
      last?.type === "text" &&
      node.type === "text" &&
      JSON.stringify(last.marks) === JSON.stringify(node.marks);
    if (same) merged[merged.length - 1] = { ...last, text: `${last.text}${node.text}` };
    else merged.push(node);
  }
  return merged;
}
