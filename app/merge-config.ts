import { isDeepStrictEqual } from "node:util";

import {
  Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

import { isObject } from "#src/base/json.ts";

/** Lines to be put into a text. */
interface Insertion {
  at: number;
  lines: string;
}

/** How the library writes what it has to write anew. */
export const STYLE: { lineWidth: 0; flowCollectionPadding: boolean } = {
  lineWidth: 0,
  flowCollectionPadding: false,
};

/**
 * The text of a configuration with `part` in it: keys that it lacks, and items of lists that it lacks. What is there
 * stays as it is to the letter, comments and order included. Only where that cannot be (JSON, and lists in one line) the
 * library writes the file anew, which keeps comments and order as well. `text` has to be valid YAML.
 */
export function mergeConfig(text: string, part: object): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  const wanted = merged(document.toJS(), part);
  const insertions: Insertion[] = [];
  collect(text, document.contents, part, insertions);
  const result = inserted(text, insertions);
  const read = parseDocument(result);
  return read.errors.length === 0 && isDeepStrictEqual(read.toJS(), wanted)
    ? result
    : rewritten(text, wanted);
}

/** Settings as the examples write them: lists of words in one line. */
export function writeConfig(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Seq(_key, seq) {
      if (seq.items.every((item) => isScalar(item))) seq.flow = true;
    },
  });
  return document.toString(STYLE).trimEnd();
}

/** The text with lines behind the last one of a block. */
export function appendTo(text: string, block: YAMLMap | YAMLSeq, lines: string): string {
  const insertions: Insertion[] = [];
  append(text, block, lines, insertions);
  return inserted(text, insertions);
}

function inserted(text: string, insertions: readonly Insertion[]): string {
  let result = text;
  for (const { at, lines } of insertions.toSorted((a, b) => b.at - a.at))
    result = `${result.slice(0, at)}${lines}${result.slice(at)}`;
  return result;
}

/** What there is comes first; items that are there are not there twice. */
function merged(own: unknown, added: unknown): unknown {
  if (own === undefined || own === null) return added;
  if (Array.isArray(own) && Array.isArray(added)) return (own as unknown[]).concat(lacking(own, added));
  if (!isObject(own) || !isObject(added)) return own;
  const all: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(added)) all[key] = merged(all[key], value);
  return all;
}

function lacking(own: readonly unknown[], added: readonly unknown[]): unknown[] {
  return added.filter((item) => !own.some((one) => isDeepStrictEqual(one, item)));
}

function collect(text: string, own: unknown, added: unknown, into: Insertion[]): void {
  if (isSeq(own) && Array.isArray(added)) {
    const items = lacking(own.toJSON(), added);
    if (items.length > 0) append(text, own, writeConfig(items), into);
  }
  if (!isMap(own) || !isObject(added)) return;
  const missing = Object.entries(added).filter(([key]) => !own.has(key));
  if (missing.length > 0) {
    const lines = missing.map(([key, value]) => writeConfig({ [key]: value }));
    append(text, own, lines.join(isRoot(own) ? "\n\n" : "\n"), into);
  }
  for (const [key, value] of Object.entries(added)) collect(text, own.get(key, true), value, into);
}

/** The parts of the whole file are paragraphs. */
function isRoot(block: YAMLMap | YAMLSeq): boolean {
  return (
    isMap(block) && block.srcToken !== undefined && "indent" in block.srcToken && block.srcToken.indent === 0
  );
}

/** Behind the last line of a block, as far to the right as the block is. */
function append(text: string, block: YAMLMap | YAMLSeq, lines: string, into: Insertion[]): void {
  const last = block.items.at(-1);
  const node = isPair(last) ? (last.value ?? last.key) : last;
  const range = (node as { range?: [number, number, number] } | undefined)?.range;
  const token = block.srcToken;
  if (range === undefined || token === undefined || !("indent" in token)) return;
  const end = text.indexOf("\n", text.slice(0, range[1]).trimEnd().length);
  const indent = " ".repeat(token.indent);
  into.push({
    at: end === -1 ? text.length : end,
    lines: (isRoot(block) ? "\n\n" : "\n") + lines.replaceAll(/^(?=.)/gm, indent),
  });
}

function rewritten(text: string, wanted: unknown): string {
  if (text.trimStart().startsWith("{")) return `${JSON.stringify(wanted, null, 2)}\n`;
  const document = parseDocument(text);
  const fill = (path: readonly string[], value: unknown): void => {
    const there = document.getIn(path);
    if (isMap(there) && isObject(value))
      for (const [key, inner] of Object.entries(value)) fill([...path, key], inner);
    else if (isSeq(there) && Array.isArray(value))
      for (const item of value.slice(there.items.length)) document.addIn(path, document.createNode(item));
    else if (there === undefined || there === null) document.setIn(path, document.createNode(value));
  };
  for (const [key, value] of Object.entries(wanted as object)) fill([key], value);
  return document.toString(STYLE);
}
