import DataLoader from "dataloader";
import type { ExpressionBuilder, ExpressionWrapper, SelectQueryBuilder, SqlBool } from "kysely";

import type { Surface } from "#contract/actor.ts";
import type { MessageRef, Place } from "#contract/present.ts";

import { postBuilt, runBuilt } from "../store/built.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Row, Schema, Tx } from "../store/schema.ts";
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

type Builder = ExpressionBuilder<Schema, "messages">;

interface Change {
  turnId: string;
  set: Partial<Row<"messages">>;
}

/** The durable record of messages of one surface. Leases name who shows a message: exactly one worker. */
export class Messages {
  readonly #options: MessagesOptions;
  /** On SQLite changes of the same moment share a commit; Postgres gathers commits itself. */
  readonly #changes: DataLoader<Change, boolean>;

  constructor(options: MessagesOptions) {
    this.#options = options;
    const { db, kind } = options;
    const all = async (batch: readonly Change[]): Promise<boolean[]> => {
      if (kind === "postgres") return Promise.all(batch.map((one) => this.#change(db, one)));
      return db.transaction().execute(async (tx) => {
        const isHeld: boolean[] = [];
        for (const one of batch) isHeld.push(await this.#change(tx, one));
        return isHeld;
      });
    };
    const batchScheduleFn = (run: () => void): void => void setImmediate(run);
    this.#changes = new DataLoader(all, { cache: false, maxBatchSize: PAGE, batchScheduleFn });
  }

  /** A new message, leased to this worker; with `isLeft` to whoever takes it first. */
  async insert(tx: Tx, turnId: string, place: Place, isLeft: boolean): Promise<void> {
    const { surface, worker, leaseMs, now } = this.#options;
    const row = {
      turn_id: turnId,
      surface,
      place: JSON.stringify(place),
      state: "showing",
      lease_owner: worker,
      lease_until: isLeft ? 0 : now() + leaseMs,
    };
    await postBuilt(tx, "add message", [row], (db, all) => db.insertInto("messages").values(all));
  }

  /** Takes those that nobody else holds, in this order. `fromAnybody`: other holders are known to be gone. */
  async claim(turnIds: readonly string[], fromAnybody: boolean): Promise<MessageRecord[]> {
    if (turnIds.length === 0) return [];
    const { db, worker, leaseMs, now } = this.#options;
    const rows = await db
      .updateTable("messages")
      .set({ lease_owner: worker, lease_until: now() + leaseMs })
      .where("turn_id", "in", this.#rowsOf(turnIds))
      .where((eb) => eb.or([eb("lease_owner", "is", null), this.#isAbandoned(eb, fromAnybody)]))
      .returningAll()
      .execute();
    const byTurn = new Map(rows.map((row) => [row.turn_id, row]));
    return turnIds.flatMap((turnId) => {
      const row = byTurn.get(turnId);
      return row === undefined ? [] : [toRecord(row)];
    });
  }

  /** Messages that a worker which is gone was showing, a page at a time. */
  async abandoned(fromAnybody: boolean): Promise<string[]> {
    const rows = await this.#own()
      .select("turn_id")
      .where("lease_owner", "is not", null)
      .where((eb) => this.#isAbandoned(eb, fromAnybody))
      .orderBy("turn_id")
      .limit(PAGE)
      .execute();
    return rows.map((row) => row.turn_id);
  }

  /** Messages that wait for a person, a page at a time in order of turn id. */
  async settledAfter(turnId: string): Promise<string[]> {
    const rows = await this.#own()
      .select("turn_id")
      .where("state", "=", "settled")
      .where("turn_id", ">", turnId)
      .orderBy("turn_id")
      .limit(PAGE)
      .execute();
    return rows.map((row) => row.turn_id);
  }

  /** Those of the turns that have a message here which does not show them as they are. */
  async outdated(turnIds: readonly string[]): Promise<string[]> {
    if (turnIds.length === 0) return [];
    const { db } = this.#options;
    const rows = await this.#own()
      .select(["turn_id", "shown_seq", "shown_approvals"])
      .where("turn_id", "in", turnIds)
      .orderBy("turn_id")
      .execute();
    const found = rows.map((row) => row.turn_id);
    const seqs = await readNewestSeqs(db, found, "all");
    const approvals = await readApprovals(db, found);
    return rows
      .filter(
        ({ turn_id: id, shown_seq, shown_approvals }) =>
          shown_seq < (seqs.get(id) ?? 0) || shown_approvals !== approvalsDigest(approvals.get(id) ?? []),
      )
      .map((row) => row.turn_id);
  }

  /** Turns of this surface about whose requests the audit chain tells after one entry and up to another. */
  async toldOf(after: number, upTo: number): Promise<string[]> {
    const { db, surface } = this.#options;
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
  }

  /** False when this worker no longer holds the message. */
  recordRef(turnId: string, ref: MessageRef): Promise<boolean> {
    return this.#changes.load({ turnId, set: { ref: JSON.stringify(ref) } });
  }

  letGo(turnId: string, { ref, seq, approvals, state }: Shown): Promise<boolean> {
    const shown = { shown_seq: seq, shown_approvals: approvals, state };
    const set = { ref: ref === undefined ? null : JSON.stringify(ref), ...shown };
    return this.#changes.load({ turnId, set: { ...set, lease_owner: null, lease_until: null } });
  }

  /** Prolongs leases; resolves to those that are still held. */
  async renew(turnIds: readonly string[]): Promise<Set<string>> {
    const { db, worker, leaseMs, now } = this.#options;
    const held = new Set<string>();
    for (let from = 0; from < turnIds.length; from += 500) {
      const rows = await db
        .updateTable("messages")
        .set({ lease_until: now() + leaseMs })
        .where("turn_id", "in", this.#rowsOf(turnIds.slice(from, from + 500)))
        .where("lease_owner", "=", worker)
        .returning("turn_id")
        .execute();
      for (const row of rows) held.add(row.turn_id);
    }
    return held;
  }

  /** Leaves all that this worker holds to others. */
  async handOver(): Promise<void> {
    const { db, surface, worker } = this.#options;
    await db
      .updateTable("messages")
      .set({ lease_until: 0 })
      .where("surface", "=", surface)
      .where("lease_owner", "=", worker)
      .execute();
  }

  #own(): SelectQueryBuilder<Schema, "messages", object> {
    return this.#options.db.selectFrom("messages").where("surface", "=", this.#options.surface);
  }

  /** The rows of these turns; on Postgres locked in one order, so that two statements cannot wait for each other. */
  #rowsOf(turnIds: readonly string[]): SelectQueryBuilder<Schema, "messages", { turn_id: string }> {
    const rows = this.#own().select("turn_id").where("turn_id", "in", turnIds);
    return this.#options.kind === "postgres" ? rows.orderBy("turn_id").forUpdate() : rows;
  }

  /** Held by a worker that is gone. */
  #isAbandoned(eb: Builder, fromAnybody: boolean): ExpressionWrapper<Schema, "messages", SqlBool> {
    const isLate = eb("lease_until", "<=", this.#options.now());
    return fromAnybody ? eb.or([eb("lease_owner", "!=", this.#options.worker), isLate]) : isLate;
  }

  async #change(on: Db, { turnId, set }: Change): Promise<boolean> {
    const { worker } = this.#options;
    const updated = await runBuilt(on, "write message", [{ turnId, worker, ...set }], (db, [one]) => {
      const { turnId: id, worker: owner, ...change } = one;
      return db
        .updateTable("messages")
        .set(change)
        .where("turn_id", "=", id)
        .where("lease_owner", "=", owner)
        .returning("turn_id");
    });
    return updated.length > 0;
  }
}

function toRecord(row: Row<"messages">): MessageRecord {
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
