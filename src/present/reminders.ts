import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Approval } from "#contract/approval.ts";
import type { MessagePort, MessageRef, Place, TurnView } from "#contract/present.ts";

import { messageOf } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import type { Db } from "../store/schema.ts";
import { toRefusal } from "./live-message.ts";

export interface RemindersOptions {
  db: Db;
  port: MessagePort;
  view: (turnId: string) => Promise<TurnView>;
  worker: string;
  leaseMs: number;
  now: () => number;
  failPoint: FailPoint;
  log: { warn: (data: object, message: string) => void };
}

interface Due {
  approvalId: string;
  turnId: string;
  place: Place;
  ref: MessageRef;
  /** Another worker was about to post it. */
  mayBePosted: boolean;
}

/** How many reminders one look takes. */
const PAGE = 50;
/** A platform's rate limit may hold a reminder back for longer than one lease, and it is not renewed. */
const LEASES = 12;
/** After a refusal without a time. */
const RETRY_MS = 5_000;

/**
 * Shows the reminders that the ledger noted, each as one message of the platform: claimed by one worker
 * under a lease, and asked for again when that worker is gone. Resolves to how many were shown.
 * `fromAnybody`: other holders are known to be gone.
 */
export async function showReminders(options: RemindersOptions, fromAnybody = false): Promise<number> {
  const { port } = options;
  if (port.remind === undefined) return 0;
  let count = 0;
  for (const due of await readDue(options, fromAnybody)) {
    if (!(await claim(options, due.approvalId, fromAnybody))) continue;
    if (await show(options, due)) count += 1;
  }
  return count;
}

async function readDue(options: RemindersOptions, fromAnybody: boolean): Promise<Due[]> {
  const { db, port } = options;
  const rows = await db
    .selectFrom("approvals")
    .innerJoin("messages", "messages.turn_id", "approvals.turn_id")
    .leftJoin("reminders", "reminders.approval_id", "approvals.id")
    .select(["approvals.id", "approvals.turn_id", "messages.place", "messages.ref"])
    .select("reminders.approval_id as claimed")
    .where("approvals.state", "=", "pending")
    .where("approvals.remind_at", "is not", null)
    .where("approvals.reminded_at", "is not", null)
    .where("messages.surface", "=", port.surface)
    .where("messages.ref", "is not", null)
    .where((eb) => eb.or([eb("reminders.approval_id", "is", null), isAbandoned(options, fromAnybody)]))
    .orderBy("approvals.remind_at")
    .limit(PAGE)
    .execute();
  return rows.map((row) => ({
    approvalId: row.id,
    turnId: row.turn_id,
    place: JSON.parse(row.place) as Place,
    ref: JSON.parse(row.ref ?? "null") as MessageRef,
    mayBePosted: row.claimed !== null,
  }));
}

/** A worker that is gone was about to post it. */
function isAbandoned({ worker, now }: RemindersOptions, fromAnybody: boolean): RawBuilder<SqlBool> {
  const isLate = sql<SqlBool>`reminders.lease_until <= ${now()}`;
  const isHeldElsewhere = fromAnybody ? sql<SqlBool>`reminders.lease_owner <> ${worker}` : sql.lit(false);
  return sql<SqlBool>`reminders.state = 'showing' and (${isLate} or ${isHeldElsewhere})`;
}

/** Of several workers that saw it due, one gets it. */
async function claim(options: RemindersOptions, approvalId: string, fromAnybody: boolean): Promise<boolean> {
  const { db, worker, leaseMs, now } = options;
  const lease = { lease_owner: worker, lease_until: now() + leaseMs * LEASES };
  const result = await db
    .insertInto("reminders")
    .values({ approval_id: approvalId, state: "showing", ...lease })
    .onConflict((conflict) =>
      conflict.column("approval_id").doUpdateSet(lease).where(isAbandoned(options, fromAnybody)),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

async function show(options: RemindersOptions, due: Due): Promise<boolean> {
  const { db, port, now, worker, failPoint, log } = options;
  const { approvalId, turnId } = due;
  const end = (state: string, until: number | null): Promise<unknown> =>
    db
      .updateTable("reminders")
      .set({ state, lease_until: until, ...(until === null ? { lease_owner: null } : {}) })
      .where("approval_id", "=", approvalId)
      .where("lease_owner", "=", worker)
      .execute();
  try {
    const view = await options.view(turnId);
    const approval = view.approvals.find(({ id }) => id === approvalId);
    // Decided meanwhile: nobody is to be reminded.
    if (!isWaiting(approval, now())) return false;
    await port.remind?.({ ...due, view, approval });
    failPoint("remind.posted");
    await end("shown", null);
    return true;
  } catch (error) {
    const { kind, retryAfterMs = RETRY_MS } = toRefusal(error);
    log.warn({ approval: approvalId, error: messageOf(error) }, "a reminder could not be shown");
    await (kind === "later" ? end("showing", now() + retryAfterMs) : end("undeliverable", null));
    return false;
  }
}

function isWaiting(approval: Approval | undefined, now: number): approval is Approval {
  return approval?.state === "pending" && approval.expiresAt > now;
}
