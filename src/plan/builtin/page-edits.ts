import type { ArgSources, Observation, PlanInput } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { en } from "../../base/words/en.ts";
import { editOf, isEdit, mayEdit, wordsToChange } from "./page-orders.ts";
import { takesOver } from "./page-duties.ts";
import { pageOf } from "./page-places.ts";
import { pageIn } from "./page-text.ts";
import { toReferents } from "./refer.ts";
import { FINAL, quoted, type Step } from "./scene.ts";
import { createSheet } from "./sheet.ts";
import { isSameCall, toCommand } from "./stages.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";

const MOST_CHARS = 600;

/** A page that a message is for, and what it says beside that. */
interface Meant {
  id: string;
  said: string;
  from: ArgSources[string];
}

/**
 * A change within the text of a page: other words in place of some that stand there, a line under one of its headings, a
 * row of its table, a part that goes. The page is read first, as only its text tells what is meant; where it is called by
 * no word of its title, it is looked for. Undefined where a message is no such order; where nothing on the page is what it
 * says, how much was read to find that out.
 */
export function pageEdit(input: PlanInput, index: ToolIndex): Step | Vain | undefined {
  const { message, observations } = input;
  const tools = message.length > MOST_CHARS ? undefined : toolsIn(index);
  if (tools === undefined || !mayEdit(message)) return undefined;
  // "The first week of December … fix the rota" calls no page by "first week".
  const rota = ROTA.test(message) && takesOver(message) ? soughtIn(message) : undefined;
  const called = rota === undefined ? meantBy(input) : undefined;
  const sought = called === undefined ? (rota ?? soughtIn(message)) : undefined;
  if (sought === undefined || tools.search === undefined)
    return called !== undefined && isEdit(called.said, message)
      ? orVain(editStep(called, input, tools, 0), called)
      : undefined;
  if (!isEdit(sought.said, message)) return undefined;
  const call = toCommand(tools.search, { query: sought.query }, false);
  const [first] = observations;
  if (first === undefined) return { commands: [call], sources: [{ query: { from: "message" } }] };
  if (!isSameCall(first, call)) return undefined;
  // Which of those that have the words is meant is told by what they say.
  let read = 1;
  const from = { from: "result", ref: call.tool } as const;
  for (const id of foundBy(first)) {
    const step = editStep({ id, said: sought.said, from }, input, tools, read);
    if (typeof step !== "number") return step;
    read = step;
  }
  return orVain(read, { said: sought.said, from });
}

/** What was read without finding what a message says; whether it called the page itself. */
export interface Vain {
  read: number;
  isCalled: boolean;
}

/** Of words that shall be others and stand nowhere it is told so. */
function orVain(
  step: Step | number | undefined,
  { said, from }: Pick<Meant, "said" | "from">,
): Step | Vain | undefined {
  if (typeof step !== "number") return step;
  const isCalled = from.from !== "history";
  // Of a page that is only shown it may be an order for something else.
  const lost = isCalled ? wordsToChange(said) : undefined;
  return lost === undefined
    ? { read: step, isCalled }
    : { commands: [FINAL], notice: en.recorded.notOnPage(quoted([lost])) };
}

/** The step that reads the page that is meant, or that changes it as the message says. */
function editStep(
  meant: Meant,
  input: PlanInput,
  { change, read }: Tools,
  at: number,
): Step | number | undefined {
  const { id, said, from } = meant;
  const sources: ArgSources = { page_id: from };
  const [seen, done] = input.observations.slice(at);
  const call = toCommand(read, { page_id: id }, false);
  if (seen === undefined) return { commands: [call], sources: [sources] };
  if (!isSameCall(seen, call)) return undefined;
  const data = seen.ok && seen.permit !== undefined ? seen.data.reveal(seen.permit) : undefined;
  const { body, version, title } = isObject(data) ? data : {};
  if (typeof body !== "string" || typeof version !== "number") return at + 1;
  const page = { page: pageOf(body), title: typeof title === "string" ? title : "", body };
  const edit = editOf(said, page, input);
  if (edit === undefined) return at + 1;
  if (done !== undefined) return { commands: [FINAL] };
  const { told = [], ...args } = edit;
  const shown = { from: "result", ref: call.tool } as const;
  const own = Object.fromEntries(
    Object.keys(args).map((name) => [name, name === "passage" ? shown : { from: "message" as const }]),
  );
  return {
    commands: [toCommand(change, { page_id: id, ...args, version }, true)],
    sources: [{ ...sources, ...own, version: shown }],
    ...(told.length === 0 ? {} : { notice: en.recorded.asRemark(quoted(told)) }),
  };
}

