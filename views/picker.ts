import { compileGlob, compileToolGlob, isGlob } from "#src/base/tool-names.ts";

/**
 * What the configuration maps a tool to. Keys are tool ids (`jira.get_issue`), bare names or globs over either. An
 * id goes before a name, a name before a glob, and among globs the first one that matches counts.
 */
export function createPicker<Value>(
  config: Readonly<Record<string, Value>>,
): (tool: { id: string; name: string }) => Value | undefined {
  const entries = Object.entries(config);
  const exact = new Map(entries.filter(([key]) => !isGlob(key)));
  const globs = entries
    .filter(([key]) => isGlob(key))
    .map(([key, value]) => ({ overId: compileToolGlob(key), overName: compileGlob(key), value }));
  return ({ id, name }) =>
    exact.get(id) ??
    exact.get(name) ??
    globs.find(({ overId, overName }) => overId(id) || overName(name))?.value;
}
