import type { KnownName } from "#contract/plan.ts";

import { createSheet } from "./sheet.ts";
import { tokenize } from "./words.ts";

/** A complaint or an error message in quotes is looked for, where the rest only asks whether it is known. */
const LOOKS =
  /\b(?:know\p{L}*|seen|see|heard|find|found|search|look\p{L}*|ticket|issue|bug|report\p{L}*|track\p{L}*|repaired|fixed|solved|resolved|done|says?|said|writes?|wrote|asks?|asked|complain\p{L}*|gets?|sees|claims?|told|tells|error|message)\b/iu;
const ORDERS =
  /\b(?:comment|note|create|open an?|file|log|new|add|rename|titled?|called|named|call it|label|page|assign|move|set|close|put|write down|body|reply)\b/i;

/** `A customer writes: "after login the page is white". Do we know that?` as the search that it is. */
export function lookedFor(message: string): string {
  const { quotes, masked } = createSheet(message);
  const [quote, ...others] = quotes;
  if (!quote || others.length > 0 || tokenize(quote.value).length < 4) return message;
  const rest = `${masked.slice(0, quote.start)} ${masked.slice(quote.end)}`;
  if (!/\?/.test(rest) || !LOOKS.test(rest) || ORDERS.test(rest) || /[A-Z]\w*-\d/.test(rest)) return message;
  // What somebody wrote stays in quotes: it is looked for, and orders nothing.
  return `find issues about ${message.slice(quote.start, quote.end)}`;
}

const THINGS = "issues|tickets|bugs|tasks|stories";

/** "Emi or Dmitri: which of the two has more open issues?" as the question for the number of each. */
export function compared(message: string, known: readonly KnownName[]): string {
  const found = new RegExp(
    `\\b(?:which|who)(?:\\s+(?:one|person))?(?:\\s+(?:of (?:the two|them|these two|those two|both)))?\\s+(?:has|have|had|got|owns?)\\s+(?:got\\s+)?(?:more|fewer|less|most|the most|the fewest)\\s+([\\p{L} ]{0,20}?)(${THINGS})([^.?!]*)`,
    "iu",
  ).exec(message);
  if (found === null) return message;
  const people = known.filter(({ kind, name }) => {
    const [first = name] = name.split(" ");
    return kind === "person" && new RegExp(`(?<![\\p{L}])${first}(?![\\p{L}])`, "iu").test(message);
  });
  if (people.length !== 2) return message;
  const isOpen = /\bopen\b/i.test(found[3] ?? "") && !/\bopen\b/i.test(found[1] ?? "");
  return people
    .map(
      ({ name }) => `how many ${isOpen ? "open " : ""}${found[1] ?? ""}${found[2] ?? ""} does ${name} have`,
    )
    .join("; ");
}

/** "just bens" as Ben's. */
export function withApostrophes(message: string, known: readonly KnownName[]): string {
  const names = known
    .filter(({ kind }) => kind === "person")
    .flatMap(({ id, name }) => [id, name.split(" ")[0] ?? ""])
    .filter((name) => /^\p{L}{3,}$/u.test(name));
  if (names.length === 0) return message;
  const { masked } = createSheet(message);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}'’-])(${[...new Set(names)].join("|")})s(?![\\p{L}\\p{N}'’-])`,
    "giu",
  );
  return message.replaceAll(pattern, (said: string, name: string, at: number) =>
    masked.startsWith(said, at) ? `${name}'s` : said,
  );
}

/** "mob 16" as MOB-16, where there is such a project and nothing else may be meant by the number. */
export function withSpacedKeys(message: string, known: readonly KnownName[]): string {
  const codes = known.flatMap(({ kind, id }) => (kind === "project" && /^[A-Z]\w+$/.test(id) ? [id] : []));
  if (codes.length === 0) return message;
  const { masked } = createSheet(message);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}-])(${codes.join("|")})[ ._#]{1,2}(\\d{1,5})(?![\\p{L}\\p{N}%]|[.,]\\d| (?:issues|tickets|bugs|tasks|stories|days|weeks|open|things|items|times|of))`,
    "giu",
  );
  return message.replaceAll(pattern, (said: string, code: string, digits: string, at: number) =>
    masked.startsWith(said, at) ? `${code.toUpperCase()}-${digits}` : said,
  );
}
