import { isDeepStrictEqual } from "node:util";

import { type Document, isMap, isNode, isPair, isScalar, isSeq, parseDocument, type YAMLMap } from "yaml";

import { isObject } from "#src/base/json.ts";
import type { Path } from "#src/settings/problem.ts";

import { appendTo, STYLE, writeConfig } from "./merge-config.ts";

/**
 * The text of a configuration with this value at this path; undefined takes it out. What stands elsewhere stays as it
 * is to the letter. Only where that cannot be (JSON, and lists in one line that grow) the library writes the file anew,
 * which keeps comments and order as well. `text` has to be valid YAML.
 */
export function setConfig(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (isDeepStrictEqual(toPlain(document.getIn(path, true)), value)) return text;
  const wanted = parseDocument(text);
  if (value === undefined) wanted.deleteIn(path);
  else wanted.setIn(path, wanted.createNode(value));
  const spliced = splice(text, document, path, value);
  if (spliced !== undefined) {
    const read = parseDocument(spliced);
    if (read.errors.length === 0 && isDeepStrictEqual(read.toJS(), wanted.toJS())) return spliced;
  }
  return isJson(text) ? `${JSON.stringify(wanted.toJS(), null, 2)}\n` : wanted.toString(STYLE);
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith("{");
}

function toPlain(node: unknown): unknown {
  return isNode(node) ? node.toJSON() : node;
}

function splice(text: string, document: Document, path: Path, value: unknown): string | undefined {
  const node = document.getIn(path, true);
  if (value === undefined) return isNode(node) ? withoutLines(text, document, path) : text;
  if (isNode(node) && node.range) {
    const [from, to] = node.range;
    // A block ends behind its last line end.
    const end = from + text.slice(from, to).trimEnd().length;
    const written = isJson(text) ? JSON.stringify(value) : inPlace(document, path, value);
    const before = text.slice(0, from);
    const isBlock = written.startsWith("\n");
    // What stood below its key may stand beside it now, and the other way round.
    const gap = /:\s*\n\s*$/.test(before) && !written.includes("\n") ? " " : "";
    const kept = isBlock || gap !== "" ? before.trimEnd() : before;
    return `${kept}${gap}${written}${text.slice(end)}`;
  }
  const parent = deepest(document, path);
  if (parent === undefined) return undefined;
  const [key, ...rest] = path.slice(parent.path.length);
  const added = rest.reduceRight((inner, name) => ({ [name]: inner }), value);
  return appendTo(text, parent.map, writeConfig({ [String(key)]: added }));
}

/** Without the lines of an entry, or of an item of a list, and those of the comment right above. */
function withoutLines(text: string, document: Document, path: Path): string | undefined {
  const node = document.getIn(path, true);
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined;
  const first = isScalar(pair?.key) ? pair.key : node;
  if (!isNode(node) || !isNode(first) || !node.range || !first.range || blockIndent(parent) === undefined)
    return undefined;
  const [from] = first.range;
  const [valueFrom, to] = node.range;
  let start = text.lastIndexOf("\n", from - 1) + 1;
  for (;;) {
    const above = text.lastIndexOf("\n", start - 2) + 1;
    if (start === 0 || !/^\s*#/.test(text.slice(above, start))) break;
    start = above;
  }
  const last = valueFrom + text.slice(valueFrom, to).trimEnd().length;
  const end = text.indexOf("\n", Math.max(last, from) - 1);
  return text.slice(0, start) + (end === -1 ? "" : text.slice(end + 1));
}

/** As a block below its key where it has several parts and may be one, else in one line. */
function inPlace(document: Document, path: Path, value: unknown): string {
  const parent = document.getIn(path.slice(0, -1), true);
  const indent = blockIndent(parent ?? document.contents);
  const isLarge = (isObject(value) && Object.keys(value).length > 1) || isListOfObjects(value);
  const node = document.getIn(path, true);
  if (!isLarge || indent === undefined) return isObject(value) ? JSON.stringify(value) : writeConfig(value);
  const isBlock = blockIndent(node) !== undefined;
  const lines = writeConfig(value).replaceAll(/^(?=.)/gm, " ".repeat(indent + 2));
  // A block that is there begins on a line of its own, behind its blanks.
  return isBlock ? lines.trimStart() : `\n${lines}`;
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item));
}

/** How far to the right a block stands; undefined for what stands in one line. */
function blockIndent(node: unknown): number | undefined {
  if (!isMap(node) && !isSeq(node)) return undefined;
  const token = node.srcToken;
  return token !== undefined && "indent" in token && token.type.startsWith("block-")
    ? token.indent
    : undefined;
}

/** The nearest mapping around a path that is written as a block with something in it. */
function deepest(document: Document, path: Path): { map: YAMLMap; path: Path } | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const at = path.slice(0, length);
    const node = length === 0 ? document.contents : document.getIn(at, true);
    if (!isMap(node)) {
      if (node === undefined) continue;
      return undefined;
    }
    return blockIndent(node) !== undefined && node.items.every((item) => isPair(item))
      ? { map: node, path: at }
      : undefined;
  }
  return undefined;
}
