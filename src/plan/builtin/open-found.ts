import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PlanInput } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { isQuestion } from "../../base/passage.ts";
import { en } from "../../base/words/en.ts";
import { asText } from "../model-text.ts";
import { toValue } from "../slot.ts";
import { entryOf } from "./choose.ts";
import { namePattern } from "./people.ts";
import { contentWords, inQuotes, isEmpty, places, type Search, toSearch } from "./search.ts";
import { likeliestIssue } from "./titles.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Wish } from "./wish.ts";
import { stemOf, tokenize } from "./words.ts";

/** What asks for records wants to see them all. */
const LISTED =
  /\b(?:issues?|tickets?|bugs?|stories|tasks|epics?|pages|labell?ed|tagged|(?:says?|written|know|have|anything|something|everything) (?:about|on)|in jira|in the (?:code|repo))\b/i;
const NO_TOPIC = /^(?:allowed|exactly|most|last|next|first|still|yet|again|normally|usually)$/i;
const MOST_ROW_WORDS = 120;
/** So many with as many of the words are opened. */
const MOST_OPENED = 2;
const MOST_READ = 3;
/** So many words of an issue's title say that it is meant. */
const MOST_TITLED = 3;
/** … and so many where no search found an issue. */
const LEAST_TITLED = 2;
/** So much of a question, by the weight of its words, what is opened has: without its title having one, and with. */
const LEAST = { atOnce: [0.6, 0.55], atLast: [0.4, 0.25] } as const;
/** What an issue has at least: a word of its title is soon met. */
const LEAST_OF_ISSUE = 0.5;
const CLEARLY = 1.25;
const ASKS_LEAVE =
  /(?:^|[.!?,;]\s+|\bbtw,?\s+)(?:(?:and|so|but|hi|hey)\s+)*(?:can|may|must|should|are|do)\s+(?:we|i|people|one|you)\b/iu;
