import type { ArgSources, KnownName } from "#contract/plan.ts";

import { DICTATES } from "./padding.ts";
import type { Referents } from "./refer.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { isNew } from "./titles.ts";

const KEY = "[A-Z]\\w*-\\d+";
const IT = "(?:it|this\\s+one|that\\s+one)(?![\\p{L}\\p{N}'’-])";
const ORDER =
  "(?:re-?assign|assign(?:\\s+me)?|unassign|give|hand|pass|take|move|set|put|make|close|reopen|start|finish|resolve|mark|push|bump|raise|lower|rename|hang|add|link|drop|postpone|(?:labels?|tags?|priority|prio|date|status)\\s+(?:of|on|to|off))";
/** What is ordered of it; not what somebody says of it. */
export const ORDERED: RegExp = new RegExp(`(?<![\\p{L}\\p{N}'’-])(${ORDER}\\s+)${IT}`, "giu");
const LABELLED = new RegExp(
  `(?<![\\p{L}\\p{N}'’-])(?:label|tag)\\s+${IT}\\s+(?:as\\s+|with\\s+)?([\\p{L}\\d_-]+)(?=\\s*(?:$|[,.;!]|\\band\\b))`,
  "giu",
);
const SEVERAL = /\S(?:[,;.!]|\s+and)\s+\S/iu;
/** Into which epic it goes is no record that anything is ordered of. */
const INTO_EPIC = new RegExp(
  `\\b(?:put|move|hang|add|bring|place|group|file)\\s+${IT}\\s+(?:under|into|in|to|on|below)\\s+(?:the\\s+)?(?:epic\\s+)?(?<epic>${KEY})(?![\\w-])`,
  "iu",
);

/**
 * Of several orders for the record on the screen each names it: "put it under the search epic, start it" could be read
 * of the epic else. Left as it is where another record is named, something new is asked for or somebody's words are written.
 */
export function withKeyOnScreen(
  message: string,
  known: readonly KnownName[],
  { thing }: Pick<Referents, "thing">,
): { text: string; put: ArgSources } {
  const { masked } = createSheet(message);
  const end = COLON.exec(masked)?.index ?? masked.length;
  const head = masked.slice(0, end);
  const into = INTO_EPIC.exec(head);
  const epic = into?.groups?.["epic"]?.toUpperCase();
  const others = into === null ? head : head.replace(into[0], "");
  const isEpic = epic === undefined || known.some(({ kind, id }) => kind === "epic" && id === epic);
  const isOther = new RegExp(`(?<![\\w-])${KEY}`, "iu").test(others) || !isEpic || thing?.id === epic;
  if (thing === undefined || !new RegExp(`^${KEY}$`, "u").test(thing.id) || isOther)
    return { text: message, put: {} };
  if (!SEVERAL.test(head) || isNew(masked) || DICTATES.test(head)) return { text: message, put: {} };
  const text = message
    .slice(0, end)
    .replaceAll(LABELLED, (_said, label: string) => `add the label ${label} to ${thing.id}`)
    .replaceAll(ORDERED, (said: string, verb: string, at: number) =>
      masked[at] === QUOTED ? said : `${verb}${thing.id}`,
    )
    .concat(message.slice(end));
  return text === message ? { text, put: {} } : { text, put: { [thing.id]: thing.source } };
}
