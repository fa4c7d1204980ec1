import type { ConfiguredPerson } from "#contract/people.ts";
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
): Persons {
  const { list, match_by_email: matchByEmail } = settings.people;
  const { tokens } = settings.http;
  const bearers = tokens.map(({ actor, also, email }): ConfiguredPerson => ({
    actors: [actor, ...also],
    accounts: {},
    ...(email === undefined ? {} : { email }),
  }));
  return createPersons({
    ...parts,
    known: [...list, ...bearers],
    matchByEmail,
    profile: async (actor) => platforms[surfaceOf(actor)]?.profile(actor),
  });
}
