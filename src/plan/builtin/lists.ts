import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PlanInput } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { asText } from "../model-text.ts";
import type { Choice } from "./choose.ts";
import { toDay } from "./dates.ts";
import { SWAPPED } from "./filling.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Wish } from "./wish.ts";

const ADDS = /^(?:add|tag|label|append|put|attach|mark|flag|give)$/;
const TAKES = /^(?:remove|drop|delete|untag|clear|take)$/;

/**
 * "Add the label X": a tool that writes a list anew is given the list as it is with the change, so the record is
 * read first. Undefined where the wish sets no list, or says what the whole list shall be.
 */
export function viaRecord(
  choice: Choice,
  wish: Wish,
  input: PlanInput,
  index: ToolIndex,
): Choice[] | undefined {
  if (choice.calls.length > 1) {
    const all: Choice[] = [];
    for (const call of choice.calls) {
      const own = viaRecord({ ...choice, calls: [call] }, wish, input, index);
      if (own === undefined) return undefined;
      all.push(...own);
    }
    return all;
  }
  const [call, ...others] = choice.calls;
  const verb = wish.head?.lower ?? "";
  const former = SWAPPED.exec(wish.text)?.groups?.["former"];
  const way = former !== undefined ? "swap" : ADDS.test(verb) ? "add" : TAKES.test(verb) ? "take" : undefined;
  if (
    !choice.changing ||
    !call ||
    others.length > 0 ||
    way === undefined ||
    !call.entry.intents.has("update")
  )
    return undefined;
  const [holder, fields] = Object.entries(call.args).find(([, value]) => isObject(value)) ?? [
    undefined,
    call.args,
  ];
  const list = isObject(fields)
    ? Object.entries(fields).find(([, value]) => Array.isArray(value))
    : undefined;
  const id = call.entry.slots.find(({ kind, required }) => required && (kind === "key" || kind === "id"));
  const reader = id && index.entries.find((entry) => isReader(entry, call.entry, id.kind));
  const own = reader?.slots.find(({ required, kind }) => required && kind === id?.kind);
  const record = id && call.args[id.name];
  if (list === undefined || !reader || !own || record === undefined) return undefined;
  const read: Choice = {
    ...choice,
    changing: false,
    calls: [{ entry: reader, args: { [own.name]: record } }],
  };
  const seen = input.observations.find(
    ({ tool, ok, args }) => ok && tool === reader.call.tool && args[own.name] === record,
  );
  const before = seen?.permit === undefined ? undefined : listIn(seen.data.reveal(seen.permit), list[0]);
  if (before === undefined) return [read];
  const said = (Array.isArray(list[1]) ? list[1] : []).map((item) => asText(item));
  const gone = way === "swap" ? [former ?? ""] : way === "take" ? said : [];
  const kept = before.filter((item) => !gone.some((each) => same(each, item)));
  const after = [...new Set([...kept, ...(way === "take" ? [] : said)])];
  const changed: JsonObject = { [list[0]]: after };
  const args =
    holder === undefined
      ? { ...call.args, ...changed }
      : { ...call.args, [holder]: { ...(isObject(fields) ? fields : {}), ...changed } };
  return [read, { ...choice, calls: [{ ...call, args }] }];
}

/** A day that is counted from the one in the record, which is read first; without one it is asked for. */
export function viaDay(choice: Choice, wish: Wish, input: PlanInput, index: ToolIndex): Choice[] | undefined {
  const [call, ...others] = choice.calls;
  if (wish.shiftDays === undefined || !call || others.length > 0) return undefined;
  const id = call.entry.slots.find(({ kind, required }) => required && (kind === "key" || kind === "id"));
  const reader = id && index.entries.find((entry) => isReader(entry, call.entry, id.kind));
  const own = reader?.slots.find(({ required, kind }) => required && kind === id?.kind);
  const record = id && call.args[id.name];
  if (!reader || !own || record === undefined) return undefined;
  const read: Choice = {
    ...choice,
    changing: false,
    calls: [{ entry: reader, args: { [own.name]: record } }],
  };
  const seen = input.observations.find(
    ({ tool, ok, args }) => ok && tool === reader.call.tool && args[own.name] === record,
  );
  if (seen === undefined) return [read];
  const before = seen.permit === undefined ? undefined : dayIn(seen.data.reveal(seen.permit));
  const [year = 0, month = 1, day = 1] = (before ?? "").split("-").map(Number);
  const after = before === undefined ? undefined : toDay(new Date(year, month - 1, day + wish.shiftDays, 12));
  const shifted = (args: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(args).flatMap(([name, value]): [string, JsonValue][] => {
        if (isObject(value)) return [[name, shifted(value)]];
        const isDay = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
        return isDay ? (after === undefined ? [] : [[name, after]]) : [[name, value]];
      }),
    );
  const args = shifted(call.args);
  const whole = Object.fromEntries(
    Object.entries(args).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0),
  );
  return [read, { ...choice, calls: [{ ...call, args: whole }] }];
}

