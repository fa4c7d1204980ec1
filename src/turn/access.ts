import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Viewer } from "#contract/viewer.ts";

import { type Membership, whyNotEligible } from "../ledger/eligibility.ts";
import type { Db } from "../store/schema.ts";
import { conversationsOf } from "../store/took-part.ts";

/** `new`: nobody has said anything in it yet, so that it is nobody's. */
export type Belonging = "theirs" | "others" | "new";

/** Who may see and use what. */
export interface Access {
  /** Theirs: they took part in it, or are in its channel on a chat platform. */
  conversation(viewer: Viewer, conversationId: string): Promise<Belonging>;
  /** A place that owns settings and accounts. */
  channel(viewer: Viewer, channel: string): Promise<Belonging>;
  /** Also who may decide a request sees it, though not the rest of its conversation. */
  approval(viewer: Viewer, approval: Approval): Promise<boolean>;
}

export function createAccess({ db, membership }: { db: Db; membership: Membership }): Access {
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

export function actorsOf({ actor, also }: Viewer): ActorId[] {
  return [actor, ...also];
}
