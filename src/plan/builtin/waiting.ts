import { isDeepStrictEqual } from "node:util";

import type { JsonObject } from "#contract/json.ts";
import type { ArgSources, KnownName, PastTurn, PlanInput } from "#contract/plan.ts";
import { isObject } from "../../base/json.ts";
import { WEEKDAYS } from "../../base/passage.ts";
import { en } from "../../base/words/en.ts";
import { splitName, type Slot } from "../slot.ts";
import { anotherOf, revisedArgs, swappedArgs } from "./amend.ts";
import { entryOf } from "./choose.ts";
import { correctionOf } from "./correction.ts";
import { dayAfter } from "./dates.ts";
import { plainlyOtherwise } from "./otherwise.ts";
import { amendedBy, titledBy } from "./new-issue.ts";
import { FINAL, say, type Step } from "./scene.ts";
import { toCommand } from "./stages.ts";
import { amendedPage } from "./new-page.ts";
import { readWish } from "./wish.ts";
import { withoutPart } from "./withdraw.ts";
import { hasWords, KEY, ORDINALS } from "./words.ts";
import { nextStep } from "./next-step.ts";
import { toScene, aroundIn, type Reader } from "./read-message.ts";

/** The message as the plain correction that it is, where it is one of what waits. */
export function otherwise(said: PlanInput, reader: Reader): PlanInput {
  const isWaiting = ({ calls }: PastTurn): boolean => calls.some(({ waits }) => waits === true);
  const at = said.history.findLastIndex(isWaiting);
  const calls = said.history[at]?.calls ?? [];
  const given = { ...said, message: withDayAfter(withProject(said.message, calls), calls) };
  // What was only looked at since then is not corrected.
  const since = given.history.slice(at + 1).flatMap(({ calls }) => calls);
  const isSince = at < given.history.length - 1;
  const isOther =
    at < given.history.length - 1 - MOST_SINCE ||
    !CORRECTS.test(given.message) ||
    since.some(({ tool, args }) => entryOf(tool, args, reader.index)?.changing !== false);
  if (at === -1 || (isSince && isOther)) return given;
  const history = given.history.slice(0, at + 1);
  for (const text of [given.message, ...correcting(given.message)]) {
    const message = withProject(plainlyOtherwise(text), calls);
    const input = { ...given, message, history };
    const isOne =
      lessStep(input, message) !== undefined ||
      amendStep(input, message, reader) !== undefined ||
      correctionOf(message, history, input.known ?? []) !== undefined;
    if (isOne) return input;
  }
  return given;
}

/** "I mean DEMO-25, the spreadsheet one. Pictures aren't finished at all": what may correct, where the rest says why. */
function correcting(message: string): string[] {
  const sentences = message.split(/(?<=[.!?])\s+/u);
  if (sentences.length < 2 || sentences.length > MOST_SENTENCES) return [];
  return sentences.filter((_, at) => !sentences.some((other, place) => place !== at && ORDERS.test(other)));
}

