import type { KnownName } from "#contract/plan.ts";

import { withEpicKeys } from "./containers.ts";
import { codeOf, type Detail, detailOf, detailsIn, labelsText } from "./details.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { KEY as ONE_KEY } from "./words.ts";

/** An order for a new issue, as one plain order, and what belongs to it. */
export interface NewIssue {
  /** "create a bug in DEMO titled “The map is empty”, priority high" */
  order: string;
  /** Orders for the issue once it is there, and others in the same message. */
  further: string[];
  /** What was told beside it. */
  told: string[];
}

/** What a new issue may refer to without naming it. */
export interface Around {
  /** The code of the project of what was shown last, for "in the same project". */
  project?: string;
  /** The key of the epic that was shown last, for "under it". */
  epic?: string;
}

const KIND = "(?<kind>bug|task|story|epic|ticket|issue|something)(?:[ -]report)?(?![\\p{L}\\p{N}-])";
const GRADES = "highest|high|medium|low|lowest|urgent";
const LEVEL = `(?:(?<level>${GRADES})(?:[ -]prio(?:rity)?)?\\s+)?`;
const MAKE =
  "(?:create|add|file|log|open|raise|report|make|submit|track|record|write(?:\\s+up)?|put\\s+(?:in|up)|set\\s+up|note)";
const GREETING =
  "(?:hi|hello|hey|(?:good\\s+)?morning|ok(?:ay)?|oh|ah|so|and|also|then|plus|now|well|please|pls|plz|thanks|thank you|thx|perfect|great|good|fine|right|yes|btw|fyi|quick one|one more(?: thing)?|another thing|all|team|folks|everyone|guys|bot|next)";
const LEADS = new RegExp(`^\\W*(?:${GREETING}\\b[\\s,.!:–-]*)*`, "iu");
const ASK =
  "(?:(?:can|could|would|will)\\s+(?:you|u|we|i|someone|somebody)\\s+|let['’]?s\\s+|(?:i['’]?d|i\\s+would|we['’]?d)\\s+like\\s+(?:you\\s+)?to\\s+|(?:i|we)\\s+(?:want|need)\\s+(?:you\\s+)?to\\s+|be\\s+so\\s+(?:kind|nice)(?:\\s+as\\s+to|\\s+and)\\s+|would\\s+you\\s+mind\\s+|(?:please|pls|plz|kindly|just|quickly|also|then|and)\\s+)*";
const HAVE =
  "(?:(?:i|we)(?:['’]?d\\s+like|\\s+would\\s+like|\\s+want|\\s+need)(?:\\s+to\\s+have)?|need|want|(?:can|could|may)\\s+(?:i|we)\\s+(?:please\\s+|pls\\s+)?(?:get|have)|(?:can|could)\\s+you\\s+(?:please\\s+|pls\\s+)?(?:give|get|make)\\s+me)";
const ARTICLE = "(?:(?:an?|another|one\\s+more|one|a\\s+second)\\s+)";
/** "Create a bug", "log this as a story", "I need a task", "new task" */
const ORDERED = new RegExp(
  `^(?:${ASK}${MAKE}\\s+(?:(?<that>this|that|it)\\s+(?:(?:up|down)\\s+)?(?:(?:in\\s+)?as\\s+)?)?(?:me\\s+|us\\s+)?|${HAVE}\\s+)(?:${ARTICLE}(?:new\\s+)?|new\\s+)?${LEVEL}${KIND}`,
  "iu",
);
const NEW = new RegExp(`^${ASK}(?:${ARTICLE})?(?:new|another)\\s+${LEVEL}${KIND}`, "iu");
/** "Bug in MOB: …", "a task for me in OPS, …" */
const BARE = new RegExp(
  `^${ASK}(?<article>${ARTICLE})?(?<front>(?!(?:an?|the|new|one|another|${GRADES})\\s)\\p{L}{2,12}\\s+)?${LEVEL}${KIND}`,
  "iu",
);
/** "Create “Decommission rack 4” in OPS, task, …" */
const QUOTED_FIRST = new RegExp(`^${ASK}(?:create|file|log|open|raise)\\s+(?=["“])`, "iu");
/** "Could you log that support can't see cancelled orders?" */
const SAYS = new RegExp(
  `^${ASK}(?:log|record|track|file|report|note\\s+down)\\s+that\\s+(?!(?:up|down|as|in)\\b)(?=\\S+\\s+\\S+\\s+\\S)`,
  "iu",
);
const FAVOUR =
  /^(\s+(?:in|for)\s+(?!me\b)[\p{L}\d]+)?\s+for\s+(?:me|us)(?=\s*[,.:;!?]|\s+(?:in|to|about|called|titled|with|that)\b|$)/iu;
