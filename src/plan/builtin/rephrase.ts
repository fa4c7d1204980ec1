import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { VERB_WORDS } from "./verbs.ts";
import { stemOf, STOP_WORDS, tokenize, wordSet } from "./words.ts";

const CORRECTED =
  /(?:[\s,.;!–-]+(?:oh\s+)?(?:no,?\s+wait|wait,?\s+no|wait|scratch that|i mean(?:t)?|correction|or rather)|\s*[,.;!–-]\s*no)[\s,.:–-]+(?:(?:make (?:it|that)|rather)\s+)?(?=\S)/i;

const ORDER =
  "(?:(?:please|pls|so|then|but|and)\\s+)*(?:(?:re)?assign|close|move|set|start|reopen|give|mark|put|make|bump|raise|lower|label|delete|rename|comment|resolve)\\b";
/** "Close OPS-18, no wait, it is closed. Close OPS-20": what was said first is taken back. */
const TAKEN_BACK = [
  `^[^.!?:]{4,120}?(?:\\.{2,3}|…|[,.;!–-])\\s*(?:oh\\s+)?(?:no,?\\s+wait|wait,?\\s+no|wait|actually,?\\s+(?:it|that|this)(?:['’]?s|\\s+is)|scratch that)\\b[^.!?]*[.!?]\\s+(?=${ORDER})`,
  `^[^.!?:]{4,120}?(?:\\.{2,3}|…|[,;!–-])\\s*(?:oh\\s+)?(?:no,?\\s+wait|wait,?\\s+no|scratch that)[\\s,.:–-]+(?=${ORDER}.*[A-Z]\\w*-\\d)`,
].map((pattern) => new RegExp(pattern, "isu"));
/** "Delete the keyboard one.. no, don't, sorry. Just make it due tomorrow": what it is about is kept. */
const CALLED_OFF = new RegExp(
  `^\\W*(?:(?:please|pls)\\s+)*(?:delete|remove|close|move|assign|reopen|start|drop)\\s+(?<what>(?:the\\s+)?[^,.;:!?]{2,60}?)\\s*(?:\\.{2,}|…|[,;–-]|\\.)\\s*(?:(?:no|oh|wait|sorry)\\b[\\s,.]*)+(?:don['’]?t|do\\s+not|not\\s+that)\\b(?:[\\s,.!–-]|\\bsorry\\b|\\bplease\\b)*(?:(?:just|only|rather|better)\\s+)*(?<rest>\\S.*)$`,
  "isu",
);
/** "The label printer... no wait, the office printer can go down to low" */
const CALLED_WRONGLY =
  /^\W*(?:the\s+)?(?:\p{L}+\s+){0,2}\p{L}+\s*(?:\.{2,3}|…|,)\s*(?:oh\s+)?(?:no,?\s+wait|wait,?\s+no),?\s+(?=the\s+(?:\S+\s+){3})/iu;

const SHORT: Record<string, string> = {
  wats: "what's",
  whts: "what's",
  whos: "who's",
  "re-open": "reopen",
  "put my name on": "put me on",
  "w/": "with ",
  "w/o": "without ",
  wat: "what",
  wot: "what",
  fortnight: "2 weeks",
  wont: "won't",
};

/** The text with what matches replaced, but for what is quoted or dictated behind a colon. */
export function inOwnWords(
  text: string,
  pattern: RegExp,
  replace: (said: string, groups: readonly string[]) => string,
): string {
  if (text.search(pattern) < 0) return text;
  const { masked } = createSheet(text);
  const colon = COLON.exec(masked);
  // Behind what is quoted nothing is dictated any more.
  const isQuoted = colon !== null && masked[colon.index + colon[0].length] === QUOTED;
  const end = colon === null || isQuoted ? masked.length : colon.index;
  return text.replaceAll(pattern, (said, ...rest: unknown[]) => {
    const place = rest.findIndex((each) => typeof each === "number");
    const at = Number(rest[place]);
    const groups = rest.slice(0, place).map((group) => (typeof group === "string" ? group : ""));
    return at < end && masked.startsWith(said, at) ? replace(said, groups) : said;
  });
}

/** Whether it begins like an order. */
function isOrdered(text: string): boolean {
  const [first] = tokenize(text, 1);
  return (
    first === undefined ||
    VERB_WORDS.includes(first.lower) ||
    /^\W*(?:which|what|who|how|where|when|any\p{L}*|is|are|do|does)\b/iu.test(text)
  );
}

