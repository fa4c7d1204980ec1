import type { JsonObject } from "#contract/json.ts";
import type { Observation, PlannedCommand, PlanInput } from "#contract/plan.ts";

import { canonicalJson, isObject } from "../../base/json.ts";
import type { Choice } from "./choose.ts";
import { wantedState } from "./fill-words.ts";
import { viaRecord, viaVersion } from "./lists.ts";
import { thingOf } from "./refer.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { viaTransitions } from "./transitions.ts";
import type { Wish } from "./wish.ts";

export type CallCommand = Exclude<PlannedCommand, { command: "ERROR" }>;

/** What is done at once: reads side by side, or changes that are asked for together. */
export interface Stage {
  commands: CallCommand[];
  /** What has to be read before its commands are known. */
  reads: CallCommand[];
  /** What was wished for, in the person's words. */
  said: string[];
}

/** A change whose tool has to be told what only a read tells, with that read. */
export function withReads(choice: Choice, wish: Wish, input: PlanInput, index: ToolIndex): Choice {
  const moved = viaTransitions(choice, wish, input, index);
  const via = moved ?? viaRecord(choice, wish, input, index) ?? viaVersion(choice, input, index);
  if (via === undefined) return choice;
  // The state is said, and what leads to it is read.
  if (moved && choice.left?.words.every(({ lower }) => wantedState(wish)?.toLowerCase().includes(lower))) {
    const { left: _, ...understood } = choice;
    return withReads(understood, wish, input, index);
  }
  const [reads, changes] = [via.filter(({ changing }) => !changing), via.filter(({ changing }) => changing)];
  const absent = reads.find((one) => one.absent !== undefined)?.absent;
  const [grown, ...others] = changes.flatMap((one) => one.grown ?? []);
  return {
    ...choice,
    calls: changes.flatMap(({ calls }) => calls),
    reads: reads.flatMap(({ calls }) => calls),
    ...(absent === undefined ? {} : { absent }),
    ...(grown === undefined || others.length > 0 ? {} : { grown }),
  };
}

/** What changes several fields of one record is one change: "make it highest and due friday". */
function merged(choices: readonly Choice[]): Choice[] {
  const all: Choice[] = [];
  for (const choice of choices) {
    const at = all.findIndex((one) => mergedCall(one, choice) !== undefined);
    const [before, call] = at === -1 ? [] : [all[at], mergedCall(all[at] ?? choice, choice)];
    if (before === undefined || call === undefined) all.push(choice);
    else {
      const reads = [...(before.reads ?? []), ...(choice.reads ?? [])];
      const said = [before.said, choice.said].filter((each) => each !== undefined).join(" and ");
      all[at] = {
        ...before,
        calls: [call],
        isAnchored: before.isAnchored && choice.isAnchored,
        earlier: [...new Set([...before.earlier, ...choice.earlier])],
        ...(reads.length === 0 ? {} : { reads }),
        ...(said === "" ? {} : { said }),
      };
    }
  }
  return all;
}

/** The one call that two are, where both set different fields of the same record; undefined where they are two. */
function mergedCall(one: Choice, other: Choice): Choice["calls"][number] | undefined {
  const [[first, ...more], [second, ...others]] = [one.calls, other.calls];
  if (!first || !second || more.length + others.length > 0 || !one.changing || !other.changing)
    return undefined;
  if (first.entry !== second.entry || other.isAfter) return undefined;
  const names = Object.keys({ ...first.args, ...second.args });
  const args: JsonObject = {};
  let isMerged = false;
  for (const name of names) {
    const [mine, theirs] = [first.args[name], second.args[name]];
    const together = isObject(mine) && isObject(theirs) ? bothFields(mine, theirs, other.grown) : undefined;
    if (together !== undefined) {
      args[name] = together;
      isMerged = true;
    } else if (mine !== undefined && theirs !== undefined && canonicalJson(mine) === canonicalJson(theirs))
      args[name] = mine;
    else return undefined;
  }
  return isMerged ? { entry: first.entry, args } : undefined;
}

