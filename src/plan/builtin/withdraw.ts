import type { JsonObject } from "#contract/json.ts";
import type { KnownName, PastTurn } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { namePattern } from "./people.ts";
import { createSheet } from "./sheet.ts";
import { hasWords, ORDINALS } from "./words.ts";

type Waiting = PastTurn["calls"][number];

const LEAD =
  "(?:(?:no|nope|nah|wait|oh|ah|ok(?:ay)?|but|and|sorry|oops|ups|hm+|actually|please|pls|hold on|on second thought)\\b[\\s,.!:…–-]*)*";
const TRAIL =
  "(?:\\s*[,.;:–-]\\s*(?:(?:that|this|it)(?:['’]s| was| is)?\\s+(?:wrong|a mistake|my mistake|not (?:needed|ready)|enough|fine)|(?:my )?(?:mistake|bad)|sorry|please|pls|thanks?|thx)|\\s+(?:please|pls|though|for now|then))*";
/** "Not MOB-5, that was wrong", "without the due date", "leave the label out". */
const LEFT_OUT = new RegExp(
  `^\\W*${LEAD}(?:without|not|leave(?:\\s+out)?|skip|scrap|drop|scratch|forget(?:\\s+about)?|except|minus|no)\\s+(?<what>[^,.;:?]{2,40}?)(?:\\s+(?:(?:out|alone|away)(?:\\s+of\\s+(?:it|this|that))?|(?:as|how|like)\\s+(?:it\\s+)?(?:is|was)))?${TRAIL}(?:\\s*[,.;]\\s*(?:only|just)\\s+(?:close|move|assign|reopen|start)\\s+(?:it|that))?[\\s.!]*$`,
  "iu",
);
/** "Keep Dmitri", "the due date stays" */
const KEPT = new RegExp(
  `^\\W*${LEAD}(?:(?:keep|leave)\\s+(?<kept>[^,.;:?]{2,40}?)(?:\\s+(?:on it|as (?:it |he |she )?(?:is|was)|there))?|(?<stays>[^,.;:?]{2,40}?)\\s+(?:stays?|remains?|keeps it)(?:\\s+(?:on it|there|as (?:it )?is|the same|assigned))?)${TRAIL}[\\s.!]*$`,
  "iu",
);
/** "Only DEMO-27", "just the comment" */
const ALONE = new RegExp(
  `^\\W*${LEAD}(?:only|just)\\s+(?:do\\s+|change\\s+|add\\s+)?(?<what>[^,.;:?]{2,40}?)${TRAIL}[\\s.!]*$`,
  "iu",
);

/** What people call the parts of a change, with the arguments that hold them, or the tools that make them. */
const PARTS: readonly (readonly [said: RegExp, field: RegExp, tool?: RegExp])[] = [
  [/^(?:the |its )?(?:new )?(?:due ?date|due|deadline|date)$/i, /^due/],
  [/^(?:the |its )?(?:new )?prio(?:rity)?(?: change)?$/i, /^priority$/],
  [/^(?:the |its )?(?:new )?(?:labels?|tags?)(?: [\p{L}\d_-]+)?$/iu, /^labels?$/],
  [/^(?:the |its )?(?:new )?(?:title|summary|rename|renaming)$/i, /^(?:summary|title)$/],
  [/^(?:the |its )?(?:new )?(?:epic|parent)$/i, /^(?:epic|parent)/],
  [/^(?:the |its )?(?:new )?(?:description|text)$/i, /^description$/],
  [/^(?:the |its )?(?:new )?(?:assignee|assignment|owner)$/i, /^assignee$/, /assign/i],
  [/^(?:the |its )?(?:new )?(?:status|state|move|transition)(?: change)?$/i, /^status$/, /transition|move/i],
  [/^(?:the |its |that )?(?:new )?(?:comment|note)$/i, /^body$/, /comment/i],
  [/^(?:the |its |that )?(?:new )?link$/i, /^to_key$/, /link/i],
];

/**
 * The changes that are left of those which wait where a message takes a part of them back, such as one record, one field,
 * or whom it is given to. Undefined where it takes back nothing that is there, or all of it.
 */
