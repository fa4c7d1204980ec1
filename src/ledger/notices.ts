import type { ActorId } from "#contract/actor.ts";
import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { NoticeKind } from "#contract/present.ts";

import { isSamePerson } from "../base/ids.ts";
import { MINUTE_MS } from "../base/time.ts";
import type { Tx } from "../store/schema.ts";

interface Told {
  kind: NoticeKind;
  approval: Pick<Approval, "id" | "turnId" | "conversationId"> & { channel?: string };
  /** Of what ended. */
  outcome?: ApprovalState;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Notes within the transaction what people are to be told of a request; presenters tell it. Only what a chat
 * platform shows is noted: there alone somebody can be called.
 */
export async function noteNotice(tx: Tx, { kind, approval, outcome, at }: Told): Promise<void> {
  if (/^(?:http|console):/.test(approval.channel ?? "")) return;
  const id = `${outcome ?? kind} ${approval.id}`;
  const shown = await tx
    .selectFrom("messages")
    .select("turn_id")
    .where("turn_id", "=", approval.turnId)
    .executeTakeFirst();
  if (shown === undefined) return;
  if (kind === "reminder" && (await isAskedLater(tx, approval.id, at))) return;
  await tx
    .insertInto("notices")
    .values({
      id,
      kind,
      approval_id: approval.id,
      turn_id: approval.turnId,
      conversation_id: approval.conversationId,
      outcome: outcome ?? null,
      created_at: at,
      due_at: at,
      state: "waiting",
      group_id: null,
      lease_owner: null,
      lease_until: null,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Quiet hours hold back that people are asked: nobody is to be reminded of what they first hear of then. */
async function isAskedLater(tx: Tx, approvalId: string, at: number): Promise<boolean> {
  const row = await tx
    .selectFrom("notices")
    .select("id")
    .where("id", "=", `asked ${approvalId}`)
    .where("state", "=", "waiting")
    .where("due_at", ">", at)
    .executeTakeFirst();
  return row !== undefined;
}

const ENDINGS: ReadonlySet<ApprovalState> = new Set([
  "done",
  "failed",
  "unknown",
  "denied",
  "expired",
  "void",
]);

/** Who looks at what they asked for sees how it ends; later than this they have gone on to other things. */
const WATCHED_MS = MINUTE_MS;

/** Whether who asked has to be told that a request came to this, rather than seeing it themselves. */
export function isNews(approval: AskedRequest, to: ApprovalState, at: number): boolean {
  const { quorum, createdAt, requestedBy, votes } = approval;
  if (!ENDINGS.has(to) || quorum === 0 || at - createdAt <= WATCHED_MS) return false;
  const last = votes.at(-1);
  return last === undefined || !isSamePerson(last.actor, requestedBy) || at - last.at > WATCHED_MS;
}

type AskedRequest = Pick<Approval, "quorum" | "createdAt" | "votes"> & { requestedBy: ActorId };
