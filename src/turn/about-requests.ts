import type { Approval } from "#contract/approval.ts";

import { approversText } from "../base/approvers.ts";
import { personText } from "../base/ids.ts";
import { shownIn } from "../base/records.ts";
import type { Redactor } from "../base/redact.ts";
import { askText, doneText, wordsFor } from "../base/statement.ts";
import { oneLine } from "../base/text.ts";
import { en, type Words } from "../base/words/en.ts";
import { approvalsWaitingFor, type Membership, type NameOf, withNames } from "../ledger/eligibility.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { maskApproval } from "../ledger/rows.ts";
import type { Db } from "../store/schema.ts";
import type { PlanSaid } from "./planning.ts";
import { inMarkdown } from "./replies.ts";
import { type StoredTurn, toCall } from "./rows.ts";

export interface AboutRequestsDeps {
  db: Db;
  ledger: Pick<Ledger, "list">;
  membership: Membership;
  nameOf: NameOf;
  redactor: Redactor;
  now: () => number;
}

/** What is asked of the product's own record. */
type Asked =
  | { about: "waiting"; isMine: boolean }
  | { about: "changes"; from: number; to: number }
  | { about: "decider" };

/** So many are told; the page has the others. */
const MOST = 10;

/** A request or change, and none of the records that the servers keep. */
const RECORDS =
  /\b(?:issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?|pages?|docs?|pull requests?|prs?|merge requests?|reviews?|commits?|files?)\b|[A-Z][A-Z0-9]+-\d/i;
