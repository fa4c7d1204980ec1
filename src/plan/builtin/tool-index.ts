import MiniSearch from "minisearch";

import type { JsonObject } from "#contract/json.ts";
import type { ToolExample } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { type Slot, splitName, toSlots } from "../slot.ts";
import { type Pattern, patternsOf } from "./by-example.ts";
import { isSelector, operationsOf, selectedBy } from "./operations.ts";
import {
  describedObject,
  describedVerb,
  type Intent,
  impliedBy,
  intentsOfTool,
  isChanging,
  isOtherChange,
  nameVerbs,
} from "./verbs.ts";
import type { Wish } from "./wish.ts";
import { stemOf, STOP_WORDS, type Synonyms, tokenize } from "./words.ts";

/** A catalogue made ready for ranking. */
export interface ToolIndex {
  entries: ToolEntry[];
  /** The tools that do several things, each as one, without any of these selected. */
  wholes: ToolEntry[];
  /** Stems of the things that any tool's name speaks of, with what means the same. */
  things: Set<string>;
  /** Stems that so many names speak of that they tell nothing: "jira" of `jira_get_issue`. */
  common: Set<string>;
  /** A server's name and the stem of a thing that one of its tools' names speaks of to the letter. */
  named: Set<string>;
  /** Some tool takes keys such as DEMO-12. */
  hasKeys: boolean;
  /** The sentences that reads are known by. */
  patterns: Pattern[];
  /** How many tools have a required argument of this name. */
  usage: Map<string, number>;
  /** Lexical scores (BM25+) by tool id, the best being 1. */
  rank(wish: Wish): Map<string, number>;
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
    [
      ...examples.filter((each) => each.tool === tool.id || each.tool === tool.name),
      ...(tool.examples ?? []),
    ].map((each) => each.message);
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
  // Of records that keys name, words say which.
  const keyed = new Set(entries.filter(hasKey).map(({ tool }) => tool.server));
  for (const entry of [...entries, ...wholes]) entry.takesTopic ||= keyed.has(entry.tool.server);

  return {
    entries,
    wholes,
    things: new Set(entries.flatMap((entry) => [...entry.kin, ...entry.places])),
    named: new Set(
      entries.flatMap(({ objects, tool }) => [...objects].map((stem) => `${tool.server} ${stem}`)),
    ),
    common: commonIn(entries),
    hasKeys: keyed.size > 0,
    patterns: tools.flatMap(patternsOf),
    usage: countNames(entries),
    rank(wish) {
      const weights = weigh(wish, synonyms);
      if (weights.size === 0) return new Map();
      const found = search.search([...weights.keys()].join(" "), {
        boostTerm: (term) => weights.get(term) ?? 1,
      });
      const best = found[0]?.score ?? 1;
      return new Map(found.map(({ id, score }) => [String(id), score / best]));
    },
  };
}

function hasKey({ slots }: ToolEntry): boolean {
  return slots.some(({ kind }) => kind === "key");
}

