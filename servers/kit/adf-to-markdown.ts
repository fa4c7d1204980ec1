import {
  type AdfMark,
  type AdfNode,
  attribute,
  childrenOf,
  inlineLabel,
  isInline,
  marksOf,
  MAX_DEPTH,
  mediaLabel,
  nodesOf,
  plainText,
  textNode,
} from "./adf-document.ts";
import { isSafeLink, MENTION, PANELS, toAdf } from "./adf-from-markdown.ts";

const ALERTS = new Map(Object.entries(PANELS).map(([alert, panel]) => [panel, alert]));

/**
 * An Atlassian document, or any part or wreck of one, to markdown. Never throws: unknown nodes are
 * read as their text or their children, and `null` or anything that is no document as "".
 */
export function fromAdf(doc: unknown): string {
  if (typeof doc === "string") return doc;
  return blocks(nodesOf([doc]), 0).trim();
}

/** Blocks parted by an empty line. Inline nodes that stand among blocks form a paragraph. */
function blocks(nodes: readonly AdfNode[], depth: number, tight = false): string {
  if (depth > MAX_DEPTH) return nodes.map((node) => plainText(node)).join(" ");
  const parts: { text: string; type: string }[] = [];
  let loose: AdfNode[] = [];
  const flush = (): void => {
    const text = inlineMarkdown(loose, "block");
    if (text !== "") parts.push({ text, type: "paragraph" });
    loose = [];
  };
  let alternate = false;
  for (const node of nodes) {
    if (isInline(node)) {
      loose.push(node);
      continue;
    }
    flush();
    // Two neighbouring lists would read as one: the second gets the other marker.
    const before = parts.at(-1)?.type;
    const joins = isBullets(node.type) ? isBullets(before) : before === node.type;
    alternate = joins && !alternate;
    const text = block(node, depth, alternate);
    if (text.trim() !== "") parts.push({ text, type: node.type });
  }
  flush();
  return parts
    .map(({ text, type }, index) => {
      if (index === 0) return text;
      const isNested = tight && type.endsWith("List") && parts[index - 1]?.type === "paragraph";
      return `${isNested ? "\n" : "\n\n"}${text}`;
    })
    .join("");
}

function isBullets(type: string | undefined): boolean {
  return type === "bulletList" || type === "taskList" || type === "decisionList";
}

