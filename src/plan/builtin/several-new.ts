import type { KnownName } from "#contract/plan.ts";

import { ASK, LEADS, LEVEL, type NewRecord } from "./creating.ts";
import { codeOf, detailOf, detailsIn } from "./details.ts";
import { type Around, createDraft } from "./issue-draft.ts";
import { asNewIssue } from "./new-issue.ts";
import { namePattern } from "./people.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { KEY, NUMBER_WORDS, ORDINALS } from "./words.ts";

const HOW_MANY = `(?<count>two|three|four|five|six|[2-6]|a\\s+couple\\s+of|a\\s+few|several|some|these|those|the\\s+following)`;
/** "Two tasks …", "please create these bugs …" */
const HEAD = new RegExp(
  `^${ASK}(?:(?<make>create|add|file|log|open|raise|make|set\\s+up|(?:i|we)\\s+(?:want|need)|(?:can|could)\\s+(?:i|we)\\s+(?:get|have))\\s+(?:me\\s+|us\\s+)?)?(?:${HOW_MANY}\\s+)?(?:more\\s+)?(?<fresh>new\\s+)?${LEVEL}(?:(?<front>(?!(?:bugs|tasks|stories|epics|tickets|issues|new|more|other)\\b)\\p{L}{2,12})\\s+)?(?<kind>bugs|tasks|stories|epics|tickets|issues)(?![\\p{L}\\p{N}-])`,
  "isu",
);
const BEHIND_HEAD =
  /^\s*,?(?:\s+(?:please|pls|plz|thanks|thx))?(?:\s*[:,.]\s+|\s*[:,.]?\s*\n+|\s+[-–—]\s+|\s+for\s+(?=[^.:\n,]+,[^.:\n]*,\s+and\s)|\s*,\s+(?=(?:the\s+)?(?:one|first)\s+["“]))(?=\S)/iu;
const FOR_WHAT =
  /(?:\s+for\s+the\s+[^:\n,]{2,40}?)?\s+(?:so(?:\s+that)?|because|since|before)\s+(?:we|i|nobody|it|they)\b[^:\n]{2,60}(?=:)/iu;
const ITEM = /^\s*(?:\(?\d{1,2}[.)]|[-*•–])\s+/;
const NUMBERED = new RegExp(
  `(?:^|[\\s,;.]+)(?:and\\s+)?(?:\\(?\\d[.)]|(?:the\\s+)?(?:first|second|third|fourth|one|other|another)(?:\\s+one)?(?:\\s*:|(?=\\s+["“${QUOTED}])|\\s+(?:is|called|titled)(?=\\s)))\\s+`,
  "giu",
);
/** "Both low", "all for me": what each of them has. */
const EACH =
  /[\s,.;–-]+(?:and\s+)?(?:both|all|each)(?:\s+(?:of\s+(?:them|these)|(?:of\s+)?(?:them|two|three|four|five)))?(?:\s+(?:are|is|should\s+be|have|has|with))?\s+(?<said>\S(?:[^.!?\n]|\.(?=\d)){1,80}?)[\s.!]*$/iu;
/** "…; link both to OPS-3" */
const LINKED = new RegExp(
  `[\\s,.;–-]+(?:and\\s+)?(?:link|connect)\\s+(?:both|all|each|them|these)(?:\\s+of\\s+them)?\\s+(?:to|with)\\s+(?<to>${KEY})[\\s.!]*$`,
  "iu",
);
const MOST_CHARS = 1500;

/**
 * "Two tasks in OPS: rotate the keys (Ben) and clean up the exports (Dmitri), both low" as an order for each of them.
 * Undefined where the message asks for one or none, or does not part into as many as it says.
 */
export function asSeveralNew(
  message: string,
  known: readonly KnownName[],
  around: () => Around,
): NewRecord | undefined {
  if (message.length > MOST_CHARS) return undefined;
  const said = message.slice(LEADS.exec(message)?.[0].length ?? 0);
  const made = listedIn(said, known, around) ?? oneByOne(said, known, around);
  const lead = made === undefined ? PREFACE.exec(said)?.[0] : undefined;
  return lead === undefined ? made : listedIn(said.slice(lead.length), known, around);
}

/** "Onboarding on Monday: create tasks in OPS for …", "for the beta test I need three tasks: …" */
const PREFACE =
  /^(?:for|before|after)\s+(?:the|our|my|next|this)\s[^:,.\n"“]{2,40}?,?\s+(?=(?:i|we)\s+(?:need|want)\s+(?:two|three|four|five|six|[2-6]|a\s+(?:few|couple)|several|some|these)\s)|^(?![^:]*(?:\b(?:says?|said|wrote|writes?|asks?|asked|told|tell|not|never|if|unless|when|comment|note|remark|repl(?:y|ied)|description|title|rename|search|find|look|add|put|post|to)\b|n['’]t\b|[A-Z]\w*-\d))[^:\n"“]{3,80}:\s+(?=(?:(?:please|pls)\s+)?(?:create|add|file|log|open|make)\s)/iu;

function listedIn(message: string, known: readonly KnownName[], around: () => Around): NewRecord | undefined {
  const head = HEAD.exec(message);
  const { make, count, fresh, level, front, kind = "" } = head?.groups ?? {};
  const code = front === undefined ? undefined : codeOf(front, known);
  if (head === null || (make ?? count ?? fresh) === undefined || (front !== undefined && code === undefined))
    return undefined;
  const rest = `${code === undefined ? "" : ` in ${code}`}${message.slice(head[0].length)}`
    .replace(/^([^:\n"“]*?)\s+on\s+my\s+(?:name|plate|list)(?=\s*[,:])/iu, "$1 for me")
    .replace(/^([^:\n"“]*?,\s+(?:both|all|each)\s+)for\s+(?=\d{1,2}(?:st|nd|rd|th)?\s+\p{L}{3,})/iu, "$1due ")
    .replace(
      /^([^:\n"“]*?)\s+and\s+(?:both|all|each)\s+(?=(?:part\s+of|under|due|with|for|in|low|high|medium)\b)/iu,
      "$1, ",
    )
    .replace(/^([^:\n]*?)\s+(?:please|pls|plz)(?=\s*,)/iu, "$1")
    .replace(/^([^:\n]*?,\s+)(?:both|all|each)\s+(?=[^:]*:)/i, "$1")
    // "Three tasks so that we don't forget them: …"
    .replace(FOR_WHAT, "");
  const behind = createDraft("issue", known, around()).inline(rest);
  const joint = BEHIND_HEAD.exec(behind)?.[0];
  // "Two tasks in OPS are late": that asks for none.
  if (joint === undefined || /\?\W*$/.test(behind)) return undefined;
  const place = rest.slice(0, -behind.length);
  const items = behind.slice(joint.length);
  const { own, each } = withoutCommon(items.trim().replace(/[\s,;]+$/u, ""), known);
  const { list, values, told } = withWhich(own, known);
  // "Some", "these" and none say no number.
  const wanted = Number(count) || NUMBER_WORDS[count?.toLowerCase() ?? ""];
  const found = splitsOf(list, known).find(({ items: all, isSure }) =>
    wanted === undefined ? isSure && all.length > 1 : all.length === wanted,
  );
  if (found === undefined) return undefined;
  const one = kind.toLowerCase() === "stories" ? "story" : kind.toLowerCase().slice(0, -1);
  const lead = [`new ${level === undefined ? "" : `${level} `}${one}${place}`, ...each].join(", ");
  const orders = sharing(found.items, known).map((item, at) =>
    asNewIssue(`${lead}: ${[item, ...(values.get(at) ?? [])].join(", ")}`, known, around),
  );
  const made = orders.filter((order) => order !== undefined);
  const [first, ...others] = made;
  if (first === undefined || made.length < orders.length) return undefined;
  return together({ ...first, told: [...first.told, ...told] }, others);
}

/** "A task for Dmitri in OPS: clean the rack, and one for Ben: document it" */
function oneByOne(message: string, known: readonly KnownName[], around: () => Around): NewRecord | undefined {
  const { masked } = createSheet(message);
  const joints = [...masked.matchAll(ONE_MORE)];
  if (joints.length === 0 || message.includes("\n")) return undefined;
  const first = asNewIssue(message.slice(0, joints[0]?.index), known, around);
  const [, kind = "", place = ""] = /^create an? (\p{L}+)( in [\w./-]+)?/u.exec(first?.order ?? "") ?? [];
  const others = joints.map(({ index, 0: joint }, at) => {
    const said = message.slice(index + joint.length, joints[at + 1]?.index);
    const one = asNewIssue(`new ${kind}${said}`, known, around);
    const isPlaced = one === undefined || place === "" || / in \S+ titled/.test(one.order);
    return isPlaced ? one : { ...one, order: one.order.replace(/ titled/, `${place} titled`) };
  });
  const made = others.filter((order) => order !== undefined);
  return first === undefined || made.length < others.length ? undefined : together(first, made);
}

const ONE_MORE =
  /\s*[,;.]?\s+(?:and|plus|then)\s+(?:also\s+)?(?:another(?:\s+one)?|one(?:\s+more)?|a\s+second(?:\s+one)?)(?=\s+(?:for|in|to|about|called|titled)\s|\s*:\s)/giu;

function together(first: NewRecord, others: readonly NewRecord[]): NewRecord {
  return {
    order: first.order,
    further: [...first.further, ...others.flatMap(({ order, further }) => [order, ...further])],
    told: [first, ...others].flatMap(({ told }) => told),
  };
}

/** What is said of each at the end: "…, both low and due Friday", "… Emi does both". */
function withoutCommon(items: string, known: readonly KnownName[]): { own: string; each: string[] } {
  const does = new RegExp(
    `[\\s,.;–-]+(?<who>${namePattern(known).source})\\s+(?:does|takes|gets|has|can do|will do)\\s+(?:both|all|them|these)(?:\\s+of\\s+them)?[\\s.!]*$`,
    "iu",
  );
  const found = [does, LINKED, EACH].map((pattern) => pattern.exec(items)).find((one) => one !== null);
  const { who, to, said = "" } = found?.groups ?? {};
  const values =
    who !== undefined
      ? [`for ${who}`]
      : to !== undefined
        ? [`link it to ${to}`]
        : said
            .replace(/\s+(?:please|pls|thanks|thx)$/i, "")
            .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s+(?=(?:under|due|with|assigned|for)\s)/i);
  if (found === undefined || detailsIn(values.join(", "), known) === undefined)
    return { own: items, each: [] };
  const { own, each } = withoutCommon(items.slice(0, found.index), known);
  return { own, each: [...each, ...values] };
}

const PLACE = `(?:the\\s+)?(?:${ORDINALS.join("|")})(?:\\s+(?:one|task|bug|story))?`;
/** "… The first and the third belong to the data centre move" */
const WHICH = new RegExp(
  `[.;]\\s+(?<which>${PLACE}(?:\\s*,?\\s+(?:and\\s+)?${PLACE})*)\\s+(?<said>\\S[^.;!?]*?)[\\s.!]*$`,
  "iu",
);

/** What is said at the end of some of a list, by their places. */
function withWhich(
  items: string,
  known: readonly KnownName[],
): { list: string; values: ReadonlyMap<number, readonly string[]>; told: string[] } {
  const found = WHICH.exec(items);
  const { which = "", said = "" } = found?.groups ?? {};
  const plain = said
    .replace(/^belong\s/i, "belongs ")
    .replace(/^(?:are|is|go|goes)\s+(?=(?:for|to|in|under)\b)/i, "");
  const own = detailOf(plain, known) === undefined ? undefined : plain;
  if (found === null) return { list: items, values: new Map(), told: [] };
  const list = items.slice(0, found.index);
  if (own === undefined) return { list, values: new Map(), told: [`${which} ${said}`] };
  const places = [...which.matchAll(new RegExp(ORDINALS.join("|"), "giu"))].map(([place]) =>
    ORDINALS.indexOf(place.toLowerCase()),
  );
  return { list, values: new Map(places.map((place) => [place, [own]])), told: [] };
}

interface Split {
  items: string[];
  /** It parts whatever number is asked for. */
  isSure: boolean;
}

/** The ways in which a text is a list, the plainest first. */
function splitsOf(text: string, known: readonly KnownName[]): Split[] {
  const { masked } = createSheet(text);
  const by = (joint: RegExp): string[] => {
    const joints = [...masked.matchAll(joint)];
    const ends = [...joints.map(({ index }) => index), text.length];
    const starts = [0, ...joints.map(({ index, 0: said }) => index + said.length)];
    return starts.map((start, at) => text.slice(start, ends[at]).trim());
  };
  const [before = "", ...numbered] = by(NUMBERED);
  const pieces = grouped(by(/\s*,\s+(?:and\s+)?|\s+and\s+/giu), known);
  const isParted = pieces.every((piece) => /\S\s+\S/.test(piece));
  return [
    {
      items: text.includes("\n") ? by(/\s*\n\s*/gu).map((line) => line.replace(ITEM, "")) : [],
      isSure: true,
    },
    { items: before === "" ? numbered.map((item) => item.replace(/[\s,;]+$/u, "")) : [], isSure: true },
    { items: by(/\s*;\s+/gu), isSure: true },
    { items: by(/[.!]\s+/gu), isSure: false },
    // "Laptop and badge, accounts, and a mug"
    {
      items: grouped(by(/\s*,\s+(?:and\s+)?/giu), known),
      isSure: /^(?:[^,]+,){2,}\s+and\s[^,]+$/i.test(text),
    },
    { items: pieces, isSure: isParted },
    { items: grouped(by(/\s+and\s+/giu), known), isSure: false },
  ].map(({ items, isSure }) => ({ items: items.filter((item) => item !== ""), isSure }));
}

/** A value belongs to what stands before it: "rotate the keys, Ben, and clean up, Dmitri". */
function grouped(pieces: readonly string[], known: readonly KnownName[]): string[] {
  const items: string[] = [];
  for (const piece of pieces) {
    const before = items.at(-1);
    if (before === undefined || detailOf(piece, known) === undefined) items.push(piece);
    else items[items.length - 1] = `${before}, ${piece}`;
  }
  return items;
}

/** What is said at the end of the last is said of all where no other has a value: "toner and paper, due Friday". */
function sharing(items: readonly string[], known: readonly KnownName[]): string[] {
  const whose = new RegExp(`\\s+(?:for|to|by)\\s+(?=(?:${namePattern(known).source}|me)[\\s.!]*$)`, "iu");
  if (items.every((item) => whose.test(item))) return items.map((item) => item.replace(whose, ", for "));
  const last = items.at(-1) ?? "";
  const at = last.search(/,\s/);
  const isOfLast = at === -1 || items.slice(0, -1).some((item) => /,\s|\s\(/.test(item));
  const tail = isOfLast ? "" : last.slice(at);
  const isValue = tail !== "" && detailsIn(tail.slice(1), known) !== undefined;
  return isValue ? items.map((item) => (item === last ? item : item + tail)) : [...items];
}
