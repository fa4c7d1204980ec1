import type { Slot } from "../slot.ts";
import { type Filling, inTopic, isOpen, isTaken, matchPiece, namedValues, put, valueOf } from "./filling.ts";
import type { Piece } from "./sheet.ts";

const PERSON = "@?[\\p{L}][\\p{L}\\p{N}._'’-]*|<@[A-Z0-9]+>";
const NOBODY = new Set([
  "the",
  "a",
  "an",
  "it",
  "this",
  "that",
  "them",
  "someone",
  "somebody",
  "nobody",
  "anyone",
  "who",
  "whom",
  "what",
  "everyone",
  "to",
  "of",
  "for",
  "on",
  "from",
  "in",
  "by",
]);
const SELF = new Set(["me", "myself", "my", "mine", "i"]);

/** People: "assigned to ben", "ben's tickets", "what is ben working on", "my issues". */
export function fillPeople(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "person" || !isOpen(filling, slot)) continue;
    if (fillNobody(filling, slot)) continue;
    const found = findPerson(filling, slot);
    if (!found) continue;
    const value = valueOf(filling, found);
    put(
      filling,
      slot,
      SELF.has(value.toLowerCase()) ? filling.around.actorName || "me" : value.replace(/^@/, ""),
      found.start,
      found.end + (BUSY.exec(filling.sheet.masked.slice(found.end))?.[0].length ?? 0),
    );
    filling.strong += 1;
  }
}

/** What people are said to do with their work. */
const BUSY = /^\s+(?:currently\s+|now\s+)?(?:working on|busy with|doing|have)\b/i;

/** "to nobody": the word for it that the tool's description gives. */
function fillNobody(filling: Filling, slot: Slot): boolean {
  const word = namedValues(slot).find((value) => /^(?:unassigned|nobody|none)$/i.test(value));
  const found = matchPiece(
    filling.sheet.masked,
    /\b((?:assigned )?to (?:nobody|no one|noone|none)|un-?assign(?:ed)?)\b/di,
  );
  if (word === undefined || !found || inTopic(filling, found.start)) return false;
  put(filling, slot, word, found.start, found.end);
  filling.strong += 1;
  return true;
}

function findPerson(filling: Filling, slot: Slot): Piece | undefined {
  const masked = filling.sheet.masked.slice(0, filling.clause.tail?.start);
  const author = slot.words.some((word) => ["reporter", "author", "creator"].includes(word));
  const { intents } = filling.clause;
  const ways = author
    ? ["(?:reported|created|written|opened|filed|raised) by", "reporter", "author"]
    : [
        "assigned to",
        "(?:and )?assign(?:ed)?(?: it| this| that)? to",
        "(?:owned|handled) by",
        "owner",
        "assignee",
        "(?:and )?give (?:it|this|that) to",
      ];
  const patterns = ways.map((way) => `\\b(?:${way})\\s*[:=]?\\s*(${PERSON})`);
  if (slot.required || intents.has("assign"))
    patterns.push(`\\bto\\s+(?:the\\s+)?(${PERSON})`, `\\bfor\\s+(${PERSON})$`);
  if (!filling.entry.changing && !author)
    patterns.push(
      `(?:what(?:['’]?s| is| are| am)|is|are|am)\\s+(${PERSON})(?=\\s+(?:currently\\s+|now\\s+)?(?:working on|doing|busy with))`,
      `\\bdo(?:es)?\\s+(${PERSON})(?=\\s+have\\b)`,
      `(?:^|\\s)(my|mine)\\b`,
      `(?:^|\\s)(\\p{L}[\\p{L}\\p{N}]*)['’]s\\s+(?:\\p{L}+\\s+)?(?:${[...OWNED].join("|")})`,
      `\\bon (\\p{L}+)(?:['’]s)? plate\\b`,
    );
  for (const pattern of patterns) {
    const piece = matchPiece(masked, new RegExp(pattern, "diu"), true);
    if (!piece || NOBODY.has(piece.value.toLowerCase()) || /^(?:we|you|they|anyone)$/i.test(piece.value))
      continue;
    if (/^what/i.test(piece.value) || isTaken(filling, piece.start)) continue;
    return withSurname(masked, piece);
  }
  return undefined;
}

const OWNED = new Set([
  "issues?",
  "tickets?",
  "tasks?",
  "bugs?",
  "work",
  "stuff",
  "pages?",
  "documents?",
  "items?",
  "cards?",
  "orders?",
  "files?",
  "backlog",
]);

function withSurname(masked: string, piece: Piece): Piece {
  if (!/^@?\p{Lu}/u.test(piece.value)) return piece;
  const surname = /^(?:\s+\p{Lu}[\p{L}'’-]*){1,2}/u.exec(masked.slice(piece.end));
  if (!surname) return piece;
  return { value: piece.value + surname[0], start: piece.start, end: piece.end + surname[0].length };
}
