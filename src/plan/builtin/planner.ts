import { setImmediate as nextRound } from "node:timers/promises";

import type { JsonObject } from "#contract/json.ts";
import type {
  ArgSources,
  KnownName,
  PastTurn,
  PendingQuestion,
  PlanInput,
  PlannedCommand,
} from "#contract/plan.ts";

import { readChartWish } from "../../base/charts.ts";
import { isObject } from "../../base/json.ts";
import { shownIn } from "../../base/records.ts";
import { permitIf, taint } from "../../base/tainted.ts";
import { en } from "../../base/words/en.ts";
import { asText } from "../model-text.ts";
import { renderPlan } from "../protocol.ts";
import { recordOf, type Slot, splitName } from "../slot.ts";
import { answerQuestion, NEVER_MIND } from "./answer.ts";
import { correctionOf } from "./correction.ts";
import { compared, lookedFor, withApostrophes, withSpacedKeys } from "./asked.ts";
import { byExample } from "./by-example.ts";
import { candidates, type Choice, choose, entryOf } from "./choose.ts";
import { withDetailsAhead } from "./details.ts";
import { factCall } from "./facts.ts";
import { createDateReader, type DateReader } from "./dates.ts";
import type { FillContext } from "./filling.ts";
import { followUp, lastRead } from "./follow-up.ts";
import { PAGE, WORK } from "./nouns.ts";
import { isPersonal, type Offer, offer } from "./offer.ts";
import {
  MOST_AT_ONCE,
  pointedAt,
  type Referents,
  refersToSomething,
  resolveReferences,
  rowsNamed,
  SEVERAL,
  thingOf,
  toReferents,
} from "./refer.ts";
import { restated } from "./restate.ts";
import { corrected, inOwnWords, linked, meant, paired, rephrased, spelledRight } from "./rephrase.ts";
import { ASKS_LEAVE, isAnsweredByAll, isEmpty, mend, searchFor, searchLast, widen } from "./search.ts";
import { withPeople } from "./people.ts";
import { noted, withComment } from "./told.ts";
import { issuesOfEpic, partsOf, withEpicKeys } from "./containers.ts";
import { toOrders } from "./orders.ts";
import { itemsOf } from "./lines.ts";
import { foreground, withoutPoliteLead } from "./sentences.ts";
import { foundFirst } from "./several.ts";
import { inPlainWords } from "./plain.ts";
import { COLON, createSheet, QUOTED, shorten } from "./sheet.ts";
import { countPreparing, type Stage, toCommand, toStages, unread, withReads } from "./stages.ts";
import { type Linked, titleWeight, withTitledKeys } from "./titles.ts";
import { buildToolIndex, type ToolEntry, type ToolIndex } from "./tool-index.ts";
import { createVerbs, hasVerb, isChangeVerb, mendVerb, type Verbs } from "./verbs.ts";
import { NEGATED, NEXT, readWish, splitWishes, unwrap, type Wish } from "./wish.ts";
import { createSynonyms, stemOf, STOP_WORDS, THINGS, type Token, tokenize, wordSet } from "./words.ts";

export interface BuiltinPlanner {
  /** Reads the catalogue in pieces that delay nobody; without it the first `plan` over a catalogue reads it at once. */
  prepare(input: Pick<PlanInput, "tools" | "examples">): Promise<void>;
  /** The next step of a turn. Deterministic; never throws. */
  plan(input: PlanInput): BuiltinPlan;
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
  /** What may be meant, with what is known of each, where the step is a refusal. */
  choices?: PendingQuestion[];
}

