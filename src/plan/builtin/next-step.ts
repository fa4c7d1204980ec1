import type { ArgSources, KnownName, PastTurn, PlanInput, PlannedCommand } from "#contract/plan.ts";
import { literally } from "../../base/matching.ts";
import { permitIf, taint } from "../../base/tainted.ts";
import { questionIn } from "../../base/passage.ts";
import { en } from "../../base/words/en.ts";
import { NEVER_MIND, toAnswer } from "./answer.ts";
import { leftOut, type Plan, toPlan } from "./choices.ts";
import { entryOf } from "./choose.ts";
import { type Condition, conditionIn } from "./condition.ts";
import { bySense, NEW } from "./by-sense.ts";
import { listStep } from "./list-step.ts";
import { isPersonal } from "./offer.ts";
import { toOrders } from "./orders.ts";
import { PAGE, WORK } from "./nouns.ts";
import { isToColleague, namePattern } from "./people.ts";
import { leavesRow, namesRow, type Referents, toReferents } from "./refer.ts";
import { asWhatItIs, onlyHeard, refuse, showKeys, showTitled } from "./refuse.ts";
import { isTold, remarkIn } from "./remarks.ts";
import {
  asOrders,
  FINAL,
  keysIn,
  ownWords,
  quoted,
  say,
  type Scene,
  type Step,
  toFillContext,
  worthSaying,
} from "./scene.ts";
import { isAnsweredByAll, isEmpty, mend, searchLast, widen } from "./search.ts";
import { createSheet } from "./sheet.ts";
import { asStatements } from "./statements.ts";
import { countPreparing, unread } from "./stages.ts";
import { foundIssues, isOpened, openFound } from "./open-found.ts";
import { likeliestIssue } from "./titles.ts";
import { type ToolIndex } from "./tool-index.ts";
import { unableTo } from "./unable.ts";
import { NEGATED, NEXT, readWish, splitWishes, unwrap } from "./wish.ts";
import { stemOf, STOP_WORDS, type Token, tokenize } from "./words.ts";

