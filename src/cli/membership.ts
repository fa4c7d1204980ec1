import type { ActorId } from "#contract/actor.ts";

import type { Membership } from "../ledger/eligibility.ts";

/**
 * Who belongs where. The HTTP API and the terminal have no member lists: whoever may talk there is in
 * the channel, and a person of another surface is not. Groups are those of the configuration.
 */
export function createMembership(groups: Readonly<Record<string, ActorId[]>>): Membership {
  return {
    inChannel: (actor, channel) => {
      const surface = actor.slice(0, actor.indexOf(":"));
      return Promise.resolve(
        (surface === "http" || surface === "console") && channel.startsWith(`${surface}:`),
      );
    },
    // Guests are known to platforms only.
    isGuest: () => Promise.resolve(false),
    inGroup: (actor, group) =>
      Promise.resolve(Object.hasOwn(groups, group) && (groups[group] ?? []).includes(actor)),
  };
}
