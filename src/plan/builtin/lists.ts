import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation, PlanInput } from "#contract/plan.ts";

import { canonicalJson, isObject, jsonFault, parseJson } from "../../base/json.ts";
import { literally } from "../../base/matching.ts";
import { asText } from "../model-text.ts";
import type { Choice } from "./choose.ts";
import { dayAfter } from "./dates.ts";
import { SWAPPED } from "./filling.ts";
import { pageOf, rowOf } from "./page-places.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import type { Wish } from "./wish.ts";

/**
 * What has to be read before each call of a change is known, and the calls as far as they are: a list that grows, a value
 * that is counted from another, a text that goes on. Undefined where nothing has to be read.
 */
export function viaRecord(
  choice: Choice,
  wish: Wish,
  { observations }: PlanInput,
  index: ToolIndex,
): Choice[] | undefined {
  const all: Choice[] = [];
  for (const call of choice.calls) {
    const one = { ...choice, calls: [{ ...call, args: opened(call.args) }] };
    const own =
      viaValue(one, wish, observations, index) ??
      viaPassage(one, observations, index) ??
      viaText(one, wish, observations, index) ??
      viaList(one, wish, observations, index);
    if (own === undefined) return undefined;
    for (const each of own)
      all.push({
        ...each,
        calls: each.calls.map((made) => ({ ...made, args: closed(made.args, call.args) })),
      });
  }
  return choice.calls.length === 0 ? undefined : all;
}

/** Arguments that hold an object as JSON text, with the object. */
function opened(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, isObject(unpacked(value)) ? unpacked(value) : value]),
  );
}

function closed(args: JsonObject, given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      isObject(value) && typeof given[name] === "string" ? JSON.stringify(value) : value,
    ]),
  );
}

/** What JSON text holds; other values as they are. */
function unpacked(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const parsed = parseJson(value);
  return parsed === undefined || jsonFault(parsed) !== undefined ? value : parsed;
}

const ADDS = /^(?:add|tag|label|append|put|attach|mark|flag|give)$/;
const TAKES = /^(?:remove|drop|delete|untag|clear|take)$/;

/**
 * "Add the label X": a tool that writes a list anew is given the list as it is with the change, so the record is
 * read first. Undefined where the wish sets no list, or says what the whole list shall be.
 */
function viaList(
  choice: Choice,
  wish: Wish,
  observations: readonly Observation[],
  index: ToolIndex,
): Choice[] | undefined {
  const [call] = choice.calls;
  const verb = wish.head?.lower ?? "";
  const former = SWAPPED.exec(wish.text)?.groups?.["former"];
  const way = former !== undefined ? "swap" : ADDS.test(verb) ? "add" : TAKES.test(verb) ? "take" : undefined;
  if (!choice.changing || !call || way === undefined || !call.entry.intents.has("update")) return undefined;
  const [holder, fields] = Object.entries(call.args).find(([, value]) => isObject(value)) ?? [
    undefined,
    call.args,
  ];
  const list = isObject(fields)
    ? Object.entries(fields).find(([, value]) => Array.isArray(value))
    : undefined;
  const read = list === undefined ? undefined : readFirst(choice, index);
  if (list === undefined || read === undefined) return undefined;
  const data = seenBy(read, observations);
  const before = data === undefined ? undefined : listIn(data, list[0]);
  if (before === undefined) return [read];
  const said = (Array.isArray(list[1]) ? list[1] : []).map((item) => asText(item));
  const gone = way === "swap" ? [former ?? ""] : way === "take" ? said : [];
  const after = (items: readonly string[]): string[] => {
    const kept = items.filter((item) => !gone.some((each) => same(each, item)));
    return [...new Set([...kept, ...(way === "take" ? [] : said)])];
  };
  const changed: JsonObject = { [list[0]]: after(before) };
  const args =
    holder === undefined
      ? { ...call.args, ...changed }
      : { ...call.args, [holder]: { ...(isObject(fields) ? fields : {}), ...changed } };
  const from = (value: JsonValue): JsonValue =>
    Array.isArray(value) ? after(value.map((item) => asText(item))) : value;
  return [read, { ...choice, calls: [{ ...call, args }], grown: { name: list[0], from } }];
}

/**
 * A value that is counted from the one in the record, which is read first: a day, or a priority. Where the record has
 * none, it is asked for.
 */
