import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ArgSources, Observation, PlanInput } from "#contract/plan.ts";
import { isObject } from "../../base/json.ts";
import { shownIn, typesIn } from "../../base/records.ts";
import { en } from "../../base/words/en.ts";
import { asText } from "../model-text.ts";
import { type Slot, splitName, toValue } from "../slot.ts";
import { type Choice, choose } from "./choose.ts";
import type { FillContext } from "./filling.ts";
import { followUp } from "./follow-up.ts";
import { PAGE, WORK } from "./nouns.ts";
import {
  headOf,
  MOST_AT_ONCE,
  namesRow,
  type Referents,
  refersToSomething,
  resolveReferences,
  rowsNamed,
  SEVERAL,
  thingOf,
} from "./refer.ts";
import { isTold } from "./remarks.ts";
import { keysIn, mended, quoted, type Scene, worthSaying } from "./scene.ts";
import { LIST_WORDS } from "./sense.ts";
import { COLON, createSheet } from "./sheet.ts";
import { type Stage, toStages, withReads } from "./stages.ts";
import { isAnotherKind, kindBehind } from "./titles.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { NEGATED, readWish, splitWishes, unwrap, type Wish } from "./wish.ts";
import { stemOf, STOP_WORDS, type Token, tokenize, wordSet } from "./words.ts";

/** Words that change nothing of a change. */
const HARMLESS = wordSet(
  "please too also now again asap soon today right away immediately directly quickly finally already thanks back ok keep others the would you for good permanently forever starting beginning just team folks as well it this that and belongs belong",
);

/** What the whole message asks for, over all steps of the turn. */
export interface Plan {
  stages: Stage[];
  /** Wishes that can be read only when it is known what an earlier step brought. */
  later: string[];
  sourcesOf: (args: JsonObject) => ArgSources;
  isAnchored: boolean;
  notice?: string;
  /** It refers to something that is not clear. */
  isOpen: boolean;
  /** It asks in many words that no place and no condition is named with. */
  isWide?: boolean;
  /** Words of a change that may make it another one. */
  unsure?: string;
  /** It counts a value from that of a record which is not known. */
  isAdrift?: true;
}

export function toPlan(scene: Scene, around: FillContext, referents: Referents): Plan {
  const { choices, put, left, later, isOpen, tooMany } = toChoices(scene, around, referents);
  const earlier = new Map(choices.flatMap((choice) => choice.earlier.map((name) => [name, true] as const)));
  const sourcesOf = (args: JsonObject): ArgSources =>
    Object.fromEntries(
      Object.entries(args).flatMap(([name, value]) => {
        const source =
          put[asText(value)] ??
          scene.put[asText(value)] ??
          (earlier.has(name) ? { from: "history" as const } : undefined);
        return source === undefined ? [] : [[name, source]];
      }),
    );
  return {
    stages: toStages(choices),
    later,
    sourcesOf,
    isAnchored:
      left.length === 0 && !isOpen && choices.length > 0 && choices.every((choice) => choice.isAnchored),
    isOpen,
    ...unsureOf(choices, scene.said ?? scene.input.message),
    ...(choices.some(({ isAdrift }) => isAdrift === true) ? { isAdrift: true as const } : {}),
    ...(tooMany ? { notice: en.recorded.tooManyAtOnce(String(MOST_AT_ONCE)) } : noticeOf(choices, left)),
  };
}

/** What was wished for and is not asked for any more. */
export function leftOut(wishes: readonly string[]): { notice?: string } {
  return wishes.length === 0
    ? {}
    : { notice: `As that did not work, I did not go on with ${quoted(wishes)}.` };
}

/**
 * A new thing, and a text that is written, stand for themselves, but for a name that is left out ("New entity: Atlas,
 * type dataset"); of any other change each word counts.
 */
