import { readClause, startsWish } from "./clause.ts";
import { createSheet } from "./sheet.ts";
import type { Verbs } from "./verbs.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

const JOINT =
  /(?<!\s)(?:\s*(?:[;\n]|[.?!](?=\s))+\s*(?:(?:and|then|also|please)\s+)*|\s*,?\s+(?:and then|and also|and|then|plus)\s+)/gi;
const MAX_WISHES = 8;

/**
 * The wishes of a message: "find issues about login and what does the wiki say about deploying" has two.
 * What follows a new thing or a comment belongs to it ("… and assign it to chloe"), so those stay whole.
 */
export function splitWishes(message: string, verbs: Verbs, things: ReadonlySet<string>): string[] {
  const { masked } = createSheet(message);
  const tail = /(?<=[\p{L}\p{N}]):\s/u.exec(masked)?.index ?? masked.length;
  const wishes: string[] = [];
  let from = 0;
  for (const joint of masked.matchAll(JOINT)) {
    if (joint.index >= tail || joint.index < from || wishes.length >= MAX_WISHES) break;
    const left = message.slice(from, joint.index);
    if (left.trim() === "") continue;
    const first = readClause(left, verbs);
    if (first.changing && (first.intents.has("create") || first.intents.has("comment"))) break;
    const right = message.slice(joint.index + joint[0].length);
    if (startsWish(right, verbs)) {
      wishes.push(left);
      from = joint.index + joint[0].length;
    } else if (isThing(right, things) && first.head) {
      // "list the projects and the spaces"
      return [...wishes, left, `${first.text.slice(0, first.head.end)} ${right}`];
    }
  }
  wishes.push(message.slice(from));
  return wishes.filter((wish) => wish.trim() !== "");
}

function isThing(text: string, things: ReadonlySet<string>): boolean {
  const words = tokenize(text, 8).filter((token) => !STOP_WORDS.has(token.lower));
  return words.length > 0 && words.length <= 2 && words.every(({ stem }) => things.has(stem));
}
