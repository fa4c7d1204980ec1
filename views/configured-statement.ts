import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, StatementObject } from "#contract/statement.ts";
import { isMeant } from "#src/base/fixed-arguments.ts";
import { argumentText, plainStatement } from "#src/base/plain-statement.ts";
import { isSame, valueBefore } from "#src/base/read-back.ts";
import { plainTitle } from "#src/base/statement.ts";
import { fillArguments, plainValue, templateParts, valueAt } from "#src/base/template.ts";
import { pastOf } from "#src/base/tool-phrase.ts";

import { hrefOf } from "./text.ts";

/** What the configuration says of the calls of a tool; see the settings' `tools`. */
export interface ToolWords {
  statement?: string;
  done?: string;
  object?: { read: string; args?: JsonObject; kind?: string; label?: string; title?: string; url?: string };
  destructive?: boolean;
  /** `within`: for so many milliseconds after it. */
  undo?: boolean | { within: number };
}

/** The statement that a configured sentence makes of a call. What it does not say is taken from the plain one. */
export function configuredStatement(
  words: ToolWords,
  input: StatementInput,
  own: Statement | undefined,
): Statement {
  const base = own ?? plainStatement(input);
  const object = words.object === undefined ? undefined : objectOf(words.object, input);
  const facts = {
    ...(words.destructive === undefined ? {} : { isDestructive: words.destructive }),
    ...undoFacts(words),
  };
  const changes = own?.changes ?? changesOf(words, input, object, base.changes);
  if (words.statement === undefined)
    return { ...base, ...(object && { object: { ...base.object, ...object } }), changes, ...facts };
  const said = sentenceOf(words.statement, input.args);
  const done = words.done === undefined ? undefined : sentenceOf(words.done, input.args).verb;
  const { verb, rest } = said;
  return {
    verb,
    past: done ?? pastOf(verb),
    form: { is: "own", hasDone: done !== undefined },
    ...(object === undefined ? {} : { object }),
    ...(rest === "" ? {} : { rest }),
    changes,
    isDestructive: base.isDestructive,
    ...facts,
  };
}

/**
 * What the record has otherwise, with how it is now; and what else the call says beyond its sentence, which the
 * operator's own holds by its places, and a plain one by what it left out of `plain`.
 */
function changesOf(
  { statement }: ToolWords,
  { tool, args, record }: StatementInput,
  object: StatementObject | undefined,
  plain: readonly StatementChange[],
): StatementChange[] {
  const used = new Set(statement === undefined ? [] : sentenceOf(statement, args).used);
  const left = new Set(plain.map(({ label }) => label));
  return Object.entries(args).flatMap(([name, after]): StatementChange[] => {
    const label = argumentText(tool, name);
    const before = valueBefore(record, name);
    if (before !== undefined && !isSame(after, before)) return [{ label, before, after }];
    const isWhole = String(plainValue(after)).length <= WHOLE_CHARS;
    const isSaid = statement === undefined ? !left.has(label) : isMeant(name, after);
    const isUsed = used.has(name) && isWhole;
    const isName = before !== undefined || NAMES_RECORD.test(name);
    return isSaid || isUsed || (isName && isWithin(object?.label, after)) ? [] : [{ label, after }];
  });
}

/** A longer value is cut in a sentence. */
const WHOLE_CHARS = 80;
const NAMES_RECORD = /(?:key|id|number|name|slug|path)$/i;

/** Whether the label of the record holds what an argument says, as `#7` and `R-7` hold 7. */
function isWithin(label: string | undefined, value: JsonValue): boolean {
  const text = plainValue(value);
  return text !== undefined && (label === text || label?.match(/[\p{L}\p{N}]+/gu)?.includes(text) === true);
}

function undoFacts({ undo }: ToolWords): Pick<Statement, "canUndo" | "undoMs"> {
  if (undo === undefined) return {};
  return typeof undo === "boolean" ? { canUndo: undo } : { canUndo: true, undoMs: undo.within };
}

/** The read of the record that a call acts on; undefined where the call has not what it takes. */
export function configuredRead(
  { object }: ToolWords,
  args: JsonObject,
): { tool: string; args: JsonObject } | undefined {
  if (object === undefined) return undefined;
  const filled = object.args === undefined ? args : fillArguments(object.args, args);
  return filled && { tool: object.read, args: filled };
}

/**
 * What stands before the first value is the verb, the rest follows the object: "Open an issue" and
 * "in octo/hello: “Printer on fire”". `{object}` says where the object stands.
 */
function sentenceOf(template: string, args: JsonObject): { verb: string; rest: string; used: string[] } {
  const used: string[] = [];
  const parts = templateParts(template);
  const at = parts.findIndex((part) => "path" in part);
  const [first] = parts;
  const head = first !== undefined && "words" in first ? first.words.trim() : "";
  const words = (from: typeof parts): string =>
    from
      .map((part, index) => {
        if ("words" in part) return part.words;
        if (part.path === "object") return "";
        used.push(part.path);
        const before = index === 0 ? first : from[index - 1];
        const isQuoted = before !== undefined && "words" in before && /["“'‘]$/.test(before.words);
        return valueWords(valueAt(args, part.path), isQuoted);
      })
      .join("")
      .replaceAll(/\s+/g, " ")
      .trim();
  if (at === -1) return { verb: head, rest: "", used };
  const place = parts[at];
  if (place !== undefined && "path" in place && place.path === "object")
    return { verb: head, rest: words(parts.slice(at)), used };
  // "in" and its like belong to what follows, and so does what opens a quotation.
  const [, verb = head, preposition = "", mark = ""] =
    /^(.+?)((?: (?:as|at|for|from|in|into|of|on|to|with))?[:,]?)( ?["“'‘])?$/.exec(head) ?? [];
  const rest = `${mark.trim()}${words(parts.slice(at))}`;
  return { verb, rest: preposition.startsWith(":") ? `: ${rest}` : `${preposition} ${rest}`.trim(), used };
}

/** What people cannot take for a part of the sentence stands as it is; all else is quoted. */
function valueWords(value: JsonValue | undefined, isQuoted: boolean): string {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.map((item) => plainValue(item ?? undefined)).filter((text) => text !== undefined);
  if (texts.length === 0) return isQuoted ? "" : "…";
  const shown = texts.slice(0, 3).map((text) => {
    const inside = plainTitle(text);
    return isQuoted || /^[\w./#@:+-]{1,60}$/.test(text) ? inside : `“${inside}”`;
  });
  return `${shown.join(", ")}${texts.length > 3 ? ` and ${texts.length - 3} more` : ""}`;
}

function objectOf(
  { kind, label, title, url }: NonNullable<ToolWords["object"]>,
  { args, record }: StatementInput,
): StatementObject | undefined {
  const member = (template: string | undefined): string | undefined => {
    if (template === undefined) return undefined;
    const isPath = !template.includes("{");
    const parts = isPath ? [{ path: template }] : templateParts(template);
    const texts = parts.map((part) =>
      "words" in part
        ? part.words
        : plainValue(valueAt(record, part.path) ?? (isPath ? undefined : valueAt(args, part.path))),
    );
    return texts.includes(undefined) ? undefined : texts.join("");
  };
  const [labelText, titleText] = [member(label), member(title)];
  if (labelText === undefined && titleText === undefined) return undefined;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(labelText === undefined ? {} : { label: labelText }),
    ...(titleText === undefined ? {} : { title: titleText }),
    ...hrefOf(member(url)),
  };
}
