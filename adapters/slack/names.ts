import type { TurnView } from "#contract/present.ts";

import { withNames as withNamesOf } from "../chat/names.ts";
import { readId } from "./ids.ts";
import type { People } from "./people.ts";

/** The turn with what Slack calls the people of its requests. */
export function withNames(view: TurnView, people: People): Promise<TurnView> {
  return withNamesOf(view, async (actor) => {
    const id = readId(actor);
    return id === undefined ? undefined : people.name(id.team, id.local);
  });
}
