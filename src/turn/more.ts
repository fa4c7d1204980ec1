import type { JsonObject } from "#contract/json.ts";
import type { PlannedOutcome } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { canonicalJson } from "../base/json.ts";
import { hasPages, nextPage, pageAt, pageWish, withoutPage } from "../base/paging.ts";
import { toolById } from "../base/tool-names.ts";
import { en } from "../base/words/en.ts";
import type { Db } from "../store/schema.ts";
import { earlierResults } from "./pages.ts";
import type { PlanSaid } from "./planning.ts";

/** A list as the conversation shows it. */
interface List {
  tool: Tool;
  /** The page that was shown last. */
  last: ToolCallResult;
  /** Pages by their numbers, from 1, as far as they are known. */
  pages: ReadonlyMap<number, ToolCallResult>;
  at: number;
  size: number;
}

/**
 * Reads the last list of a conversation on where the message says only that: "show more", "page 3", "previous
 * page". It takes the server's own cursor, which no model sees. Undefined for every other turn.
 */
export function createPlanMore({ db, tools }: { db: Db; tools: Pick<ToolBox, "find"> }): PlanSaid {
  return async (turn, step) => {
    const wish = turn.call === undefined && turn.undoes === undefined ? pageWish(turn.message) : undefined;
    if (wish === undefined) return undefined;
    const list = listIn(await earlierResults(db, turn), tools);
    if (list === undefined) return undefined;
    const outcome: PlannedOutcome = step > 1 ? { kind: "final", local: true } : outcomeOf(list, wish);
    return { planner: "command", outcome, attempts: [{ raw: turn.message }] };
  };
}

/** The list that the newest turn with results shows; it shows nothing else. */
function listIn(
  results: Awaited<ReturnType<typeof earlierResults>>,
  tools: Pick<ToolBox, "find">,
): List | undefined {
  const shown = results.find(({ toolResults }) => toolResults.length > 0)?.toolResults ?? [];
  const [last, ...others] = shown;
  const tool = last?.ok === true ? toolById(tools, last.toolId) : undefined;
  if (last === undefined || tool === undefined || others.length > 0) return undefined;
  if (!hasPages(tool.inputSchema) || (last.rows ?? 0) === 0) return undefined;
  const listOf = (args: JsonObject): string => canonicalJson(withoutPage(tool.inputSchema, args));
  const same = results
    .flatMap(({ toolResults }) => toolResults)
    .filter((one) => one.ok && one.toolId === last.toolId && listOf(one.args) === listOf(last.args));
  // Only the last page of a list is shorter.
  const size = Math.max(...same.map(({ rows = 0 }) => rows));
  const numberOf = ({ from = 0 }: ToolCallResult): number => Math.round(from / size) + 1;
  const pages = new Map(same.toReversed().map((one) => [numberOf(one), one]));
  return { tool, last, pages, at: numberOf(last), size };
}

function outcomeOf(list: List, wish: number | "next" | "previous"): PlannedOutcome {
  const { tool, last, pages, at, size } = list;
  const { inputSchema } = tool;
  const read = (args: JsonObject): PlannedOutcome => ({
    kind: "calls",
    calls: [{ command: "QUERY", tool: tool.id, args }],
  });
  const say = (message: string): PlannedOutcome => ({ kind: "message", message });
  const wanted = typeof wish === "number" ? wish : at + (wish === "next" ? 1 : -1);
  if (wanted < 1) return say(en.recorded.firstPage());
  const before = wanted === at + 1 ? last : pages.get(wanted - 1);
  const next = before && nextPage(inputSchema, before.args, before.data);
  if (next !== undefined) return read(next.args);
  const known = pages.get(wanted)?.args ?? (wanted === 1 ? withoutPage(inputSchema, last.args) : undefined);
  const args = known ?? pageAt(inputSchema, last, wanted, size);
  if (args !== undefined) return read(args);
  if (before !== undefined) return say(en.recorded.listEnds());
  const furthest = Math.max(...pages.keys());
  return say(en.recorded.pagesInOrder(String(furthest), String(furthest + 1)));
}