/** "In the rota", "on the vacation page": what a page may have where no title has it. */
function soughtIn(message: string): { query: string; said: string } | undefined {
  const found = SOUGHT.exec(createSheet(message).masked);
  const query = found?.groups?.["query"] ?? found?.groups?.["first"];
  if (found === null || query === undefined) return undefined;
  const said = `${message.slice(0, found.index)} ${message.slice(found.index + found[0].length)}`;
  return { query: query.replace(/\s+page$/i, ""), said };
}

const ROTA = /\b(?:rota|schedule)\b/iu;
const SOUGHT =
  /\b(?:in|on|from|to|at|of|into|onto|fix|update|change|adjust|correct)\s+(?:the|our)\s+(?<query>(?:[\p{L}-]+\s+){0,2}(?:rota|schedule|policy|guide|handbook|runbook|register|checklist|article)|(?:[\p{L}-]+\s+){1,2}page)\b|(?:^\W*(?:the\s+)?|,\s+)(?<first>rota|schedule|register|glossary)\b/iu;

const MOST_FOUND = 3;

/** The pages that a search finds first. */
function foundBy({ ok, permit, data }: Observation): string[] {
  const found = ok && permit !== undefined ? data.reveal(permit) : undefined;
  const rows = isObject(found) && Array.isArray(found["results"]) ? found["results"] : [];
  return rows
    .slice(0, MOST_FOUND)
    .flatMap((row) => (isObject(row) && typeof row["id"] === "string" ? [row["id"]] : []));
}

interface Tools {
  change: ToolEntry;
  read: ToolEntry;
  search?: ToolEntry | undefined;
}

function toolsIn({ entries }: ToolIndex): Tools | undefined {
  const takes = ({ slots }: ToolEntry, ...names: string[]): boolean =>
    names.every((name) => slots.some((slot) => slot.name === name));
  const change = entries.find(
    (entry) => entry.changing && takes(entry, "page_id", "passage", "append", "version"),
  );
  const own = entries.filter((entry) => !entry.changing && entry.tool.server === change?.tool.server);
  const read = own.find((entry) => entry.intents.has("read") && takes(entry, "page_id"));
  const search = own.find((entry) => entry.intents.has("search") && takes(entry, "query"));
  return change && read && { change, read, search };
}

function meantBy(input: PlanInput): Meant | undefined {
  const { message, known = [], history } = input;
  const called = pageIn(message, known, shownPage(input) !== undefined);
  if (called !== undefined) return { ...called, from: { from: "message" } };
  const shown = shownPage(input);
  // "Friday instead of Thursday" behind a comment that waits is of that.
  const waits = history.at(-1)?.calls.some((call) => call.waits === true) === true;
  return shown === undefined || (waits && !ONE_MORE.test(message))
    ? undefined
    : { id: shown, said: message, from: { from: "history", ref: history.at(-1)?.message ?? "" } };
}

const ONE_MORE = /^\W*(?:and|also|plus)\b/iu;

/** The page on the screen, or the one that an answer before was taken from. */
function shownPage(input: PlanInput): string | undefined {
  const { thing } = toReferents(input, []);
  if (thing !== undefined) return /^\d+$/.test(thing.id) ? thing.id : undefined;
  const before = input.history.at(-1)?.calls.map(({ args }) => args["page_id"]) ?? [];
  return before.find((id) => typeof id === "string");
}