/** The fields of two changes; undefined where both set one of them, and the second does not go on from what it was. */
function bothFields(mine: JsonObject, theirs: JsonObject, grown: Choice["grown"]): JsonObject | undefined {
  const [twice, ...more] = Object.keys(mine).filter((field) => Object.hasOwn(theirs, field));
  if (twice === undefined) return { ...mine, ...theirs };
  const { [twice]: before = null } = mine;
  if (more.length > 0 || twice !== grown?.name) return undefined;
  return { ...mine, ...theirs, [twice]: grown.from(before) };
}

/** In order; changes that follow one another are asked for together where none has to wait for the one before. */
export function toStages(choices: readonly Choice[]): Stage[] {
  const stages: Stage[] = [];
  let joined: Choice[] = [];
  for (const choice of merged(choices)) {
    const commands = choice.calls.map(({ entry, args }) => toCommand(entry, args, choice.changing));
    const reads = (choice.reads ?? []).map(({ entry, args }) => toCommand(entry, args, false));
    const last = stages.at(-1);
    const said = choice.said === undefined ? [] : [choice.said];
    if (choice.changing) {
      if (last !== undefined && joined.length > 0 && joined.every((one) => canJoin(one, choice))) {
        add(last.commands, commands);
        add(last.reads, reads);
        last.said.push(...said);
        joined.push(choice);
      } else {
        stages.push({ commands, reads, said });
        joined = isWhole(choice) ? [choice] : [];
      }
    } else {
      joined = [];
      if (last !== undefined && isReading(last)) {
        add(last.commands, commands);
        last.said.push(...said);
      } else stages.push({ commands, reads, said });
    }
  }
  return stages;
}

function isReading({ commands, reads }: Stage): boolean {
  return reads.length === 0 && commands.length > 0 && commands.every(({ command }) => command === "QUERY");
}

function add(commands: CallCommand[], more: readonly CallCommand[]): void {
  for (const one of more) if (!commands.some((other) => isSameCall(one, other))) commands.push(one);
}

/** Whether a change need not wait for one before it: both are known whole, and none makes the other another one. */
function canJoin(before: Choice, choice: Choice): boolean {
  if (choice.isAfter === true || !isWhole(choice)) return false;
  const both = [...callsOf(before), ...callsOf(choice)];
  // Two new records of one kind know nothing of each other.
  if (both.every(({ entry }) => entry.intents.has("create") && entry === both[0]?.entry)) return true;
  const things = new Set(callsOf(before).map(({ args }) => thingOf(args) ?? ""));
  const isOnSame = callsOf(choice).some(({ args }) => things.has(thingOf(args) ?? ""));
  if (!isOnSame) return true;
  const deletes = both.some(({ entry }) => entry.intents.has("delete"));
  const tools = new Set(callsOf(before).map(({ entry }) => entry.call.tool));
  return !deletes && !callsOf(choice).some(({ entry }) => tools.has(entry.call.tool));
}

/** Its calls, or where they are not known yet the reads that tell which record they are for. */
function callsOf({ calls, reads = [] }: Choice): Choice["calls"] {
  return calls.length === 0 ? reads : calls;
}

function isWhole({ calls }: Choice): boolean {
  return calls.every(({ entry, args }) =>
    entry.slots.every(({ name, required }) => !required || Object.hasOwn(args, name)),
  );
}

/** What of it was not read yet, whatever came of that. */
export function unread({ reads }: Stage, observations: readonly Observation[]): CallCommand[] {
  return reads.filter((read) => !observations.some((one) => isSameCall(read, one)));
}

/** How many observations are only what a change needed to know, and no step that was wished for. */
export function countPreparing(stages: readonly Stage[], observations: readonly Observation[]): number {
  const reads = stages.flatMap((stage) => stage.reads);
  const wished = stages.flatMap(({ commands }) => commands);
  return observations.filter(
    (one) =>
      reads.some((read) => isSameCall(read, one)) && !wished.some((command) => isSameCall(command, one)),
  ).length;
}

export function isSameCall(
  one: { tool: string; args: JsonObject },
  other: { tool: string; args: JsonObject },
): boolean {
  return one.tool === other.tool && canonicalJson(one.args) === canonicalJson(other.args);
}

export function toCommand({ call }: ToolEntry, args: JsonObject, changing: boolean): CallCommand {
  return { command: changing ? "TASK" : "QUERY", tool: call.tool, args: { ...call.args, ...args } };
}
