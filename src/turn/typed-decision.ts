import type { Approval } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";

import { isObject } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { askText, wordsFor } from "../base/statement.ts";
import { en } from "../base/words/en.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { maskApproval, withVotes } from "../ledger/rows.ts";
import type { Db } from "../store/schema.ts";
import type { PlanSaid } from "./planning.ts";
import { inMarkdown, waitingReply } from "./replies.ts";
import { readResult, type StoredTurn } from "./rows.ts";

/** Requests of a conversation that are looked at; the sentence names few. */
const MOST = 50;

/** A message that could only be meant as a decision, in the languages of ours. */
const DECIDES =
  /^\W*(?:(?:please|bitte|yes|yep|ok(?:ay)?|sure|ja)\W+)*(?:i\s+)?(?:approved?|den(?:y|ied)|reject(?:ed)?|decline[d]?|confirm(?:ed)?|go(?:\s+(?:ahead|for\s+it))?|do\s+it|(?<=^\W*(?:yes|yep|ok|sure)\W+(?:please\W+)?)(?:file|create|make|send|post)(?=\s+(?:it|that|this))|lgtm|freigeben|freigegeben|genehmigt?|ablehnen|abgelehnt|mach\s+das)(?:\s+(?:it|that|this|das))?(?:\W+(?:please|bitte))?\W*$/iu;

/** A message that answers whatever was asked last. */
const ANSWERS =
  /^\W*(?:yes|yep|yeah|sure|ok|okay|no|nope|nah|ja|nein|klar|y|n|👍|👎)(?:\W+(?:please|bitte|thanks|danke))?\W*$/iu;

/** A message that agrees, or decides, and says nothing else. */
const AFFIRMS = new RegExp(
  `${DECIDES.source}|^\\W*(?:yes|yep|yeah|sure|ja|klar|y|👍)(?:\\W+(?:please|bitte|thanks|danke))?\\W*$`,
  "iu",
);

/** What people say before it. */
const LEAD =
  "(?:oh|ah|ok(?:ay)?|no|nope|nah|naw|so|then|wait|(?:hang|hold)\\s+on|sorry|oops|ups|argh|damn|lol|ha(?:ha)+|right|well|hm+|ugh|on\\s+second\\s+thoughts?|actually|please|pls|ach|nein|doch|bitte)";

