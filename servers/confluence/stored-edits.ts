import { type ChildNode, type Element, isCDATA, isTag, isText as isTextNode } from "domhandler";
import { decodeHTML, encodeXML } from "entities";
import { parseDocument } from "htmlparser2";

import { attribute, isInline, MAX_DEPTH, paragraph, plainText, textNode } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { fromAdf } from "../kit/adf-to-markdown.ts";
import {
  asRow,
  checkedCells,
  edited,
  isItemsOf,
  isPlainLine,
  grownUnder,
  type Line,
  type Section,
  placesOf,
} from "./page-edits.ts";
import { toStorage } from "./storage.ts";
import { rowsIn, withRowsInAdf, withRowsInStorage } from "./table-rows.ts";

// The same as `page-edits.ts` of what Confluence keeps, to the letter: its storage format first, then Atlassian documents.

const LEAVES: ReadonlySet<string> = new Set(
  "p li h1 h2 h3 h4 h5 h6 td th ac:task-body ac:plain-text-body".split(" "),
);
const BLOCKS: ReadonlySet<string> = new Set([
  ...LEAVES,
  ..."ul ol table blockquote pre ac:task-list".split(" "),
]);
/** What stands in these is no text of the page. */
const SILENT: ReadonlySet<string> = new Set("ac:parameter ac:task-id ac:task-status script style".split(" "));

function parsed(stored: string): ChildNode[] {
  const options = { xmlMode: true, decodeEntities: false, withStartIndices: true, withEndIndices: true };
  return parseDocument(stored, options).children;
}

function childrenIn(node: ChildNode): ChildNode[] {
  return isTag(node) && !SILENT.has(node.name) ? node.children : [];
}

function elementsIn(nodes: readonly ChildNode[], depth = 0): Element[] {
  if (depth > MAX_DEPTH) return [];
  return nodes.flatMap((node) => (isTag(node) ? [node, ...elementsIn(childrenIn(node), depth + 1)] : []));
}

interface Piece {
  data: string;
  start: number;
  end: number;
  isCode: boolean;
}

function piecesIn(node: ChildNode, depth = 0): Piece[] {
  if (depth > MAX_DEPTH) return [];
  if (isTextNode(node)) {
    const [start, end] = [node.startIndex ?? 0, (node.endIndex ?? 0) + 1];
    return [{ data: decodeHTML(node.data), start, end, isCode: false }];
  }
  if (isCDATA(node)) {
    // What stands in it has no places of its own.
    const [start, end] = [
      (node.startIndex ?? 0) + "<![CDATA[".length,
      (node.endIndex ?? 0) + 1 - "]]>".length,
    ];
    return node.children.flatMap((child) =>
      isTextNode(child) ? [{ data: child.data, start, end, isCode: true }] : [],
    );
  }
  return childrenIn(node).flatMap((child) => piecesIn(child, depth + 1));
}

/** As Markdown has it, where white space is one space. */
function textIn(node: ChildNode): string {
  const text = piecesIn(node).map(({ data }) => data);
  return text.join("").replace(/\s+/g, " ").trim();
}

/** Where an element begins and ends in what is stored, its tags included, and where what is in it does. */
function spanOf(
  element: Element,
  stored: string,
): { start: number; end: number; inner: number; close: number } {
  const [start, end] = [element.startIndex ?? 0, (element.endIndex ?? 0) + 1];
  // A value of an attribute may hold ">", so what is in an element is told by its children.
  const inner = element.children[0]?.startIndex ?? stored.indexOf(">", start) + 1;
  return { start, end, inner, close: (element.children.at(-1)?.endIndex ?? inner - 1) + 1 };
}

function storedLines(stored: string): Line<string>[] {
  const isLeaf = (one: Element): boolean =>
    LEAVES.has(one.name) && !one.children.some((child) => isTag(child) && BLOCKS.has(child.name));
  return elementsIn(parsed(stored)).flatMap((one) =>
    isLeaf(one) ? [leafLine(one, stored)] : one.name === "tr" ? [storedRow(one, stored)] : [],
  );
}

