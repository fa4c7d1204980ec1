import type { KnownName } from "#contract/plan.ts";

import {
  type Amendment,
  ARTICLE,
  ASK,
  GRADES,
  GREETING,
  KIND,
  LEADS,
  LEVEL,
  NEW,
  type NewRecord,
  ORDERED,
} from "./creating.ts";
import { anyOf } from "../../base/matching.ts";
import { codeOf, type Detail, detailOf, detailsIn } from "./details.ts";
import { type Around, createDraft, TITLE, valuesOf } from "./issue-draft.ts";
import { joined, partsOf, sentencesOf } from "./parts.ts";
import { createSheet, quotable } from "./sheet.ts";
import { KEY as ONE_KEY } from "./words.ts";

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
/**
 * An order for a new issue, whatever of it is said first and however it is parted: "bug ops: restore failed. highest.
 * labels backup database. me", "a lady gets charged twice. can you make a bug for that in DEMO, high prio pls?".
 * Undefined where the message is none, or says nothing of what it is about.
 */
export function asNewIssue(
  message: string,
  known: readonly KnownName[],
  aroundOf: () => Around,
): NewRecord | undefined {
  if (message.length > MOST_CHARS || !MAY_BE_NEW.test(message)) return undefined;
  if (message.includes("\n")) return inLines(message, known, aroundOf);
  const around = aroundOf();
  const text = placedBehind(plainly(message, known), known);
  for (const start of startsIn(text)) {
    const made = orderAt(text, start, known, around);
    if (made !== undefined) return withOthers(made, known);
  }
  return orderBehind(text, known, around);
}

/**
 * "Bug for DEMO please", and below it a line that is its title, lines that describe it, and lines of values. Undefined
 * where these lines are a list, or each says which value it is.
 */
function inLines(
  message: string,
  known: readonly KnownName[],
  aroundOf: () => Around,
): NewRecord | undefined {
  const [first = "", ...lines] = message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const head = headOf(first.slice(LEADS.exec(first)?.[0].length ?? 0), known);
  if (head === undefined || head.isOpen || head.isFiled) return undefined;
  const draft = createDraft(head.kind, known, aroundOf());
  for (const detail of head.details) draft.take(detail);
  const behind = draft.inline(head.rest);
  const [title = "", ...others] = HEAD_ONLY.test(behind)
    ? lines
    : [/^\s*:\s+(.+)$/u.exec(behind)?.[1] ?? "", ...lines];
  if (FIELD_OR_ITEM.test(title) || !/\p{L}{2}/u.test(title) || detailsIn(title, known) !== undefined)
    return undefined;
  if (!head.isSure && draft.isEmpty() && !head.hasArticle) return undefined;
  const described = others.flatMap((line) => {
    const { values, text } = valuesBehind(line, known);
    for (const value of values) draft.take(value);
    return text === "" ? [] : [text];
  });
  draft.read(`“${quotable(title.replace(/[.:]+$/, ""))}”`, { word: "", isFiled: false });
  if (described.length > 0)
    draft.read(`description “${quotable(described.join("\n"))}”`, { word: "", isFiled: true });
  return draft.order([], false);
}

/** "Happens every time. Label orders, and assign it to me since I wrote that": a line's last sentences may be values. */
function valuesBehind(line: string, known: readonly KnownName[]): { values: Detail[]; text: string } {
  const sentences = line.split(/(?<=[.!?])\s+/u);
  const values: Detail[] = [];
  for (let last = sentences.at(-1); last !== undefined; last = sentences.at(-1)) {
    const plain = last.replace(/\s+(?:since|because|as)\s+[^,;]{3,60}$/iu, "");
    const read = detailsIn(last, known) ?? detailsIn(plain, known);
    if (read === undefined) break;
    values.unshift(...read);
    sentences.pop();
  }
  return { values, text: sentences.join(" ") };
}

const HEAD_ONLY = /^[\s,.:!–-]*(?:(?:please|pls|plz|thanks|thx)\b[\s,.:!]*)?$/iu;
/** "- one of several", "Priority: high" */
const FIELD_OR_ITEM =
  /^(?:\(?\d{1,2}[.)]|[-*•–])\s|^(?:title|summary|subject|description|details?|steps|type|prio|priority|labels?|tags?|assignee|owner|due|due date|deadline|project|space|epic|parent)\s*[:=]/i;

/** "…, and under it a task for Dmitri: …": one more of the same project; that it is under the first is said to be left out. */
function withOthers(made: NewRecord, known: readonly KnownName[]): NewRecord {
  const place = /^create an? \p{L}+( in [\w./-]+) titled/u.exec(made.order)?.[1] ?? "";
  const told = [...made.told];
  const further = made.further.flatMap((one) => {
    const under = UNDER.exec(one)?.[1];
    const other = /^create\s/i.test(one) ? asNewIssue(one.replace(UNDER, ""), known, () => ({})) : undefined;
    if (other === undefined) return [one];
    if (under !== undefined) told.push(under);
    const isPlaced = /^create an? \p{L}+ in /u.test(other.order);
    const order = isPlaced ? other.order : other.order.replace(/ titled/, `${place} titled`);
    return [order, ...other.further];
  });
  return { ...made, further, told };
}

