import type { KnownName } from "#contract/plan.ts";

import { withEpicKeys } from "./containers.ts";
import { KIND, LEADS, type NewRecord, ORDERED } from "./creating.ts";
import { codeOf, type Detail, detailOf, detailsIn, labelsText } from "./details.ts";
import { ended, joined, type Part, partsOf, sentencesOf } from "./parts.ts";
import { createSheet, quotable, unquoted } from "./sheet.ts";
import { KEY as ONE_KEY } from "./words.ts";

/** What a new issue may refer to without naming it. */
export interface Around {
  /** The code of the project of what was shown last, for "in the same project". */
  project?: string;
  /** The key of the epic that was shown last, for "under it". */
  epic?: string;
}

export const TITLE: RegExp =
  /^(?:(?:the\s+)?(?:title|summary|name)(?:\s*[:=]\s*|\s+(?:is|should be|shall be|something like|could be|maybe)\s*:?\s+|\s+(?=["“]))|(?:please\s+)?(?:call|title|name)\s+(?:it|that|this)\s*:?\s*|(?:and\s+)?(?:(?:it['’]?s|it\s+is|which\s+is)\s+)?(?:called|titled|named)\s*:?\s+(?!(?:off|by|for|in|on|again|up|back|after)\b)|(?:re(?:name|title)\s+(?:it|that)|change\s+the\s+(?:title|summary))\s+to\s*:?\s*)(?<title>\S.*)$/isu;
const TEXT =
  /^(?:(?:and\s+|with\s+|please\s+|also\s+)*(?:(?:add|put|give\s+it)\s+(?:also\s+)?)?(?:an?\s+|the\s+|this\s+)?(?:description|details?|desc|text|body)(?:\s+to\s+it)?\s*(?::|is\b|(?=["“]))\s*|described\s+as\s*:?\s+|(?:write|put|note|say|mention|add)\s+(?:please\s+)?(?:in|into|to)\s+(?:the|its)\s+(?:description|text)\s*(?::|that\b)\s*)(?<text>\S.*)$/isu;
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
  /^\W*(?:(?:many\s+)?thanks?|thank\s+you|thx|cheers|please|pls|plz|that['’]?s\s+(?:all|it)|sorry|i['’]?d\s+say|i\s+(?:think|guess|suppose))\b[^.]{0,40}$/iu;
const SAME = /^(?:(?:in|for|on)\s+)?(?:the\s+)?same\s+project$|^there$|^in\s+(?:that|this)\s+project$/i;
/** Nothing says what the other one has: people are told that it is left out. */
const SAME_AS =
  /^(?:with\s+)?(?:the\s+)?same\s+(?:labels?|tags?|priority|due date|assignee|person|people)$|^(?:with\s+)?(?:the\s+)?same\s+\p{L}+\s+as\s+\S/iu;
const UNDER_IT =
  /^(?:under|to|into|in|below)\s+(?:it|that|this)(?:\s+epic)?$|^(?:the\s+)?same\s+epic$|^(?:under|in|to)\s+(?:the\s+)?same\s+epic$/i;

/** A new issue while its order is read. */
export interface Draft {
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
  untitled: () => NewRecord | undefined;
  /** What was told beside it says what it is about, where that is `filed`. */
  order: (told: readonly string[], isFiled: boolean) => NewRecord | undefined;
}

export function createDraft(first: string, known: readonly KnownName[], around: Around): Draft {
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
      // "Bug shop: …"
      const isPlace = isProject(said) || (text[end] === ":" && codeOf(said, known) !== undefined);
      if ((isLed || isPlace) && valueOf(said) !== undefined) return end;
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
      besides.push(joined(given.slice(next)).replace(/^(?:(?:and|also|then|plus)\s+)+/i, "create "));
    const read = sentence.map((part, at): { part: Part; values: Detail[] | undefined } => {
      if (isDictated && at === 0) return { part, values: undefined };
      const plain = part.text.trim().replace(/^and\s+/i, "");
      const cued = sentence.length > 1 ? TITLE.exec(plain)?.groups?.["title"] : undefined;
      if (cued !== undefined && QUOTE.test(cued)) {
        title = unquoted(cued);
        return { part, values: [] };
      }
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
    const atEnds = [...read.slice(0, start), ...read.slice(end)].flatMap((one) => one.values ?? []);
    return { values: [...values, ...atEnds], text: rest };
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
        ({ index }) =>
          !CHECKED.test(rest.slice(0, index)) &&
          /["”’']\s*$|\S\s+\S/.test(rest.slice(0, index)) &&
          behind(index) !== undefined,
      );
      if (!cue) return { rest, values };
      values.unshift(...(behind(cue.index) ?? []));
      rest = rest.slice(0, cue.index);
    }
  }

  function tell(text: string, word: string, isFiled: boolean): void {
    const own = text.replace(LEADS, "");
    const named = TITLE.exec(own)?.groups?.["title"];
    if (named !== undefined) title = unquoted(named);
    else if (title === "" && !isFiled) {
      const { title: quote, rest = "" } = LED_BY_QUOTE.exec(text)?.groups ?? {};
      const left = quote === undefined ? "" : inline(rest.replace(COURTESY, "")).trim();
      const body = TEXT.exec(left)?.groups?.["text"];
      const values = left === "" ? [] : detailsIn(left, known);
      const isJoined = /^\s+(?:and|with|in|for|to|as)\s|^\s*,/i.test(rest);
      // 'A bug called "Cart" before Friday', and not 'a bug: "Cart" page is empty'.
      const isQuoted =
        quote !== undefined && (values !== undefined || isJoined || /^(?:called|titled|named)$/.test(word));
      if (body !== undefined) described.push(unquoted(body));
      else if (isQuoted && values !== undefined) for (const value of values) take(value);
      else if (isQuoted) (isJoined ? besides : more).push(left.replace(/^and\s+/i, ""));
      title = body !== undefined || isQuoted ? unquoted(quote ?? "") : titleOf(text, word);
    } else if (ANOTHER.test(text) || BESIDES.test(own) || ORDERED.test(own)) besides.push(own);
    else if (!CHATTER.test(text) && text.replace(COURTESY, "") !== "") more.push(text.replace(COURTESY, ""));
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
        `${heading()} titled “${quotable(named)}”`,
        ...valuesBesides(),
        ...(description === "" ? [] : [`description “${quotable(description)}”`]),
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
  const said = text.trim().replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

const WHY = /^(.{3,60}?)\s+(?:because|since|as|cause|so)\s+(\S+\s+\S.*)$/isu;
const QUOTE = /^\s*(?<title>"[^"]+"|“[^”]+”|'[^']+'|‘[^’]+’)\s*$/u;
/** "I checked with emi" gives her nothing. */
const CHECKED = /\b(?:checked|agreed|talked|spoken|spoke|discussed)(?:\s+(?:it|that|this))?\s*$/iu;
/** What stands behind a title for politeness. */
const COURTESY =
  /(?:(?:^|[\s,.!?]+)(?:please|pls|plz|thanks|thank\s+you|thx|asap|ok(?:ay)?|now|right\s+(?:away|now)|for\s+me|if\s+possible|:-?\)))+[\s.!?,]*$/iu;
const LED_BY_QUOTE = /^(?<title>"[^"]+"|“[^”]+”|'[^']+'|‘[^’]+’)(?<rest>\s+\S.*)$/su;
const MOST_WORDS = 12;
const LED = /^(?:in|for|on|under|to|with|as|at|due|part|assigned|labell?ed|tagged)\s/i;
const LABELS = /^(?:with\s+)?(?:the\s+)?(?:labels|tags|labell?ed|tagged)\b/i;
const CUE =
  /\s+(?=(?:and|with|due|by|assign|assigned|for me|in [A-Z]{2,}(?=\s*$)|in (?:the )?project|labell?ed|tagged|labels?|prio|priority|under\s+(?:the\s+)?epic|(?:highest|high|medium|low|lowest)\s+prio|so\s+(?:i['’]d\s+say\s+)?(?:highest|high|medium|low|lowest)\W*$)(?![\p{L}]))/giu;

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
export function valuesOf(details: readonly Detail[]): string[] {
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
