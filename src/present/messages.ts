import DataLoader from "dataloader";
import type { ExpressionBuilder, ExpressionWrapper, Selectable, SelectQueryBuilder, SqlBool } from "kysely";

import type { Surface } from "#contract/actor.ts";
import type { MessageRef, Place } from "#contract/present.ts";

import type { StoreKind } from "../store/migrations.ts";
import type { Db, MessagesTable, Schema, Tx } from "../store/schema.ts";
import { approvalsDigest, readApprovals, readNewestSeqs } from "./snapshot.ts";

/** A message as the store knows it. */
export interface MessageRecord {
  turnId: string;
  place: Place;
  ref?: MessageRef;
  /** What it showed when it was last let go. */
  shown?: { seq: number; approvals: string };
}

/** How a message is let go. */
interface Shown {
  ref: MessageRef | undefined;
  seq: number;
  approvals: string | null;
  state: "settled" | "final" | "undeliverable";
}

/** The durable record of messages of one surface. Leases name who shows a message: exactly one worker. */
export interface Messages {
  /** A new message, leased to this worker; with `isLeft` to whoever takes it first. */
  insert(tx: Tx, turnId: string, place: Place, isLeft: boolean): Promise<void>;
  /** Takes those that nobody else holds. `fromAnybody`: other holders are known to be gone. */
  claim(turnIds: readonly string[], fromAnybody: boolean): Promise<MessageRecord[]>;
  /** Messages that a worker which is gone was showing, a page at a time. */
  abandoned(fromAnybody: boolean): Promise<string[]>;
  /** Messages that wait for a person, a page at a time in order of turn id. */
  settledAfter(turnId: string): Promise<string[]>;
  /** Those of the turns that have a message here which does not show them as they are. */
  outdated(turnIds: readonly string[]): Promise<string[]>;
  /** Turns of this surface about whose requests the audit chain tells after one entry and up to another. */
  toldOf(after: number, upTo: number): Promise<string[]>;
  /** False when this worker no longer holds the message. */
  recordRef(turnId: string, ref: MessageRef): Promise<boolean>;
  letGo(turnId: string, shown: Shown): Promise<boolean>;
  /** Prolongs leases; resolves to those that are still held. */
  renew(turnIds: readonly string[]): Promise<Set<string>>;
  /** Leaves all that this worker holds to others. */
  handOver(): Promise<void>;
}

export interface MessagesOptions {
  db: Db;
  kind: StoreKind;
  surface: Surface;
  worker: string;
  leaseMs: number;
  now: () => number;
}

/** How many messages one statement takes. */
export const PAGE = 50;

