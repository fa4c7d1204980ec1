import type { Approval } from "#contract/approval.ts";
import type { Card } from "#contract/card.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { approversText, isTakenBack } from "../base/approvers.ts";
import { isHttpUrl } from "../base/http.ts";
import { personText } from "../base/ids.ts";
import { statementById } from "../base/plain-statement.ts";
import { askText, groupText, labelText, wordsFor } from "../base/statement.ts";
import { oneLine } from "../base/text.ts";
import { partsOf } from "../base/tool-names.ts";
import { inSentence } from "../base/tool-phrase.ts";
import { argumentLabel, argumentSchema, toolTitle, toolWords } from "../base/tool-words.ts";
import { en, type Words } from "../base/words/en.ts";
import { recordedText } from "../base/words/recorded.ts";
import { askedOf, isPageCard } from "./asked.ts";

const MAX_WORDS = 150;
/** Of one result, whose name or error may be long. */
const MAX_LINE_WORDS = 60;

interface LocalReply {
  /** Whether later turns may tell a model of a result, by its place; of others only their status is told. */
  mayTell?: (at: number) => boolean;
  say?: Words;
  /** The person's message: a record answers a question about one of its fields with that field first. */
  message?: string;
}

/**
 * The answer that needs no model: what was found, in the words of the cards, which is no summary. Each record
 * is its own source: its name links to it where the result says where it is. It stays under 150 words.
 */
export function localReply(
  results: ToolCallResult[],
  { mayTell = () => true, say = en, message = "" }: LocalReply = {},
): string {
  if (results.length === 0) return say.reply.nothing;
  return shorten(
    results.flatMap((result, at) => {
      if (result.isAside) return [];
      if (!mayTell(at)) return statusReply([result], say);
      if (!result.ok) return cutWords(failure(result, say));
      const answers = askedOf(result.card, message, say).parts.map(
        (part) => `**${inMarkdown(cutWords(part))}**`,
      );
      return [...answers, recordLink(result.card)].join(" · ");
    }),
    say,
  );
}

/**
 * The results of a search in several places, for which the reply says what was looked for: where something was found,
 * what brought nothing is an aside; where a page that was opened answers, what it was found by is one as well.
 */
export function withAsides(
  results: ToolCallResult[],
  { say = en, message = "" }: Pick<LocalReply, "say" | "message"> = {},
): ToolCallResult[] {
  const isEmpty = ({ ok, rows }: ToolCallResult): boolean => ok && rows === 0;
  const isFound = results.some((result) => result.ok && !isEmpty(result));
  const answers = results.map(({ ok, rows, card }) =>
    ok && rows === undefined ? askedOf(card, message, say) : { parts: [], share: 0 },
  );
  const most = Math.max(...answers.map(({ parts, share }) => (parts.length > 0 ? share : 0)));
  return results.map((result, at) => {
    const { parts = [], share = 0 } = answers[at] ?? {};
    const isAnswer = parts.length > 0 && share >= AS_GOOD * most;
    // A page that was opened in vain is none of what was found.
    const isInVain = result.rows === undefined && isPageCard(result.card, say);
    const isBeside = most > 0 ? result.ok : isInVain;
    // What was asked for otherwise and then found.
    const isMended =
      !result.ok && results.slice(at + 1).some(({ ok, toolId }) => ok && toolId === result.toolId);
    const isAside = (isFound && isEmpty(result)) || (isBeside && !isAnswer) || isMended;
    return isAside ? { ...result, isAside: true } : result;
  });
}

/** So much of the best answer is one as well. */
const AS_GOOD = 0.85;

/** What a card is about, with a link where its header has one. */
function recordLink({ title, elements }: Card): string {
  const href = elements.find((element) => element.type === "header")?.href;
  const name = cutWords(title);
  if (href === undefined || !isHttpUrl(href)) return inMarkdown(name);
  // Brackets in a name would end the link.
  const label = name.split(/([[\]])/).map((part) => (/^[[\]]$/.test(part) ? `\\${part}` : inMarkdown(part)));
  const address = new URL(href).href.replaceAll("(", "%28").replaceAll(")", "%29");
  return `[${label.join("")}](${address})`;
}