const KEY = "[A-Za-z]\\w{0,15}-\\d{1,9}";
const KEYS = `${KEY}(?:\\s*(?:,|and|&)\\s*${KEY})*`;

/** What takes back, doubts, limits or only reports what stands before it. */
export const TURNED: RegExp =
  /\b(?:not|no|nor|never|\p{L}+n['’]t|but|except|unless|if|once|when|until|till|before|after|or|said|says?|thinks?|thought|wrote|writes|claims?|suggests?|heard|asks?|kidding|joking|wish|hope|bet|doubt|suppose|assume|maybe|perhaps|might|may|myself|ignore|already|why|though|although|right|really|eventually|later|tomorrow|then|instead|rather|wait|sorry|whoever|who|which|pretend|imagine)\b/iu;

/** What is said as people talk, and the plain wish that it is. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      `^\\W*(${KEYS})\\s+(?:is|are)\\s+(?:now\\s+|already\\s+|all\\s+)?(?:finished|fixed|resolved|completed?|shipped|deployed|closed)(?:\\s+now)?[\\s.!]*$`,
      "is",
    ),
    "close $1",
  ],
  [
    new RegExp(
      `^\\W*(${KEYS})\\s+(?:is|are)\\s+(?:now\\s+)?(?:ready|waiting|up)\\s+for\\s+(?:a\\s+)?(?:code\\s+)?review(?:\\s+now)?[\\s.!]*$`,
      "is",
    ),
    "move $1 to In Review",
  ],
  [
    new RegExp(
      `^\\W*(?:(?:right|ok(?:ay)?|so|well|hi|fyi),?\\s+)*(?:(?:i|we)(?:['’](?:ve|m|re|ll)|\\s+(?:have|am|are|will))?\\s+|(?=starting|beginning))(?:(?:just|now|finally)\\s+)?(?:start(?:ed|ing)?|begun|began|begin(?:ning)?)(?:\\s+(?:to\\s+)?work(?:ing)?)?(?:\\s+(?:on|with))?\\s+(${KEYS})(?:,?\\s+(?:today|now|yesterday|this morning|right away|at last|finally))*[\\s.!]*$`,
      "is",
    ),
    "move $1 to In Progress",
  ],
  [
    new RegExp(
      `^\\W*(${KEYS})\\s+(?:is|are)\\s+(?:now\\s+)?mine(?:\\s+(?:now|from\\s+now\\s+on))?[\\s.!]*$`,
      "is",
    ),
    "assign $1 to me",
  ],
  [
    /\b(open|create|file|log|raise|report|make|add|new)(\s+(?:me\s+)?an?)?\s+(?:error|defect|fault)\b(?!\s+(?:message|page|log))/i,
    "$1$2 bug",
  ],
  // "Give MOB-4 to Emi im out next week": why stands behind it with no comma.
  [
    /^(\W*(?:(?:please|pls|and|also|can you|could you)\s+)*(?:give|assign|hand|pass|move|close|set|start|reopen)\s+[^,.;:]{3,60}?)\s+((?:i['’]?m|i['’]?ll|i am|i will|he['’]?s|she['’]?s|we['’]?re|they['’]?re|it['’]?s|cause|cos|because)\s+\S.{2,60})$/i,
    "$1, $2",
  ],
  [/\b(?:unowned|ownerless|up for grabs|without (?:an )?owner|free to take)\b/i, "unassigned"],
  // "I'll take it"
  [
    /^\W*(?:(?:ok|okay|fine|then|and|so),?\s+)*i(?:['’]ll|['’]d like to|['’]m| am| will| can)? (?:tak(?:e|ing)(?: over)?|handl(?:e|ing)|own|grab(?:bing)?|do|pick(?:ing)? up) (it|this(?: one)?|that(?: one)?|the (?:first|second|third|fourth|fifth|last|latter)|the (?:[\p{L}-]+ ){1,4}(?:one|ticket|issue|bug|task|story)|[A-Z]\w*-\d+(?:\s*(?:,|and|&)\s*[A-Z]\w*-\d+)*)(?:[\s,.!]+(?:thanks|thx|cheers|ok|now))*\W*$/iu,
    "assign $1 to me",
  ],
];

/** What is said as people talk as the plain wish that it is, where nothing is quoted or dictated. */
export function meant(text: string): string {
  const { masked } = createSheet(text);
  if (masked !== text || COLON.test(masked)) return text;
  return MEANT.reduce((said, [pattern, instead]) => said.replace(pattern, instead), text);
}

/** "assign DEMO-1 to ben. no wait, to emi" as it was meant in the end, and "I'll take it" as the order that it is. */
export function corrected(given: string): string {
  const { what, rest: instead } = CALLED_OFF.exec(given)?.groups ?? {};
  if (what !== undefined && instead !== undefined && !createSheet(given).masked.includes(QUOTED))
    return corrected(
      /\bit\b/i.test(instead) ? instead.replace(/\bit\b/i, () => what) : `${what}: ${instead}`,
    );
  const taken = [...TAKEN_BACK, CALLED_WRONGLY].map((pattern) => pattern.exec(given)?.[0]).find(Boolean);
  if (taken !== undefined && !createSheet(given).masked.includes(QUOTED))
    return corrected(given.slice(taken.length));
  // What is quoted or dictated stays as it is, to the letter.
  const plain = meant(given);
  const message = inOwnWords(
    plain,
    /\bre-open\b|\bput my name on\b|\bw\/o\s+|\bw\/\s+|\bw[ao]t\b(?= )|\bwh?[ao]?ts\b(?= )|\bwhos\b(?= )|\bfortnight\b|\bwont\b/gi,
    (said) => SHORT[said.trim().toLowerCase()] ?? said,
  );
  // "Rename it to just “Glossary”"
  const renamed = inOwnWords(message, TO_JUST, () => "");
  if (renamed !== message) return corrected(renamed);
  const joint = [...message.slice(0, -1).matchAll(/\s*[,.?!;:–-]\s+(?:(?:and|so)\s+)?/g)].at(-1);
  const told = joint === undefined ? "" : message.slice(0, joint.index);
  const isTold =
    tokenize(told).filter(({ lower }) => !STOP_WORDS.has(lower) && /\p{L}{3}/u.test(lower)).length > 1 &&
    !/[A-Z]\w*-\d/.test(told);
  if (joint && isTold && isAskedFor(message.slice(joint.index + joint[0].length)) && !isOrdered(told))
    return /\b(?:page|doc\w*|guide|wiki|handbook|article)s?\b/i.test(told)
      ? told
      : `find issues about ${told}`;
  const needed =
    /^\W*(?:(?:(?:i|we)(?:['’]d| would)?|please) )?(?:need|want|like)(?: to have)? (?:(an?|another|one more) )?(?=(?:new )?(?:bug|task|story|ticket|issue)\b(?! (?:that|which|about|where)\b))/i.exec(
      message,
    );
  if (needed) return `create ${needed[1] ?? "a"} ${message.slice(needed[0].length)}`;
  const at = CORRECTED.exec(message.slice(0, COLON.exec(message)?.index));
  if (at === null || at.index === 0) return message;
  const before = message.slice(0, at.index);
  const after = message.slice(at.index + at[0].length);
  const lead = /^(?:to|as|in|for|on)\b/i.exec(after)?.[0];
  const from = lead === undefined ? -1 : before.toLowerCase().lastIndexOf(` ${lead.toLowerCase()} `);
  if (from >= 0) return `${before.slice(0, from)} ${after}`;
  // "… to high. No wait, medium, it's only a printer"
  const { value = after, why } = WITH_REASON.exec(after)?.groups ?? {};
  if (!/^\p{L}+\W*$/u.test(value)) return message;
  return before.replace(/\S+$/, value) + (why === undefined ? "" : `. ${why}`);
}

const WITH_REASON =
  /^(?<value>\p{L}+)\s*[,.;–-]\s+(?<why>(?:it|that|this|he|she|they|we|i|because|since|as|there)(?:['’]\p{L}+)?\s.*)$/isu;

/**
 * "Is the emoji login thing fixed yet?", of what is called by no one title: it is looked for whatever its state, which is
 * seen then. That nothing done is called so would be no answer.
 */
export function lookedAt(text: string): string {
  const { what, rest = "" } = IS_SO.exec(text)?.groups ?? {};
  return what === undefined || SEVERAL.test(what) || new RegExp(KEY).test(text)
    ? text
    : `show ${what}${rest === "" ? "" : `.${rest}`}`;
}

const IS_SO =
  /^\W*(?:(?:and|so|ok|hey|hi|but)\W+)*(?:is|was|has)\s+(?<what>(?:the|that|this|our)\s+[^,.;:?!]{3,60}?)(?:\s+(?:been|already|now|finally|really|actually))*\s+(?:fixed|done|finished|closed|resolved|solved|shipped|live|merged|repaired|sorted)(?:\s+(?:yet|already|now|by\s+now|finally|again))*\s*(?:[?!.]+(?<rest>\s.*)?)?$/isu;
const SEVERAL = /\b(?:all|any|every\p{L}*|each|which|what|how|it|one)\b/iu;

const TO_JUST =
  /(?<=\b(?:rename|retitle|title|name|summary)\b[^.;:]{1,80}\s(?:to|as|be)\s)(?:just|simply|only)\s+(?=\S)/gi;

const STATE_WORDS =
  "to do|todo|in progress|in review|review|done|closed|backlog|the backlog|won['’]t do|wont do";
const GOES = new RegExp(
  `^\\W*(${KEYS})\\s*(?:→|->|=>|:|\\bto\\b|\\bgoes? to\\b|\\b(?:can|could|should|needs to|must|has to) (?:(?:both|all) )?(?:be|go|become)(?: (?:from [\\p{L} ]+ )?to)?)\\s+(?:an?\\s+)?(.+?)\\W*$`,
  "iu",
);

const RELATED =
  "[A-Z]\\w*-\\d+\\s+(?:(?:is|was)\\s+)?(?:an?\\s+)?(?:block|duplicat|relat|depend|clon|caus)\\p{L}*\\s+(?:(?:by|to|on|of|from|with)\\s+)?[A-Z]\\w*-\\d+";
/** "Note that CRM-1 blocks CRM-2", "CRM-1 blocks CRM-2, can you put that in?" */
const NOTED = new RegExp(
  `^\\W*(?:(?:please\\s+)?(?:note|record|enter|mark|put|write)(?:\\s+down)?(?:\\s+in\\s+\\p{L}+)?\\s+that\\s+(${RELATED})|(${RELATED})\\s*[,;.–-]+\\s*(?:(?:please|pls|(?:can|could|will)\\s+you)\\s+)*(?:link|(?:put|add|enter|record|note|link)\\s+(?:it|that|this|them))(?:\\s+(?:in|down|there|up|so|like that|that way))?)\\W*$`,
  "iu",
);

/** "Turns out CRM-1 caused CRM-2 … put that in": what is found out and shall be recorded. */
const FOUND_OUT = new RegExp(
  `^\\W*(?:.*?\\b(?:turns out|apparently|seems|looks like|found out|discovered)(?:\\s+that)?\\s+)?(${KEY})\\s+(blocks|causes?d?|duplicates|(?:is|was) (?:blocked|caused|duplicated) by|is a duplicate of|relates to|(?:turned out to be|is)\\s+the\\s+same(?:\\s+\\p{L}+)?\\s+as)\\s+(${KEY})\\b\\s*(?:[^?]*?[,.;–-]|\\s+and)\\s*(?:(?:please|pls|so|can you|could you|then)\\s+)*(?:put|record|note|link|mark|add|enter)\\s+(?:it|that|this|them|so)(?:\\s+(?:in|down|there|up|so|please|pls|like that|that way|as\\s+[\\p{L} ]{3,30}))*[\\s.!]*$`,
  "isu",
);

/** "CRM-90 belongs to the epic CRM-70, link it": what they are to each other stands before the verb. */
export function linked(message: string): string {
  const { masked } = createSheet(message);
  if (masked !== message) return message;
  const [, from = "", how = "", to = ""] = FOUND_OUT.exec(message) ?? [];
  if (from !== "")
    return `link ${from} ${/same/i.test(how) ? "duplicates" : how.replace(/^caused?$/i, "causes")} ${to}`;
  const noted = NOTED.exec(message);
  if (noted)
    return `link ${(noted[1] ?? noted[2] ?? "").replace(/\bduplicate (?:from|with)\b/i, "duplicate of")}`;
  const found =
    /^(.*[A-Z]\w*-\d+.*[A-Z]\w*-\d+\w*)\s*[,;.–-]+\s*(?:(?:so|and|please|pls)\s+)*(link|relate|connect)\s+(?:it|them|these|those|both|the two)(?:\s+(?:as related|with each other|together|to each other|so))?\W*$/isu.exec(
      message,
    );
  return found && !/\?/.test(message) ? `${found[2] ?? ""} ${found[1] ?? ""}` : message;
}

const STATED = new RegExp(`^\\W*(${KEYS})\\s+(${STATE_WORDS})\\W*$`, "i");

/** "DEMO-14 done, MOB-9 to Ben and due on Friday": what shall be of several records, each as an order. */
export function paired(message: string): string {
  const { masked } = createSheet(message);
  if (masked !== message || /\?\s*$/.test(message)) return message;
  const orders = message.split(new RegExp(`\\s*[,;]\\s*(?:and\\s+)?(?=${KEYS}\\s)`, "i")).map((clause) => {
    const [first = "", ...others] = clause.split(/\s+and\s+(?![A-Z]\w*-\d)/i);
    const keys = new RegExp(`^\\W*(${KEYS})`, "i").exec(first)?.[1] ?? "";
    const parts = [first, ...others.map((other) => `${keys} to ${other.replace(/^to\s+/i, "")}`)];
    const said = parts.map(rephrased);
    return said.some((order, at) => order === parts[at]) ? undefined : said.join("; ");
  });
  return orders.length < 2 || orders.includes(undefined) ? message : orders.join("; ");
}

/** "DEMO-3 → in progress", "DEMO-3 should be high", "both to ben": what shall be, as the order that it is. */
export function rephrased(wish: string): string {
  const tagged = new RegExp(`^\\W*(?:tag|label)\\s+(${KEYS})\\s+(?:with|as)\\s+(.+)$`, "i").exec(wish);
  if (tagged) return `add the label ${tagged[2] ?? ""} to ${tagged[1] ?? ""}`;
  const [, keys = "", rest = ""] = STATED.exec(wish) ?? GOES.exec(wish) ?? [];
  if (keys === "" || /\?\s*$/.test(wish)) return wish;
  if (new RegExp(`^(?:${STATE_WORDS})$`, "i").test(rest)) return `move ${keys} to ${rest}`;
  const due = /^due\s+(?:on\s+|by\s+|(?=in\s))?(.+)$/i.exec(rest)?.[1];
  if (due !== undefined) return `set the due date of ${keys} to ${due}`;
  // "should be assigned on Chloé"
  const [, done = "", more = ""] =
    /^(?:(?:both|all)\s+)?(\p{L}+)\s+(?:to|on|as|in|for)\s+(.+)$/iu.exec(rest) ?? [];
  const verb = VERB_WORDS.find((each) => each !== done && stemOf(each) === stemOf(done.toLowerCase()));
  if (verb !== undefined) return `${verb} ${keys} to ${more}`;
  const priority = /^(highest|high|medium|low|lowest)(?: prio(?:rity)?)?$/i.exec(rest)?.[1];
  if (priority !== undefined) return `set the priority of ${keys} to ${priority}`;
  if (/^\W*[A-Z]\w*-\d[^:]*:\s/i.test(wish)) return wish;
  return /^@?\p{L}[\p{L}'’.-]+$/u.test(rest) && !/^[A-Z]{2,}$/.test(rest)
    ? `assign ${keys} to ${rest}`
    : wish;
}

/** "…, do we know that one?", "… which ticket was it?": a clause that only asks for what was told before it. */
function isAskedFor(clause: string): boolean {
  const words = tokenize(clause);
  return (
    words.length > 1 &&
    words.length < 10 &&
    /\b(?:it|that|this|one|known?|ticket|bug|issue|key|page|seen|something|anything)\b/i.test(clause) &&
    /\b(?:which|what|is|are|do|does|did|have|has|any\p{L}*|know|seen)\b/iu.test(clause) &&
    words.every(({ lower }) => STOP_WORDS.has(lower) || ABOUT_RECORDS.has(lower))
  );
}

const ABOUT_RECORDS = wordSet(
  "ticket tickets bug bugs issue issues key known seen tracked reported filed fixed solved repaired handled open exist exists existing track before that's was were be been found see",
);