export function withoutPart(
  message: string,
  calls: readonly Waiting[],
  known: readonly KnownName[],
): Waiting[] | undefined {
  if (createSheet(message).quotes.length > 0 || calls.length === 0) return undefined;
  const kept = KEPT.exec(message)?.groups;
  const left = LEFT_OUT.exec(message)?.groups?.["what"];
  const alone = ALONE.exec(message)?.groups?.["what"];
  const what = left ?? kept?.["kept"] ?? kept?.["stays"] ?? alone;
  if (what === undefined) return undefined;
  const isAlone = left === undefined && kept === undefined;
  // Who stays has it now, and stands in no argument.
  const isPerson = new RegExp(`^(?:${namePattern(known).source}|me|him|her)$`, "iu").test(what);
  const said = isPerson && (kept !== undefined || left !== undefined) ? "the assignee" : what;
  const rest = isAlone
    ? onlyPart(said, calls, known)
    : calls.flatMap((call, at) => withoutIt(said, call, at, { calls, known }) ?? []);
  const isLess = rest.length < calls.length || rest.some((call, at) => call.args !== calls[at]?.args);
  return rest.length > 0 && isLess ? rest : undefined;
}

function onlyPart(what: string, calls: readonly Waiting[], known: readonly KnownName[]): Waiting[] {
  const named = calls.filter((call, at) => isNamed(what, call, at, { calls, known }));
  return named.length > 0 ? named : calls.filter((call) => isMadeBy(what, call) || hasField(what, call));
}

/** The call without the part; undefined where it is the part itself. */
function withoutIt(what: string, call: Waiting, at: number, among: Among): Waiting | undefined {
  if (isNamed(what, call, at, among) || isMadeBy(what, call)) return undefined;
  const field = PARTS.find(([said]) => said.test(what))?.[1];
  if (field === undefined) return call;
  const { fields, ...others } = call.args;
  const inner = isObject(fields) ? without(fields, field) : undefined;
  if (isObject(fields) && inner !== undefined && Object.keys(inner).length < Object.keys(fields).length)
    return Object.keys(inner).length === 0 ? undefined : { ...call, args: { ...others, fields: inner } };
  const isNew = /create|new|add_issue/i.test(call.tool);
  const args = isNew ? without(call.args, field) : call.args;
  return Object.keys(args).length < Object.keys(call.args).length ? { ...call, args } : call;
}

function without(args: JsonObject, field: RegExp): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !field.test(name)));
}

interface Among {
  calls: readonly Waiting[];
  known: readonly KnownName[];
}

/** Whether a change is of the record that is named by its key, its place or words of its title. */
function isNamed(what: string, { args }: Waiting, at: number, { calls, known }: Among): boolean {
  const all = calls.length;
  const plain = what.replace(/^(?:the|for|on|to|of)\s+/i, "").replace(/\s+(?:one|issue|ticket|change)$/i, "");
  const place = ORDINALS.indexOf(plain.toLowerCase());
  if (/^last$/i.test(plain)) return all > 1 && at === all - 1;
  if (place !== -1) return all > 1 && at === place;
  const isEpic = /^(?:the\s+)?epic$/i.test(what);
  const isCalled = (id: string): boolean =>
    known.some(
      (one) =>
        one.id === id &&
        ((isEpic && one.kind === "epic") || (one.kind !== "person" && hasWords(one.name, plain))),
    );
  // What is not there yet has no key: "not the toner", of several new tasks.
  return Object.entries(args).some(
    ([name, value]) =>
      typeof value === "string" &&
      ((value.toLowerCase() === plain.toLowerCase() && /-\d+$/.test(value)) ||
        (all > 1 && (isCalled(value) || (TITLE.test(name) && hasWords(value, plain))))),
  );
}

const TITLE = /^(?:summary|title)$/;

function isMadeBy(what: string, { tool }: Waiting): boolean {
  const made = PARTS.find(([said]) => said.test(what))?.[2];
  return made?.test(tool) === true && !/create/i.test(tool);
}

function hasField(what: string, { args: { fields } }: Waiting): boolean {
  const field = PARTS.find(([said]) => said.test(what))?.[1];
  const names = isObject(fields) ? Object.keys(fields) : [];
  return field !== undefined && names.length > 0 && names.every((name) => field.test(name));
}
