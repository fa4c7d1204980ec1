import { distance } from "fastest-levenshtein";

import { anyOf } from "../../base/matching.ts";
import type { Slot } from "../slot.ts";

import {
  type Filling,
  inTopic,
  isOpen,
  isTaken,
  matchPiece,
  namedValues,
  put,
  spokenOf,
  valueOf,
} from "./filling.ts";
import { WORK } from "./nouns.ts";
import { namePattern } from "./people.ts";
import type { Piece } from "./sheet.ts";
import { stemOf, STOP_WORDS, wordSet } from "./words.ts";

const PERSON =
  "[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+|@?[\\p{L}][\\p{L}\\p{N}_’'-]*?(?:\\.[\\p{L}\\p{N}_-]+)*(?=['’]s\\b|[^\\p{L}\\p{N}_’'-]|$)|<@[A-Z0-9]+>";
const NOBODY = wordSet(
  `the a an it this that them someone somebody nobody anyone who whom what everyone to of for on from in by we you
  they whoever whomever person people guy boss manager lead friend either him her his hers them reporter assignee creator author owner team same other not done high low todo medium highest lowest urgent critical progress review backlog`,
);
const SELF = wordSet("me myself my mine i");
/** What people are said to do with their work. */
const BUSY =
  /^\s+(?:(?:currently|now|still)\s+)?(?:working on|busy with|doing|up to|have|has|(?:reported|created|opened|filed|raised|wrote|written|logged)\b|(?:report|create|open|file|raise|write|log|edit|change|update)(?=\W*$|\s+(?:in|for|on|last|this|since|yesterday|today|that|which|and|most|recently)\b))/i;
const OWNED =
  "issues? tickets? tasks? bugs? stor(?:y|ies) epics? work stuff pages? documents? items? cards? orders? files? backlog ones? queue".replaceAll(
    " ",
    "|",
  );

/** People: "assigned to ben", "ben's tickets", "what is ben working on", "my issues". */
export function fillPeople(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "person" || !isOpen(filling, slot) || fillNobody(filling, slot)) continue;
    const found = findPerson(filling, slot);
    if (!found) continue;
    // "Who decides when Ana is away?" asks for nothing of hers.
    if (!filling.entry.changing && WHILE.test(filling.sheet.masked.slice(0, found.start))) continue;
    const value = valueOf(filling, found);
    const others = filling.entry.changing
      ? null
      : /^\s+(?:and|or|,)\s+\p{L}[\p{L}'’-]+(?=\W*$|,|\s+(?:in|is|are|have|working|that|which|with|who)\b)/iu.exec(
          filling.sheet.masked.slice(found.end),
        );
    if (others) filling.sheet.take(found.end, found.end + others[0].length);
    const last = found.end + (others?.[0].length ?? 0);
    const end = last + (BUSY.exec(filling.sheet.masked.slice(last))?.[0].length ?? 0);
    put(filling, slot, SELF.has(value.toLowerCase()) ? "me" : value.replace(/^@/, ""), { ...found, end }, 1);
  }
}

const WHILE = /\b(?:when|while|if|in case)\s+$/i;

/** "to nobody", "unassigned", "without an assignee": the word for it that the tool's description gives. */
function fillNobody(filling: Filling, slot: Slot): boolean {
  const word = namedValues(slot).find((value) => /^(?:unassigned|nobody|none)$/i.test(value));
  const isOwner = !/reporter|author|creator/.test(slot.words.join(" "));
  const found = matchPiece(
    filling.sheet.masked,
    /\b((?:remove|clear|drop) (?:the )?(?:assignee|owner)\b|(?:assigned )?to (?:nobody|no one|noone|none|anyone)\b|un-?assign(?:ed)?\b|(?:\p{L}+n['’]?t|not) have(?: an?| any)? (?:assignee|owner)\b|(?:without|no|not)(?: \p{L}+)? (?:assignee|owner|assigned(?: to (?:any\p{L}*|some\p{L}*|nobody|no one))?(?! to\b))\b|(?:nobody|no one)(?:['’]s)?\s+(?:is\s+|has\s+(?=(?:picked|taken)\b))?(?:taken(?: it)?(?: on| up)?|working on|works on|assigned to|on (?:it|them)|picked(?: it)? up|owns|has(?!\s+(?:\p{L}+\s+)?\p{L}+(?:ed|un)\b)|took|takes)\b)/diu,
  );
  if (word === undefined || !isOwner || !found || inTopic(filling, found.start)) return false;
  put(filling, slot, word, found, 1);
  return true;
}