export function nextStep(scene: Scene): Step {
  const { input, index } = scene;
  const around = toFillContext(scene);
  const referents = toReferents(input, around.earlier);
  const about = ABOUT.exec(input.message)?.groups;
  const rest = about?.["rest"] ?? "";
  if (
    about &&
    splitWishes(rest, scene.verbs, index.things).some((wish) => readWish(wish, scene.verbs).changing)
  ) {
    const id = (about["place"] ?? about["first"] ?? "").toUpperCase();
    return nextStep({
      ...scene,
      input: { ...input, message: rest, history: [...input.history, spokenOf(id)] },
    });
  }
  const condition = conditionIn(input.message);
  if (condition && input.observations.length > 0) return conditionStep(condition, scene);
  const own = ownWords(input.message);
  const keys = readWish(input.message, scene.verbs);
  const isChange = splitWishes(input.message, scene.verbs, index.things).some(
    (wish) => readWish(wish, scene.verbs).changing,
  );
  // "If DEMO-1 is done, close it": people see how it is, and decide.
  const isOpen = isChange && !keys.dryRun && CONDITION.test(own.replace(TOLD_THAT, ""));
  if (isOpen && input.observations.length > 0) return { commands: [FINAL] };
  if (input.observations.length === 0) {
    if (NEGATED.test(unwrap(input.message).text)) return say(en.recorded.leftAlone());
    const asked = input.history.flatMap(({ calls }) => calls);
    if (leavesRow(scene.said ?? input.message, referents, asked)) return say(en.recorded.staysSo());
    if (isOpen) {
      const notice = en.recorded.cannotTell();
      const asked = condition ? readWish(`show ${condition.key}`, scene.verbs) : keys;
      const shown = showKeys(asked, index, around);
      if (shown && condition) return shown;
      return shown ? { ...shown, notice } : say(notice);
    }
    // "Thank you for putting Farid on it": that is done.
    if (isChange && DONE_ALREADY.test(ownWords(scene.said ?? input.message))) {
      const notice = en.recorded.asRemark(quoted([input.message]));
      const shown = showKeys(keys, index, around);
      return shown ? { ...shown, notice } : say(notice);
    }
    const isListed = input.message.split(NEXT).length > 1 && EACH_MADE.test(own);
    const isExcepted = [own, ownWords(scene.said ?? "")].some((words) =>
      EXCEPT.test(words.replace(TOLD_THAT, "")),
    );
    if (isChange && !isListed && isExcepted) return say(en.recorded.nameThem());
    if (GOES_AHEAD.test(input.message)) return say(en.recorded.nothingWaits());
    if (isToColleague(scene.said ?? input.message, input.known ?? [])) return say(en.recorded.onlyTold());
    if (isPersonal(input.message) && keys.keys.length === 0 && !namesRow(input.message, referents))
      return refuse(scene, around, {
        stages: [],
        later: [],
        sourcesOf: () => ({}),
        isAnchored: false,
        isOpen: false,
      });
    const answered = toAnswer(scene, around, referents);
    if (answered) return answered;
    // "5 is fine" would be read as five of them.
    if ([input.message, scene.said ?? ""].some((words) => NEVER_MIND.test(words)))
      return say("All right, nothing was changed.");
    const people = input.known ?? [];
    const notice =
      unableTo(scene.said ?? input.message, index, people) ?? unableTo(input.message, index, people);
    if (notice !== undefined) {
      const shown = showKeys(keys, index, around);
      return shown ? { ...shown, notice } : say(notice);
    }
  }
  const told = remarkIn(input.message, scene);
  if (
    told &&
    isTold(told.said) &&
    (asOrders(told.rest, scene) !== told.rest || (DELETES.test(told.rest) && OF_NO_USE.test(told.said)))
  )
    return withRemark(told, scene);
  const read = toPlan(scene, around, referents);
  const plan = asksAnywhere(read, scene) ? { ...read, stages: [], isWide: true } : read;
  const isOfNothing = plan.stages.length === 0 && readWish(input.message, scene.verbs).shift !== undefined;
  if (plan.isAdrift === true || isOfNothing) {
    const adrift = en.recorded.movesWhat();
    return input.observations.length === 0 ? say(adrift) : { commands: [FINAL], notice: adrift };
  }
  const loose = scene.isLoose === true ? undefined : readLoosely(scene, read);
  if (loose) return loose;
  const listed = scene.isLoose === true ? undefined : listStep(scene, plan, referents);
  if (listed) return listed;
  if (plan.unsure !== undefined || (plan.stages.length === 0 && !plan.isOpen)) {
    const remark = remarkIn(input.message, scene);
    const step = remark && withRemark(remark, scene);
    if (step && step.commands[0]?.command !== "ERROR") return step;
  }
  if (plan.unsure !== undefined && input.observations.length === 0)
    return say(en.recorded.unsure(quoted([plan.unsure])));
  const notice = plan.notice === undefined ? {} : { notice: plan.notice };
  const titled = input.observations.length === 0 ? showTitled(scene, plan, around) : undefined;
  if (titled) return titled;
  const { stages } = plan;
  let done = input.observations.length - widened(input) - countPreparing(stages, input.observations);
  const failed = input.observations.some(({ ok }) => !ok);
  for (const [at, stage] of stages.entries()) {
    const reads = unread(stage, input.observations);
    if (reads.length === 0 && done >= stage.commands.length) {
      done -= stage.commands.length;
      continue;
    }
    const [first] = stage.commands;
    if (input.observations.length === 0) {
      const plainly = asWhatItIs(stage, scene, around) ?? onlyHeard(stage, scene);
      if (plainly) return plainly;
    }
    const rest = [...stages.slice(at + 1).flatMap(({ said }) => said), ...plan.later];
    // After something went wrong no further change is proposed: the person should see it first.
    if (failed && (first?.command === "TASK" || reads.length > 0))
      return { commands: [FINAL], ...leftOut(done > 0 ? rest : [...stage.said, ...rest]) };
    const calls = reads.length > 0 ? reads : stage.commands.slice(done);
    const sources = calls.map(({ args }) => plan.sourcesOf(args));
    const isChange = calls[0]?.command === "TASK";
    // What is read needs no word about what was only told.
    const told = worthSaying(scene.told ?? []);
    const remarks =
      isChange && told.length > 0
        ? { notice: [plan.notice, en.recorded.asRemark(quoted(told))].filter(Boolean).join(" ") }
        : notice;
    const later = isChange && rest.length > 0 ? { later: rest.map((one) => unwrap(one).text) } : {};
    return { commands: calls, sources, isAnchored: plan.isAnchored, ...remarks, ...later };
  }
  if (input.observations.length === 0) return refuse(scene, around, plan);
  const isSaid =
    readWish(input.message, scene.verbs).topic !== undefined ||
    splitWishes(input.message, scene.verbs, index.things).some(
      (wish) => readWish(wish, scene.verbs).changing,
    );
  const isGuess = plan.stages.length === 0;
  const wish = readWish(questionIn(input.message), scene.verbs);
  // What is told before a question may say what it is about.
  const whole = scene.told?.length ? (scene.said ?? input.message) : input.message;
  const isTitled =
    isGuess && !foundIssues(input, index) && likeliestIssue(whole, input.known ?? []) !== undefined;
  const more =
    mend(input.observations, index) ??
    (isGuess ? searchLast(input) : undefined) ??
    openFound(wish, input, index, { isGuess, when: "atOnce" }) ??
    (isTitled
      ? openFound(wish, { ...input, message: whole }, index, { isGuess, when: "atLast" })
      : undefined) ??
    (isAnsweredByAll(input) || isOpened(input, index) ? undefined : widen(input, index, isGuess, isSaid)) ??
    openFound(wish, input, index, { isGuess, when: "atLast" });
  if (more === undefined) return { commands: [FINAL], ...notice };
  return { commands: more.commands, ...(more.notice === undefined ? {} : { notice: more.notice }) };
}