function leafLine(leaf: Element, stored: string): Line<string> {
  const text = textIn(leaf);
  const isCode = leaf.name === CODE;
  return {
    text,
    put(now) {
      const holder = now === undefined ? holderOf(leaf) : leaf;
      const { start, end, inner, close } = spanOf(holder, stored);
      if (now === undefined && !/^t[dh]$/.test(holder.name))
        return stored.slice(0, start) + stored.slice(end);
      const own = isCode ? inCode(now ?? "") : encodeXML(now ?? "");
      return stored.slice(0, inner) + own + stored.slice(close);
    },
    splice(from, to, now) {
      const old = text.slice(from, to);
      const places = piecesIn(leaf).flatMap((piece) =>
        placesOf(piece.data, old).map((at) => ({ piece, at })),
      );
      const [place, ...others] = places;
      if (place === undefined || others.length > 0) return undefined;
      const { piece, at } = place;
      const data = piece.data.slice(0, at) + now + piece.data.slice(at + old.length);
      const whole = piece.isCode ? withoutEnd(data) : encodeXML(data);
      return stored.slice(0, piece.start) + whole + stored.slice(piece.end);
    },
    ...boxIn(leaf, stored),
    ...(isCode || isInCell(leaf) ? {} : { follow: (more) => followed(leaf, more, stored) }),
  };
}

function isInCell({ name, parent }: Element): boolean {
  return /^t[dh]$/.test(name) || (parent !== null && isTag(parent) && isInCell(parent));
}

function boxIn(leaf: Element, stored: string): Pick<Line<string>, "box"> {
  const task = leaf.name === "ac:task-body" ? leaf.parent : leaf.parent?.parent;
  const status =
    task !== null && task !== undefined && isTag(task) && task.name === "ac:task"
      ? task.children.find((child): child is Element => isTag(child) && child.name === "ac:task-status")
      : undefined;
  if (status === undefined) return {};
  const { inner, close } = spanOf(status, stored);
  const isDone = stored.slice(inner, close).trim() === "complete";
  const put = (state: string): string => stored.slice(0, inner) + state + stored.slice(close);
  return { box: { isDone, turned: () => put(isDone ? "incomplete" : "complete") } };
}

/** A stored text with a line behind one: as an item of its list where it is one. */
function followed(leaf: Element, more: string, stored: string): string {
  let item = leaf;
  while (!/^(?:li|ac:task)$/.test(item.name) && item.parent !== null && isTag(item.parent))
    item = item.parent;
  const isItem = /^(?:li|ac:task)$/.test(item.name);
  const { end } = spanOf(isItem ? item : leaf, stored);
  const made = toStorage(isItem ? `${item.name === "li" ? "- " : "- [ ] "}${more}` : more);
  const list = isItem ? parsed(made).find((node) => isTag(node)) : undefined;
  const own = list && spanOf(list, made);
  return stored.slice(0, end) + (own ? made.slice(own.inner, own.close) : made) + stored.slice(end);
}

const CODE = "ac:plain-text-body";

function inCode(text: string): string {
  return `<![CDATA[${withoutEnd(text)}]]>`;
}

/** What would end a CDATA section is parted over two. */
function withoutEnd(text: string): string {
  return text.replaceAll("]]>", "]]]]><![CDATA[>");
}

function storedRow(row: Element, stored: string): Line<string> {
  const cells = row.children.filter(isTag);
  const texts = cells.map(textIn);
  return {
    text: asRow(texts),
    isRow: true,
    put(now) {
      const { start, end } = spanOf(row, stored);
      if (now === undefined) return stored.slice(0, start) + stored.slice(end);
      const said = checkedCells(now, texts);
      // From the last, so that the places of those before stay.
      return cells.reduceRight((text, cell, at) => {
        if (said[at] === texts[at]) return text;
        const { inner, close } = spanOf(cell, stored);
        return `${text.slice(0, inner)}<p>${encodeXML(said[at] ?? "")}</p>${text.slice(close)}`;
      }, stored);
    },
    splice: () => undefined,
  };
}

