import MiniSearch from "minisearch";

import type { ToolExample } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import type { Clause } from "./clause.ts";
import { type ToolEntry, toEntry } from "./entry.ts";
import { operationsOf } from "./operations.ts";
import type { Synonyms } from "./synonyms.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

/** A catalogue made ready for ranking. */
export interface ToolIndex {
  entries: ToolEntry[];
  /** The tools that do several things, each as one, without any of these selected. */
  wholes: ToolEntry[];
  /** Stems of the things that any tool's name speaks of, with what means the same. */
  things: Set<string>;
  /** How many tools have a required argument of this name. */
  usage: Map<string, number>;
  /** Lexical scores (BM25+) by tool id, the best being 1. */
  rank(clause: Clause): Map<string, number>;
}

interface Document {
  id: string;
  name: string;
  title: string;
  description: string;
  fields: string;
  examples: string;
}

const BOOST = { name: 3, title: 2, description: 1, fields: 0.7, examples: 2 };

/** Builds the index a tool at a time: it rests after each, so that whoever runs it may let others have their turn. */
export function* buildToolIndex(
  tools: Tool[],
  examples: ToolExample[],
  synonyms: Synonyms,
): Generator<void, ToolIndex> {
  const sentencesOf = (tool: Tool): string[] =>
    examples.filter((each) => each.tool === tool.id || each.tool === tool.name).map((each) => each.message);
  const search = new MiniSearch<Document>({
    fields: ["name", "title", "description", "fields", "examples"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term || null,
    searchOptions: { combineWith: "OR", boost: BOOST },
  });
  const entries: ToolEntry[] = [];
  const wholes: ToolEntry[] = [];
  for (const real of tools) {
    const sentences = sentencesOf(real);
    const operations = operationsOf(real);
    for (const { tool, set } of operations) {
      const entry = toEntry(tool, { tool: real.id, args: set }, sentences, synonyms);
      // A server may offer a tool of the name that an operation of another one is given here.
      if (search.has(tool.id)) continue;
      entries.push(entry);
      search.add(toDocument(entry, sentencesOf(tool)));
    }
    if (operations.some(({ tool }) => tool.id !== real.id))
      wholes.push(toEntry(real, { tool: real.id, args: {} }, sentences, synonyms));
    yield;
  }

  return {
    entries,
    wholes,
    things: new Set(entries.flatMap((entry) => [...entry.kin, ...entry.places])),
    usage: countNames(entries),
    rank(clause) {
      const weights = weigh(clause, synonyms);
      if (weights.size === 0) return new Map();
      const found = search.search([...weights.keys()].join(" "), {
        boostTerm: (term) => weights.get(term) ?? 1,
      });
      const best = found[0]?.score ?? 1;
      return new Map(found.map(({ id, score }) => [String(id), score / best]));
    },
  };
}

function countNames(entries: ToolEntry[]): Map<string, number> {
  const usage = new Map<string, number>();
  for (const { slots } of entries)
    for (const slot of slots) if (slot.required) usage.set(slot.name, (usage.get(slot.name) ?? 0) + 1);
  return usage;
}

function toDocument(entry: ToolEntry, examples: string[]): Document {
  const { tool } = entry;
  return {
    id: tool.id,
    name: [...entry.objects, ...entry.verbs, ...entry.places].join(" "),
    title: stems(tool.title ?? ""),
    description: stems(tool.description),
    fields: [...entry.fields, ...entry.slots.map((slot) => stems(slot.description))].join(" "),
    examples: examples.map(stems).join(" "),
  };
}

function stems(text: string): string {
  return tokenize(text, 400)
    .map(({ stem }) => stem)
    .join(" ");
}

/** What is searched for or said counts little beside what is asked for. */
function weigh(clause: Clause, synonyms: Synonyms): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (stem: string, weight: number): void => {
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  for (const token of clause.tokens.slice(0, 60)) {
    const quiet = token.start >= Math.min(clause.topic?.start ?? Infinity, clause.tail?.start ?? Infinity);
    const weight = quiet ? 0.15 : 1;
    if (STOP_WORDS.has(token.lower) || /^\p{L}+-\d+$/u.test(token.text)) continue;
    add(token.stem, weight);
    if (!quiet) for (const other of synonyms.get(token.stem) ?? []) add(other, weight * 0.6);
  }
  return weights;
}
