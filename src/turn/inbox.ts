import type { ActorId } from "#contract/actor.ts";
import type { ConversationSummary } from "#contract/core.ts";
import type { Credentials } from "#contract/message.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import type { ReadyTurn } from "../ledger/moves.ts";
import { conversationsOf } from "../ledger/rows.ts";
import type { Transact } from "../ledger/transact.ts";
import type { Db, Tx } from "../store/schema.ts";
import { createSealedKeyv, forgetSealed, type Sealer } from "../store/sealed.ts";
import { appendEvent } from "./events.ts";
import { type StoredTurn, toTurn } from "./rows.ts";

export interface Inbox {
  /**
   * Durable when it resolves, together with what `also` writes; `also` is not called for a duplicate,
   * may run again when the store asks for a retry, and does nothing but write.
   */
  accept(
    request: TurnRequest,
    also?: (tx: Tx, turnId: string) => Promise<void>,
  ): Promise<{ turnId: string; duplicate: boolean }>;
  conversation(conversationId: string): Promise<StoredTurn[]>;
  /** See Core.conversations. */
  conversations(
    surface: string,
    limit: number,
    takenPartBy?: readonly ActorId[],
  ): Promise<ConversationSummary[]>;
}

export interface InboxOptions {
  db: Db;
  transact: Transact;
  now: () => number;
  failPoint: FailPoint;
  /** Keeps what came with the message for its calls; without it that is refused. */
  credentials?: Pick<TurnCredentials, "keep">;
  enqueue: (tx: Tx, turn: ReadyTurn) => Promise<void>;
}

/** How many turns of a conversation are shown; older ones stay in the store. */
const SHOWN_TURNS = 200;

export function createInbox({ db, transact, now, failPoint, credentials, enqueue }: InboxOptions): Inbox {
  function keep(tx: Tx, turnId: string, given: Credentials): Promise<void> {
    if (credentials !== undefined) return credentials.keep(tx, turnId, given);
    throw new CountersignError(
      "credentials_not_kept",
      "expected no credentials: there is nowhere to seal them",
    );
  }

  return {
    async accept(request, also) {
      const eventKey = request.eventId === undefined ? null : `${request.surface}:${request.eventId}`;
      failPoint("inbox.before");
      const accepted = await transact(async (tx, note) => {
        const id = newId("turn");
        const at = now();
        const inserted = await tx
          .insertInto("turns")
          .values({
            id,
            surface: request.surface,
            actor: request.actor,
            conversation_id: request.conversationId,
            channel: request.channel,
            message: request.message,
            given: givenOf(request),
            event_key: eventKey,
            state: "queued",
            allow_summarization: request.allowSummarization === false ? 0 : 1,
            created_at: at,
            updated_at: at,
            result: null,
            error: null,
            stopped_by: null,
            attempts: 0,
            epoch: 0,
          })
          .onConflict((conflict) => conflict.column("event_key").doNothing())
          .executeTakeFirst();
        if (inserted.numInsertedOrUpdatedRows === 0n) {
          const first = await tx
            .selectFrom("turns")
            .select("id")
            .where("event_key", "=", eventKey)
            .executeTakeFirstOrThrow();
          return { turnId: first.id, duplicate: true };
        }
        await appendEvent(tx, id, { type: "status", phase: "queued", elapsedMs: 0 }, at);
        if (request.credentials !== undefined) await keep(tx, id, request.credentials);
        await also?.(tx, id);
        await enqueue(tx, { turnId: id, conversationId: request.conversationId });
        note({
          kind: "turn.accepted",
          turnId: id,
          actor: request.actor,
          data: {
            conversation: request.conversationId,
            message: request.message,
            ...(request.quote === undefined ? {} : { quote: { ...request.quote } }),
            ...(request.call === undefined ? {} : { call: { ...request.call } }),
          },
        });
        return { turnId: id, duplicate: false };
      });
      failPoint("inbox.after");
      return accepted;
    },

    async conversation(conversationId) {
      const rows = await db
        .selectFrom("turns")
        .selectAll()
        .where("conversation_id", "=", conversationId)
        .orderBy("position", "desc")
        .limit(SHOWN_TURNS)
        .execute();
      return rows.toReversed().map(toTurn);
    },

    async conversations(surface, limit, takenPartBy) {
      const rows = await db
        .selectFrom("turns")
        .select((eb) => [
          "conversation_id",
          eb.fn.min("position").as("first"),
          eb.fn.countAll<number>().as("turns"),
          eb.fn.max("updated_at").as("last_at"),
        ])
        .where("surface", "=", surface)
        .$if(takenPartBy !== undefined, (query) =>
          query.where("conversation_id", "in", conversationsOf(db, takenPartBy ?? [])),
        )
        .groupBy("conversation_id")
        .orderBy("last_at", "desc")
        .limit(limit)
        .execute();
      if (rows.length === 0) return [];
      const firsts = await db
        .selectFrom("turns")
        .select(["position", "message"])
        .where(
          "position",
          "in",
          rows.map((row) => row.first),
        )
        .execute();
      const pending = await db
        .selectFrom("approvals")
        .select((eb) => ["conversation_id", eb.fn.countAll<number>().as("count")])
        .where("state", "in", ["pending", "unknown"])
        .where(
          "conversation_id",
          "in",
          rows.map((row) => row.conversation_id),
        )
        .groupBy("conversation_id")
        .execute();
      return rows.map((row) => ({
        conversationId: row.conversation_id,
        title: firsts.find((first) => first.position === row.first)?.message ?? "",
        turns: row.turns,
        lastAt: row.last_at,
        pending: pending.find((one) => one.conversation_id === row.conversation_id)?.count ?? 0,
      }));
    },
  };
}

/** What came with the message, as the store keeps it. */
function givenOf({ quote, call }: TurnRequest): string | null {
  if (quote === undefined && call === undefined) return null;
  return JSON.stringify({ ...(quote && { quote }), ...(call && { call }) });
}

/**
 * What people give along with a turn for its calls, sealed in the store: a turn that waits for a
 * countersignature has it after a restart, and on every replica. It goes when the turn ends.
 */
export interface TurnCredentials {
  /** In the transaction that accepts the turn. */
  keep(tx: Tx, turnId: string, credentials: Credentials): Promise<void>;
  /** Rejects with the codes of Sealer.open. */
  of(turnId: string): Promise<Credentials | undefined>;
}

const NAMESPACE = "turn-credentials";

export function createTurnCredentials({ db, sealer }: { db: Db; sealer: Sealer }): TurnCredentials {
  const kept = createSealedKeyv<Credentials>(db, NAMESPACE, sealer);
  return {
    async keep(tx, turnId, credentials) {
      await createSealedKeyv<Credentials>(tx, NAMESPACE, sealer).set(turnId, credentials);
    },
    of: (turnId) => kept.get(turnId),
  };
}

/** In the transaction that ends the turn. */
export async function forgetCredentials(tx: Tx, turnId: string): Promise<void> {
  await forgetSealed(tx, NAMESPACE, turnId);
}