/** The element that goes with a line: the item, and the list, whose only line it is. */
function holderOf(element: Element): Element {
  const { parent } = element;
  const isOnly = parent !== null && isTag(parent) && parent.children.filter(isTag).length === 1;
  const isShell =
    isOnly && ["li", "ul", "ol", "blockquote", "td", "th", "ac:task-list"].includes(parent.name);
  if (element.name === "ac:task-body" && parent !== null && isTag(parent)) return holderOf(parent);
  return isShell && !/^t[dh]$/.test(element.name) ? holderOf(parent) : element;
}

/** As `withText`, of what Confluence stores. */
export function withTextInStorage(stored: string, old: string, now: string): string {
  return edited(storedLines(stored), old, now);
}

/** As `withMore`, of what Confluence stores. */
export function withMoreInStorage(stored: string, more: string): string {
  const last = parsed(stored).findLast((node) => !isTextNode(node) || node.data.trim() !== "");
  const list = last !== undefined && isTag(last) ? last : undefined;
  if (list === undefined || !isItemsOf(LIST_TYPES[list.name], more)) return stored + toStorage(more);
  return withItems(stored, list, toStorage(more));
}

const LIST_TYPES: Readonly<Record<string, string>> = {
  ul: "bulletList",
  ol: "orderedList",
  "ac:task-list": "taskList",
};

/** A stored text with the items of a list, stored as well, behind those of one of its lists. */
function withItems(stored: string, list: Element, items: string): string {
  const made = parsed(items).find((node) => isTag(node));
  const own = made === undefined ? undefined : spanOf(made, items);
  const { close } = spanOf(list, stored);
  return own === undefined
    ? stored
    : stored.slice(0, close) + items.slice(own.inner, own.close) + stored.slice(close);
}

/** As `withMoreUnder`, of what Confluence stores. */
export function withMoreUnderInStorage(stored: string, under: string, more: string): string {
  const levelOf = (node: ChildNode): number =>
    isTag(node) ? Number(/^h([1-6])$/.exec(node.name)?.[1] ?? 0) : 0;
  const sectionsIn = (nodes: readonly ChildNode[]): Section<string>[] =>
    nodes.flatMap((node, at) => {
      const level = levelOf(node);
      const inside = sectionsIn(childrenIn(node));
      if (level === 0) return inside;
      const rest = nodes.slice(at + 1);
      const next = rest.findIndex((other) => levelOf(other) > 0 && levelOf(other) <= level);
      const own = (next === -1 ? rest : rest.slice(0, next)).filter(
        (one) => !isTextNode(one) || one.data.trim() !== "",
      );
      const [start, last] = [(node.endIndex ?? 0) + 1, own.at(-1) ?? node];
      return [{ heading: textIn(node), grown: (text) => grownSection(stored, start, last, text) }, ...inside];
    });
  return grownUnder(under, more, { sections: sectionsIn(parsed(stored)), lines: storedLines(stored) });
}

function grownSection(stored: string, start: number, last: ChildNode, more: string): string {
  const end = (last.endIndex ?? 0) + 1;
  const rows = rowsIn(more);
  if (rows !== undefined)
    return stored.slice(0, start) + withRowsInStorage(stored.slice(start, end), rows) + stored.slice(end);
  if (isTag(last) && LIST_TYPES[last.name] !== undefined && isPlainLine(more))
    return withItems(
      stored,
      last,
      toStorage(`${last.name === "ac:task-list" ? "- [ ] " : "- "}${more.trim()}`),
    );
  return stored.slice(0, end) + toStorage(more) + stored.slice(end);
}

