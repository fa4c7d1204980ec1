import { setImmediate as nextRound } from "node:timers/promises";

import type { JsonObject } from "#contract/json.ts";
import type {
  ArgSources,
  KnownName,
  MeantChange,
  PastTurn,
  PlanInput,
  PlannedCommand,
} from "#contract/plan.ts";
import { readChartWish } from "../../base/charts.ts";
import { permitIf, taint } from "../../base/tainted.ts";
import { questionIn } from "../../base/passage.ts";
import { en } from "../../base/words/en.ts";
import { renderPlan } from "../protocol.ts";
import { splitName, type Slot } from "../slot.ts";
import { anotherOf, revisedArgs, swappedArgs } from "./amend.ts";
import { NEVER_MIND, toAnswer } from "./answer.ts";
import { byExample } from "./by-example.ts";
import { leftOut, type Plan, toPlan } from "./choices.ts";
import { entryOf } from "./choose.ts";
import { withEpicKeys } from "./containers.ts";
import { doubtOf } from "./doubt.ts";
import { type Condition, conditionIn } from "./condition.ts";
import { correctionOf } from "./correction.ts";
import { plainlyOtherwise } from "./otherwise.ts";
import { bySense, likelyBySense, NEW } from "./by-sense.ts";
import { createDateReader } from "./dates.ts";
import { dictated } from "./dictated.ts";
import { asFragment, asNoteOf } from "./fragment.ts";
import { factCall } from "./facts.ts";
import { lastRead } from "./follow-up.ts";
import { itemsOf, strangeHead } from "./lines.ts";
import { listStep } from "./list-step.ts";
import { isPersonal } from "./offer.ts";
import { toOrders } from "./orders.ts";
import { PAGE, WORK } from "./nouns.ts";
import type { NewRecord } from "./creating.ts";
import type { Around } from "./issue-draft.ts";
import { amendedBy, asNewIssue } from "./new-issue.ts";
import { namePattern, unknownPerson, withPeople } from "./people.ts";
import { asAppended } from "./page-text.ts";
import { inPlainWords } from "./plain.ts";
import { namesRow, type Referents, toReferents, withLinked, withNamedRow } from "./refer.ts";
import { asWhatItIs, onlyHeard, refuse, showKeys, showTitled } from "./refuse.ts";
import { isTold, remarkIn } from "./remarks.ts";
import { corrected, meant } from "./rephrase.ts";
import { restated } from "./restate.ts";
import {
  asOrders,
  type BuiltinPlan,
  FINAL,
  keysIn,
  ownWords,
  quoted,
  say,
  type Scene,
  type Step,
  TITLED,
  toFillContext,
  withoutPictures,
} from "./scene.ts";
import { isAnsweredByAll, isEmpty, mend, searchLast, widen } from "./search.ts";
import { foreground } from "./sentences.ts";
import { withDetails } from "./several.ts";
import { createSheet, shorten } from "./sheet.ts";
import { spelled, withApostrophes, withSpacedKeys } from "./spelling.ts";
import { asStatements } from "./statements.ts";
import { countPreparing, toCommand, unread } from "./stages.ts";
import { amendedPage, asNewPage } from "./new-page.ts";
import { isOpened, openFound } from "./open-found.ts";
import { likeliestIssue, likelyRecords, type Linked, withTitledKeys } from "./titles.ts";
import { noted, withComment, withToldNote } from "./told.ts";
import { buildToolIndex, type ToolIndex } from "./tool-index.ts";
import { unableTo } from "./unable.ts";
import { createVerbs } from "./verbs.ts";
import { NEGATED, NEXT, readWish, splitWishes, unwrap } from "./wish.ts";
import { withoutPart } from "./withdraw.ts";
import { createSynonyms, stemOf, STOP_WORDS, type Token, tokenize } from "./words.ts";

