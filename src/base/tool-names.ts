import type { Tool, ToolBox } from "#contract/tool.ts";

import { CountersignError } from "./errors.ts";

/** The tool of this id and no other: a tool of another server may have the id for its name. */
export function toolById(tools: Pick<ToolBox, "find">, id: string): Tool | undefined {
  const tool = tools.find(id);
  return tool?.id === id ? tool : undefined;
}

/**
 * The tool that a person or the configuration names: by its id, or by its bare name where one server alone
 * offers it now. Throws with code `ambiguous_tool` where several do: which one is meant must not hang on
 * which of them is there.
 */
export function namedTool(tools: Pick<ToolBox, "find" | "tools">, name: string): Tool | undefined {
  const exact = toolById(tools, name);
  if (exact !== undefined) return exact;
  const candidates = tools.tools().filter((tool) => tool.name === name);
  if (candidates.length <= 1) return tools.find(name);
  const ids = candidates.map(({ id }) => id).join(", ");
  const message = `Expected one tool, got ${name}, which several servers offer. Write one of these: ${ids}.`;
  throw new CountersignError("ambiguous_tool", message);
}

export interface GlobOptions {
  ignoreCase?: boolean;
}

/**
 * A glob over the names of tools, made ready. `*` stands for any run of any characters, an empty one too, `?` for
 * one character, `{a,b}` for either text. Every other character stands for itself. Servers choose the names, so
 * no character is special in one: a `*` passes over slashes, dots and line breaks. Takes time linear in the name.
 */
export function compileGlob(glob: string, { ignoreCase }: GlobOptions = {}): (text: string) => boolean {
  const fold = (text: string): string[] => Array.from(ignoreCase === true ? text.toLowerCase() : text);
  const patterns = alternatives(glob).map((one) => one.split("*").map(fold));
  return (text) => {
    const letters = fold(text);
    return patterns.some((pieces) => fits(pieces, letters));
  };
}

/**
 * A glob over tool ids. What stands before its first dot is about the server, the rest about the tool, as in an
 * id: names of servers have no dots, so no name of a tool makes it look like another server's. One without a
 * dot is about the bare name.
 */
export function compileToolGlob(glob: string, options: GlobOptions = {}): (toolId: string) => boolean {
  const ofServer = compiledParts(glob, options);
  return (toolId) => {
    const { server, name } = partsOf(toolId);
    return ofServer.some((part) => (part.server?.(server) ?? true) && part.name(name));
  };
}

/** The server and the bare name in a tool's id. */
export function partsOf(toolId: string): { server: string; name: string } {
  const at = toolId.indexOf(".");
  return { server: toolId.slice(0, Math.max(at, 0)), name: toolId.slice(at + 1) };
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text) || BRACES.test(text);
}

/** What of a glob would not mean what other programs take it to mean; undefined where it is one. */
export function globFault(glob: string): string | undefined {
  const odd = /[[\]()!\\]/.exec(glob)?.[0] ?? /[{}]/.exec(glob.replaceAll(EACH_BRACES, ""))?.[0];
  if (odd !== undefined) return `no ${odd} that is not part of {a,b}: globs know *, ? and {a,b}`;
  const count = [...glob.matchAll(EACH_BRACES)].reduce((all, [one]) => all * one.split(",").length, 1);
  return count > MOST_ALTERNATIVES ? `at most ${MOST_ALTERNATIVES} texts, got ${count}` : undefined;
}

const BRACES = /\{([^{},]*(?:,[^{},]*)+)\}/;
const EACH_BRACES = new RegExp(BRACES, "g");
const MOST_ALTERNATIVES = 1_000;

function compiledParts(
  glob: string,
  options: GlobOptions,
): { server?: (text: string) => boolean; name: (text: string) => boolean }[] {
  // Braces may hold the dot: `{jira.get,wiki.read}_page`.
  return alternatives(glob).map((one) => {
    const { server, name } = partsOf(one);
    const parts = { name: compileGlob(name, options) };
    return one.includes(".") ? { ...parts, server: compileGlob(server, options) } : parts;
  });
}

function alternatives(glob: string): string[] {
  const found = BRACES.exec(glob);
  if (found === null) return [glob];
  const before = glob.slice(0, found.index);
  const after = alternatives(glob.slice(found.index + found[0].length));
  return (found[1] ?? "").split(",").flatMap((text) => after.map((rest) => before + text + rest));
}

/** Whether the pieces stand in the text in this order, the first at its start and the last at its end. */
function fits(pieces: readonly string[][], text: readonly string[]): boolean {
  const [first = [], ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text.length === first.length && standsAt(first, text, 0);
  const end = text.length - last.length;
  if (end < first.length || !standsAt(first, text, 0) || !standsAt(last, text, end)) return false;
  let from = first.length;
  for (const piece of others) {
    while (from + piece.length <= end && !standsAt(piece, text, from)) from += 1;
    from += piece.length;
    if (from > end) return false;
  }
  return true;
}

function standsAt(piece: readonly string[], text: readonly string[], at: number): boolean {
  return piece.every((letter, index) => letter === "?" || letter === text[at + index]);
}
