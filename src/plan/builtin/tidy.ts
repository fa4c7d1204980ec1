import { anyOf } from "../../base/matching.ts";
import { DICTATES, withoutEnd, withoutLead } from "./padding.ts";
import { COLON, createSheet } from "./sheet.ts";

const KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}";
const ADDRESS = `https?:\\/\\/[^\\s<>()|\\]]{1,300}?(?:\\/browse\\/|\\/issues\\/|[?&]selectedIssue=)(${KEY})(?![\\w-])[^\\s<>()|\\],;!]*?`;

/** A key as people set it off, or as the address that they copied. */
const DECORATED: readonly RegExp[] = [
  new RegExp(`\\[(${KEY})\\]\\(https?:[^\\s()]{1,300}\\)`, "gi"),
  new RegExp(`<${ADDRESS}(?:\\|[^<>|]{1,200})?>`, "gi"),
  new RegExp(`${ADDRESS}(?=[.,;:!?]*(?:[\\s)]|$))`, "gi"),
  new RegExp(
    `(?<![\\w*\`~])(?:\`(${KEY})\`|\\*\\*(${KEY})\\*\\*|\\*(${KEY})\\*|~(${KEY})~)(?![\\w*\`~])`,
    "gi",
  ),
  new RegExp(`(?<![\\w/#&])#(${KEY})(?![\\w-])`, "gi"),
];

/** As it is called in its own page and terminal, where no platform takes the mention out. */
const MENTION = /^\s*@countersign\b[\s,:]*/i;
/** Thanks for what was done: those are the message. */
const THANKFUL =
  /^\W*(?:perfect|great|cool|nice|awesome|excellent|wonderful|lovely|thanks|thank you|thx|that(?:['’]s| is| was))\b/iu;
const GOODBYE = "(?:thanks|thank you|thx|cheers|best|(?:best |kind |many )?(?:regards|thanks)|br)";

/** Who is there: the people who may have signed it or be named in it, and whether records are called by keys. */
export interface TidyContext {
  names: readonly string[];
  hasKeys: boolean;
}

export interface Tidied {
  text: string;
  /** What asks for something that is left out. */
  aside?: string;
}

/**
 * A message without what people put around it and around the keys in it: "ok so close `DEMO-4` 🙏" is "close DEMO-4".
 * What is quoted or dictated stays as it is, and so does an address where nothing has a key.
 */
export function tidied(message: string, { names, hasKeys }: TidyContext): Tidied {
  const unsigned = withoutSignature(message.replace(MENTION, "").trim(), names);
  const body = withoutLead(hasKeys ? withPlainKeys(unsigned) : unsigned);
  const { masked } = createSheet(body);
  if (COLON.test(masked) || THANKFUL.test(masked)) return { text: body };
  const copy = /\bcc\b/i.test(masked) ? copyTo(names).exec(masked) : null;
  const aside = copy === null ? "" : body.slice(copy.index).replaceAll(/^[\s,.;(–-]+|[\s.!)]+$/g, "");
  const rest = withoutEnd(copy === null ? body : body.slice(0, copy.index));
  return aside === "" ? { text: rest } : { text: rest, aside };
}

/** Who else shall know of it, whom nothing tells: "(cc Ana)", and no cc in a title. */
function copyTo(names: readonly string[]): RegExp {
  const one = `(?:@[\\p{L}\\p{N}._-]+|${anyOf(names)})`;
  return new RegExp(
    `(?<![\\s,.;–-])[\\s,.;–-]*\\s\\(?cc:?\\s+${one}(?:\\s*(?:,|&|\\band\\b)\\s*${one})*\\)?[\\s.!]*$`,
    "iu",
  );
}

/** "– Ben" or "Thanks, Ben" on a line of its own, below what he says. */
function withoutSignature(message: string, names: readonly string[]): string {
  // Of a list the last item may be a name.
  const isList = (message.match(/\n\s*[-–—*•]/g)?.length ?? 0) > 1;
  if (!message.includes("\n") || isList) return message;
  const signed = new RegExp(
    `\\n\\s*(?:(?:${GOODBYE}[\\s,.!]*[–—~-]*|[–—~-]+)\\s*(?:${anyOf(names)})|${GOODBYE})[\\s,.!]*$`,
    "iu",
  );
  return message.replace(signed, "");
}

function withPlainKeys(message: string): string {
  const sentence = message.slice(0, COLON.exec(message)?.index);
  const plain = DECORATED.reduce((text, pattern) => {
    const { quotes } = createSheet(text);
    return text.replaceAll(pattern, (whole: string, ...found: (string | number | undefined)[]) => {
      const key = found.find((one) => typeof one === "string") ?? whole;
      const at = found.find((one) => typeof one === "number") ?? 0;
      // The first key is what it is about; one behind "saying that" may be a part of the text.
      const before = text.slice(0, at);
      const isText = DICTATES.test(before) && /[A-Za-z]\w*-\d/.test(before);
      return isText || quotes.some(({ start, end }) => start < at && at < end) ? whole : key;
    });
  }, sentence);
  return plain + message.slice(sentence.length);
}
