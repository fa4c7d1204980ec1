import type { KnownName } from "#contract/plan.ts";

import { URGENT } from "./filed.ts";
import { WORK } from "./nouns.ts";
import { withEpicKeys } from "./containers.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";

/** "create a task for ops to renew the certificate": what it is for stands behind "to". */
const TO_DO = new RegExp(
  `^(.{0,40}?\\b${WORK}\\b(?:\\s+(?:in|for|with|w\\/|under)\\s+(?:the\\s+)?[\\p{L}\\p{N} -]{2,24}?)?)\\s+to\\s+(?=\\p{Ll}{2,}\\s+\\p{L})`,
  "iu",
);
const KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}";

/**
 * What is said of a new record behind its title, put in front of it: "new ticket: the wish list is empty. task, mobile,
 * low, label design, assign to emi" as "new task in MOB, priority low, label design, assigned to emi: the wish list is
 * empty". Only the last pieces count that are nothing but such a detail.
 */
export function withDetailsAhead(message: string, known: readonly KnownName[]): string {
  const told = withToldTitle(message);
  if (told !== undefined) return withDetailsAhead(told, known);
  const quotedTitle = withQuotedTitle(message, known);
  if (quotedTitle !== undefined) return quotedTitle;
  const sheet = createSheet(message);
  const toDo = sheet.quotes.length === 0 && !COLON.test(sheet.masked) ? TO_DO.exec(message) : null;
  const bare = sheet.quotes.length === 0 && !COLON.test(sheet.masked) ? bareTitle(message, known) : undefined;
  const text = bare ?? (toDo === null ? message : `${toDo[1] ?? ""}: ${message.slice(toDo[0].length)}`);
  const { masked } = createSheet(text);
  const colon = COLON.exec(masked);
  const [start, end] = colon === null ? [0, 0] : [colon.index, colon.index + colon[0].length];
  if (colon === null || masked.slice(end).includes(QUOTED) || /\n/.test(text.slice(end))) return text;
  let head = text.slice(0, start);
  const isRecord = new RegExp(`\\b${WORK}\\b`, "iu").test(head);
  const { first, more, level }: Sentences = isRecord
    ? sentencesOf(text.slice(end))
    : { first: text.slice(end) };
  let title = first;
  const said: string[] = [];
  const labelled = labelsBehind(title);
  if (labelled !== undefined && isRecord) {
    title = labelled.title;
    said.push(`labels ${labelled.labels}`);
  }
  for (;;) {
    const piece: RegExpExecArray | null = /(?:\s*[,;.]\s+(?:and\s+)?|\s+and\s+)([^,;.]+)[.!]?\s*$/iu.exec(
      title,
    );
    const detail = toDetail((piece?.[1] ?? "").trim(), known);
    if (!piece || detail === undefined || piece.index < 3) break;
    title = title.slice(0, piece.index);
    if (detail.text !== "" || detail.type === undefined) said.unshift(detail.text);
    if (detail.type !== undefined) head = head.replace(/\b(?:issue|ticket)\b/i, detail.type);
  }
  const place = placeIn(head, known);
  if (place !== undefined) head = place;
  if (level !== undefined && !said.some((one) => /^priority\b/.test(one))) said.push(`priority ${level}`);
  // Behind labels more words would be labels as well.
  const [label, urgent] = [/^labels?\b/i, /^priority\b/].map((kind) =>
    said.findIndex((one) => kind.test(one)),
  ) as [number, number];
  if (label !== -1 && urgent > label) said.splice(label, 0, ...said.splice(urgent, 1));
  if (more !== undefined) said.push(`description "${more}"`);
  if (said.length === 0 && place === undefined && head === text.slice(0, start)) return text;
  return `${[head, ...said.filter(Boolean)].join(", ")}: ${title}`;
}

/** What stands before the labels at the end of a title, and these. */
export function labelsBehind(title: string): { title: string; labels: string } | undefined {
  const found = LABELS.exec(title);
  return found === null ? undefined : { title: title.slice(0, found.index), labels: found[1] ?? "" };
}

/** "…, labels tls and ops": what stands behind "and" is one as well. */
const LABELS =
  /[,;.]\s+(?:with\s+)?(?:the\s+)?(?:labels?|tags?|labell?ed|tagged)\s*:?\s+([\w-]+(?:(?:\s*,\s*|\s+and\s+)(?!(?:due|assign\w*|for|prio\w*|highest|high|medium|low|lowest)\b)[\w-]+)+)\s*[.!]?\s*$/iu;

interface Sentences {
  first: string;
  more?: string;
  level?: string;
}