/** "Who has the phone tonight?" asks for a rota. */
const ON_DUTY =
  /\bwho(?:['’]s|\s+(?:is|has|have|gets|takes|carries|does|will))\b[^.?!]*\b(?:tonight|today|tomorrow|now|this\s+\p{L}+|next\s+(?:week|weekend)|(?:from|on)\s+(?:this\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/iu;
/** What a search itself thinks of its first row, as a share of all words. */
const FIRST = 0.15;

/**
 * A look into what has most of a question's words, where searches found it: an excerpt may end before the answer.
 * `atOnce` before anything else is looked for, and `atLast`, where less is enough. Undefined where nothing has.
 */
export function openFound(
  wish: Wish,
  { message, observations, known = [] }: PlanInput,
  index: ToolIndex,
  { isGuess, when }: { isGuess: boolean; when: "atOnce" | "atLast" },
): Search | undefined {
  if (wish.changing || wish.keys.length > 0) return undefined;
  const isAsked = isQuestion(message) && !LISTED.test(message);
  const stemsOf = (text: string): Set<string> =>
    new Set(tokenize(text.replaceAll("-", " "), MOST_ROW_WORDS).map(({ stem }) => stem));
  const telling = contentWords(wish).filter((word) => !namePattern(known).test(word) && !NO_TOPIC.test(word));
  const asked = stemsOf(telling.join(" "));
  const found = observations.flatMap((each) => {
    const entry = entryOf(each.tool, each.args, index);
    if (!entry?.intents.has("search") || !each.ok || each.permit === undefined) return [];
    // What was found by conditions alone answers with all of it.
    const isSought = entry.slots.some(({ kind, name }) => kind === "query" && each.args[name] !== undefined);
    if (!isSought && entry.kin.has(stemOf("issue"))) return [];
    return rowsIn(each.data.reveal(each.permit)).map((row, rank) => {
      const [stems, titled] = [stemsOf(textOf(row)), stemsOf(asText(row["title"] ?? row["summary"] ?? ""))];
      const [said, named] = [stems, titled].map((some) => [...asked].filter((stem) => some.has(stem)));
      return { entry, row, rank, said: said ?? [], titled: named ?? [] };
    });
  });
  // The fewer have a word, the more it tells; most of all one that none has.
  const weightOf = (stem: string): number =>
    Math.log(1 + found.length / Math.max(1, found.filter(({ said }) => said.includes(stem)).length));
  const weigh = (stems: Iterable<string>): number =>
    [...stems].reduce((sum, stem) => sum + weightOf(stem), 0);
  const wordsOf = ({ said, titled }: (typeof found)[number]): number => weigh(said) + weigh(titled);
  const worthOf = (one: (typeof found)[number]): number =>
    wordsOf(one) + (FIRST * weigh(asked)) / (1 + one.rank);
  const isPaged = ({ entry }: (typeof found)[number]): boolean => entry.kin.has(stemOf("page"));
  // "Can we deploy on Fridays?" asks for a rule, which stands in a page, and not for who wants it otherwise.
  const isRule =
    (ASKS_LEAVE.test(message) || ON_DUTY.test(message)) &&
    found.some((one) => isPaged(one) && one.said.length === asked.size);
  // An issue is opened where nothing said that issues are to be listed.
  const [best, ...others] = found
    .filter((one) => (isGuess && !isRule) || isPaged(one))
    .toSorted((one, other) => worthOf(other) - worthOf(one));
  const [plain, named] = LEAST[when];
  const [next] = others;
  const isPage = best?.entry.kin.has(stemOf("page")) === true;
  const least = Math.max(isPage ? 0 : LEAST_OF_ISSUE, best && best.titled.length > 0 ? named : plain);
  const isClear =
    best !== undefined &&
    weigh(best.said) >= least * weigh(asked) &&
    // What has little has to have more than all others.
    (when === "atOnce" || next === undefined || worthOf(best) >= CLEARLY * worthOf(next));
  const clear = isClear ? [best, ...others.filter((one) => wordsOf(one) === wordsOf(best))] : [];
  // Where it is hard to say which, the likeliest are read, and the one that answers is shown.
  const likely = [...(best === undefined ? [] : [best]), ...others].filter(
    ({ entry, said }) => said.length > 0 && entry.kin.has(stemOf("page")),
  );
  const read = isClear || when === "atOnce" ? clear.slice(0, MOST_OPENED) : likely.slice(0, MOST_READ);
  // Of what is no question nothing that is written answers it; an issue may be what it is about.
  const opened = isAsked ? read : [];
  const commands = opened.flatMap(({ entry, row }) => readerOf(entry, row, index) ?? []);
  // A title may have what no search for all words finds.
  const isNone = when === "atLast" && !found.some(({ entry }) => entry.kin.has(stemOf("issue")));
  const isMeant = isGuess && ((isAsked && opened.length === 0) || isNone);
  const titled = isMeant ? likeliestIssue(message, known, isNone ? LEAST_TITLED : MOST_TITLED) : undefined;
  const issues = index.entries.find(({ intents, kin }) => intents.has("search") && kin.has(stemOf("issue")));
  const shown = titled && issues ? readerOf(issues, { key: titled.id }, index) : undefined;
  if (shown && when === "atLast") commands.push(shown);
  const isDone = commands.some(({ tool }) => observations.some((each) => each.tool === tool));
  if (commands.length === 0 || isDone) return undefined;
  // A guess has said already what it looked for.
  const searched = observations.map(({ tool, args }) => ({ command: "QUERY" as const, tool, args }));
  const notice = isGuess || !best ? "" : en.recorded.lookedFor(inQuotes(searched), places([best.entry]));
  return { commands, notice };
}

/** Whether a search brought an issue. */
export function foundIssues({ observations }: PlanInput, index: ToolIndex): boolean {
  return observations.some((each) => {
    const entry = entryOf(each.tool, each.args, index);
    return entry?.kin.has(stemOf("issue")) === true && each.ok && !isEmpty(each);
  });
}

/** Whether something was opened that a search found. */
export function isOpened({ observations }: PlanInput, index: ToolIndex): boolean {
  const [first, ...others] = observations.map(({ tool, args }) => entryOf(tool, args, index));
  return (
    first?.intents.has("search") === true &&
    others.some((entry) => entry?.intents.has("search") === false && !entry.changing)
  );
}

/** The call that reads a page or an issue of a list. */
function readerOf(
  { tool, kin }: ToolEntry,
  row: JsonObject,
  { entries }: ToolIndex,
): Search["commands"][number] | undefined {
  const isPage = kin.has(stemOf("page"));
  const value = isPage ? (row["page_id"] ?? row["id"]) : row["key"];
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  for (const entry of entries) {
    const id = entry.slots.find(({ name }) =>
      (isPage ? /^(?:page_?)?id$/i : /^(?:issue_?)?key$/i).test(name),
    );
    const isReader =
      entry.tool.server === tool.server &&
      !entry.changing &&
      entry.intents.has("read") &&
      [...entry.kin].some((stem) => kin.has(stem)) &&
      entry.slots.every(({ name, required }) => !required || name === id?.name);
    if (isReader && id !== undefined) return toSearch(entry, { [id.name]: toValue(id, String(value)) });
  }
  return undefined;
}

/** The rows of the longest list of a result. */
function rowsIn(data: JsonValue): JsonObject[] {
  const lists = isObject(data) ? Object.values(data).filter((value) => Array.isArray(value)) : [];
  const [rows = []] = lists.toSorted((one, other) => other.length - one.length);
  return rows.filter((row) => isObject(row));
}

function textOf(row: JsonObject): string {
  return Object.values(row)
    .filter((value) => typeof value === "string")
    .join(" ");
}
