import { KEY } from "./words.ts";

const POLITE = "(?:(?:please|pls|plz|can|could|would|you|and|also|then|just|now|ok)[\\s,]+)*";
const RECORD = `(?:the\\s+)?(?:ticket\\s+|issue\\s+)?(?<record>${KEY})`;
/** "Add a comment to DEMO-4 saying …", "DEMO-4: add a comment: …" */
const COMMENTED = [
  `(?:add|leave|post|write|put|drop)\\s+(?:an?|the|this|another)\\s+(?:short\\s+|quick\\s+|new\\s+)?(?:comment|note|remark)\\s+(?:to|on|in|under|for|at)\\s+(?:${RECORD}|(?<it>it|this|that))\\s+(?:saying|that\\s+says|which\\s+says|reading|with\\s+the\\s+text)(?:\\s+that)?\\s*[:,]?\\s+(?<text>\\S.*)`,
  `(?<record>${KEY})\\s*[:,–-]\\s+(?:please\\s+)?(?:(?:add|leave|post|write|put)\\s+(?:an?|the|this)\\s+)?(?:comment|note|remark)\\s*:\\s+(?<text>\\S.*)`,
];
/** 'Put a comment on MOB-20: "It registered first." and give it to Emi' */
const QUOTED_NOTE = new RegExp(
  `^\\W*${POLITE}(?:add|leave|post|write|put|drop)\\s+(?:an?|the|this|another)\\s+(?:short\\s+|quick\\s+|new\\s+)?(?:comment|note|remark)\\s+(?:to|on|in|under|for|at)\\s+${RECORD}\\s*[:,]?\\s+(?<text>"[^"]+"|“[^”]+”)\\s*[,.;]?\\s+(?:and|then)\\s+(?<more>(?:(?:re)?assign|give|hand|close|move|set|label|reopen|make|mark|start)\\s[^:"“]+)$`,
  "isu",
);
const FIELD = "(?<field>title|summary|description)";
/** "Rename DEMO-4 to …", "change the title of DEMO-4 to …" */
const PUT = [
  `(?:rename|retitle)\\s+${RECORD}\\s+(?:to|as|into)(?:\\s*:)?\\s+(?<text>\\S.*)`,
  `(?:change|set|update|edit)\\s+the\\s+${FIELD}\\s+of\\s+${RECORD}\\s+to(?:\\s*:)?\\s+(?<text>\\S.*)`,
  `the\\s+${FIELD}\\s+of\\s+${RECORD}\\s+should\\s+(?:be|read|say)(?:\\s*:)?\\s+(?<text>\\S.*)`,
  `(?:change|set|update|edit)\\s+${RECORD}['’]s\\s+${FIELD}\\s+to(?:\\s*:)?\\s+(?<text>\\S.*)`,
];
const [COMMENTS, PUTS] = [COMMENTED, PUT].map((all) =>
  all.map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu")),
) as [RegExp[], RegExp[]];
/** What is ordered besides, behind a text that is not in quotes. */
const MORE =
  /(?:[,.;!]|\band|\bthen)\s+(?:(?:please|pls|also|then|and|can you)\s+)*(?:(?:re)?assign|close|move|set|add|label|tag|link|comment|reopen|delete|mark|give|put|make|bump|raise|lower|resolve|show|list|change|rename|tell|let|leave)\b|\bwith\s+(?:priority|label)\b/i;

/**
 * An order of which the end is dictated, with a colon before that end, behind which nothing is read as an order: "add a
 * comment to DEMO-4 saying thanks, it works" as "comment on DEMO-4: thanks, it works".
 */
export function dictated(message: string): string {
  const quoted = QUOTED_NOTE.exec(message)?.groups;
  if (quoted) {
    const { record = "", text = "", more = "" } = quoted;
    return `${more.replace(/\b(?:it|this|that)\b/i, record).replace(/[\s.]+$/, "")}; comment on ${record}: ${text}`;
  }
  const comment = dictatedBy(COMMENTS, message);
  if (comment) return `comment on ${comment["record"] ?? comment["it"] ?? "it"}: ${comment["text"] ?? ""}`;
  const put = dictatedBy(PUTS, message);
  return put === undefined
    ? message
    : `set the ${put["field"] ?? "summary"} of ${put["record"] ?? "it"} to: ${put["text"] ?? ""}`;
}

function dictatedBy(patterns: readonly RegExp[], message: string): Record<string, string> | undefined {
  for (const pattern of patterns) {
    const groups = pattern.exec(message)?.groups;
    const { text = "" } = groups ?? {};
    const isQuoted = /^(?:"[^"]*"|“[^”]*”|'[^']*'|‘[^’]*’)\W*$/.test(text);
    if (groups !== undefined && (isQuoted || (!MORE.test(text) && !/["“”]/.test(text[0] ?? ""))))
      return groups;
  }
  return undefined;
}
