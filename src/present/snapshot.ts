import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { TurnView } from "#contract/present.ts";
import type { NumberedEvent } from "#contract/turn.ts";

import { digest } from "../base/digest.ts";
import type { Redactor } from "../base/redact.ts";
import { maskApproval } from "../ledger/mask.ts";
import { withVotes } from "../ledger/rows.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db } from "../store/schema.ts";
import { readEvents } from "../turn/events.ts";
import { readQuestions } from "../turn/question-rows.ts";
import { isFinal, toTurn } from "../turn/rows.ts";
import { isFilled } from "./filled.ts";
import { keepShown, shownApprovals, toView } from "./view.ts";

/** A turn as the store had it at one moment. */
export interface Snapshot {
  view: TurnView;
  /** The newest event. */
  seq: number;
  /** See keepShown; the next reading goes on from them. */
  events: NumberedEvent[];
  /** See approvalsDigest; it ends otherwise once what the turn asked for was answered. */
  approvals: string;
  /** Neither the turn nor a request of it can change any more. */
  isFinal: boolean;
}

export interface SnapshotDeps {
  db: Db;
  kind: StoreKind;
  now: () => number;
  /** Masks secrets in the arguments that people see. */
  redactor: Redactor;
}

/** States that a request can still leave. */
const OPEN: ReadonlySet<ApprovalState> = new Set(["pending", "approved", "executing", "unknown"]);

const FILLED = "+filled";

/**
 * Reads a turn, its events after `before` and its requests as one consistent state. Rejects when there
 * is no such turn.
 */
export async function readSnapshot(
  { db, kind, now, redactor }: SnapshotDeps,
  turnId: string,
  before?: Pick<Snapshot, "seq" | "events">,
): Promise<Snapshot> {
  const transaction =
    kind === "postgres" ? db.transaction().setIsolationLevel("repeatable read") : db.transaction();
  return transaction.execute(async (tx) => {
    const row = await tx.selectFrom("turns").selectAll().where("id", "=", turnId).executeTakeFirstOrThrow();
    const read = await readEvents(tx, turnId, before?.seq ?? 0);
    const approvals = (await readApprovals(tx, [turnId])).get(turnId) ?? [];
    const questions = await readQuestions(tx, { turnId });
    const events = keepShown([...(before?.events ?? []), ...read]);
    const turn = toTurn(row);
    const asked = turn.result?.question;
    const filled = asked !== undefined && (await isFilled(tx, row, asked));
    const masked = approvals.map((approval) => maskApproval(approval, redactor));
    return {
      view: toView({ turn, events, approvals: masked, questions, isFilled: filled, now: now() }),
      seq: read.at(-1)?.seq ?? before?.seq ?? 0,
      events,
      approvals: `${approvalsDigest(approvals)}${filled ? FILLED : ""}`,
      isFinal: isFinal(turn.state) && !approvals.some((approval) => OPEN.has(approval.state)),
    };
  });
}

/** The requests of each turn, oldest first. */
export async function readApprovals(db: Db, turnIds: readonly string[]): Promise<Map<string, Approval[]>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("approvals")
    .selectAll()
    .where("turn_id", "in", turnIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return Map.groupBy(await withVotes(db, rows), (approval) => approval.turnId);
}

/** Names what a message shows of the requests of its turn: equal digests, equal cards. */
export function approvalsDigest(approvals: readonly Approval[]): string {
  return digest(shownApprovals(approvals));
}

/** The newest event of each turn. */
export async function readNewestSeqs(db: Db, turnIds: readonly string[]): Promise<Map<string, number>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("events")
    .select((eb) => ["turn_id", eb.fn.max("seq").as("seq")])
    .where("turn_id", "in", turnIds)
    .groupBy("turn_id")
    .execute();
  return new Map(rows.map((row) => [row.turn_id, row.seq]));
}