/** What a title has of several sentences: the first, and of those behind it how urgent it is. */
function sentencesOf(text: string): Sentences {
  const [, first = "", more = ""] =
    /^(\S+\s+\S+\s+\S[^.!?]*?[.!?])\s+(\p{L}\S*\s+\S+\s.*)$/su.exec(text) ?? [];
  const isPlain = more !== "" && !/["“”„«»`]/.test(more) && !ORDERS.test(more);
  if (!isPlain) return { first: text };
  const level = levelIn(more);
  return {
    first: first.replace(/[.]$/, ""),
    more: more.trim(),
    ...(level === undefined ? {} : { level }),
  };
}

/** How urgent it is by what is told of it, in lower case. */
export function levelIn(told: string): string | undefined {
  const [, said, behind] = LEVEL.exec(told) ?? [];
  return (said ?? behind)?.toLowerCase();
}

/** "Low is fine", "so I'd say High", "prio medium" */
const LEVEL =
  /(?:^|[.!?,;]\s+)(highest|high|medium|low|lowest)\b(?:\s+(?:prio\p{L}*\s+)?(?:is|will be|would be)\s+(?:fine|enough|ok(?:ay)?|good|plenty)|\s*[.!]?\s*$)|\b(?:i['’]?d say|i would say|prio(?:rity)?(?: is)?|probably)\s+(highest|high|medium|low|lowest)\b/iu;
/** What is wished besides is no description. */
const ORDERS =
  /(?:^|[.!?,;]\s+)(?:please|pls|then|i['’]ll|i will|let me|and then|also|assign|set|move|close|link|comment|give|label|tag|due|show|make|put)\b|\b(?:epic|assignee|owner|belongs|labels?|deadline|due)\b/i;

/** "Can you open a bug in MOB? The app closes when I rotate it": the sentence behind the order is what it is about. */
function withToldTitle(message: string): string | undefined {
  const { quotes, masked } = createSheet(message);
  if (quotes.length > 0 || COLON.test(masked)) return undefined;
  const [, head = "", rest = ""] =
    new RegExp(
      `^([^.?!]*\\b${WORK}\\b(?:\\s+(?:in|for|on|under|to)\\s+(?:the\\s+)?[\\p{L}\\p{N} -]{2,30}?)?(?:,?\\s+(?:please|pls|for me))?)\\s*[.?!]\\s+(\\S.*\\s\\S.*\\s\\S.*)$`,
      "isu",
    ).exec(message) ?? [];
  const urgent = head === "" ? undefined : URGENT.exec(rest)?.groups?.["level"];
  if (urgent !== undefined) return `${head}, priority ${urgent}`;
  return head === "" || /^(?:it|its|please|label|assign|give|priority|put|set|make)\b/i.test(rest)
    ? undefined
    : `${head}: ${rest}`;
}

/**
 * `new bug in DEMO: "Wrong number". High, label customer, for Ben`: what follows the title in quotes, where all of it
 * is such a detail.
 */
function withQuotedTitle(message: string, known: readonly KnownName[]): string | undefined {
  const { quotes, masked } = createSheet(message);
  const [quote, ...others] = quotes;
  const rest = message.slice(quote?.end ?? 0);
  if (
    !quote ||
    others.length > 0 ||
    !/^\s*[.,;!]?\s*\p{L}/u.test(rest) ||
    COLON.test(masked.slice(quote.end))
  )
    return undefined;
  // What follows them is another wish: "…, high, for Ben, link it to OPS-9".
  const pieces = rest.split(/\s*[,;]\s+(?:and\s+)?/).filter((piece) => piece !== "");
  const own = pieces.findIndex((piece) => detailsIn(piece, known) === undefined);
  const kept = pieces.slice(0, own === -1 ? pieces.length : own).join(", ");
  const left = own === -1 ? "" : pieces.slice(own).join(", ");
  const details = detailsIn(rest, known) ?? (left === "" || kept === "" ? undefined : detailsIn(kept, known));
  if (details === undefined) return undefined;
  const beside = detailsIn(rest, known) === undefined ? `. ${left}` : "";
  const head = message.slice(0, quote.start).replace(/[\s:,]+$/, "");
  const type = details.map((detail) => detail.type).find(Boolean);
  const thing = type === undefined ? head : head.replace(/\b(?:issue|ticket)\b/i, type);
  const title = /\b(?:titled|title|called|named|summary)$/i.test(head) ? "" : " titled";
  const more = details.flatMap((detail) => detail.text || []);
  return `${thing}${title} ${message.slice(quote.start, quote.end)}${more.map((one) => `, ${one}`).join("")}${beside}`;
}

/** What a text says of a new record, where every piece of it is such a detail: "it's a bug, high, for Ben". */
export function detailsIn(text: string, known: readonly KnownName[]): Detail[] | undefined {
  const said = text.split(/\s*[,;.!]\s*|\s+and\s+/i).filter((piece) => piece !== "");
  const details = said.map((piece) =>
    toDetail(
      piece
        .replace(/^(?:please|pls|and|also)\s+/i, "")
        .replace(
          /^(?:it|this|that)(?:['’]s|\s+(?:is|goes|belongs|should (?:be|go|have|get)|has|gets))?\s+/i,
          "",
        )
        .replace(/^(?:its|the)\s+/i, "")
        .replace(/\s+(?:should be|shall be|is)\s+/i, " ")
        .replace(/\s+(?:for now|please|pls|thanks)$/i, ""),
      known,
    ),
  );
  const whole = details.filter((detail) => detail !== undefined);
  return details.length === 0 || whole.length < details.length ? undefined : whole;
}

/** "Create task in OPS replace the fan": behind the project stands the title, with nothing that says so. */
function bareTitle(message: string, known: readonly KnownName[]): string | undefined {
  // "In Demo Shop called …": the name goes on.
  const later = known
    .filter(({ kind }) => kind === "project")
    .flatMap(({ name }) => name.split(" ").slice(1))
    .filter((word) => /^\p{L}+$/u.test(word));
  const place = new RegExp(
    `^(.{0,30}?\\b${WORK}\\s+(?:in|for)\\s+(?:the\\s+)?(?:${namesOf(known, "project")})(?:\\s+project)?)\\s*[,–-]?\\s+(?=\\p{Ll}{3,}\\s)(?!(?:${["to", ...later].join("|")}|for|that|about|with|which|where|because|called|titled|named|saying|labell?ed|assigned|and|under|due|priority|please|from|when)\\b)`,
    "iu",
  ).exec(message);
  return place ? `${place[1] ?? ""}: ${message.slice(place[0].length)}` : undefined;
}

/** One value of a new record in plain words, "" for none; `type` is what it is. */
export interface Detail {
  text: string;
  type?: string;
}

/** A piece that says nothing but one value of the new record. */
function toDetail(piece: string, known: readonly KnownName[]): Detail | undefined {
  const said = piece.replace(/^(?:please|pls|with|and|also)\s+/i, "");
  const match = (pattern: string): string | undefined =>
    new RegExp(`^(?:${pattern})$`, "iu").exec(said)?.slice(1).find(Boolean);
  const people = namesOf(known, "person");
  const type = match("(?:type\\s*(?:is|:)?\\s*|an?\\s+)?(bug|task|story)");
  if (type !== undefined) return { text: "", type: type.toLowerCase() };
  const projects = namesOf(known, "project");
  const [, place, kind] = new RegExp(`^(?:in\\s+)?(${projects})\\s+(bug|task|story)$`, "iu").exec(said) ?? [];
  const placed = codeOf(place ?? "", known);
  if (placed !== undefined && kind !== undefined) return { text: `in ${placed}`, type: kind.toLowerCase() };
  if (match("(not (?:so |very |that )?urgent|no (?:hurry|rush))") !== undefined)
    return { text: "priority low" };
  if (match("(normal(?:[ -]prio(?:rity)?)?)") !== undefined) return { text: "priority medium" };
  const priority = match(
    "(?:prio(?:rity)?\\s*(?:is|:)?\\s*)?(highest|high|medium|low|lowest|urgent|critical)(?:[ -]prio(?:rity)?)?(?:\\s+(?:would|will|should)\\s+(?:do|be\\s+(?:fine|enough|ok(?:ay)?|good)))?",
  );
  if (priority !== undefined) return { text: `priority ${priority}` };
  const label = match(
    "(?:the\\s+)?(?:labels?|tags?|labell?ed|tagged)(?:\\s+(?:it|this))?(?:\\s+(?:as|with))?\\s*:?\\s+([\\w-]+)",
  );
  if (label !== undefined) return { text: `label ${label}` };
  const person = match(
    `(?:(?:re)?assign(?:ed|ee)?(?:\\s+(?:it|this))?(?:\\s+to)?\\s*:?|for|to|owner|lead|give(?:\\s+it)?\\s+to)\\s+(me|${people})|(?:put|set)\\s+(me|${people})\\s+on\\s+(?:it|this)|(${people}|me)`,
  );
  if (person !== undefined) return { text: `assigned to ${person}` };
  if (match("(unassigned|no assignee|nobody|no[ -]one)(?:\\s+(?:for\\s+now|yet))?") !== undefined)
    return { text: "" };
  if (
    match(
      "(i(?:['’]ll|\\s+will)\\s+(?:do|take|handle|look after|own)\\s+(?:it|this|that)(?:\\s+(?:myself|on))?|i\\s+own\\s+(?:it|this|that)|mine)",
    ) !== undefined
  )
    return { text: "assigned to me" };
  const epic = match(`(?:under|in|into|to|epic|for)\\s+(?:the\\s+)?(?:epic\\s+)?(${KEY})(?:\\s+epic)?`);
  if (epic !== undefined) return { text: `under epic ${epic}` };
  const called = epicCalled(said, known);
  if (called !== undefined) return { text: called };
  const project = match(
    `(?:(?:in|for|to)\\s+(?:the\\s+)?)?(?:project\\s*:?\\s*)?(${projects})(?:\\s+project)?`,
  );
  const code = project === undefined ? undefined : codeOf(project, known);
  if (code !== undefined) return { text: `in ${code}` };
  if (match("(due\\s+.{2,20})") !== undefined) return { text: said };
  const until = match(
    "(?:(?:it\\s+)?(?:should|must|has\\s+to|needs\\s+to)\\s+be\\s+)?(?:done|finished|ready)\\s+(?:by|until|before)\\s+(.{3,25})",
  );
  if (until !== undefined) return { text: `due ${until}` };
  const day = match(
    "(?:by|until|before|for)\\s+((?:next\\s+|this\\s+|the\\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|end\\s+of\\s+.{3,12}|\\d{1,2}(?:st|nd|rd|th)?(?:\\s+of)?\\s+\\p{L}{3,9}|\\p{L}{3,9}\\s+\\d{1,2}(?:st|nd|rd|th)?))",
  );
  return day === undefined ? undefined : { text: `due ${day}` };
}

/** "The checkout redesign epic", "under accounts and login": where one epic is called so, which is found by it later. */
function epicCalled(said: string, known: readonly KnownName[]): string | undefined {
  const bare = said.replace(/^(?:under|in|into|to|for)\s+/i, "");
  const named = /\bepic\b/i.test(bare)
    ? bare
    : /^under\b/i.test(said)
      ? `the epic ${bare.replace(/^the\s+/i, "")}`
      : "";
  const isOne = new RegExp(`^(?:the\\s+)?epic\\s+${KEY}$`, "iu").test(withEpicKeys(named, known).text);
  return isOne ? `under ${named}` : undefined;
}

/** "make a ticket ops", "a story to epic DEMO-20": where the new record goes, said as elsewhere. */
function placeIn(head: string, known: readonly KnownName[]): string | undefined {
  const names = namesOf(known, "project");
  const bare = new RegExp(`\\b${WORK}\\s+(?:(?:w\\/|with)\\s*)?(${names})$`, "iu").exec(head);
  const code = codeOf(bare?.[1] ?? "", known);
  if (bare && code !== undefined)
    return `${head.slice(0, head.length - (bare[1] ?? "").length).replace(/(?:w\/|with)\s*$/i, "")}in ${code}`;
  const epic = new RegExp(`\\bepic\\s+(${KEY})\\b`, "iu").exec(head);
  const own = codeOf((epic?.[1] ?? "").split("-")[0] ?? "", known);
  const isPlaced = new RegExp(`\\b(?:in|for|to)\\s+(?:the\\s+)?(?:${names})(?![\\p{L}-])`, "iu").test(head);
  return epic && own !== undefined && !isPlaced
    ? `${head.replace(/\b(?:to|in|into)\s+(?:the\s+)?(?=epic\b)/i, "under ")} in ${own}`
    : undefined;
}

export function codeOf(said: string, known: readonly KnownName[]): string | undefined {
  const lower = said.toLowerCase();
  const found = known.filter(
    ({ kind, id, name }) =>
      kind === "project" &&
      [id, name, ...name.split(" ").filter((word) => word.length > 2)].some(
        (each) => each.toLowerCase() === lower,
      ),
  );
  return found.length === 1 ? found[0]?.id : undefined;
}

/** What people and projects are called, as alternatives of a pattern; what matches nothing where none are known. */
function namesOf(known: readonly KnownName[], kind: string): string {
  const names = known
    .filter((one) => one.kind === kind)
    .flatMap(({ id, name }) => [name, id, ...name.split(" ").filter((word) => word.length > 2)])
    .filter((name) => /^[\p{L}\p{N}][\p{L}\p{N} .'’-]*$/u.test(name))
    .toSorted((one, other) => other.length - one.length);
  return names.length === 0 ? "(?!)" : [...new Set(names)].join("|").replaceAll(".", "\\.");
}