/** A message that takes back what the same person asked for last: "no, don't", "never mind", "cancel my request". */
const TAKES_BACK = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)*(?:no|nope|nah|nein|👎|never\\s?mind|nvm|forget\\s+(?:it|that|about\\s+it)|(?:cancel|withdraw|retract|undo|scrap|scratch|drop|abort|discard|take\\s+back)(?:\\s+(?:it|that|this|(?:my|the|that|this)(?:\\s+last)?\\s+requests?))?|take\\s+(?:it|that|this|(?:my|the|that|this)(?:\\s+last)?\\s+requests?)\\s+back|(?:don['’]?t|do\\s+not)(?:\\s+do\\s+(?:it|that|this))?|leave\\s+it(?:\\s+(?:with|to)\\s+\\p{L}+|\\s+as\\s+(?:it\\s+)?is)?|keep\\s+(?:it(?:\\s+as\\s+(?:it\\s+)?is)?|(?:the|its)\\s+(?:old|current|present|original)\\s+\\p{L}+)|vergiss\\s+(?:es|das)|lass\\s+(?:es|das)|nicht|abbrechen|(?:(?:meine|die)\\s+anfragen?\\s+)?zurückziehen|zieh\\s+(?:meine|die)\\s+anfragen?\\s+zurück|rückgängig)(?:\\W+(?:please|pls|thanks?|thx|bitte|danke))?\\W*$`,
  "iu",
);

/** What takes it back with a reason before or behind it, which wishes nothing else: "cancel that, Chloé still sees it". */
const TAKES_BACK_BECAUSE = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)*(?:never\\s?mind|nvm|forget\\s+(?:it|that|about\\s+it)|(?:cancel|withdraw|retract|undo|scrap|scratch|drop|abort|discard)\\s+(?:it|that|this)(?:\\s+(?:one|request|idea|plan|thought))?|(?:i\\s+)?take\\s+(?:it|that)\\s+back|(?:let['’]?s|better|rather|maybe)\\s+not|leave\\s+it(?:\\s+(?:as\\s+(?:it\\s+)?is|for\\s+now|be|alone|then|with\\s+\\p{L}+))?|keep\\s+it\\s+(?:with\\s+(?:him|her|them)|open|as\\s+(?:it\\s+)?is|where\\s+it\\s+is|like\\s+that)(?:\\s+then)?|(?:don['’]?t|do\\s+not)(?:\\s+do\\s+(?:it|that|this))?|(?:i\\s+)?changed\\s+my\\s+mind|(?:it|that)\\s+was\\s+(?:just\\s+|only\\s+)?a\\s+joke|(?:just|only|i\\s+was|i['’]?m(?:\\s+just|\\s+only)?)\\s+(?:joking|kidding)|for\\s+\\p{L}+['’]?s?\\s+sake\\s+don['’]?t|forget\\s+(?:that\\s+)?i\\s+(?:asked|said\\s+(?:anything|that|it)))(?:\\W+(?:please|pls))?\\W*$`,
  "iu",
);
const NOT_WISHED = /\bi(?:['’]?d|\s+would)\s+rather\s+not\b/i;
const REASON = /(?:[,.;!]|\s[–-])\s+|\s+(?=(?:because|since|as)\b)|(?<=\bnvm)\s+/i;
const WISHES =
  /\b(?:(?:re)?assign|move|set|close|make|give|put|change|rename|label|add|delete|remove|reopen|start|create|show|list|find|open|count|who|what|which|when|where|how|instead|rather|better|should|shall|let|but|to (?:done|do|in)|in (?:progress|review)|[A-Z]\w*-\d+)\b|[?:]/i;

/** "No, Dmitri stays on it": of a request that gives a record to somebody else. */
const STAYS = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)*(?:keep\\s+(?<kept>\\p{L}+)(?:\\s+on\\s+it)?|(?<stays>\\p{L}+)\\s+(?:stays?|keeps\\s+it)(?:\\s+on\\s+it)?)(?:\\W+(?:please|pls|thanks?|thx))?\\W*$`,
  "iu",
);

/** "Leave out the comment": of a request that is nothing else; of more than one the planner keeps the others. */
const NO_COMMENT = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)*(?:(?:leave\\s+out|skip|without)\\s+(?:the|that|this)\\s+(?:comment|note)|leave\\s+(?:the|that|this)\\s+(?:comment|note)\\s+out)(?:\\W+(?:please|pls|thanks?|thx))?\\W*$`,
  "iu",
);

/** "No, leave it at high": of a request that sets it otherwise. */
const LEAVES_AT = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)+leave\\s+it\\s+(?:at|in|on)\\s+(?:\\p{L}+\\s*){1,2}(?:\\W+(?:actually|then|please|pls|thanks?|thx))?\\W*$`,
  "iu",
);

/** "Hm no, leave the date": of a request that changes nothing but that. */
const LEAVES_FIELD = new RegExp(
  `^\\W*(?:${LEAD}\\b\\W*)*(?:(?:leave|keep)\\s+(?:the|its|that)\\s+(?<left>[\\p{L} ]{3,12}?)(?:\\s+(?:alone|be|as\\s+(?:it\\s+)?(?:is|was)|the\\s+(?:same|way\\s+it\\s+(?:is|was))))?|(?:don['’]?t|do\\s+not)\\s+(?:touch|change)\\s+(?:the|its|that)\\s+(?<kept>[\\p{L} ]{3,12}?)|(?:the|its|that)\\s+(?<stays>[\\p{L} ]{3,12}?)\\s+(?:stays|can\\s+stay|is\\s+fine)(?:\\s+as\\s+(?:it\\s+)?(?:is|was))?)(?:\\W+(?:actually|then|though|please|pls|thanks?|thx))?\\W*$`,
  "iu",
);
/** What people call a field, with how an argument for it begins. */
const FIELDS: readonly (readonly [said: RegExp, name: RegExp])[] = [
  [/^(?:due\s+)?date$|^deadline$/i, /^due/],
  [/^prio(?:rity)?$/i, /^priority$/],
  [/^labels?$/i, /^labels?$/],
  [/^(?:title|summary)$/i, /^(?:title|summary)$/],
  [/^(?:assignee|owner)$/i, /^assignee$/],
  [/^(?:status|state)$/i, /^status$/],
  [/^epic$/i, /^epic/],
];

/** Whether a message leaves the one thing as it is that a request changes. */
function leavesField(message: string, { args }: Approval): boolean {
  const { left, kept = left, stays = kept } = LEAVES_FIELD.exec(message)?.groups ?? {};
  const name = FIELDS.find(([said]) => said.test(stays ?? ""))?.[1];
  const { fields, ...others } = args;
  const changed = Object.keys(isObject(fields) ? fields : others).filter((own) => !/_(?:key|id)$/.test(own));
  return name !== undefined && changed.length === 1 && changed.every((own) => name.test(own));
}

/** "Leave the printer one", "the printer one stays as it is": of a request that changes what is called so. */
const LEAVES_RECORD = new RegExp(
  `^(?=.*\\b(?:leave|keep|touch|stays?)\\b)\\W*(?:${LEAD}\\b\\W*)*(?:(?:leave|keep|don['’]?t\\s+touch)\\s+)?(?:the|that)\\s+(?<words>(?:[\\p{L}\\d'’-]+\\s+){1,4}?)(?:one|ticket|issue|bug|story|task|page)(?:\\s+(?:(?:stays|can\\s+stay)(?:\\s+as\\s+(?:it\\s+)?is)?|alone|be|out|as\\s+(?:it\\s+)?is))?(?:\\W+(?:please|pls|thanks?|thx))?\\W*$`,
  "iu",
);

/** Whether a message leaves the record as it is that a request changes, called by words of its title. */
function leavesRecord(message: string, { statement: { object } }: Approval): boolean {
  const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  const title = new Set(words(object?.title ?? ""));
  const said = words(LEAVES_RECORD.exec(message)?.groups?.["words"] ?? "");
  return said.length > 0 && said.every((word) => title.has(word));
}

/** What takes a request back where it is the only one, and of such a kind. */
const OF_ONE: readonly (readonly [said: RegExp, isOf: (message: string, request: Approval) => boolean])[] = [
  [LEAVES_AT, (_, { toolId }) => /update|transition/i.test(toolId)],
  [STAYS, keepsPerson],
  [NO_COMMENT, (_, { toolId }) => /comment/i.test(toolId)],
  [LEAVES_FIELD, leavesField],
  [LEAVES_RECORD, leavesRecord],
];

/** "Rest stays" and "the printer stays" are of no person. */
function keepsPerson(message: string, { toolId, statement, args }: Approval): boolean {
  const { kept = "", stays = kept } = STAYS.exec(message)?.groups ?? {};
  const said = stays.toLowerCase();
  // What the record is called tells of nobody.
  const people = (statement.rest ?? "").toLowerCase().split(/[^\p{L}]+/u);
  const isHad = /^(?:s?he|him|her|they|them|it|nobody|unassigned)$/.test(said) || people.includes(said);
  const isNew = Object.values(args).some(
    (value) => typeof value === "string" && value.toLowerCase().startsWith(said),
  );
  return /assign/i.test(toolId) && isHad && !isNew;
}

/** Whether all of a message takes a request back or says why. */
function takesBackBecause(parts: readonly string[]): boolean {
  const isBack = (part: string): boolean => TAKES_BACK_BECAUSE.test(part);
  return (
    parts.some(isBack) && parts.every((part) => isBack(part) || !WISHES.test(part.replace(NOT_WISHED, "")))
  );
}

const REQUEST = /\b(?:requests?|anfragen?)\b/i;

interface Deps {
  db: Db;
  redactor: Redactor;
  ledger: Pick<Ledger, "decide">;
}

/**
 * Plans a message that says "approve" or "yes" and nothing else while a request waits in the conversation: it says that
 * this decides nothing, since whoever reads "You are welcome" takes it for approved. Who takes back what they asked for
 * in the turn before needs no button: nobody can be hurt by wishing less. Undefined for every other turn.
 */
export function createPlanTypedDecision({ db, redactor, ledger }: Deps): PlanSaid {
  return async (turn) => {
    const isDecision = DECIDES.test(turn.message);
    const parts = turn.message.split(REASON);
    const isForReason = takesBackBecause(parts);
    const ofOne = OF_ONE.filter(([said]) => said.test(turn.message));
    const isTakenBack = ofOne.length > 0 || TAKES_BACK.test(turn.message) || isForReason;
    if (turn.call !== undefined || turn.undoes !== undefined) return undefined;
    if (!isDecision && !isTakenBack && !ANSWERS.test(turn.message)) return undefined;
    const rows = await db
      .selectFrom("approvals")
      .selectAll()
      .where("conversation_id", "=", turn.conversationId)
      .where("state", "=", "pending")
      .orderBy("created_at")
      .limit(MOST)
      .execute();
    const late = isTakenBack ? undefined : await expiredBefore(turn);
    if (late !== undefined) return late;
    if (rows.length === 0) return AFFIRMS.test(turn.message) ? await nothingWaits(turn) : undefined;
    const last = isDecision ? undefined : await turnBefore(turn);
    const isNamed = isTakenBack && REQUEST.test(turn.message);
    if (last?.isQuestion === true && !isNamed) return undefined;
    const waiting = await withVotes(db, rows);
    const theirs = waiting.filter(({ requestedBy }) => requestedBy === turn.actor);
    const before = theirs.filter(({ turnId }) => turnId === last?.id);
    const [given, ...besides] = before;
    const isOfGiven = given !== undefined && ofOne.some(([, isOf]) => isOf(turn.message, given));
    if (ofOne.length > 0 && (besides.length > 0 || !isOfGiven)) return undefined;
    // "Never mind", behind a look at the record that it is for. "No" is of what stands before.
    const isLookedAt =
      before.length === 0 && !ANSWERS.test(turn.message) && (await looksAtAll(last?.id, theirs));
    const about = isNamed ? theirs.at(-1)?.turnId : undefined;
    const own = isNamed ? theirs.filter(({ turnId }) => turnId === about) : isLookedAt ? theirs : before;
    // "Cancel that, …" is of the request before, whoever says it, and of no record.
    const isOfRequest = isForReason && parts.length > 1 && waiting.some(({ turnId }) => turnId === last?.id);
    const isSaid = isOfRequest || DECIDES.test(turn.message) || ANSWERS.test(turn.message);
    const masked = (approvals: readonly Approval[]): Approval[] =>
      approvals.map((approval) => maskApproval(approval, redactor));
    const message =
      isTakenBack && own.length > 0
        ? await takeBack(turn, own)
        : isSaid
          ? howToDecide(turn, masked(waiting))
          : isTakenBack && theirs.length > 0
            ? en.recorded.notTakenBack(waitingReply(masked(theirs)) ?? "")
            : undefined;
    // What waits for others is theirs; the planner knows what else "never mind" may mean.
    if (message === undefined) return undefined;
    return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: turn.message }] };
  };

  /** Whether each of the requests is for a record that a turn has read. */
  async function looksAtAll(turnId: string | undefined, requests: readonly Approval[]): Promise<boolean> {
    if (turnId === undefined) return false;
    const calls = await db.selectFrom("calls").select("args").where("turn_id", "=", turnId).execute();
    const read = new Set(calls.flatMap(({ args }) => Object.values(JSON.parse(args) as JsonObject)));
    // Keys and ids have a digit; a person or a project may be looked at for something else.
    return requests.every(({ args }) =>
      Object.values(args).some((value) => typeof value === "string" && /\d/.test(value) && read.has(value)),
    );
  }

  /** "Yes, do it" comes too late for a request that expired: it is asked for anew, and not decided. */
  async function expiredBefore(turn: StoredTurn): ReturnType<PlanSaid> {
    const last = await turnBefore(turn);
    if (last === undefined || last.isQuestion) return undefined;
    const rows = await db
      .selectFrom("approvals")
      .selectAll()
      .where("turn_id", "=", last.id)
      .where("state", "in", ["expired", "pending"])
      .orderBy("created_at")
      .limit(MOST)
      .execute();
    const all = (await withVotes(db, rows)).map((approval) => maskApproval(approval, redactor));
    const expired = all.find(({ state }) => state === "expired");
    if (expired === undefined || all.some(({ state }) => state === "pending")) return undefined;
    const message = en.recorded.expiredBefore(inMarkdown(askText(expired.statement)));
    return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: turn.message }] };
  }

  /** "Lgtm" of nothing is no search; of a question it is an answer. */
  async function nothingWaits(turn: StoredTurn): ReturnType<PlanSaid> {
    const last = await turnBefore(turn);
    if (last?.isQuestion === true) return undefined;
    const message = en.recorded.nothingWaits();
    return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: turn.message }] };
  }

  function howToDecide({ surface }: StoredTurn, waiting: Approval[]): string {
    const told = waitingReply(waiting) ?? "";
    return surface === "console" ? en.recorded.typeDecision(told) : en.recorded.pressToDecide(told);
  }

  /** What became of each: one that somebody approved meanwhile is not taken back any more. */
  async function takeBack({ actor, message }: StoredTurn, own: readonly Approval[]): Promise<string> {
    const said: string[] = [];
    for (const { id: approvalId } of own) {
      const request = { approvalId, actor, decision: "deny", reason: message, via: "words" } as const;
      const { outcome, message: told, approval } = await ledger.decide(request);
      const { statement } = maskApproval(approval, redactor);
      const ask = inMarkdown(askText(statement));
      said.push(outcome === "denied" ? wordsFor(statement).reply.takenBack(ask, "") : `${ask}: ${told}`);
    }
    return said.join("\n\n");
  }

  /** `isQuestion`: it asked for something else. */
  async function turnBefore({
    id,
    conversationId,
  }: StoredTurn): Promise<{ id: string; isQuestion: boolean } | undefined> {
    const last = await db
      .selectFrom("turns")
      .select(["id", "result"])
      .where("conversation_id", "=", conversationId)
      .where("id", "<>", id)
      .orderBy("position", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last === undefined || last.result === null) return undefined;
    const { question, choices = [], reply } = readResult(last.result);
    return {
      id: last.id,
      isQuestion: question !== undefined || choices.length > 0 || reply.trimEnd().endsWith("?"),
    };
  }
}
