import type { KnownName } from "#contract/plan.ts";

import { codeOf, type Detail, detailsIn, labelsBehind, levelIn } from "./details.ts";
import { COLON, createSheet } from "./sheet.ts";

const POLITE =
  "(?:(?:so|and|then|please|pls|plz|can|could|would|will|you|we|i|someone|somebody|just|also|let['’]?s|quick one|hi|hello|hey|kindly|be so kind(?: as to| and)|be so nice(?: as to| and))(?:\\s*[,!]\\s+|\\s+))*";
const KIND = "(?<kind>bug|task|story|epic|ticket|issue)";
const WHERE =
  "(?:in|for|on|under)\\s+(?:the\\s+)?[\\p{L}\\d]+(?:\\s+[\\p{L}\\d]+)?(?:\\s+(?:project|board))?";
const PLACE = `(?:\\s+(?<place>${WHERE}))?`;
const LEVEL = "(?:(?<level>highest|high|medium|low|lowest)(?:[ -]prio(?:rity)?)?\\s+)?";
const MAKE = "(?:create|add|file|log|open|raise|report|make|submit|track|write|put in|put up)";
const ORDER = `${POLITE}(?<verb>${MAKE}(?:\\s+(?:me|us|(?:this|that|it)\\s+as))?\\s+|(?:i|we)(?:['’]d\\s+like|\\s+would\\s+like|\\s+want|\\s+need)\\s+(?:to\\s+(?:${MAKE}|have)\\s+)?|(?:need|want)\\s+|(?=new\\s)|(?=${KIND.replace("?<kind>", "?:")}\\b))(?:an?\\s+|another\\s+|one\\s+more\\s+)?(?:new\\s+)?${LEVEL}${KIND}`;
const ASIDE = "(?:,?\\s+(?:please|pls|plz|(?<mine>for me)|for us))?";

/** "Create a bug in DEMO: …", "new task: …", "log this as a story for DEMO: …", "bug: … (in MOB)" */
const HEADED = new RegExp(`^\\W*${ORDER}${PLACE}${ASIDE}\\s*:\\s+(?<body>\\S.*)$`, "isu");
/** "Need ticket, customers get the wrong mail. bug, shop, high" */
const BEHIND_COMMA = new RegExp(
  `^\\W*(?=(?:\\p{L}+\\s+){0,3}(?:need|want|new)\\b)${ORDER}${PLACE}${ASIDE}\\s*,\\s+(?<body>\\S+\\s+\\S+\\s.*\\.\\s.*)$`,
  "isu",
);
/** "Make a task in OPS saying …" */
const SAYING = new RegExp(
  `^\\W*${ORDER}${PLACE}${ASIDE}\\s+(?:(?:saying|that\\s+says|which\\s+says|reading)\\s+(?:that\\s+)?|for\\s+(?=\\p{Ll}+ing\\s))(?<body>\\S.*)$`,
  "isu",
);
/** "In MOB: new task 'The icon is missing', for Ben" */
const PLACED = new RegExp(`^\\W*(?<place>${WHERE})\\s*[:,]\\s+(?=${ORDER}(?:\\s+["“„«‘']|\\s*:))`, "iu");
const PIECE =
  /^(?<title>.*\S)(?<joint>\s*[,;.]\s+(?:and\s+)?|\s+and\s+|\s+[-–—]\s+|\s+with\s+|\s*\()(?<piece>[^,;.()]+?)\)?[.!]*\s*$/su;
const THANKS =
  /[\s,.!]+(?:please|pls|plz|(?:many )?thanks|thank you|thx|cheers)(?: (?:a lot|so much|in advance|very much))?[\s.!]*$/i;
/** What is wished besides is no description. */
const ORDERS =
  /(?:^|[.!?,;]\s+)(?:please|pls|then|also|and then|assign|set|move|close|link|comment|give|label|tag|due|show|put)\b|\b(?:epic|assignee|owner|deadline)\b/i;

/**
 * The order for a new issue as one with its title in quotes, and behind it what else is said of it: "bug in DEMO: the
 * map is empty, high prio and assign it to Ben" as "create a bug in DEMO titled “the map is empty”, priority high,
 * assigned to Ben". Any other message as it is, and one in which something is quoted.
 */
