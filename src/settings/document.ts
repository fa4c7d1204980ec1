import { open } from "node:fs/promises";
import {
  type CST,
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  Parser,
} from "yaml";

import { codeOf, messageOf } from "#src/base/errors.ts";

import { ConfigError, type ConfigProblem, type Path } from "./problem.ts";

interface Place {
  line?: number;
  column?: number;
}

/** A configuration file as plain data, with a way back to the text. */
export interface ConfigDocument {
  data: unknown;
  /** Where a value, or else the closest thing around it, stands. */
  placeOf(path: Path): Place;
  /** Where a key of the mapping at `path` stands. */
  placeOfKey(path: Path, key: string): Place;
}

/** What a configuration may be, far above what anybody writes: beyond it lie mistakes and attacks. */
const LIMITS = {
  /** Of the text. */
  bytes: 1_000_000,
  /** Lists and mappings within each other. */
  depth: 64,
  /** Values and keys. */
  values: 30_000,
  /** Of one mapping: the parser compares each key with all others. */
  keys: 2_000,
  /** `*name`: each is looked up in the whole document. */
  aliases: 100,
} as const;

/** The text of a file; `named` is how people know it. Throws a ConfigError. */
export async function readConfigText(file: string, named: string): Promise<string> {
  try {
    return await readBounded(file, named);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const missing = codeOf(cause) === "ENOENT";
    throw new ConfigError(
      [
        {
          file: named,
          path: "",
          expected: "a configuration file",
          found: missing ? "no such file" : messageOf(cause),
          fix: "name one with --config or COUNTERSIGN_CONFIG, or start in the project's folder",
        },
      ],
      { cause },
    );
  }
}

/** Never more than the limit is read, whatever the file says of its size. */
async function readBounded(file: string, named: string): Promise<string> {
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(LIMITS.bytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > LIMITS.bytes)
        throw tooMuch(named, `a file of at most ${LIMITS.bytes} bytes`, "a larger one");
      if (bytesRead === 0) return buffer.toString("utf8", 0, length);
    }
  } finally {
    await handle.close();
  }
}

function tooMuch(named: string, expected: string, found: string, place: Place = {}): ConfigError {
  const fix = "keep data in files of its own, and name them from here";
  return new ConfigError([{ file: named, ...place, path: "", expected, found, fix }]);
}

/**
 * Looks through the tokens of the text, which needs no recursion, before anything is built of them: the
 * parser, the environment and the schemas go down as deep as the text does.
 */
function requireModest(text: string, named: string): void {
  const lineCounter = new LineCounter();
  let values = 0;
  let aliases = 0;
  const waiting: { token: CST.Token; depth: number }[] = [];
  for (const token of new Parser(lineCounter.addNewLine).parse(text)) {
    if (token.type === "document" && token.value !== undefined)
      waiting.push({ token: token.value, depth: 0 });
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    const place = (): Place => placeAt(lineCounter, token.offset);
    values += 1;
    if (token.type === "alias") aliases += 1;
    if (depth > LIMITS.depth)
      throw tooMuch(named, `at most ${LIMITS.depth} levels of lists and mappings`, "more", place());
    if (values > LIMITS.values)
      throw tooMuch(named, `at most ${LIMITS.values} values and keys`, "more", place());
    if (aliases > LIMITS.aliases) throw tooMuch(named, `at most ${LIMITS.aliases} aliases`, "more", place());
    if (!("items" in token)) continue;
    const isList =
      token.type === "block-seq" || (token.type === "flow-collection" && token.start.source === "[");
    if (!isList && token.items.length > LIMITS.keys)
      throw tooMuch(named, `at most ${LIMITS.keys} keys in a mapping`, String(token.items.length), place());
    for (const item of token.items) {
      for (const inner of [item.key, item.value])
        if (inner !== undefined && inner !== null) waiting.push({ token: inner, depth: depth + 1 });
    }
  }
}