type Node = Record<string, unknown> & { type: string };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function contentOf(node: Node): readonly unknown[] {
  return Array.isArray(node["content"]) ? (node["content"] as unknown[]) : [];
}

function isText(node: unknown): node is Node & { text: string } {
  return isNode(node) && node.type === "text" && typeof node["text"] === "string";
}

/** The lines of blocks; `rebuilt` gives the whole that has these blocks in place of the given ones. */
function adfLines(
  blocks: readonly unknown[],
  rebuilt: (blocks: unknown[]) => unknown[],
  depth = 0,
): Line<unknown[]>[] {
  if (depth > MAX_DEPTH) return [];
  return blocks.flatMap((block, at): Line<unknown[]>[] => {
    if (!isNode(block) || SILENT_NODES.has(block.type)) return [];
    const content = contentOf(block);
    const put = (now: readonly unknown[]): unknown[] => {
      const isGone = now.length === 0 && !/^table(?:Cell|Header)$/.test(block.type);
      if (isGone) return rebuilt(blocks.toSpliced(at, 1));
      // A cell has to hold a paragraph, be it an empty one.
      const own = now.length === 0 ? [{ type: "paragraph", content: [] }] : now;
      return rebuilt(blocks.with(at, { ...block, content: [...own] }));
    };
    if (block.type === "tableRow") return [rowLine(block, put), ...adfLines(content, put, depth + 1)];
    const behind = (more: readonly unknown[]): unknown[] => rebuilt(blocks.toSpliced(at + 1, 0, ...more));
    const follow = (more: string): unknown[] => behind(itemsOf(block.type, more) ?? toAdf(more).content);
    if (!content.some((child) => isNode(child) && isInline(child))) {
      const lines = adfLines(content, put, depth + 1);
      if (block.type === "tableCell" || block.type === "tableHeader")
        return lines.map((line) => ({ ...line, follow: undefined }));
      // What stands in an item is followed by an item, and a list within it is a list of its own.
      const own = content.filter((child) => isNode(child) && !LISTS.has(child.type)).length;
      return block.type === "listItem"
        ? lines.map((line, nth) => (nth < own ? { ...line, follow } : line))
        : lines;
    }
    const text = plainText(block);
    return [
      {
        text,
        ...(block.type === "codeBlock" ? {} : { follow }),
        ...(block.type === "taskItem" ? { box: boxOf(block, (item) => rebuilt(blocks.with(at, item))) } : {}),
        put: (now) => put(now === undefined ? [] : [{ type: "text", text: now }]),
        splice(start, end, now) {
          const old = text.slice(start, end);
          const places = content.flatMap((child, index) =>
            isText(child) ? placesOf(child.text, old).map((from) => ({ child, index, from })) : [],
          );
          const [place, ...others] = places;
          if (place === undefined || others.length > 0) return undefined;
          const { child, index, from } = place;
          const whole = child.text.slice(0, from) + now + child.text.slice(from + old.length);
          // An empty text is refused by Confluence.
          return put(
            whole === "" ? content.toSpliced(index, 1) : content.with(index, { ...child, text: whole }),
          );
        },
      },
    ];
  });
}

function boxOf(item: Node, put: (item: Node) => unknown[]): NonNullable<Line<unknown[]>["box"]> {
  const { attrs } = item;
  const own = typeof attrs === "object" && attrs !== null ? attrs : {};
  const isDone = "state" in own && own.state === "DONE";
  return { isDone, turned: () => put({ ...item, attrs: { ...own, state: isDone ? "TODO" : "DONE" } }) };
}

/** A text as an item beside one of such a type; undefined where that is none. */
function itemsOf(type: string, more: string): readonly unknown[] | undefined {
  if (type !== "listItem" && type !== "taskItem") return undefined;
  const [list] = toAdf(`${type === "taskItem" ? "- [ ] " : "- "}${more}`).content;
  return list?.content;
}

