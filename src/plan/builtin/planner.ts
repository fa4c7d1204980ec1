import type { JsonObject } from "#contract/json.ts";
import type { PlanInput, PlannedCommand } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { renderPlan } from "../protocol.ts";
import { NEVER_MIND, answerQuestion } from "./answer.ts";
import { type Choice, candidates, choose } from "./choose.ts";
import { type Clause, readClause } from "./clause.ts";
import { type DateReader, createDateReader } from "./dates.ts";
import type { Surroundings } from "./filling.ts";
import { type ToolIndex, createToolIndex } from "./tool-index.ts";
import { mend } from "./mend.ts";
import { offer } from "./offer.ts";
import { shorten } from "./shorten.ts";
import { splitWishes } from "./split.ts";
import { createSynonyms } from "./synonyms.ts";
import { type Verbs, createVerbs } from "./verbs.ts";

export interface BuiltinPlanner {
  /** Protocol text (contracts/protocol.md) for the next step of a turn. Deterministic; never throws. */
  plan(input: PlanInput): string;
}

/** A planner over any catalogue, without a model. It keeps the index of the last catalogue it saw. */
export function createBuiltinPlanner(): BuiltinPlanner {
  const synonyms = createSynonyms();
  const verbs = createVerbs();
  const dates = createDateReader();
  let cached: { key: string; index: ToolIndex } | undefined;

  function indexOf(input: PlanInput): ToolIndex {
    const key = [
      ...input.tools.map((tool) => `${tool.id} ${tool.digest}`),
      JSON.stringify(input.examples),
    ].join("\n");
    if (cached?.key !== key) {
      const tools = input.tools.filter((tool) => tool.name !== "final_answer");
      cached = { key, index: createToolIndex(tools, input.examples, synonyms) };
    }
    return cached.index;
  }

  return {
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

const TOO_LONG =
  "That is too long to read as one wish. Say in a sentence what to do, and put the long text in quotes or behind a colon.";

const FINAL: PlannedCommand = { command: "QUERY", tool: "final_answer", args: {} };

function nextStep(input: PlanInput, index: ToolIndex, verbs: Verbs, dates: DateReader): PlannedCommand[] {
  const around = toSurroundings(input, index, dates);
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

function toSurroundings(input: PlanInput, index: ToolIndex, dates: DateReader): Surroundings {
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
  around: Surroundings,
): PlannedCommand[] | undefined {
  const question = input.history.at(-1)?.question;
  if (!question) return undefined;
  if (NEVER_MIND.test(input.message))
    return [{ command: "ERROR", message: "All right, I leave it at that. Nothing was done." }];
  const entry = index.entries.find(({ tool }) => tool.id === question.tool || tool.name === question.tool);
  if (!entry) return undefined;
  const clause = readClause(input.message, verbs);
  if (isNewWish(clause, verbs) && choose(clause, index, around)) return undefined;
  const args = answerQuestion(question, input.message, entry, clause, around);
  return args && [toCommand(entry.tool, args, entry.changing)];
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
function toSteps(input: PlanInput, index: ToolIndex, verbs: Verbs, around: Surroundings): PlannedCommand[][] {
  const steps: PlannedCommand[][] = [];
  for (const choice of toChoices(input.message, index, verbs, around)) {
    const commands = choice.calls.map(({ entry, args }) => toCommand(entry.tool, args, choice.changing));
    const last = steps.at(-1);
    const beside = !choice.changing && last?.every(({ command }) => command === "QUERY");
    if (choice.changing) steps.push(...commands.map((command) => [command]));
    else if (beside && last)
      last.push(...commands.filter((command) => !last.some((other) => same(command, other))));
    else steps.push(commands);
  }
  return steps;
}

function toChoices(message: string, index: ToolIndex, verbs: Verbs, around: Surroundings): Choice[] {
  const wishes = splitWishes(message, verbs, index.things);
  if (wishes.length > 1) {
    const choices: Choice[] = [];
    for (const wish of wishes) {
      // "it" in a later wish is what an earlier one named.
      const named = choices.flatMap(({ calls }) => calls.map(({ args }) => args)).toReversed();
      const choice = choose(readClause(wish, verbs), index, {
        ...around,
        earlier: [...named, ...around.earlier],
      });
      if (choice) choices.push(choice);
    }
    if (choices.length === wishes.length) return choices;
  }
  const whole = choose(readClause(message, verbs), index, around);
  return whole ? [whole] : [];
}

function toCommand(tool: Tool, args: JsonObject, changing: boolean): PlannedCommand {
  return { command: changing ? "TASK" : "QUERY", tool: tool.id, args };
}

function same(one: PlannedCommand, other: PlannedCommand): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function refuse(input: PlanInput, index: ToolIndex, verbs: Verbs, around: Surroundings): string {
  const clause = readClause(input.message, verbs);
  return offer(input.message, candidates(clause, index, around), index, clause);
}
