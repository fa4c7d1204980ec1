import type { Candidate, Choice } from "./choice.ts";
import type { Clause } from "./clause.ts";
import { fill } from "./fill.ts";
import type { Surroundings } from "./filling.ts";
import type { ToolIndex } from "./tool-index.ts";

/** Of two things that one tool does, a person says which where their scores are this near. */
const ALIKE = 0.02;

/**
 * The tool without what it shall do, where the words fit several of the things it does alike: a person is
 * asked which.
 */
export function undecided(
  best: Candidate,
  others: Candidate[],
  clause: Clause,
  index: ToolIndex,
  around: Surroundings,
): Choice | undefined {
  const { call } = best.entry;
  const said = ({ entry }: Candidate): boolean => entry.verbs.has(clause.head?.stem ?? "");
  const alike = others.filter(
    (other) =>
      other.entry.call.tool === call.tool && best.score - other.score < ALIKE && (said(other) || !said(best)),
  );
  const whole = index.wholes.find(({ tool }) => tool.id === call.tool);
  if (alike.length === 0 || whole === undefined) return undefined;
  const { args } = fill(whole, clause, around);
  const rest = Object.entries(args).filter(([name]) => !Object.hasOwn(call.args, name));
  return {
    calls: [{ entry: whole, args: Object.fromEntries(rest) }],
    changing: [best, ...alike].some(({ entry }) => entry.changing),
  };
}
