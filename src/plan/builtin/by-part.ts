import type { KnownName } from "#contract/plan.ts";

import { isSmallTalk } from "./offer.ts";
import { namePattern } from "./people.ts";
import { worthSaying } from "./scene.ts";
import { senseOf } from "./sense.ts";
import { COLON, createSheet } from "./sheet.ts";
import { KEY, tokenize } from "./words.ts";

/** A part of a message, and what stands around it. */
export interface MessagePart {
  text: string;
  /** What is only told or said beside it. */
  beside: string[];
  /** What stands beside it surely only tells; else it is at least no order, and people are told that it is left out. */
  isSure: boolean;
}

const BOUNDARY =
  /(?<=[.!?…])\s+|\s*[,;]\s+|\s+[–—-]+\s+|\s*\p{Extended_Pictographic}+\s*|\s+(?=\()|\s*:\s+/gu;
const MOST_CHARS = 300;
const MOST_CLAUSES = 6;
/** So likely is what only tells. */
const SURE = 0.7;
/** So few words without a name or a value say nothing of their own. */
const FEW_WORDS = 3;
/** What limits a wish, or takes it back, is no remark beside it. */
const TURNS =
  /\b(?:if|unless|until|till|except|wait|stop|don['’]?t|do not|never ?mind|(?:let['’]?s|we['’]?ll) see|forget|instead|rather|maybe|perhaps|whether|not (?:yet|before|that|this|it)|as soon as)\b|^\W*(?:(?:and|but|so|then|also)\s+)*(?:when|once|after)\b/iu;
/** "And on MOB-7? No, skip that" */
const SKIPS = /\b(?:skip|ignore|leave) (?:it|that|this)\b/iu;
const ASKS =
  /^\W*(?:and\s+|so\s+|but\s+)?(?:who|what|which|when|where|why|how|is|are|was|do|does|did|can|could|should|may|will|would|has|have)\b.*\S.*\?/iu;

/**
 * The parts of a message that may be all that it asks for, the longest first: what stands around each of them only tells
 * something. What is quoted or dictated is not taken apart.
 */
export function partsBeside(message: string, known: readonly KnownName[]): MessagePart[] {
  const { masked, quotes } = createSheet(message);
  const isDictated = quotes.length > 0 || DICTATES.test(masked.slice(0, COLON.exec(masked)?.index ?? 0));
  if (message.length > MOST_CHARS || isDictated) return [];
  const clauses = clausesOf(message);
  if (clauses.length < 2 || clauses.length > MOST_CLAUSES) return [];
  const people = namePattern(known.filter(({ kind }) => kind === "person"));
  const told = clauses.map(({ text }) => isTold(text, people));
  const idle = clauses.map(({ text }, at) => told[at] === true || isIdle(text));
  const parts: MessagePart[] = [];
  for (let length = clauses.length - 1; length > 0; length -= 1) {
    for (let from = 0; from + length <= clauses.length; from += 1) {
      const run = clauses.slice(from, from + length);
      const isPart = (at: number): boolean => at >= from && at < from + length;
      const isBeside = idle.every((isOne, at) => isOne || isPart(at));
      const isSure = told.every((isOne, at) => isOne || isPart(at));
      const [first, last] = [run[0], run.at(-1)];
      if (!isBeside || !first || !last) continue;
      const around = clauses.filter((_, at) => at < from || at >= from + length).map(({ text }) => text);
      parts.push({ text: message.slice(first.start, last.end), beside: worthSaying(around), isSure });
    }
  }
  return parts;
}

const DICTATES =
  /\b(?:comment|note|write|say|saying|tell|description|title|summary|called|named)\b[^.!?]*$/iu;

interface Clause {
  text: string;
  start: number;
  end: number;
}

function clausesOf(message: string): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  for (const { index, 0: joint } of [...message.matchAll(BOUNDARY), { index: message.length, 0: "" }]) {
    const text = message.slice(start, index);
    if (/[\p{L}\p{N}]/u.test(text)) clauses.push({ text, start, end: index });
    start = index + joint.length;
  }
  return clauses;
}

function isTold(clause: string, people: RegExp): boolean {
  if ([new RegExp(KEY, "u"), TURNS, SKIPS, ASKS].some((pattern) => pattern.test(clause))) return false;
  if (isSmallTalk(clause) || worthSaying([clause]).length === 0) return true;
  const isNamed = clause.search(people) >= 0;
  const isAside = /^\(.*\)$/su.test(clause.trim()) || REPEATS.test(clause);
  if (isAside || (!isNamed && tokenize(clause).length <= FEW_WORDS && /[?!.…]\W*$/.test(clause))) return true;
  const { sense, sure } = senseOf(clause.replaceAll(people, "PERSON"));
  return sense === "told" && sure > SURE;
}

/** What orders and asks nothing of its own, so that a look may be all that is wanted: "rest is noise". */
function isIdle(clause: string): boolean {
  if ([new RegExp(KEY, "u"), SKIPS, ASKS, ORDERS, ROW].some((pattern) => pattern.test(clause))) return false;
  const { sense, sure } = senseOf(clause);
  return LOOKS.has(sense) || sure < SURE;
}

/** "The one in Operations": which row the rest is about. */
const ROW = /^\W*(?:the|that|this)\s+(?:\p{L}+\s+){0,3}?(?:one|first|second|third|last)\b/iu;
const LOOKS: ReadonlySet<string> = new Set(["told", "find", "show", "wiki"]);

const ORDERS =
  /^\W*(?:(?:and|then|so|please|pls|can you|could you|now)\s+)*(?:show|list|find|open|give|tell|read|search|sort|count|compare|close|move|assign|set|add|remove|delete|create|comment|link|reopen|only|just|not|without)\b/iu;

/** "Then put it there", "so it should hang under that epic": what was said before, over again. */
const REPEATS =
  /^\W*(?:(?:so|then|please|pls)\s+)*(?:(?:put|move|file)\s+(?:it|that)\s+there|(?:it|that)\s+should\s+(?:hang|go|be|belong)\s+(?:under|in|into|to)\s+(?:that|this)(?:\s+\p{L}+)?)\W*$/iu;
