import { isDeepStrictEqual } from "node:util";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation, PlanInput } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { isQuestion, passagesFor, questionIn } from "../../base/passage.ts";
import { entryOf } from "./choose.ts";
import type { Step } from "./scene.ts";
import { toCommand } from "./stages.ts";
import type { ToolIndex } from "./tool-index.ts";
import { stemOf, STOP_WORDS, tokenize } from "./words.ts";

/** More is no question that leans on what was read before. */
const MOST_CHARS = 160;
/** What is asked of records, of all that there is, or of the page itself and not of what it says. */
const OF_OTHERS =
  /\b(?:issues?|tickets?|bugs?|stories|tasks|epics?|sprints?|pages?|docs?|wiki|jira|spaces?|show|list|find|search|open|rename|delete|link|comment)\b|\b[A-Z]\w*-\d+\b|["“”:]/i;
/** "Ok and by when …" */
const LEADS = /^\W*(?:(?:and|so|ok(?:ay)?|but|then)\W+)*(?:(?:by|since|until|from|for|to|in|at)\s+)?/i;
/** So much of a question its answer has, by its words; with less it is more often wrong. */
const LEAST_SHARE = 0.6;
const OFTEN = 3;
/** All its words, in what looks like an answer. */
const ALL_OF_IT = 1.2;

const ISSUE = stemOf("issue");

/** So many of the pages that the turn before opened are read again. */
const MOST_PAGES = 3;

/** Pages that the turn before opened, and that may answer the next question. */
export interface PageBefore {
  /** The step that reads the next of them again. */
  step: Step;
  /** How many were read again in this turn, whether these are all, and whether the last one answers. */
  read: number;
  isLast: boolean;
  isAnswer: boolean;
}

/**
 * The pages that the turn before opened, where the next question may be about one of them: "holiday policy?", "how many days can
 * I take over?". Undefined where it names something else, or is no question.
 */
export function pageBefore(input: PlanInput, index: ToolIndex): PageBefore | undefined {
  const { message, history, observations } = input;
  const telling = tellingIn(message);
  const isAsked = isQuestion(message.replace(LEADS, "")) && telling.size > 0;
  if (!isAsked || message.length > MOST_CHARS || OF_OTHERS.test(message)) return undefined;
  const before = history.at(-1);
  const titles = (input.known ?? []).filter(({ kind }) => kind === "page");
  const called = ({ args }: { args: JsonObject }): number => {
    const title = titles.find(({ id }) => Object.values(args).includes(id))?.name ?? "";
    return [...tellingIn(title)].filter((stem) => telling.has(stem)).length;
  };
  const isAlone = before?.calls.length === 1;
  // Of several pages the one that the question calls, else the one that was opened first, as it fitted best.
  const pages = (before?.calls ?? [])
    .flatMap((call) => {
      const entry = entryOf(call.tool, call.args, index);
      const isRead = entry?.intents.has("read") === true && !entry.changing;
      // One issue that was looked at says more than its fields.
      const isRecord = entry?.kin.has(stemOf("page")) === true || (isAlone && entry?.kin.has(ISSUE) === true);
      return entry !== undefined && isRead && isRecord ? [{ ...call, entry }] : [];
    })
    .toSorted((one, other) => called(other) - called(one));
  const isOneOf = ({ tool, args }: Observation): boolean =>
    pages.some((page) => page.tool === tool && isDeepStrictEqual(page.args, args));
  const other = observations.findIndex((one) => !isOneOf(one));
  const seen = observations.slice(0, Math.min(MOST_PAGES, other === -1 ? MOST_PAGES : other));
  const last = seen.at(-1);
  const isAnswer = last !== undefined && answers(last, input);
  const read = (isAnswer ? undefined : pages.slice(0, MOST_PAGES)[seen.length]) ?? pages[0];
  if (!before || !read) return undefined;
  // "Who is on call?" behind the holidays has a page of its own.
  const isNamed = titles.some(({ id, name }) => {
    const title = [...tellingIn(name)];
    const isOther = !pages.some(({ args }) => Object.values(args).includes(id)) && title.length > 0;
    return isOther && (title.every((stem) => telling.has(stem)) || isOnly(telling, title));
  });
  if (isNamed) return undefined;
  const source = { from: "history" as const, ref: before.message };
  const sources = [Object.fromEntries(Object.keys(read.args).map((name) => [name, source]))];
  return {
    step: { commands: [toCommand(read.entry, read.args, false)], sources },
    read: seen.length,
    isLast: seen.length >= Math.min(pages.length, MOST_PAGES),
    isAnswer,
  };
}

function tellingIn(text: string): Set<string> {
  const words = tokenize(text.replaceAll("-", " ")).filter(({ lower }) => !STOP_WORDS.has(lower));
  return new Set(words.map(({ stem }) => stem));
}

/** Whether all that a question says is in a title. */
function isOnly(telling: ReadonlySet<string>, title: readonly string[]): boolean {
  return [...telling].every((stem) => title.includes(stem) || /^(?:week|today|now)$/.test(stem));
}

function answers({ ok, data, permit }: Observation, { message, now }: PlanInput): boolean {
  if (!ok || permit === undefined) return false;
  const shown = data.reveal(permit);
  const { passages, share, telling, met } = passagesFor(textIn(shown), {
    title: titleOf(shown),
    question: questionIn(message),
    now,
  });
  // A word alone is met by chance, and not again and again.
  const isMet = telling > 1 || met >= OFTEN || (telling === 1 && share > ALL_OF_IT);
  return passages.length > 0 && share >= LEAST_SHARE && isMet;
}

/** A server may nest as deep as it likes; a page's text stands near the top. */
const MOST_LEVELS = 4;

function longestText(data: JsonValue, level = 0): string {
  if (typeof data === "string") return data;
  if (level > MOST_LEVELS) return "";
  const inner = Array.isArray(data) ? data : isObject(data) ? Object.values(data) : [];
  const texts = inner.map((value) => longestText(value, level + 1));
  return texts.reduce((one, other) => (other.length > one.length ? other : one), "");
}

/** A page's text, or an issue's with what was said about it. */
function textIn(data: JsonValue): string {
  const comments = isObject(data) && Array.isArray(data["comments"]) ? data["comments"] : [];
  const said = comments.flatMap((comment) =>
    isObject(comment) && typeof comment["body"] === "string" ? [comment["body"]] : [],
  );
  return [longestText(data), ...said].join("\n\n");
}

function titleOf(data: JsonValue, level = 0): string {
  if (!isObject(data) || level > MOST_LEVELS) return "";
  const title = data["title"] ?? data["summary"];
  if (typeof title === "string") return title;
  const titles = Object.values(data).map((value) => titleOf(value, level + 1));
  return titles.find((title) => title !== "") ?? "";
}
