import type { Approval } from "#contract/approval.ts";
import type { TurnView } from "#contract/present.ts";

import { withNamesInText } from "../chat/named.ts";
import { readId } from "./ids.ts";
import type { People } from "./people.ts";

/** The turn with what Slack calls the people of its requests; ids alone say little to those who read a card. */
export async function withNames(view: TurnView, people: People): Promise<TurnView> {
  if (view.approvals.length === 0) return view;
  const approvals = await Promise.all(
    view.approvals.map(async (approval) => ({ ...approval, names: await namesOf(approval, people) })),
  );
  const names = Object.assign({}, ...approvals.map((approval) => approval.names)) as Record<string, string>;
  return withNamesInText({ ...view, approvals }, names);
}

async function namesOf(approval: Approval, people: People): Promise<Record<string, string>> {
  const { requestedBy, approvers, votes, standing } = approval;
  const actors = new Set<string>([requestedBy, ...approvers, ...votes.map((vote) => vote.actor)]);
  if (standing?.revokedBy !== undefined) actors.add(standing.revokedBy);
  const named = await Promise.all(
    [...actors].map(async (actor): Promise<[string, string | undefined]> => {
      const id = readId(actor);
      return [actor, id === undefined ? undefined : await people.name(id.team, id.local)];
    }),
  );
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
