import type { Membership } from "../ledger/eligibility.ts";

/**
 * The HTTP API and the terminal have no member lists: whoever may talk there is in the channel. A
 * person of another surface is not, and nobody is in a group.
 */
export const localMembership: Membership = {
  inChannel: (actor, channel) => {
    const surface = actor.slice(0, actor.indexOf(":"));
    return Promise.resolve((surface === "http" || surface === "console") && channel.startsWith(`${surface}:`));
  },
  inGroup: () => Promise.resolve(false),
};