export function withQuotedIssue(message: string, known: readonly KnownName[]): string {
  const given = inPlainPlaces(message, known);
  const place = PLACED.exec(given);
  if (place) {
    const order = given.slice(place[0].length);
    const lead = new RegExp(`^\\W*${ORDER}`, "isu").exec(order)?.[0] ?? "";
    const rest = order.slice(lead.length);
    const put = `${lead} ${place.groups?.["place"] ?? ""}`;
    return rest.startsWith(":") ? withQuotedIssue(put + rest, known) : `${put} titled${rest}`;
  }
  if (createSheet(given).quotes.length > 0 || given.includes("\n") || /[“”"]/.test(given)) return given;
  const found = (HEADED.exec(given) ?? SAYING.exec(given) ?? BEHIND_COMMA.exec(given))?.groups;
  const { kind = "", verb = "", body, mine } = found ?? {};
  const where = inCode(found?.["place"] ?? "", known);
  // "Ticket in OPS: who has it?" makes nothing.
  if (body === undefined || (verb.trim() === "" && !/^\W*new\b/i.test(given) && /\?\W*$/.test(body)))
    return given;
  const { title, details } = parted(body, known);
  const [first = "", ...others] = title.split(/(?<=[.!?])\s+(?=\S+\s+\S)/u);
  // "It's for the mobile app, medium would do"; of a sentence of values and something else the values.
  const told = others.map((sentence) => ({ sentence, ...valuesIn(sentence, known) }));
  const more = told.flatMap(({ sentence, own }) => (own.length === 0 ? [sentence] : []));
  const left = told.flatMap(({ own, rest }) => (own.length === 0 ? [] : rest));
  details.unshift(...told.flatMap(({ own }) => own));
  if (COLON.test(title) || more.some((sentence) => ORDERS.test(sentence)) || !/\p{L}/u.test(first))
    return given;
  const type = details.map((detail) => detail.type).find(Boolean);
  const thing = type !== undefined && /^(?:ticket|issue)$/i.test(kind) ? type : kind.toLowerCase();
  const said = details.flatMap(({ text }) => text || []);
  const level = found?.["level"]?.toLowerCase() ?? levelIn(more.join(" "));
  const isUrgent = level !== undefined && !said.some((one) => one.startsWith("priority"));
  // "Can you create it for me" asks a favour.
  const isMine = mine !== undefined && !/\b(?:can|could|would|please|pls)\b/i.test(given);
  return [
    `create a ${thing}${where === "" ? "" : ` ${where}`} titled “${first.replace(/[\s.?]+$/, "")}”`,
    ...(isUrgent ? [`priority ${level}`] : []),
    ...(isMine ? ["assigned to me"] : []),
    ...said,
    ...(more.length === 0 ? [] : [`description “${more.join(" ")}”`]),
  ]
    .join(", ")
    .concat(...left.map((piece) => `. ${piece}`));
}

/** The values that a sentence gives a new issue, and the pieces of it that are none. */
function valuesIn(sentence: string, known: readonly KnownName[]): { own: Detail[]; rest: string[] } {
  const whole = detailsIn(sentence, known);
  if (whole !== undefined) return { own: whole, rest: [] };
  const pieces = sentence.replace(/[\s.!]+$/, "").split(/\s*,\s+(?:and\s+)?/);
  const read = pieces.map((piece) => ({ piece, own: detailsIn(piece, known) }));
  const own = read.flatMap((one) => one.own ?? []);
  // "The login is slow, high" is a sentence with one value behind it.
  return pieces.length < 3 || own.length < pieces.length - 1
    ? { own: [], rest: [] }
    : { own, rest: read.flatMap((one) => (one.own === undefined ? [one.piece] : [])) };
}

/** "For the app", where one project is called so, as "in MOB". */
function inCode(place: string, known: readonly KnownName[]): string {
  const code = codeOf(/(?:the\s+)?([\p{L}\d]+)(?:\s+(?:project|board))?$/iu.exec(place)?.[1] ?? "", known);
  return code === undefined ? place : `in ${code}`;
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** "Bug mob: …" is one in MOB, and "11.12." a day whose points end no sentence. */
function inPlainPlaces(said: string, known: readonly KnownName[]): string {
  const projects = known.filter(({ kind }) => kind === "project").map(({ id }) => id);
  const bare = new RegExp(
    `^(\\W*(?:new\\s+)?(?:bug|task|story|epic|ticket|issue))\\s+(${projects.join("|") || "(?!)"})(?=\\s*:)`,
    "iu",
  );
  return said
    .replace(bare, "$1 in $2")
    .replaceAll(
      /(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(?:\s?(20\d\d))?(?!\d)/g,
      (_all, day: string, month: string, year?: string) =>
        [day, MONTHS[Number(month) - 1], year].filter(Boolean).join(" "),
    );
}

/** "Create … and link it to OPS-16", "…, put DEMO-26 under it": what follows is for when it is there. */
const BEHIND =
  /^(?<made>\W*(?:(?:please|pls|can you|could you)\s+)*(?:create|add|make|open|file|log|raise|new)\b.*?["”’'][^"“”]*?)[\s,]+(?:and\s+)?(?:then\s+)?(?<then>(?:link|connect|relate|put|move|start|comment)\b[^"“”]*\bit\b[^"“”]*)$/isu;

/** An order for a new issue, and what shall be done with it, as two; undefined where there is nothing behind it. */
export function ordersBehind(message: string): string[] | undefined {
  const { made, then } = BEHIND.exec(message)?.groups ?? {};
  return made === undefined || then === undefined ? undefined : [made.replace(/[\s,]+$/, ""), then];
}

/** A title, and what stands behind it that is nothing but a detail of the issue. */
function parted(body: string, known: readonly KnownName[]): { title: string; details: Detail[] } {
  let title = body.replace(THANKS, "");
  const details: Detail[] = [];
  for (;;) {
    const labelled = labelsBehind(title);
    if (labelled !== undefined) {
      const all = labelled.labels.split(/\s*,\s*|\s+and\s+/);
      // "Labels docs and on-call, me": whose it is is no label.
      const isOther = (label: string): boolean =>
        detailsIn(label, known)?.every(({ text }) => /^(?:assigned|priority)\b/.test(text)) === true;
      const end = all.findLastIndex((label) => !isOther(label));
      details.unshift(...all.slice(end + 1).flatMap((label) => detailsIn(label, known) ?? []));
      const labels = all.slice(0, end + 1).map((label) => `"${label}"`);
      if (labels.length > 0) details.unshift({ text: `labels ${labels.join(" and ")}` });
      title = labelled.title;
    }
    const { title: rest, joint = "", piece = "" } = PIECE.exec(title)?.groups ?? {};
    // "Small, medium and high" is all title.
    const isWord = joint.trim() === "and" && !/\s/.test(piece);
    const said = rest === undefined || isWord ? undefined : detailsIn(piece.replace(THANKS, ""), known);
    if (rest === undefined || said === undefined) return { title, details };
    details.unshift(...said);
    title = rest;
  }
}
