import type { KnownName } from "#contract/plan.ts";

import { WORK } from "./nouns.ts";
import { createSheet } from "./sheet.ts";
import { KEY } from "./words.ts";

const POLITE =
  "(?:(?:so|and|then|please|pls|plz|can|could|would|will|you|we|someone|somebody|just|also|let['’]?s)\\s+)*";
const TYPE = `(?:an?\\s+)?(?:(?:new|highest|high|medium|low|lowest)\\s+)*${WORK}`;
const MAKES = "(?:file|log|raise|open|create|report|record|track|note|put|write|add|submit|make)";
const PLACE = "(?:in|for|under|on|to)\\s+(?:the\\s+)?[\\p{L}\\p{N}]+(?:\\s+(?:app|shop|project))?";
/** "File that as a bug", "make that a story in DEMO", "open a ticket for this": what it is stands ahead of it. */
const FILED = new RegExp(
  `^(?<said>.{8,300}?)(?:(?<=[.!?])|\\s*[,;–-])\\s+${POLITE}(?:${MAKES}\\s+(?:that|this|it)(?:\\s+(?:up|down))?\\s+(?:as|into|in as)\\s+(?<as>${TYPE})|make\\s+(?:that|this)\\s+(?<made>${TYPE})(?=\\s+(?:in|for)\\b)|${MAKES}\\s+(?<opened>${TYPE})(?<place>\\s+${PLACE})?\\s+(?:for|about|on|of|from)\\s+(?:that|this|it))(?<rest>(?![\\p{L}\\p{N}]).*)$`,
  "isu",
);
const GREETING =
  /^\W*(?:(?:hi|hello|hey|morning|fyi|btw|ok|so|heads up|all|team|folks|everyone)\b[\s,:!.–-]*)+/iu;
const LEVEL = /\b(?:highest|high|medium|lowest|low)\b/i;
/** "It's urgent for her, so high please" */
export const URGENT: RegExp =
  /(?:^|(?<=[.!?]\s))(?:(?:it|this|that)(?:['’]?s| is)\b[^.!?]*?[,;]\s*)?(?:(?:so|then|prio(?:rity)?|make (?:it|that))\s+)*(?<level>highest|high|medium|lowest|low)(?:\s+prio(?:rity)?)?(?:,?\s+(?:please|pls|plz|then|i (?:think|guess)))*[\s.!]*$/i;
const SENTENCE = /(?<=[.!?])\s+/u;

/** "Can we get a ticket in DEMO for the footer that still says 2024?" */
const ASKED = new RegExp(
  `^\\W*(?:(?:can|could|may)\\s+(?:we|i)\\s+(?:please\\s+)?(?:get|have)|(?:we|i)\\s+need)\\s+an?\\s+(?<type>${WORK})(?<place>\\s+in\\s+[\\p{L}\\p{N}]+)?\\s+for\\s+(?!(?:\\S+\\s+){0,3}\\S+[,:]|(?:the\\s+)?(?:\\S+\\s+){1,2}to\\s+\\p{Ll})(?<title>(?:\\S+\\s+){2,}?\\S+?)\\s*(?:[?.!]+\\s*(?<more>.*))?$`,
  "isu",
);

const WISHED = new RegExp(
  `^\\W*(?:can|could|may)\\s+(?:we|i)\\s+(?:please\\s+)?(?:get|have)\\s+(?=an?\\s+${WORK}\\s+(?:for|to)\\s)`,
  "iu",
);

const NEW = `\\b${MAKES}\\s+(?:me\\s+)?(?<what>an?\\s+(?:new\\s+)?${WORK})`;

/** "A ticket for the heating, project ops", "a task to water the plants in OPS": the project is no part of a title. */
function inProject(message: string, known: readonly KnownName[]): string {
  const ids = known.flatMap(({ kind, id }) => (kind === "project" ? [id] : []));
  if (ids.length === 0) return message;
  const project = `(?<id>${ids.join("|")})`;
  const behind = new RegExp(
    `(?<lead>${NEW}[^:"“”]{3,120}?)(?:,\\s*(?:in\\s+)?|\\s+in\\s+)(?:the\\s+)?project\\s+${project}(?=\\s*(?:$|,))`,
    "iu",
  );
  const toDo = new RegExp(`${NEW}\\s+to\\s+(?<title>[^:"“”,;]{4,100}?)\\s+in\\s+${project}(?=\\W*$)`, "iu");
  return message.replace(behind, "$<lead> in $<id>").replace(toDo, "create $<what> in $<id>: $<title>");
}

/**
 * What somebody tells and wants to have as a record, as the order for it: "the export hangs. file that as a bug in
 * DEMO" as "create a bug titled “the export hangs” in DEMO". Further sentences are its description.
 */
export function filed(message: string, known: readonly KnownName[]): string {
  const asked = createSheet(message).quotes.length > 0 ? undefined : ASKED.exec(message)?.groups;
  const isPlace = (name: string): boolean =>
    (asked?.["title"] ?? "")
      .replace(/^the\s+/i, "")
      .toLowerCase()
      .startsWith(name.toLowerCase());
  const places = known.filter(({ kind }) => kind === "project" || kind === "person");
  // "For the Demo Shop", "for Ben" says where it belongs.
  const isPut = places.some(({ id, name }) => isPlace(id) || isPlace(name.split(" ")[0] ?? name));
  if (asked !== undefined && !isPut) {
    const { type: kind = "", place: where = "", title: name = "", more: behind = "" } = asked;
    return `create a ${kind}${where} titled “${name}”${behind === "" ? "" : `, ${behind}`}`;
  }
  const { said = "", as, made, opened, place: where, rest = "" } = FILED.exec(message)?.groups ?? {};
  const type = (as ?? made ?? opened ?? "").replace(/^an?\s+/i, "");
  const told = said.replace(GREETING, "").trim();
  const isTold = told.split(/\s+/).length > 2 && !new RegExp(KEY, "u").test(told) && !told.endsWith("?");
  if (type === "" || !isTold || createSheet(message).quotes.length > 0)
    return inProject(message.replace(WISHED, "create "), known);
  const [title = "", ...more] = told.split(SENTENCE);
  const description = more.length === 0 ? "" : `, description “${more.join(" ")}”`;
  const own = new RegExp(`^\\s+${PLACE}`, "iu").exec(rest)?.[0] ?? "";
  const place = where ?? own;
  const behind = rest.slice(own.length).replace(/^[\s,.?!]+/, "");
  const level = LEVEL.exec(type)?.[0] ?? URGENT.exec(behind)?.groups?.["level"];
  const urgent = level === undefined ? "" : `, priority ${level.toLowerCase()}`;
  const details = behind.replace(URGENT, "").trim();
  const thing = `${type.replace(LEVEL, "").trim()}${place}`;
  const order = `create a ${thing} titled “${title.replace(/[\s.!]+$/, "")}”${urgent}${description}`;
  return details === "" ? order : `${order}. ${details}`;
}