/** As many lines as there is room for, and how many there are besides; their results are all shown. */
function shorten(lines: string[], { reply: say }: Words): string {
  let room = MAX_WORDS - wordsIn(say.andMore(100)) - 1;
  const shown = lines.filter((line, at) => {
    room -= wordsIn(line) + 1;
    return at === 0 || room >= 0;
  });
  const left = lines.length - shown.length;
  const all = [...shown, ...(left === 0 ? [] : [say.andMore(left)])];
  return all.length === 1 ? all.join("") : all.map((line) => `- ${line}`).join("\n");
}

function cutWords(text: string): string {
  const words = text.split(/\s+/);
  return words.length <= MAX_LINE_WORDS ? text : `${words.slice(0, MAX_LINE_WORDS).join(" ")} …`;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}

/** Privacy mode: which tool ran, how many rows it brought and how long it took; nothing of what it said. */
export function statusReply(results: ToolCallResult[], { reply: say, amounts }: Words = en): string {
  if (results.length === 0) return say.nothingRun;
  return results
    .map((result) => {
      const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
      // The tool by its name: what it was called with may be private.
      const what = say.tool(inMarkdown(toolWords(partsOf(result.toolId).name)));
      if (!result.ok) return say.failedAfter(what, result.error?.code ?? "error", seconds);
      return result.rows === undefined
        ? say.ran(what, seconds)
        : say.ranRows(what, amounts.row(result.rows), seconds);
    })
    .join("\n");
}

/** What a turn asks for, in the words of the tool's title and of its arguments' titles. */
export function questionReply({ tool: id, fields }: PendingQuestion, tool?: Tool, words: Words = en): string {
  const say = words.reply;
  const title = inSentence(oneLine(tool === undefined ? toolWords(partsOf(id).name) : toolTitle(tool), 120));
  const wanted = fields.map((field) => argumentWords(field, tool, words));
  const [only = say.more, ...others] = wanted;
  const asked = others.length === 0 ? whichOne(title, only, words) : undefined;
  const purpose = BEGINS_WITH_VERB.test(title) ? say.purpose(lowerFirst(title)) : say.purposeOf(title);
  return inMarkdown(asked ?? say.needs(purpose, words.and(wanted.map(say.theOne))));
}

/** The verbs that titles of tools begin with; of others it cannot be said whether "to" may stand before them. */
const BEGINS_WITH_VERB =
  /^(?:add|approve|archive|assign|attach|book|build|cancel|change|check|close|comment|compare|convert|copy|count|create|delete|deploy|describe|download|edit|execute|export|fetch|find|fork|generate|get|give|import|invite|link|list|load|look|make|mark|merge|move|open|post|publish|push|put|query|read|remove|rename|reopen|reply|request|resolve|restart|retrieve|run|save|schedule|search|send|set|share|show|start|stop|submit|summari[sz]e|switch|sync|transition|translate|trigger|update|upload|watch|write)\s/i;

const OF_ONE_THING =
  /^(?<verb>\p{L}+(?: (?:at|for|from|in|on|to|with))?) (?:an?|the) (?<thing>.+?)(?<rest> (?:as|at|by|for|from|in|into|of|on|to|with) .+)?$/u;

