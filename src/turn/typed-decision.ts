import type { Redactor } from "../base/redact.ts";
import { en } from "../base/words/en.ts";
import { maskApproval, withVotes } from "../ledger/rows.ts";
import type { Db } from "../store/schema.ts";
import type { PlanSaid } from "./planning.ts";
import { waitingReply } from "./replies.ts";
import { readResult } from "./rows.ts";

/** Requests of a conversation that are looked at; the sentence names few. */
const MOST = 50;

/** A message that could only be meant as a decision, in the languages of ours. */
const DECIDES =
  /^\W*(?:(?:please|bitte)\W+)?(?:i\s+)?(?:(?:cancel|withdraw|retract|take\s+back)\s+(?:my|the|that|this)(?:\s+last)?\s+requests?|approved?|den(?:y|ied)|reject(?:ed)?|decline[d]?|confirm(?:ed)?|go\s+ahead|do\s+it|lgtm|freigeben|freigegeben|genehmigt?|ablehnen|abgelehnt|mach\s+das)(?:\s+(?:it|that|this|das))?(?:\W+(?:please|bitte))?\W*$/iu;

/** A message that answers whatever was asked last. */
const ANSWERS =
  /^\W*(?:yes|yep|yeah|sure|ok|okay|no|nope|ja|nein|klar|y|n|👍|👎)(?:\W+(?:please|bitte|thanks|danke))?\W*$/iu;

/**
 * Says that a message decides nothing where it says "approve" or "yes" and nothing else, and a request waits in the
 * conversation: whoever reads "You are welcome" takes it for approved. Undefined for every other turn.
 */
export function createPlanTypedDecision({ db, redactor }: { db: Db; redactor: Redactor }): PlanSaid {
  return async (turn) => {
    const isDecision = DECIDES.test(turn.message);
    if (turn.call !== undefined || turn.undoes !== undefined) return undefined;
    if (!isDecision && !ANSWERS.test(turn.message)) return undefined;
    const rows = await db
      .selectFrom("approvals")
      .selectAll()
      .where("conversation_id", "=", turn.conversationId)
      .where("state", "=", "pending")
      .orderBy("created_at")
      .limit(MOST)
      .execute();
    if (rows.length === 0) return undefined;
    if (!isDecision && (await isQuestioned(turn.conversationId, turn.id))) return undefined;
    const waiting = (await withVotes(db, rows)).map((approval) => maskApproval(approval, redactor));
    const told = waitingReply(waiting) ?? "";
    const message =
      turn.surface === "console" ? en.recorded.typeDecision(told) : en.recorded.pressToDecide(told);
    return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: turn.message }] };
  };

  /** Whether the turn before asked for something else. */
  async function isQuestioned(conversation: string, turnId: string): Promise<boolean> {
    const last = await db
      .selectFrom("turns")
      .select("result")
      .where("conversation_id", "=", conversation)
      .where("id", "<>", turnId)
      .orderBy("position", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last === undefined || last.result === null) return false;
    const { question, choices = [], reply } = readResult(last.result);
    return question !== undefined || choices.length > 0 || reply.trimEnd().endsWith("?");
  }
}
