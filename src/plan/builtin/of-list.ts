import type { PlanInput } from "#contract/plan.ts";

import { canonical } from "./canonical.ts";
import type { Referents } from "./refer.ts";

/** "And mine", behind somebody's */
const AND_MINE = /^\W*(?:and|plus)\s+(?:(?:what|how)\s+about\s+)?mine\W*$/i;
/** "Only the app ones": those of the project that has the word in its name. */
const ONLY_THERE =
  /^\W*(?:(?:and|ok|now|but)\s+)*(?:only|just)\s+(?:the\s+)?(?<place>\p{L}{2,})(?:\s+(?:ones|issues|tickets|bugs|stuff))?(?:\s+(?:please|pls))?\W*$/iu;
/** "And stories?", behind bugs */
const AND_TYPE = /^\W*(?:and|what\s+about|how\s+about)\s+(?:the\s+)?(?<type>bugs|stories|tasks|epics)\W*$/i;
/** "How many are bugs?" */
const HOW_MANY_ARE =
  /^\W*(?:and\s+)?how\s+many\s+(?=are\s+(?!(?:there|they|left|that|those|these|it|we|of|in\s+(?:total|all))\b))/i;
/** "And what has he in the other two projects?" */
const IN_OTHERS = /\bin\s+(?:the|all)\s+other\s+(?:(?:two|three)\s+)?projects\b/i;
/** "Add the closed ones too": to the list, and nothing is made. */
const OVER_TOO =
  /^\W*(?:(?:please|pls|and|now|also)\s+)*(?:(?:add|include|plus|with)\s+)?(?:the\s+)?(?:closed|done|finished)\s+(?:ones|issues|tickets|bugs|tasks|stories)\s+(?:too|as\s+well|also)\W*$/i;
/** "Not the bugs", "no bugs please" */
const WITHOUT_TYPE =
  /^\W*(?:(?:and|but|now)\s+)*(?:without|no|not|minus|except(?:\s+for)?|hide|skip|drop|leave\s+out|exclude)\s+(?:(?:the|any|all)\s+)?(bugs|tasks|stories|epics)(?:\s+(?:please|pls|then))*\W*$/i;
/** "Which ones are fixed?" */
const WHICH_ONES = /^(\W*(?:and\s+)?which)\s+ones\s+(?=(?:are|is|have|has|were|do|does)\b)/i;

/**
 * What a message of few words asks of the list, or the count, on the screen, in the words that the reader of follow-ups
 * knows. Undefined where it is about none.
 */
export function ofList(
  message: string,
  { history, known = [] }: Pick<PlanInput, "history" | "known">,
  { rows }: Referents,
): string | undefined {
  const last = history.at(-1)?.calls.at(-1);
  if (last === undefined || last.waits === true) return undefined;
  const { args } = last;
  if (AND_MINE.test(message) && args["assignee"] !== undefined && rows.length > 0) return "only mine";
  if (OVER_TOO.test(message) && rows.length > 0) return "every status";
  const type = AND_TYPE.exec(message)?.groups?.["type"];
  if (type !== undefined && args["type"] !== undefined) return `only ${type}`;
  const place = rows.length > 1 ? ONLY_THERE.exec(message)?.groups?.["place"]?.toLowerCase() : undefined;
  const [project, ...others] = known.filter(
    ({ kind, name }) =>
      kind === "project" &&
      place !== undefined &&
      name
        .toLowerCase()
        .split(/\P{L}+/u)
        .includes(place),
  );
  if (project !== undefined && others.length === 0) return `only in ${project.id}`;
  const { project: own } = args;
  const elsewhere = typeof own === "string" ? `that are not in ${own}` : "$&";
  const ofThem = message
    .replace(WITHOUT_TYPE, "the ones that are not $1")
    .replace(IN_OTHERS, elsewhere)
    .replace(HOW_MANY_ARE, "$&of them ")
    .replace(WHICH_ONES, "$1 of them ");
  return ofThem === message ? undefined : canonical(ofThem, known);
}
