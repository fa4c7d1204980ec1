import type { JsonValue } from "#contract/json.ts";
import type { PlanInput } from "#contract/plan.ts";

import { isObject, parseJson } from "../../base/json.ts";
import { sameWord, type Slot } from "../slot.ts";
import type { Choice } from "./choose.ts";
import { wantedState } from "./fill-words.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Wish } from "./wish.ts";

/**
 * "Move PAY-7 to Done" for a tool that wants the transition's id: the transitions are read first, and the one
 * that leads to the wanted state is taken. Undefined where the tool wants no such id, or no other tool tells them.
 */
export function viaTransitions(
  choice: Choice,
  wish: Wish,
  input: PlanInput,
  index: ToolIndex,
): Choice[] | undefined {
  const [call, ...others] = choice.calls;
  const slot = call?.entry.slots.find((each) => isTransition(each) && !Object.hasOwn(call.args, each.name));
  const wanted = slot && wantedState(wish);
  if (!choice.changing || !call || others.length > 0 || !slot || wanted === undefined) return undefined;
  const reader = index.entries.find(
    (entry) => tellsTransitions(entry) && entry.tool.server === call.entry.tool.server,
  );
  const [key, id] = [reader?.slots.find(isRecord), call.entry.slots.find(isRecord)];
  const record = id && call.args[id.name];
  if (!reader || !key || record === undefined) return undefined;
  const read: Choice = {
    ...choice,
    changing: false,
    calls: [{ entry: reader, args: { [key.name]: record } }],
  };
  const seen = input.observations.find(({ tool, ok }) => ok && tool === reader.call.tool);
  if (seen === undefined) return [read];
  const found = seen.permit === undefined ? undefined : transitionTo(wanted, seen.data.reveal(seen.permit));
  if (found === undefined) return [read];
  return [
    read,
    {
      ...choice,
      calls: [
        { ...call, args: { ...call.args, [slot.name]: slot.kind === "integer" ? Number(found) : found } },
      ],
    },
  ];
}

function isTransition({ required, words }: Slot): boolean {
  return required && words.includes("transition") && words.at(-1) === "id";
}

function isRecord({ required, kind }: Slot): boolean {
  return required && (kind === "key" || kind === "id");
}

function tellsTransitions({ tool, changing, slots }: ToolEntry): boolean {
  return !changing && /transitions/i.test(tool.name) && slots.some(isRecord);
}

/** The id of the transition with this name, or to a state of this name, wherever in the data it stands. */
function transitionTo(wanted: string, data: JsonValue): string | undefined {
  if (typeof data === "string") {
    const inner = /^\s*[[{]/.test(data) ? parseJson(data) : undefined;
    return inner === undefined ? undefined : transitionTo(wanted, inner);
  }
  if (Array.isArray(data)) {
    for (const item of data) {
      const found = transitionTo(wanted, item);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(data)) return undefined;
  const { id, name, to } = data;
  const names = [name, isObject(to) ? to["name"] : to].filter((each) => typeof each === "string");
  if ((typeof id === "string" || typeof id === "number") && names.some((each) => sameWord(each, wanted)))
    return String(id);
  return transitionTo(wanted, Object.values(data));
}
