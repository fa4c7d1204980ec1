import { setImmediate as nextRound } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import type { ArgSources, KnownName, MeantChange, PlanInput, PlannedCommand } from "#contract/plan.ts";
import { readChartWish } from "../../base/charts.ts";
import { en } from "../../base/words/en.ts";
import { renderPlan } from "../protocol.ts";
import { byExample } from "./by-example.ts";
import { partsBeside } from "./by-part.ts";
import { canonical } from "./canonical.ts";
import { entryOf } from "./choose.ts";
import { asAnother } from "./as-another.ts";
import {
  type Described,
  describedIn,
  isKey,
  type ReadRecord,
  readOf,
  rowsOf,
  sourcesFrom,
} from "./described.ts";
import { doubtOf, keyIn } from "./doubt.ts";
import { likelyBySense } from "./by-sense.ts";
import { withEpicKeys } from "./containers.ts";
import { correctionOf } from "./correction.ts";
import { createDateReader } from "./dates.ts";
import { factCall } from "./facts.ts";
import { type Clause, firstClause, hasChange, lastClause, withVerbs } from "./clauses.ts";
import { lastRead } from "./follow-up.ts";
import { strangeHead } from "./lines.ts";
import { ofList } from "./of-list.ts";
import { pageBefore } from "./page-before.ts";
import { unknownPerson } from "./people.ts";
import {
  EPIC_ITSELF,
  toReferents,
  withDuplicate,
  withEpicOf,
  withNamedRow,
  withNeighbour,
  withPickedRow,
  withThere,
} from "./refer.ts";
import { showKeys } from "./refuse.ts";
import {
  type BuiltinPlan,
  FINAL,
  quoted,
  say,
  type Scene,
  type Step,
  TITLED,
  toFillContext,
} from "./scene.ts";
import { COLON, createSheet, shorten, withDots } from "./sheet.ts";
import { isSameCall, toCommand } from "./stages.ts";
import { spelled } from "./spelling.ts";
import { tidied } from "./tidy.ts";
import { isNew, likelyRecords, type Linked, withPlainTitles } from "./titles.ts";
import { buildToolIndex, type ToolIndex } from "./tool-index.ts";
import { createVerbs } from "./verbs.ts";
import { NEGATED, readWish, splitWishes, unwrap } from "./wish.ts";
import { createSynonyms, tokenize } from "./words.ts";
import { pageEdit } from "./page-edits.ts";
import { inAnyWords, isPreparing, nextStep } from "./next-step.ts";
import { asSeveralNew } from "./several-new.ts";
import { aroundIn, toScene, type Reader } from "./read-message.ts";
import { otherwise, lessStep, amendStep, anotherStep } from "./waiting.ts";

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

  function readerOf(input: PlanInput): Reader {
    return { index: indexOf(input), verbs, dates };
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
    const edit = pageEdit(given, indexOf(given));
    if (edit === undefined || "commands" in edit) return edit ?? otherStep(given);
    // What was read for nothing is no step of what else it may be.
    const other = otherStep({ ...given, observations: given.observations.slice(edit.read) });
    const isRead = other.commands.every(
      (one) => one.command === "QUERY" && given.observations.some((seen) => isSameCall(seen, one)),
    );
    const step = isRead ? otherStep(given) : other;
    // "Put Farid as backup in the rota" is of the page, whatever issue has the word, and no comment on it either.
    const isElse = changesOf(step).some(
      ({ args }) => args["version"] === undefined && (edit.isCalled || args["page_id"] !== undefined),
    );
    return isElse ? { commands: [FINAL], notice: en.recorded.couldDoNothing(quoted([given.message])) } : step;
  }

  function otherStep(given: PlanInput): Step {
    const input = otherwise(given, readerOf(given));
    const { message } = input;
    const text = withoutChart(message, input);
    const head = input.observations.length === 0 ? strangeHead(message, verbs) : undefined;
    if (head !== undefined && asSeveralNew(message, input.known ?? [], () => aroundIn(input)) === undefined)
      return say(en.recorded.unsure(quoted([head])));
    return (
      againStep(input, text) ??
      exampleStep(input, text) ??
      factStep(input, text) ??
      lessStep(input, text) ??
      amendStep(input, text, readerOf(input)) ??
      anotherStep(input, text, readerOf(input)) ??
      wishStep(toScene(input, text || message, readerOf(input)))
    );
  }

  function wishStep(scene: Scene): Step {
    const step = nextStep(scene);
    const isChange = step.commands[0]?.command === "TASK";
    const whom =
      isChange || scene.input.observations.length > 0 ? undefined : unknownPerson(scene.input.message);
    if (whom !== undefined) return say(en.recorded.unknownPerson(quoted([whom])));
    if (scene.asks !== undefined) return { ...step, asks: scene.asks };
    return scene.replaces === true && isChange ? { ...step, replaces: true } : step;
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
    const scene = toScene(input, input.message, readerOf(input));
    const referents = toReferents(input, toFillContext(scene).earlier);
    const loose = inAnyWords(scene, referents, likelyBySense);
    return loose ? wholeChanges(nextStep(loose.scene), indexOf(input), input.known) : [];
  }

  /** What the sentences of a message surely want, where a step has none of it or only a part. */
  function readSurely(step: Step, input: PlanInput): Step | undefined {
    const index = indexOf(input);
    const { message, observations, known } = input;
    const own = wholeChanges(step, index, known);
    // A plain order has no more in it.
    if (own.length > 0 && tokenize(message).length < LONG_ORDER && !SEVERAL.test(message)) return undefined;
    const plain = toScene(input, message, readerOf(input));
    // Of several items each is a message of its own.
    if (observations.length > 0 || OTHERS_WORDS.test(message) || plain.named === undefined) return undefined;
    if (LOOKS.test(plain.named) || (/\?\W*$/.test(message) && !REQUESTS.test(message))) return undefined;
    const referents = toReferents(input, toFillContext(plain).earlier);
    // As it was said, where the other readers have left a part of it out.
    const loose = inAnyWords(plain, referents) ?? inAnyWords({ ...plain, named: message }, referents);
    const read = loose === undefined ? undefined : nextStep(loose.scene);
    if (read === undefined || doubtIn(read, input) !== undefined) return undefined;
    const all = wholeChanges(read, index, known);
    const isMore =
      all.length > own.length && own.every((one) => all.some((other) => isDeepStrictEqual(one, other)));
    return isMore ? { ...read, notice: [loose?.notice, read.notice].filter(Boolean).join(" ") } : undefined;
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

  /**
   * What a part of a message asks of what was shown or waits, where the whole says nothing of it: "ok makes sense, and
   * the ones of Emi?". The same in each step of a turn.
   */
  function readPart(input: PlanInput): Step | undefined {
    const { message, history, known = [] } = input;
    if (history.length === 0) return undefined;
    const parts = partsBeside(message, known);
    const first = { ...input, observations: [] };
    // "No, call it upgrade", of a label that waits: that is the whole of it.
    if (parts.length === 0 || correctionOf(message, history, known)?.replaces === true) return undefined;
    // What is said of a page's text is one order, "… please delete it" too.
    const edit = pageEdit(first, indexOf(input));
    if (edit !== undefined && "commands" in edit) return undefined;
    const whole = stepOf(first);
    const least = takesUp(whole, first);
    const isChange = changesOf(whole).length > 0;
    if (least === TAKEN.changed) return undefined;
    for (const { text, beside, isSure } of parts) {
      const step = stepOf({ ...first, message: text });
      const taken = takesUp(step, first);
      // A look is no answer to a wish for a change.
      const isLook = taken === TAKEN.askedAgain && !isChange;
      if (
        taken <= least ||
        taken < TAKEN.askedAgain ||
        !(isSure || isLook) ||
        doubtIn(step, first) !== undefined
      )
        continue;
      const isTold = (taken === TAKEN.changed || !isSure) && beside.length > 0;
      const now = stepOf({ ...input, message: text });
      const notice = [now.notice, isTold ? en.recorded.asRemark(quoted(beside)) : ""].filter(Boolean);
      return { ...now, ...(notice.length === 0 ? {} : { notice: notice.join(" ") }), isAnchored: false };
    }
    return undefined;
  }

  /** How much of what was shown or asked for before a step takes up, where it leaves nothing of its message out. */
  function takesUp({ commands, sources = [], replaces, notice }: Step, input: PlanInput): number {
    const changes = changesOf({ commands });
    const [command] = commands;
    const isWhole = wholeChanges({ commands }, indexOf(input), input.known).length === changes.length;
    if (command === undefined || command.command === "ERROR" || notice !== undefined || !isWhole)
      return TAKEN.nothing;
    const from = new Set(sources.flatMap((one) => Object.values(one).map((source) => source.from)));
    if (changes.length > 0 && (replaces === true || from.has("history") || from.has("result")))
      return TAKEN.changed;
    const { jql } = command.args;
    const before = input.history.at(-1)?.calls.flatMap(({ args }) => Object.entries(args)) ?? [];
    const isKept = before.some(([name, value]) =>
      typeof value !== "string"
        ? isDeepStrictEqual(command.args[name], value)
        : command.args[name] === value || (typeof jql === "string" && jql.includes(value)),
    );
    // What was asked before to the letter is no answer to what is asked now.
    const isSame = input.history
      .at(-1)
      ?.calls.some(({ tool, args }) => tool === command.tool && isDeepStrictEqual(args, command.args));
    if (isSame === true) return TAKEN.partly;
    // Words that were not looked for before are most often what stands beside it.
    const isSearch = typeof command.args["query"] === "string" && !before.some(([name]) => name === "query");
    if (isKept || from.has("history")) return isSearch ? TAKEN.partly : TAKEN.askedAgain;
    return from.has("result") ? TAKEN.shown : TAKEN.nothing;
  }

  /** What somebody dictates keeps its slips, and so does what is new. */
  function withoutSlips(message: string, input: PlanInput): string {
    if (message.length > MOST_SPELLED) return message;
    const { known = [] } = input;
    const { masked } = createSheet(message);
    const head = WRITES.test(masked) ? (TEXT_BEHIND.exec(masked)?.[0].length ?? 0) : message.length;
    const names = known.filter(({ kind }) => !TITLED.has(kind)).flatMap(({ id, name }) => [id, name]);
    const mended = spelled(message.slice(0, head), indexOf(input), names, known) + message.slice(head);
    if (!readWish(mended, verbs).intents.has("create")) return mended;
    // "New bug for teh app: …": the head says what and where, and no title.
    const colon = COLON.exec(masked)?.index ?? 0;
    return spelled(message.slice(0, colon), indexOf(input), names, known) + message.slice(colon);
  }

  /** What is said in several ways in one, and each issue that is called by its title by its key. */
  function withPlainNames(message: string, input: PlanInput): Linked {
    if (message.length > MOST_SPELLED) return { text: message, put: {} };
    const { known = [] } = input;
    const referents = toReferents(input, []);
    const said = ofList(message, input, referents) ?? canonical(message, known);
    const titled = withPlainTitles(said, known, () => referents.rows);
    // What is new may be called so.
    const beside = withNeighbour(titled.text, referents);
    const whole = withEpicOf(beside.text, referents);
    const picked = isNew(whole.text) ? whole : withPickedRow(whole.text, referents);
    const row = withNamedRow(picked.text, referents);
    const twin = withDuplicate(row.text, referents);
    const there = withThere(twin.text, referents);
    return {
      text: withVerbs(there.text),
      put: {
        ...titled.put,
        ...beside.put,
        ...whole.put,
        ...picked.put,
        ...row.put,
        ...twin.put,
        ...there.put,
      },
    };
  }

  /** A step of changes with what the first and the last clause ask for, where another reader has passed that over. */
  function withClauses(given: Step, input: PlanInput): Step {
    const first = firstClause(input.message);
    const step = first === undefined ? given : withClause(given, input, first, "ahead");
    const keys = new Set(changesOf(step).map(({ args }) => keyIn(args)));
    const [key] = keys;
    const last = keys.size === 1 && key !== undefined ? lastClause(input.message, key) : undefined;
    return last === undefined || last.isFact ? step : withClause(step, input, last, "behind");
  }

  /** A step with what a clause alone asks for: asked for as well, or named where it may only tell how it is. */
  function withClause(step: Step, input: PlanInput, clause: Clause, place: "ahead" | "behind"): Step {
    const { notice, ...plain } = step;
    const { commands, sources = [], isAnchored = false, later, replaces = false } = plain;
    const changes = changesOf(step);
    if (changes.length === 0 || changes.length < commands.length || replaces || later !== undefined)
      return step;
    const only = { ...input, message: clause.order, observations: [] };
    const begun = undoubted(only);
    const isPrepared =
      changesOf(begun).length === 0 && isPreparing(toScene(only, clause.order, readerOf(input)), begun);
    const isRead = isPrepared && input.observations.length > 0;
    const alone = isRead ? undoubted({ ...only, observations: input.observations }) : begun;
    const own = changesOf(alone);
    const isWhole =
      own.length > 0 &&
      own.length === alone.commands.length &&
      wholeChanges(alone, indexOf(input), input.known).length === own.length;
    // A notice that is of nothing else says that it was left out.
    const itself = `${clause.text}. ${JSON.stringify(own)}`;
    const named = [...(notice ?? "").matchAll(/“([^”]*)”/g)].map(([, said = ""]) => said);
    if (notice !== undefined && (named.length === 0 || !named.every((said) => itself.includes(said))))
      return step;
    // What waits already was asked for in a step before.
    const all = [...changes, ...input.observations];
    if (own.some((one) => hasChange(all, one))) return step;
    if (clause.isFact)
      return isWhole || clause.hasValue
        ? { ...plain, notice: notice ?? en.recorded.asRemark(quoted([clause.text])) }
        : step;
    if (isPrepared && !isRead) return { ...plain, later: [clause.order] };
    if (!isWhole || (place === "behind" && alone.notice !== undefined)) return step;
    const from = own.map((_one, at) => alone.sources?.[at] ?? {});
    const [before, after] = place === "ahead" ? [alone.commands, commands] : [commands, alone.commands];
    return {
      ...plain,
      commands: [...before, ...after],
      sources: place === "ahead" ? [...from, ...sources] : [...sources, ...from],
      isAnchored: isAnchored && alone.isAnchored === true,
      ...(alone.notice === undefined ? {} : { notice: alone.notice }),
    };
  }

  /** Shows a record by its key, or by what it is called: the next step of that, or the record and what was seen besides. */
  function readFirst(
    input: PlanInput,
    said: string,
  ): Step | { record: ReadRecord | undefined; rest: PlanInput["observations"] } {
    const { observations } = input;
    let message = isKey(said) ? said : `show ${said}`;
    let begun = 0;
    for (let at = 0; ; at += 1) {
      const [last] = observations.slice(at - 1, at);
      const record = readOf(last, said);
      if (record !== undefined) return { record, rest: observations.slice(at) };
      const [only, ...others] = rowsOf(last);
      if (only !== undefined && others.length === 0 && isKey(only.id)) [message, begun] = [only.id, at];
      const step = undoubted({ ...input, message, observations: observations.slice(begun, at) });
      const isRead = step.commands.some(({ command }) => command === "QUERY");
      if (!isRead) return { record: undefined, rest: observations.slice(at) };
      if (at >= observations.length) return step;
    }
  }

  /** What is asked of whom, of what or for a value that only another record names: that is read first. */
  function ofDescribed(input: PlanInput, { of, reads, resolve }: Described): Step {
    const records: ReadRecord[] = [];
    let { observations } = input;
    for (const said of reads) {
      const read = readFirst({ ...input, observations }, said);
      if ("commands" in read) return read;
      observations = read.rest;
      if (read.record !== undefined) records.push(read.record);
    }
    const isRead = records.length === reads.length;
    const found = isRead ? resolve(records) : undefined;
    const tool = input.observations[0]?.tool ?? "";
    // Who it is can be asked for; of another record nothing is known.
    if (found === undefined && of === "person") return undoubted({ ...input, observations });
    if (found === undefined) {
      const isSeveral = typeof of === "string" || rowsOf(input.observations.at(-1)).length > 1;
      const notice = isSeveral
        ? en.recorded.several()
        : isRead
          ? en.recorded.hasNone(reads.join(" or "), of.value)
          : en.recorded.notSure();
      return { commands: [FINAL], notice };
    }
    const step = nextOf({ ...input, message: found.text, observations });
    const sources = step.commands.map((one, at) => ({
      ...("args" in one ? sourcesFrom(one.args, found.put, tool) : {}),
      ...step.sources?.[at],
    }));
    return { ...step, sources };
  }

  /** What nothing else is read in than a guess may be asked of the page that was opened before. */
  function nextOf(input: PlanInput): Step {
    const described = describedIn(input) ?? asAnother(input);
    if (described !== undefined) return ofDescribed(input, described);
    const page = pageBefore(input, indexOf(input));
    if (page === undefined) return withClauses(undoubted(input), input);
    const first = undoubted({ ...input, observations: [] });
    if (!isGuessed(first)) return undoubted(input);
    if (page.isAnswer) return { commands: [FINAL] };
    if (page.read === input.observations.length && !page.isLast) return page.step;
    const isNothingElse = first.commands.some(({ command }) => command === "ERROR");
    if (page.read > 0 && isNothingElse) return { commands: [FINAL] };
    return undoubted({ ...input, observations: input.observations.slice(page.read) });
  }

  /** Whether a step only looks for words, or refuses without a reason of its own. */
  function isGuessed({ commands, isAnchored, notice, meant = [] }: Step): boolean {
    if (isAnchored === true || meant.length > 0) return false;
    return commands.every(
      (one) =>
        (one.command === "ERROR" && notice === undefined) ||
        // Which conditions a list has was guessed where not all of its words say so.
        (one.command === "QUERY" && (typeof one.args["query"] === "string" || isAnchored === false)),
    );
  }

  /** The next step, but for a change that the message may not ask for: then what it names is shown. */
  function undoubted(input: PlanInput): Step {
    const part = readPart(input);
    if (part !== undefined) return part;
    const step = stepOf(input);
    const doubt = doubtIn(step, input);
    if (doubt !== undefined) {
      const isOfEpic = EPIC_ITSELF.test(input.message);
      const meant = doubt === "page" || isOfEpic ? [] : wholeChanges(step, indexOf(input), input.known);
      const notice =
        doubt === "page"
          ? en.recorded.replacesPage()
          : isOfEpic
            ? en.recorded.whichEpic()
            : en.recorded.doubted(quoted([doubt.part]));
      if (input.observations.length > 0) return { commands: [FINAL], notice };
      const around = toFillContext(toScene(input, input.message, readerOf(input)));
      const shown = showKeys(readWish(input.message, verbs), indexOf(input), around);
      return shown ? { ...shown, notice, meant } : say(notice, { meant });
    }
    const surely = readSurely(step, input);
    if (surely !== undefined) return surely;
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
    plan(asked) {
      // Whoever reads it keeps what they made of the names, also of none.
      const given = { ...asked, known: asked.known ?? NO_NAMES };
      // A gap that long says nothing, and each place in it is one where patterns may begin.
      const said = given.message.replaceAll(LONG_GAP, (gap) => (gap.includes("\n") ? "\n\n" : " "));
      const kept: string[] = [];
      const people = (given.known ?? []).filter(({ kind }) => kind === "person");
      const names = people.flatMap(({ name }) => [name, name.split(" ")[0] ?? ""]);
      const context = { names, hasKeys: indexOf(given).hasKeys };
      const history = given.history.map((turn) => ({
        ...turn,
        message: shorten(
          withEpicKeys(
            withPlainNames(tidied(turn.message, context).text, { ...given, history: [] }).text,
            given.known ?? [],
          ).text,
          kept,
        ).text,
      }));
      const { text: plain, aside } = tidied(said, context);
      const titled = withPlainNames(plain, given);
      const text = withoutSlips(titled.text, given);
      const { text: message, restore, tooLong } = shorten(text, kept);
      const input = { ...given, message, history };
      // Nobody reads a sentence that long, and looking through it would take seconds from everybody else.
      if (tooLong && input.observations.length === 0)
        return { text: renderPlan(say(TOO_LONG).commands), sources: [], isAnchored: false };
      const { commands, sources: own = [], isAnchored = false, isValue: _, notice, ...more } = nextOf(input);
      const restored = commands.map((command) =>
        command.command === "ERROR" ? { ...command, message: withDots(command.message) } : restore(command),
      );
      const isTitled = Object.keys(titled.put).length > 0;
      const sources = isTitled
        ? commands.map((one, at) => ({ ...sourcesIn(one, titled.put), ...own[at] }))
        : own;
      // The protocol has a change alone in its block.
      const [first = restored, ...others] =
        restored[0]?.command === "TASK" ? restored.map((command) => [command]) : [restored];
      const further = others.length === 0 ? {} : { further: others.map(renderPlan) };
      const left = input.observations.length === 0 ? aside : undefined;
      const all = [notice, left && en.recorded.asRemark(quoted([left]))].filter((one) => one !== undefined);
      const told = all.length === 0 ? {} : { notice: withDots(all.filter(Boolean).join(" ")) };
      return { text: renderPlan(first), ...further, sources, isAnchored, ...told, ...restore(more) };
    },
  };
}

