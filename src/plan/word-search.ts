import { setImmediate } from "node:timers/promises";
import MiniSearch from "minisearch";

import type { Tool } from "#contract/tool.ts";

import { createSynonyms, stemOf, STOP_WORDS, type Synonyms, tokenize } from "./builtin/words.ts";
import { toSingleLine } from "./fence.ts";
import { splitName } from "./slot.ts";

/** Finds tools by the words of a request: BM25, with synonyms and room for typos. */
export interface WordSearch {
  /** Takes in what is new among these tools and lets go of all others, in pieces that delay nobody. */
  prepare(tools: readonly Tool[]): Promise<void>;
  /** Ids of those among the tools that share words with the request, best first. */
  search(request: string, tools: ReadonlyMap<string, Tool>): string[];
}

interface ToolDocument {
  id: string;
  name: string;
  server: string;
  title: string;
  description: string;
  fields: string;
}

const BOOST = { name: 4, title: 2, description: 1, fields: 0.8, server: 1.5 };
/** Some milliseconds' work. */
const AT_ONCE = 100;

/** One index for all channels, whatever part of the catalogue each offers. */
export function createWordSearch(): WordSearch {
  const synonyms = createSynonyms();
  const index = new MiniSearch<ToolDocument>({
    fields: Object.keys(BOOST),
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term || null,
    searchOptions: { boost: BOOST, combineWith: "OR" },
  });
  /** Tools are never changed in place: the same object is the same tool. */
  const taken = new Map<string, Tool>();
  let rounds = 0;

  function take(tool: Tool): void {
    const before = taken.get(tool.id);
    if (before === tool) return;
    if (before === undefined) index.add(toDocument(tool));
    else index.replace(toDocument(tool));
    taken.set(tool.id, tool);
  }

  return {
    async prepare(tools) {
      rounds += 1;
      const round = rounds;
      for (let at = 0; at < tools.length; at += AT_ONCE) {
        for (const tool of tools.slice(at, at + AT_ONCE)) take(tool);
        await setImmediate();
        // The catalogue has changed once more.
        if (round !== rounds) return;
      }
      const there = new Set(tools.map(({ id }) => id));
      for (const id of taken.keys()) {
        if (there.has(id)) continue;
        taken.delete(id);
        index.discard(id);
      }
    },

    search(request, tools) {
      for (const tool of tools.values()) take(tool);
      const weights = toTerms(request, synonyms);
      const found = index.search([...weights.keys()].join(" "), {
        boostTerm: (term) => weights.get(term) ?? 1,
        // "asign" and "tikcet": longer words may be a letter or two off.
        fuzzy: (term) => (term.length > 4 && (weights.get(term) ?? 0) === 1 ? 0.2 : false),
        filter: (hit) => tools.has(String(hit.id)),
      });
      return found.map((hit) => String(hit.id));
    },
  };
}

function toDocument(tool: Tool): ToolDocument {
  return {
    id: tool.id,
    name: splitName(tool.name).map(stemOf).join(" "),
    server: splitName(tool.server).map(stemOf).join(" "),
    title: stems(tool.title ?? ""),
    description: stems(tool.description),
    fields: argumentNames(tool).flatMap(splitName).map(stemOf).join(" "),
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

const DESCRIPTION_CHARS = 600;
const MAX_ARGUMENTS = 20;

/** What a tool says of itself in running words, for a model that embeds. */
export function toToolText(tool: Tool): string {
  const names = argumentNames(tool)
    .slice(0, MAX_ARGUMENTS)
    .map((name) => splitName(name).join(" "));
  return [
    `${[...splitName(tool.server), ...splitName(tool.name)].join(" ")}.`,
    ...(tool.title === undefined ? [] : [`${toSingleLine(tool.title, 100)}.`]),
    toSingleLine(tool.description, DESCRIPTION_CHARS),
    ...(names.length === 0 ? [] : [`Takes ${toSingleLine(names.join(", "), 300)}.`]),
  ].join(" ");
}

export function argumentNames(tool: Tool): string[] {
  const { properties } = tool.inputSchema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** What some models have to be told before a text that is looked for, and before one that is looked among. */
interface Roles {
  asked: string;
  kept: string;
}

/** Models know their own marks only: https://huggingface.co/nomic-ai/nomic-embed-text-v1.5 and the pages beside it. */
export function rolesOf(model: string): Roles {
  if (/nomic-embed-text/i.test(model)) return { asked: "search_query: ", kept: "search_document: " };
  if (/mxbai-embed|snowflake-arctic-embed(?!2)/i.test(model))
    return { asked: "Represent this sentence for searching relevant passages: ", kept: "" };
  return { asked: "", kept: "" };
}
