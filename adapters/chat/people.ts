import type { Approval } from "#contract/approval.ts";
import type { TurnView } from "#contract/present.ts";
import { actorName } from "#src/base/ids.ts";

/** What a platform calls somebody; undefined where it does not say, or knows nobody by that id. */
export type NameOf = (actor: string) => Promise<string | undefined>;

/** The turn with names for the people of its requests and the one who stopped it: ids say little to readers. */
export async function withNames(view: TurnView, nameOf: NameOf): Promise<TurnView> {
  const { stoppedBy } = view;
  if (view.approvals.length === 0 && stoppedBy === undefined) return view;
  const approvals = await Promise.all(
    view.approvals.map(async (approval) => ({ ...approval, names: await namesOf(approval, nameOf) })),
  );
  const names = Object.assign({}, ...approvals.map((approval) => approval.names)) as Record<string, string>;
  const stopper = stoppedBy === undefined ? undefined : await nameOf(stoppedBy);
  if (stoppedBy !== undefined && stopper !== undefined) names[stoppedBy] = stopper;
  return withNamesInText({ ...view, approvals }, names);
}

async function namesOf(approval: Approval, nameOf: NameOf): Promise<Record<string, string>> {
  const { requestedBy, approvers, votes, standing } = approval;
  const actors = new Set<string>([requestedBy, ...approvers, ...votes.map((vote) => vote.actor)]);
  if (standing?.revokedBy !== undefined) actors.add(standing.revokedBy);
  const named = await Promise.all(
    [...actors].map(async (actor): Promise<[string, string | undefined]> => [actor, await nameOf(actor)]),
  );
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The turn with the names of its people, by actor id, wherever its own sentences hold their ids. */
function withNamesInText(view: TurnView, names: Readonly<Record<string, string>>): TurnView {
  const byId = new Map(Object.entries(names).map(([actor, name]) => [actorName(actor), name]));
  if (byId.size === 0) return view;
  const named = (text: string): string => text.replace(/\b\w{6,}\b/g, (word) => byId.get(word) ?? word);
  return {
    ...view,
    ...(view.reply === undefined ? {} : { reply: named(view.reply) }),
    ...(view.remarks === undefined ? {} : { remarks: named(view.remarks) }),
    ...(view.error === undefined ? {} : { error: { ...view.error, message: named(view.error.message) } }),
    approvals: view.approvals.map((approval) =>
      approval.note === undefined ? approval : { ...approval, note: named(approval.note) },
    ),
  };
}