/** A planner over any catalogue, without a model. It keeps the index of the last catalogue it saw. */
export function createBuiltinPlanner(): BuiltinPlanner {
  const synonyms = createSynonyms();
  const verbs = createVerbs();
  const dates = createDateReader();
  let cached: { key: string; index: ToolIndex } | undefined;
  let reading: { key: string; done: Promise<void> } | undefined;

  function build({ tools, examples }: Catalogue): Generator<void, ToolIndex> {
    // What searches everything would fit every wish: it is asked by `searchLast` alone.
    const real = tools.filter((tool) => tool.name !== "final_answer" && tool.searches === undefined);
    return buildToolIndex(real, examples, synonyms);
  }

  function indexOf(input: PlanInput): ToolIndex {
    const key = keyOf(input);
    if (cached?.key !== key) {
      const building = build(input);
      let step = building.next();
      while (step.done !== true) step = building.next();
      cached = { key, index: step.value };
    }
    return cached.index;
  }

  async function read(key: string, input: Catalogue): Promise<void> {
    const building = build(input);
    let begun = performance.now();
    for (let step = building.next(); ; step = building.next()) {
      if (step.done === true) {
        cached = { key, index: step.value };
        return;
      }
      if (performance.now() - begun < SLICE_MS) continue;
      await nextRound();
      begun = performance.now();
    }
  }

  function toScene(input: PlanInput, text: string): Scene {
    const index = indexOf(input);
    const whole = correctionOf(text, input.history, input.known ?? []) ?? text;
    const items = itemsOf(whole, verbs).map((item) => inPlainOrders(item, input, index));
    const scene = {
      input,
      index,
      verbs,
      dates,
      put: Object.assign({}, ...items.map(({ put }) => put)) as ArgSources,
    };
    const told = items.flatMap((item) => item.told);
    return { ...scene, told, input: { ...input, message: items.map((item) => item.text).join(NEXT) } };
  }

  /** What a message says in plain words, with the keys of what it calls by its name. */
  function inPlainOrders(said: string, input: PlanInput, index: ToolIndex): Linked & { told: string[] } {
    const known = input.known ?? [];
    const names = known.filter(({ kind }) => !TITLED.has(kind)).flatMap(({ id, name }) => [id, name]);
    const referents = toReferents(input, []);
    const own = withApostrophes(restated(withoutPictures(said)), known);
    const keyed = index.hasKeys ? withSpacedKeys(own, known) : own;
    const people = withPeople(index.hasKeys ? lookedFor(compared(keyed, known)) : keyed, input, referents);
    const told = withComment(people.text, known, referents.thing !== undefined, verbs);
    const plain = inPlainWords(spelled(corrected(told), index, names, known), names);
    const bare = withoutPoliteLead(plain, verbs);
    const epics = withEpicKeys(index.hasKeys ? partsOf(bare, known, referents.thing?.id) : bare, known);
    const isCreating = readWish(epics.text, verbs).intents.has("create");
    const titles = isCreating
      ? { text: withDetailsAhead(epics.text, known), put: {} }
      : withTitledKeys(epics.text, known, referents.rows);
    const context = { input, index, dates };
    const isOrder = (sentence: string): boolean => {
      const order = meant(unwrap(sentence).text);
      return order !== unwrap(sentence).text || asOrders(sentence, context) !== sentence;
    };
    // What is said of a record that is called by its title is said of its key.
    const named = meant(noted(titles.text, referents.thing !== undefined) ?? titles.text);
    const front = isCreating ? { text: named, told: [] } : foreground(named, verbs, isOrder);
    return {
      text: asOrders(meant(front.text), context),
      put: { ...people.put, ...epics.put, ...titles.put },
      told: front.told,
    };
  }

  /** What is said as a tool's own example says it is that call. */
  function exampleStep(input: PlanInput, text: string): Step | undefined {
    const call = byExample(text, indexOf(input).patterns);
    if (call === undefined) return undefined;
    return {
      commands: input.observations.length > 0 ? [FINAL] : [call],
      isAnchored: true,
    };
  }

  /** What a plain sentence tells is kept, or forgotten. */
  function factStep(input: PlanInput, text: string): Step | undefined {
    const call = factCall(text, indexOf(input));
    if (call === undefined) return undefined;
    return {
      commands: input.observations.length > 0 ? [FINAL] : [toCommand(call.entry, call.args, true)],
      isAnchored: true,
    };
  }

  /** How results are shown is no part of what is looked for; in a change the same words may be its text. */
  function withoutChart(text: string): string {
    return readChartWish(text, (part) => !readWish(part, verbs).changing).rest;
  }

  /** "As a chart", and nothing else: what was read before is read again. */
  function againStep(input: PlanInput, text: string): Step | undefined {
    const before = text === "" ? lastRead(input, indexOf(input)) : undefined;
    if (before === undefined) return undefined;
    const { entry, args } = before;
    const names = Object.keys(args);
    const ref = input.history.at(-1)?.message ?? "";
    const sources = Object.fromEntries(names.map((name) => [name, { from: "history" as const, ref }]));
    const commands = input.observations.length > 0 ? [FINAL] : [toCommand(entry, args, false)];
    return { commands, sources: [sources], isAnchored: true };
  }

  return {
    async prepare(input) {
      const key = keyOf(input);
      if (cached?.key === key) return;
      if (reading?.key !== key) {
        const one = { key, done: read(key, input).finally(() => reading === one && (reading = undefined)) };
        reading = one;
      }
      await reading.done;
    },
    plan(input) {
      const { text: whole, tooLong, restore } = shorten(input.message);
      const text = withoutChart(whole);
      const step =
        tooLong && input.observations.length === 0
          ? say(TOO_LONG)
          : (againStep(input, text) ??
            exampleStep(input, text) ??
            factStep(input, text) ??
            nextStep(toScene(input, text || whole)));
      const { commands, sources = [], isAnchored = false, ...more } = step;
      const restored = commands.map((command) =>
        command.command === "ERROR" ? command : { ...command, args: restore(command.args) as JsonObject },
      );
      // The protocol has a change alone in its block.
      const [first = restored, ...others] =
        restored[0]?.command === "TASK" ? restored.map((command) => [command]) : [restored];
      const further = others.length === 0 ? {} : { further: others.map(renderPlan) };
      return { text: renderPlan(first), ...further, sources, isAnchored, ...more };
    },
  };
}

