import type { ActorId } from "#contract/actor.ts";
import type { ConfiguredPerson } from "#contract/people.ts";
import type { Membership } from "#src/ledger/eligibility.ts";
import { createPersons, type Persons } from "#src/people/persons.ts";
import type { Settings } from "#src/settings/load.ts";
import type { Store } from "#src/store/open.ts";

import { type PlatformMembers, surfaceOf } from "./membership.ts";

/** Who is one person, by the operator's file, the tokens and what platforms say. */
export function openPersons(
  settings: Settings,
  {
    platforms = {},
    ...parts
  }: Pick<Store, "db" | "now"> & {
    platforms?: PlatformMembers | undefined;
    log: { debug: (data: object, message: string) => void };
  },
): Persons & Pick<Membership, "isUntold"> {
  const { list, match_by_email: matchByEmail } = settings.people;
  const { tokens } = settings.http;
  const bearers = tokens.map(({ actor, also, email }): ConfiguredPerson => ({
    actors: [actor, ...also],
    accounts: {},
    ...(email === undefined ? {} : { email }),
  }));
  const persons = createPersons({
    ...parts,
    known: [...list, ...bearers],
    matchByEmail,
    profile: async (actor) => platforms[surfaceOf(actor)]?.profile(actor),
  });
  return {
    ...persons,
    // Without tokens a request names its actor itself.
    isUntold: (actor: ActorId) => tokens.length === 0 && surfaceOf(actor) === "http",
  };
}