function block(node: AdfNode, depth: number, alternate: boolean): string {
  const content = childrenOf(node);
  switch (node.type) {
    case "paragraph":
    case "caption":
      return inlineMarkdown(content, "block");
    case "heading": {
      const level = Math.min(6, Math.max(1, Math.trunc(Number(attribute(node, "level"))) || 1));
      const title = inlineMarkdown(content, "line").replace(/(\s|^)(#+)$/u, "$1\\$2");
      return title === "" ? "" : `${"#".repeat(level)} ${title}`;
    }
    case "bulletList":
    case "decisionList":
      return items(content, depth, () => (alternate ? "* " : "- "));
    case "taskList":
      return tasks(content, depth, alternate ? "*" : "-");
    case "orderedList": {
      const start = Math.max(0, Math.trunc(Number(attribute(node, "order") || "1")) || 0);
      return items(content, depth, (index) => `${start + index}${alternate ? ")" : "."} `);
    }
    case "codeBlock":
      return codeBlock(node);
    case "blockquote":
      return prefixed(blocks(content, depth + 1), "> ");
    case "panel": {
      const alert = ALERTS.get(attribute(node, "panelType")) ?? "NOTE";
      return `> [!${alert}]\n${prefixed(blocks(content, depth + 1), "> ")}`;
    }
    case "rule":
      return "---";
    case "expand":
    case "nestedExpand": {
      const title = escapeHtml(attribute(node, "title") || "Details");
      const body = blocks(content, depth + 1);
      return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
    }
    case "table":
      return tableMarkdown(content);
    case "media":
      return media(node);
    case "blockCard":
    case "embedCard":
      return inlineMarkdown([{ ...node, type: "inlineCard" }], "block");
    case "extension":
    case "bodiedExtension": {
      if (content.length > 0) return blocks(content, depth + 1);
      const name = attribute(node, "text") || attribute(node, "extensionKey");
      return name === "" ? "" : escaped(`(macro: ${name})`, "block");
    }
    default: {
      if (content.length > 0) return blocks(content, depth + 1);
      return escaped(typeof node.text === "string" ? node.text : attribute(node, "text"), "block");
    }
  }
}

/** Text that has no marks. */
function escaped(text: string, place: InlineContext): string {
  return inlineMarkdown([{ type: "text", text }], place);
}

function items(list: readonly AdfNode[], depth: number, marker: (index: number) => string): string {
  return list
    .map((item, index) => {
      const mark = marker(index);
      const body = blocks(isInline(item) ? [item] : childrenOf(item), depth + 1, true);
      return `${mark}${indented(body, mark.length)}`.trimEnd();
    })
    .join("\n");
}

function tasks(list: readonly AdfNode[], depth: number, bullet: string): string {
  return list
    .map((item) => {
      if (item.type === "taskList") {
        if (depth > MAX_DEPTH) return `${bullet} ${plainText(item)}`;
        return `  ${indented(tasks(childrenOf(item), depth + 1, bullet), 2)}`;
      }
      const box = attribute(item, "state") === "DONE" ? "[x]" : "[ ]";
      // A box without words after it is not read as a task.
      const body = blocks(childrenOf(item), depth + 1, true) || "<br>";
      return `${bullet} ${box} ${indented(body, 2)}`;
    })
    .join("\n");
}

function codeBlock(node: AdfNode): string {
  const code = childrenOf(node)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
  const fence = ticksAround(code, 3);
  const language = attribute(node, "language").replace(/[\s`]/gu, "");
  return `${fence}${language}\n${code}\n${fence}`;
}

function media(node: AdfNode): string {
  const url = attribute(node, "url");
  const link = marksOf(node).find(({ type }) => type === "link");
  const href = url || (link === undefined ? "" : attribute(link, "href"));
  const label = mediaLabel(node);
  const text =
    href === ""
      ? textNode(label, [{ type: "em" }])
      : textNode(attribute(node, "alt") || label, [{ type: "link", attrs: { href } }]);
  return inlineMarkdown([text], "block");
}

function prefixed(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`.trimEnd())
    .join("\n");
}

/** All lines but the first moved right; empty lines stay empty. */
function indented(text: string, width: number): string {
  const pad = " ".repeat(width);
  return text
    .split("\n")
    .map((line, index) => (index === 0 || line === "" ? line : `${pad}${line}`))
    .join("\n");
}

function escapeHtml(text: string): string {
  return text.replace(/\s+/gu, " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A table in GitHub's markdown: the first row is its head; blocks in a cell become lines. */
function tableMarkdown(rows: readonly AdfNode[]): string {
  const cells = rows.map((row) => childrenOf(row).flatMap(cellTexts));
  const width = Math.max(0, ...cells.map((row) => row.length));
  if (width === 0) return "";
  const [head, ...body] = cells.map(
    (row) => `| ${Array.from({ length: width }, (_, column) => row[column] ?? "").join(" | ")} |`,
  );
  return [head, `|${" --- |".repeat(width)}`, ...body].join("\n");
}

/** The text of a cell, followed by empty cells where it spans columns. */
function cellTexts(cell: AdfNode): string[] {
  const span = Math.min(50, Math.max(1, Math.trunc(Number(attribute(cell, "colspan"))) || 1));
  const lines = cellLines(childrenOf(cell));
  return [lines.join("<br>"), ...Array.from({ length: span - 1 }, () => "")];
}

function cellLines(nodes: readonly AdfNode[]): string[] {
  if (nodes.some(isInline)) return [inlineMarkdown(nodes, "cell")].filter((line) => line !== "");
  return nodes.flatMap((node) => {
    const content = childrenOf(node);
    switch (node.type) {
      case "paragraph":
      case "heading":
        return cellLines(content);
      case "bulletList":
      case "orderedList":
      case "taskList":
      case "decisionList":
        return content.map((item) => `• ${escaped(plainText(item), "cell")}`);
      case "codeBlock":
        return content.flatMap(({ text }) =>
          (text ?? "")
            .split("\n")
            .filter((line) => line.trim() !== "")
            .map((line) => inlineMarkdown([textNode(line, [{ type: "code" }])], "cell")),
        );
      default:
        return [escaped(plainText(node), "cell")].filter((line) => line !== "");
    }
  });
}

/** Where the line stands: a table cell or heading takes no line breaks, and a cell no bare pipes. */
type InlineContext = "block" | "line" | "cell";

/**
 * Inline nodes to markdown. Emphasis that markdown cannot express here (around a space, or glued to
 * a word) would change the text when read again: such a line is written without its emphasis.
 */
function inlineMarkdown(nodes: readonly AdfNode[], place: InlineContext): string {
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
function readsAs(markdown: string, place: InlineContext): string {
  return plainText(toAdf(place === "cell" ? markdown.replaceAll("\\|", "|") : markdown));
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
      const href = `${MENTION}${encodeURIComponent(id)}`;
      return [textNode(inlineLabel(node), id === "" ? [] : [{ type: "link", attrs: { href } }])];
    }
    case "inlineCard": {
      const href = attribute(node, "url");
      return href === "" ? [] : [textNode(href, [{ type: "link", attrs: { href } }])];
    }
    default:
      if (isInline(node)) return [textNode(inlineLabel(node), marksOf(node))];
      return [textNode(childrenOf(node).length > 0 ? plainText(node) : inlineLabel(node))];
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
  place: InlineContext;
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
  return isCode && !style.every && text.trim() !== "" ? codeSpan(text, style.place) : escape(text, style);
}

/** More backticks than the text has in a row, and at least `least`. */
function ticksAround(text: string, least: number): string {
  return "`".repeat(Math.max(least, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length + 1)));
}

function codeSpan(text: string, place: InlineContext): string {
  const fence = ticksAround(text, 1);
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
