import type { Core } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

/** Nothing that the tool does can need anybody else: its answer is for the person who asked alone. */
export function onlyReads(toolId: string, { tools }: Pick<Core, "tools">): boolean {
  const listing = tools().find(({ tool }) => tool.id === toolId);
  if (listing === undefined) return false;
  const { tool, decision } = listing;
  return tool.trusted && tool.annotations.readOnlyHint === true && decision === "allow";
}

/** Whether a turn that was asked for privately concerns nobody else so far. */
export function staysPrivate({ approvals }: TurnView): boolean {
  return approvals.length === 0;
}