export interface BuiltinPlanner {
  /** Reads the catalogue in pieces that delay nobody; without it the first `plan` over a catalogue reads it at once. */
  prepare(input: Pick<PlanInput, "tools" | "examples">): Promise<void>;
  /** The next step of a turn. Deterministic; never throws. */
  plan(input: PlanInput): BuiltinPlan;
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
    const correction = correctionOf(text, input.history, input.known ?? []);
    const whole = correction?.text ?? text;
    const made =
      asNewPage(whole, input.known ?? []) ??
      asNewIssue(whole, input.known ?? [], () => aroundIn(input)) ??
      behindNew(input, index);
    const items = (made === undefined ? itemsOf(whole, verbs) : [made.order, ...made.further]).map((item) =>
      inPlainOrders(item, input, index, made !== undefined),
    );
    const scene = {
      input,
      index,
      verbs,
      dates,
      put: Object.assign({}, ...items.map(({ put }) => put)) as ArgSources,
    };
    const told = [...(made?.told ?? []), ...items.flatMap((item) => item.told)];
    const [only, ...others] = items;
    return {
      ...scene,
      ...(correction?.replaces && { replaces: true as const }),
      told,
      said: made?.order ?? whole,
      ...(only === undefined || others.length > 0 ? {} : { named: only.named }),
      input: { ...input, message: items.map((item) => item.text).join(NEXT) },
    };
  }

  /** What a message says in plain words, with the keys of what it calls by its name. */
  function inPlainOrders(
    given: string,
    input: PlanInput,
    index: ToolIndex,
    isPlain = false,
  ): Linked & { told: string[]; named: string } {
    const known = input.known ?? [];
    const said = given.replace(FOR_DOING, "$1");
    const names = known.filter(({ kind }) => !TITLED.has(kind)).flatMap(({ id, name }) => [id, name]);
    const referents = toReferents(input, []);
    const isOfLinked = referents.linked !== undefined && /\bthat\b/i.test(said);
    const fragment = isOfLinked
      ? undefined
      : asFragment(said, referents.thing?.id, known, aroundIn(input).project);
    const plainly = fragment?.text ?? asNoteOf(said, input.history, known, referents.thing?.id) ?? said;
    const filedOrder = withToldNote(withoutPictures(plainly));
    const { thing } = referents;
    const shown: ArgSources =
      thing !== undefined && plainly !== said && !said.includes(thing.id) ? { [thing.id]: thing.source } : {};
    const own = withApostrophes(restated(withDetails(dictated(filedOrder), known)), known);
    const keyed = index.hasKeys ? withSpacedKeys(own, known) : own;
    const linked = withLinked(keyed, referents);
    const row = withNamedRow(linked.text, referents);
    const people = withPeople(row.text, input, referents);
    const told = withComment(people.text, known, referents.thing !== undefined, verbs);
    const plain = inPlainWords(spelled(corrected(told), index, names, known), names);
    const epics = withEpicKeys(plain, known);
    const isCreating = readWish(epics.text, verbs).intents.has("create") && !PUTS_INTO.test(epics.text);
    const titles = isCreating
      ? {
          text:
            (isPlain ? undefined : asNewIssue(epics.text, known, () => aroundIn(input))?.order) ?? epics.text,
          put: {},
        }
      : withTitledKeys(epics.text, known, referents.rows);
    const context = { input, index, dates };
    const isOrder = (sentence: string): boolean => {
      const order = meant(unwrap(sentence).text);
      return order !== unwrap(sentence).text || asOrders(sentence, context) !== sentence;
    };
    // What is said of a record that is called by its title is said of its key.
    const isOnScreen = referents.thing !== undefined;
    const isLinked = Object.keys(titles.put).length > 0;
    const canAppend = index.entries.some(({ slots }) => slots.some(({ name }) => name === "append"));
    const named =
      (canAppend ? asAppended(titles.text, referents) : undefined) ??
      meant(
        isLinked
          ? withComment(titles.text, known, isOnScreen, verbs)
          : (noted(titles.text, isOnScreen) ?? titles.text),
      );
    const front = isCreating ? { text: named, told: [] } : foreground(named, verbs, isOrder);
    return {
      text: asOrders(meant(front.text), context),
      put: { ...shown, ...linked.put, ...row.put, ...people.put, ...epics.put, ...titles.put },
      told: [...(fragment?.told ?? []), ...front.told],
      named: titles.text,
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
  function withoutChart(text: string, input: PlanInput): string {
    const { rest, wish } = readChartWish(text, (part) => DRAWS.test(part) || !readWish(part, verbs).changing);
    const { by = "" } = wish ?? {};
    // A tool that counts by it counts all, and not only the rows of a page.
    const isCounted = indexOf(input).entries.some(
      ({ intents, slots }) =>
        intents.has("count") &&
        slots.some(({ name, values }) => name.includes("group") && values.includes(by.toLowerCase())),
    );
    // A count that is drawn by something is that count, grouped.
    const isCount = lastRead(input, indexOf(input))?.entry.intents.has("count") === true;
    if (rest === "" && isCounted && isCount) return `by ${by}`;
    return rest === "" ||
      !isCounted ||
      !(CHART_OF.test(text) || COUNTS.test(rest) || COUNTED.test(rest)) ||
      splitWishes(rest, verbs, indexOf(input).things).length > 1
      ? rest
      : `how many ${rest.replace(COUNTS, "").replace(/^(?:show|list)\s+/, "")} per ${by}`;
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

  function stepOf(given: PlanInput): Step {
    const input = otherwise(given);
    const { text: whole, tooLong } = shorten(input.message);
    const text = withoutChart(whole, input);
    const head = strangeHead(whole, verbs);
    if (head !== undefined && input.observations.length === 0) return say(en.recorded.unsure(quoted([head])));
    if (tooLong && input.observations.length === 0) return say(TOO_LONG);
    return (
      againStep(input, text) ??
      exampleStep(input, text) ??
      factStep(input, text) ??
      lessStep(input, text) ??
      amendStep(input, text) ??
      anotherStep(input, text) ??
      wishStep(toScene(input, text || whole))
    );
  }

  function wishStep(scene: Scene): Step {
    const step = nextStep(scene);
    const isChange = step.commands[0]?.command === "TASK";
    const whom =
      isChange || scene.input.observations.length > 0 ? undefined : unknownPerson(scene.input.message);
    if (whom !== undefined) return say(en.recorded.unknownPerson(quoted([whom])));
    return scene.replaces === true && isChange ? { ...step, replaces: true } : step;
  }

  /** The message as the plain correction that it is, where it is one of what waits. */
  function otherwise(said: PlanInput): PlanInput {
    const isWaiting = ({ calls }: PastTurn): boolean => calls.some(({ waits }) => waits === true);
    const at = said.history.findLastIndex(isWaiting);
    const given = { ...said, message: withProject(said.message, said.history[at]?.calls ?? []) };
    // What was only looked at since then is not corrected.
    const since = given.history.slice(at + 1).flatMap(({ calls }) => calls);
    const isSince = at < given.history.length - 1;
    const isOther =
      at < given.history.length - 1 - MOST_SINCE ||
      !CORRECTS.test(given.message) ||
      since.some(({ tool, args }) => entryOf(tool, args, indexOf(given))?.changing !== false);
    if (at === -1 || (isSince && isOther)) return given;
    const message = plainlyOtherwise(given.message);
    const input = { ...given, message, history: given.history.slice(0, at + 1) };
    const isOne =
      lessStep(input, message) !== undefined ||
      amendStep(input, message) !== undefined ||
      correctionOf(message, input.history, input.known ?? []) !== undefined;
    return isOne ? input : given;
  }

  /** What is left of the changes that wait, where a part of them is taken back. */
  function lessStep({ history, known = [], observations }: PlanInput, text: string): Step | undefined {
    const waiting = history.at(-1)?.calls.filter(({ waits }) => waits === true) ?? [];
    const rest = withoutPart(text, waiting, known);
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

  /** What is wished otherwise while it waits for its approval is asked for in place of that. */
  function amendStep(input: PlanInput, text: string): Step | undefined {
    const { known = [], history, observations } = input;
    const { calls = [], question } = history.at(-1) ?? {};
    const [call, ...others] =
      calls.length === 0 && question !== undefined ? [{ ...question, waits: true }] : calls;
    const entry = call?.waits === true ? entryOf(call.tool, call.args, indexOf(input)) : undefined;
    if (call === undefined || !entry?.changing || others.length > 0) return undefined;
    // A value may be the answer; what else a new record shall have is none.
    const isOpen = calls.length === 0;
    if (isOpen && !entry.intents.has("create")) return undefined;
    const ref = history.at(-1)?.message ?? "";
    const asked = (
      args: JsonObject,
      sources: ArgSources,
      isNew: (name: string) => boolean,
      further: readonly string[] = [],
    ): Step => {
      const later = [...new Set([...("later" in call ? (call.later ?? []) : []), ...further])];
      const kept = Object.keys(args).filter((name) => !isNew(name));
      const from = Object.fromEntries(kept.map((name) => [name, { from: "history" as const, ref }]));
      return {
        commands: observations.length > 0 ? [FINAL] : [toCommand(entry, args, true)],
        sources: [{ ...sources, ...from }],
        isAnchored: true,
        replaces: true,
        isValue: true,
        ...(later.length === 0 ? {} : { later }),
      };
    };
    const revised = isOpen
      ? undefined
      : (revisedArgs({ ...input, message: text }, call.args, entry.slots, dates) ??
        swappedArgs(text, call.args, entry.slots));
    if (revised) return asked(revised, {}, (name) => revised[name] !== call.args[name]);
    const title = entry.slots.find(({ kind, required }) => kind === "title" && required)?.name;
    if (!entry.intents.has("create") || title === undefined) return undefined;
    const isPage = splitName(entry.tool.name).includes("page");
    const amendment = isPage ? amendedPage(text, known) : amendedBy(text, known, aroundIn(input));
    // What is told beside a value may be what is asked for.
    if (isOpen && amendment?.isTold === true) return undefined;
    if (amendment === undefined) {
      const wish = readWish(text, verbs);
      const isOfIt = OF_IT.test(text) && wish.keys.length === 0;
      return isOfIt && (wish.changing || /^\W*(?:show|open|link)\b/i.test(text))
        ? say(en.recorded.notMadeYet())
        : undefined;
    }
    const order = toScene({ ...input, history: [], observations: [] }, amendment.order);
    const { commands, sources: [found = {}] = [] } = nextStep(order);
    const [read] = commands;
    if (read?.command !== "TASK" || read.tool !== call.tool || commands.length > 1) return undefined;
    const { [title]: named, ...said } = read.args;
    const body = entry.slots.find(({ kind, required }) => kind === "body" && required)?.name;
    const rest = amendment.hasText === true ? said : omit(said, body);
    const wished = { ...rest, ...(amendment.hasTitle && named !== undefined ? { [title]: named } : {}) };
    const isNew = (name: string): boolean => Object.hasOwn(wished, name);
    return asked({ ...call.args, ...wished }, found, isNew, amendment.further);
  }

  /** "Another one: …" behind an order for a new record is one of the same kind in the same place. */
  function anotherStep(input: PlanInput, text: string): Step | undefined {
    const [call, ...others] = input.history.at(-1)?.calls ?? [];
    const entry = call && entryOf(call.tool, call.args, indexOf(input));
    const kind = splitName(entry?.tool.name ?? "").at(-1) ?? "";
    const said = anotherOf(text, kind);
    if (!call || !entry?.intents.has("create") || others.length > 0 || said === undefined) return undefined;
    const { commands, ...read } = nextStep(toScene({ ...input, history: [], observations: [] }, said));
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

  /** What of the message makes it doubtful that a step's changes are meant. */
  function doubtIn({ commands, isValue }: Step, input: PlanInput): ReturnType<typeof doubtOf> {
    if (isValue) return undefined;
    const changes = commands.flatMap((one) => {
      const entry = one.command === "TASK" ? entryOf(one.tool, one.args, indexOf(input)) : undefined;
      return one.command === "TASK" && entry !== undefined ? [{ tool: entry.tool, args: one.args }] : [];
    });
    if (changes.length === 0) return undefined;
    // "Delete it", behind a comment: not the record that it is for.
    const before = input.history.at(-1)?.calls.at(-1)?.tool ?? "";
    const isComment = /(?:^|[._])(?:add_|create_)?(?:comment|note)/i.test(before);
    if (
      isComment &&
      DELETES_IT.test(input.message) &&
      changes.some(({ tool }) => /delete|remove/i.test(tool.name))
    )
      return { part: input.message };
    return doubtOf(input.message, changes, input.known ?? []);
  }

  /** The changes that a message most likely wants where none is asked for. */
  function likelyChanges(input: PlanInput): MeantChange[] {
    const { message } = input;
    const isNew = readWish(message, verbs).intents.has("create") || /^\W*new\b/i.test(message);
    if (isNew || OTHERS_WORDS.test(message) || NEGATED.test(unwrap(message).text)) return [];
    const sure = message.replace(HEDGED, "").replace(THE_ONE, "the $1ticket");
    const step = sure === message ? undefined : stepOf({ ...input, message: sure });
    const whole = step === undefined ? [] : wholeChanges(step, indexOf(input), input.known);
    const hedged =
      whole.length > 0 || step === undefined ? whole : forLikelyRecords(step, input, indexOf(input));
    if (hedged.length > 0) return hedged;
    const scene = toScene(input, input.message);
    const referents = toReferents(input, toFillContext(scene).earlier);
    const loose = inAnyWords(scene, referents, likelyBySense);
    return loose ? wholeChanges(nextStep(loose.scene), indexOf(input), input.known) : [];
  }

  /** What a message may ask for where a step changes nothing, or lacks a value. */
  function meantBeside(step: Step, input: PlanInput): MeantChange[] {
    const index = indexOf(input);
    const isWanting = changesOf(step).length > 0;
    if (wholeChanges(step, index, input.known).length > 0 || (input.observations.length > 0 && !isWanting))
      return [];
    // "Move DEMO-1" alone is asked where to.
    const isShort = isWanting && tokenize(input.message).length < LONG_ORDER;
    const likely = isShort || input.observations.length > 0 ? [] : likelyChanges(input);
    return likely.length > 0 ? likely : forLikelyRecords(step, input, index);
  }

  /** The next step, but for a change that the message may not ask for: then what it names is shown. */
  function undoubted(input: PlanInput): Step {
    const step = stepOf(input);
    const doubt = doubtIn(step, input);
    if (doubt !== undefined) {
      const meant = doubt === "page" ? [] : wholeChanges(step, indexOf(input), input.known);
      const said = doubt === "page" ? en.recorded.replacesPage() : en.recorded.doubted(quoted([doubt.part]));
      const notice = said;
      if (input.observations.length > 0) return { commands: [FINAL], notice };
      const around = toFillContext(toScene(input, input.message));
      const shown = showKeys(readWish(input.message, verbs), indexOf(input), around);
      return shown ? { ...shown, notice, meant } : say(notice, { meant });
    }
    const meant = meantBeside(step, input);
    if (meant.length > 0) {
      const isRefused = step.commands[0]?.command === "ERROR" && step.notice === undefined;
      return isRefused ? say(en.recorded.notSure(), { meant }) : { ...step, meant };
    }
    const isSilent = step.notice === undefined && changesOf(step).length === 0;
    if (isSilent || input.observations.length === 0) return step;
    // What was doubted is shown now, and all is said.
    const first = { ...input, observations: [] };
    return doubtIn(stepOf(first), first) === undefined ? step : { commands: [FINAL] };
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
      const { restore } = shorten(input.message);
      const { commands, sources = [], isAnchored = false, isValue: _, ...more } = undoubted(input);
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

/** "Sorry, I meant 19", of what waits for OPS-17; what stays as it is needs no word. */
function withProject(message: string, calls: PastTurn["calls"]): string {
  const [, lead = "", number = "", rest = ""] = MEANT_NUMBER.exec(message) ?? [];
  const keys = calls.flatMap(({ args }) => Object.values(args)).filter((value) => typeof value === "string");
  const project = keys.map((key) => /^([A-Z]\w*)-\d+$/.exec(key)?.[1]).find(Boolean);
  if (number === "" || project === undefined) return message;
  return `${lead}${project}-${number}${STAYS.test(rest) ? "" : rest}`;
}

const MEANT_NUMBER =
  /^(\W*(?:(?:sorry|no|wait|oops|hm+|ah|oh)\b[\s,.!]*)*i meant?\s+)#?(\d{1,5})(?!\d)(.*)$/isu;
const STAYS = /^[\s.,;!]*[^.,;!?]{2,40}\b(?:stays?|remains?|keeps? it|is fine)\b[^.;!?]{0,40}[\s.!]*$/iu;

/** What goes on with a new record that is there now, and that an answer or a correction had asked for. */
function behindNew({ observations, later }: PlanInput, index: ToolIndex): NewRecord | undefined {
  const [first] = observations;
  const entry = first && entryOf(first.tool, first.args, index);
  if (later === undefined || !entry?.changing || !entry.intents.has("create")) return undefined;
  const kind = splitName(entry.tool.name).includes("page") ? "a wiki page" : "an issue";
  return { order: `create ${kind} titled “x”`, further: later, told: [] };
}

function omit(args: JsonObject, name = ""): JsonObject {
  const { [name]: _, ...rest } = args;
  return rest;
}

/** What a new issue may refer to in what was shown or asked for last. */
function aroundIn({ history, known = [], ...input }: PlanInput): Around {
  const { thing } = toReferents({ history, known, ...input }, []);
  const calls = history.at(-1)?.calls ?? [];
  const said = (name: string): string | undefined =>
    calls.map(({ args }) => args[name]).find((value) => typeof value === "string");
  const isProject = (id: string): boolean => known.some((one) => one.kind === "project" && one.id === id);
  const isEpic = known.some(({ kind, id }) => kind === "epic" && id === thing?.id);
  const epic = isEpic ? thing?.id : (said("epic") ?? said("epic_key"));
  const key = calls
    .flatMap(({ args }) => Object.values(args))
    .find((value) => typeof value === "string" && /^[A-Z]\w*-\d+$/.test(value));
  const one = [thing?.id, epic, key].find((value) => typeof value === "string") ?? "";
  const project = said("project") ?? one.replace(/-\d+$/, "");
  return {
    ...(epic === undefined ? {} : { epic }),
    ...(isProject(project) ? { project } : {}),
  };
}

function changesOf({ commands }: Step): MeantChange[] {
  return commands.flatMap((one) => (one.command === "TASK" ? [{ tool: one.tool, args: one.args }] : []));
}

/** The changes of a step that lack no value, and put nothing into a state that is none. */
function wholeChanges(step: Step, index: ToolIndex, known: readonly KnownName[] = []): MeantChange[] {
  const states = known.filter(({ kind }) => kind === "status").map(({ name }) => name.toLowerCase());
  return changesOf(step).filter(
    ({ tool, args }) =>
      entryOf(tool, args, index)?.slots.every(({ name, kind, required }) => {
        const { [name]: value } = args;
        if (kind !== "status" || typeof value !== "string" || states.length === 0)
          return !required || Object.hasOwn(args, name);
        return states.includes(value.toLowerCase());
      }) === true,
  );
}

/** A change that lacks nothing but its record, of each record that the message may call. */
function forLikelyRecords(
  step: Step,
  { message, known = [] }: Pick<PlanInput, "message" | "known">,
  index: ToolIndex,
): MeantChange[] {
  const [change, ...others] = changesOf(step);
  const entry = change && entryOf(change.tool, change.args, index);
  const lacking = entry?.slots.filter(
    ({ name, required }) => required && !Object.hasOwn(change?.args ?? {}, name),
  );
  const [slot, ...more] = lacking ?? [];
  if (!change || !entry || slot?.kind !== "key" || others.length > 0 || more.length > 0) return [];
  // Nothing is offered to be deleted on a guess.
  if (entry.intents.has("delete")) return [];
  return likelyRecords(message, known, entry.tool.server).map(({ id, name }) => ({
    tool: change.tool,
    args: { ...change.args, [slot.name]: id },
    about: name,
  }));
}

/** So many words say more than the order that is understood. */
const LONG_ORDER = 7;
/** "The printer one", where no list is on the screen. */
const THE_ONE = /\bthe ((?:\p{L}+ ){1,3})one\b/iu;
/** What somebody else said, or wrote to somebody else. */
const OTHERS_WORDS = /^\s*>|^\s*(?:from|to|subject|fwd?|re)\s*:/im;

/** "Maybe", "I wonder whether we should": what follows is only thought of. */
const HEDGED =
  /^\W*(?:(?:(?:hm+|so|and|or|but|well|maybe|perhaps|possibly|i (?:wonder|was wondering|guess|think|suppose)(?: (?:whether|if|that))?|(?:we|i|you|somebody|someone) (?:might|could|should|may)(?: (?:just|as well|maybe))?|should(?:n['’]t)? (?:we|i)|shall (?:we|i)|would it make sense to|what if (?:we|i))\b[\s,:]*)+)(?=\p{L})/iu;

type Catalogue = Pick<PlanInput, "tools" | "examples">;

/** Some milliseconds' work. */
const SLICE_MS = 8;

function keyOf({ tools, examples }: Catalogue): string {
  return [...tools.map((tool) => `${tool.id} ${tool.digest}`), JSON.stringify(examples)].join("\n");
}

/** "Give it to Ben for testing": what for is no part of it. */
const FOR_DOING =
  /(?<![:"“].*)(\b(?:give|assign|hand|pass)\s+(?:it|that|this|[A-Z]\w*-\d+)\s+to\s+\p{L}+)\s+for\s+(?:\p{Ll}+ing|(?:a\s+)?(?:review|test|look|check))(?=\s*(?:$|[,.;!]))/iu;
const OF_IT = /\b(?:it|that(?: one)?|this(?: one)?)\b/i;

/** "Pie chart of the issues by status": of numbers, and of no list. */
const CHART_OF = /\b(?:chart|graph|diagram|plot|pie)\s+(?:of|for|with)\b/i;

const COUNTED = /\b(?:issues|tickets|bugs|tasks|stories|epics)\b/i;

/** "Make a bar chart of …" makes nothing that stays. */
const DRAWS =
  /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:make|draw|create|give)(?: me| us)? an? (?:(?:pie|donut|bar|column|line)[ -]?)?(?:chart|graph|diagram|plot)\b/i;
/** "Count issues by status as a chart" */
const COUNTS = /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:count|how many)\s+(?:the\s+)?/i;

/** So many messages later it is still said otherwise … */
const MOST_SINCE = 2;
/** … by whoever says so. */
const CORRECTS =
  /^\W*(?:no|nope|nah|sorry|sry|oops|ups|wait|actually|make (?:it|that)|i meant?|rather|not)\b|\b(?:instead|i meant?)\W*$/i;

const TOO_LONG =
  "That is too long to read as one wish. Say in a sentence what to do, and put the long text in quotes or behind a colon.";

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
    if (isChange && !isListed && (EXCEPT.test(own) || EXCEPT.test(ownWords(scene.said ?? ""))))
      return say(en.recorded.nameThem());
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
    const notice = unableTo(scene.said ?? input.message, index, input.known ?? []);
    if (notice !== undefined) {
      const shown = showKeys(keys, index, around);
      return shown ? { ...shown, notice } : say(notice);
    }
  }
  const told = remarkIn(input.message, scene);
  if (told && isTold(told.said) && asOrders(told.rest, scene) !== told.rest) return withRemark(told, scene);
  const read = toPlan(scene, around, referents);
  const plan = asksAnywhere(read, scene) ? { ...read, stages: [], isWide: true } : read;
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
  const wish = readWish(questionIn(input.message), scene.verbs);
  const more =
    mend(input.observations, index) ??
    (isGuess ? searchLast(input) : undefined) ??
    openFound(wish, input, index, { isGuess, when: "atOnce" }) ??
    (isAnsweredByAll(input) || isOpened(input, index) ? undefined : widen(input, index, isGuess, isSaid)) ??
    openFound(wish, input, index, { isGuess, when: "atLast" });
  return more ? { commands: more.commands, notice: more.notice } : { commands: [FINAL], ...notice };
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
function isPreparing(scene: Scene, { commands: [first] }: Step): boolean {
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
    namePattern(known.filter(({ kind }) => kind === "person")).test(whole) ||
    known.some(({ kind, id }) => kind === "project" && new RegExp(`\\b${id}\\b`, "u").test(whole));
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
  /^\W*(?:(?:and|so|ok|hey|hi)\W+)*(?:how (?!many\b|much\b|far\b|is\b|are\b)|where (?:do|does|can|are|is)|why do|when (?:do|does|may|must|can)|what (?:does|do) \p{L}+ mean|who has)\b/iu;
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
  if (orders === undefined || aside.length === 0 || !readWish(orders[0] ?? "", verbs).changing)
    return undefined;
  const notice = en.recorded.notUnderstood(quoted(aside.filter((each) => each !== "")));
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
  const titleOf = (said: string): string | undefined => {
    const one = likeliestIssue(said, known);
    if (one !== undefined) put[one.id] = { from: "result", ref: one.name };
    return one?.id;
  };
  const about = thing !== undefined && keysIn(thing.id, index).length > 0 ? thing.id : undefined;
  const stated = asStatements(named, known, titleOf, about);
  if (stated === undefined) return undefined;
  return { orders: stated.length, loose: looselyAs(scene, stated, put) };
}

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
function inAnyWords(scene: Scene, { thing }: Referents, read = bySense): Loose | undefined {
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

/** What a comment tells is no condition. */
const TOLD_THAT =
  /\b(?:comment|note|remark|reply|mention)(?:\s+(?:on|to|in|under)\s+[^:.!?,;]{1,50}?)?\s+that\b.*$/isu;
const CONDITION =
  /^(?:if|unless|once|as soon as|when(?=\s+[A-Z]\w*-\d))\b|\b(?:if (?!possible)|unless|as long as|provided|in case|as soon as(?! (?:possible|you can)\b)|until)\b/i;

const DONE_ALREADY =
  /^\W*(?:just so you know|fyi|for your information)\b|\bthank(?:s| you|x)?\b[^.!?]*\bfor \p{L}+ing\b|\b(?:has|have|had|was|were)\b[^.!?]*\b(?:him|her|them)sel(?:f|ves)\b/iu;

/** Who is left out of a change, or which of two is meant, nobody else decides. */
const EXCEPT =
  /\b(?:any|some)(?:body|one|where|thing)\s+(?:but|like|except|else)\b|\b(?:less|not so|not as|not that|not too)\s+(?:high|low|urgent)\b|\bas\s+(?:high|low|urgent)\s+as\b|\b(?:to|into)\b.*\b(?:before|past|after|behind)\s+(?:the\s+)?(?:in\s+)?(?:review|progress|done|to do)\b|\b(?:before|past)\s+in\s+(?:review|progress)\b|['’]s\s+(?:boss|colleague|manager|team|lead|deputy|replacement|friend|brother|sister|successor|group)\b|\b\p{L}+day or \p{L}+day\b|[A-Z]\w*-\d+\s*(?:\.\.+|–|—|\/|through|thru)\s*(?:[A-Z]\w*-)?\d|[A-Z]\w*-\d+\s+\d{1,2}\s+(?:to|in|as)\b|\b(?:all|every\w*|each|everything)\b.*\b(?:but|except|excluding|other than|apart from|besides|not|without)\b|\b(?:except|excluding|apart from|respectively|either)\b|\b(?:create|open|file|add|make|log|raise) (?:two|three|four|five|several|[2-9])\b(?! ?(?:hours?|minutes?|mins?|days?|weeks?)\b)|[A-Z]\w*-\d+ or [A-Z]\w*-\d+/iu;

/** "Create two tasks: …, …", which is an order for each already. */
const EACH_MADE = /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:create|add|open|file|make|log)\s+an?\s/i;

const DELETES_IT =
  /^\W*(?:(?:and|please|pls|no|oh|then)\W+)*(?:delete|remove|erase)\s+(?:it|that|this)(?:\s+again)?\W*$/i;

/** "Add to the printer ticket that …", "write under it": into what is there, and nothing new. */
const PUTS_INTO =
  /^\W*(?:(?:please|pls|can you|could you|also|just)\s+)*(?:add|append|write|put|post|note|leave)\s+(?:(?:an?|one|another)\s+(?:more\s+|new\s+)?(?:line|paragraph|sentence|bullet(?:\s+point)?|section|row|item|entry)\s+)?(?:(?:at|to)\s+the\s+(?:end|bottom)\s+)?(?:to|under|on|in|at|below|into|of)\s/i;

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