/** What stands in these is no text of the page. */
const SILENT_NODES: ReadonlySet<string> = new Set(["extension", "bodiedExtension", "mediaSingle"]);

function rowLine(row: Node, put: (cells: readonly unknown[]) => unknown[]): Line<unknown[]> {
  const cells = contentOf(row);
  const texts = cells.map((cell) => plainText(cell));
  return {
    text: asRow(texts),
    isRow: true,
    put(now) {
      if (now === undefined) return put([]);
      const said = checkedCells(now, texts);
      return put(
        cells.map((cell, at) => {
          const text = said[at] ?? "";
          if (text === texts[at] || !isNode(cell)) return cell;
          return { ...cell, content: [paragraph(text === "" ? [] : [textNode(text)])] };
        }),
      );
    },
    splice: () => undefined,
  };
}

/** As `withText`, of the blocks of an Atlassian document. */
export function withTextInAdf(blocks: readonly unknown[], old: string, now: string): unknown[] {
  return edited(
    adfLines(blocks, (all) => all),
    old,
    now,
  );
}

/** As `withMore`, of the blocks of an Atlassian document. */
export function withMoreInAdf(blocks: readonly unknown[], more: string): unknown[] {
  const last = blocks.at(-1);
  if (!isNode(last) || !isItemsOf(last.type, more)) return [...blocks, ...toAdf(more).content];
  return withItemsInAdf(blocks, last, more);
}

function withItemsInAdf(blocks: readonly unknown[], last: Node, more: string): unknown[] {
  const [list] = toAdf(more).content;
  return blocks.with(blocks.length - 1, { ...last, content: [...contentOf(last), ...(list?.content ?? [])] });
}

/** As `withMoreUnder`, of the blocks of an Atlassian document. */
export function withMoreUnderInAdf(blocks: readonly unknown[], under: string, more: string): unknown[] {
  const whole = (all: unknown[]): unknown[] => all;
  return grownUnder(under, more, { sections: adfSections(blocks, whole), lines: adfLines(blocks, whole) });
}

function adfSections(
  blocks: readonly unknown[],
  rebuilt: (blocks: unknown[]) => unknown[],
  depth = 0,
): Section<unknown[]>[] {
  if (depth > MAX_DEPTH) return [];
  const levelOf = (block: unknown): number =>
    isNode(block) && block.type === "heading" ? Number(attribute(block, "level")) : 0;
  return blocks.flatMap((block, at): Section<unknown[]>[] => {
    const level = levelOf(block);
    if (!isNode(block)) return [];
    if (level === 0)
      return adfSections(
        contentOf(block),
        (inner) => rebuilt(blocks.with(at, { ...block, content: inner })),
        depth + 1,
      );
    const next = blocks.findIndex(
      (other, index) => index > at && levelOf(other) > 0 && levelOf(other) <= level,
    );
    const end = next === -1 ? blocks.length : next;
    const own = blocks.slice(at + 1, end);
    return [
      {
        heading: plainText(block),
        grown: (more) =>
          rebuilt([...blocks.slice(0, at + 1), ...grownBlocks(own, more), ...blocks.slice(end)]),
      },
    ];
  });
}

const LISTS: ReadonlySet<string> = new Set(["bulletList", "orderedList", "taskList"]);

function grownBlocks(section: readonly unknown[], more: string): unknown[] {
  const rows = rowsIn(more);
  if (rows !== undefined) return withRowsInAdf(section, fromAdf({ type: "doc", content: section }), rows);
  const last = section.at(-1);
  if (!isNode(last) || !LISTS.has(last.type) || !isPlainLine(more))
    return [...section, ...toAdf(more).content];
  return withItemsInAdf(section, last, `${last.type === "taskList" ? "- [ ] " : "- "}${more.trim()}`);
}
