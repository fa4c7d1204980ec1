import { en } from "../../base/words/en.ts";
import { asText } from "../model-text.ts";
import { recordOf } from "../slot.ts";
import type { Plan } from "./choices.ts";
import { candidates, choose, entryOf } from "./choose.ts";
import type { FillContext } from "./filling.ts";
import { lastRead } from "./follow-up.ts";
import { namePattern } from "./people.ts";
import { senseOf } from "./sense.ts";
import { isSmallTalk, type Offer, offer } from "./offer.ts";
import { resolveReferences, toReferents } from "./refer.ts";
import { mended, say, type Scene, type Step } from "./scene.ts";
import { ASKS_LEAVE, searchFor } from "./search.ts";
import { type Stage, toCommand } from "./stages.ts";
import type { ToolIndex } from "./tool-index.ts";
import { createVerbs, isChangeVerb } from "./verbs.ts";
import { readWish, splitWishes, type Wish } from "./wish.ts";
import { stemOf, STOP_WORDS, tokenize } from "./words.ts";

/** No tool is meant for sure: a search where one may know, else what may be meant. */
export function refuse(scene: Scene, around: FillContext, plan: Plan): Step {
  const { input, index, verbs } = scene;
  const wish = readWish(mended(input.message, scene), verbs);
  const isOrder = !ASKS_LEAVE.test(input.message) && (wish.changing || isChangeVerb(wish.head?.lower ?? ""));
  // What is asked of "it" stands in the record.
  const { text } = resolveReferences(input.message, toReferents(input, around.earlier));
  const shown = plan.isOpen || isOrder ? undefined : showKeys(readWish(text, verbs), index, around);
  if (shown) return shown;
  const asked = isOrder && !plan.isOpen ? askWhich(wish, index, around) : undefined;
  // "Make it high", behind a new record that nobody has approved yet.
  const last = input.history.at(-1)?.calls.at(-1);
  const isMaking =
    last !== undefined &&
    index.entries.some(
      ({ changing, intents, call }) => changing && intents.has("create") && call.tool === last.tool,
    );
  if (asked && isMaking && toReferents(input, around.earlier).thing === undefined)
    return say(en.recorded.notMadeYet());
  if (asked) return asked;
  // "The shop is down. What do I do?" asks for no help with the product.
  const isTold = (scene.told ?? []).length > 0;
  const message = isTold ? (scene.said ?? input.message) : input.message;
  if (!isOrder && !plan.isOpen && isOnlyTold(message, input)) return say(en.recorded.onlyTold());
  const search = plan.isOpen ? undefined : searchFor(wish, { ...input, message }, index, around, plan.isWide);
  if (search) return search;
  const likely: Offer = offer(message, candidates(wish, index, around), index, wish);
  // "Who is doing it?" of several: what is known of each of them stands in the list.
  const again = plan.isOpen && ASKS_OF_ROWS.test(input.message) ? lastRead(input, index) : undefined;
  if (again) return { commands: [toCommand(again.entry, again.args, false)], isAnchored: true };
  if (!plan.isOpen)
    return say(likely.message, likely.choices === undefined ? {} : { choices: likely.choices });
  return say(en.recorded.several());
}

/** What people only tell of themselves is looked for nowhere, though its words would fill a search. */
export function onlyHeard({ commands }: Stage, { input, index, said }: Scene): Step | undefined {
  const message = said ?? input.message;
  const isSearch = commands.every(
    ({ command, tool, args }) =>
      command === "QUERY" && entryOf(tool, args, index)?.intents.has("search") === true,
  );
  return isSearch && isOnlyTold(message, input, SURELY) ? say(en.recorded.onlyTold()) : undefined;
}

/** Whether people tell of themselves, and ask for nothing: "yesterday I worked on the map the whole day". */
function isOnlyTold(message: string, { known = [] }: Scene["input"], least = SURE_TOLD): boolean {
  const people = known.filter(({ kind }) => kind === "person");
  const masked = message.replaceAll(namePattern(people), "PERSON");
  const isChat = OF_DAYS.test(message);
  if (isSmallTalk(message) || ASKS_OR_LACKS.test(message)) return false;
  if (tokenize(message).length < (isChat ? 3 : LEAST_TOLD)) return false;
  if (SAID_SO.test(message)) return true;
  const { sense, sure } = senseOf(masked);
  return sense === "told" && ((OF_PEOPLE.test(masked) && sure > least) || (isChat && sure > SURELY));
}