/** "Which Jira issue should I assign?" where the argument names the thing that the title speaks of. */
function whichOne(title: string, wanted: string, { reply: say }: Words): string | undefined {
  if (!BEGINS_WITH_VERB.test(title)) return undefined;
  const { verb = "", thing = "", rest = "" } = OF_ONE_THING.exec(title)?.groups ?? {};
  const noun = /(\p{L}+)(?: (?:id|key|name|number|path))?$/iu.exec(wanted)?.[1]?.toLowerCase() ?? "";
  const words = thing.toLowerCase().split(/['’]s\b|\s+/);
  return words.includes(noun) ? say.which(thing, lowerFirst(verb), rest) : undefined;
}

/** An argument in the middle of a sentence, such as "issue key"; one that is called by a letter, as it is described. */
function argumentWords(name: string, tool: Tool | undefined, say: Words): string {
  if (/^(?:fields|updates|changes)$/.test(name)) return say.reply.newValues;
  const schema = tool === undefined ? {} : argumentSchema(tool.inputSchema, name);
  const { title, description } = schema;
  const [clause = ""] = (typeof description === "string" ? description : "").split(/[,.;:(\n]/, 1);
  const isCryptic = title === undefined && name.length < 3 && clause.trim() !== "";
  const label = isCryptic ? clause : argumentLabel(name, schema);
  const own = labelText(label, say);
  return own === label ? lowerFirst(oneLine(label, 60)) : own;
}

/** Abbreviations, such as "ID" and "JQL", stay as they are. */
function lowerFirst(text: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** The sentence for what a turn waits for: one for all requests that wait. */
export function waitingReply(approvals: readonly Approval[]): string | undefined {
  const pending = approvals.filter(({ state }) => state === "pending");
  const [only] = pending.length === 0 ? approvals : pending;
  if (only === undefined || pending.length < 2) return only && approvalReply(only);
  const all = inMarkdown(groupText(pending.map(({ statement }) => statement)));
  const say = wordsFor(only.statement);
  return say.reply.waiting(say.statement.question(all), pending.length);
}

/** The sentence for a request in its present state; undefined once the call itself tells the story. */
export function approvalReply(approval: Approval): string | undefined {
  const words = wordsFor(approval.statement);
  const say = words.reply;
  const person = (actor: string): string => personText(actor, approval.names, words);
  const denied = person(approval.votes.findLast((vote) => vote.decision === "deny")?.actor ?? "");
  // The card below it names who is not known by name here.
  const by = denied === words.approval.somebody ? "" : denied;
  const note = approval.note === undefined ? undefined : inMarkdown(recordedText(approval.note, words));
  const ask = inMarkdown(askText(approval.statement));
  const who = inMarkdown(approversText(approval, person, words));
  switch (approval.state) {
    case "pending":
      return say.waitingFor(words.statement.question(ask), who);
    case "denied":
      if (isTakenBack(approval)) return say.takenBack(ask, by, note);
      return note === undefined ? say.denied(ask, by) : say.deniedWhy(ask, by, note);
    case "expired":
      return say.expired(ask, note ?? words.recorded.nobodyInTime());
    case "void":
      return say.void(ask, note ?? say.voidWhy);
    case "superseded":
      return say.superseded(ask, note ?? say.supersededWhy);
    case "unknown":
      return say.unknown(words.statement.didItHappen(ask));
    default:
      return undefined;
  }
}

function failure({ toolId, args, error, card }: ToolCallResult, say: Words): string {
  const header = card.elements.find(({ type }) => type === "header");
  const what = header?.type === "header" ? header.text : askText(statementById(toolId, args, card.language));
  const told = card.elements.find(({ type }) => type === "error");
  const own = error === undefined ? say.views.noReason : recordedText(error.message, say);
  const why = error !== undefined && told?.type === "error" ? told.message : own;
  // "There is no issue DEMO-999" says all.
  const isNamed = Object.values(args).some(
    (value) => typeof value === "string" && value !== "" && why.includes(value),
  );
  if (isNamed && /^there is no\b/i.test(why))
    return inMarkdown(`${why.charAt(0).toUpperCase()}${why.slice(1)}`);
  return say.statement.failed(inMarkdown(what), inMarkdown(why));
}

/**
 * Data as words of a reply, which surfaces read as Markdown: nothing in it formats, links or begins a block.
 * Marks that could not act where they stand, as in `snake_case`, `[Bug]` and `5 * 3`, stay as they are.
 */
export function inMarkdown(text: string): string {
  return (
    text
      // A backslash that is text, before whatever becomes a mark below or is one already.
      .replaceAll(/\\(?=[!-/:-@[-`{-~]|$)/gm, String.raw`\\`)
      .replaceAll(/`|(?<!\s|^)[*~]|[*~](?!\s|$)|\](?=[(:[])|<(?=[a-z/!?])|&(?=#?\w+;)/gim, String.raw`\$&`)
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // Addresses become links by themselves.
      .replaceAll(/:(?=\/\/)/g, String.raw`\:`)
      .replaceAll(/(?<=www)\./gi, String.raw`\.`)
      .replaceAll(/(?<=[\w.+-])@(?=[\w-])/g, String.raw`\@`)
      // What begins a heading, a quote, a list, a rule or the second line of a table.
      .replaceAll(/^([^\S\n\r\u2028\u2029]*)([-+*#=>|:])/gm, String.raw`$1\$2`)
      .replaceAll(/^([^\S\n\r\u2028\u2029]*\d+)([.)])/gm, String.raw`$1\$2`)
  );
}