function findPerson(filling: Filling, slot: Slot): Piece | undefined {
  const masked = spokenOf(filling);
  const isAuthor = slot.words.some((word) => /reporter|author|creator/.test(word));
  const ways = isAuthor
    ? [
        "(?:reported|created|written|opened|filed|raised|made|added) by",
        "reporter",
        "author",
        "^.*?\\b(?=i(?:['’]m| am) the (?:reporter|author))",
        "(?<!(?:sort|sorted|order|ordered|group|grouped|filter|assigned|owned|due) )by(?= (?:\\p{L}+\\W*$))(?! (?:prio|priority|status|date|due|type|assignee|project|name|title|key|last|created|updated|creation|age|urgency|deadline|default|hand|far|accident|mistake|now|then)\\b)",
      ]
    : [
        "(?:re-?)?assign(?:ed)?(?: it| this| that)? to",
        "(?:owned|handled) by",
        "(?:is|are|sits?|lies?) (?:still )?with",
        "owner",
        "assignee",
        "(?:and )?(?:give|hand)(?: it| this| that)?(?: over)? to",
      ];
  const patterns = ways.map((way) => `\\b(?:${way})\\s*[:=]?\\s*(${PERSON})`);
  if (slot.required || filling.wish.intents.has("assign"))
    patterns.push(`\\bto\\s+(?:the\\s+)?(${PERSON})`, `\\bfor\\s+(${PERSON})$`);
  if (!isAuthor && filling.wish.intents.has("create"))
    patterns.push(`,\\s*for\\s+(${PERSON})`, ...madeFor(filling));
  if (isAuthor && !filling.entry.changing)
    patterns.push(
      `(?:did|have|has)\\s+(?:the\\s+)?(?:(?:user|person|colleague)\\s+)?(${PERSON})\\s+(?:report|create|open|file|raise|write|edit|change|update)`,
      `(?:that|which|issues|tickets|bugs|pages)?\\s*(\\p{L}+)\\s+(?:has\\s+|have\\s+|had\\s+)?(?:reported|created|opened|filed|raised|wrote|written)\\b`,
    );
  if (!filling.entry.changing && !isAuthor)
    patterns.push(
      `(?:what(?:['’]?s| is| are| am)|is|are|am)\\s+(${PERSON})(?=\\s+(?:and\\s+\\p{L}+\\s+)?(?:currently\\s+|now\\s+)?(?:working on|doing|busy with|up to))`,
      `\\b(?:do|does|did)(?:es)?\\s+(${PERSON})(?=(?:\\s+\\p{Lu}\\p{L}+)?\\s+(?:still\\s+|currently\\s+)?have\\b(?! to\\b))`,
      `(?:^|\\b(?:that|which|tickets|issues|bugs|tasks|stories|what|everything|stuff|things|does)\\s+)(\\p{L}+)(?=\\s+(?:has|have|is working on)\\b(?! (?:been|to|reported|created|opened|filed|raised|written)\\b))`,
      `\\b(?:did|has|have)\\s+(${PERSON})(?=\\s+(?:finish|close|complete|resolve|ship|done|do\\b|been working))`,
      `(?:^|\\s)(my)\\s+(?:\\p{L}+\\s+){0,3}?(?:${OWNED})(?![\\p{L}])`,
      `(?:^|\\s)(mine)\\b`,
      `\\bwhat (?:has|have|is|does) (${PERSON}) (?:got|have|doing|on|(?:still )?to do|left)\\b`,
      `(?:issues|tickets|bugs|tasks|stuff|work|things)\\s+(?:that\\s+)?(?:are\\s+)?(?:do\\s+|have\\s+)?(i)\\s+(?:have|own|need|got)`,
      `\\b(?:do|did|have)\\s+(i)\\s+(?:still\\s+)?(?:have|got)(?!\\s+to\\b)`,
      `\\bfor (me)\\W*$`,
      `(?:^|\\s)(\\p{L}[\\p{L}\\p{N}]*)['’]s\\s+(?:\\p{L}+\\s+){0,3}(?:${OWNED})(?![\\p{L}])`,
      `^(?:and\\s+|only\\s+|just\\s+|what about\\s+|how about\\s+)?(\\p{L}+)['’]s\\W*$`,
      `\\bon (\\p{L}+)(?:['’]s)? (?:plate|desk|table|list)\\b`,
    );
  for (const pattern of patterns) {
    const piece = matchPiece(masked, new RegExp(pattern, "diu"), true);
    const said = piece?.value.toLowerCase() ?? "";
    if (
      !piece ||
      (STOP_WORDS.has(said) && !SELF.has(said)) ||
      NOBODY.has(said) ||
      isTaken(filling, piece.end - 1)
    )
      continue;
    if (
      /^(?:what|which|anyone|everybody|projects?|issues?|tickets?|bugs?|pages?|spaces?)$/i.test(
        piece.value,
      ) ||
      filling.entry.kin.has(stemOf(piece.value.toLowerCase()))
    )
      continue;
    if (/^\p{Lu}{2,}$|-\d+$/u.test(piece.value)) continue;
    if (!filling.entry.changing && NOT_THEIRS.test(masked.slice(0, piece.start))) continue;
    // A day is nobody.
    const { dates, now } = filling.around;
    if (dates.find(piece.value, now)?.start === 0) continue;
    if (filling.entry.changing && /^(?:my|mine|i|our|your)$/.test(said)) continue;
    // "ben's manager" is somebody else.
    if (filling.entry.changing && /^['’]s\b/i.test(masked.slice(piece.end))) continue;
    if (/^\p{Ll}+s$/u.test(piece.value) && filling.entry.vocabulary.has(stemOf(said))) continue;
    // A word in small letters is a name where it is that of somebody.
    if (
      !filling.entry.changing &&
      /^\p{Ll}+$/u.test(piece.value) &&
      !SELF.has(said) &&
      isStranger(said, filling)
    )
      continue;
    return withSurname(masked, piece);
  }
  return filling.entry.changing && !slot.required ? undefined : knownPerson(filling, slot, masked);
}

/** "… but not by Dmitri": what tells others from his is not what is his. */
const NOT_THEIRS =
  /(?:\bnot|n['’]t|\bexcept|\bwithout|\bother\s+than)\s+(?:(?:by|from|of|for|to|written|made|assigned|created)\s+)*$/iu;

/** "A task for Emi: …": whom something new is for has it, where they are known. */
function madeFor({ around: { known = [] } }: Filling): string[] {
  return [
    `(?<=\\b${WORK}\\b[^:,;]*\\s)for\\s+(me|${namePattern(known).source})(?=\\s*(?:[:,;–-]|$)|\\s+(?:to|in)\\b)`,
  ];
}

/** Whether people are known, and nobody of them is called like that. */
function isStranger(said: string, { around }: Filling): boolean {
  const people = (around.known ?? []).filter(({ kind }) => kind === "person");
  return (
    people.length > 0 &&
    !people.some(({ id, name }) =>
      [id, ...name.split(/\s+/)].some((each) => {
        const own = each.toLowerCase();
        return own === said || (said.length > 3 && distance(own, said) === 1);
      }),
    )
  );
}

/** Somebody who is known by this name, wherever it stands: who wrote it where that is said beside it, else who has it. */
function knownPerson(filling: Filling, slot: Slot, masked: string): Piece | undefined {
  const people = (filling.around.known ?? []).filter(({ kind }) => kind === "person");
  const names = people
    .flatMap(({ id, name }) => [name, ...name.split(" "), id])
    .filter((name) => name.length > 2);
  if (names.length === 0) return undefined;
  const isAuthor = slot.words.some((word) => /reporter|author|creator/.test(word));
  const pattern = new RegExp(
    `(?:\\b(?:from|of|by|to|for|on|with|has|have|does|did|do|is|are|and|or|besides)\\s+)?(?<![\\p{L}\\p{N}-])(${anyOf(names)})(?:['’]s)?(?![\\p{L}\\p{N}])`,
    "dgiu",
  );
  for (const match of masked.matchAll(pattern)) {
    const place = match.indices?.[1];
    if (place === undefined || inTopic(filling, place[0])) continue;
    if (!filling.entry.changing && NOT_THEIRS.test(masked.slice(0, match.index))) continue;
    const near = masked.slice(Math.max(0, match.index - 25), place[1] + 25);
    if (AUTHORED.test(near) !== isAuthor) continue;
    return { value: masked.slice(...place), start: match.index, end: place[1] };
  }
  return undefined;
}

const AUTHORED =
  /\b(?:report(?:ed|er|s)?|creat(?:ed|or|es)|fil(?:ed|es)|rais(?:ed|es)|opened|wrote|writ(?:ten|es)|author|made by|from|came from)\b/i;

function withSurname(masked: string, piece: Piece): Piece {
  if (!/^@?\p{Lu}/u.test(piece.value)) return piece;
  const surname = /^(?:\s+\p{Lu}\p{Ll}[\p{L}'’-]*){1,2}/u.exec(masked.slice(piece.end));
  if (!surname) return piece;
  return { value: piece.value + surname[0], start: piece.start, end: piece.end + surname[0].length };
}