function viaValue(
  choice: Choice,
  { shift }: Wish,
  observations: readonly Observation[],
  index: ToolIndex,
): Choice[] | undefined {
  const read = shift === undefined ? undefined : readFirst(choice, index);
  const [call] = choice.calls;
  if (shift === undefined || read === undefined || call === undefined) return undefined;
  const data = seenBy(read, observations);
  if (data === undefined) return [read];
  const after = shift.by === "days" ? dueAfter(data, shift.count) : levelAfter(data, shift.count);
  const isMeant = (name: string, value: JsonValue): boolean =>
    shift.by === "days"
      ? typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)
      : /priority/i.test(name);
  const shifted = (args: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(args).flatMap(([name, value]): [string, JsonValue][] => {
        if (isMeant(name, value) && isObject(value))
          return after === undefined ? [] : [[name, { ...value, name: after }]];
        if (isObject(value)) return [[name, shifted(value)]];
        return isMeant(name, value) ? (after === undefined ? [] : [[name, after]]) : [[name, value]];
      }),
    );
  const whole = Object.fromEntries(
    Object.entries(shifted(call.args)).filter(
      ([, value]) => !isObject(value) || Object.keys(value).length > 0,
    ),
  );
  return [read, { ...choice, calls: [{ ...call, args: whole }] }];
}

/** "Add to the description": what is there is read first, and the new text stands below it. */
function viaText(
  choice: Choice,
  { head }: Wish,
  observations: readonly Observation[],
  index: ToolIndex,
): Choice[] | undefined {
  const [call] = choice.calls;
  const fields = Object.entries(call?.args ?? {}).find(([, value]) => isObject(value));
  const text = isObject(fields?.[1]) ? fields[1]["description"] : undefined;
  if (!/^(?:add|append|put|write)$/.test(head?.lower ?? "") || call === undefined || typeof text !== "string")
    return undefined;
  const read = readFirst(choice, index);
  if (fields === undefined || read === undefined) return undefined;
  const data = seenBy(read, observations);
  // What may not be seen is not written over.
  if (data === undefined || data === null) return [read];
  const [before = ""] = valuesOf(data, /^description$/i).filter((value) => typeof value === "string");
  const from = (value: JsonValue): JsonValue =>
    typeof value !== "string" || value.trim() === "" ? text : `${value.trimEnd()}\n\n${text}`;
  const own = isObject(fields[1]) ? fields[1] : {};
  const args = { ...call.args, [fields[0]]: { ...own, description: from(before) } };
  return [read, { ...choice, calls: [{ ...call, args }], grown: { name: "description", from } }];
}

const IN_TEXT = /^⟦(?<former>[^⟦⟧]+)⟧→⟦(?<now>[^⟦⟧]+)⟧$/u;
/** What a passage of a field becomes, as a text that stands for the whole field until that is read. */
export function passageOf(former: string, now: string): string {
  return `⟦${former}⟧→⟦${now}⟧`;
}

/**
 * "In the description of DEMO-8 change 212 to 250": the text is read first, and is written with that one passage changed.
 * Where it does not stand there just once nothing is written.
 */
function viaPassage(
  choice: Choice,
  observations: readonly Observation[],
  index: ToolIndex,
): Choice[] | undefined {
  const [call] = choice.calls;
  const [holder, own] = Object.entries(call?.args ?? {}).find(([, value]) => isObject(value)) ?? [];
  const fields: JsonObject = own !== undefined && isObject(own) ? own : {};
  const [name, said] =
    Object.entries(fields).find(([, value]) => typeof value === "string" && IN_TEXT.test(value)) ?? [];
  const { former = "", now = "" } = IN_TEXT.exec(typeof said === "string" ? said : "")?.groups ?? {};
  if (call === undefined || holder === undefined || name === undefined || former === "") return undefined;
  const read = readFirst(choice, index);
  if (read === undefined) return [];
  const data = seenBy(read, observations);
  const before = valuesOf(data ?? null, new RegExp(`^${name}$`, "i")).find(
    (value) => typeof value === "string",
  );
  const from = (value: JsonValue): JsonValue =>
    typeof value === "string" ? (withPassage(value, former, now) ?? value) : value;
  const after = typeof before === "string" ? withPassage(before, former, now) : undefined;
  // Of what may not be seen nobody can say what stands in it.
  if (after === undefined) return [{ ...read, ...(typeof before === "string" ? { absent: former } : {}) }];
  const args = { ...call.args, [holder]: { ...fields, [name]: after } };
  return [read, { ...choice, calls: [{ ...call, args }], grown: { name, from } }];
}