const POLITELY = /^\s*,?\s+(?:please|pls|plz|thanks|thx)(?=\s*[.,:;!–-])/iu;
/** "The bug report form", "ticket system": no new issue. */
const OTHER_THING =
  /^\s+(?:forms?|system|tracker|templates?|lists?|charts?|overview|summary|dashboard|filters?|board|number|status|count|from|with\s+the\s+key|is|are|was|has|have|needs?|should|must|can|will)\b/iu;
const INTRODUCES =
  /^\s*(?:[:,–—-]\s*)?(?:please\s*[:,]?\s+|pls\s*[:,]?\s+)?(?<word>(?:(?:and\s+)?call\s+it|called|titled|named|saying|reading|with\s+(?:the\s+)?(?:title|summary)|(?:that|which)\s+says|(?:the\s+)?(?:title|summary)(?:\s+is)?|about|for\s+to|to|for|of|that|where|because|so\s+(?:that\s+)?(?:we|i)(?=\s))(?:\s*:\s*|\s+)(?:that\s+(?=\p{Ll}))?)?/iu;
const POINTS =
  /^\s*(?:(?:for|about|of|from|on|out\s+of)\s+)?(?:that|this|it|one)(?=\s*(?:$|[,.;!?–-]|in\b|for\b|with\b|under\b|and\b|please\b|pls\b))/iu;