/** Reads YAML 1.2, and so JSON. Throws a ConfigError. */
export function parseConfig(text: string, named: string): ConfigDocument {
  const lineCounter = new LineCounter();
  const refuse = (found: string, place: Place = {}): never => {
    throw new ConfigError([{ file: named, ...place, path: "", expected: "YAML or JSON", found }]);
  };
  try {
    requireModest(text, named);
    const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true });
    const problems = [...document.errors, ...document.warnings].map((error): ConfigProblem => ({
      file: named,
      ...placeAt(lineCounter, error.pos[0]),
      path: "",
      expected: "YAML or JSON",
      // The parser quotes no more of the text than the tag or key it stumbled over.
      found: `something else (${error.message})`,
    }));
    if (problems.length > 0) throw new ConfigError(problems);
    return {
      data: document.toJS() ?? {},
      placeOf: (path) => locate(document, lineCounter, path),
      placeOfKey: (path, key) => locateKey(document, lineCounter, path, key),
    };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return refuse(`what the parser gave up on (${messageOf(error)})`);
  }
}

function placeAt(lineCounter: LineCounter, offset: number): Place {
  const { line, col } = lineCounter.linePos(offset);
  return line > 0 ? { line, column: col } : {};
}

function locate(document: Document, lineCounter: LineCounter, path: Path): Place {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return placeAt(lineCounter, node.range[0]);
  }
  return {};
}

function locateKey(document: Document, lineCounter: LineCounter, path: Path, key: string): Place {
  const parent = document.getIn(path, true);
  if (!isMap(parent)) return locate(document, lineCounter, path);
  const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key);
  return isScalar(pair?.key) && pair.key.range
    ? placeAt(lineCounter, pair.key.range[0])
    : locate(document, lineCounter, path);
}

/** A place whose text names a variable that is not set, or is no valid reference. */
interface MissingVariable {
  path: Path;
  /** As written, such as `${JIRA_TOKEN}`. */
  reference: string;
  /** Absent when the reference itself is malformed. */
  name?: string;
}

export interface Substituted {
  data: unknown;
  /** Paths (as JSON) of the texts in which something was replaced. */
  replaced: ReadonlySet<string>;
  missing: readonly MissingVariable[];
}

const OF_TURNS: ReadonlySet<string> = new Set(["${turn.id}", "${channel}", "${actor}"]);

/** `$${` is a literal `${`; the last alternative catches what looks like a reference and is none. */
const reference = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{[^}]*\}?/g;

/** The most that variables may bring in, in characters: one that is named often could fill the memory. */
const MOST_FILLED_IN = 4_000_000;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text value; as in a shell, the default also
 * stands in for an empty variable. Keys are left as they are. Cyclic data,
 * and more than `MOST_FILLED_IN`, is a RangeError.
 */
export function substituteEnv(data: unknown, env: NodeJS.ProcessEnv): Substituted {
  const replaced = new Set<string>();
  const missing: MissingVariable[] = [];
  let filledIn = 0;

  function inText(text: string, path: Path): string {
    return text.replaceAll(
      reference,
      (whole: string, name: string | undefined, fallback: string | undefined) => {
        if (whole === "$${") return "${";
        // Filled in by each turn, and not by the environment.
        if (OF_TURNS.has(whole) && path.includes("fixed_arguments")) return whole;
        replaced.add(JSON.stringify(path));
        if (name === undefined) {
          missing.push({ path, reference: whole });
          return "";
        }
        const value = env[name];
        filledIn += value?.length ?? 0;
        if (filledIn > MOST_FILLED_IN)
          throw new RangeError(`more than ${MOST_FILLED_IN} characters from the environment`);
        if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
        if (value === undefined) missing.push({ path, reference: whole, name });
        return value ?? "";
      },
    );
  }

  function walk(value: unknown, path: Path): unknown {
    if (typeof value === "string") return inText(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  }

  return { data: walk(data, []), replaced, missing };
}
