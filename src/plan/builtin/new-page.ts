import type { KnownName } from "#contract/plan.ts";

import { createSheet } from "./sheet.ts";

const POLITE =
  "(?:(?:please|pls|can|could|would|you|also|and|ok|so|in that case|then|we need|i need|let['’]?s)[\\s,]+)*";
const MADE = "(?:create|make|add|write|start|open|put up|set up)";
/** "New wiki page", "create a page", "create one", where what follows names a space. */
const HEAD = new RegExp(
  `^\\W*${POLITE}(?:(?:${MADE}\\s+)?(?:an?\\s+|another\\s+)?(?:new\\s+)?(?:wiki\\s+|confluence\\s+)?page\\b|${MADE}\\s+(?:one|it)\\b(?=.*\\bspace\\b))(?!\\s+(?:\\d+|about|on|says?|that|which|is|has|of|comment|to)\\b)`,
  "isu",
);
const BODY =
  /(?:^|[.,;]\s*|\s)(?:(?:and\s+)?(?:the\s+)?(?:text|inside|contents?|body)\s*:|(?:saying|(?:that|which)\s+says)\s*:?|(?:with|in)\s+(?:the\s+)?(?:text|content|(?<steps>\p{L}+\s+(?:steps|points))|\p{L}+\s+lines)\s*:)\s*(?<body>\S.*)$/isu;
const TITLE =
  /(?:^|[\s,.;])(?:called|titled|named|(?:with\s+)?(?:the\s+)?title)\s*:?\s+(?<title>[^,.;:\s“"'‘][^,.;:]*?)(?=\s*(?:$|[,.;:]))/isu;

/**
 * The order for a new page as one with its title and its text in quotes: "new wiki page in eng, Cheatsheet. text: use
 * Intl" as "create a wiki page in ENG titled “Cheatsheet”, body “use Intl”". Undefined where the message is none, or names
 * no title.
 */
export function asNewPage(message: string, known: readonly KnownName[]): string | undefined {
  const head = HEAD.exec(message)?.[0];
  if (head === undefined || /\?\W*$/.test(message) || /[“”«»]/.test(message)) return undefined;
  if (createSheet(message).quotes.length > 1) return undefined;
  const whole = message.slice(head.length);
  const { body: told, steps } = BODY.exec(whole)?.groups ?? {};
  // "Page in ENG: …" may be one that is there.
  if (told === undefined && !new RegExp(`\\b(?:${MADE}|new)\\b`, "i").test(head)) return undefined;
  const about = told === undefined ? whole : whole.slice(0, BODY.exec(whole)?.index);
  const place = placeIn(about, known);
  const parent = BELOW.exec(about);
  const over = parent && pageCalled(parent.groups?.["page"] ?? "", known);
  // Where the page that it shall stand below is not known, it is put nowhere.
  if (place === undefined || (parent && over === undefined)) return undefined;
  const placed = `${about.slice(0, place.start)} ${about.slice(place.end)}`;
  const rest = placed.replace(BELOW, "").trim();
  const [quote] = createSheet(rest).quotes;
  const named = quote?.value ?? TITLE.exec(rest)?.groups?.["title"];
  // "…: Christmas party. Date 11 December"
  const [, first = "", more] = /^[\s,:;–-]*(\S.*?)(?:[.:]\s+(\S.*))?$/su.exec(rest) ?? [];
  const title = (named ?? first).replace(/[\s.]+$/, "");
  // "… called Rotating keys: request new ones"
  const [, behind] = /^[^:]*:\s+(\S.*)$/su.exec(quote === undefined ? rest : rest.slice(quote.end)) ?? [];
  const text = told ?? (named === undefined ? more : behind);
  // What is left has to be the title.
  if (
    title === "" ||
    title.length > MOST_TITLE ||
    (named === undefined && /^(?:for|about|on|please|pls)\b/i.test(first))
  )
    return undefined;
  const written = text === undefined || steps === undefined ? text : numbered(text);
  const body = written === undefined ? "" : `, body “${written.replace(/^["']|["']\s*$/g, "").trim()}”`;
  const under = over ? `, parent id ${over.id}` : "";
  return `create a wiki page in ${place.id} titled “${title}”${under}${body}`;
}

const MOST_TITLE = 120;

/** "… below alerts and dashboards" */
const BELOW =
  /[\s,]+(?:below|under(?:neath)?|beneath)\s+(?:the\s+)?(?<page>[^,.;:"“]{3,60}?)(?:\s+page)?(?=\s*(?:$|[,.;:]))/iu;

/** The one page that is called so. */
function pageCalled(said: string, known: readonly KnownName[]): KnownName | undefined {
  const lower = said.toLowerCase();
  const [only, ...others] = known.filter(({ kind, name }) => kind === "page" && name.toLowerCase() === lower);
  return others.length === 0 ? only : undefined;
}

/** "Request new keys, put them into the vault" as a list with numbers. */
function numbered(text: string): string {
  const steps = text.split(/\s*[,;]\s+(?:and\s+|then\s+)?/).filter((step) => step !== "");
  return steps.map((step, at) => `${String(at + 1)}. ${step}`).join("\n");
}

/** The space that a text names by its code, or by words of its name, and where that stands. */
function placeIn(
  text: string,
  known: readonly KnownName[],
): { id: string; start: number; end: number } | undefined {
  const spaces = known.filter(({ kind }) => kind === "space");
  for (const match of text.matchAll(
    /[\s,]*\b(?:in|under|to|into|for)\s+(?:the\s+)?(\p{L}+)(?:\s+(?:&|and)\s+\p{L}+)?(?:\s+(?:handbook|runbooks|space|wiki))*(?![\p{L}\p{N}])/giu,
  )) {
    const said = (match[1] ?? "").toLowerCase();
    const [only, ...others] = spaces.filter(
      ({ id, name }) =>
        id.toLowerCase() === said ||
        (said.length > 3 &&
          name
            .toLowerCase()
            .split(/[^\p{L}]+/u)
            .includes(said)),
    );
    if (only !== undefined && others.length === 0)
      return { id: only.id, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}
