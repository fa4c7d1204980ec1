import { setImmediate as nextRound } from "node:timers/promises";

import type { JsonObject } from "#contract/json.ts";
import type { PendingQuestion, PlanInput, PlannedCommand } from "#contract/plan.ts";

import { foundKeys } from "../../base/json.ts";
import { renderPlan } from "../protocol.ts";
import { answerQuestion, NEVER_MIND } from "./answer.ts";
import { candidates, type Choice, choose } from "./choose.ts";
import { type Clause, readClause, splitWishes } from "./clause.ts";
import { createDateReader, type DateReader, type FillContext } from "./filling.ts";
import { offer } from "./offer.ts";
import { pointedAt, type Referents, refersToSomething, resolveReferences, thingOf } from "./refer.ts";
import { shorten } from "./sheet.ts";
import { buildToolIndex, mend, type ToolEntry, type ToolIndex } from "./tool-index.ts";
import { createVerbs, hasVerb, joinVerb, mendVerb, type Verbs } from "./verbs.ts";
import { createSynonyms } from "./words.ts";

export interface BuiltinPlanner {
  /** Reads the catalogue in pieces that delay nobody; without it the first `plan` over a catalogue reads it at once. */
  prepare(input: Pick<PlanInput, "tools" | "examples">): Promise<void>;
  /** Protocol text (contracts/protocol.md) for the next step of a turn. Deterministic; never throws. */
  plan(input: PlanInput): string;
}

/** A planner over any catalogue, without a model. It keeps the index of the last catalogue it saw. */
export function createBuiltinPlanner(): BuiltinPlanner {
  const synonyms = createSynonyms();
  const verbs = createVerbs();
  const dates = createDateReader();
  let cached: { key: string; index: ToolIndex } | undefined;
  let reading: { key: string; done: Promise<void> } | undefined;

  function build({ tools, examples }: Catalogue): Generator<void, ToolIndex> {
    const real = tools.filter((tool) => tool.name !== "final_answer");
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
      const { text, tooLong, restore } = shorten(input.message);
      if (tooLong && input.observations.length === 0)
        return renderPlan([{ command: "ERROR", message: TOO_LONG }]);
      const commands = nextStep({ ...input, message: text }, indexOf(input), verbs, dates);
      return renderPlan(
        commands.map((command) =>
          command.command === "ERROR" ? command : { ...command, args: restore(command.args) as JsonObject },
        ),
      );
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

function nextStep(given: PlanInput, index: ToolIndex, verbs: Verbs, dates: DateReader): PlannedCommand[] {
  const around = toFillContext(given, index, dates);
  const joined = joinVerb(given.message, (stem) => index.entries.some((entry) => entry.verbs.has(stem)));
  const message = mendVerb(joined, verbs, (stem) =>
    index.entries.some((entry) => entry.vocabulary.has(stem) || hasVerb(entry.verbs, stem)),
  );
  const input = { ...given, message };
  const answered = input.observations.length === 0 ? toAnswer(input, index, verbs, around) : undefined;
  if (answered) return answered;
  const steps = toSteps(input, index, verbs, around);
  let done = input.observations.length;
  const failed = input.observations.some(({ ok }) => !ok);
  for (const step of steps) {
    // After something went wrong no further change is proposed: the person should see it first.
    if (done < step.length) return failed && step[0]?.command === "TASK" ? [FINAL] : step.slice(done);
    done -= step.length;
  }
  if (input.observations.length === 0)
    return [{ command: "ERROR", message: refuse(input, index, verbs, around) }];
  const mended = mend(input.observations, index);
  return mended ? [mended] : [FINAL];
}

function toFillContext(input: PlanInput, index: ToolIndex, dates: DateReader): FillContext {
  const earlier = input.history.flatMap((turn) => turn.calls.map((call) => call.args)).toReversed();
  const quoted = keysIn(input.quote?.text ?? "", index);
  return { actorName: input.actorName, now: input.now, dates, earlier: [...quoted, ...earlier] };
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
  input: PlanInput,
  index: ToolIndex,
  verbs: Verbs,
  around: FillContext,
): PlannedCommand[] | undefined {
  const question = input.history.at(-1)?.question;
  if (!question) return undefined;
  if (NEVER_MIND.test(input.message))
    return [{ command: "ERROR", message: "All right, I leave it at that. Nothing was done." }];
  const entry = askedAbout(question, index);
  if (!entry) return undefined;
  const said = pointedAt(input.message, toReferents(input, around).listed) ?? input.message;
  const clause = readClause(said, verbs);
  const args = answerQuestion(question, said, entry, clause, around);
  const wish = isNewWish(clause, verbs) ? choose(clause, index, around) : undefined;
  if (wish && !(args && isSelected(wish, entry, args))) return undefined;
  const done = args && (operationOf(entry.call.tool, args, index) ?? entry);
  return done && [toCommand(done, args, done.changing)];
}

/** What the question was about: one thing that its tool does, or the tool where it asks which of these. */
function askedAbout({ tool: asked, args, fields }: PendingQuestion, index: ToolIndex): ToolEntry | undefined {
  const whole = index.wholes.find(({ tool }) => tool.id === asked || tool.name === asked);
  if (whole === undefined)
    return index.entries.find(({ tool, call }) => call.tool === asked || tool.name === asked);
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => !fields.includes(name)));
  return operationOf(whole.call.tool, known, index) ?? whole;
}