const TITLE =
  /^(?:(?:the\s+)?(?:title|summary|name)(?:\s*[:=]\s*|\s+(?:is|should be|shall be|something like|could be|maybe)\s*:?\s+|\s+(?=["“]))|(?:please\s+)?(?:call|title|name)\s+(?:it|that|this)\s*:?\s*|(?:re(?:name|title)\s+(?:it|that)|change\s+the\s+(?:title|summary))\s+to\s*:?\s*)(?<title>\S.*)$/isu;
const TEXT =
  /^(?:(?:and\s+|with\s+)*(?:the\s+)?(?:description|details?|desc|text|body)\s*(?::|is\b|(?=["“]))\s*|described\s+as\s*:?\s+)(?<text>\S.*)$/isu;
/** What is ordered besides. */
const BESIDES = new RegExp(
  `^(?:(?:and|then|also|please|pls|afterwards)\\s+)*(?:(?:assign|set|move|close|link|comment|give|label|tag|put|start|make|mark|connect|tell|add)\\b(?=.*\\b(?:it|that|this|them|there|to\\s+(?:the\\s+)?(?:\\p{L}+\\s+){1,3}(?:ticket|bug|task|story|issue|epic))\\b)|(?:assign|set|move|close|link|comment|reopen|delete|show|list)\\b(?=.*${ONE_KEY}))`,
  "iu",
);
const ANOTHER = new RegExp(
  `^(?:(?:and|also|then|plus)\\s+)+(?:(?:under|below|in)\\s+(?:it|that)\\s*,?\\s+)?(?:another|an?|one\\s+more)\\s+(?:new\\s+)?${KIND.replace("?<kind>", "?:")}`,
  "iu",
);
const CHATTER =
  /^\W*(?:(?:many\s+)?thanks?|thank\s+you|thx|cheers|please|pls|plz|that['’]?s\s+(?:all|it)|sorry)\b[^.]{0,40}$/iu;
const SAME = /^(?:(?:in|for|on)\s+)?(?:the\s+)?same\s+project$|^there$|^in\s+(?:that|this)\s+project$/i;
/** Nothing says what the other one has: people are told that it is left out. */
const SAME_AS =
  /^(?:with\s+)?(?:the\s+)?same\s+(?:labels?|tags?|priority|due date|assignee|person|people)$|^(?:with\s+)?(?:the\s+)?same\s+\p{L}+\s+as\s+\S/iu;
const UNDER_IT =
  /^(?:under|to|into|in|below)\s+(?:it|that|this)(?:\s+epic)?$|^(?:the\s+)?same\s+epic$|^(?:under|in|to)\s+(?:the\s+)?same\s+epic$/i;

/**
 * An order for a new issue, whatever of it is said first and however it is parted: "bug ops: restore failed. highest.
 * labels backup database. me", "a lady gets charged twice. can you make a bug for that in DEMO, high prio pls?".
 * Undefined where the message is none, or says nothing of what it is about.
 */
export function asNewIssue(
  message: string,
  known: readonly KnownName[],
  around: Around,
): NewIssue | undefined {
  if (message.includes("\n") || message.length > MOST_CHARS) return undefined;
  const text = placedBehind(plainly(message, known), known);
  for (const start of startsIn(text)) {
    const made = orderAt(text, start, known, around);
    if (made !== undefined) return made;
  }
  return orderBehind(text, known, around);
}

const MOST_CHARS = 1200;
const MOST_STARTS = 6;

/** "Bug in MOB (high)", "11.12." as they are read below. */
function plainly(message: string, known: readonly KnownName[]): string {
  const days = message.replaceAll(
    /(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(?:\s?(20\d\d))?(?!\d)/g,
    (_all, day: string, month: string, year?: string) =>
      [day, MONTHS[Number(month) - 1], year].filter(Boolean).join(" "),
  );
  return days
    .replaceAll(/\bw\/\s/gi, "with ")
    .replaceAll(/\s\(([^()“”"]{2,60})\)/g, (all, inner: string) =>
      detailOf(inner, known) === undefined ? all : `, ${inner}`,
    );
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** "In MOB: new task: …": where it goes may stand ahead of all. */
function placedBehind(text: string, known: readonly KnownName[]): string {
  const [lead = "", place = ""] = /^\W*((?:in|for|on)\s+[^:,]{2,30})\s*[:,]\s+/iu.exec(text) ?? [];
  const own = text.slice(lead.length);
  const head =
    lead === "" || !detailOf(place, known)?.text.startsWith("in ")
      ? null
      : (ORDERED.exec(own) ?? NEW.exec(own));
  return head === null ? text : `${head[0]} ${place}${own.slice(head[0].length)}`;
}

/** Where an order may begin: at the start of the message, behind its greeting, and behind each of its sentences. */
function startsIn(text: string): { told: string; at: number }[] {
  const { masked } = createSheet(text);
  const starts = [0];
  for (const { index, 0: part } of masked.matchAll(
    /[.!?]+\s+|\s[-–—]\s|,\s+(?=(?:so|please|pls|can|could)\s)/gu,
  ))
    starts.push(index + part.length);
  return starts.slice(0, MOST_STARTS).map((start) => ({
    told: text.slice(0, start),
    at: start + (LEADS.exec(masked.slice(start))?.[0].length ?? 0),
  }));
}

function orderAt(
  text: string,
  start: { told: string; at: number },
  known: readonly KnownName[],
  around: Around,
): NewIssue | undefined {
  const own = text.slice(start.at);
  const head = headOf(own, known);
  const told = toldIn(start.told);
  if (head === undefined || told === undefined) return undefined;
  const draft = createDraft(head.kind, known, around);
  for (const detail of head.details) draft.take(detail);
  // "A bug for that in DEMO", "a story in DEMO for that"
  const placed = draft.inline(head.rest.replace(POINTS, "").replace(head.isAsked ? FAVOUR : /(?!)/, "$1"));
  const isFiled = head.isFiled || POINTS.test(head.rest) || POINTS.test(placed);
  const behind = placed.replace(POINTS, "").replace(POLITELY, "");
  const isColon = /^\s*:/.test(behind);
  if (!head.isSure) {
    // "A ticket in DEMO, who has it?" makes nothing.
    const isParted = isColon || /^\s*[,.!]\s|^\s+[-–—]\s/.test(behind);
    const isMeant = isColon || head.isPlaced || (head.hasArticle && !draft.isEmpty());
    if (!isParted || !isMeant || /\?\W*$/.test(own) || (told.length > 0 && !isColon)) return undefined;
  }
  // "Make it a bug" is said of what waits.
  if (head.isFiled && !isColon && told.length === 0) return undefined;
  const intro = isFiled || isColon ? null : INTRODUCES.exec(behind);
  const word = intro?.groups?.["word"]?.trim().toLowerCase() ?? "";
  const body = behind.slice(intro?.[0].length ?? 0).replace(/^\s*[:,.;!?–—-]+\s+/, "");
  // "… for Emi, Ben has too many": that is no title.
  if (intro?.[0].trim() === "," && isAside(body, known)) return draft.untitled();
  draft.read(body, { word, isDictated: isColon, isFiled: isFiled && !isColon && told.length > 0 });
  if (head.isOpen && !draft.isSorted()) return undefined;
  return draft.order(told, isFiled) ?? (head.isSure && told.length === 0 ? draft.untitled() : undefined);
}

/** What a message says of a new issue that is asked for and not made yet. */
export interface Amendment {
  /** An order for such an issue with nothing but what is new, such as "create a bug titled “x”, priority low". */
  order: string;
  hasTitle: boolean;
  /** Orders for it once it is there. */
  further: string[];
  /** Whether more is told, such as why. */
  isTold: boolean;
}

/**
 * "No, high", "due 10 december, and Ana should do it, she has the login", "the title should be …", behind an order for
 * a new issue that still waits: there is nothing yet that could be changed, so that is a part of the order. Undefined
 * where it says something else, or names another issue.
 */
export function amendedBy(
  message: string,
  known: readonly KnownName[],
  around: Around,
): Amendment | undefined {
  if (message.includes("\n") || message.length > MOST_AMENDED || /\?\s*$/.test(message)) return undefined;
  const text = plainly(message, known).replace(LEADS, "").replace(NO, "").replace(MAKE_IT, "");
  const [first] = partsOf(text);
  const draft = createDraft("issue", known, around);
  draft.read(text, { word: "", isFiled: true });
  const { title, details, described, reasons, further, besides } = draft.said();
  if (besides.length > 0) return undefined;
  const isOfIt =
    first !== undefined &&
    (title !== "" ||
      described.length + further.length > 0 ||
      WITH_MORE.test(first.text) ||
      detailOf(first.text, known) !== undefined);
  if (!isOfIt || (title === "" && details.length + described.length === 0 && further.length === 0))
    return undefined;
  if (!reasons.every((reason) => REASON.test(reason) && !new RegExp(ONE_KEY, "u").test(reason)))
    return undefined;
  const type = details.findLast((detail) => detail.type !== undefined)?.type ?? "issue";
  const order = [
    `create ${/^[aeiou]/.test(type) ? "an" : "a"} ${type} titled “${title === "" ? "x" : inQuotes(title)}”`,
    ...valuesOf(details),
    ...(described.length === 0 ? [] : [`description “${inQuotes(described.join(" "))}”`]),
  ].join(", ");
  return { order, hasTitle: title !== "", further, isTold: reasons.length > 0 };
}

const WITH_MORE = /\s(?:and|with)\s/i;
const MOST_AMENDED = 240;
const NO = /^(?:(?:no|nope|nah|wait|sorry|oops|ups|actually|rather|better|maybe|hm+|but|or)\b[\s,.!:–-]*)+/iu;
const MAKE_IT = /^(?:make|set|change|put)\s+(?:it|that|this)\s+(?:(?:an?|to|as)\s+)?(?=\S)/iu;
/** What is told beside a value says why. */
const REASON =
  /^(?:because|since|as|otherwise|after all|he|she|they|it|we|i|that|this|there|our|the|nobody|everybody|\p{Lu}\p{L}+|not)\b(?!.*\?)/u;

interface Head {
  kind: string;
  details: Detail[];
  rest: string;
  /** Nothing else can be meant by it. */
  isSure: boolean;
  hasArticle: boolean;
  /** Its project stands in front of it. */
  isPlaced: boolean;
  /** "Log that as a bug": what was told before is what it is about. */
  isFiled: boolean;
  /** "Can you create it for me" asks a favour. */
  isAsked: boolean;
  /** It may be about anything: only with a type or a project it is one. */
  isOpen: boolean;
}

function headOf(own: string, known: readonly KnownName[]): Head | undefined {
  const open = QUOTED_FIRST.exec(own) ?? SAYS.exec(own);
  const sure = ORDERED.exec(own) ?? NEW.exec(own);
  const bare = sure === null && open === null ? BARE.exec(own) : null;
  const found = open ?? sure ?? bare;
  if (found === null) return undefined;
  const { kind = "issue", level, that, article, front } = found.groups ?? {};
  const code = front === undefined ? undefined : codeOf(front.trim(), known);
  const rest = own.slice(found[0].length);
  if ((front !== undefined && code === undefined) || OTHER_THING.test(rest) || /^\s+#?\d/.test(rest))
    return undefined;
  return {
    kind: kind.toLowerCase() === "something" ? "issue" : kind.toLowerCase(),
    details: [
      ...(level === undefined ? [] : [{ text: `priority ${level.toLowerCase()}` }]),
      ...(code === undefined ? [] : [{ text: `in ${code}` }]),
    ],
    rest: rest.replace(/^\s+(?:please|pls|plz)(?=\s+\p{L})/iu, ""),
    isSure: bare === null,
    hasArticle: article !== undefined,
    isPlaced: code !== undefined || POLITELY.test(rest),
    isFiled: that !== undefined,
    isAsked: /\b(?:can|could|would|will|please|pls)\b/i.test(found[0]),
    isOpen: open !== null,
  };
}

/**
 * "The disk alert fires although the disk is half empty. Bug, OPS, medium.": what is told, and behind it a sentence of
 * values with what it is and where.
 */
function orderBehind(text: string, known: readonly KnownName[], around: Around): NewIssue | undefined {
  const parts = partsOf(text);
  const sentences = sentencesOf(parts);
  for (const [at, sentence] of sentences.entries()) {
    const values = sentence.map((part) => detailOf(part.text, known));
    if (at === 0 || values.includes(undefined) || !values.some((value) => value?.type !== undefined))
      continue;
    const told = toldIn(joined(sentences.slice(0, at).flat()));
    const draft = createDraft("issue", known, around);
    draft.read(joined(sentences.slice(at).flat()), { word: "", isFiled: true });
    return told === undefined || told.length === 0 || !draft.isSorted(true)
      ? undefined
      : draft.order(told, true);
  }
  return undefined;
}

/** Parts as they stand, without what ends the last. */
function ended(parts: readonly Part[]): string {
  return parts.map(({ text, joint }, at) => text + (at === parts.length - 1 ? "" : joint)).join("");
}

function joined(parts: readonly Part[]): string {
  return parts
    .map(({ text, joint }) => text + joint)
    .join("")
    .trim();
}

/** The sentences in front of an order; undefined where one of them is an order or a question itself. */
function toldIn(text: string): string[] | undefined {
  const said = text.replace(LEADS, "").replace(/[\s–—,;:-]+$/u, "");
  const sentences = said.split(/(?<=[.!?])\s+/u).filter((one) => /\p{L}/u.test(one));
  const isOther = (one: string): boolean =>
    new RegExp(ONE_KEY, "u").test(one) ||
    /\?\s*$/.test(one) ||
    /^\W*(?:close|move|assign|set|comment|link|create|reopen|delete|show|list|who|what|which|when|where|how|is|are|do|does|did|don['’]?t|never)\b/i.test(
      one,
    );
  return sentences.some(isOther)
    ? undefined
    : sentences.filter((one) => !new RegExp(`^\\W*(?:${GREETING}\\W*)*$`, "iu").test(one));
}

interface Part {
  text: string;
  /** What parts it from the next. */
  joint: string;
}

const ENDS_SENTENCE = /[.!?]/;

/** The parts of a text between commas, dashes and the ends of sentences; what is quoted is whole. */
function partsOf(text: string): Part[] {
  const { masked } = createSheet(text);
  const parts: Part[] = [];
  let from = 0;
  for (const { index, 0: joint } of masked.matchAll(/\s*[,;]\s+|[.!?]+\s+|[.!?]+$|\s+[-–—]{1,2}\s+/gu)) {
    if (joint.startsWith(".") && ABBREVIATED.test(masked.slice(0, index))) continue;
    parts.push({ text: text.slice(from, index), joint });
    from = index + joint.length;
  }
  parts.push({ text: text.slice(from), joint: "" });
  return parts.filter((part) => part.text.trim() !== "");
}

const ABBREVIATED = /(?<![\p{L}\p{N}])(?:e\.g|i\.e|vs|no|nr|approx|incl|min|max|ca|\p{L}|etc)$/iu;

function sentencesOf(parts: readonly Part[]): Part[][] {
  const sentences: Part[][] = [[]];
  for (const part of parts) {
    sentences.at(-1)?.push(part);
    if (ENDS_SENTENCE.test(part.joint)) sentences.push([]);
  }
  return sentences.filter((sentence) => sentence.length > 0);
}

/** A new issue while its order is read. */
interface Draft {
  isEmpty: () => boolean;
  take: (detail: Detail) => void;
  /** Takes the values that stand right behind the kind of issue, and returns what follows them. */
  inline: (rest: string) => string;
  /** `isDictated`: a colon says that what follows is its title, to the letter. */
  read: (body: string, how: { word: string; isDictated?: boolean; isFiled: boolean }) => void;
  said: () => {
    title: string;
    details: readonly Detail[];
    described: readonly string[];
    reasons: readonly string[];
    further: string[];
    besides: readonly string[];
  };
  /** Whether it is said what it is, or where. */
  isSorted: (isBoth?: boolean) => boolean;
  /** An order that says all but what it is about; undefined where nothing of it is said. */
  untitled: () => NewIssue | undefined;
  /** What was told beside it says what it is about, where that is `filed`. */
  order: (told: readonly string[], isFiled: boolean) => NewIssue | undefined;
}

function createDraft(first: string, known: readonly KnownName[], around: Around): Draft {
  const details: Detail[] = [];
  const further: string[] = [];
  const besides: string[] = [];
  const more: string[] = [];
  const described: string[] = [];
  let kind = first;
  let title = "";

  function take(detail: Detail): void {
    details.push(detail);
    if (detail.type !== undefined && /^(?:ticket|issue)$/.test(kind)) kind = detail.type;
    if (detail.further !== undefined) further.push(detail.further);
  }

  function valueOf(piece: string): Detail | undefined {
    const plain = piece.replace(/^(?:(?:and|also)\s+)+/i, "").trim();
    if (SAME.test(plain) && around.project !== undefined) return { text: `in ${around.project}` };
    if (SAME_AS.test(plain)) return { text: "", further: plain };
    if (UNDER_IT.test(plain) && around.epic !== undefined) return { text: `under epic ${around.epic}` };
    return detailOf(plain, known);
  }

  /** So many characters at the start of a text are one value. */
  function lengthOfValue(text: string, isBehindComma: boolean): number {
    const { masked } = createSheet(text);
    const part = /^(?:[^,.;:!?]|\.(?=\d))*/u.exec(masked)?.[0] ?? "";
    const ends = [...part.matchAll(/\S+(?=\s|$)/gu)].map(({ index, 0: word }) => index + word.length);
    const isProject = (said: string): boolean =>
      known.some(({ kind: of, id }) => of === "project" && id.toLowerCase() === said.toLowerCase());
    for (const end of ends.slice(0, MOST_WORDS).toReversed()) {
      const said = text.slice(0, end);
      const isLed = LED.test(said) || (isBehindComma && end === part.trimEnd().length);
      if ((isLed || isProject(said)) && valueOf(said) !== undefined) return end;
    }
    return 0;
  }

  function inline(given: string): string {
    let rest = given;
    for (;;) {
      const space = /^\s*,?\s+(?=\S)/.exec(rest)?.[0] ?? "";
      const text = rest.slice(space.length);
      const length = space === "" ? 0 : lengthOfValue(text, space.includes(","));
      if (length === 0) return rest;
      const detail = valueOf(text.slice(0, length));
      if (detail) take(detail);
      rest = text.slice(length);
    }
  }

  /** The values at both ends of a sentence, and what stands between them. */
  function parted(given: readonly Part[], isDictated: boolean): { values: Detail[]; text: string } {
    let areLabels = false;
    // "…, and under it a task for Dmitri: …"
    const next = given.findIndex(({ text }) => ANOTHER.test(text));
    const sentence = next === -1 ? given : given.slice(0, next);
    if (next !== -1)
      besides.push(
        given
          .slice(next)
          .map(({ text, joint }) => text + joint)
          .join("")
          .replace(/^(?:(?:and|also|then|plus)\s+)+/i, "create "),
      );
    const read = sentence.map((part, at): { part: Part; values: Detail[] | undefined } => {
      if (isDictated && at === 0) return { part, values: undefined };
      const plain = part.text.trim().replace(/^and\s+/i, "");
      const isLabel = areLabels && /^[\w-]+$/.test(plain) && !isValue(plain, known);
      const one = isLabel ? { text: labelsText([plain]) } : valueOf(plain);
      const values = one === undefined ? detailsIn(plain, known) : [one];
      areLabels = isLabel || (values !== undefined && LABELS.test(plain));
      return { part, values };
    });
    // "High because we're losing sales over it": the reason is told as well.
    for (const one of read) {
      const [, said = "", why] = WHY.exec(one.part.text) ?? [];
      const value = one.values === undefined && why !== undefined ? valueOf(said) : undefined;
      if (value === undefined) continue;
      one.values = [value];
      more.push(one.part.text.slice(said.length).trim());
    }
    const start = read.findIndex(({ values }) => values === undefined);
    if (start === -1) return { values: read.flatMap(({ values }) => values ?? []), text: "" };
    const end = read.findLastIndex(({ values }) => values === undefined) + 1;
    const { title: quote } = QUOTE.exec(read[start]?.part.text ?? "")?.groups ?? {};
    // Behind a title in quotes all is said of it.
    if (quote !== undefined && title === "" && start + 1 < end) {
      const before = read.slice(0, start).flatMap((one) => one.values ?? []);
      const { values, text } = parted(sentence.slice(start + 1), false);
      title = unquoted(quote);
      return { values: [...before, ...values], text };
    }
    const middle = read.slice(start, end).map(({ part }) => part);
    const body = middle.findIndex((part) => TEXT.test(part.text));
    if (body !== -1) described.push(unquoted(TEXT.exec(ended(middle.slice(body)))?.groups?.["text"] ?? ""));
    const { rest, values } = peeled(ended(body === -1 ? middle : middle.slice(0, body)), isDictated);
    const around = [...read.slice(0, start), ...read.slice(end)].flatMap((one) => one.values ?? []);
    return { values: [...values, ...around], text: rest };
  }

  /** "… and assign it to Ben", "… with high priority", "… due 4 dec": what is said at the end with no comma before it. */
  function peeled(text: string, isDictated: boolean): { rest: string; values: Detail[] } {
    let rest = text;
    const values: Detail[] = [];
    for (;;) {
      const whole = isDictated ? undefined : valueOf(rest);
      if (whole !== undefined) return { rest: "", values: [whole, ...values] };
      const { masked } = createSheet(rest);
      const behind = (at: number): Detail[] | undefined => {
        const tail = rest.slice(at);
        // "Small and high": one word behind "and" is of the text.
        if (/^\s+and\s+\S+\W*$/i.test(tail)) return undefined;
        const one = valueOf(tail);
        return one === undefined ? detailsIn(tail, known) : [one];
      };
      const cue = [...masked.matchAll(CUE)].find(
        ({ index }) => /["”’']\s*$|\S\s+\S/.test(rest.slice(0, index)) && behind(index) !== undefined,
      );
      if (!cue) return { rest, values };
      values.unshift(...(behind(cue.index) ?? []));
      rest = rest.slice(0, cue.index);
    }
  }

  function tell(text: string, word: string, isFiled: boolean): void {
    const named = TITLE.exec(text)?.groups?.["title"];
    const own = text.replace(LEADS, "");
    if (named !== undefined) title = unquoted(named);
    else if (title === "" && !isFiled) {
      const { title: quote, rest = "" } = LED_BY_QUOTE.exec(text)?.groups ?? {};
      const left = quote === undefined ? "" : inline(rest).trim();
      const body = TEXT.exec(left)?.groups?.["text"];
      const isQuoted =
        quote !== undefined && (left === "" || /^\s+(?:and|with|in|for|to|as)\s|^\s*,/i.test(rest));
      if (body !== undefined) described.push(unquoted(body));
      else if (isQuoted && left !== "") besides.push(left.replace(/^and\s+/i, ""));
      title = body !== undefined || isQuoted ? unquoted(quote ?? "") : titleOf(text, word);
    } else if (ANOTHER.test(text) || BESIDES.test(own) || ORDERED.test(own)) besides.push(own);
    else if (!CHATTER.test(text)) more.push(text);
  }

  function place(): string | undefined {
    const values = valuesOf(details);
    return values.find((one) => one.startsWith("in ")) ?? placeOf(values, known);
  }

  function heading(): string {
    const where = place();
    return `create ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}${where === undefined ? "" : ` ${where}`}`;
  }

  function valuesBesides(): string[] {
    const where = place();
    return valuesOf(details).filter((one) => one !== where);
  }

  return {
    isEmpty: () => details.length === 0,
    said: () => ({ title, details, described, reasons: more, further, besides }),
    isSorted(isBoth = false) {
      const isTyped = details.some(({ type }) => type !== undefined);
      const isPlaced = details.some(({ text }) => text.startsWith("in "));
      return isBoth ? isTyped && isPlaced : isTyped || isPlaced;
    },
    take,
    inline,
    read(all, { word, isDictated = false, isFiled }) {
      for (const [at, sentence] of sentencesOf(partsOf(all)).entries()) {
        const { values, text } = parted(sentence, isDictated && at === 0);
        for (const value of values) take(value);
        if (text.trim() !== "") tell(text.trim(), word, isFiled);
      }
    },
    untitled() {
      if (details.length === 0 || title !== "" || more.length + described.length > 0) return undefined;
      return {
        order: [heading(), ...valuesBesides()].join(", "),
        further: [...further, ...besides],
        told: [],
      };
    },
    order(said, isFiled) {
      const isTitled = title !== "";
      const [firstTold = "", ...others] = isTitled ? [] : said;
      const named = (isTitled ? title : firstTold.replace(LEADS, "")).replace(/[\s.,!?;:]+$/, "");
      if (!/\p{L}{2}/u.test(named) || new RegExp(`^${ONE_KEY}`, "u").test(named)) return undefined;
      if (!isTitled && named.split(/\s+/).length < 3) return undefined;
      const about = isTitled && isFiled ? said : [];
      const told = [...about, ...others, ...more, ...described];
      const description = told.length > 1 ? told.map(asSentence).join(" ") : (told[0] ?? "");
      const order = [
        `${heading()} titled “${inQuotes(named)}”`,
        ...valuesBesides(),
        ...(description === "" ? [] : [`description “${inQuotes(description)}”`]),
      ].join(", ");
      return { order, further: [...further, ...besides], told: isTitled && !isFiled ? [...said] : [] };
    },
  };
}

/** Where an epic says in which project a new issue is. */
function placeOf(texts: readonly string[], known: readonly KnownName[]): string | undefined {
  const epic = texts.find((one) => one.startsWith("under "));
  const key = epic === undefined ? "" : withEpicKeys(epic, known).text;
  const code = codeOf(/epic ([A-Z]\w*)-\d+$/i.exec(key)?.[1] ?? "", known);
  return code === undefined ? undefined : `in ${code}`;
}

function asSentence(text: string): string {
  const said = text.trim();
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

const WHY = /^(.{3,60}?)\s+(?:because|since|as|cause|so)\s+(\S+\s+\S.*)$/isu;
const QUOTE = /^\s*(?<title>"[^"]+"|“[^”]+”|'[^']+'|‘[^’]+’)\s*$/u;
const LED_BY_QUOTE = /^(?<title>"[^"]+"|“[^”]+”|'[^']+'|‘[^’]+’)(?<rest>\s+\S.*)$/su;
const MOST_WORDS = 8;
const LED = /^(?:in|for|on|under|to|with|as|at|due|part|assigned|labell?ed|tagged)\s/i;
const LABELS = /^(?:with\s+)?(?:the\s+)?(?:labels|tags|labell?ed|tagged)\b/i;
const CUE =
  /\s+(?=(?:and|with|due|assign|assigned|for me|in [A-Z]{2,}(?=\s*$)|in (?:the )?project|labell?ed|tagged|labels?|prio|priority|under\s+(?:the\s+)?epic|(?:highest|high|medium|low|lowest)\s+prio|so\s+(?:i['’]d\s+say\s+)?(?:highest|high|medium|low|lowest)\W*$)(?![\p{L}]))/giu;

function isAside(said: string, known: readonly KnownName[]): boolean {
  const word = (/^\p{L}+/u.exec(said)?.[0] ?? "").toLowerCase();
  const isNamed = known.some(
    ({ kind, id, name }) =>
      kind === "person" && [id, name.split(" ")[0]].some((one) => one?.toLowerCase() === word),
  );
  return /^(?:he|she|they)$/.test(word) || isNamed;
}

/** A word among labels that is none. */
function isValue(said: string, known: readonly KnownName[]): boolean {
  return (
    /^(?:high|highest|low|lowest|medium|mine|me)$/i.test(said) ||
    known.some(
      ({ kind, id, name }) =>
        kind === "person" && [id, ...name.split(" ")].some((one) => one.toLowerCase() === said.toLowerCase()),
    )
  );
}

/** Each value once, the last that was said of it; all labels. */
function valuesOf(details: readonly Detail[]): string[] {
  const labels: string[] = [];
  const values = new Map<string, string>();
  for (const { text } of details) {
    const name = /^\S+/.exec(text)?.[0] ?? "";
    const listed = /^labels?\s+(.*)$/.exec(text)?.[1];
    if (listed !== undefined) labels.push(...listed.split(" and ").map((one) => one.replaceAll('"', "")));
    else if (text !== "") values.set(name, text);
  }
  return [...values.values(), ...(labels.length === 0 ? [] : [labelsText([...new Set(labels)])])];
}

function titleOf(text: string, word: string): string {
  const { quotes } = createSheet(text);
  const [quote] = quotes;
  if (quotes.length === 1 && quote !== undefined && quote.end - quote.start >= text.trim().length - 1)
    return quote.value;
  return word === "for" || word === "about" ? text.replace(/^an?\s+/i, "") : text;
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“'](.*)["”']\W*$/su, "$1");
}

function inQuotes(text: string): string {
  return text.replaceAll(/[“”„]/g, '"').replaceAll(QUOTED, "");
}