function commonIn(entries: ToolEntry[]): Set<string> {
  const counts = new Map<string, number>();
  for (const { objects } of entries)
    for (const stem of objects) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return new Set(
    [...counts].flatMap(([stem, count]) => (entries.length > 8 && count > entries.length / 5 ? [stem] : [])),
  );
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
function weigh(wish: Wish, synonyms: Synonyms): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (stem: string, weight: number): void => {
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  for (const token of wish.tokens.slice(0, 60)) {
    const quiet = token.start >= Math.min(wish.topic?.start ?? Infinity, wish.tail?.start ?? Infinity);
    const weight = quiet ? 0.15 : 1;
    if (STOP_WORDS.has(token.lower) || /^\p{L}+-\d+$/u.test(token.text)) continue;
    add(token.stem, weight);
    if (!quiet) for (const other of synonyms.get(token.stem) ?? []) add(other, weight * 0.6);
  }
  return weights;
}

/** What the planner knows of one tool, worked out once per catalogue. */
export interface ToolEntry {
  tool: Tool;
  /** What is called: the tool's id and the arguments that select one of the things it does. */
  call: { tool: string; args: JsonObject };
  slots: Slot[];
  intents: Set<Intent>;
  changing: boolean;
  /** It looks for something by words, or writes: what a wish is about is text to it. */
  takesTopic: boolean;
  /** Stems of the verb in its name. */
  verbs: Set<string>;
  /** Stems of the things its name speaks of. */
  objects: Set<string>;
  /** Those and what means the same. */
  kin: Set<string>;
  /** Stems of its server's name and title. */
  places: Set<string>;
  /** Stems of its arguments' names. */
  fields: Set<string>;
  /** Stems of all its words. */
  vocabulary: Set<string>;
  /** What it says that it does: its name's words, title and description. */
  about: string;
}

/** `examples` are the sentences that the configuration gives for the tool; `call` as in ToolEntry. */
export function toEntry(
  tool: Tool,
  call: ToolEntry["call"],
  examples: string[],
  synonyms: Synonyms,
): ToolEntry {
  const verbs = nameVerbs(tool);
  const described = describedVerb(tool);
  const objects = new Set(
    splitName(tool.name)
      .map(stemOf)
      .filter((stem) => !verbs.has(stem)),
  );
  const slots = likeliest(toSlots(tool.inputSchema));
  const about = describedObject(tool);
  const fields = new Set(slots.flatMap((slot) => slot.words).map(stemOf));
  const isJira =
    !isChanging(tool) &&
    /jql/i.test(slots.map(({ name, description }) => `${name} ${description}`).join(" ")) &&
    /search/i.test(tool.name);
  const words = tokenize([tool.title ?? "", tool.description, ...examples].join(" "), 400)
    .filter(({ lower }) => !STOP_WORDS.has(lower))
    .map(({ stem }) => stem);
  if (objects.has("worklog") && isChanging(tool)) verbs.add("log");
  // "approve" where an argument says what becomes of it, and "remove" where one says which of several things is done.
  if (isChanging(tool))
    for (const slot of slots)
      for (const value of slot.values)
        if (isOtherChange(value.toLowerCase()) || isSelector(slot))
          for (const word of selectedBy(value.toLowerCase())) verbs.add(stemOf(word));
  if (described !== undefined && (!objects.has(described) || intentsOfTool(tool).size === 0)) {
    verbs.add(described);
    objects.delete(described);
  }
  return {
    tool,
    call,
    slots,
    intents: intentsOfTool(tool),
    changing: isChanging(tool),
    takesTopic: slots.some(({ kind }) => kind === "query" || kind === "key" || kind === "body"),
    verbs,
    objects,
    kin: new Set(
      [
        ...objects,
        ...(about === undefined ? [] : [about]),
        ...(isJira ? [stemOf("issue")] : []),
        ...(slots.some(({ kind, required }) => kind === "url" && required) ? PAGES : []),
      ].flatMap((stem) => [stem, ...(synonyms.get(stem) ?? [])]),
    ),
    places: new Set(splitName(tool.server).map(stemOf)),
    fields,
    vocabulary: new Set([...objects, ...verbs, ...fields, ...words, ...impliedBy(verbs)]),
    about: [splitName(tool.name).join(" "), tool.title ?? "", ...firstSentence(tool.description)].join(". "),
  };
}

/** Further down stands how a tool is used, and what it is not for. */
function firstSentence(description: string): string[] {
  return description.slice(0, ABOUT_CHARS).split(/(?<=[.!?])\s|\n/, 1);
}

const ABOUT_CHARS = 300;

/** What addresses lead to. */
const PAGES = ["webpage", "website", "site", "article", "url", "link"].map(stemOf);

/** A sentence is looked through for each of them, and holds few. */
const MOST_SLOTS = 100;

/** Of very many arguments those that are required, and the first of the others. */
function likeliest(slots: Slot[]): Slot[] {
  if (slots.length <= MOST_SLOTS) return slots;
  const others = slots.filter(({ required }) => !required);
  const kept = new Set([...slots.filter(({ required }) => required), ...others].slice(0, MOST_SLOTS));
  return slots.filter((slot) => kept.has(slot));
}
