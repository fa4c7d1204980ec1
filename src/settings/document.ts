import { readFile } from "node:fs/promises";

import { LineCounter, isMap, isNode, isPair, isScalar, parseDocument } from "yaml";
import type { Document } from "yaml";

import { codeOf, messageOf } from "#src/base/errors.ts";

import { ConfigError } from "./problem.ts";
import type { ConfigProblem, Path } from "./problem.ts";

export interface Place {
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

/** The text of a file; `named` is how people know it. Throws a ConfigError. */
export async function readConfigText(file: string, named: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
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

/** Reads YAML 1.2, and so JSON. Throws a ConfigError. */
export function parseConfig(text: string, named: string): ConfigDocument {
  const lineCounter = new LineCounter();
  const refuse = (found: string, place: Place = {}): never => {
    throw new ConfigError([{ file: named, ...place, path: "", expected: "YAML or JSON", found }]);
  };
  try {
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