function unsureOf(choices: Choice[], message: string): { unsure?: string } {
  const unsure = choices.find(({ left, changing, earlier, calls: [call] }) => {
    if (!changing || call === undefined || left === undefined) return false;
    const { intents } = call.entry;
    if (intents.has("create") && message.includes(`: ${left.text}`)) return true;
    // What an earlier call gave is no name of something new.
    const isNew = earlier.length === 0 && (intents.has("create") || intents.has("comment"));
    return !isNew && left.words.some((token) => isTelling(token, call.entry));
  });
  return unsure?.left === undefined ? {} : { unsure: unsure.left.text };
}

/** Whether a word says something that neither the tool nor what it is called with does. */
function isTelling({ lower, stem }: Token, { vocabulary, call }: ToolEntry): boolean {
  if (HARMLESS.has(lower) || STOP_WORDS.has(lower) || lower === "as" || vocabulary.has(stem)) return false;
  return !Object.values(call.args).some((value) => splitName(asText(value)).includes(lower));
}

/** Nothing is dropped silently: wishes that led to nothing, and words of a change that changed nothing. */
function noticeOf(choices: Choice[], all: string[]): { notice?: string } {
  if (choices.length === 0) return {};
  const wishes = worthSaying(all);
  const words = choices.flatMap(({ left }) => left?.text ?? []);
  const absent = choices.flatMap((choice) => choice.absent ?? []);
  const said = [
    ...(wishes.length === 0 ? [] : [en.recorded.notUnderstood(quoted(wishes))]),
    ...(words.length === 0 ? [] : [en.recorded.couldDoNothing(quoted(words))]),
    ...(absent.length === 0 ? [] : [en.recorded.notOnce(quoted(absent))]),
  ];
  return said.length === 0 ? {} : { notice: said.join(" ") };
}

interface Choices {
  choices: Choice[];
  /** Values that earlier results and turns gave. */
  put: ArgSources;
  /** Wishes that led to nothing. */
  left: string[];
  /** See Plan.later. */
  later: string[];
  isOpen: boolean;
  /** A change was wished for more records than are changed at once. */
  tooMany?: boolean;
}

