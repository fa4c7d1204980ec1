import type { KnownName } from "#contract/plan.ts";

import { type Amendment, ARTICLE, ASK, HAVE, LEADS, type NewRecord } from "./creating.ts";
import { ended, joined, type Part, partsOf, sentencesOf } from "./parts.ts";
import { pageCalled } from "./page-text.ts";
import { createSheet, quotable, unquoted } from "./sheet.ts";

const PAGE = "(?:(?:short|small|quick|little|simple)\\s+)?(?:(?:wiki|confluence)\\s+)?page(?![\\p{L}-])";
const MADE = "(?:create|make|add|write|start|put\\s+up|set\\s+up)";
const NOT_ONE = "(?!\\s+(?:\\d+|says?|that|which|is|has|of|comment|views?|labels?)\\b)";
/** "New wiki page", "create a page", "create one", where what follows names a space. */
const SURE = new RegExp(
  `^(?:(?:in that case,?\\s+)?${ASK}(?:${MADE}\\s+(?:me\\s+|us\\s+)?|${HAVE}\\s+)(?:${ARTICLE}(?:new\\s+)?|new\\s+)?${PAGE}|${ASK}(?:${ARTICLE})?new\\s+${PAGE}|(?:in that case,?\\s+)?${ASK}${MADE}\\s+(?:one|it)\\b(?=.*\\b(?:space|page)\\b))${NOT_ONE}`,
  "isu",
);
/** "Wiki page for the beta test please, in engineering. Title …" */
const BARE = new RegExp(`^${ASK}(?:${ARTICLE})?${PAGE}${NOT_ONE}`, "iu");
const POLITELY = /^\s*,?\s+(?:please|pls|plz|for\s+(?:me|us))(?![\p{L}])/iu;
const TITLE =
  /(?:^|[\s,.;])(?:(?:please\s+|pls\s+|and\s+)?(?:call|name|title)\s+(?:it|the\s+page)|called|titled|named|(?:with\s+)?(?:the\s+)?title(?:\s+(?:is|should be))?)\s*:?\s+(?<title>"[^"]+"|“[^”]+”|'[^']+'(?!\p{L})|[^,.;:\s“"'‘][^,.;:]*?(?=\s*(?:$|[,.;:]|\s(?:in|under|below|with)\s)))/isu;
