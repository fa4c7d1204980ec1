import type { TurnView } from "#contract/present.ts";

/** The turn with the names of its people, by actor id, wherever its own sentences hold their ids. */
export function withNamesInText(view: TurnView, names: Readonly<Record<string, string>>): TurnView {
  const byId = new Map(
    Object.entries(names).map(([actor, name]) => [actor.slice(actor.lastIndexOf(":") + 1), name]),
  );
  if (byId.size === 0) return view;
  const named = (text: string): string => text.replace(/\b\w{6,}\b/g, (word) => byId.get(word) ?? word);
  return {
    ...view,
    ...(view.reply === undefined ? {} : { reply: named(view.reply) }),
    ...(view.error === undefined ? {} : { error: { ...view.error, message: named(view.error.message) } }),
    approvals: view.approvals.map((approval) =>
      approval.note === undefined ? approval : { ...approval, note: named(approval.note) },
    ),
  };
}