const LEAST_TOLD = 5;
/** What people find of their day: "lunch was great", "good luck with the release". */
const OF_DAYS =
  /\b(?:great|awful|terrible|nice|amazing|lovely|fun|awesome|horrible|(?:better|worse|longer) than|forever|finally|anyway|lol|haha|jokes?|joking|good luck|happy|cake|donuts?|lunch|dinner|breakfast|coffee|beers?|drinks|weekend|vacation|sick|kids|dentist|doctor|train|traffic|weather|birthday|sleep|stand-?up|(?:went|going) well|what a (?:day|week|mess|morning|night)|thanks for \p{L}+ing|nobody (?:told|got)|can['’]?t (?:believe|get used))\b/iu;
const SURE_TOLD = 0.6;
const SURELY = 0.9;
const OF_PEOPLE = /\b(?:i|i['’]?m|im|we|my|our|us|they|he|she|PERSON)\b/i;
/** "By the way", "just thinking out loud" */
const SAID_SO =
  /\b(?:just saying|just (?:thinking|wondering) (?:out )?loud(?:ly)?|thinking out loud|for your information|fyi|not a ticket|no (?:action|reply|answer) needed|nothing to do)\b|^\W*(?:imagine|picture|suppose)\s+(?:that\s+)?(?:we|i|you|they|he|she|it|the|someone|somebody)\b(?!.*\?)/i;
/** What may be looked for: a question, a lack, or something broken. */
const ASKS_OR_LACKS =
  /\?(?!.*\bout loud\b)|^\W*(?:was|were)\s+there\b|(?:^\W*|[.!;:]\s+)(?:who|what|which|when|where|why|how|is|are|does|do|did|can|could|may|must|should|shall|has|have|will|would|am|any|show|find|list|search|look|get|open|give|tell|need)\b|[,–-]\s+(?:and\s+|so\s+|but\s+)?(?:can|could|may|should|must|do|does|did|is|are|have|has)\s+(?:i|we|you|they|he|she|there|people|somebody|anybody)\b|(?:^\W*|[,.;!:]\s+|\band\s+)(?:so\s+|then\s+)?(?:give|assign|move|set|close|put|change|make|add|create|delete|remove|mark|link|label|rename|write|note|comment|start|reopen)\b|\basks? (?:what|how|if|whether|why|when|where|who)\b|\b(?:issues|tickets|bugs|tasks|stories|epics|pages|need|want|looking for|look(?:ed)? up|searching|find|search(?!ed)|broken|errors?|fail(?:s|ed|ing)?|crash\p{L}*|down|missing|cannot|can['’]?t (?!write)|help|please|pls|someone|somebody|anyone|know (?:how|where|what|who|if|whether)|wonder\p{L}*)\b/iu;

/** Where a record was called by its title and only looks are planned that leave it out, it is what is meant. */
export function showTitled(
  { put, index, input, verbs }: Scene,
  { stages }: Plan,
  around: FillContext,
): Step | undefined {
  const wishes = splitWishes(input.message, verbs, index.things);
  if (wishes.some((wish) => readWish(wish, verbs).changing)) return undefined;
  const ids = Object.keys(put).filter((id) => put[id]?.from === "result");
  const commands = stages.flatMap((stage) => stage.commands);
  const isUsed = ({ args }: Stage["commands"][number]): boolean =>
    Object.entries(args).some(
      ([name, value]) =>
        typeof value === "string" &&
        ((ids.includes(value) && !/query|search|text/i.test(name)) ||
          (name === "jql" &&
            ids.some((id) => value.includes(`parent = ${id}`) || value.includes(`(parent != ${id}`)))),
    );
  if (ids.length === 0 || commands.some((one) => one.command === "TASK" || isUsed(one))) return undefined;
  const shown = ids.flatMap((id) => {
    const wish = readWish(/^\d+$/.test(id) ? `show page ${id}` : `show ${id}`, createVerbs());
    const choice = choose(wish, index, around);
    return choice === undefined || choice.changing || !choice.isAnchored ? [] : [choice];
  });
  const calls = shown.flatMap((choice) => choice.calls);
  if (calls.length === 0) return undefined;
  return { commands: calls.map(({ entry, args }) => toCommand(entry, args, false)), isAnchored: true };
}

/** "To which epic does DEMO-22 belong": what is asked as an epic, and is known to be none, is shown as what it is. */
export function asWhatItIs(
  { commands }: Stage,
  { input, index }: Scene,
  around: FillContext,
): Step | undefined {
  const { known = [] } = input;
  const isOther = (id: unknown, kind: string): boolean =>
    known.some((one) => one.id === id && one.kind !== kind) &&
    known.some((one) => one.kind === kind) &&
    !known.some((one) => one.id === id && one.kind === kind);
  const ids = commands.flatMap(({ command, tool, args }) => {
    const slots = command === "TASK" ? [] : (entryOf(tool, args, index)?.slots ?? []);
    return slots.flatMap((slot) => {
      const [kind, id] = [recordOf(slot), args[slot.name]];
      return kind === undefined || id === undefined ? [] : [{ id, isOther: isOther(id, kind) }];
    });
  });
  if (ids.length === 0 || !ids.every((one) => one.isOther)) return undefined;
  const keys = ids.map(({ id }) => asText(id)).join(" and ");
  return showKeys(readWish(`show ${keys}`, createVerbs()), index, around);
}

const ASKS_OF_ROWS =
  /^\W*(?:and\s+)?(?:who(?:se|['’]s)?|when|since when|what(?:['’]s| is| are)? (?:the |their |its )?(?:status|state|priority|due date))\b(?!.*\b(?:other|wiki)\b)/i;

const ANY_KEY = "ANY-1";

/** "Close it", where nothing is on the screen: a change that is understood, but for what it is for. */
function askWhich(wish: Wish, index: ToolIndex, around: FillContext): Step | undefined {
  const any = {
    thing: { id: ANY_KEY, source: { from: "default" } },
    rows: [],
    recent: [],
    noun: "",
    source: { from: "default" },
  } as const;
  const { text } = resolveReferences(wish.text, any);
  const choice = text === wish.text ? undefined : choose(readWish(text, createVerbs()), index, around);
  const [call, ...others] = choice?.calls ?? [];
  if (!choice?.changing || !choice.isAnchored || !call || others.length > 0) return undefined;
  const known = Object.entries(call.args).filter(([, value]) => !JSON.stringify(value).includes(ANY_KEY));
  return { commands: [toCommand(call.entry, Object.fromEntries(known), true)] };
}

/** "Compare OPS-2 and OPS-17", "ops 17, what is this about?": whatever is wanted of them, they are shown. */
export function showKeys(
  { keys, text, head }: Wish,
  index: ToolIndex,
  around: FillContext,
): Step | undefined {
  const projects = (around.known ?? []).flatMap(({ kind, id }) => (kind === "project" ? [id] : []));
  const spaced = [...text.matchAll(/(?<![\p{L}\p{N}])([A-Za-z]{2,6}) (\d{1,5})(?![\p{L}\p{N}])/gu)]
    .filter(({ index: at }) => at === 0 || (head !== undefined && at <= head.end + 1))
    .filter(
      ([, word = ""]) => !STOP_WORDS.has(word.toLowerCase()) && !index.things.has(stemOf(word.toLowerCase())),
    )
    .filter(([, word = ""]) => projects.length === 0 || projects.includes(word.toUpperCase()))
    .map(([, word = "", number = ""]) => `${word.toUpperCase()}-${number}`);
  const named = keys.length > 0 ? keys.map(({ value }) => value) : spaced;
  const choice =
    named.length === 0
      ? undefined
      : choose(readWish(`show ${named.join(" and ")}`, createVerbs()), index, around);
  if (!choice || choice.changing || !choice.isAnchored) return undefined;
  return { commands: choice.calls.map(({ entry, args }) => toCommand(entry, args, false)) };
}
