import type { Grouping } from "./arguments.ts";
import type { CountResult, Issue } from "./schemas.ts";

/** How many issues have each value, the most frequent first. */
export function countBy(issues: readonly Issue[], by: Grouping): CountResult["groups"] {
  const counts = new Map<string, CountResult["groups"][number]>();
  for (const { id, name } of issues.flatMap((issue) => valuesOf(issue, by))) {
    const group = counts.get(id) ?? { value: name, count: 0 };
    counts.set(id, { ...group, count: group.count + 1 });
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count || a.value.localeCompare(b.value));
}

/** Those who share a name are told apart by `id`. */
function valuesOf(issue: Issue, by: Grouping): { id: string; name: string }[] {
  switch (by) {
    case "assignee":
      return [issue.assignee ?? named("unassigned")];
    case "reporter":
      return [issue.reporter ?? named("unknown")];
    case "label":
      return issue.labels.length === 0 ? [named("no label")] : issue.labels.map(named);
    case "priority":
      return [named(issue.priority ?? "no priority")];
    case "project":
      return [named(`${issue.project.key} ${issue.project.name}`)];
    case "epic":
      return [named(issue.epic === null ? "no epic" : `${issue.epic.key} ${issue.epic.summary}`.trim())];
    default:
      return [named(issue[by])];
  }
}

function named(name: string): { id: string; name: string } {
  return { id: name, name };
}