/** The text with its one passage that reads so in another way; of a box what stands behind it. */
function withPassage(text: string, former: string, now: string): string | undefined {
  const source = literally(former).replaceAll(/\s+/g, "\\s+");
  const found = [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, "giu"))];
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return undefined;
  return text.slice(0, only.index) + now + text.slice(only.index + only[0].length);
}

/** The read of the one record that a change is for: by the same arguments, or by its key or id under another name. */
function readFirst(choice: Choice, index: ToolIndex): Choice | undefined {
  const [call] = choice.calls;
  if (!choice.changing || !call) return undefined;
  const readers = index.entries.filter((entry) => isReader(entry, call.entry));
  for (const entry of readers) {
    const names = entry.slots.filter(({ required }) => required).map(({ name }) => name);
    const same = names.every((name) => Object.hasOwn(call.args, name))
      ? Object.fromEntries(names.map((name) => [name, call.args[name] ?? null]))
      : undefined;
    const args = same ?? byOwnName(entry, call);
    if (args !== undefined) return { ...choice, changing: false, calls: [{ entry, args }] };
  }
  return undefined;
}

function byOwnName(reader: ToolEntry, { entry, args }: Choice["calls"][number]): JsonObject | undefined {
  const [own, ...others] = reader.slots.filter(({ required }) => required);
  const id = entry.slots.find(({ kind, required }) => required && (kind === "key" || kind === "id"));
  const record = id && args[id.name];
  if (own === undefined || others.length > 0 || own.kind !== id?.kind || record === undefined)
    return undefined;
  return { [own.name]: record };
}

/** What a read brought in this turn; null where it failed, or must not be seen. */
function seenBy({ calls: [call] }: Choice, observations: readonly Observation[]): JsonValue | undefined {
  const seen = observations.find(
    ({ tool, args }) => tool === call?.entry.call.tool && canonicalJson(args) === canonicalJson(call.args),
  );
  if (seen === undefined) return undefined;
  const data = seen.ok && seen.permit !== undefined ? unpacked(seen.data.reveal(seen.permit)) : null;
  // Some servers give a record as the text of one member.
  const [only, ...others] = isObject(data) ? Object.values(data) : [];
  return only === undefined || others.length > 0 ? data : unpacked(only);
}

function dueAfter(data: JsonValue, days: number): string | undefined {
  const before = valuesOf(data, /due/i).find(
    (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value),
  );
  return typeof before === "string" ? dayAfter(before, days) : undefined;
}

const LEVELS = ["Lowest", "Low", "Medium", "High", "Highest"];

/** The next level up or down; of the last one itself, which its server says is there already. */
function levelAfter(data: JsonValue, steps: number): string | undefined {
  const before = valuesOf(data, /^priority$/i).map((value) =>
    asText(isObject(value) ? (value["name"] ?? "") : value),
  );
  const at = LEVELS.findIndex((level) => same(level, before[0] ?? ""));
  return at === -1 ? undefined : LEVELS[Math.min(LEVELS.length - 1, Math.max(0, at + steps))];
}

/** What stands under such a name, at the top of the data or one level below. */
function valuesOf(data: JsonValue, pattern: RegExp): JsonValue[] {
  if (!isObject(data)) return [];
  const holders = [data, ...Object.values(data).filter((value) => isObject(value))];
  return holders.flatMap((holder) =>
    Object.entries(holder).flatMap(([name, value]) => (pattern.test(name) ? [value] : [])),
  );
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
  if (!version || !id || !reader || record === undefined || Object.hasOwn(call.args, version.name))
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
  // Nobody is asked for a version: what shall be changed is seen on the record, and said then.
  if (found === undefined || !isChanged) return [read];
  const { append } = call.args;
  const texts = holders.flatMap((holder) =>
    Object.values(holder).filter((value) => typeof value === "string"),
  );
  const row =
    typeof append === "string" ? texts.map((text) => rowOf(append, pageOf(text))).find(Boolean) : undefined;
  const args = { ...call.args, [version.name]: found, ...(row === undefined ? {} : { append: row }) };
  return [read, { ...choice, calls: [{ ...call, args }] }];
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a tool shows the one record that another one changes. */
function isReader(entry: ToolEntry, changer: ToolEntry): boolean {
  return (
    !entry.changing &&
    entry.tool.server === changer.tool.server &&
    entry.intents.has("read") &&
    [...entry.kin].some((stem) => changer.objects.has(stem)) &&
    entry.slots.some(
      ({ kind, name, required }) =>
        required && (kind === "key" || kind === "id" || /(?:_|\b)number$/i.test(name)),
    )
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