const WAITING =
  /^\W*(?:(?:hey|hi|so|and|please|bitte)\W+)?(?:(?:what|which|who|is|are|do|does|any|anything|show|list|tell|got|was|welche|gibt|zeig)\b.*\b(?:pending|approv\w*|sign[- ]?off|to (?:sign|decide)|countersign\w*|freigaben?|freigeben|freizugeben)|(?:my |our |all |open |the )*(?:pending|open|waiting) (?:approvals?|requests?|changes?)|(?:what(?:['’]s| is)|anything)(?: still)? pending(?: here)?)\b[^.!?]{0,30}[?!.]*$/i;
/** What is over is not asked for as waiting. */
const OVER =
  /\b(?:last|latest|previous|approved|denied|rejected|declined|yesterday|wurde|hat|who|why|when|how)\b/i;
const MINE = /\b(?:i|me|my|ich|mich|mir|meine?r?)\b/i;
const CHANGES =
  /^\W*(?:(?:what|was)(?:['’]ve)?(?: all)? (?:(?:did|have|has|hast|habt|haben) )?(?:(?:you|countersign|du)(?: (?:all|already|just))?(?: (?<day>heute|gestern|diese woche))? (?:chang(?:e|ed)|do(?:ne)?|ge[äa]ndert|gemacht)|(?:we|i|wir|ich)(?: (?:all|already|just))?(?: (?<our>heute|gestern|diese woche))? (?:chang(?:e|ed)|ge[äa]ndert))|(?:(?:show|list|tell|give)(?: me)? )?(?:your|our|my|the|all) (?:last|latest|recent|newest)? ?changes|what changes (?:did|have) (?:you|we|i) (?:make|made|do|done)|(?:what|which) changes were made)\b(?<rest>[^.!?,;:]{0,40})[?!.]*$/i;
const DECIDER =
  /^\W*(?:who (?:has )?(?:approved|countersigned|signed(?: off)?|confirmed|denied|rejected|declined|asked for|requested)|wer hat)\s+(?:it|this|that|das|(?:the|our|die|den) (?:(?:last|latest|previous|letzten?) )?(?:change|request|approval|one|änderung|anfrage))(?: (?:freigegeben|abgelehnt|angefragt))?\W*$/i;
const DAY_MS = 86_400_000;

/** "Does a change of the login need one approval or two?" asks for a rule of the team. */
const RULE = /\b(?:needs?|requires?|takes?|how\s+many)\b[^.!?]*\bapprov/i;

function askedIn(message: string, now: number): Asked | undefined {
  if (RECORDS.test(message) || RULE.test(message)) return undefined;
  if (DECIDER.test(message)) return { about: "decider" };
  const changes = CHANGES.exec(message);
  const span =
    changes &&
    spanOf(changes.groups?.["day"] ?? changes.groups?.["our"] ?? changes.groups?.["rest"] ?? "", now);
  if (span) return { about: "changes", ...span };
  return WAITING.test(message) && !OVER.test(message)
    ? { about: "waiting", isMine: MINE.test(message.replace(/\b(?:show|tell|give|zeig) (?:me|mir)\b/i, "")) }
    : undefined;
}

/** The days that are meant, in the machine's time zone; undefined where something else is said. */
function spanOf(said: string, now: number): { from: number; to: number } | undefined {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const words = said.trim().toLowerCase();
  const to = now + 1;
  if (/^(?:so far|lately|recently|already|here|for (?:me|us)|(?:here )?so far|)$/.test(words))
    return { from: 0, to };
  if (/^(?:(?:so far )?today|today so far|heute)$/.test(words)) return { from: midnight, to };
  if (/^(?:yesterday|gestern)$/.test(words)) return { from: midnight - DAY_MS, to: midnight };
  if (/^(?:this week|diese woche)$/.test(words))
    return { from: midnight - ((new Date(now).getDay() + 6) % 7) * DAY_MS, to };
  const days = /^(?:in )?(?:the )?(?:last|past) (?:(\d{1,2}) days|week)$/.exec(words);
  return days ? { from: now - Number(days[1] ?? 7) * DAY_MS, to } : undefined;
}

/**
 * Answers what is asked of the requests themselves: what waits for an approval, what was changed, and who approved
 * the last change. Only of the channel or conversation where it is asked, as others read the answer there.
 */
export function createPlanAboutRequests(deps: AboutRequestsDeps): PlanSaid {
  const { ledger, membership, redactor, now } = deps;

  /** Requests that may be told of where the turn is, the newest first. */
  async function requestsHere(turn: StoredTurn, state?: "pending" | "done"): Promise<Approval[]> {
    const found = await ledger.list({
      channel: turn.channel,
      ...(state === undefined ? {} : { state }),
    });
    return found.filter(({ turnId }) => turnId !== turn.id);
  }

  const named = (approvals: readonly Approval[]): Promise<Approval[]> =>
    withNames(
      approvals.map((approval) => maskApproval(approval, redactor)),
      deps.nameOf,
    );

  async function waiting(turn: StoredTurn, isMine: boolean): Promise<string> {
    const here = await requestsHere(turn, "pending");
    const mine = await approvalsWaitingFor(turn.actor, await ledger.list({ state: "pending" }), membership);
    const isHere = ({ channel }: Approval): boolean => channel === turn.channel;
    const ids = new Set(mine.map(({ id }) => id));
    const others = isMine ? [] : here.filter(({ id }) => !ids.has(id)).toReversed();
    const told = [...mine.filter(isHere), ...others];
    const elsewhere = mine.length - mine.filter(isHere).length;
    const lines = (await named(told.slice(0, MOST))).map((approval) => {
      const { words, person } = wordsOf(approval);
      const who = approversText(approval, person, words);
      const ask = inMarkdown(askText(approval.statement));
      const at = words.moment(new Date(approval.createdAt));
      return `- ${en.recorded.waitsFor(ask, inMarkdown(who), inMarkdown(person(approval.requestedBy)), at)}`;
    });
    return [
      told.length === 0
        ? isMine
          ? en.recorded.nothingWaitsForYou()
          : en.recorded.nothingWaits()
        : told.length === 1
          ? en.recorded.oneWaits()
          : en.recorded.manyWait(String(told.length)),
      ...lines,
      ...(told.length > MOST ? [`- ${en.recorded.andMore(String(told.length - MOST))}`] : []),
      ...(elsewhere > 0 ? ["", en.recorded.waitsElsewhere(String(elsewhere))] : []),
    ].join("\n");
  }

  async function changes(turn: StoredTurn, from: number, to: number): Promise<string> {
    const done = (await requestsHere(turn, "done")).filter(
      ({ decidedAt, createdAt }) => (decidedAt ?? createdAt) >= from && (decidedAt ?? createdAt) < to,
    );
    if (done.length === 0) return en.recorded.nothingWasChanged();
    const told = await named(done.slice(0, MOST));
    const made = await recordsOf(told);
    const lines = told.map((approval) => `- ${doneLine(approval, made.get(approval.id))}`);
    return [
      done.length === 1 ? en.recorded.oneChange() : en.recorded.manyChanges(String(done.length)),
      ...lines,
      ...(done.length > MOST ? [`- ${en.recorded.andMore(String(done.length - MOST))}`] : []),
    ].join("\n");
  }

  /** The keys of the records that the results of their calls name, by the request's id. */
  async function recordsOf(approvals: readonly Approval[]): Promise<Map<string, string>> {
    const ids = approvals.map(({ id }) => id);
    const rows = await deps.db.selectFrom("calls").selectAll().where("approval_id", "in", ids).execute();
    return new Map(
      rows.flatMap((row) => {
        const { record } = shownIn(redactor.json(toCall(row).outcome?.data ?? null));
        return row.approval_id === null || record === undefined
          ? []
          : [[row.approval_id, record.id] as const];
      }),
    );
  }

  /** `made`: the key of its record, said where the sentence does not, as of what is new. */
  function doneLine(approval: Approval, made = ""): string {
    const { words, person } = wordsOf(approval);
    const at = words.moment(new Date(approval.decidedAt ?? approval.createdAt));
    const done = doneText(approval.statement);
    const key = done.includes(made) ? "" : ` (${oneLine(made, 60)})`;
    const what = inMarkdown(`${done}${key}`);
    const by = inMarkdown(person(approval.requestedBy));
    const approvedBy = decidersOf(approval, "approve", words, person);
    return approvedBy === ""
      ? en.recorded.changedByPolicy(what, by, at)
      : en.recorded.changedBy(what, by, approvedBy, at);
  }

  async function decider(turn: StoredTurn): Promise<string> {
    const all = await requestsHere(turn);
    const last = all.find(({ conversationId }) => conversationId === turn.conversationId) ?? all[0];
    const [approval] = last === undefined ? [] : await named([last]);
    if (approval === undefined) return en.recorded.nothingWasChanged();
    const { words, person } = wordsOf(approval);
    const ask = inMarkdown(askText(approval.statement));
    const by = inMarkdown(person(approval.requestedBy));
    const denied = decidersOf(approval, "deny", words, person);
    if (denied !== "") return en.recorded.wasDeniedBy(ask, by, denied);
    const approved = decidersOf(approval, "approve", words, person);
    if (approved !== "") return en.recorded.wasApprovedBy(ask, by, approved);
    return approval.state === "pending"
      ? en.recorded.stillWaits(ask, by)
      : en.recorded.wasDecidedByNobody(ask, by);
  }

  return async (turn) => {
    if (turn.call !== undefined || turn.undoes !== undefined) return undefined;
    const asked = askedIn(turn.message, now());
    if (asked === undefined) return undefined;
    const message =
      asked.about === "waiting"
        ? await waiting(turn, asked.isMine)
        : asked.about === "changes"
          ? await changes(turn, asked.from, asked.to)
          : await decider(turn);
    return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: turn.message }] };
  };
}

function wordsOf({ statement, names }: Approval): { words: Words; person: (actor: string) => string } {
  const words = wordsFor(statement);
  return { words, person: (actor) => personText(actor, names, words) };
}

/** Who decided so, in words; empty where nobody did. */
function decidersOf(
  { votes }: Approval,
  decision: "approve" | "deny",
  words: Words,
  person: (actor: string) => string,
): string {
  const people = votes.filter((vote) => vote.decision === decision).map(({ actor }) => person(actor));
  return people.length === 0 ? "" : inMarkdown(words.and(people));
}
