import { posix } from "node:path";

import type { Definition, Relation } from "../service/index-store.ts";
import type { CodeReader } from "./code-language.ts";

/** A class up to this length is one piece; longer, its members are. In characters. */
const WHOLE_CLASS = 1500;
/** A piece beyond this is cut by its lines. */
const MOST = 2000;
const SIZE = 1000;
const OVERLAP = 200;
/** How long reading the syntax of one file may take, in milliseconds. */
const PARSE_MS = 5_000;

export interface CodePiece {
  name: string;
  kind: string;
  /** From 1; both are part of it. */
  start: number;
  end: number;
  text: string;
}

export interface ReadCode {
  pieces: CodePiece[];
  definitions: Definition[];
  relations: Relation[];
}

interface Unit {
  name: string;
  kind: string;
  /** Rows from 0; both are part of it. */
  from: number;
  to: number;
  chars: number;
}

/** A constant shorter than that is read with what stands around it: alone it says little, and crowds out what does. */
const SMALL = 200;

const CONTAINERS = new Set(["class", "interface"]);

/** Code by its symbols, with what they have to do with others. Without a reader it is cut by its lines. */
export function chunkCode(text: string, path: string, reader: CodeReader | undefined): ReadCode {
  const lines = text.split("\n");
  const read = reader === undefined ? undefined : readSyntax(text, path, reader);
  if (read === undefined)
    return { pieces: [...byLines(lines, 0, lines.length - 1, "", "lines")], definitions: [], relations: [] };
  const units = toUnits(read.units, lines);
  const pieces: CodePiece[] = [];
  let next = 0;
  for (const { name, kind, from, to } of units) {
    const start = Math.max(from, next);
    if (start > to) continue;
    pieces.push(...byLines(lines, next, start - 1, "", "module"));
    pieces.push(...byLines(lines, start, to, name, kind));
    next = to + 1;
  }
  pieces.push(...byLines(lines, next, lines.length - 1, "", "module"));
  const definitions = read.units.map(({ name, kind, from }) => ({ name, kind, line: from + 1 }));
  return { pieces, definitions, relations: read.relations };
}

function readSyntax(
  text: string,
  path: string,
  { parser, query }: CodeReader,
): { units: Unit[]; relations: Relation[] } | undefined {
  const deadline = performance.now() + PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    const units: Unit[] = [];
    const uses: { kind: Relation["kind"]; target: string; row: number }[] = [];
    for (const { name: kind, node } of query.captures(tree.rootNode)) {
      const row = node.startPosition.row;
      if (kind === "calls" || kind === "imports" || kind === "extends") {
        uses.push({ kind, target: node.text.slice(0, 300), row });
        continue;
      }
      const { parent } = node;
      const isInner = parent?.type === "variable_declarator" || parent?.type === "type_spec";
      const whole = (isInner ? parent?.parent : parent) ?? node;
      units.push({
        name: node.text.slice(0, 200),
        kind,
        from: whole.startPosition.row,
        to: whole.endPosition.row,
        chars: whole.endIndex - whole.startIndex,
      });
    }
    return { units, relations: toRelations(units, uses, path) };
  } finally {
    tree.delete();
  }
}

function toRelations(
  units: Unit[],
  uses: { kind: Relation["kind"]; target: string; row: number }[],
  path: string,
): Relation[] {
  const found = new Map<string, Relation>();
  const open: Unit[] = [];
  let next = 0;
  // Both stand in the order of the text.
  for (const { kind, target: named, row } of uses) {
    for (let unit = units[next]; unit !== undefined && unit.from <= row; unit = units[++next])
      open.push(unit);
    while ((open.at(-1)?.to ?? row) < row) open.pop();
    const around = open.filter(({ from, to }) => from <= row && row <= to);
    const inner =
      kind === "extends"
        ? around.findLast(({ kind: of }) => of !== "method" && of !== "function")
        : around.at(-1);
    const origin = kind === "imports" ? path : (inner?.name ?? path);
    const within = around.findLast((unit) => CONTAINERS.has(unit.kind) && unit !== inner)?.name ?? "";
    const target = kind === "imports" ? moduleOf(named, path) : named;
    const key = `${kind}\n${origin}\n${target}`;
    if (!found.has(key)) found.set(key, { kind, origin, within, target, line: row + 1 });
  }
  return [...found.values()];
}

/** The module that an import names; one that is named from here as a path in its repository. */
function moduleOf(named: string, path: string): string {
  const name = named.replaceAll(/^["'`]|["'`]$/g, "");
  return /^\.\.?(?:\/|$)/.test(name) ? posix.join(posix.dirname(path), name) : name;
}

/** What becomes a piece of its own: nothing within another, save the members of a long class. With the comments above. */
function toUnits(found: Unit[], lines: string[]): Unit[] {
  const units: Unit[] = [];
  let container: Unit | undefined;
  for (const [at, unit] of found.entries()) {
    if (unit.from <= (units.at(-1)?.to ?? -1)) continue;
    if (unit.kind === "constant" && unit.chars < SMALL) continue;
    if (container !== undefined && unit.to > container.to) container = undefined;
    const name = container === undefined ? unit.name : `${container.name}.${unit.name}`;
    const from = withCommentsAbove(lines, unit.from);
    const member = found[at + 1];
    const hasMembers = member !== undefined && member.from > unit.from && member.to <= unit.to;
    if (CONTAINERS.has(unit.kind) && unit.chars > WHOLE_CLASS && hasMembers) {
      container = unit;
      units.push({ ...unit, name, from, to: Math.max(unit.from, withCommentsAbove(lines, member.from) - 1) });
    } else units.push({ ...unit, name, from });
  }
  return units;
}

function withCommentsAbove(lines: string[], row: number): number {
  let first = row;
  while (first > 0 && /^\s*(?:\/\/|\/?\*|#|@|"""|--)/.test(lines[first - 1] ?? "")) first -= 1;
  return first;
}

/** Some lines as pieces of about 1,000 characters, each with the last lines of the one before. */
function* byLines(
  lines: string[],
  first: number,
  last: number,
  name: string,
  kind: string,
): Generator<CodePiece> {
  const piece = (from: number, to: number): CodePiece[] => {
    const text = lines.slice(from, to + 1).join("\n");
    return text.trim() === "" ? [] : [{ name, kind, start: from + 1, end: to + 1, text }];
  };
  const length = (from: number, to: number): number =>
    lines.slice(from, to + 1).reduce((sum, line) => sum + line.length + 1, 0);
  if (length(first, last) <= MOST) {
    yield* piece(first, last);
    return;
  }
  let from = first;
  let chars = 0;
  for (let row = first; row <= last; row += 1) {
    const more = (lines[row]?.length ?? 0) + 1;
    if (chars + more > SIZE && row > from) {
      yield* piece(from, row - 1);
      let back = row;
      for (let kept = 0; back > from + 1 && kept + (lines[back - 1]?.length ?? 0) < OVERLAP; back -= 1)
        kept += (lines[back - 1]?.length ?? 0) + 1;
      from = back;
      chars = length(from, row - 1);
    }
    chars += more;
  }
  yield* piece(from, last);
}