/** Which arguments of a command are records that the message called by their titles. */
function sourcesIn(command: PlannedCommand, put: ArgSources): ArgSources {
  if (command.command === "ERROR") return {};
  const named = Object.entries(command.args).flatMap(([name, value]) =>
    typeof value === "string" && put[value] !== undefined ? [[name, put[value]] as const] : [],
  );
  return Object.fromEntries(named);
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
  // What it is called is said of the one record that the change is of.
  const isOne = !entry.slots.some(
    (one) => one !== slot && one.kind === "key" && Object.hasOwn(change.args, one.name),
  );
  return likelyRecords(message, known, entry.tool.server).map(({ id, name }) => ({
    tool: change.tool,
    args: { ...change.args, [slot.name]: id },
    ...(isOne ? { about: name } : {}),
  }));
}

const NO_NAMES: readonly KnownName[] = [];
const MOST_SPELLED = 1_500;
const WRITES =
  /\b(?:comments?|notes?|writes?|tell|says?|saying|mention|post|reply|remark|rename|retitle|titles?|description|summary|add|append)\b/i;
/** Up to where somebody's own text begins. */
const TEXT_BEHIND = /^.*?\b(?:that|saying|says?|reading|to)\s/is;
const LONG_GAP = /\s{100,}/g;
/** So many words say more than the order that is understood. */
const LONG_ORDER = 7;
/** "I'll take DEMO-15, make it high" */
const SEVERAL = /[,;.!–-]\s+\S+\s|\band\b/i;
/** A question that asks for something. */
const REQUESTS = /\b(?:can|could|would|will|may|might|shall|let['’]?s|please|pls)\b/i;
/** What is to be seen, however it was spelled; what looks for a topic was put so by another reader. */
const LOOKS =
  /^\W*(?:(?:can|could|would|please|pls|you)\s+)*(?:show|list|find(?! issues about\b)|open|display|search|look|get|read|see|view|give\s+me|tell\s+me)\b/i;
/** "The printer one", where no list is on the screen. */
const THE_ONE = /\bthe ((?:\p{L}+ ){1,3})one\b/iu;
/** What somebody else said, or wrote to somebody else. */
const OTHERS_WORDS = /^\s*>|^\s*(?:from|to|subject|fwd?|re)\s*:/im;

/** "Maybe", "I wonder whether we should": what follows is only thought of. */
const HEDGED =
  /^\W*(?:(?:(?:hm+|so|and|or|but|well|maybe|perhaps|possibly|i (?:wonder|was wondering|guess|think|suppose)(?: (?:whether|if|that))?|(?:we|i|you|somebody|someone) (?:might|could|should|may)(?: (?:just|as well|maybe))?|should(?:n['’]t)? (?:we|i)|shall (?:we|i)|would it make sense to|what if (?:we|i))\b[\s,:]*)+)(?=\p{L})/iu;

/** What of an earlier turn a step takes up: the more, the more of its message is meant by it. */
const TAKEN = { nothing: 0, partly: 1, shown: 2, askedAgain: 3, changed: 4 } as const;

type Catalogue = Pick<PlanInput, "tools" | "examples">;

/** Some milliseconds' work. */
const SLICE_MS = 8;

function keyOf({ tools, examples }: Catalogue): string {
  return [...tools.map((tool) => `${tool.id} ${tool.digest}`), JSON.stringify(examples)].join("\n");
}

/** "Pie chart of the issues by status": of numbers, and of no list. */
const CHART_OF = /\b(?:chart|graph|diagram|plot|pie)\s+(?:of|for|with)\b/i;

const COUNTED = /\b(?:issues|tickets|bugs|tasks|stories|epics)\b/i;

/** "Make a bar chart of …" makes nothing that stays. */
const DRAWS =
  /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:make|draw|create|give)(?: me| us)? an? (?:(?:pie|donut|bar|column|line)[ -]?)?(?:chart|graph|diagram|plot)\b/i;
/** "Count issues by status as a chart" */
const COUNTS = /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:count|how many)\s+(?:the\s+)?/i;

const TOO_LONG =
  "That is too long to read as one wish. Say in a sentence what to do, and put the long text in quotes or behind a colon.";

const DELETES_IT =
  /^\W*(?:(?:and|please|pls|no|oh|then)\W+)*(?:delete|remove|erase)\s+(?:it|that|this)(?:\s+again)?\W*$/i;
