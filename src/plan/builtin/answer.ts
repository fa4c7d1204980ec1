import type { JsonObject } from "#contract/json.ts";
import type { PendingQuestion, PlanInput } from "#contract/plan.ts";
import { en } from "../../base/words/en.ts";
import { type Slot, fits, toValue } from "../slot.ts";
import { type Choice, choose, entryOf } from "./choose.ts";
import { fill } from "./fill.ts";
import { type FillContext, labelsOf } from "./filling.ts";
import { type Referents, pointedAt } from "./refer.ts";
import { type Scene, type Step, say } from "./scene.ts";
import { unquoted } from "./sheet.ts";
import { toCommand } from "./stages.ts";
import { likeliestIssue } from "./titles.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Verbs } from "./verbs.ts";
import { type Wish, readWish } from "./wish.ts";

/** A message that takes back what was asked for. */
export const NEVER_MIND: RegExp =
  /^\s*(?:(?:oh|ah|nah|ok(?:ay)?|good|no|wait|hm+|please|pls|then)[\s,.!]+)*(?:never ?mind|nvm|forget (?:it|that|about it)|(?:drop|skip|scrap|scratch) (?:it|that|this)|cancel(?: that| it)?|stop|no(?: thanks| thank you)?|nothing|leave it(?: (?:with|to) \p{L}+)?|(?:i(?:['’]?ll| will) )?(?:do|keep|handle) it(?: myself)?|hang on|hold on|(?:don['’]?t|do not)(?: do (?:it|that|this))?|(?:(?:then )?(?:i|we|let['’]?s)(?:['’]ll)? )?(?:leave|keep) (?:it|this|that|them|everything) (?:as (?:it|that|they) (?:is|are|was|were)|alone|like (?:that|this)))(?:[\s,.!–-]+(?:i(?:['’]ve)?\s+)?(?:already\s+)?(?:found|solved|fixed|sorted|figured|got)\s+(?:it|that)(?:\s+(?:out|myself|already|now))*|[\s,.!–-]+(?:\d[^,.;:!?]{0,20}|it|that|this)(?:['’]s|\s+(?:is|are))\s+(?:fine|ok(?:ay)?|good|right|correct|enough)(?:\s+(?:as\s+it\s+is|anyway|too))?|[\s,.!–-]+i(?:['’]?ll|\s+will)\s+(?:tell|ask|talk\s+to|do|write)\s+\S+(?:\s+(?:myself|first|later|instead))*)?(?:[\s,.!]+(?:thanks?|thank you|thx)(?: (?:a lot|anyway|so much|you))?)?\s*[.!]*\s*$/iu;

/** The message as the answer to the question that the last turn ended with. */
export function toAnswer(
  { input, index, verbs }: Scene,
  around: FillContext,
  referents: Referents,
): Step | undefined {
  const question = input.history.at(-1)?.question;
  if (!question) return undefined;
  if (NEVER_MIND.test(input.message)) return say(en.recorded.neverMind());
  const message = input.message.trim().replace(MEANT, "");
  if (NO_ANSWER.test(message)) return undefined;
  const entry = askedAbout(question, index);
  if (!entry) return undefined;
  const title = titleIn(message, entry);
  const said =
    pointedAt(message, referents) ??
    calledIn({ ...input, message }, question, entry) ??
    (title !== undefined && question.fields.includes(title.name) ? title.value : message);
  const wish = readWish(said, verbs);
  const isRetitled = title !== undefined && Object.hasOwn(question.args, title.name);
  const args = isRetitled
    ? { ...question.args, [title.name]: title.value }
    : answerQuestion(question, said, entry, wish, around);
  const other = isNewWish(wish, verbs, index) ? choose(wish, index, around) : undefined;
  if (other && !isRetitled && !(args && isSelected(other, entry, args))) return undefined;
  const done = args && (entryOf(entry.call.tool, args, index) ?? entry);
  if (!done) return undefined;
  const known = Object.keys(question.args).filter((name) => !question.fields.includes(name));
  const ref = input.history.at(-1)?.message ?? "";
  const sources = Object.fromEntries(known.map((name) => [name, { from: "history" as const, ref }]));
  const later = question.later === undefined ? {} : { later: question.later };
  return { commands: [toCommand(done, args, done.changing)], sources: [sources], isAnchored: true, ...later };
}

/** "Guest checkout, Ben is busy": the key of the record that an answer calls by its title, where a key is asked for. */
function calledIn(
  { message, known = [] }: PlanInput,
  { fields }: PendingQuestion,
  { slots, tool }: ToolEntry,
): string | undefined {
  const [only, ...others] = slots.filter(({ name }) => fields.includes(name));
  if (only?.kind !== "key" || others.length > 0 || /[A-Za-z]\w*-\d/.test(message)) return undefined;
  const [called = ""] = message.split(/\s*[,.;–]\s+/);
  const own = called.split(/\s+/).length > MOST_NAMED ? undefined : likeliestIssue(called, known);
  // A key of another server is none of this one's.
  return own?.server === tool.server ? own.id : undefined;
}

/** "Call it “Grey button”", behind an order for something new: it is not there yet, so nothing is renamed. */
function titleIn(
  message: string,
  { slots, intents }: ToolEntry,
): { name: string; value: string } | undefined {
  const title = slots.find(({ kind, required }) => kind === "title" && required)?.name;
  const called = intents.has("create") ? CALLED.exec(message)?.[1] : undefined;
  return title === undefined || called === undefined ? undefined : { name: title, value: unquoted(called) };
}

const CALLED =
  /^\W*(?:(?:please|pls|then|just|ok(?:ay)?)\s+)*(?:(?:call|name|title)\s+(?:it|that|this)|rename\s+(?:it|that|this)\s+to)\s*:?\s+(?=\S)(.+)$/isu;

/** More words are a message of their own. */
const MOST_NAMED = 6;
/** Nobody is called by more words. */
const MOST_NAMES = 4;
/** "I mean the one in MOB" */
const MEANT = /^(?:(?:no|oh|ah|sorry)\b[\s,.!]*)*i\s+mean(?:t)?\s*[,:]?\s+(?=the\s|[A-Z]\w*-\d)/i;
/** Second thoughts and questions are no values. */
const NO_ANSWER =
  /^(?:no|not|wait|sorry|actually|hmm?|oh|i (?:don['’]?t|do not|mean|meant)|the other way|whoever|nobody knows|never|won['’]?t|ok(?:ay)?,? won['’]?t)\b|\b(?:except|all but|but not|other than)\b|^(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|all|again|you|bot))*[\s.!]*$|\b(?:never ?mind|keep it|leave it|forget it|is fine)\b|^(?:what|which|who|when|where|why|how|is|are|does|do|can|could|should)\b.*|\?\s*$/i;

/** What the question was about: one thing that its tool does, or the tool where it asks which of these. */
function askedAbout({ tool: asked, args, fields }: PendingQuestion, index: ToolIndex): ToolEntry | undefined {
  const whole = index.wholes.find(({ tool }) => tool.id === asked || tool.name === asked);
  if (whole === undefined)
    return index.entries.find(({ tool, call }) => call.tool === asked || tool.name === asked);
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => !fields.includes(name)));
  return entryOf(whole.call.tool, known, index) ?? whole;
}

/** "Start it" is a wish, and yet the answer to which of a tool's operations is meant. */
function isSelected({ calls }: Choice, { call, tool }: ToolEntry, args: JsonObject): boolean {
  return (
    call.tool === tool.id &&
    calls.every(
      ({ entry, args: own }) =>
        entry.call.tool === call.tool &&
        Object.keys(entry.call.args).length > 0 &&
        Object.entries({ ...own, ...entry.call.args }).every(([name, value]) => args[name] === value),
    )
  );
}

/** An answer seldom starts with a verb and a key or a thing that tools know. */
function isNewWish({ head, tokens, text, question }: Wish, verbs: Verbs, { entries }: ToolIndex): boolean {
  if (question && /^(?:what|which|who|where|when|why|how|is|are|does|do|did|has|have|any)\b/i.test(text))
    return true;
  if (head === undefined || head.start !== 0 || tokens.length < 2) return false;
  // "run a full wellcheck": a tool's own verb, and its thing
  const isOwn = (entry: ToolEntry): boolean =>
    entry.verbs.has(head.stem) && tokens.some(({ stem }) => entry.objects.has(stem));
  return verbs.has(head.stem) || entries.some(isOwn);
}

/**
 * The call that was asked about with the message as its answer, or undefined where the message is no
 * answer to these fields.
 */
function answerQuestion(
  question: PendingQuestion,
  message: string,
  entry: ToolEntry,
  wish: Wish,
  around: FillContext,
): JsonObject | undefined {
  const slots = question.fields
    .map((name) => entry.slots.find((slot) => slot.name === name))
    .filter((slot) => slot !== undefined);
  const known = Object.fromEntries(
    Object.entries(question.args).filter(([name]) => !question.fields.includes(name)),
  );
  const text = unquoted(message);
  if (text === "" || slots.length === 0) return undefined;

  // The labels of the answer tell its parts apart: "project DEMO, titled 'Printer on fire'".
  const filled = fill(entry, wish, around).args;
  const labelled = slots.filter((slot) => Object.hasOwn(filled, slot.name));
  if (labelled.length === slots.length && (slots.length > 1 || !isText(slots[0])))
    return { ...known, ...pick(filled, slots) };

  const [only] = slots;
  if (slots.length === 1 && only) {
    if (only.kind === "object" || (only.kind === "person" && text.split(/\s+/).length > MOST_NAMES))
      return undefined;
    if (!fits(only, text)) return labelled.length === 1 ? { ...known, ...pick(filled, slots) } : undefined;
    return { ...known, [only.name]: self(only, toValue(only, text)) };
  }
  return answerInOrder(slots, message, known);
}

/** "DEMO, Printer on fire" or two lines: the parts in the order of the question. */
function answerInOrder(slots: Slot[], message: string, known: JsonObject): JsonObject | undefined {
  const parts = message.split(/\s*\n\s*|\s*[,;]\s+/, slots.length).map(unquoted);
  const [first] = parts;
  if (first === undefined) return undefined;
  const whole =
    parts.length === slots.length
      ? [...parts.slice(0, -1), unquoted(message.slice(message.lastIndexOf(parts.at(-1) ?? "")))]
      : [unquoted(message)];
  const args: JsonObject = { ...known };
  const open = [...slots];
  for (const part of whole) {
    const at = open.findIndex((slot) => fits(slot, part));
    const [slot] = at === -1 ? [] : open.splice(at, 1);
    if (!slot) return undefined;
    const label = new RegExp(`^(?:the\\s+)?(?:${labelsOf(slot).join("|")})\\s*[:=]\\s*`, "iu");
    args[slot.name] = toValue(slot, part.replace(label, ""));
  }
  return args;
}

function isText(slot: Slot | undefined): boolean {
  return slot !== undefined && ["title", "body", "text", "query"].includes(slot.kind);
}

function self(slot: Slot, value: JsonObject[string]): JsonObject[string] {
  return slot.kind === "person" && typeof value === "string" && /^(?:me|myself)$/i.test(value) ? "me" : value;
}

function pick(args: JsonObject, slots: Slot[]): JsonObject {
  return Object.fromEntries(slots.map((slot) => [slot.name, args[slot.name] ?? null]));
}