type Catalogue = Pick<PlanInput, "tools" | "examples">;

/** Some milliseconds' work. */
const SLICE_MS = 8;

function keyOf({ tools, examples }: Catalogue): string {
  return [...tools.map((tool) => `${tool.id} ${tool.digest}`), JSON.stringify(examples)].join("\n");
}

const TOO_LONG =
  "That is too long to read as one wish. Say in a sentence what to do, and put the long text in quotes or behind a colon.";

const FINAL: PlannedCommand = { command: "QUERY", tool: "final_answer", args: {} };

/** A message that puts values to records as plain orders, or with its other wordings made plain. */
function asOrders(
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

/** The next step of a turn, as commands. */
interface Step extends Omit<Partial<BuiltinPlan>, "text"> {
  commands: PlannedCommand[];
}

function say(message: string, more: Partial<Step> = {}): Step {
  return { commands: [{ command: "ERROR", message }], ...more };
}

/** What a step is planned from. */
interface Scene {
  input: PlanInput;
  index: ToolIndex;
  verbs: Verbs;
  dates: DateReader;
  /** Values that stand for names in the message. */
  put: ArgSources;
  /** What was only told beside the wishes. */
  told?: readonly string[];
  /** Its orders were read with words around them that nothing explains. */
  isLoose?: boolean;
}

function nextStep(scene: Scene): Step {
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
  if (input.observations.length === 0) {
    if (NEGATED.test(unwrap(input.message).text)) return say(en.recorded.leftAlone());
    const keys = readWish(input.message, scene.verbs);
    // "If DEMO-1 is done, close it": people see how it is, and decide.
    const own = ownWords(input.message);
    const isChange = splitWishes(input.message, scene.verbs, index.things).some(
      (wish) => readWish(wish, scene.verbs).changing,
    );
    if (isChange && !keys.dryRun && CONDITION.test(own)) {
      const notice = en.recorded.cannotTell();
      const shown = showKeys(keys, index, around);
      return shown ? { ...shown, notice } : say(notice);
    }
    if (isChange && EXCEPT.test(own)) return say(en.recorded.nameThem());
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
    if (NEVER_MIND.test(input.message)) return say("All right, nothing was changed.");
  }
  const told = remarkIn(input.message, scene);
  if (told && isTold(told.said) && asOrders(told.rest, scene) !== told.rest) return withRemark(told, scene);
  const plan = toPlan(scene, around, referents);
  const isOnlyShown = plan.stages.every(({ commands, reads }) =>
    [...commands, ...reads].every(({ command }) => command === "QUERY"),
  );
  if (
    input.observations.length === 0 &&
    scene.isLoose !== true &&
    (plan.unsure !== undefined || isOnlyShown)
  ) {
    const loose = inOtherWords(scene);
    if (loose) return loose;
  }
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
    const plainly = input.observations.length === 0 ? asWhatItIs(stage, scene, around) : undefined;
    if (plainly) return plainly;
    const rest = [...stages.slice(at + 1).flatMap(({ said }) => said), ...plan.later];
    // After something went wrong no further change is proposed: the person should see it first.
    if (failed && (first?.command === "TASK" || reads.length > 0))
      return { commands: [FINAL], ...leftOut(done > 0 ? rest : [...stage.said, ...rest]) };
    const calls = reads.length > 0 ? reads : stage.commands.slice(done);
    const sources = calls.map(({ args }) => plan.sourcesOf(args));
    const isChange = calls[0]?.command === "TASK";
    // What is read needs no word about what was only told.
    const { told = [] } = scene;
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
  const more =
    mend(input.observations, index) ??
    (isGuess ? searchLast(input) : undefined) ??
    (isAnsweredByAll(input) ? undefined : widen(input, index, isGuess, isSaid));
  return more ? { commands: more.commands, notice: more.notice } : { commands: [FINAL], ...notice };
}

/**
 * Orders for records that are named, with values that are known, in a sentence of which nothing else is understood:
 * who approves reads what was left out. Undefined where that is no change.
 */
function inOtherWords(scene: Scene): Step | undefined {
  const { input, index, dates, verbs } = scene;
  const { now, known = [], message } = input;
  const aside: string[] = [];
  if (!index.hasKeys || message.includes(NEXT)) return undefined;
  const orders = toOrders(message, { now, dates, known, canSearch: false, aside });
  if (orders === undefined || aside.length === 0 || !readWish(orders[0] ?? "", verbs).changing)
    return undefined;
  const step = nextStep({ ...scene, isLoose: true, input: { ...input, message: orders.join("; ") } });
  if (step.commands[0]?.command !== "TASK") return undefined;
  const notice = en.recorded.notUnderstood(quoted(aside.filter((each) => each !== "")));
  return { ...step, isAnchored: false, notice: [step.notice, notice].filter(Boolean).join(" ") };
}

const CONDITION =
  /^(?:if|unless|once|as soon as|when(?=\s+[A-Z]\w*-\d))\b|\b(?:if (?!possible)|unless|as long as|provided|in case|as soon as|until)\b/i;
/** Who is left out of a change, or which of two is meant, nobody else decides. */
const EXCEPT =
  /\b(?:all|every\w*|each|everything)\b.*\b(?:but|except|excluding|other than|apart from|besides|not|without)\b|\b(?:except|excluding|apart from|respectively|either)\b|\b(?:create|open|file|add|make|log|raise) (?:two|three|four|five|several|[2-9])\b(?! ?(?:hours?|minutes?|mins?|days?|weeks?)\b)|[A-Z]\w*-\d+ or [A-Z]\w*-\d+/i;
/** Words that change nothing of a change. */
const HARMLESS = wordSet(
  "please too also now again asap today right away immediately directly quickly finally already thanks back ok keep others the would you for good permanently forever starting beginning just team folks as well it this that and belongs belong",
);

/** "OPS-3: set the status to done" is about OPS-3. */
const ABOUT =
  /^\s*(?:(?:on|for|in)\s+(?<place>[A-Za-z]\w{0,15}-\d{1,9})\s*[:,–-]?|(?<first>[A-Za-z]\w{0,15}-\d{1,9})\s*[:,–-])\s+(?<rest>\S[\s\S]*)$/i;

function spokenOf(key: string): PastTurn {
  const said = taint({ record: { id: key }, rows: [] });
  return { message: "", reply: taint(""), ...permitIf(true), calls: [], shown: said };
}

/**
 * A clause of a change that only says why or how: it begins like a sentence of its own, orders nothing, names no
 * record, day or value, and takes nothing back.
 */
function remarkIn(message: string, scene: Scene): { rest: string; said: string } | undefined {
  const { verbs, dates, input, index } = scene;
  const { masked } = createSheet(message);
  if (COLON.test(masked)) return undefined;
  const at = [...masked.matchAll(/\s*[,.;!?–-]\s+(?=\p{L})/gu)].at(-1);
  if (at === undefined || at.index < 4) return undefined;
  const said = message.slice(at.index + at[0].length).replace(/[\s.!?]+$/, "");
  const rest = message.slice(0, at.index);
  const isValue =
    RESTRICTS.test(said) ||
    said.split(" ").length < 3 ||
    masked.slice(at.index).includes(QUOTED) ||
    readWish(said, verbs).keys.length > 0 ||
    dates.find(said, input.now) !== undefined;
  const isWish = splitWishes(`${rest}. ${said}`, verbs, index.things).length > 1;
  const isOrder = (): boolean => readWish(rest, verbs).changing || asOrders(rest, scene) !== rest;
  if (isTold(said) && readWish(said, verbs).keys.length === 0 && isOrder()) return { rest, said };
  if (isValue || isWish || !readWish(rest, verbs).changing) return undefined;
  return { rest, said };
}

/** A sentence of its own that tells how things are or were, and asks for nothing. */
function isTold(said: string): boolean {
  return TELLS.test(said) && !TURNS.test(said);
}

/** "Ben has", "the review is", "it was": somebody or something, and what is told of it. */
const TELLS = new RegExp(
  `^(?:[Ii]t|[Tt]hat|[Tt]his|[Tt]hey|[Tt]hese|[Tt]hose|[Ss]?[Hh]e|[Ww]e|I|i|[Tt]here|[Nn]obody|[Ee]veryone|[Ss]omebody|\\p{Lu}\\p{Ll}+(?<!^(?:Wh\\p{L}+|How|Is|Are|Do|Does|Did|Has|Have|Can))|(?:[Tt]he|[Oo]ur|[Mm]y) [\\p{L} ]{2,30}?)(?:['’](?:s|re|ve|ll|d|m)|\\s+(?:was|were|is|are|has|have|had|do not|does not|did not|will|won['’]t|can['’]t|cannot|did|didn['’]t|does|doesn['’]t|don['’]t|makes?|made|told|said|says|saw|wrote|seems?|looks?|got|keeps?|works?|broke|forgot|went|came|\\p{L}+ed))(?![\\p{L}])`,
  "u",
);
const TURNS =
  /\b(?:if|unless|until|till|except|instead|rather|wait|stop|should|must|needs? to|ha(?:s|ve) to|not (?:that|the|this)|otherwise|or)\b|["“”]/i;

/** What limits or turns a wish, or may be a value of it. */
const RESTRICTS =
  /\b(?:not|no|never|\p{L}+n['’]t|but|only|except|unless|if|or|until|till|before|after|first|instead|rather|wait|stop|all|both|every\w*|each|priority|prio|highest|high|medium|low|lowest|urgent|label\w*|assign\w*|status|done|closed?|title|summary|due|named?|called|under|and)\b/iu;

/** Searches that were made once more with fewer words, which are no steps of their own. */
function widened({ observations }: PlanInput): number {
  return observations.filter((each, at) => {
    const before = observations.slice(0, at).findLast(({ tool, ok }) => tool === each.tool && ok);
    return before !== undefined && isEmpty(before) && /search/i.test(each.tool);
  }).length;
}

function toFillContext({ input, index, dates, told = [] }: Scene): FillContext {
  const earlier = input.history.flatMap((turn) => turn.calls.map((call) => call.args)).toReversed();
  const quoted = keysIn(input.quote?.text ?? "", index);
  const known = input.known === undefined ? {} : { known: input.known };
  return { now: input.now, dates, earlier: [...quoted, ...earlier], told, ...known };
}

/** "it" asked of a message means the first key that the message names, for whichever argument is one. */
function keysIn(text: string, { entries }: ToolIndex): JsonObject[] {
  const names = entries.flatMap(({ slots }) => slots.filter(({ kind }) => kind === "key"));
  const keys = text.slice(0, QUOTE_CHARS).match(/\b[A-Z][A-Z0-9_]{0,15}-\d{1,9}\b/g) ?? [];
  return keys.slice(0, 5).map((key) => Object.fromEntries(names.map(({ name }) => [name, key])));
}

const QUOTE_CHARS = 8_000;

/** The message as the answer to the question that the last turn ended with. */
function toAnswer(
  { input, index, verbs }: Scene,
  around: FillContext,
  referents: Referents,
): Step | undefined {
  const question = input.history.at(-1)?.question;
  if (!question) return undefined;
  if (NEVER_MIND.test(input.message)) return say(en.recorded.neverMind());
  if (NO_ANSWER.test(input.message.trim())) return undefined;
  const entry = askedAbout(question, index);
  if (!entry) return undefined;
  const said = pointedAt(input.message, referents) ?? input.message;
  const wish = readWish(said, verbs);
  const args = answerQuestion(question, said, entry, wish, around);
  const other = isNewWish(wish, verbs, index) ? choose(wish, index, around) : undefined;
  if (other && !(args && isSelected(other, entry, args))) return undefined;
  const done = args && (entryOf(entry.call.tool, args, index) ?? entry);
  if (!done) return undefined;
  const known = Object.keys(question.args).filter((name) => !question.fields.includes(name));
  const ref = input.history.at(-1)?.message ?? "";
  const sources = Object.fromEntries(known.map((name) => [name, { from: "history" as const, ref }]));
  return { commands: [toCommand(done, args, done.changing)], sources: [sources], isAnchored: true };
}

/** Second thoughts and questions are no values. */
const NO_ANSWER =
  /^(?:no|not|wait|sorry|actually|hmm?|oh|i (?:don['’]?t|do not|mean|meant)|the other way|whoever|nobody knows|never)\b|\b(?:never ?mind|keep it|leave it|forget it|is fine)\b|^(?:what|which|who|when|where|why|how|is|are|does|do|can|could|should)\b.*|\?\s*$/i;

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

/** What the whole message asks for, over all steps of the turn. */
interface Plan {
  stages: Stage[];
  /** Wishes that can be read only when it is known what an earlier step brought. */
  later: string[];
  sourcesOf: (args: JsonObject) => ArgSources;
  isAnchored: boolean;
  notice?: string;
  /** It refers to something that is not clear. */
  isOpen: boolean;
  /** Words of a change that may make it another one. */
  unsure?: string;
}

function toPlan(scene: Scene, around: FillContext, referents: Referents): Plan {
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
    ...unsureOf(choices),
    ...(tooMany ? { notice: en.recorded.tooManyAtOnce(String(MOST_AT_ONCE)) } : noticeOf(choices, left)),
  };
}

/** What was wished for and is not asked for any more. */
function leftOut(wishes: readonly string[]): { notice?: string } {
  return wishes.length === 0
    ? {}
    : { notice: `As that did not work, I did not go on with ${quoted(wishes)}.` };
}

/** A new thing, and a text that is written, stand for themselves; of any other change each word counts. */
function unsureOf(choices: Choice[]): { unsure?: string } {
  const unsure = choices.find(
    ({ left, changing, calls: [call] }) =>
      changing &&
      call !== undefined &&
      !["create", "comment"].some((intent) => call.entry.intents.has(intent as "create")) &&
      left?.words.some((token) => isTelling(token, call.entry)) === true,
  );
  return unsure?.left === undefined ? {} : { unsure: unsure.left.text };
}

/** Whether a word says something that neither the tool nor what it is called with does. */
function isTelling({ lower, stem }: Token, { vocabulary, call }: ToolEntry): boolean {
  if (HARMLESS.has(lower) || STOP_WORDS.has(lower) || lower === "as" || vocabulary.has(stem)) return false;
  return !Object.values(call.args).some((value) => splitName(asText(value)).includes(lower));
}

/** The message without what is quoted or dictated. */
function ownWords(message: string): string {
  const { masked } = createSheet(message);
  return masked.slice(0, COLON.exec(masked)?.index);
}

/** Nothing is dropped silently: wishes that led to nothing, and words of a change that changed nothing. */
function noticeOf(choices: Choice[], wishes: string[]): { notice?: string } {
  if (choices.length === 0) return {};
  const words = choices.flatMap(({ left }) => left?.text ?? []);
  const said = [
    ...(wishes.length === 0 ? [] : [en.recorded.notUnderstood(quoted(wishes))]),
    ...(words.length === 0 ? [] : [en.recorded.couldDoNothing(quoted(words))]),
  ];
  return said.length === 0 ? {} : { notice: said.join(" ") };
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `“${unwrap(text).text.slice(0, 120)}”`).join(" and ");
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
  const mayFollow = resolved.text === input.message || Object.keys(resolved.put).length > 1;
  const follow = mayFollow ? followUp(input, index, verbs, around, referents) : undefined;
  if (follow) return { choices: [follow], put: {}, left: [], later: [], isOpen: false };
  const result: Choices = { choices: [], put: {}, left: [], later: [], isOpen: false };
  const read = (wish: string): Wish => readWish(mended(wish, scene), verbs);
  const take = (wish: string, own: Referents, context: FillContext): Choice | undefined => {
    const { text, put, isOpen } = resolveReferences(wish, own);
    const refers = Object.keys(put).length > 0 || refersToSomething(wish);
    const [args] = refers ? context.earlier : [];
    const clear = {
      ...context,
      ...(args === undefined ? {} : { context: args }),
      ...(isOpen ? { earlier: [] } : own.thing ? { onScreen: own.thing.id } : {}),
    };
    const choice =
      choose(read(text), index, clear) ?? (text === wish ? undefined : choose(read(wish), index, clear));
    Object.assign(result.put, put);
    result.isOpen ||= isOpen;
    if (choice && own.thing && choice.earlier.length > 0) result.put[own.thing.id] ??= own.thing.source;
    return choice;
  };
  const wishes = splitWishes(input.message, verbs, index.things).flatMap((wish) =>
    described(wish, read(wish), referents, index),
  );
  if (wishes.length <= 1) {
    const whole = take(input.message, referents, around);
    const { text: said } = resolveReferences(input.message, referents);
    return {
      ...result,
      choices: whole ? [withReads(whole, read(said), input, index)] : [],
    };
  }
  const orders = wishes.filter((each) => !NEGATED.test(unwrap(each).text));
  const isBackground = (each: string): boolean =>
    isTold(unwrap(each).text) && !/\?\W*$/.test(each) && read(each).keys.length === 0;
  const wanted = orders.every(isBackground) ? orders : orders.filter((each) => !isBackground(each));
  for (const [at, wish] of wanted.entries()) {
    // "it" in a later wish is what an earlier one named, or found.
    const before = wishes.slice(0, wishes.indexOf(wish));
    const spoken = result.choices.length > 0 ? [] : before.flatMap((each) => keysIn(each, index));
    const named = [
      ...result.choices.flatMap(({ calls }) => calls.map(({ args }) => args)),
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
    const isFound = last !== undefined && refersToSomething(wish) && !isNamed;
    const all = isFound && SEVERAL.test(wish) ? allFound(input, last) : undefined;
    const found = isFound ? (all ?? lastFound(input)) : undefined;
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
    const meant = isAll && all.rows.length === 1 ? wish.replace(SEVERAL, "it") : wish;
    const choice = take(meant, own, { ...around, earlier: [...named, ...around.earlier] });
    if (choice) {
      const sure = found && !found.isSure && !isAll ? without(choice, id) : choice;
      const { text: said } = resolveReferences(meant, own);
      const isAfter = AFTER.test(input.message.slice(0, Math.max(0, input.message.indexOf(wish))));
      result.choices.push({ ...withReads(sure, read(said), input, index), said: wish, isAfter });
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
    result.choices.every((one) => !isComplete(one) || one.calls[0]?.entry === tool?.entry);
  return all &&
    (result.choices.length === 0 ||
      isWhole ||
      (all.isAnchored && !result.choices.some(({ changing }) => changing)))
    ? { ...result, choices: [all], left: [] }
    : result;
}

const ASKS_AGAIN = /^\W*(?:and\s+)?(?:how many|which|what|who)\b/i;

/** Before a wish: it is for when what stands there is done. */
const AFTER = /\b(?:then|after(?:wards| that| this)?|once (?:that|this|it)(?:['’]s| is) done)\W*$/i;

function isComplete({ calls }: Choice): boolean {
  return calls.every(({ entry, args }) =>
    entry.slots.every(({ name, required }) => !required || Object.hasOwn(args, name)),
  );
}

/** "The one with the pictures, how is it going?" is no kind word. */
function namesRow(message: string, referents: Referents): boolean {
  const { put } = resolveReferences(message, referents);
  return Object.keys(put).length > 0;
}

const PICTURES =
  /\s*(?:(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D)+|(?<=\s)[:;]-?[)(DPp](?=\s|$))\s*/gu;

/** A picture ends a sentence, and says nothing that is looked for. */
function withoutPictures(text: string): string {
  return inOwnWords(text, PICTURES, () => "\uE003")
    .replace(/\uE003+$/u, "")
    .replaceAll(/[.,;:!?]?\uE003+(?=[\p{L}\p{N}"“])/gu, ". ")
    .replaceAll("\uE003", " ");
}

/** What has titles, whose words are no names. */
const TITLED: ReadonlySet<string> = new Set(["issue", "page", "status"]);

/** The message with its slips of the keyboard mended, but for what is quoted or dictated. */
function spelled(
  message: string,
  { entries }: ToolIndex,
  names: readonly string[],
  known: readonly KnownName[],
): string {
  const own = new Set(names.flatMap((name) => name.toLowerCase().split(/\s+/)));
  const isKnown = (word: string): boolean =>
    STOP_WORDS.has(word) ||
    own.has(word) ||
    titleWeight(stemOf(word), known) > 0 ||
    THINGS.has(stemOf(word)) ||
    entries.some(({ vocabulary, verbs }) => vocabulary.has(stemOf(word)) || hasVerb(verbs, stemOf(word)));
  return inOwnWords(message, /(?<![\p{L}\p{N}"'“@/_.-])\p{Ll}{3,}(?![\p{L}\p{N}"'”@/_-])/gu, (word) =>
    isKnown(word) ? word : spelledRight(word, [...own]),
  );
}

function mended(wish: string, { index: { entries } }: Scene): string {
  const { text, polite } = unwrap(wish);
  const better = mendVerb(rephrased(text), (stem) => entries.some((entry) => entry.verbs.has(stem)));
  return better === text ? wish : polite + better;
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

/** What this turn's reads found: one record for sure, whose title has the words that were looked for, or several. */
function lastFound({
  observations,
}: PlanInput): { rows: Referents["rows"]; tool: string; isSure: boolean } | undefined {
  const last = observations.findLast(({ ok }) => ok);
  if (last?.permit === undefined) return undefined;
  const { record, rows } = shownIn(last.data.reveal(last.permit));
  if (record !== undefined) return { rows: [record], tool: last.tool, isSure: true };
  const words = Object.entries(observations[0]?.args ?? {})
    .flatMap(([name, value]) => (/query|search|title|^q$|term/i.test(name) ? [asText(value)] : []))
    .join(" ");
  const named = words === "" ? rows : rowsNamed(words, rows);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return { rows: [only], tool: last.tool, isSure: true };
  const [single] = rows;
  const isOne = rows.length === 1 && single?.title === undefined;
  return rows.length === 0 ? undefined : { rows, tool: last.tool, isSure: isOne };
}

const DESCRIBED = new RegExp(
  String.raw`\bthe\s+((?:(?!the\b|of\b|to\b|on\b)[\p{L}\p{N}'’-]+\s+){0,5}?)(${WORK}|${PAGE}|one)\b(?:\s+(?:(?:about|on|for|named|called|titled|with)\s+)?(?:the\s+)?(["“'][^"”']+["”']|[^:,;"“]+?))??(\s+in\s+(?:the\s+)?[A-Z]{2,10}\b(?: project| space)?)?(?=\s*(?:$|[:,;.!?]|\b(?:to|as|and|saying|with a)\b))`,
  "u",
);

/**
 * "Assign the checkout timeout ticket to ben" as two wishes: what is only described is looked for first, and
 * the change is for what was found, where that is one.
 */
function described(text: string, wish: Wish, { rows }: Referents, index: ToolIndex): string[] {
  const match = DESCRIBED.exec(text.slice(0, COLON.exec(text)?.index));
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

/** No tool is meant for sure: a search where one may know, else what may be meant. */
function refuse(scene: Scene, around: FillContext, plan: Plan): Step {
  const { input, index, verbs } = scene;
  const wish = readWish(mended(input.message, scene), verbs);
  const isOrder = !ASKS_LEAVE.test(input.message) && (wish.changing || isChangeVerb(wish.head?.lower ?? ""));
  // What is asked of "it" stands in the record.
  const { text } = resolveReferences(input.message, toReferents(input, around.earlier));
  const shown = plan.isOpen || isOrder ? undefined : showKeys(readWish(text, verbs), index, around);
  if (shown) return shown;
  const asked = isOrder && !plan.isOpen ? askWhich(wish, index, around) : undefined;
  if (asked) return asked;
  const search = plan.isOpen ? undefined : searchFor(wish, input, index, around);
  if (search) return search;
  const likely: Offer = offer(input.message, candidates(wish, index, around), index, wish);
  // "Who is doing it?" of several: what is known of each of them stands in the list.
  const again = plan.isOpen && ASKS_OF_ROWS.test(input.message) ? lastRead(input, index) : undefined;
  if (again) return { commands: [toCommand(again.entry, again.args, false)], isAnchored: true };
  if (!plan.isOpen)
    return say(likely.message, likely.choices === undefined ? {} : { choices: likely.choices });
  return say(en.recorded.several());
}

/** The step without the remark, which the answer names. */
function withRemark({ rest, said }: { rest: string; said: string }, scene: Scene): Step {
  const step = nextStep({ ...scene, input: { ...scene.input, message: asOrders(rest, scene) } });
  const notice = en.recorded.asRemark(quoted([said]));
  return { ...step, isAnchored: false, notice: [step.notice, notice].filter(Boolean).join(" ") };
}

/** Where a record was called by its title and only looks are planned that leave it out, it is what is meant. */
function showTitled(
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
      ([name, value]) => typeof value === "string" && ids.includes(value) && !/query|search|text/i.test(name),
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
function asWhatItIs({ commands }: Stage, { input, index }: Scene, around: FillContext): Step | undefined {
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
function showKeys({ keys, text, head }: Wish, index: ToolIndex, around: FillContext): Step | undefined {
  const spaced = [...text.matchAll(/(?<![\p{L}\p{N}])([A-Za-z]{2,6}) (\d{1,5})(?![\p{L}\p{N}])/gu)]
    .filter(({ index: at }) => at === 0 || (head !== undefined && at <= head.end + 1))
    .filter(
      ([, word = ""]) => !STOP_WORDS.has(word.toLowerCase()) && !index.things.has(stemOf(word.toLowerCase())),
    )
    .map(([, word = "", number = ""]) => `${word.toUpperCase()}-${number}`);
  const named = keys.length > 0 ? keys.map(({ value }) => value) : spaced;
  const choice =
    named.length === 0
      ? undefined
      : choose(readWish(`show ${named.join(" and ")}`, createVerbs()), index, around);
  if (!choice || choice.changing || !choice.isAnchored) return undefined;
  return { commands: choice.calls.map(({ entry, args }) => toCommand(entry, args, false)) };
}
