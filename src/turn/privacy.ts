import type { ActorId } from "#contract/actor.ts";
import type { ChannelPrivacy, Core } from "#contract/core.ts";

import { CountersignError } from "../base/errors.ts";
import { en } from "../base/words/en.ts";
import type { Membership } from "../ledger/eligibility.ts";
import type { Transact } from "../ledger/transact.ts";
import { createKeyv } from "../store/keyv.ts";
import type { Db } from "../store/schema.ts";
import { BECAME_PRIVATE } from "./rows.ts";

export interface PrivacyOptions {
  db: Db;
  transact: Transact;
  /** What the configuration says of a channel: whether results may be sent to a model. */
  configured: (channel: string) => boolean;
  membership: Membership;
  /** Whether the configuration names a group `admins`. */
  hasAdmins: boolean;
  now: () => number;
}

/** What a person set; its absence is the configured state. */
interface Setting {
  setBy: ActorId;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The namespace of what people set, in plain key-value state. */
export const CHANNEL_PRIVACY = "channel-privacy";
const ADMINS = "admins";

/** The privacy of channels: as configured, or made stricter by a person of the channel. */
export function createPrivacy(options: PrivacyOptions): Pick<Core, "privacy" | "setPrivacy"> {
  const { db, transact, configured, membership } = options;
  const settings = createKeyv<Setting>(db, CHANNEL_PRIVACY);

  async function privacy(channel: string): Promise<ChannelPrivacy> {
    if (!configured(channel)) return { summarize: false };
    const setting = await settings.get(channel);
    return setting === undefined ? { summarize: true } : { summarize: false, setBy: setting.setBy };
  }

  async function requireMember(actor: ActorId, channel: string): Promise<void> {
    const isHere = await membership.inChannel(actor, channel).catch(() => false);
    const isGuest = await membership.isGuest(actor, channel).catch(() => true);
    if (isHere && !isGuest) return;
    const why = isHere ? en.recorded.guestsNoPrivacy() : en.recorded.strangersNoPrivacy();
    throw new CountersignError("not_eligible", why);
  }

  /** The person who made it private, or an administrator: privacy that anybody could end would protect nobody. */
  async function mayEnd(actor: ActorId, { setBy }: Setting, channel: string): Promise<boolean> {
    if (actor === setBy) return true;
    return options.hasAdmins && (await membership.inGroup(actor, ADMINS, channel).catch(() => false));
  }

  async function write(channel: string, actor: ActorId, setting: Setting | undefined): Promise<void> {
    await transact(async (tx, note) => {
      const own = createKeyv<Setting>(tx, CHANNEL_PRIVACY);
      if (setting === undefined) await own.delete(channel);
      else {
        await own.set(channel, setting);
        // What was asked before and goes on, such as after an approval, is private from here on as well.
        await tx
          .updateTable("turns")
          .set({ allow_summarization: BECAME_PRIVATE })
          .where("channel", "=", channel)
          .where("allow_summarization", "=", 1)
          .where("state", "in", ["queued", "running", "pending_confirmation"])
          .execute();
      }
      note({ kind: "privacy.set", actor, data: { channel, summarize: setting === undefined } });
    });
  }

  return {
    privacy,
    async setPrivacy({ channel, actor, summarize }) {
      await requireMember(actor, channel);
      if (!configured(channel)) {
        if (!summarize) return { summarize: false };
        throw new CountersignError("privacy_configured", en.recorded.privacyConfigured());
      }
      const setting = await settings.get(channel);
      if (!summarize && setting === undefined) {
        await write(channel, actor, { setBy: actor, at: options.now() });
      } else if (summarize && setting !== undefined) {
        if (!(await mayEnd(actor, setting, channel))) {
          const { privacyAdmins, privacyOthers } = en.recorded;
          throw new CountersignError("not_eligible", options.hasAdmins ? privacyAdmins() : privacyOthers());
        }
        await write(channel, actor, undefined);
      }
      return privacy(channel);
    },
  };
}
