import { createRequire } from "node:module";
import { extname } from "node:path";

import type * as library from "@vscode/tree-sitter-wasm";

/** What is asked of a syntax tree: names of definitions by their kind, and what code calls, imports and extends. */
interface Grammar {
  wasm: string;
  query: string;
}

const SCRIPT = `
  (function_declaration name: (_) @function)
  (generator_function_declaration name: (_) @function)
  (class_declaration name: (_) @class)
  (method_definition name: (_) @method)
  (program (lexical_declaration (variable_declarator name: (identifier) @constant)))
  (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @constant))))
  (import_statement source: (string (string_fragment) @imports))
  (export_statement source: (string (string_fragment) @imports))
  (call_expression function: (import) arguments: (arguments (string (string_fragment) @imports)))
  (call_expression function: (identifier) @calls)
  (call_expression function: (member_expression property: (property_identifier) @calls))
  (new_expression constructor: (identifier) @calls)`;

const TYPED = `${SCRIPT}
  (abstract_class_declaration name: (_) @class)
  (interface_declaration name: (_) @interface)
  (type_alias_declaration name: (_) @type)
  (enum_declaration name: (_) @enum)
  (extends_clause value: (identifier) @extends)
  (implements_clause (type_identifier) @extends)
  (extends_type_clause (type_identifier) @extends)`;

export const GRAMMARS: Readonly<Record<string, Grammar>> = {
  typescript: { wasm: "typescript", query: TYPED },
  tsx: { wasm: "tsx", query: TYPED },
  javascript: { wasm: "javascript", query: `${SCRIPT} (class_heritage (identifier) @extends)` },
  python: {
    wasm: "python",
    query: `
      (function_definition name: (_) @function)
      (class_definition name: (_) @class)
      (class_definition superclasses: (argument_list (identifier) @extends))
      (class_definition superclasses: (argument_list (attribute attribute: (identifier) @extends)))
      (import_statement name: (dotted_name) @imports)
      (import_statement name: (aliased_import name: (dotted_name) @imports))
      (import_from_statement module_name: (_) @imports)
      (call function: (identifier) @calls)
      (call function: (attribute attribute: (identifier) @calls))`,
  },
  go: {
    wasm: "go",
    query: `
      (function_declaration name: (_) @function)
      (method_declaration name: (_) @method)
      (type_declaration (type_spec name: (_) @type))
      (struct_type (field_declaration_list (field_declaration !name type: (type_identifier) @extends)))
      (import_spec path: (interpreted_string_literal) @imports)
      (call_expression function: (identifier) @calls)
      (call_expression function: (selector_expression field: (_) @calls))`,
  },
  java: {
    wasm: "java",
    query: `
      (class_declaration name: (_) @class)
      (interface_declaration name: (_) @interface)
      (enum_declaration name: (_) @enum)
      (record_declaration name: (_) @class)
      (method_declaration name: (_) @method)
      (constructor_declaration name: (_) @method)
      (superclass (type_identifier) @extends)
      (super_interfaces (type_list (type_identifier) @extends))
      (extends_interfaces (type_list (type_identifier) @extends))
      (import_declaration (scoped_identifier) @imports)
      (method_invocation name: (_) @calls)
      (object_creation_expression type: (type_identifier) @calls)`,
  },
};

/** Languages by suffix. Those without a grammar are cut by their lines. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  py: "python",
  pyi: "python",
  go: "go",
  java: "java",
  rs: "rust",
  rb: "ruby",
  php: "php",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  kt: "kotlin",
  kts: "kotlin",
  swift: "swift",
  scala: "scala",
  ex: "elixir",
  exs: "elixir",
  lua: "lua",
  sh: "bash",
  bash: "bash",
  ps1: "powershell",
  sql: "sql",
  css: "css",
  scss: "css",
  vue: "vue",
  svelte: "svelte",
  tf: "hcl",
  proto: "protobuf",
  graphql: "graphql",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  json: "json",
  ini: "ini",
  dockerfile: "dockerfile",
  makefile: "makefile",
};

/** The language of a file by its name; undefined for one that is no code. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return LANGUAGES[extname(name).slice(1) || name];
}

type Library = typeof library;

export interface CodeReader {
  parser: library.Parser;
  query: library.Query;
}

/** Reads what is written in a language; undefined for one without a grammar. */
export type CodeReaders = (language: string) => Promise<CodeReader | undefined>;

/** Loads tree-sitter when it is first needed, and each grammar with its first file. */
export function createCodeReaders(): CodeReaders {
  const require = createRequire(import.meta.url);
  const file = (name: string): string => require.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`);
  const readers = new Map<string, Promise<CodeReader>>();
  let started: Promise<Library> | undefined;

  async function start(): Promise<Library> {
    const loaded = require("@vscode/tree-sitter-wasm") as Library;
    await loaded.Parser.init({ locateFile: () => file("tree-sitter.wasm") });
    return loaded;
  }

  async function load({ wasm, query }: Grammar): Promise<CodeReader> {
    started ??= start();
    const { Parser, Language, Query } = await started;
    const language = await Language.load(file(`tree-sitter-${wasm}.wasm`));
    const parser = new Parser();
    parser.setLanguage(language);
    return { parser, query: new Query(language, query) };
  }

  return async (language) => {
    const grammar = GRAMMARS[language];
    if (grammar === undefined) return undefined;
    let reader = readers.get(language);
    if (reader === undefined) readers.set(language, (reader = load(grammar)));
    return reader;
  };
}