/**
 * A message of which no change is understood, or one only in part, as orders in other words: the same in each step of a
 * turn, whatever was done meanwhile.
 */
function readLoosely(scene: Scene, now: Plan): Step | undefined {
  const { observations } = scene.input;
  const input = { ...scene.input, observations: [] };
  const first = { ...scene, input };
  const around = toFillContext(first);
  const referents = toReferents(input, around.earlier);
  const plan = observations.length === 0 ? now : toPlan(first, around, referents);
  // A change that needs a read first is understood.
  const isOnlyShown = plan.stages.every(
    ({ commands, reads }) => reads.length === 0 && commands.every(({ command }) => command === "QUERY"),
  );
  const isUnread = plan.unsure !== undefined || isOnlyShown;
  const isIncomplete = lacksValue(plan, scene.index);
  const stated = inStatements(first, referents);
  const changes = plan.stages.flatMap(({ commands }) => commands.filter(({ command }) => command === "TASK"));
  const isPartial = stated !== undefined && stated.orders > changes.length;
  if (!isUnread && !isIncomplete && plan.notice === undefined && !isPartial) return undefined;
  const wordings = [isUnread ? inOtherWords(first) : undefined, stated?.loose, inAnyWords(first, referents)];
  const read = wordings.flatMap((loose) => (loose ? [{ loose, step: nextStep(loose.scene) }] : []));
  const [found] = read
    .filter(({ step, loose }) => step.commands[0]?.command === "TASK" || isPreparing(loose.scene, step))
    .filter(
      ({ step, loose }) => loose !== stated?.loose || !step.commands.some((one) => lacksOf(one, scene.index)),
    )
    // Of two readings the one that has all of the other, and more.
    .toSorted((one, other) => Number(hasMore(other.step, one.step)) - Number(hasMore(one.step, other.step)));
  if (!found) return undefined;
  const { loose, step } = found;
  // "Move DEMO-1" alone wants to be asked where; of a change that is understood in part, more has to be.
  const isOpen = isIncomplete && /[\p{L}\p{N})][,.;:!?–-]+\s+\S/u.test(input.message);
  const most = Math.max(1, ...plan.stages.map(({ commands }) => commands.length));
  const isFuller = isPartial && loose === stated?.loose;
  const isMore = (step.commands.length > most || isFuller) && step.later === undefined;
  if (!isUnread && !isOpen && !isMore) return undefined;
  if (observations.length === 0)
    return { ...step, isAnchored: false, notice: [step.notice, loose.notice].filter(Boolean).join(" ") };
  const isDone = step.commands.some((one) => one.command !== "ERROR" && one.tool === observations[0]?.tool);
  return isDone ? nextStep({ ...loose.scene, input: { ...loose.scene.input, observations } }) : undefined;
}

/** Whether a step does all that another does, and more. */
function hasMore({ commands }: Step, other: Step): boolean {
  const own = new Set(commands.map((one) => JSON.stringify(one)));
  return (
    commands.length > other.commands.length && other.commands.every((one) => own.has(JSON.stringify(one)))
  );
}

/** Whether a step reads what a change needs to be told. */
export function isPreparing(scene: Scene, { commands: [first] }: Step): boolean {
  if (first?.command !== "QUERY") return false;
  const around = toFillContext(scene);
  return toPlan(scene, around, toReferents(scene.input, around.earlier)).stages.some(
    ({ reads }) => reads.length > 0,
  );
}