const BODY =
  /(?:^|[.,;]\s*|\s)(?:(?:and\s+)?(?:the\s+)?(?:text|inside|contents?|body)(?:\s+(?:is|just|only))*\s*(?::|(?=["“]))|(?:saying|(?:that|which)\s+says)\s*:?|with\s+(?:the\s+)?(?:text|content|body)\s*:?(?=\s)|(?:with|in)\s+(?:the\s+)?(?:(?<steps>\p{L}+\s+(?:steps|points))|\p{L}+\s+lines)\s*:|(?:(?:with|just)\s+)?(?:one|two|three|a few) (?:lines?|sentences?)(?:\s+(?:is|are|will\s+be|would\s+be)\s+(?:enough|fine|plenty)|\s+(?:will|would|should)\s+do)?\s*[,:]|(?:with\s+)?(?:the\s+|these\s+)?(?:(?:two|three|four|five|six|a few|some)\s+)?(?<bullets>bullets?(?:\s+points)?|items|to-?dos)\s*:|(?<=[.,;]\s*)(?:(?:just|please)\s+)*(?:say|it\s+should\s+say)(?:\s+that)?(?=\s))\s*(?<body>\S.*)$/isu;
const PLEASE = /\b(?:please|pls|plz)\b/i;
const ABOUT = /^\s*(?:about|on|for|with)\s+(?:(?:the|an?)\s+)?(?=\S)/iu;
const WHY = /^(?:because|since|as|so\s+that|so\s+we)\b/iu;
/** "It should say that the key hangs next to the fridge" */
const SAYS = /^\s*(?:it|this|the\s+page)\s+(?:should|shall|has\s+to)\s+say\s+(?:that\s+)?/iu;
const MOST_TITLE = 120;
const MOST_CHARS = 2000;

/**
 * The order for a new page, whatever of it is said first: "new wiki page in eng, Cheatsheet. text: use Intl" as "create
 * a wiki page in ENG titled “Cheatsheet”, body “use Intl”". Undefined where the message is none, names neither a title
 * nor a space, or names a page to stand below that nobody knows.
 */
export function asNewPage(message: string, known: readonly KnownName[]): NewRecord | undefined {
  if (message.length > MOST_CHARS || /[«»]/.test(message) || !/\b(?:page|space)\b/i.test(message))
    return undefined;
  const { masked } = createSheet(message);
  const starts = [
    0,
    ...[...masked.matchAll(/[.!?]+\s+|,\s+(?=(?:so|please|pls|can|could)\s)/gu)].map(
      ({ index, 0: end }) => index + end.length,
    ),
  ];
  for (const start of starts.slice(0, 3)) {
    const at = start + (LEADS.exec(message.slice(start))?.[0].length ?? 0);
    const own = message.slice(at);
    const sure = SURE.exec(own)?.[0];
    const head = sure ?? BARE.exec(own)?.[0];
    const made =
      head === undefined
        ? undefined
        : pageIn(own.slice(head.length), known, sure !== undefined, message.slice(0, at));
    if (made !== undefined) return made;
  }
  return undefined;
}

function pageIn(
  given: string,
  known: readonly KnownName[],
  isSure: boolean,
  before = "",
): NewRecord | undefined {
  // "… points to a page “Rotating keys”. Make one with that title"
  const [quote, ...others] = createSheet(before).quotes;
  const named = quote === undefined || others.length > 0 ? "$&" : `titled “${quotable(quote.value)}”`;
  const whole = given.replace(POLITELY, "").replace(/\bwith\s+that\s+(?:title|name)\b/iu, named);
  // Behind a colon at the end of the first line all lines are its text.
  const lines = /^(?<head>[^\n]*\S)\s*:[^\S\n]*\n+(?<below>[^]*\S)\s*$/u.exec(whole)?.groups;
  const told = lines === undefined ? BODY.exec(whole) : null;
  const { body = lines?.["below"], steps, bullets } = told?.groups ?? {};
  const about = lines?.["head"] ?? (told === null ? whole : whole.slice(0, told.index));
  const isAsked = /\?\W*$/.test(about) && body === undefined && !/^\s*(?:in|about|with)\b/i.test(about);
  if (isAsked) return undefined;
  const read = partedIn(about, known);
  const behind = body === undefined ? undefined : withoutValues(body, known);
  const values = [...read.values, ...(behind?.values ?? [])];
  if (values.some(({ kind }) => kind === "unknown")) return undefined;
  const of = (kind: Value["kind"]): string | undefined => values.find((one) => one.kind === kind)?.id;
  const [space, parent] = [of("space"), of("parent")];
  const isNamed = read.isTitled || body !== undefined;
  // "Page in ENG: …" may be one that is there.
  const isMeant = isSure || isNamed || (space !== undefined && (values.length > 1 || PLEASE.test(given)));
  if (read.title === "" || read.title.length > MOST_TITLE || !isMeant) return undefined;
  const plain = behind?.text ?? read.text;
  const mark = bullets === undefined ? undefined : /^to-?dos$/i.test(bullets) ? "- [ ] " : "- ";
  const text = (
    headed(plain) ?? (mark === undefined && steps === undefined ? listed(plain) : itemsOf(plain, mark))
  )
    .replace(SAYS, "")
    .trim();
  return {
    order: [
      `create a wiki page${space === undefined ? "" : ` in ${space}`} titled “${quotable(read.title)}”`,
      ...(parent === undefined ? [] : [`parent id ${parent}`]),
      ...(text === "" ? [] : [`body “${quotable(text)}”`]),
    ].join(", "),
    further: [],
    // No tool of a wiki puts a label on a page that is not there yet: it is said that this is left out.
    told: values.flatMap(({ kind, id }) => (kind === "label" ? [`label ${id}`] : [])),
  };
}

/**
 * What a message says of a new page that is asked for and not made yet: "under the on-call guide", "title should be …",
 * "and decision as a second label". Undefined where it says something else.
 */
export function amendedPage(message: string, known: readonly KnownName[]): Amendment | undefined {
  if (message.length > MOST_AMENDED || /\?\s*$/.test(message)) return undefined;
  const said = message
    .replace(LEADS, "")
    .replace(/^(?:no|wait|actually|sorry)\b[\s,]*/i, "")
    // "Make it engineering, that's where the last one is"
    .replace(/^make\s+(?:it|that)\s+(?=\p{L}+\s*(?:$|[,.;]))/iu, "in ")
    .replace(
      /[,.;–-]\s+(?:that['’]?s|because|since|otherwise|so(?:\s+that)?|it['’]?s|there['’]?s|that\s+is|it\s+is)\s[^,.;:"“]*$/iu,
      "",
    );
  const line = MORE.exec(said)?.groups?.["line"];
  if (line !== undefined)
    return {
      order: `create a wiki page titled “x”, body “${quotable(sentence(unquoted(line)))}”`,
      hasTitle: false,
      hasText: true,
      isMore: true,
      further: [],
      isTold: false,
    };
  const named = TITLE_CUE.exec(said)?.groups?.["title"];
  const text = BODY.exec(said);
  if (named === undefined && (text === null || text.index > 0)) {
    const parts = partsOf(said).map((part) => valuesAt(part.text, known));
    const values = parts.flatMap((part) => part.values);
    const isOther = parts.some(
      ({ rest }) =>
        !/^\W*(?:(?:and|put|it|that|this|page|please|pls|goes|move|add|also|below|the)\b\W*)*$/iu.test(rest),
    );
    const isLeftOut = values.some(({ kind }) => kind === "unknown" || kind === "label");
    if (isOther || values.length === 0 || isLeftOut) return undefined;
    const of = (kind: Value["kind"]): string[] =>
      values.flatMap((one) => (one.kind === kind ? [one.id] : []));
    return {
      order: [
        `create a wiki page${of("space")
          .map((id) => ` in ${id}`)
          .join("")} titled “x”`,
        ...of("parent").map((id) => `parent id ${id}`),
        "body “x”",
      ].join(", "),
      hasTitle: false,
      further: [],
      isTold: false,
    };
  }
  const body = named === undefined ? (text?.groups?.["body"] ?? "") : "";
  return {
    order: `create a wiki page titled “${named === undefined ? "x" : quotable(unquoted(named))}”, body “${body === "" ? "x" : quotable(unquoted(body))}”`,
    hasText: body !== "",
    hasTitle: named !== undefined,
    further: [],
    isTold: false,
  };
}

const MOST_AMENDED = 400;
/** "Add a line that Dmitri is on call", "and one that Ana decides", "add: ask Ben" */
const MORE =
  /^(?:and\s+|also\s+|please\s+|pls\s+)*(?:(?:add|append|write|put)(?:\s+(?:another|an?|one(?:\s+more)?)\s+(?:line|sentence|paragraph|point|bullet))?(?:\s+(?:at\s+the\s+(?:end|bottom)|below|to\s+(?:it|the\s+page)))?|(?:another|one\s+more|one)(?:\s+line)?)(?:\s+(?:that|saying)\s+|\s*:\s*)(?<line>\S+\s.*)$/isu;

function sentence(text: string): string {
  const said = text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
const TITLE_CUE =
  /^(?:(?:and\s+)?(?:the\s+)?title(?:\s+(?:should be|is|shall be|to))?\s*:?\s+|(?:please\s+)?call\s+it\s+|rename\s+it\s+to\s+)(?<title>\S.*?)[\s.!]*$/isu;

interface Value {
  kind: "space" | "parent" | "label" | "unknown";
  id: string;
}

interface Read {
  title: string;
  /** Whether a word says that it is its title, or quotes. */
  isTitled: boolean;
  text: string;
  values: Value[];
}

/** The values, the title and the text of what stands behind the head of an order. */
function partedIn(given: string, known: readonly KnownName[]): Read {
  const named = TITLE.exec(given);
  const rest =
    named === null ? given : `${given.slice(0, named.index)}, ${given.slice(named.index + named[0].length)}`;
  const values: Value[] = [];
  let title = unquoted(named?.groups?.["title"] ?? "");
  let isTitled = title !== "";
  const texts: string[] = [];
  for (const sentence of sentencesOf(partsOf(rest.replace(/^\s*[,:;.]\s+/, " ")))) {
    const left: Part[] = [];
    for (const part of sentence) {
      const found = valuesAt(part.text, known);
      values.push(...found.values);
      const text = found.rest.replace(/^\s*(?:[:–—-]\s+)?(?:please|pls)?\s*(?=$|[:,])/iu, "");
      if (/[\p{L}\p{N}]/u.test(text) && !WHY.test(text.trim())) left.push({ text, joint: part.joint });
    }
    const [first, ...others] = left;
    if (first === undefined) continue;
    if (title !== "") {
      texts.push(
        joined(left)
          .replace(/^[\s:,–—-]+/, "")
          .replace(ABOUT, ""),
      );
      continue;
    }
    const lead = ABOUT.exec(first.text)?.[0] ?? "";
    const told = first.text.slice(lead.length).replace(/^[\s:,–—-]+/, "");
    const quote = createSheet(told).quotes.find(({ start }) => start === 0);
    isTitled ||= quote !== undefined;
    // "About rotating keys: make the new one …"
    const [, ahead = told, behind = ""] = /^([^:]{3,80}?):\s+(\S.*)$/su.exec(told) ?? [];
    // "Retrospective: search sprint, November 2026", where pages are called so: the colon is of the title.
    const series = `${ahead.trim().toLowerCase()}: `;
    const isOfSeries = known.some(
      ({ kind, name }) => kind === "page" && name.toLowerCase().startsWith(series),
    );
    if (quote === undefined && behind !== "" && isOfSeries) {
      title = joined([{ text: told, joint: first.joint }, ...others]).trim();
      continue;
    }
    title = quote?.value ?? valuesAt(ahead, known).rest.trim();
    if (quote === undefined) values.push(...valuesAt(ahead, known).values);
    const more = quote === undefined ? behind : told.slice(quote.end).replace(/^[\s:,–—-]+/, "");
    // "Christmas party on 11 December, 18:00, at the pottery": what is a sentence is no title alone.
    const isSentence = quote === undefined && others.length > 0 && told.trim().split(/\s+/).length > 3;
    const own = more === "" && isSentence ? told : more;
    const further = [...(own === "" ? [] : [{ text: own, joint: first.joint }]), ...others];
    if (further.length > 0) texts.push(joined(further));
  }
  return {
    title: title.replace(/(?:[\s,.?!:]|\s(?:please|pls))+$/iu, ""),
    isTitled,
    text: texts.join(" ").replace(/[\s,;]+$/, ""),
    values,
  };
}

/** A text without the values in its last sentences: "… ask Ben. Label adr". */
function withoutValues(body: string, known: readonly KnownName[]): { text: string; values: Value[] } {
  const sentences = sentencesOf(partsOf(body));
  const values: Value[] = [];
  for (let last = sentences.at(-1); last !== undefined && sentences.length > 1; last = sentences.at(-1)) {
    const read = valuesAt(ended(last), known);
    if (read.values.length === 0 || /[\p{L}\p{N}]/u.test(read.rest)) break;
    values.push(...read.values);
    sentences.pop();
  }
  return { text: unquoted(joined(sentences.flat())), values };
}

const PLACE =
  /(?<![\p{L}\p{N}])(?:(?:it\s+goes\s+|put\s+it\s+)?(?:in|under|to|into|for)\s+(?:the\s+)?(?:space\s+)?|(?<=^\s*))(?<name>\p{L}+(?:\s+(?:&|and)\s+\p{L}+|\s+(?:handbook|runbooks))?)(?:\s+(?:handbook|runbooks|space|wiki))*(?![\p{L}\p{N}])/giu;
const BELOW =
  /(?:(?:and\s+)?(?:put\s+it\s+|it\s+goes\s+)?(?:below|under(?:neath)?|beneath|as\s+(?:a\s+)?child(?:\s+page)?\s+of|child(?:\s+page)?\s+of))\s+(?:the\s+)?(?<page>[^,.;:"“]{3,60}?)(?<noun>\s+page)?(?=\s*(?:$|[,.;:]))/iu;
const LABELLED = /(?:with\s+)?(?:the\s+)?labels?\s*:?\s+(?<labels>[\w-]+(?:\s+and\s+[\w-]+)*)\s*$/iu;

/** The values that a part of an order names, and what is left of it. */
function valuesAt(text: string, known: readonly KnownName[]): { values: Value[]; rest: string } {
  const values: Value[] = [];
  let rest = text;
  const labels = LABELLED.exec(rest);
  if (labels?.groups) {
    for (const label of (labels.groups["labels"] ?? "").split(/\s+and\s+/i))
      values.push({ kind: "label", id: label });
    rest = rest.slice(0, labels.index);
  }
  const below = BELOW.exec(rest);
  const { page = "", noun } = below?.groups ?? {};
  const parent = pageCalled(page, known);
  // "Under engineering" is a space, and "under the operations start page" none.
  const isSpace = noun === undefined && spaceCalled(page, known, false) !== undefined;
  if (below && !isSpace) {
    values.push(parent === undefined ? { kind: "unknown", id: "" } : { kind: "parent", id: parent.id });
    rest = rest.slice(0, below.index) + rest.slice(below.index + below[0].length);
  }
  for (const match of rest.matchAll(PLACE)) {
    const isBare = !/^(?:in|under|to|into|for|it|put)\b/i.test(match[0]);
    const id = spaceCalled(match.groups?.["name"] ?? "", known, isBare);
    if (id === undefined || (isBare && match[0].trim() !== rest.trim())) continue;
    values.push({ kind: "space", id });
    rest = `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`;
    break;
  }
  const numbered = /\s*parent id (\d+)/.exec(rest);
  if (numbered) {
    values.push({ kind: "parent", id: numbered[1] ?? "" });
    rest = rest.replace(numbered[0], "");
  }
  return { values, rest };
}

/** The space that is called so, by its code or its name, or by a word of that; by its whole name where it stands alone. */
function spaceCalled(said: string, known: readonly KnownName[], isWhole: boolean): string | undefined {
  const lower = said.toLowerCase().replace(/\band\b/, "&");
  const [word = ""] = lower.split(" ");
  const spaces = known.filter(({ kind }) => kind === "space");
  // Where nobody says which there are, a code in capitals is one.
  if (spaces.length === 0) return /^[A-Z][A-Z0-9]{1,9}$/.test(said) && !isWhole ? said : undefined;
  const whole = spaces.filter(({ id, name }) => [id.toLowerCase(), name.toLowerCase()].includes(lower));
  const part = spaces.filter(
    ({ id, name }) =>
      id.toLowerCase() === word ||
      (word.length > 3 &&
        name
          .toLowerCase()
          .split(/[^\p{L}]+/u)
          .includes(word)),
  );
  const codes = new Set((whole.length > 0 || isWhole ? whole : part).map(({ id }) => id));
  const [only] = codes;
  return codes.size === 1 ? only : undefined;
}

/** "Good / not so good / we will try as headings, empty is fine" as headings with nothing below. */
function headed(text: string): string | undefined {
  const { before, behind, names = before ?? behind } = HEADED.exec(text)?.groups ?? {};
  const all = names?.split(/\s*\/\s*|\s*,\s+(?:and\s+)?|\s+and\s+/i).filter((name) => name !== "") ?? [];
  return all.length < 2
    ? undefined
    : all.map((name) => `## ${name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())}`).join("\n\n");
}

const HEADED =
  /^(?:with\s+)?(?:(?<before>[^.;:]{5,200}?)\s+as\s+(?:the\s+)?(?:headings?|headlines|sections|chapters)|(?:just\s+)?(?:the\s+)?(?:headings?|headlines|sections|chapters)(?:\s+for\s+now)?\s*:?\s+(?<behind>[^.;:]{5,200}?))(?:\s*[,.;]\s*(?:empty|nothing|leave)\b[^.]*)?[\s.]*$/iu;

/** "Request new keys, put them into the vault" as a list with such marks, or with numbers. */
function itemsOf(text: string, mark: string | undefined): string {
  const steps = text.split(/\s*[,;]\s+(?:and\s+|then\s+)?/).filter((step) => step !== "");
  return steps.map((step, at) => `${mark ?? `${String(at + 1)}. `}${step}`).join("\n");
}

/** "1. checkout numbers 2. the freeze": what is numbered is a list. */
function listed(text: string): string {
  return /^\s*1[.)]\s/.test(text) ? text.trim().replaceAll(/\s+(?=[2-9][.)]\s)/g, "\n") : text;
}