const UNDER = /(?<=^create\s+)((?:under|below|in)\s+(?:it|that))\s*,?\s+/iu;

/** Without any of these it is none. */
const MAY_BE_NEW =
  /\b(?:bug|task|story|epic|ticket|issue|something)\b|\b(?:log|record|track|file|report|down)\s+that\b/i;
const MOST_CHARS = 1200;
const MOST_STARTS = 6;

/** "Bug in MOB (high)", "11.12." as they are read below. */
function plainly(message: string, known: readonly KnownName[]): string {
  const days = message.replaceAll(
    /(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(?:\s?(20\d\d))?(?!\d)/g,
    (_all, day: string, month: string, year?: string) =>
      [day, MONTHS[Number(month) - 1], year].filter(Boolean).join(" "),
  );
  // "Story / OPS / the phone rings louder / me"
  const isSlashed = [...days.matchAll(/\s\/\s/g)].length > 2;
  return (isSlashed ? days.replaceAll(/\s\/\s/g, ", ") : days)
    .replace(FORGET, "")
    .replace(CHECKLIST, (_all, items: string) => {
      const lines = items.split(/\s*[,;]\s+(?:and\s+)?|\s+and\s+/i).map((item) => `- ${item.trim()}`);
      return `, description “${lines.join("\n")}”`;
    })
    .replaceAll(/\bw\/\s/gi, "with ")
    .replaceAll(/\s\(([^()“”"]{2,60})\)/g, (all, inner: string) =>
      detailOf(inner, known) === undefined ? all : `, ${inner}`,
    );
}

/** "… so I don't forget": why it is made is no title of it. */
const FORGET =
  /,?\s+so(?:\s+that)?\s+(?:i|we)\s+(?:don['’]?t|do\s+not|won['’]?t)\s+forget(?:\s+(?:it|that|this|about\s+it))?(?=\s*(?:$|[,.;!]))/iu;
/** "… with a checklist: laptop, badge, accounts" */
const CHECKLIST =
  /,?\s+with\s+(?:an?|the|this)\s+(?:check-?list|to-?do\s+list|list)\s*:\s+(?=\S)([^.:;"“”\n]{3,300}?)(?=\s*(?:$|\.\s|\.$|,?\s+(?:due|labels?|labell?ed|prio(?:rity)?|assign(?:ed)?|for|highest|high|medium|low|lowest|under)\b))/iu;

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
    /[.!?]+\s+|\s[-–—]\s|[,:]\s+(?=(?:so|please|pls|can|could)\s)/gu,
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
): NewRecord | undefined {
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
    const isTitled = /[,.;]\s+(?:with\s+)?(?:the\s+)?(?:title|summary)\s*[:“"]/iu.test(own);
    const isParted = isColon || isTitled || /^\s*[,.!]\s|^\s+[-–—]\s/.test(behind);
    const isMeant =
      isColon ||
      isTitled ||
      head.isPlaced ||
      (head.hasArticle ? !draft.isEmpty() : /^[^.!?]*(?:,[^,]*){3}$/.test(own));
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
  if (
    message.includes("\n") ||
    message.length > MOST_AMENDED ||
    (/\?\s*$/.test(message) && !REQUESTS.test(message))
  )
    return undefined;
  const text = withWhom(plainly(message, known), known)
    .replace(LEADS, "")
    .replace(NO, "")
    .replace(INTO_DESCRIPTION, "description: $1")
    .replace(/^(?:i|we)\s+forgot(?:\s+to\s+(?:say|mention|add|tell\s+you))?(?:\s+that)?[\s:,]+/i, "")
    .replaceAll(
      /[.,;!–-]\s+(?:(?:no|nope|oh|ah|hm+),?\s+)?(?:wait|sorry|no|rather|actually),?\s+(?=\p{L})/giu,
      ", ",
    )
    .replace(MAKE_IT, "")
    .replaceAll(/,\s+(?:and\s+)?not\s+[^,.;]{1,20}(?=\s*(?:$|[,.;]))/giu, "");
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
  const isReason = (reason: string): boolean => REASON.test(reason) || isAside(reason, known);
  if (!reasons.every((reason) => isReason(reason) && !new RegExp(ONE_KEY, "u").test(reason)))
    return undefined;
  const type = details.findLast((detail) => detail.type !== undefined)?.type ?? "issue";
  const order = [
    `create ${/^[aeiou]/.test(type) ? "an" : "a"} ${type} titled “${title === "" ? "x" : quotable(title)}”`,
    ...valuesOf(details),
    ...(described.length === 0 ? [] : [`description “${quotable(described.join(" "))}”`]),
  ].join(", ");
  const isNobodys = details.some((detail) => detail.isNobodys);
  return { order, hasTitle: title !== "", further, isTold: reasons.length > 0, isNobodys };
}

/** "Order toner for the printer. By Friday", of a new issue that lacks its title: that, and the values behind it. */
export function titledBy(message: string, known: readonly KnownName[]): Amendment | undefined {
  if (/\?\s*$/.test(message) || message.includes("\n") || new RegExp(ONE_KEY, "u").test(message))
    return undefined;
  const { order, further } = asNewIssue(`new issue: ${message}`, known, () => ({})) ?? {};
  return order === undefined || further === undefined || !WITH_VALUES.test(order)
    ? undefined
    : { order, hasTitle: true, further, isTold: false };
}

const WITH_VALUES = /^create an? \p{L}+(?: in \S+)? titled “[^”]*”, \S/u;

/** "Farid knows more about it, give it to him": who is named in the same breath. */
function withWhom(text: string, known: readonly KnownName[]): string {
  const named = known.filter(
    ({ kind, id, name }) =>
      kind === "person" &&
      new RegExp(`(?<!\\p{L})(?:${anyOf([id, name.split(" ")[0] ?? name])})(?!\\p{L})`, "iu").test(text),
  );
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) return text;
  const behind =
    /^(?<told>[^.,;!?]{5,80}?)[,.;]\s+(?:so\s+)?(?<order>(?:give|assign|hand)\s+(?:it|that|this)\s+to\s+)(?:him|her)(?<rest>.*)$/isu.exec(
      text,
    );
  const { told = "", order, rest = "" } = behind?.groups ?? {};
  return order === undefined
    ? text.replace(/\b(to\s+)(?:him|her)\b/i, `$1${only.id}`)
    : `${order}${only.id}, ${told.replace(NO, "")}${rest}`;
}

/** "It happens only on Android, put that in the description" */
const INTO_DESCRIPTION =
  /^(.{8,200}?)\s*[,.;–-]\s+(?:(?:please|pls|and|so|can you|could you)\s+)*(?:put|add|write|note|mention)\s+(?:that|this|it)\s+(?:in|into|to)\s+(?:the|its)\s+(?:description|text)(?:\s+(?:please|pls|too))*[\s.!?]*$/isu;
/** "Could it get the label customer?" */
const REQUESTS = /^\W*(?:and\s+)?(?:could|can|may)\s+(?:it|that|this|you|we)\s/i;
const WITH_MORE = /\s(?:and|with)\s/i;
const MOST_AMENDED = 240;
const NO = /^(?:(?:no|nope|nah|wait|sorry|oops|ups|actually|rather|better|maybe|hm+|but|or)\b[\s,.!:–-]*)+/iu;
const MAKE_IT = /^(?:make|set|change|put)\s+(?:it|that|this)\s+(?:(?:an?|to|as)\s+)?(?=\S)/iu;
/** What is told beside a value says why. */
const REASON =
  /^(?:because|since|as|otherwise|after all|he|she|they|it|we|i|that|this|there|our|the|nobody|everybody|some|many|several|people|customers|\d+|two|three|four|five|\p{Lu}\p{L}+|not)\b(?!.*\?)/u;

function isAside(said: string, known: readonly KnownName[]): boolean {
  const word = (/^\p{L}+/u.exec(said)?.[0] ?? "").toLowerCase();
  const isNamed = known.some(
    ({ kind, id, name }) =>
      kind === "person" && [id, name.split(" ")[0]].some((one) => one?.toLowerCase() === word),
  );
  return /^(?:he|she|they)$/.test(word) || isNamed;
}

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
  const ordered = ORDERED.exec(own);
  const sure = ordered ?? NEW.exec(own);
  const bare = sure === null && open === null ? BARE.exec(own) : null;
  const found = open ?? sure ?? bare;
  if (found === null) return undefined;
  const { kind = "issue", level, that, article, front } = found.groups ?? {};
  const code = front === undefined ? undefined : codeOf(front.trim(), known);
  const rest = own.slice(found[0].length);
  // "New OPS bug? What is it about?" asks for one that is there.
  const isAsked = ordered === null && open === null && /^\s*\?/.test(rest);
  if (
    isAsked ||
    (front !== undefined && code === undefined) ||
    OTHER_THING.test(rest) ||
    /^\s+#?\d/.test(rest)
  )
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
function orderBehind(text: string, known: readonly KnownName[], around: Around): NewRecord | undefined {
  const parts = partsOf(text);
  const sentences = sentencesOf(parts);
  for (const [at, sentence] of sentences.entries()) {
    const values = sentence.map((part) => detailOf(part.text, known));
    const isOther = values.some(
      (value, place) => value === undefined && !TITLE.test(sentence[place]?.text.trim() ?? ""),
    );
    if (at === 0 || isOther || !values.some((value) => value?.type !== undefined)) continue;
    const told = toldIn(joined(sentences.slice(0, at).flat()));
    const draft = createDraft("issue", known, around);
    draft.read(joined(sentences.slice(at).flat()), { word: "", isFiled: true });
    return told === undefined || told.length === 0 || !draft.isSorted(true)
      ? undefined
      : draft.order(told, true);
  }
  return undefined;
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