/** The thing that these arguments make a tool do. */
function operationOf(tool: string, args: JsonObject, index: ToolIndex): ToolEntry | undefined {
  return index.entries.find(
    ({ call }) =>
      call.tool === tool && Object.entries(call.args).every(([name, value]) => args[name] === value),
  );
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
function isNewWish(clause: Clause, verbs: Verbs): boolean {
  return (
    clause.head !== undefined &&
    clause.head.start === 0 &&
    verbs.has(clause.head.stem) &&
    clause.tokens.length > 1
  );
}

/** The blocks that the message asks for, in order: reads side by side, each change alone. */
function toSteps(input: PlanInput, index: ToolIndex, verbs: Verbs, around: FillContext): PlannedCommand[][] {
  const steps: PlannedCommand[][] = [];
  for (const choice of toChoices(input, index, verbs, around)) {
    const commands = choice.calls.map(({ entry, args }) => toCommand(entry, args, choice.changing));
    const last = steps.at(-1);
    const beside = !choice.changing && last?.every(({ command }) => command === "QUERY");
    if (choice.changing) steps.push(...commands.map((command) => [command]));
    else if (beside && last)
      last.push(...commands.filter((command) => !last.some((other) => same(command, other))));
    else steps.push(commands);
  }
  return steps;
}

function toChoices(input: PlanInput, index: ToolIndex, verbs: Verbs, around: FillContext): Choice[] {
  const referents = toReferents(input, around);
  const wishes = splitWishes(input.message, verbs, index.things);
  if (wishes.length > 1) {
    const choices: Choice[] = [];
    for (const wish of wishes) {
      // "it" in a later wish is what an earlier one named, or found.
      const named = choices.flatMap(({ calls }) => calls.map(({ args }) => args)).toReversed();
      const isFound = choices.length > 0 && refersToSomething(wish) && !named.some(thingOf);
      const found = isFound ? lastFound(input) : [];
      const thing = found[0] ?? named.map(thingOf).find(Boolean) ?? referents.thing;
      // Nothing was found yet, or nothing at all.
      if (isFound && found.length === 0) return choices;
      const text = resolveReferences(wish, { ...referents, ...(thing === undefined ? {} : { thing }) });
      const earlier = [...named, ...around.earlier];
      const choice = choose(readClause(text, verbs), index, { ...around, earlier });
      if (choice) choices.push(found.length > 1 ? without(choice, thing) : choice);
    }
    if (choices.length === wishes.length) return choices;
  }
  const text = resolveReferences(input.message, referents);
  const whole =
    choose(readClause(text, verbs), index, around) ??
    (text === input.message ? undefined : choose(readClause(input.message, verbs), index, around));
  return whole ? [whole] : [];
}

/** Of several things that were found nobody said which: it is left out, and so it is asked for. */
function without({ calls, ...choice }: Choice, thing: string | undefined): Choice {
  const open = calls.map(({ entry, args }) => ({
    entry,
    args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== thing)),
  }));
  return { ...choice, calls: open };
}

/** What this turn's last read found. */
function lastFound({ observations }: PlanInput): string[] {
  const last = observations.findLast(({ ok }) => ok);
  return last?.permit === undefined ? [] : foundKeys(last.data.reveal(last.permit));
}

function toReferents({ history }: PlanInput, around: FillContext): Referents {
  const last = history.at(-1);
  const listed = last?.permit === undefined ? [] : (last.found?.reveal(last.permit) ?? []);
  const thing = listed.length === 1 ? listed[0] : around.earlier.map(thingOf).find(Boolean);
  const query = around.earlier.map(({ query }) => query).find((value) => typeof value === "string");
  return {
    listed,
    ...(thing === undefined ? {} : { thing }),
    ...(last === undefined ? {} : { before: last.message }),
    ...(typeof query === "string" ? { query } : {}),
  };
}

function toCommand({ call }: ToolEntry, args: JsonObject, changing: boolean): PlannedCommand {
  return { command: changing ? "TASK" : "QUERY", tool: call.tool, args: { ...call.args, ...args } };
}

function same(one: PlannedCommand, other: PlannedCommand): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function refuse(input: PlanInput, index: ToolIndex, verbs: Verbs, around: FillContext): string {
  const clause = readClause(input.message, verbs);
  return offer(input.message, candidates(clause, index, around), index, clause);
}
