import MiniSearch from "minisearch";

import type { PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { createSynonyms, type Synonyms } from "./builtin/synonyms.ts";
import { STOP_WORDS, stemOf, tokenize } from "./builtin/words.ts";
import { describeTool } from "./planner-prompt.ts";
import { estimateTokens } from "./size.ts";
import { splitName } from "./slot.ts";

export type SelectInput = Pick<
  PlanInput,
  "message" | "tools" | "history" | "observations" | "conversationId"
> & {
  quote?: PlanInput["quote"];
};

/** Puts the tools that matter for a message into the prompt. */
export type ToolSelector = (input: SelectInput) => Tool[];

/** What is worked out once for a catalogue. */
interface Catalogue {
  tools: readonly Tool[];
  byId: ReadonlyMap<string, Tool>;
  /** All descriptions together. */
  tokens: number;
  keyed: string[];
  people: string[];
  /** Made when it is first needed: a small catalogue is never searched. */
  search?: MiniSearch<ToolDocument>;
}

interface ToolDocument {
  id: string;
  name: string;
  server: string;
  title: string;
  description: string;
  fields: string;
}

/** The first prompt of a conversation leaves room: later ones add tools to it rather than begin anew. */
const FIRST_SHARE = 0.7;
const REMEMBERED_CONVERSATIONS = 1_000;
const BOOST = { name: 4, title: 2, description: 1, fields: 0.8, server: 1.5 };

/**
 * A selector that leaves a catalogue as it is that fits into `budget` tokens, and of a larger one takes
 * the best by BM25 over names, descriptions and argument names, with synonyms and room for typos. What a
 * conversation's earlier prompts held stays in, in its place, so that prompts share their beginning and a
 * model server need not read it again.
 */
export function createToolSelector(budget: number): ToolSelector {
  const synonyms = createSynonyms();
  const sizes = new Map<string, number>();
  const held = new Map<string, string[]>();
  let cached: Catalogue | undefined;

  function sizeOf(tool: Tool): number {
    let size = sizes.get(tool.digest);
    if (size === undefined) {
      if (sizes.size > 20_000) sizes.clear();
      size = estimateTokens(describeTool(tool)) + 2;
      sizes.set(tool.digest, size);
    }
    return size;
  }

  /** Tools are never changed in place: the same ones, in the same order, are the same catalogue. */
  function catalogueOf(tools: Tool[]): Catalogue {
    const known = cached?.tools;
    const isSame = known?.length === tools.length && known.every((tool, at) => tool === tools[at]);
    if (cached === undefined || !isSame) {
      cached = {
        tools,
        byId: new Map(tools.map((tool) => [tool.id, tool])),
        tokens: tools.reduce((sum, tool) => sum + sizeOf(tool), 0),
        keyed: tools.filter(takesKey).map(({ id }) => id),
        people: tools.filter(takesPerson).map(({ id }) => id),
      };
    }
    return cached;
  }

  /** All tools, the best first; those that the conversation has used before all others. */
  function rank(input: SelectInput, catalogue: Catalogue): string[] {
    const used = [
      ...input.observations.map(({ tool }) => tool),
      ...input.history.flatMap(({ calls, question }) => [
        ...calls.map(({ tool }) => tool),
        ...(question === undefined ? [] : [question.tool]),
      ]),
    ];
    const words = [input.message, input.quote?.text.slice(0, 500) ?? ""].join(" ");
    const weights = toTerms(words, synonyms);
    catalogue.search ??= createIndex(input.tools);
    const found = catalogue.search.search([...weights.keys()].join(" "), {
      boostTerm: (term) => weights.get(term) ?? 1,
      // "asign" and "tikcet": longer words may be a letter or two off.
      fuzzy: (term) => (term.length > 4 && (weights.get(term) ?? 0) === 1 ? 0.2 : false),
    });
    const hits = found.map(idOf);
    const namesKey = /\b[A-Za-z][A-Za-z0-9]{1,9}-\d+\b/.test(words);
    const keyed = namesKey ? catalogue.keyed : [];
    // "the second one", "close it": most likely something of the server that was asked before.
    const servers = new Set(used.map((id) => id.split(".", 1)[0]));
    const beside =
      servers.size === 0 ? [] : input.tools.filter(({ server }) => servers.has(server)).map(({ id }) => id);
    const people = takesPeople(words) ? catalogue.people : [];
    return [...new Set([...used, ...hits.slice(0, 12), ...keyed, ...beside, ...people, ...hits])];
  }

  return (input) => {
    const { tools, conversationId } = input;
    const catalogue = catalogueOf(tools);
    if (catalogue.tokens <= budget) return tools;
    const { byId } = catalogue;
    const ranked = rank(input, catalogue).flatMap((id) => byId.get(id) ?? []);
    const before = (conversationId === undefined ? [] : (held.get(conversationId) ?? [])).flatMap(
      (id) => byId.get(id) ?? [],
    );
    const chosen = extend(before, ranked) ?? fresh(ranked);
    if (conversationId !== undefined) remember(conversationId, chosen);
    return chosen;
  };

  /** What was there, and behind it what is new among the best; undefined where that does not fit. */
  function extend(before: Tool[], ranked: Tool[]): Tool[] | undefined {
    if (before.length === 0) return undefined;
    const there = new Set(before);
    const added = fill(ranked.slice(0, 10), (budget * FIRST_SHARE) / 2).filter((tool) => !there.has(tool));
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

function createIndex(tools: Tool[]): MiniSearch<ToolDocument> {
  const search = new MiniSearch<ToolDocument>({
    fields: Object.keys(BOOST),
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term || null,
    searchOptions: { boost: BOOST, combineWith: "OR" },
  });
  search.addAll(tools.map(toDocument));
  return search;
}

function toDocument(tool: Tool): ToolDocument {
  return {
    id: tool.id,
    name: splitName(tool.name).map(stemOf).join(" "),
    server: splitName(tool.server).map(stemOf).join(" "),
    title: stems(tool.title ?? ""),
    description: stems(tool.description),
    fields: Object.keys(propertiesOf(tool)).flatMap(splitName).map(stemOf).join(" "),
  };
}

function stems(text: string): string {
  return tokenize(text, 200)
    .filter(({ lower }) => !STOP_WORDS.has(lower))
    .map(({ stem }) => stem)
    .join(" ");
}

/** The stems of a request with their weights: synonyms count less than what was said. */
function toTerms(message: string, synonyms: Synonyms): Map<string, number> {
  const weights = new Map<string, number>();
  // "How do we …" asks for what is written down about it.
  if (/\bhow (?:do|can|should|to)\b|\bwhat (?:is|are) (?:our|the) (?:policy|process|rules?)\b/i.test(message))
    for (const word of ["wiki", "documentation", "search"]) weights.set(stemOf(word), 0.8);
  for (const { stem, lower } of tokenize(message, 60)) {
    if (STOP_WORDS.has(lower)) continue;
    weights.set(stem, 1);
    for (const other of [...(synonyms.get(stem) ?? []), ...(VERBS.get(stem) ?? [])])
      if (!weights.has(other)) weights.set(other, 0.4);
  }
  return weights;
}

/** What people say and what tools are called. */
const VERBS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    "show get read view fetch",
    "find search query list lookup",
    "who list get find",
    "create add new open file make post",
    "change update edit set modify rename",
    "delete remove drop cancel",
    "close transition resolve finish done",
    "start transition begin run",
    "move transition",
    "reopen transition",
    "mark transition update set",
    "send post message mail notify tell",
    "book create schedule reserve",
    "give assign",
    "owner assign",
    "remind schedule create",
    "weather forecast temperature rain",
    "restart deploy rollback",
    "silence mute acknowledge",
  ].flatMap((line) => {
    const all = line.split(" ").map(stemOf);
    return all.map((stem): [string, string[]] => [stem, all.filter((other) => other !== stem)]);
  }),
);

function idOf(hit: { id: unknown }): string {
  return String(hit.id);
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
  return Object.keys(propertiesOf(tool)).some((name) => /^(?:assignee|owner|person)$/i.test(name));
}

function propertiesOf(tool: Tool): object {
  const { properties } = tool.inputSchema;
  return typeof properties === "object" && properties !== null ? properties : {};
}