function toChoices(scene: Scene, around: FillContext, referents: Referents): Choices {
  const { input, index, verbs } = scene;
  const resolved = resolveReferences(input.message, referents);
  // "Which of them are overdue" is about all rows, and says which of those.
  // … and "the first two to Farid" gives those to him.
  const isGiven =
    /\sto\s+\p{L}[\p{L} ]*\W*$/u.test(resolved.text) &&
    readWish(mended(resolved.text, scene), verbs).changing;
  const mayFollow = resolved.text === input.message || (Object.keys(resolved.put).length > 1 && !isGiven);
  const follow = mayFollow ? followUp(input, index, verbs, around, referents) : undefined;
  if (follow) return { choices: [follow], put: {}, left: [], later: [], isOpen: false };
  const result: Choices = { choices: [], put: {}, left: [], later: [], isOpen: false };
  const read = (wish: string): Wish => readWish(mended(wish, scene), verbs);
  // What has to be read first is read: a list that is written anew, a version.
  const ready = (choice: Choice, said: string): Choice => {
    const wish = read(said);
    const adrift = isAdrift(choice, wish) ? { isAdrift: true } : {};
    return { ...withReads(choice, wish, input, index), ...adrift };
  };
  const wishes = splitWishes(input.message, verbs, index.things).flatMap((wish) =>
    described(wish, read(wish), referents, index),
  );
  const take = (wish: string, own: Referents, context: FillContext): Choice | undefined => {
    const { text, put, isOpen } = resolveReferences(wish, own);
    const refers = Object.keys(put).length > 0 || refersToSomething(wish);
    const [args] = refers ? context.earlier : [];
    const clear = {
      ...context,
      ...(args === undefined ? {} : { context: args }),
      ...(isOpen ? { earlier: [] } : own.thing ? { onScreen: own.thing.id } : {}),
    };
    const found =
      choose(read(text), index, clear) ?? (text === wish ? undefined : choose(read(wish), index, clear));
    const told = [...(scene.told ?? []), ...(wishes.length <= 1 ? [input.message] : [])];
    const choice = found && withTopic(found, read(text), told, scene);
    Object.assign(result.put, put);
    result.isOpen ||= isOpen;
    if (choice && own.thing && choice.earlier.length > 0) result.put[own.thing.id] ??= own.thing.source;
    return choice;
  };
  if (wishes.length <= 1) {
    const whole = take(input.message, referents, around);
    const { text: said } = resolveReferences(input.message, referents);
    return { ...result, choices: whole ? [ready(whole, said)] : [] };
  }
  const orders = wishes.filter((each) => !NEGATED.test(unwrap(each).text));
  const isBackground = (each: string): boolean =>
    isTold(unwrap(each).text) && !/\?\W*$/.test(each) && read(each).keys.length === 0;
  const wanted = orders.every(isBackground) ? orders : orders.filter((each) => !isBackground(each));
  for (const [at, wish] of wanted.entries()) {
    // "it" in a later wish is what an earlier one named, or found.
    const before = wishes.slice(0, wishes.indexOf(wish));
    const spoken =
      result.choices.length > 0
        ? []
        : before.flatMap((each) => keysIn(resolveReferences(each, referents).text, index));
    const named = [
      // Until it was read, a record is known by what reads it.
      ...result.choices.flatMap(({ calls, reads = [] }) =>
        (calls.length > 0 || read(wish).keys.length > 0 ? calls : reads).map(({ args }) => args),
      ),
      ...spoken,
    ].toReversed();
    const last = result.choices.at(-1);
    const patch = last?.calls
      .map((call) => followUp({ ...input, message: wish }, index, verbs, around, referents, call))
      .find((each) => each !== undefined);
    if (patch && last && !patch.changing) {
      // "How many are open in OPS, and how many in MOB?" asks twice.
      if (ASKS_AGAIN.test(wish)) result.choices.push({ ...patch, said: wish });
      else result.choices[result.choices.length - 1] = patch;
      continue;
    }
    // What is made by its name is known by it: "create a branch fix-a and switch to it".
    const isMade =
      last?.changing === true &&
      !index.hasKeys &&
      last.calls.every(({ entry, args }) => entry.slots.some((slot) => isNameOf(slot, args)));
    const isNamed = isMade || named.some((args) => thingOf(args) !== undefined || isNumbered(args));
    // "Create …, and link it to OPS-16": what is made is known by what it brings.
    const isOfNew =
      last?.calls.some(({ entry }) => entry.intents.has("create")) === true &&
      /\bit\b/i.test(wish) &&
      !read(wish).intents.has("create");
    const isFound = last !== undefined && (refersToSomething(wish) || isOfNew) && !isNamed;
    // What is dictated stays as it is.
    const several = SEVERAL.exec(headOf(wish));
    const all = isFound && several !== null ? allFound(input, last) : undefined;
    const found = isFound
      ? (all ?? lastFound({ ...input, message: scene.said ?? input.message }, last))
      : undefined;
    // Nothing was found yet, or nothing at all.
    if (isFound && found === undefined) return { ...result, later: wanted.slice(at) };
    const [one] = found?.rows ?? [];
    // "Close them": what was found by all that was said is meant, each of it.
    const isAll = all !== undefined && last?.left === undefined && result.left.length === 0;
    if (isAll && all.isMore) {
      result.tooMany = true;
      continue;
    }
    const id = one?.id ?? named.map(thingOf).find(Boolean);
    const source = { from: isFound ? "result" : "message", ...(found ? { ref: found.tool } : {}) } as const;
    const own =
      id === undefined
        ? referents
        : { ...referents, rows: found?.rows ?? referents.rows, thing: { id, source } };
    const meant =
      isAll && several !== null && all.rows.length === 1
        ? `${wish.slice(0, several.index)}it${wish.slice(several.index + several[0].length)}`
        : wish;
    const choice = take(meant, own, { ...around, earlier: [...named, ...around.earlier] });
    if (choice) {
      const sure = found && !found.isSure && !isAll ? without(choice, id) : choice;
      if (isOfNothing(sure)) {
        result.left.push(wish);
        continue;
      }
      const { text: said } = resolveReferences(meant, own);
      const isAfter = AFTER.test(input.message.slice(0, Math.max(0, input.message.indexOf(wish))));
      result.choices.push({ ...ready(sure, said), said: wish, isAfter });
    } else result.left.push(wish);
  }
  if (
    result.left.length === 0 &&
    result.choices.every(isComplete) &&
    result.choices.some(({ changing }) => changing)
  )
    return result;
  const all = take(input.message, referents, around);
  // "It is 9:15 in Paris, when is that in Tokyo?" is one wish: together its parts say more than each.
  const same = result.choices.filter(({ calls }) => calls[0]?.entry === all?.calls[0]?.entry);
  const sizeOf = ({ calls }: Choice): number =>
    Math.max(0, ...calls.map(({ args }) => Object.keys(args).length));
  const isRicher =
    all?.calls[0]?.entry.takesTopic === false &&
    !all.changing &&
    isComplete(all) &&
    sizeOf(all) > 0 &&
    same.length === 1 &&
    result.choices.every((one) => !one.changing && sizeOf(one) <= sizeOf(all));
  if (all && isRicher) return { ...result, choices: [all], left: [] };
  if (result.left.length === 0 && result.choices.every(isComplete)) return result;
  // "I weigh 70 kg and am 175 cm tall. What is my body mass index?" is one wish.
  const [tool] = all?.calls ?? [];
  const isWhole =
    all !== undefined &&
    isComplete(all) &&
    (all.changing || !result.choices.some(({ changing }) => changing)) &&
    !result.choices.every(isComplete) &&
    // What has to be read first, or is another change, is a wish of its own.
    result.choices.every(
      (one) =>
        one.reads === undefined &&
        (one.calls[0]?.entry === tool?.entry || !(one.changing || isComplete(one))),
    );
  const isMeant =
    result.choices.length === 0 ||
    isWhole ||
    (all?.isAnchored === true && !result.choices.some(({ changing }) => changing));
  if (all === undefined || !isMeant) return result;
  const { text: said } = resolveReferences(input.message, referents);
  return { ...result, choices: [ready(all, said)], left: [] };
}