/**
 * Whether a message asks in many words, none of which says where the answer stands, and only one place would be
 * searched for them: "how long is a pull request allowed to wait before I may ask again".
 */
function asksAnywhere(
  { stages }: Plan,
  { input: { message, known = [] }, index, verbs, said }: Scene,
): boolean {
  const commands = stages.flatMap((stage) => [...stage.reads, ...stage.commands]);
  const [command, ...others] = commands;
  if (command?.command !== "QUERY" || others.length > 0) return false;
  const entry = entryOf(command.tool, command.args, index);
  const query = entry?.slots.find(({ kind }) => kind === "query")?.name ?? "";
  const { [query]: words } = command.args;
  const whole = said ?? message;
  const wish = readWish(whole, verbs);
  const isNamed =
    wish.keys.length > 0 ||
    createSheet(whole).quotes.length > 0 ||
    namePattern(known.filter(({ kind }) => kind === "person")).test(whole.replace(WHILE, "")) ||
    known.some(({ kind, id }) => kind === "project" && new RegExp(`\\b${literally(id)}\\b`, "u").test(whole));
  const isOfRecords = ["issu", "page"].some((stem) => entry?.kin.has(stem) === true);
  if (typeof words !== "string" || !isOfRecords || wish.changing || wish.bareSearch || isNamed) return false;
  const isTelling = ({ lower }: Token): boolean => !STOP_WORDS.has(lower);
  // Pages are the place for it already.
  const isAsked = ASKS_HOW.test(whole) && entry?.kin.has(stemOf("page")) === false;
  const [counted, least] = isAsked ? [whole, 2] : [words, LONG_QUERY];
  return (
    tokenize(counted).filter(isTelling).length >= least &&
    !tokenize(whole).some(
      ({ lower }) => PLACES.has(lower.replace(/s$/, "")) && !(isAsked && lower === "incident"),
    )
  );
}

/** So many words are no topic any more. */
const LONG_QUERY = 4;
/** What is written down somewhere, and no list of records. */
const ASKS_HOW =
  /^\W*(?:(?:and|so|ok|hey|hi)\W+)*(?:how (?!many\b|much\b|far\b|is\b|are\b)|where (?:do|does|can|are|is)|why do|when (?:do|does|may|must|can)|what (?:does|do) \p{L}+ mean|who (?:has|can|may|must|approves|decides|signs))\b/iu;
/** "… when Ana is away" */
const WHILE =
  /\b(?:when|while|if)\s+\p{L}+\s+(?:is|are)\s+(?:away|out|off|ill|sick|gone|busy|not\s+\p{L}+|on\s+\p{L}+)\b/iu;
const PLACES: ReadonlySet<string> = new Set(
  [...`${WORK}|${PAGE}`.matchAll(/\p{L}+/gu)]
    .map(([noun]) => noun)
    .concat("wiki", "confluence", "jira", "code", "storie"),
);

/** A message in other words, and what is said of that. */
interface Loose {
  scene: Scene;
  notice: string;
}

/**
 * Orders for records that are named, with values that are known, in a sentence of which nothing else is understood:
 * who approves reads what was left out. Undefined where that is no change.
 */
function inOtherWords(scene: Scene): Loose | undefined {
  const { input, index, dates, verbs } = scene;
  const { now, known = [], message } = input;
  const aside: string[] = [];
  if (!index.hasKeys || message.includes(NEXT)) return undefined;
  const orders = toOrders(message, { now, dates, known, canSearch: false, aside });
  // "Dmitri, you built that": said to somebody.
  if (aside.some((one) => /^you\s+(?!can\b|could\b|may\b)/i.test(one.trim()))) return undefined;
  if (orders === undefined || aside.length === 0 || !readWish(orders[0] ?? "", verbs).changing)
    return undefined;
  const left = worthSaying(aside);
  const notice = left.length === 0 ? "" : en.recorded.notUnderstood(quoted(left));
  return { scene: { ...scene, isLoose: true, input: { ...input, message: orders.join("; ") } }, notice };
}

/** A change that is understood, but for a value that it needs. */
function lacksValue({ stages }: Plan, index: ToolIndex): boolean {
  return stages.some(({ commands }) => commands.some((one) => lacksOf(one, index)));
}

