import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PolicyDecision } from "#contract/approval.ts";
import type { Suggest, Suggestion } from "#contract/core.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { toolById } from "../base/tool-names.ts";

/** Where values for an argument come from. */
interface SuggestSource {
  /** Bare name of a read tool of the command's server. */
  tool: string;
  /** The argument that takes what was typed; without one the answers are searched here. */
  query?: string;
  /** Further arguments. */
  args: JsonObject;
  /** Members of each row: the value, and what people see beside it. */
  value: string;
  label?: string;
}

export interface SuggestOptions {
  tools: Pick<ToolBox, "find" | "call">;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  /** By command and argument. */
  sources: (
    command: string,
  ) => { server: string; complete: Readonly<Record<string, SuggestSource>> } | undefined;
}

/** The most rows of an answer that are looked at. */
const MOST = 200;

export function createSuggest({ tools, policy, sources }: SuggestOptions): Suggest {
  return async ({ command, argument, text, channel, signal }) => {
    const { server, complete } = sources(command) ?? { server: "", complete: {} };
    const source = Object.hasOwn(complete, argument) ? complete[argument] : undefined;
    const tool = source === undefined ? undefined : toolById(tools, `${server}.${source.tool}`);
    if (source === undefined || tool === undefined) return [];
    const { query, value, label } = source;
    const args: JsonObject = query === undefined ? source.args : { ...source.args, [query]: text };
    // Nobody is asked about what is only being typed, and nothing is changed by it.
    const { decision, idempotent } = policy(tool, args, channel);
    // A change that policy allows is made through the ledger alone.
    if (decision !== "allow" || !(idempotent || tool.annotations.readOnlyHint === true)) return [];
    const outcome = await tools.call({ tool, args, channel, signal });
    if (!outcome.ok) throw new Error(outcome.error?.message ?? `${tool.id} brought nothing`);
    const found = rowsOf(outcome.data)
      .slice(0, MOST)
      .flatMap((row): Suggestion[] => {
        const own = textAt(row, value);
        const said = label === undefined ? undefined : textAt(row, label);
        if (own === undefined) return [];
        return [{ value: own, label: said === undefined ? own : `${own}  ${said}` }];
      });
    const unique = [...new Map(found.map((one) => [one.value, one])).values()];
    const wanted = text.trim().toLowerCase();
    return query === undefined ? unique.filter((one) => one.label.toLowerCase().includes(wanted)) : unique;
  };
}

/** The first list of a result, wherever it stands. */
function rowsOf(data: JsonValue): JsonValue[] {
  let level: JsonValue[] = [data];
  for (let depth = 0; depth < 4; depth += 1) {
    const list = level.find((value) => Array.isArray(value));
    if (list !== undefined) return list;
    level = level.flatMap((value) => (isObject(value) ? Object.values(value) : []));
  }
  return [];
}

/** `fields.name` of a row; of a row that is text, itself. */
function textAt(row: JsonValue, path: string): string | undefined {
  if (!isObject(row)) return typeof row === "string" ? row : undefined;
  let at: JsonValue | undefined = row;
  for (const step of path.split(".")) {
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return typeof at === "string" || typeof at === "number" ? String(at) : undefined;
}
