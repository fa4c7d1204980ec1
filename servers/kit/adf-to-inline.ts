import type { AdfMark, AdfNode } from "./adf-document.ts";
import {
  attribute,
  childrenOf,
  inlineLabel,
  isInline,
  marksOf,
  plainText,
  textNode,
} from "./adf-document.ts";
import { isSafeLink, MENTION } from "./adf-from-inline.ts";
import { markdownToAdf } from "./adf-from-markdown.ts";

/** Where the line stands: a table cell or heading takes no line breaks, and a cell no bare pipes. */
export type Place = "block" | "line" | "cell";

/**
 * Inline nodes to markdown. Emphasis that markdown cannot express here (around a space, or glued to
 * a word) would change the text when read again: such a line is written without its emphasis.
 */
export function inlineMarkdown(nodes: readonly AdfNode[], place: Place): string {
  const items = nodes.flatMap((node) => toPieces(node));
  const breaks = { block: "\\\n", line: "<br>", cell: "<br>" }[place];
  const write = (marks: readonly string[], every: boolean): string =>
    lines(items)
      .map((line) => atLineStart(render(line, marks, { place, every }).trim()))
      .filter((line) => line !== "")
      .join(breaks);

  const wanted = plainText({ type: "paragraph", content: items });
  const rich = write(["link", "strong", "em", "strike"], false);
  if (!/[*~_`<[]/u.test(rich) || readsAs(rich, place) === wanted) return rich;
  const plain = write(["link"], false);
  return readsAs(plain, place) === wanted ? plain : write([], true);
}

/** The text that is read back from a line of markdown. */
function readsAs(markdown: string, place: Place): string {
  return plainText(markdownToAdf(place === "cell" ? markdown.replaceAll("\\|", "|") : markdown));
}

/** Text nodes stay; other inline nodes become text that says the same. */
function toPieces(node: AdfNode): AdfNode[] {
  switch (node.type) {
    case "text": {
      const text: unknown = node.text;
      if (typeof text !== "string") return [];
      const pieces = text.split("\n").map((part) => textNode(part, marksOf(node)));
      return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [BREAK, piece]));
    }
    case "hardBreak":
      return [BREAK];
    case "mention": {
      const id = attribute(node, "id");
      const name = inlineLabel(node);
      const href = `${MENTION}${encodeURIComponent(id)}`;
      return [textNode(name, id === "" ? [] : [{ type: "link", attrs: { href } }])];
    }
    case "inlineCard": {
      const href = attribute(node, "url");
      return href === "" ? [] : [textNode(href, [{ type: "link", attrs: { href } }])];
    }
    default: {
      if (isInline(node)) return [textNode(inlineLabel(node), marksOf(node))];
      const inner = childrenOf(node);
      if (inner.length > 0) return [textNode(plainText(node))];
      return [textNode(inlineLabel(node))];
    }
  }
}

const BREAK: AdfNode = { type: "hardBreak" };

function lines(items: readonly AdfNode[]): AdfNode[][] {
  const result: AdfNode[][] = [[]];
  for (const item of items) {
    if (item.type === "hardBreak") result.push([]);
    else result.at(-1)?.push(item);
  }
  return result;
}

interface Style {
  place: Place;
  /** Escape every character that markdown could read, not only the likely ones. */
  every: boolean;
}

/** Writes the longest run of nodes that share a mark inside one pair of delimiters. */
function render(items: readonly AdfNode[], open: readonly string[], style: Style): string {
  let out = "";
  for (let index = 0; index < items.length;) {
    const item = items[index];
    if (item === undefined) break;
    let run: { mark: AdfMark; end: number } | undefined;
    for (const mark of marksOf(item)) {
      if (!open.includes(mark.type)) continue;
      let end = index + 1;
      while (end < items.length && hasMark(items[end], mark)) end++;
      if (run === undefined || end > run.end) run = { mark, end };
    }
    if (run === undefined) {
      out += leaf(item, style);
      index++;
      continue;
    }
    const { mark, end } = run;
    const inner = items.slice(index, end);
    const rest = open.filter((type) => type !== mark.type);
    out += wrap(mark, inner, render(inner, rest, style));
    index = end;
  }
  return out;
}

function hasMark(item: AdfNode | undefined, mark: AdfMark): boolean {
  if (item === undefined) return false;
  return marksOf(item).some(
    (other) =>
      other.type === mark.type &&
      (mark.type !== "link" || attribute(other, "href") === attribute(mark, "href")),
  );
}

function wrap(mark: AdfMark, items: readonly AdfNode[], inner: string): string {
  if (mark.type === "link") return linkMarkdown(mark, items, inner);
  const delimiter = { strong: "**", em: "*", strike: "~~" }[mark.type] ?? "";
  // Delimiters must touch the words: spaces move outside.
  const core = inner.trim();
  if (core === "") return inner;
  const start = inner.indexOf(core);
  return `${inner.slice(0, start)}${delimiter}${core}${delimiter}${inner.slice(start + core.length)}`;
}

function linkMarkdown(mark: AdfMark, items: readonly AdfNode[], inner: string): string {
  const href = attribute(mark, "href").trim();
  const isSafe = href.startsWith(MENTION) || isSafeLink(href);
  if (!isSafe || inner.trim() === "") return inner;
  const label = items.map((item) => item.text ?? "").join("");
  if (label === href && /^https?:\/\/[^\s<>|\\]+$/u.test(href)) return `<${href}>`;
  const target = /^[^\s()<>\\|]+$/u.test(href)
    ? href
    : `<${href.replace(/[\s<>\\|]/gu, (char) => encodeURIComponent(char))}>`;
  return `[${inner}](${target})`;
}

function leaf(item: AdfNode, style: Style): string {
  const text = item.text ?? "";
  const isCode = marksOf(item).some(({ type }) => type === "code");
  if (isCode && !style.every && text.trim() !== "") return codeSpan(text, style.place);
  return escape(text, style);
}

function codeSpan(text: string, place: Place): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/u.test(text) ? " " : "";
  const code = place === "cell" ? text.replaceAll("|", "\\|") : text;
  return `${fence}${pad}${code}${pad}${fence}`;
}

function escape(text: string, { place, every }: Style): string {
  const clean = text.replace(/\s+/gu, " ");
  if (every) return clean.replace(/[!-/:-@[-`{-~]/gu, "\\$&");
  const escaped = clean
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/gu, "\\\\")
    .replace(/[*`[\]~]/gu, "\\$&")
    // snake_case needs no escape, and reads better without.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/<(?=[a-z/!?])/giu, "\\<")
    .replace(/&(?=#?[a-z0-9]+;)/giu, "\\&");
  return place === "cell" ? escaped.replaceAll("|", "\\|") : escaped;
}

/** What would start a heading, list, quote, table or rule at the start of a line. */
function atLineStart(line: string): string {
  return line
    .replace(/^(#{1,6})(?=\s|$)/u, "\\$1")
    .replace(/^([-+])(?=\s|$|[-+|])/u, "\\$1")
    .replace(/^([>=|])/u, "\\$1")
    .replace(/^(:)(?=-)/u, "\\$1")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/u, "$1\\$2");
}