function lacksOf(one: PlannedCommand, index: ToolIndex): boolean {
  return (
    one.command === "TASK" &&
    entryOf(one.tool, one.args, index)?.slots.some(
      ({ name, required }) => required && !Object.hasOwn(one.args, name),
    ) === true
  );
}

/** What the clauses of a message say of their records, as orders in plain words. */
function inStatements(scene: Scene, { thing }: Referents): { loose: Loose; orders: number } | undefined {
  const { input, index, named } = scene;
  const { known = [] } = input;
  if (!index.hasKeys || named === undefined || named.includes(NEXT)) return undefined;
  const put: ArgSources = {};
  const about = thing !== undefined && keysIn(thing.id, index).length > 0 ? thing.id : undefined;
  // "Still cut off in the new build, write that down there": on the screen, whatever it is called like.
  const isThere = about !== undefined && WRITES_THERE.test(named);
  const titleOf = (said: string): string | undefined => {
    const one = isThere ? undefined : likeliestIssue(said, known);
    if (one !== undefined) put[one.id] = { from: "result", ref: one.name };
    return one?.id;
  };
  const stated = asStatements(named, known, titleOf, about);
  if (stated === undefined) return undefined;
  return { orders: stated.length, loose: looselyAs(scene, stated, put) };
}

const WRITES_THERE =
  /\b(?:write|note|put|add|log|leave|record|mention)\s+(?:that|this|it)(?:\s+down)?\s+there\b/i;

/** A message taken for the orders that its words amount to: the person is told how it was read. */
function looselyAs(scene: Scene, orders: readonly string[], put: ArgSources): Loose {
  const { input, said, named = "" } = scene;
  const message = orders.join("; ");
  return {
    scene: { ...scene, isLoose: true, told: [], put: { ...scene.put, ...put }, input: { ...input, message } },
    notice: en.recorded.readAs(quoted([said ?? named]), message),
  };
}

/**
 * What the sentences of a message mean for the records that they name, where no order in it is understood. Undefined
 * where that is no change.
 */
export function inAnyWords(scene: Scene, { thing }: Referents, read = bySense): Loose | undefined {
  const { input, index, dates, named } = scene;
  const { now, known = [] } = input;
  if (!index.hasKeys || named === undefined) return undefined;
  const titled = thing === undefined && !NEW.test(named) ? likeliestIssue(named, known) : undefined;
  const about = thing === undefined ? titled?.id : keysIn(thing.id, index).length > 0 ? "it" : undefined;
  const called = new Map<string, KnownName>();
  const titleOf = (said: string): string | undefined => {
    const one = thing === undefined ? likeliestIssue(said, known) : undefined;
    if (one !== undefined) called.set(one.id, one);
    return one?.id;
  };
  const orders = read(named, {
    now,
    dates,
    known,
    titleOf,
    ...(about === undefined ? {} : { about }),
  });
  if (orders === undefined) return undefined;
  const meant = [...called.values(), ...(titled === undefined ? [] : [titled])];
  const put: ArgSources = Object.fromEntries(
    meant.map(({ id, name }) => [id, { from: "result" as const, ref: name }]),
  );
  return looselyAs(scene, orders, put);
}

/** Goes on with an order whose record was read, where that is as the order says. */
function conditionStep({ key, order, holds }: Condition, scene: Scene): Step {
  const { input } = scene;
  const [seen, ...observations] = input.observations;
  const isOfIt = seen?.ok === true && Object.values(seen.args).includes(key);
  const record = isOfIt && seen.permit !== undefined ? seen.data.reveal(seen.permit) : null;
  const isSo = holds(record);
  if (isSo === undefined) return { commands: [FINAL], notice: en.recorded.cannotTell() };
  if (!isSo) return { commands: [FINAL], notice: en.recorded.notSo() };
  const ordered = (seenBy: typeof observations): Step =>
    nextStep({ ...scene, said: order, input: { ...input, message: order, observations: seenBy } });
  const step = ordered(observations);
  // What the order reads before it changes was read for the condition.
  const isRead = step.commands.every((one) => one.command === "QUERY" && one.tool === seen?.tool);
  return isRead ? ordered(input.observations) : step;
}

/** "Yes, do it", where nothing waits: that decides nothing, and orders nothing. */
const GOES_AHEAD =
  /^\W*(?:(?:yes|yep|yeah|ok(?:ay)?|sure)\W+)+(?:please\W+)?(?:do\s+(?:it|that|so)|go\s+ahead|go\s+for\s+it|(?:file|create|make|send)\s+(?:it|that))(?:\W+(?:please|then))?\W*$/iu;