/**
 * A change that has to say which version of a record it is for is told the one that a read of it shows, which is
 * made first.
 */
export function viaVersion(choice: Choice, input: PlanInput, index: ToolIndex): Choice[] | undefined {
  const [call, ...others] = choice.calls;
  if (!choice.changing || !call || others.length > 0) return undefined;
  const { slots, tool, objects } = call.entry;
  const version = slots.find(
    ({ kind, name, required }) => required && kind === "integer" && name === "version",
  );
  const id = slots.find(({ kind, required }) => required && (kind === "key" || kind === "id"));
  const record = id && call.args[id.name];
  const reader = index.entries.find(
    (entry) =>
      !entry.changing &&
      entry.tool.server === tool.server &&
      entry.intents.has("read") &&
      [...entry.kin].some((stem) => objects.has(stem)) &&
      entry.slots.some(({ name }) => name === id?.name) &&
      entry.slots.every(({ name, required }) => !required || name === id?.name),
  );
  const isChanged = Object.keys(call.args).some((name) => name !== id?.name);
  if (
    !version ||
    !id ||
    !reader ||
    record === undefined ||
    !isChanged ||
    Object.hasOwn(call.args, version.name)
  )
    return undefined;
  const read: Choice = {
    ...choice,
    changing: false,
    calls: [{ entry: reader, args: { [id.name]: record } }],
  };
  const seen = input.observations.find(
    ({ tool: by, ok, args }) => ok && by === reader.call.tool && args[id.name] === record,
  );
  const data = seen?.permit === undefined ? undefined : seen.data.reveal(seen.permit);
  const holders = isObject(data) ? [data, ...Object.values(data).filter((value) => isObject(value))] : [];
  const found = holders.map((holder) => holder["version"]).find((value) => typeof value === "number");
  if (found === undefined) return [read];
  return [read, { ...choice, calls: [{ ...call, args: { ...call.args, [version.name]: found } }] }];
}

/** The day that something is due, at the top of the data or one level below. */
function dayIn(data: JsonValue): string | undefined {
  if (!isObject(data)) return undefined;
  const holders = [data, ...Object.values(data).filter((value) => isObject(value))];
  const found = holders.flatMap((holder) =>
    Object.entries(holder).flatMap(([name, value]) =>
      /due/i.test(name) && typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value)
        ? [value.slice(0, 10)]
        : [],
    ),
  );
  return found[0];
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a tool shows the records that another one changes. */
function isReader(entry: ToolEntry, changer: ToolEntry, kind: string): boolean {
  const required = entry.slots.filter((slot) => slot.required);
  const isSame = [...entry.kin].some((stem) => changer.objects.has(stem));
  return (
    !entry.changing &&
    entry.tool.server === changer.tool.server &&
    entry.intents.has("read") &&
    isSame &&
    required.length === 1 &&
    required[0]?.kind === kind
  );
}

/** The list of this name, at the top of the data or one level below. */
function listIn(data: JsonValue, name: string): string[] | undefined {
  if (!isObject(data)) return undefined;
  for (const holder of [data, ...Object.values(data).filter((value) => isObject(value))]) {
    const list = holder[name];
    if (Array.isArray(list))
      return list.map((item) => (isObject(item) ? asText(item["name"] ?? "") : asText(item)));
  }
  return undefined;
}