export function createMessages({ db, kind, surface, worker, leaseMs, now }: MessagesOptions): Messages {
  type Builder = ExpressionBuilder<Schema, "messages">;

  interface Change {
    turnId: string;
    set: Partial<MessagesTable>;
  }

  /** False when this worker does not hold the message. */
  async function change(on: Db, { turnId, set }: Change): Promise<boolean> {
    const updated = await on
      .updateTable("messages")
      .set(set)
      .where("turn_id", "=", turnId)
      .where("lease_owner", "=", worker)
      .executeTakeFirst();
    return updated.numUpdatedRows > 0n;
  }

  /** On SQLite changes of the same moment share a commit; Postgres gathers commits itself. */
  const changes = new DataLoader<Change, boolean>(
    async (batch) => {
      if (kind === "postgres") return Promise.all(batch.map((one) => change(db, one)));
      return db.transaction().execute(async (tx) => {
        const isHeld: boolean[] = [];
        for (const one of batch) isHeld.push(await change(tx, one));
        return isHeld;
      });
    },
    { cache: false, maxBatchSize: PAGE, batchScheduleFn: (run) => void setImmediate(run) },
  );

  /** The rows of these turns; on Postgres locked in one order, so that two statements cannot wait for each other. */
  function rowsOf(turnIds: readonly string[]): SelectQueryBuilder<Schema, "messages", { turn_id: string }> {
    const rows = db
      .selectFrom("messages")
      .select("turn_id")
      .where("turn_id", "in", turnIds)
      .where("surface", "=", surface);
    return kind === "postgres" ? rows.orderBy("turn_id").forUpdate() : rows;
  }

  /** Held by a worker that is gone. */
  function isAbandoned(eb: Builder, fromAnybody: boolean): ExpressionWrapper<Schema, "messages", SqlBool> {
    const isLate = eb("lease_until", "<=", now());
    return fromAnybody ? eb.or([eb("lease_owner", "!=", worker), isLate]) : isLate;
  }

  return {
    async insert(tx, turnId, place, isLeft) {
      await tx
        .insertInto("messages")
        .values({
          turn_id: turnId,
          surface,
          place: JSON.stringify(place),
          ref: null,
          shown_seq: 0,
          shown_approvals: null,
          state: "showing",
          lease_owner: worker,
          lease_until: isLeft ? 0 : now() + leaseMs,
        })
        .execute();
    },

    async claim(turnIds, fromAnybody) {
      if (turnIds.length === 0) return [];
      const rows = await db
        .updateTable("messages")
        .set({ lease_owner: worker, lease_until: now() + leaseMs })
        .where("turn_id", "in", rowsOf(turnIds))
        .where((eb) => eb.or([eb("lease_owner", "is", null), isAbandoned(eb, fromAnybody)]))
        .returningAll()
        .execute();
      // In the order asked for.
      const byTurn = new Map(rows.map((row) => [row.turn_id, row]));
      return turnIds.flatMap((turnId) => {
        const row = byTurn.get(turnId);
        return row === undefined ? [] : [toRecord(row)];
      });
    },

    async abandoned(fromAnybody) {
      const rows = await db
        .selectFrom("messages")
        .select("turn_id")
        .where("surface", "=", surface)
        .where("lease_owner", "is not", null)
        .where((eb) => isAbandoned(eb, fromAnybody))
        .orderBy("turn_id")
        .limit(PAGE)
        .execute();
      return rows.map((row) => row.turn_id);
    },

    async settledAfter(turnId) {
      const rows = await db
        .selectFrom("messages")
        .select("turn_id")
        .where("surface", "=", surface)
        .where("state", "=", "settled")
        .where("turn_id", ">", turnId)
        .orderBy("turn_id")
        .limit(PAGE)
        .execute();
      return rows.map((row) => row.turn_id);
    },

    async outdated(turnIds) {
      if (turnIds.length === 0) return [];
      const rows = await db
        .selectFrom("messages")
        .select(["turn_id", "shown_seq", "shown_approvals"])
        .where("turn_id", "in", turnIds)
        .where("surface", "=", surface)
        .orderBy("turn_id")
        .execute();
      const found = rows.map((row) => row.turn_id);
      const seqs = await readNewestSeqs(db, found);
      const approvals = await readApprovals(db, found);
      return rows
        .filter(
          (row) =>
            row.shown_seq < (seqs.get(row.turn_id) ?? 0) ||
            row.shown_approvals !== approvalsDigest(approvals.get(row.turn_id) ?? []),
        )
        .map((row) => row.turn_id);
    },

    async toldOf(after, upTo) {
      const rows = await db
        .selectFrom("audit")
        .innerJoin("messages", "messages.turn_id", "audit.turn_id")
        .select("messages.turn_id")
        .distinct()
        .where("audit.seq", ">", after)
        .where("audit.seq", "<=", upTo)
        .where("audit.approval_id", "is not", null)
        .where("messages.surface", "=", surface)
        .execute();
      return rows.map((row) => row.turn_id);
    },

    recordRef: (turnId, ref) => changes.load({ turnId, set: { ref: JSON.stringify(ref) } }),

    letGo: (turnId, { ref, seq, approvals, state }) =>
      changes.load({
        turnId,
        set: {
          ref: ref === undefined ? null : JSON.stringify(ref),
          shown_seq: seq,
          shown_approvals: approvals,
          state,
          lease_owner: null,
          lease_until: null,
        },
      }),

    async renew(turnIds) {
      const held = new Set<string>();
      for (let from = 0; from < turnIds.length; from += 500) {
        const rows = await db
          .updateTable("messages")
          .set({ lease_until: now() + leaseMs })
          .where("turn_id", "in", rowsOf(turnIds.slice(from, from + 500)))
          .where("lease_owner", "=", worker)
          .returning("turn_id")
          .execute();
        for (const row of rows) held.add(row.turn_id);
      }
      return held;
    },

    async handOver() {
      await db
        .updateTable("messages")
        .set({ lease_until: 0 })
        .where("surface", "=", surface)
        .where("lease_owner", "=", worker)
        .execute();
    },
  };
}

function toRecord(row: Selectable<MessagesTable>): MessageRecord {
  return {
    turnId: row.turn_id,
    place: JSON.parse(row.place) as Place,
    ...(row.ref === null ? {} : { ref: JSON.parse(row.ref) as MessageRef }),
    ...(row.shown_approvals === null
      ? {}
      : { shown: { seq: row.shown_seq, approvals: row.shown_approvals } }),
  };
}

/** The message that shows a turn; undefined while none was posted. */
export async function readMessageRef(db: Db, turnId: string): Promise<MessageRef | undefined> {
  const row = await db.selectFrom("messages").select("ref").where("turn_id", "=", turnId).executeTakeFirst();
  return row?.ref == null ? undefined : (JSON.parse(row.ref) as MessageRef);
}