const MOST_SENTENCES = 3;
/** What is no mere reason. */
const ORDERS =
  /\b(?:(?:re)?assign|move|set|close|make|give|put|change|rename|(?<!\b(?:the|a|that) )label|add|delete|remove|reopen|start|create|comment|use|show|list|find|instead|rather|should|shall|let|[A-Z]\w*-\d+)\b|["“:]/i;

/** What is left of the changes that wait, where a part of them is taken back. */
export function lessStep({ history, known = [], observations }: PlanInput, text: string): Step | undefined {
  const waiting = history.at(-1)?.calls.filter(({ waits }) => waits === true) ?? [];
  // "The retro said no new issues in that epic. Leave the epic out"
  const last = text.split(/(?<=[.!])\s+/u).at(-1) ?? "";
  const rest = withoutPart(text, waiting, known) ?? withoutPart(last, waiting, known);
  if (rest === undefined) return undefined;
  const ref = history.at(-1)?.message ?? "";
  const commands = rest.map(({ tool, args }) => ({ command: "TASK" as const, tool, args }));
  const from = rest.map(({ args }) =>
    Object.fromEntries(Object.keys(args).map((name) => [name, { from: "history" as const, ref }])),
  );
  return {
    commands: observations.length > 0 ? [FINAL] : commands,
    sources: from,
    isAnchored: true,
    replaces: true,
    isValue: true,
  };
}

type Waiting = Pick<PastTurn["calls"][number], "tool" | "args" | "later">;

/** A change that waits as it is wished now. */
interface Revision {
  call: Waiting;
  sources: ArgSources;
}

/** What is wished otherwise while it waits for its approval is asked for in place of that. */
export function amendStep(input: PlanInput, said: string, reader: Reader): Step | undefined {
  const text = said
    .replace(DOES_IT, "mine, due $<day>")
    .replace(PUTS_ON, (_all, whom: string) => (/^me$/i.test(whom) ? "mine" : `for ${whom}`))
    .replace(DUE_AS_WELL, "due ");
  const { calls = [], question } = input.history.at(-1) ?? {};
  // A value may be the answer; what else a new record shall have is none.
  const isOpen = calls.length === 0 && question !== undefined;
  const waiting = isOpen ? [question] : calls;
  // It was answered, the record is there, and something was to be done with it.
  if (isOpen && input.observations.length > 0 && input.later !== undefined) return undefined;
  if (waiting.length === 0 || (!isOpen && !calls.every(({ waits }) => waits === true))) return undefined;
  const [call, ...others] = waiting;
  const lacking = isOpen || others.length > 0 ? undefined : lackingValue(text, call, input, reader);
  if (lacking) return lacking;
  if (call !== undefined && others.length === 0) {
    const revision = revisionOf(call, { ...input, message: text }, reader, isOpen);
    return revision === "notMade"
      ? say(en.recorded.notMadeYet())
      : asked(input, revision && [revision], reader);
  }
  const revised = eachRevised(text, waiting, input, reader);
  return asked(input, revised, reader);
}

/** "I'll do it tomorrow, so put that on it" */
const DOES_IT =
  /^\W*i(?:['’]?ll|\s+will|\s+can)\s+(?:do|handle|make|get)\s+(?:it|this|that)\s+(?:(?:by|on|until|till)\s+)?(?<day>(?:tomorrow|today|tonight|(?:this|next)\s+week|(?:(?:this|next)\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day))(?:\s*,?\s+(?:so|and)\s+(?:please\s+)?(?:put|write|note)\s+(?:that|it)\s+(?:on\s+it|there|in|down))?[\s.!]*$/iu;

/** "…, and make it due tomorrow", as it is read behind another value. */
const DUE_AS_WELL = /(?<=[,;]\s+|\band\s+)set\s+the\s+due\s+date\s+of\s+(?:it|this|that)\s+to\s+/iu;
/** "And put me on it, due tomorrow" */
const PUTS_ON =
  /^\W*(?:(?:and|also|please|pls|ok(?:ay)?|then|actually)\b[\s,]*)*(?:put|stick)\s+(?<whom>\p{L}{2,30})\s+(?:on|down\s+for)\s+(?:it|this|that)(?![\p{L}])/iu;

/** "Not Ben, somebody else", "can you change the title?": what waits, without the value that is to be another one. */
function lackingValue(
  text: string,
  call: Waiting | undefined,
  { known = [], observations, history }: PlanInput,
  { index }: Reader,
): Step | undefined {
  const entry = call && entryOf(call.tool, call.args, index);
  if (!call || !entry?.changing) return undefined;
  const isTitle = OTHER_TITLE.test(text);
  const whom = OTHER_PERSON.exec(text)?.groups?.["whom"]?.toLowerCase();
  const isCalled = ({ kind, id, name }: KnownName): boolean =>
    kind === "person" && [id, name, ...name.split(" ")].some((one) => one.toLowerCase() === whom);
  const slot = entry.slots.find(({ kind, name, required }) => {
    const { [name]: value } = call.args;
    if (isTitle) return kind === "title" && required && value !== undefined;
    const isHim = whom === undefined || /^(?:him|her|them)$/.test(whom);
    return (
      OTHER_PERSON.test(text) &&
      kind === "person" &&
      typeof value === "string" &&
      (isHim || known.some((one) => isCalled(one) && (one.id === value || one.name === value)))
    );
  });
  if (slot === undefined) return undefined;
  const args = omit(call.args, slot.name);
  const ref = history.at(-1)?.message ?? "";
  const sources = Object.fromEntries(
    Object.keys(args).map((name) => [name, { from: "history" as const, ref }]),
  );
  return {
    commands: observations.length > 0 ? [FINAL] : [toCommand(entry, args, true)],
    sources: [sources],
    isAnchored: true,
    replaces: true,
  };
}

const OTHER_PERSON =
  /^\W*(?:(?:no|nope|nah|oh|wait|sorry|please|pls|but)\b[\s,.!]*)*(?:not\s+(?<whom>\p{L}{2,30})(?:\s*[,.!–-].{0,80}?\b(?:some(?:body|one)|any(?:body|one))\s+else)?|(?:(?:give|assign)\s+(?:it|this|that)\s+to\s+)?(?:some(?:body|one)|any(?:body|one))\s+else)(?:\s+(?:please|pls|then|instead))*[\s.!]*$/iu;
const OTHER_TITLE =
  /^\W*(?:(?:can|could|would)\s+(?:you|u|we|i)\s+|please\s+|pls\s+)*(?:change|edit|correct|fix|reword)\s+(?:the|its)\s+(?:tit(?:le|el)|summary|name)(?:\s+(?:please|pls|again))*[\s.?!]*$/iu;

/** Asks for changes as they are wished now, in place of those that wait. */
function asked(
  { observations }: PlanInput,
  revisions: readonly Revision[] | undefined,
  { index }: Reader,
): Step | undefined {
  const commands = revisions?.flatMap(({ call }) => {
    const entry = entryOf(call.tool, call.args, index);
    return entry === undefined ? [] : [toCommand(entry, call.args, true)];
  });
  if (revisions === undefined || commands === undefined || commands.length < revisions.length)
    return undefined;
  const later = [...new Set(revisions.flatMap(({ call }) => call.later ?? []))];
  return {
    commands: observations.length > 0 ? [FINAL] : commands,
    sources: revisions.map(({ sources }) => sources),
    isAnchored: true,
    replaces: true,
    isValue: true,
    ...(later.length === 0 ? {} : { later }),
  };
}

/** What a message says otherwise of one change that waits, or of one that is asked for and lacks a value. */
function revisionOf(
  call: Waiting,
  input: PlanInput,
  reader: Reader,
  isOpen = false,
): Revision | "notMade" | undefined {
  const { known = [], history, message } = input;
  const entry = entryOf(call.tool, call.args, reader.index);
  if (!entry?.changing || (isOpen && !entry.intents.has("create"))) return undefined;
  const ref = history.at(-1)?.message ?? "";
  const withArgs = (
    args: JsonObject,
    found: ArgSources,
    isNew: (name: string) => boolean,
    further: readonly string[] = [],
  ): Revision => {
    const kept = Object.keys(args).filter((name) => !isNew(name));
    const from = Object.fromEntries(kept.map((name) => [name, { from: "history" as const, ref }]));
    return {
      call: { tool: call.tool, args, later: [...(call.later ?? []), ...further] },
      sources: { ...found, ...from },
    };
  };
  const revised = isOpen
    ? undefined
    : (revisedArgs(input, call.args, entry.slots, reader.dates) ??
      swappedArgs(message, call.args, entry.slots));
  if (revised) return withArgs(revised, {}, (name) => revised[name] !== call.args[name]);
  const title = entry.slots.find(({ kind, required }) => kind === "title" && required)?.name;
  if (!entry.intents.has("create") || title === undefined) return undefined;
  const isPage = splitName(entry.tool.name).includes("page");
  const plainly = isPage ? amendedPage(message, known) : amendedBy(message, known, aroundIn(input));
  const isTitle = isOpen && !isPage && call.args[title] === undefined && (plainly?.isTold ?? true);
  // What is told beside a value may be what is asked for.
  const amendment = isTitle ? titledBy(message, known) : plainly;
  if (isOpen && amendment?.isTold === true) return undefined;
  if (amendment === undefined) {
    const wish = readWish(message, reader.verbs);
    const isOfIt = OF_IT.test(message) && wish.keys.length === 0;
    return isOfIt && (wish.changing || /^\W*(?:show|open|link)\b/i.test(message)) ? "notMade" : undefined;
  }
  const order = toScene({ ...input, history: [], observations: [] }, amendment.order, reader);
  const { commands, sources: [found = {}] = [] } = nextStep(order);
  const [read] = commands;
  if (read?.command !== "TASK" || read.tool !== call.tool || commands.length > 1) return undefined;
  const { [title]: named, ...said } = read.args;
  const body = entry.slots.find(({ kind, required }) => kind === "body" && required)?.name;
  const rest = amendment.hasText === true ? said : omit(said, body ?? "");
  const wished: JsonObject = {
    ...rest,
    ...(amendment.hasTitle && named !== undefined ? { [title]: named } : {}),
  };
  const { [body ?? ""]: before } = call.args;
  const { [body ?? ""]: line } = wished;
  if (
    amendment.isMore === true &&
    body !== undefined &&
    typeof before === "string" &&
    typeof line === "string"
  )
    wished[body] = `${before.trimEnd()}\n\n${line}`;
  const isNew = (name: string): boolean => Object.hasOwn(wished, name);
  // "Without a due date", of what has none.
  const people = entry.slots.flatMap(({ kind, name }) => (kind === "person" ? [name] : []));
  const kept = amendment.isNobodys === true ? omit(call.args, ...people) : call.args;
  if (isDeepStrictEqual({ ...kept, ...wished }, call.args) && amendment.further.length === 0)
    return undefined;
  return withArgs({ ...kept, ...wished }, found, isNew, amendment.further);
}

/**
 * "The second one medium, and both due on Friday", behind several new records that wait. Undefined where a part of it is
 * of none of them, or says nothing that is understood.
 */
function eachRevised(
  message: string,
  waiting: readonly Waiting[],
  input: PlanInput,
  reader: Reader,
): Revision[] | undefined {
  const isNew = ({ tool, args }: Waiting): boolean =>
    entryOf(tool, args, reader.index)?.intents.has("create") === true;
  if (!waiting.every(isNew) || message.includes("\n")) return undefined;
  const ref = input.history.at(-1)?.message ?? "";
  const fromBefore = ({ args }: Waiting): ArgSources =>
    Object.fromEntries(Object.keys(args).map((name) => [name, { from: "history" as const, ref }]));
  const all = waiting.map((call): Revision => ({ call, sources: fromBefore(call) }));
  const parts = message.split(/\s*(?:[,;.]\s+(?:and\s+)?|\s+and\s+)(?=(?:the|both|all|each|every)\s)/iu);
  const named = new Set<number>();
  for (const part of parts) {
    const found = ofWhich(part, waiting, named);
    if (found === undefined) return undefined;
    for (const at of found.which) named.add(at);
    for (const at of found.which) {
      const { call, sources } = all[at] ?? {};
      const one = call && revisionOf(call, { ...input, message: found.rest }, reader);
      if (one === undefined || one === "notMade") return undefined;
      // What is kept comes from where it came from, such as the part of the message before.
      const from = Object.entries(one.sources).flatMap(([name, source]) => {
        const own = source.from === "history" ? sources?.[name] : source;
        return own === undefined ? [] : [[name, own] as const];
      });
      all[at] = { call: one.call, sources: Object.fromEntries(from) };
    }
  }
  return all;
}

/** Which of several a part of a message is about, and what it says of them. */
function ofWhich(
  part: string,
  waiting: readonly Waiting[],
  named: ReadonlySet<number>,
): { which: number[]; rest: string } | undefined {
  const [lead = "", , word = "", rest = ""] = OF_WHICH.exec(part) ?? [];
  const every = waiting.map((_, at) => at);
  if (lead !== "" && /^(?:both|all|each|every)/i.test(word)) return { which: every, rest };
  // "The rest to Farid"
  const others = every.filter((at) => !named.has(at));
  if (/^(?:rest|others?)/i.test(word)) return others.length === 0 ? undefined : { which: others, rest };
  const place = word.toLowerCase() === "last" ? waiting.length - 1 : ORDINALS.indexOf(word.toLowerCase());
  if (lead !== "" && word !== "" && place in waiting) return { which: [place], rest };
  const [, called = "", said = ""] = OF_CALLED.exec(part) ?? [];
  // "High", and nothing else, is said of all.
  if (called === "") return { which: every, rest: part };
  const which = every.filter((at) => hasWords(textsOf(waiting[at]), called));
  // "The fish tank one can go to Farid"
  const own = said.replace(/^(?:is|are|can|could|should|may|shall|will)\s+(?:(?:be|go)\s+)?/i, "");
  return which.length === 1 ? { which, rest: own } : undefined;
}

function textsOf(call: Waiting | undefined): string {
  return Object.values(call?.args ?? {})
    .filter((value) => typeof value === "string")
    .join(" ");
}

const OF_WHICH =
  /^\W*(?:(?:and|no|ok(?:ay)?|oh|please|pls|sorry|wait|actually|but|make|set|give|put|assign)\b[\s,]*)*((?:the\s+)?(both|all|each|rest|others?|first|second|third|fourth|fifth|sixth|last)(?:\s+(?:one|task|bug|story|ticket|issue|(?:of\s+)?(?:them|these)))?)(?:\s*:)?\s+(\S.*)$/isu;
const OF_CALLED =
  /^\W*(?:(?:and|no|ok(?:ay)?|oh|please|pls|sorry|wait|actually|but|make|set|give|put)\b[\s,]*)*the\s+((?:[\p{L}\d-]+\s+){1,3}?)(?:one|task|bug|story|ticket|issue)(?:\s*:)?\s+(\S.*)$/isu;

/** "Another one: …" behind an order for a new record is one of the same kind in the same place. */
export function anotherStep(input: PlanInput, text: string, reader: Reader): Step | undefined {
  const [call, ...others] = input.history.at(-1)?.calls ?? [];
  const entry = call && entryOf(call.tool, call.args, reader.index);
  const kind = splitName(entry?.tool.name ?? "").at(-1) ?? "";
  const [, record, note = ""] = kind === "comment" ? (ONE_FOR.exec(text) ?? []) : [];
  if (record !== undefined) return nextStep(toScene(input, `comment on ${record}: ${note}`, reader));
  const said = anotherOf(text, kind);
  if (!call || !entry?.intents.has("create") || others.length > 0 || said === undefined) return undefined;
  const { commands, ...read } = nextStep(toScene({ ...input, history: [], observations: [] }, said, reader));
  const [order] = commands;
  if (order?.command !== "TASK" || order.tool !== call.tool || commands.length > 1) return undefined;
  const isSame = ({ required, kind, words }: Slot): boolean =>
    (required && !["title", "body", "text"].includes(kind)) || words.includes("type");
  const kept = entry.slots.filter(isSame).map(({ name }) => [name, call.args[name]] as const);
  const before = Object.fromEntries(
    kept.flatMap(([name, value]) =>
      value === undefined || order.args[name] !== undefined ? [] : [[name, value]],
    ),
  );
  const ref = input.history.at(-1)?.message ?? "";
  const from = Object.fromEntries(
    Object.keys(before).map((name) => [name, { from: "history" as const, ref }]),
  );
  return {
    ...read,
    commands:
      input.observations.length > 0 ? [FINAL] : [toCommand(entry, { ...before, ...order.args }, true)],
    sources: [{ ...read.sources?.[0], ...from }],
  };
}

/** "And one for DEMO-1: …", behind a comment. */
const ONE_FOR = new RegExp(
  `^\\W*(?:(?:and|also|then|plus)\\s+)*(?:another|one(?:\\s+more)?)\\s+(?:one\\s+|comment\\s+|note\\s+)?(?:for|on|to|under)\\s+(${KEY})\\s*:\\s+(\\S.*)$`,
  "isu",
);

/** "Sorry, I meant 19", of what waits for OPS-17; what stays as it is needs no word. */
function withProject(message: string, calls: PastTurn["calls"]): string {
  const [, lead = "", number = "", rest = ""] = MEANT_NUMBER.exec(message) ?? [];
  const keys = calls.flatMap(({ args }) => Object.values(args)).filter((value) => typeof value === "string");
  const project = keys.map((key) => /^([A-Z]\w*)-\d+$/.exec(key)?.[1]).find(Boolean);
  if (number === "" || project === undefined) return message;
  return `${lead}${project}-${number}${STAYS.test(rest) ? "" : rest}`;
}

/** "No, the Monday after that", of what waits to be due on a Friday. */
function withDayAfter(message: string, calls: PastTurn["calls"]): string {
  const found = DAY_AFTER.exec(message);
  const weekday = WEEKDAYS.indexOf(found?.[1]?.toLowerCase() ?? "");
  const dates = calls.flatMap(({ args }) => {
    const { due_date: own, fields } = args;
    const due = isObject(fields) ? fields["due_date"] : own;
    return typeof due === "string" && /^\d{4}-\d\d-\d\d$/.test(due) ? [due] : [];
  });
  const [due, ...others] = dates;
  if (found === null || due === undefined || others.length > 0) return message;
  const before = new Date(`${due}T12:00:00`).getDay();
  const day = dayAfter(due, (weekday - before + 7) % 7 || 7);
  return `${message.slice(0, found.index)}${day}${message.slice(found.index + found[0].length)}`;
}

/** All that a message says: what is told or ordered besides keeps its words. */
const DAY_AFTER =
  /(?<=^\W*(?:(?:no|nope|nah|hm+|wait|sorry|oops|actually|rather|make\s+(?:it|that)|better|to|on|until)\b[\s,.!:–-]*)*)the\s+((?:sun|mon|tues|wednes|thurs|fri|satur)day)\s+after(?:\s+(?:that|it|this))?(?=(?:\s+(?:please|pls|instead|then))*[\s.!]*$)/iu;

const MEANT_NUMBER =
  /^(\W*(?:(?:sorry|no|wait|oops|hm+|ah|oh)\b[\s,.!]*)*i meant?\s+)#?(\d{1,5})(?!\d)(.*)$/isu;
const STAYS = /^[\s.,;!]*[^.,;!?]{2,40}\b(?:stays?|remains?|keeps? it|is fine)\b[^.;!?]{0,40}[\s.!]*$/iu;

function omit(args: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

const OF_IT = /\b(?:it|that(?: one)?|this(?: one)?)\b/i;

/** So many messages later it is still said otherwise … */
const MOST_SINCE = 2;
/** … by whoever says so. */
const CORRECTS =
  /^\W*(?:no|nope|nah|sorry|sry|oops|ups|wait|actually|make (?:it|that)|i meant?|rather|not)\b|\b(?:instead|i meant?)\W*$/i;
