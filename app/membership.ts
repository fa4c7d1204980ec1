import type { ActorId, Surface } from "#contract/actor.ts";
import type { Profile } from "#contract/people.ts";
import type { Membership } from "#src/ledger/eligibility.ts";
import type { Persons } from "#src/people/persons.ts";

/** What a chat platform knows of its people. Rejections count as "no". */
export interface PlatformPeople extends Membership {
  /** What somebody is called there, and the e-mail address that the platform has made sure of. */
  profile(actor: ActorId): Promise<Profile | undefined>;
}

/** By surface. */
export type PlatformMembers = Partial<Record<Surface, PlatformPeople>>;

/**
 * Who belongs where. The HTTP API and the terminal have no member lists: whoever may talk there is in
 * the channel. A person of one surface is in no channel of another. Groups are those of the
 * configuration, else those of the platform.
 */
export function createMembership(
  groupsNow: () => Readonly<Record<string, ActorId[]>>,
  platforms: PlatformMembers = {},
  persons?: Pick<Persons, "areSame" | "mayBeSame">,
): Membership {
  const platformOf = (actor: ActorId): Membership | undefined => platforms[surfaceOf(actor)];
  return {
    ...persons,
    inChannel: async (actor, channel) => {
      const surface = surfaceOf(actor);
      if (!channel.startsWith(`${surface}:`)) return false;
      if (surface === "http" || surface === "console") return true;
      return (await platformOf(actor)?.inChannel(actor, channel)) ?? false;
    },
    // Guests are known to platforms only.
    isGuest: async (actor, channel) => (await platformOf(actor)?.isGuest(actor, channel)) ?? false,
    inGroup: async (actor, group, channel) => {
      const groups = groupsNow();
      if (Object.hasOwn(groups, group)) return (groups[group] ?? []).includes(actor);
      return (await platformOf(actor)?.inGroup(actor, group, channel)) ?? false;
    },
  };
}

export function surfaceOf(actor: ActorId): Surface {
  return actor.slice(0, actor.indexOf(":")) as Surface;
}
