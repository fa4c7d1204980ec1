import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Viewer } from "#contract/core.ts";
import { sql } from "kysely";

import { CountersignError } from "../base/errors.ts";
import { type Membership, whyNotEligible } from "../ledger/eligibility.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { conversationsOf } from "../ledger/rows.ts";

/** `new`: nobody has said anything in it yet, so that it is nobody's. */
type Belonging = "theirs" | "others" | "new";

/** Who may see and use what. */
export interface Access {
  /** Theirs: they took part in it, or are in its channel on a chat platform. */
  conversation(viewer: Viewer, conversationId: string): Promise<Belonging>;
  /**
   * In the transaction that records a turn of a new conversation: rejects with `not_found` where somebody else
   * began it at the same moment.
   */
  claim(tx: Tx, viewer: Viewer, turn: { id: string; conversationId: string }): Promise<void>;
  /** A place that owns settings and accounts. */
  channel(viewer: Viewer, channel: string): Promise<Belonging>;
  /** Also who may decide a request sees it, though not the rest of its conversation. */
  approval(viewer: Viewer, approval: Approval): Promise<boolean>;
}

export function createAccess(parts: { db: Db; kind: StoreKind; membership: Membership }): Access {
  const { db, kind, membership } = parts;

  /** Asked of the platform, which knows its own people only. */
  async function isMember({ also }: Viewer, channel: string): Promise<boolean> {
    const surface = channel.slice(0, channel.indexOf(":") + 1);
    const there = also.filter((actor) => actor.startsWith(surface));
    const answers = await Promise.all(
      there.map((actor) => membership.inChannel(actor, channel).catch(() => false)),
    );
    return answers.includes(true);
  }

  async function conversation(viewer: Viewer, conversationId: string): Promise<Belonging> {
    const first = await db
      .selectFrom("turns")
      .select("channel")
      .where("conversation_id", "=", conversationId)
      .orderBy("position")
      .limit(1)
      .executeTakeFirst();
    if (first === undefined) return "new";
    const took = await db
      .selectFrom(conversationsOf(db, actorsOf(viewer)).as("own"))
      .select("own.conversation_id")
      .where("own.conversation_id", "=", conversationId)
      .limit(1)
      .executeTakeFirst();
    return took !== undefined || (await isMember(viewer, first.channel)) ? "theirs" : "others";
  }

  return {
    conversation,

    async claim(tx, viewer, { id, conversationId }) {
      // Held to the end of the transaction, so that the other one's turn is seen, or sees this one.
      if (kind === "postgres")
        await sql`select pg_advisory_xact_lock(hashtextextended(${conversationId}, 0))`.execute(tx);
      const other = await tx
        .selectFrom("turns")
        .select("id")
        .where("conversation_id", "=", conversationId)
        .where("id", "<>", id)
        .where("actor", "not in", actorsOf(viewer))
        .limit(1)
        .executeTakeFirst();
      if (other !== undefined) throw othersConversation(conversationId);
    },

    async channel(viewer, channel) {
      // There each conversation is its own channel.
      if (/^(http|console):/.test(channel)) return conversation(viewer, channel);
      return (await isMember(viewer, channel)) ? "theirs" : "others";
    },

    async approval(viewer, approval) {
      if ((await whyNotEligible({ actor: viewer.actor, ...approval }, membership)) === undefined) return true;
      return (await conversation(viewer, approval.conversationId)) === "theirs";
    },
  };
}

/** Ids of sessions are chosen by clients, so naming one is no reason to be let into it. */
export function othersConversation(conversationId: string): CountersignError {
  return new CountersignError(
    "not_found",
    `There is no conversation ${conversationId} of yours: one belongs to those who take part in it. Choose another id to begin one.`,
  );
}

export function actorsOf({ actor, also }: Viewer): ActorId[] {
  return [actor, ...also];
}
