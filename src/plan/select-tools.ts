import type { PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { estimateTokens } from "./model-text.ts";
import { describeTool } from "./planner-prompt.ts";
import type { ToolMeaning } from "./tool-meaning.ts";
import { argumentNames, createWordSearch } from "./word-search.ts";

type SelectInput = Pick<PlanInput, "message" | "tools" | "history" | "observations" | "conversationId"> & {
  quote?: PlanInput["quote"];
};

/** Puts the tools that matter for a message into the prompt. Rejects only when the signal aborts. */
export type SelectTools = (input: SelectInput, signal: AbortSignal) => Promise<Tool[]>;

export type ToolSelector = SelectTools & {
  /** Works out ahead of time what the first request would wait for; whether there is something to choose. */
  prepare(tools: readonly Tool[]): Promise<boolean>;
};

/** What is worked out once for a catalogue. */
interface Catalogue {
  tools: readonly Tool[];
  byId: ReadonlyMap<string, Tool>;
  isSmall: boolean;
  keyed: string[];
  people: string[];
}

/** The first prompt of a conversation leaves room: later ones add tools to it rather than begin anew. */
const FIRST_SHARE = 0.7;
const REMEMBERED_CONVERSATIONS = 1_000;
/** So many of the best stand before what is only likely for another reason. */
const BEST = 12;
/** How many of the best may come to a conversation's tools with one request, beside those it has used. */
const NEW_AT_ONCE = 10;
/** Channels offer different parts of the tools. */
const REMEMBERED_CATALOGUES = 8;

/**
 * A selector that leaves a catalogue as it is that fits into `budget` tokens, and of a larger one takes
 * the best by BM25 over names, descriptions and argument names, with synonyms and room for typos, and by
 * meaning where `byMeaning` ranks them. What a conversation's earlier prompts held stays in, in its place,
 * so that prompts share their beginning and a model server need not read it again.
 */
export function createToolSelector(budget: number, byMeaning?: ToolMeaning["rank"]): ToolSelector {
  const words = createWordSearch();
  const sizeOf = createToolSizes();
  const held = new Map<string, string[]>();
  const catalogues: Catalogue[] = [];

  /** Tools are never changed in place: the same ones, in the same order, are the same catalogue. */
  function catalogueOf(tools: Tool[]): Catalogue {
    const at = catalogues.findIndex(
      (one) => one.tools.length === tools.length && one.tools.every((tool, place) => tool === tools[place]),
    );
    const catalogue = catalogues.splice(at, at === -1 ? 0 : 1)[0] ?? {
      tools,
      byId: new Map(tools.map((tool) => [tool.id, tool])),
      isSmall: areSmall(tools, budget, sizeOf),
      keyed: tools.filter(takesKey).map(({ id }) => id),
      people: tools.filter(takesPerson).map(({ id }) => id),
    };
    catalogues.unshift(catalogue);
    catalogues.length = Math.min(catalogues.length, REMEMBERED_CATALOGUES);
    return catalogue;
  }

  /** All tools, the best first; those that the conversation has used before all others. */
  function rank(input: SelectInput, catalogue: Catalogue, near: readonly string[]): string[] {
    const used = usedIn(input);
    const said = [input.message, input.quote?.text.slice(0, 500) ?? ""].join(" ");
    const found = words.search(said, catalogue.byId);
    const hits = near.length === 0 ? found : fuse([found, near]);
    const best = hits.slice(0, near.length === 0 ? BEST : 2 * BEST);
    const namesKey = /\b[A-Za-z][A-Za-z0-9]{1,9}-\d+\b/.test(said);
    const keyed = namesKey ? catalogue.keyed : [];
    // "the second one", "close it": most likely something of the server that was asked before.
    const servers = new Set(used.map((id) => id.split(".", 1)[0]));
    const beside =
      servers.size === 0 ? [] : input.tools.filter(({ server }) => servers.has(server)).map(({ id }) => id);
    const people = takesPeople(said) ? catalogue.people : [];
    return [...new Set([...used, ...best, ...keyed, ...beside, ...people, ...hits])];
  }

  async function select(input: SelectInput, signal: AbortSignal): Promise<Tool[]> {
    const { tools, conversationId } = input;
    const catalogue = catalogueOf(tools);
    if (catalogue.isSmall) return tools;
    const { byId } = catalogue;
    const near = (await byMeaning?.(input, signal)) ?? [];
    const ranked = rank(input, catalogue, near).flatMap((id) => byId.get(id) ?? []);
    const before = (conversationId === undefined ? [] : (held.get(conversationId) ?? [])).flatMap(
      (id) => byId.get(id) ?? [],
    );
    const news = ranked.slice(0, new Set(usedIn(input)).size + NEW_AT_ONCE);
    const chosen = extend(before, news) ?? fresh(ranked);
    if (conversationId !== undefined) remember(conversationId, chosen);
    return chosen;
  }

  async function prepare(tools: readonly Tool[]): Promise<boolean> {
    if (areSmall(tools, budget, sizeOf)) return false;
    await words.prepare(tools);
    return true;
  }

  return Object.assign(select, { prepare });

  /** What was there, and behind it what is new among the best; undefined where that does not fit. */
  function extend(before: Tool[], news: Tool[]): Tool[] | undefined {
    if (before.length === 0) return undefined;
    const there = new Set(before);
    const added = fill(news, (budget * FIRST_SHARE) / 2).filter((tool) => !there.has(tool));
    const all = [...before, ...added];
    return all.reduce((sum, tool) => sum + sizeOf(tool), 0) <= budget ? all : undefined;
  }

  /** The order is the catalogue's, which is the same whatever the request. */
  function fresh(ranked: Tool[]): Tool[] {
    return fill(ranked, budget * FIRST_SHARE).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  function fill(ranked: Tool[], room: number): Tool[] {
    let left = room;
    return ranked.filter((tool) => {
      if (sizeOf(tool) > left) return false;
      left -= sizeOf(tool);
      return true;
    });
  }

  function remember(conversationId: string, chosen: Tool[]): void {
    held.delete(conversationId);
    held.set(
      conversationId,
      chosen.map(({ id }) => id),
    );
    for (const oldest of held.keys()) {
      if (held.size <= REMEMBERED_CONVERSATIONS) break;
      held.delete(oldest);
    }
  }
}

/** What the conversation has called, or asked about. */
function usedIn({ observations, history }: SelectInput): string[] {
  return [
    ...observations.map(({ tool }) => tool),
    ...history.flatMap(({ calls, question }) => [
      ...calls.map(({ tool }) => tool),
      ...(question === undefined ? [] : [question.tool]),
    ]),
  ];
}

/** "what about DEMO-3": a tool that needs a key. */
function takesKey(tool: Tool): boolean {
  const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : [];
  return required.some((name) => typeof name === "string" && /(^|_)key$/i.test(name));
}

/** "what is ben working on", "what's on my plate": somebody's work, whatever it is called. */
function takesPeople(words: string): boolean {
  return /\b(?:working on|my plate|i have|do i|mine|to do|busy with)\b/i.test(words);
}

function takesPerson(tool: Tool): boolean {
  return argumentNames(tool).some((name) => /^(?:assignee|owner|person)$/i.test(name));
}

const REMEMBERED = 20_000;

/** About how many tokens a tool takes in a prompt; worked out once for a tool. */
type ToolSizes = (tool: Tool) => number;

function createToolSizes(): ToolSizes {
  const sizes = new Map<string, number>();
  return (tool) => {
    let size = sizes.get(tool.digest);
    if (size === undefined) {
      if (sizes.size > REMEMBERED) sizes.clear();
      size = estimateTokens(describeTool(tool)) + 2;
      sizes.set(tool.digest, size);
    }
    return size;
  };
}

/** Whether all of them fit into a prompt, so that there is nothing to choose. */
function areSmall(tools: readonly Tool[], budget: number, sizeOf: ToolSizes): boolean {
  return tools.reduce((sum, tool) => sum + sizeOf(tool), 0) <= budget;
}

/** Damps the difference between first places, as in the paper. */
const RANK = 60;

/**
 * One ranking of several, best first, by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): places
 * count and not scores, which have different scales. Of equals the one of the earlier ranking comes first.
 */
export function fuse(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [place, id] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK + place + 1));
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}