/**
 * A list of everything that a server has, where words were said that no list is asked for with: those are looked for,
 * or what was looked for before where only "it" is said.
 */
function withTopic(
  choice: Choice,
  { text, tokens, tail }: Wish,
  told: readonly string[],
  { input, index }: Scene,
): Choice | undefined {
  const [call, ...others] = choice.calls;
  const slot = call?.entry.slots.find(({ kind, required }) => kind === "query" && !required);
  if (!call || !slot || choice.changing || others.length > 0 || Object.keys(call.args).length > 0)
    return choice;
  const isOwn = ({ stem }: Token): boolean =>
    index.things.has(stem) || call.entry.kin.has(stem) || call.entry.places.has(stem);
  const topic = (all: readonly Token[]): string => {
    const words = all.filter(({ lower }) => !STOP_WORDS.has(lower) && lower.length > 2);
    const isList = words.every((token) => LIST_WORDS.has(token.lower) || isOwn(token));
    const said = isList ? [] : words.filter((token) => !isOwn(token) && !/['’]/.test(token.lower));
    return said
      .slice(0, MOST_TOPIC)
      .map(({ text: word }) => word)
      .join(" ");
  };
  const before = input.history.at(-1)?.calls.at(-1)?.args ?? {};
  const last = Object.entries(before).find(([name]) => /query|search|title|^q$/.test(name))?.[1];
  const said = topic(tokens.filter(({ start }) => start < (tail?.start ?? Infinity)));
  const query =
    said ||
    (refersToSomething(text) && last !== undefined
      ? asText(last)
      : topic(tokenize(worthSaying(told).join(" "))));
  // Without a word for what it lists, nothing asked for a list.
  if (query === "") return tokens.some(isOwn) ? choice : undefined;
  return {
    ...choice,
    isAnchored: false,
    calls: [{ ...call, args: { [slot.name]: toValue(slot, query) } }],
  };
}

const MOST_TOPIC = 8;

const ASKS_AGAIN = /^\W*(?:and\s+)?(?:how many|which|what|who)\b/i;

/** A read of one record by one of several arguments that are all open: "get a page" by its id or its title. */
function isOfNothing({ calls, changing }: Choice): boolean {
  const names = ({ kind }: Slot): boolean => kind === "key" || kind === "id" || kind === "title";
  return (
    !changing &&
    calls.every(
      ({ entry: { intents, slots }, args }) =>
        Object.keys(args).length === 0 &&
        intents.has("read") &&
        !slots.some(({ kind }) => kind === "query") &&
        slots.filter(names).length > 1,
    )
  );
}

/** Before a wish: it is for when what stands there is done. */
const AFTER = /\b(?:then|after(?:wards| that| this)?|once (?:that|this|it)(?:['’]s| is) done)\W*$/i;

/** "Push it by a week", where nothing says what: the day that it would count from is none of any record. */
function isAdrift(choice: Choice, { shift }: Wish): boolean {
  return choice.changing && shift !== undefined && !isComplete(choice);
}

function isComplete({ calls }: Choice): boolean {
  return calls.every(({ entry, args }) =>
    entry.slots.every(({ name, required }) => !required || Object.hasOwn(args, name)),
  );
}

/** Whether an argument is the name by which its tools know a thing, as with branches. */
function isNameOf({ name, words, required }: Slot, args: JsonObject): boolean {
  return (
    required && /^(?:branch|table|tag)(?: name)?$/.test(words.join(" ")) && typeof args[name] === "string"
  );
}

/** "issue 31 in nordic/shop": a record by its number. */
function isNumbered(args: JsonObject): boolean {
  return Object.entries(args).some(
    ([name, value]) => typeof value === "number" && /(?:_|\b)number$/i.test(name),
  );
}

/** Of several things that were found nobody said which: it is left out, and so it is asked for. */
function without({ calls, ...choice }: Choice, id: string | undefined): Choice {
  const open = calls.map(({ entry, args }) => ({
    entry,
    args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== id)),
  }));
  return { ...choice, isAnchored: false, calls: open };
}

/** All rows that a wish found by what was said, and nothing wider. */
function allFound(
  { observations }: PlanInput,
  { calls: [call, ...others] }: Choice,
): { rows: Referents["rows"]; tool: string; isSure: boolean; isMore: boolean } | undefined {
  const [seen, ...again] = observations.filter(({ tool }) => tool === call?.entry.call.tool);
  if (others.length + again.length > 0 || seen?.permit === undefined || !seen.ok) return undefined;
  const data = seen.data.reveal(seen.permit);
  const { record, rows, next } = shownIn(data);
  if (record !== undefined || rows.length === 0) return undefined;
  const total = isObject(data) && typeof data["total"] === "number" ? data["total"] : rows.length;
  const isMore = next !== undefined || Math.max(total, rows.length) > MOST_AT_ONCE;
  return { rows, tool: seen.tool, isSure: true, isMore };
}

/**
 * What a search of this turn found: one record for sure, whose title has the words that were looked for, or several.
 * What was read since for another wish is not it.
 */
function lastFound(
  { observations, message }: PlanInput,
  { calls: [call] }: Choice,
): { rows: Referents["rows"]; tool: string; isSure: boolean } | undefined {
  const isOwn = ({ ok, tool }: Observation): boolean => ok && tool === call?.entry.call.tool;
  const last = observations.findLast(isOwn) ?? observations.findLast(({ ok }) => ok);
  if (last?.permit === undefined) return undefined;
  const data = last.data.reveal(last.permit);
  const { record, rows } = shownIn(data);
  if (record !== undefined) return { rows: [record], tool: last.tool, isSure: true };
  const words = Object.entries(last.args)
    .flatMap(([name, value]) => (/query|search|title|^q$|term/i.test(name) ? [asText(value)] : []))
    .join(" ");
  const named = words === "" ? rows : rowsNamed(words, rows);
  const { rows: own, isOther } = ofKind(message, words, named, data);
  const [only, ...others] = own;
  if (only !== undefined && others.length === 0) return { rows: [only], tool: last.tool, isSure: !isOther };
  const [single] = rows;
  const isOne = rows.length === 1 && single?.title === undefined;
  return rows.length === 0 ? undefined : { rows, tool: last.tool, isSure: isOne };
}

/**
 * "Move the passkey story to done": the one story of those that were found, all of them where none or several are, and
 * whether the only one is another kind.
 */
function ofKind(
  message: string,
  words: string,
  rows: Referents["rows"],
  data: JsonValue,
): { rows: Referents["rows"]; isOther: boolean } {
  const kind = kindBehind(words, message);
  const types = typesIn(data);
  const typeOf = (id: string): string => (types.get(id) ?? "").toLowerCase();
  const own = rows.filter(({ id }) => typeOf(id) === kind);
  if (own.length === 1) return { rows: own, isOther: false };
  const [only] = rows;
  const type = only === undefined ? "" : typeOf(only.id);
  return { rows, isOther: isAnotherKind(kind, type) };
}

const DESCRIBED = new RegExp(
  String.raw`\bthe\s+(?!labels?\b|tags?\b)((?:(?!the\b|of\b|to\b|on\b)[\p{L}\p{N}'’-]+\s+){0,5}?)(${WORK}|${PAGE}|one)\b(?:\s+(?:(?:about|on|for|named|called|titled|with)\s+)?(?:the\s+)?(["“'][^"”']+["”']|[^:,;"“]+?))??(\s+in\s+(?:the\s+)?[A-Z]{2,10}\b(?: project| space)?)?(?=\s*(?:$|[:,;.!?]|\b(?:to|as|and|saying|with a)\b))`,
  "u",
);

/**
 * "Assign the checkout timeout ticket to ben" as two wishes: what is only described is looked for first, and
 * the change is for what was found, where that is one.
 */
function described(text: string, wish: Wish, referents: Referents, index: ToolIndex): string[] {
  if (referents.rows.length > 1 && namesRow(text, referents)) return [text];
  const { rows } = referents;
  const found = DESCRIBED.exec(text.slice(0, COLON.exec(text)?.index));
  // What stands in quotes, or is dictated, describes nothing.
  const at = found?.index ?? -1;
  const isQuoted =
    at >= headOf(text).length || createSheet(text).quotes.some(({ start, end }) => at >= start && at < end);
  const match = isQuoted ? null : found;
  const noun = match?.[2] ?? "";
  const words = [match?.[1] ?? "", match?.[3] ?? ""]
    .join(" ")
    .trim()
    .replace(/^(?:new|same|whole|last|first|second|next)\b/i, "")
    .trim();
  const things = new RegExp(PAGE).test(noun) ? "pages" : "issues";
  const canSearch = index.entries.some(
    ({ intents, kin }) => intents.has("search") && kin.has(stemOf(things)),
  );
  const isRead = noun === "epic" && wish.intents.has("read");
  if (!match || words === "" || !(wish.changing || isRead) || wish.keys.length > 0 || !canSearch)
    return [text];
  const isPlace = tokenize(words).every(({ stem }) => index.things.has(stem));
  if (
    isPlace ||
    /^\d/.test(match[3] ?? "") ||
    wish.intents.has("create") ||
    /^(?:\d|(?:first|second|third|fourth|fifth|last)\b)/i.test(words) ||
    rowsNamed(words, rows).length > 0
  )
    return [text];
  return [
    `find ${things} about ${words}${match[4] ?? ""}`,
    `${text.slice(0, match.index)}it${text.slice(match.index + match[0].length)}`,
  ];
}
