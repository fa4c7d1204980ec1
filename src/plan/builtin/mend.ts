import type { Observation, PlannedCommand } from "#contract/plan.ts";

import { toValue } from "../slot.ts";
import type { ToolIndex } from "./tool-index.ts";

const NOT_FOUND = /not found|no such|does(?: not|n't) exist|unknown|404|enoent|cannot find|could not find/i;

function errorOf({ permit, error, facts }: Observation): string {
  return permit === undefined || error === undefined ? (facts.error ?? "") : error.reveal(permit);
}

/**
 * One more step where another tool may mend the last: a thing that a read did not find under its key is
 * searched for on the same server, once.
 */
export function mend(observations: readonly Observation[], index: ToolIndex): PlannedCommand | undefined {
  const last = observations.at(-1);
  if (!last || last.ok || observations.length > 1) return undefined;
  const failed = index.entries.find(
    ({ call }) =>
      call.tool === last.tool &&
      Object.entries(call.args).every(([name, value]) => last.args[name] === value),
  );
  if (!failed || failed.changing || !NOT_FOUND.test(errorOf(last))) return undefined;
  const [text] = Object.entries(last.args)
    .filter(([name]) => !Object.hasOwn(failed.call.args, name))
    .map(([, value]) => value)
    .filter((value) => typeof value === "string");
  if (text === undefined) return undefined;
  for (const entry of index.entries) {
    const related =
      entry.tool.server === failed.tool.server && [...entry.kin].some((stem) => failed.kin.has(stem));
    const slot = entry.slots.find((each) => each.kind === "query");
    const others = entry.slots.some((each) => each.required && each !== slot);
    if (!related || !slot || others || entry.changing || !entry.intents.has("search")) continue;
    return {
      command: "QUERY",
      tool: entry.call.tool,
      args: { ...entry.call.args, [slot.name]: toValue(slot, text) },
    };
  }
  return undefined;
}
