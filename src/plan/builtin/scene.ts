import type { JsonObject } from "#contract/json.ts";
import type {
  ArgSources,
  MeantChange,
  PastTurn,
  PendingQuestion,
  PlanInput,
  PlannedCommand,
} from "#contract/plan.ts";
import { recordOf } from "../slot.ts";
import { issuesOfEpic } from "./containers.ts";
import type { DateReader } from "./dates.ts";
import type { FillContext } from "./filling.ts";
import { toOrders } from "./orders.ts";
import { asPlainEdit } from "./edits.ts";
import { inOwnWords, linked, paired, rephrased } from "./rephrase.ts";
import { foundFirst } from "./several.ts";
import { COLON, createSheet } from "./sheet.ts";
import type { ToolIndex } from "./tool-index.ts";
import { mendVerb, type Verbs } from "./verbs.ts";
import { unwrap } from "./wish.ts";

export const FINAL: PlannedCommand = { command: "QUERY", tool: "final_answer", args: {} };

/** A message that puts values to records as plain orders, or with its other wordings made plain. */
export function asOrders(
  text: string,
  { input: { now, known = [] }, dates, index }: Pick<Scene, "input" | "dates" | "index">,
): string {
  const orders = toOrders(text, { now, dates, known, canSearch: index.hasKeys });
  const takesEpic = index.entries.some(
    ({ slots, changing }) => !changing && slots.some((slot) => !slot.required && recordOf(slot) === "epic"),
  );
  const listed = takesEpic ? issuesOfEpic(text) : undefined;
  if (listed !== undefined) return listed;
  const first = index.hasKeys ? foundFirst(text) : undefined;
  if (first !== undefined) return first;
  return orders === undefined ? linked(paired(text)) : orders.join("; ");
}

export interface BuiltinPlan {
  /** The step in the protocol (contracts/protocol.md). */
  text: string;
  /** Further steps that belong to it: changes of one wish, which are asked for together. */
  further?: string[];
  /** Of each call in `text` and `further`, in order: the arguments whose values the message does not hold. */
  sources: ArgSources[];
  /** Every value is anchored and nothing was left over: no model would know better. */
  isAnchored: boolean;
  /** What was not understood, or what was looked for. */
  notice?: string;
  /** What is asked for when these changes are made, in the person's words. */
  later?: string[];
  /** See PlannedStep. */
  replaces?: true;
  /** See PlannedStep. */
  asks?: string;
  /** Changes that the message may ask for and that are not asked for: whoever wrote it may say so. */
  meant?: MeantChange[];
  /** What may be meant, with what is known of each, where the step is a refusal. */
  choices?: PendingQuestion[];
}

/** The next step of a turn, as commands. */
export interface Step extends Omit<Partial<BuiltinPlan>, "text"> {
  commands: PlannedCommand[];
  /** The message is nothing but the value that the step puts into a call that waits: no word of it is in doubt. */
  isValue?: true;
}

export function say(message: string, more: Partial<Step> = {}): Step {
  return { commands: [{ command: "ERROR", message }], ...more };
}

/** What a step is planned from. */
export interface Scene {
  input: PlanInput;
  index: ToolIndex;
  verbs: Verbs;
  dates: DateReader;
  /** Values that stand for names in the message. */
  put: ArgSources;
  /** The message as it was written. */
  said?: string;
  /** The whole message with the keys of what it calls by its name, where it is one wish and no list. */
  named?: string;
  /** What was only told beside the wishes. */
  told?: readonly string[];
  /** See PlannedStep. */
  replaces?: true;
  /** See PlannedStep. */
  asks?: string;
  /** Its orders were read with words around them that nothing explains. */
  isLoose?: boolean;
}

/** Whether a search was answered from several pages: nobody can tell which of them "there" is. */
function isOneOfMany({ calls, permit, shown }: PastTurn): boolean {
  const isSearched = calls.some(({ args }) => typeof args["query"] === "string");
  const rows = permit === undefined ? [] : (shown?.reveal(permit).rows ?? []);
  const opened = calls.filter(({ args }) => rows.some(({ id }) => id === args["page_id"]));
  return isSearched && opened.length > 1;
}

export function toFillContext({ input, index, dates, told = [] }: Scene): FillContext {
  const earlier = input.history
    .flatMap((turn) => (isOneOfMany(turn) ? [] : turn.calls.map(({ args }) => args)))
    .toReversed();
  const quoted = keysIn(input.quote?.text ?? "", index);
  const known = input.known === undefined ? {} : { known: input.known };
  return { now: input.now, dates, earlier: [...quoted, ...earlier], told, ...known };
}

/** "it" asked of a message means the first key that the message names, for whichever argument is one. */
export function keysIn(text: string, { entries }: ToolIndex): JsonObject[] {
  const names = entries.flatMap(({ slots }) => slots.filter(({ kind }) => kind === "key"));
  const keys = text.slice(0, QUOTE_CHARS).match(/\b[A-Z][A-Z0-9_]{0,15}-\d{1,9}\b/g) ?? [];
  return keys.slice(0, 5).map((key) => Object.fromEntries(names.map(({ name }) => [name, key])));
}

const QUOTE_CHARS = 8_000;

/** The message without what is quoted or dictated. */
export function ownWords(message: string): string {
  const { masked } = createSheet(message);
  return masked.slice(0, COLON.exec(masked)?.index);
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `“${unwrap(text).text.slice(0, 120)}”`).join(" and ");
}

/** Without what only greets, thanks or agrees: nobody misses that in an answer. */
export function worthSaying(texts: readonly string[]): string[] {
  return texts.filter((text) => !CHATTER.test(text));
}

const CHATTER =
  /^\W*(?:(?:ok(?:ay)?|oh|ah|hm+|good|great|fine|nice|cool|perfect|thanks?(?: you)?|thx|ty|cheers|right|alright|well|yes|yeah|yep|sure|hi|hey|hello|(?:good )?morning|please|pls|lol|haha+|and|so|then|now)\b\W*)*$/iu;

const PICTURES =
  /\s*(?:(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D)+|(?<=\s)[:;]-?[)(DPp](?=\s|$))\s*/gu;

/** A picture ends a sentence, and says nothing that is looked for. */
export function withoutPictures(text: string): string {
  return inOwnWords(text, PICTURES, () => "\uE003")
    .replace(/\uE003+$/u, "")
    .replaceAll(/[.,;:!?]?\uE003+(?=[\p{L}\p{N}"“])/gu, ". ")
    .replaceAll("\uE003", " ");
}

/** What has titles, whose words are no names. */
export const TITLED: ReadonlySet<string> = new Set(["issue", "page", "status"]);

export function mended(wish: string, { index: { entries }, input: { known = [] } }: Scene): string {
  const { text, polite } = unwrap(wish);
  const better = mendVerb(asPlainEdit(text, known) ?? rephrased(text), (stem) =>
    entries.some((entry) => entry.verbs.has(stem)),
  );
  return better === text ? wish : polite + better;
}
