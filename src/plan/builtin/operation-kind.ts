import { splitName } from "../slot.ts";
import { createSynonyms } from "./synonyms.ts";
import { isChangeVerb, isRead, verbsIn } from "./verbs.ts";
import { stemOf } from "./words.ts";

const LOOKS =
  /^(?:get|show|read|fetch|describe|view|retrieve|list|enumerate|search|find|query|lookup|export|download|display|inspect|count|peek|see|ls)$/;
/** Words that are a change wherever they stand, in the word itself or as a description says it. */
const CHANGES =
  /\b(?:delete|remove|drop|destroy|erase|purge|truncate|create|update|insert|modify|overwrite|mark|send)s?\b/i;
/** What a read lists may be a verb as well; these are read where the tool's own name says that it reads. */
const READ_OF_A_READ = /^(?:select|all|one|by|status|info|details)$/;

/**
 * Whether an operation only reads: its value has a verb that looks, or is a thing that a tool whose name
 * looks can look at, or its description begins with such a verb; and neither has one that changes. `said`
 * is what the selector's description says of the value. A word that is not known may change something.
 */
export function readsOnly(toolName: string, value: string, said: string): boolean {
  const words = splitName(value);
  const [first = ""] = words;
  if (CHANGES.test(words.join(" ")) || isChangeVerb(first)) return false;
  // "fetch_and_run"
  if (words.some((word, at) => /^(?:and|or|then)$/.test(words[at - 1] ?? "") && isChangeVerb(word)))
    return false;
  const steps = said.split(/[,;]|\b(?:and|or|then)\b/).map((step) => splitName(step)[0] ?? "");
  if (CHANGES.test(said) || steps.some((step) => isChangeVerb(step))) return false;
  if (looks(first) || looks(steps[0] ?? "")) return true;
  const isSeen = READ_OF_A_READ.test(first) || isThing(first, toolName);
  return isSeen && (words.some(looks) || hasReadVerb(toolName));
}

/** Whether the value says itself what is done: it begins with a verb. */
export function beginsWithVerb(value: string): boolean {
  const [first = ""] = splitName(value);
  return looks(first) || isChangeVerb(first) || verbsIn(first).length > 0;
}

function looks(word: string): boolean {
  return LOOKS.test(word) || LOOKS.test(word.replace(/(?:es|s)$/, ""));
}

function hasReadVerb(name: string): boolean {
  const verbs = verbsIn(name);
  return verbs.length > 0 && verbs.every(isRead);
}

/** More than one of them, a thing that teams at work speak of, or one that the tool's own name speaks of. */
function isThing(word: string, toolName: string): boolean {
  return (
    /[a-z]{2}[^s]s$/.test(word) ||
    splitName(toolName).some((own) => stemOf(own) === stemOf(word)) ||
    THINGS.has(stemOf(word))
  );
}

const THINGS: ReadonlySet<string> = new Set(createSynonyms().keys());
