import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { literally } from "../../base/matching.ts";
import { splitName } from "../slot.ts";
import { isChanging } from "./verbs.ts";
import { unwrap } from "./wish.ts";
import { wordSet } from "./words.ts";

/** A sentence that a tool is known by, with gaps where its arguments stand: "who is in …". */
export interface Pattern {
  tool: string;
  command: "QUERY" | "TASK";
  said: RegExp;
  /** In the order in which they stand. */
  gaps: Gap[];
  /** How many words stand around the gaps: who says more knows better. */
  words: number;
}

interface Gap {
  name: string;
  /** Several names, as in "Finance and Data". */
  isList: boolean;
}

const MOST_CHARS = 200;
const GAP = String.raw`(".{1,100}?"|“.{1,100}?”|\S+(?: \S+){0,15}?)`;
const MARK = "\uE000";
const ARTICLES = "(?:(?:the|an?|all) )?";
const ARTICLE = /^(?:the|an?|all)$/i;
const SHOWS = /^(?:show|list|get)$/i;
const BETWEEN = /, and |, | and /;

/** Of the sentences that the tool's server gives: those that every argument stands in word for word. */
export function patternsOf(tool: Tool): Pattern[] {
  const call = { tool: tool.id, command: isChanging(tool) ? "TASK" : "QUERY" } as const;
  return (tool.examples ?? []).flatMap(({ message, args }) => toPattern(call, message, args) ?? []);
}

function toPattern(
  call: Pick<Pattern, "tool" | "command">,
  message: string,
  args: JsonObject,
): Pattern | undefined {
  let rest = plain(message);
  const places: (Gap & { at: number })[] = [];
  for (const [name, value] of Object.entries(args)) {
    const values = textsOf(value);
    const found = new RegExp(values.map(literally).join(`(?:${BETWEEN.source})`)).exec(rest);
    if (values.length === 0 || found === null) return undefined;
    rest =
      rest.slice(0, found.index) + MARK.repeat(found[0].length) + rest.slice(found.index + found[0].length);
    places.push({ name, isList: Array.isArray(value), at: found.index });
  }
  const words = rest.split(" ");
  const literal = words.filter((word) => !word.includes(MARK) && !ARTICLE.test(word));
  const isGap = (word = ""): boolean => word.startsWith(MARK) && word.endsWith(MARK);
  const isApart = words.every((word, at) => !word.includes(MARK) || (isGap(word) && !isGap(words[at - 1])));
  if (!isApart || literal.length < (places.length > 0 ? 2 : 1)) return undefined;
  // "All" of a change is meant.
  const isSaid = (word: string): boolean =>
    !ARTICLE.test(word) || (call.command === "TASK" && word.toLowerCase() === "all");
  const parts = words.filter(isSaid).map((word, at) => {
    if (isGap(word)) return GAP;
    return ARTICLES + (at === 0 && SHOWS.test(word) ? "(?:show|list|get)(?: me)?" : literally(word));
  });
  const gaps = places.toSorted((a, b) => a.at - b.at).map(({ name, isList }) => ({ name, isList }));
  return { ...call, said: new RegExp(`^${parts.join(" ")}$`, "iu"), gaps, words: literal.length };
}

/** The one call that a message asks for in the words of an example. */
export function byExample(
  message: string,
  patterns: readonly Pattern[],
): { command: Pattern["command"]; tool: string; args: JsonObject } | undefined {
  if (message.length > MOST_CHARS) return undefined;
  const text = plain(unwrap(message).text);
  const fits = patterns.flatMap(({ said, gaps, words, tool, command }) => {
    const found = said.exec(text);
    if (found === null) return [];
    const args: JsonObject = {};
    for (const [at, { name, isList }] of gaps.entries()) {
      const said_ = found[at + 1] ?? "";
      const values = (isList ? said_.split(BETWEEN) : [said_]).map((one) => nameIn(one, name, command));
      const known = values.filter((one) => one !== undefined);
      if (known.length < values.length) return [];
      args[name] = isList ? known : (known[0] ?? "");
    }
    return [{ words, call: { command, tool, args } }];
  });
  const most = Math.max(...fits.map(({ words }) => words));
  const [best, ...others] = fits.flatMap(({ words, call }) => (words === most ? [call] : []));
  return others.some(({ tool }) => tool !== best?.tool) ? undefined : best;
}

function textsOf(value: JsonValue): string[] {
  const values = Array.isArray(value) ? value : [value];
  const texts = values.filter((one) => typeof one === "string" && one !== "");
  return texts.length === values.length ? (texts as string[]) : [];
}

function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replace(/[\s.!?]+$/, "")
    .trim();
}

/** Names hold none of these: where one stands something else is said. */
const GLUE = wordSet(
  "and or but not with without to from for at by every each on in of who what which that is are was it this them me my per than if",
);
const MOST_WORDS = 5;

/**
 * A name that stands in a gap, without the word for what it names: "the group Finance". Undefined for what says more
 * than a name, as several words may that a change finds in lower case.
 */
function nameIn(said: string, argument: string, command: Pattern["command"]): string | undefined {
  const noun = splitName(argument)
    .filter((word) => !/^(?:names?|ids?|list|ref|title)$/.test(word))
    .join("");
  const isNoun = (some: string[]): boolean =>
    some
      .filter((word) => !ARTICLE.test(word))
      .join("")
      .toLowerCase() === noun;
  let words = said.split(" ");
  for (const amount of [3, 2, 1]) {
    if (words.length > amount && isNoun(words.slice(0, amount))) words = words.slice(amount);
    else if (words.length > amount && isNoun(words.slice(-amount))) words = words.slice(0, -amount);
  }
  const quoted = /^["“](.+)["”]$/u.exec(words.join(" "))?.[1];
  if (quoted !== undefined) return quoted;
  if (words.length > 1 && ARTICLE.test(words[0] ?? "")) words = words.slice(1);
  const isMore =
    words.length > MOST_WORDS ||
    words.some((word) => GLUE.has(word.toLowerCase())) ||
    (command === "TASK" && words.length > 1 && words.some((word) => /^\p{Ll}/u.test(word)));
  return isMore ? undefined : words.join(" ");
}
