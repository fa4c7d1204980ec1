import type { Approval } from "#contract/approval.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { actorName } from "../base/ids.ts";

const MAX_SOURCES = 2;
const MAX_WORDS = 150;
/** Of one result, whose name or error may be long. */
const MAX_LINE_WORDS = 60;
const CLOSING = "Happy to help with anything else!";

export interface LocalReplyOptions {
  /** Whether later turns may tell a model what a result says, by its place. Default: of all. */
  mayTell?: (at: number) => boolean;
  /** A command got its result, which is no conversation: nothing is cited, and nothing said beside it. */
  isCommand?: boolean;
  /** What people read answers in, such as `German`; absent: English. */
  language?: string;
}

/**
 * The answer that needs no model: what was found, in the words of the cards, which is no summary. It is
 * held to what is asked of a model's: the first two results that say something are cited by their places,
 * it stays under 150 words, and it ends kindly where something was found, and where English is read. A
 * result that no model may see gets its status only, as later turns remember the reply.
 */
export function localReply(results: ToolCallResult[], options: LocalReplyOptions = {}): string {
  if (results.length === 0) return "There was nothing to look up for this.";
  const { mayTell = () => true, isCommand = false, language } = options;
  const telling = results.flatMap((result, at) => (result.ok && mayTell(at) ? [at] : []));
  const cited = new Set(isCommand ? [] : telling.slice(0, MAX_SOURCES));
  const lines = results.map((result, at) => {
    if (!mayTell(at)) return statusReply([result]);
    const said = cutWords(result.ok ? inMarkdown(result.card.title) : failure(result));
    return cited.has(at) ? `${said} [source ${at + 1}]` : said;
  });
  const isClosed = !isCommand && telling.length > 0 && (language === undefined || /^en/i.test(language));
  return isClosed ? `${shorten(lines)}\n\n${CLOSING}` : shorten(lines);
}

/** As many lines as there is room for, and how many there are besides; their results are all shown. */
function shorten(lines: string[]): string {
  let room = MAX_WORDS - wordsIn(CLOSING) - wordsIn("… and 100 more.") - 1;
  const shown = lines.filter((line, at) => {
    room -= wordsIn(line);
    return at === 0 || room >= 0;
  });
  const left = lines.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`… and ${left} more.`])].join("\n");
}

function cutWords(text: string): string {
  const words = text.split(/\s+/);
  return words.length <= MAX_LINE_WORDS ? text : `${words.slice(0, MAX_LINE_WORDS).join(" ")} …`;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}

/** Privacy mode: which tool ran, how many rows it brought and how long it took; nothing of what it said. */
export function statusReply(results: ToolCallResult[]): string {
  if (results.length === 0) return "Nothing was run.";
  return results
    .map((result) => {
      const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
      if (!result.ok) return `${result.toolId} failed (${result.error?.code ?? "error"}) after ${seconds}.`;
      const rows = result.rows === undefined ? "" : `, ${result.rows} ${result.rows === 1 ? "row" : "rows"}`;
      return `Ran ${result.toolId}${rows}, ${seconds}.`;
    })
    .join("\n");
}

export function questionReply(question: PendingQuestion): string {
  const fields = question.fields.map((field) => `\`${field}\``);
  const last = fields.pop() ?? "";
  const list = fields.length === 0 ? last : `${fields.join(", ")} and ${last}`;
  return `To run ${question.tool} I still need ${list}. Nothing was sent.`;
}

/** The sentence for a request in its present state; undefined once the call itself tells the story. */
export function approvalReply(approval: Approval): string | undefined {
  const by = actorName(approval.votes.findLast((vote) => vote.decision === "deny")?.actor ?? "");
  const note = approval.note === undefined ? undefined : inMarkdown(approval.note);
  switch (approval.state) {
    case "pending":
      return `${approval.toolId} changes something: it runs after ${people(approval)} approved it.`;
    case "denied":
      return `Denied by ${by}${note === undefined ? "" : `: ${note}`}. Nothing was changed.`;
    case "expired":
      return `The request to run ${approval.toolId} expired: ${note ?? "nobody decided in time"}. Nothing was changed.`;
    case "void":
      return `The approval of ${approval.toolId} is void: ${note ?? "what it was bound to changed"}. Nothing was changed.`;
    case "superseded":
      return `This request was replaced: ${note ?? "a newer one took its place"}. Nothing was changed here.`;
    case "unknown":
      return (
        `Nobody knows whether ${approval.toolId} happened: the call was sent and its result was lost. ` +
        "It is not tried again. Look at the source and say whether it happened."
      );
    default:
      return undefined;
  }
}

function people(approval: Approval): string {
  if (approval.quorum > 1) return `${approval.quorum} people have`;
  const [only] = approval.approvers;
  if (approval.approvers.length !== 1 || only === undefined) return "one of the approvers has";
  if (only === "requester") return `${actorName(approval.requestedBy)} has`;
  if (only === "channel") return "somebody in the channel has";
  return `${only} has`;
}

function failure(result: ToolCallResult): string {
  return `${result.toolId} failed: ${inMarkdown(result.error?.message ?? "no reason was given")}`;
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