/** Whose record is looked for by its words before. */
const DELETES = /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:delete|remove)\s+the\s/i;

/** Why nobody needs it: "it's never going to happen", "that was a test". */
const OF_NO_USE =
  /\b(?:never|no\s+longer|nobody|no\s*one|not\s+(?:needed|used|going)|obsolete|duplicate|tests?|mistake|outdated|stale)\b/i;

/** What a comment tells is no condition. */
const TOLD_THAT =
  /\b(?:comment|note|remark|reply|mention|(?:a|the)\s+(?:line|word|message))(?:\s+(?:there|here|(?:on|to|in|under)\s+[^:.!?,;]{1,50}?))?\s+that\b.*$/isu;
const CONDITION =
  /^(?:if|unless|once|as soon as|when(?=\s+[A-Z]\w*-\d))\b|\b(?:if (?!possible)|unless|as long as|provided|in case|as soon as(?! (?:possible|you can)\b)|until)\b/i;

const DONE_ALREADY =
  /^\W*(?:just so you know|fyi|for your information)\b|\bthank(?:s| you|x)?\b[^.!?]*\bfor \p{L}+ing\b|\b(?:has|have|had|was|were)\b[^.!?]*\b(?:him|her|them)sel(?:f|ves)\b/iu;

/** Who is left out of a change, or which of two is meant, nobody else decides. */
const EXCEPT =
  /\b(?:any|some)(?:body|one|where|thing)\s+(?:but|like|except|else)\b|\b(?:less|not so|not as|not that|not too)\s+(?:high|low|urgent)\b|\bas\s+(?:high|low|urgent)\s+as\b|\b(?:to|into)\b.*\b(?:before|past|after|behind)\s+(?:the\s+)?(?:in\s+)?(?:review|progress|done|to do)\b|\b(?:before|past)\s+in\s+(?:review|progress)\b|['’]s\s+(?:boss|colleague|manager|team|lead|deputy|replacement|friend|brother|sister|successor|group)\b|\b\p{L}+day or \p{L}+day\b|[A-Z]\w*-\d+\s*(?:\.\.+|–|—|\/|through|thru)\s*(?:[A-Z]\w*-)?\d|[A-Z]\w*-\d+\s+\d{1,2}\s+(?:to|in|as)\b|\b(?:all|every(?!body\b|one\b)\w*|each(?! time\b)|everything)\b.*\b(?:but|except|excluding|other than|apart from|besides|not|without)\b|\b(?:except|excluding|apart from|respectively|either)\b|\b(?:create|open|file|add|make|log|raise) (?:two|three|four|five|several|[2-9])\b(?! ?(?:hours?|minutes?|mins?|days?|weeks?)\b)|[A-Z]\w*-\d+ or [A-Z]\w*-\d+/iu;

/** "Create two tasks: …, …", which is an order for each already. */
const EACH_MADE = /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:create|add|open|file|make|log)\s+an?\s/i;

/** "OPS-3: set the status to done" is about OPS-3. */
const ABOUT =
  /^\s*(?:(?:on|for|in)\s+(?<place>[A-Za-z]\w{0,15}-\d{1,9})\s*[:,–-]?|(?<first>[A-Za-z]\w{0,15}-\d{1,9})\s*[:,–-])\s+(?<rest>\S[\s\S]*)$/i;

function spokenOf(key: string): PastTurn {
  const said = taint({ record: { id: key }, rows: [] });
  return { message: "", reply: taint(""), ...permitIf(true), calls: [], shown: said };
}

/** Searches that were made once more with fewer words, which are no steps of their own. */
function widened({ observations }: PlanInput): number {
  return observations.filter((each, at) => {
    const before = observations.slice(0, at).findLast(({ tool, ok }) => tool === each.tool && ok);
    return before !== undefined && isEmpty(before) && /search/i.test(each.tool);
  }).length;
}

/** The step without the remark, which the answer names. */
function withRemark({ rest, said }: { rest: string; said: string }, scene: Scene): Step {
  const named = scene.named === undefined ? {} : { named: rest };
  const step = nextStep({ ...scene, ...named, input: { ...scene.input, message: asOrders(rest, scene) } });
  const notice = en.recorded.asRemark(quoted([said]));
  return { ...step, isAnchored: false, notice: [step.notice, notice].filter(Boolean).join(" ") };
}
