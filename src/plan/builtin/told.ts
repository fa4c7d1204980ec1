import type { KnownName } from "#contract/plan.ts";

import { COLON, createSheet, QUOTED } from "./sheet.ts";
import type { Verbs } from "./verbs.ts";
import { readWish } from "./wish.ts";
import { KEY } from "./words.ts";

const PLACE = `(?:in\\s+)?(?:there|on it|(?:in|on) (?:the|this) (?:ticket|issue|comments?)|in a comment(?: (?:on|in|to|under) ${KEY}| there)?|(?:in|on|under) ${KEY})`;
/** "… and say it shipped" */
const ADDED = new RegExp(
  `^(?<order>.+?)[,;.]?\\s+(?:and|then)\\s+(?:(?:please|pls|also|then)\\s+)*(?:say|mention|note|write|comment(?=\\s+that\\b)|(?:add|leave|write|post|put)\\s+(?:an?|the)\\s+(?:comment|note|remark)(?=\\s+that\\b)|tell\\s+(?:them|everyone|everybody|people|the team)|let\\s+(?:them|everyone|everybody|people|the team)\\s+know)\\s+(?:${PLACE}\\s+)?(?:that\\s+)?(?!what\\b|why\\b|how\\b|who\\b|if\\b|whether\\b|me\\b|us\\b|an?\\b)(?<text>\\S+\\s.+)$`,
  "isu",
);
/** "Close DEMO-3 with a comment: shipped", "… and tell Ana why: nobody wants it" */
const WITH_NOTE =
  /^(?<order>[^:"“]{4,}?)(?:\s+(?:with|leaving|adding)\s+(?:(?:an?|the|this)\s+)?(?:short\s+|quick\s+)?(?:comment|note|remark)(?:\s+(?:saying|that says|that)(?:\s+that)?\s+|\s*[:,]\s*|\s+(?=["“]))|,\s+comment\s*:?\s+(?!on\b|to\b|in\b|that\b|about\b)|[,;]?\s+(?:and|then)\s+(?:tell|let)\s+(?<whom>\p{L}+)\s+(?:know\s+)?why\s*:\s*)(?:["“](?<quoted>[^"”]+)["”](?:\s*[,;.]\s*(?:(?:and|then)\s+)*(?<more>\S.*))?|(?<text>[^\s"“].*))\s*$/isu;
const TOLD = new RegExp(
  `^\\W*(?:(?:[Tt]hanks|[Tt]hank you|[Tt]hx|[Gg]reat|[Oo]k)\\W+)?(?:(?:[Aa]nd|[Pp]lease|[Pp]ls|[Tt]hen|[Aa]lso)\\s+)*(?:[Tt]ell|[Ll]et|[Ii]nform|[Nn]otify|[Rr]emind)\\s+(?<whom>him|her|them|\\p{L}[\\p{L}'’-]+(?:\\s\\p{Lu}[\\p{L}'’-]+)?)\\s+(?:(?<place>${PLACE})\\s+)?(?<know>know\\s+)?(?:(?<behind>${PLACE})\\s+)?(?<that>that\\s+)?(?:to\\s+)?(?!about\\b)(?<text>.{5,})$`,
  "su",
);

/** "Put this on DEMO-26 as a comment", "log on OPS-2", "add my result to MOB-16": what stands behind the colon is one. */
const NOTED = new RegExp(
  `^(?!\\W*(?:find|search|show|read|which|what|who|where|is|are|was|does|do|how|delete|remove|edit|change|update)\\b)(?!.*\\b(?:says?|said|last|latest|first|whose)\\b)(?:(?=\\W*(?:(?:please|pls|can you|could you|also|as an?)\\s+)*(?:comment|note|remark|reply)\\b)|(?=.*${KEY}\\s+(?:comment|note|remark)\\W*$)|(?=.*\\b(?:add|leave|put|write|post|drop|stick|make|give|attach|log|record|only)\\b.*\\b(?:comment|note|remark|reply|line)\\b)|(?=.*\\b(?:log|note|write|post|put|say|add|leave|drop|jot|record|mention)\\b.*\\b(?:on|under|to|in|at|into|below)\\s+(?:the\\s+)?(?:ticket\\s+|issue\\s+)?(?:${KEY}|it\\b))|(?=.*\\b(?:on|under|in|at|below)\\s+${KEY}.*\\b(?:leave|note|write|post|add|say|mention)\\b)|(?=.*\\bfor the record\\b.*${KEY}))`,
  "isu",
);
const ORDERED =
  /(?:^|[.!?,;]\s+)(?:(?:please|pls|can you|could you|and|also|then|so)\s+)*(?:close|reopen|resolve|move|(?:re|un)?assign|give|start|set|link|rename|label|tag|bump|raise|lower|put|make|add|remove|delete|mark|change)\b/i;
const OTHER_CHANGE =
  /\b(?:close|reopen|resolve|move|(?:un|re)?assign|create|open an?|new|set|link|rename|labels?|tags?|bump|raise|lower|give|page|doc|title|summary|description|priority|due|deadline|epic|board|project|type)\b/i;
/** "OPS-17 needs tests, back to in progress. Also comment: …" */
const BACK_TO = /\bback (?:in)?to (?:in )?(?:progress|review|to do|backlog)\b/i;
/** "Mention on OPS-17 that …", "add to MOB-3 that …", "tell people in DEMO-4 that …" */
const THAT = new RegExp(
  `^\\W*(?:.*?[,;.–-]\\s+(?:but\\s+|so\\s+)?)?(?:(?:please|pls|plz|can you|could you|i['’]d like to|i would like to|i want to|also|just)\\s+)*(?:add|mention|note|write|say|record|post|tell\\s+(?:people|everyone|everybody|them|the (?:others|team))|let\\s+(?:people|everyone|everybody|them)\\s+know|leave\\s+(?:word|a\\s+line)|comment)\\s+(?:a\\s+(?:comment|note)\\s+)?(?:on|in|to|under|at)\\s+(?:the\\s+)?(?:(?:epic|ticket|issue)\\s+)?(${KEY})\\s+that\\s+(\\S+\\s.*)$`,
  "isu",
);
/** "Add a comment to DEMO-12, I have a question about the offer", "post a question for Ben in MOB-4? Is it tested?" */
const BEHIND_COMMA = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you|also)\\s+)*(?:add|leave|write|post|put)\\s+an?\\s+(?:comment|note|question)\\s+(?:for\\s+(?<whom>\\p{L}+)\\s+)?(?:to|on|in|at|under)\\s+(?<key>${KEY})\\s*[,.?!:]\\s+(?<text>\\S.{9,})$`,
  "isu",
);
/** "OPS-4 is slow. Comment on it that …" */
const BEHIND =
  /^(?<before>[^.!?;]*[.!?;])\s+(?:(?:so|and|but|please|pls|can you|could you)\s+)*comment on it that (?<text>\S+\s.*)$/isu;
const ASKED_ON = new RegExp(
  `^\\W*(?:(?:please|pls|can you|could you)\\s+)*[Aa]sk\\s+(\\p{Lu}[\\p{L}'’-]+)\\s*,?\\s*(?:on|in|under)\\s+(?:the\\s+)?(?:ticket\\s+|issue\\s+)?(${KEY})\\s*,?\\s+((?:whether|if|when|why|how|what|who|where)\\s+.*)$`,
  "su",
);

/** "Would you ask on OPS-5 whether anybody has the key?" */
const ASKED_OF_ALL = new RegExp(
  `^\\W*(?:(?:please|pls|(?:can|could|would) you)\\s+)*ask\\s+(?:in\\s+a\\s+(?:comment|note)\\s+)?(?:on|in|under)\\s+(${KEY})\\s*,?\\s+((?:whether|if|when|why|how|what|who|where)\\s+.*)$`,
  "isu",
);

/** "Comment on OPS-5 asking whether anybody has the key", "leave a note on OPS-5 to ask Ben if he has it" */
const ASKING = new RegExp(
  `^\\W*(?:(?:please|pls|(?:can|could|would)\\s+you|also|and)\\s+)*(?:(?:add|leave|write|post|put)\\s+an?\\s+)?(?:comment|note|question)\\s+(?:on|in|under|to|at)\\s+(${KEY}|it)\\s*,?\\s+(?:asking|to\\s+ask)\\s+(?:(?!(?:whether|if|when|why|how|what|who|where)\\b)(\\p{L}[\\p{L}'’-]+)\\s+)?((?:whether|if|when|why|how|what|who|where)\\s+.*)$`,
  "isu",
);

/** "Ask him in a comment whether it is finished" */
const ASKED_IN = new RegExp(
  `^\\W*(?:(?:[Oo]k|[Pp]lease|[Pp]ls|[Cc]an you|[Cc]ould you|[Aa]lso|[Aa]nd)\\s+)*[Aa]sk\\s+(\\p{L}[\\p{L}'’-]+(?:\\s\\p{Lu}[\\p{L}'’-]+)?)(?:\\s+(?:in|with|via)\\s+a\\s+(?:comment|note)|\\s+(?:on it|there|(?:in|on|under) (?:the|that|this) (?:ticket|issue|bug|story|task)))?\\s*,?\\s+((?:whether|if|when|why|how|what|who|where)\\s+.*)$`,
  "su",
);

/** "Ask Dmitri in a comment on the DNS one when he will get to it" */
const ASKED_AT =
  /^\W*(?:(?:ok|please|pls|can you|could you|also|and)\s+)*ask\s+(?<whom>\p{L}[\p{L}'’-]+)\s+(?:in\s+a\s+(?:comment|note)\s+(?:on|under|in|to)|(?:on|under|in)(?=\s+the\s+[^,.;:?]{2,40}\s(?:one|ticket|issue|bug|task|story)\s))\s+(?<where>[^,.;:?]{2,40}?)\s+(?<text>(?:whether|if|when|why|how|what|who|where)\s+.*)$/isu;

const DONE_FIRST = new RegExp(
  `^\\W*(${KEY})\\s+(?:can|may|should|must|has to|needs to)\\s+(?:now\\s+)?be\\s+(set|moved|closed|marked|put|assigned|reopened)\\b([^.!?:]*?)\\s*[,;.]?\\s+(?:and|then|also)\\s+[^:]*\\b(?:tell|let|comment|note|write|leave|post|say)\\b[^:]*$`,
  "iu",
);
const AS_ORDERED: Readonly<Record<string, string>> = {
  set: "move",
  moved: "move",
  put: "move",
  marked: "mark",
  closed: "close",
  assigned: "assign",
  reopened: "reopen",
};
/** "A note on the epic OPS-10" changes no epic. */
const ON_EPIC = new RegExp(`(\\b(?:on|to|under|in|at|for)\\s+)(?:the\\s+)?epic\\s+(?=${KEY})`, "iu");

/** A comment whose text stands behind the colon, however the order for it is worded; undefined where it is none. */
export function noted(message: string, isOnScreen: boolean): string | undefined {
  const { masked } = createSheet(message);
  const colon = COLON.exec(masked);
  if (colon === null) return spokenOn(message);
  const head = message
    .slice(0, colon?.index ?? 0)
    .replaceAll(/\b(?:not|don['’]?t|never)\s+\p{L}+|\p{L}+\s+(?:it\s+)?not\b/giu, " ");
  const sentence = (head.split(/[.!?]\s+|,?\s+so\s+(?=(?:please\s+|pls\s+)?comment\b)/).at(-1) ?? "").replace(
    ON_EPIC,
    "$1",
  );
  const keys = [...new Set(keysIn(head))];
  // "Close DEMO-4. Also comment on it: …" is two orders.
  const isMore = (OTHER_CHANGE.test(head) && ORDERED.test(head)) || BACK_TO.test(head);
  // "Push DEMO-4 to Friday; add a comment to it: …"
  if (/\p{L}[^;]*;\s/u.test(head)) return undefined;
  if (sentence.length < head.length && isMore) return undefined;
  // "MOB-9 can be set to done, and tell them in a comment: …"
  const [, record, verb = "", rest = ""] = DONE_FIRST.exec(head) ?? [];
  if (record !== undefined)
    return alsoNoted(
      `${AS_ORDERED[verb.toLowerCase()] ?? verb} ${record}${rest}`,
      message.slice(colon.index + colon[0].length),
    );
  if (!NOTED.test(sentence) || OTHER_CHANGE.test(sentence) || keys.length > 1) return undefined;
  if (keys.length === 0 && !(isOnScreen && /\b(?:there|here|it|this|that)\b/i.test(sentence)))
    return undefined;
  return `comment on ${keys[0] ?? "it"}: ${message.slice(colon.index + colon[0].length)}`;
}

/** The same without a colon. */
function spokenOn(message: string): string | undefined {
  const [, on, question = ""] = ASKED_OF_ALL.exec(message) ?? [];
  if (on !== undefined) return `comment on ${on}: ${asQuestion(question)}`;
  const [, where, whose, open = ""] = ASKING.exec(message) ?? [];
  if (where !== undefined)
    return `comment on ${where}: ${whose === undefined ? "" : `${whose}, `}${asQuestion(open)}`;
  const asked = ASKED_ON.exec(message);
  if (asked) return `comment on ${asked[2] ?? ""}: ${asked[1] ?? ""}, ${asQuestion(asked[3] ?? "")}`;
  const left = BEHIND_COMMA.exec(message)?.groups;
  if (left) {
    const { whom, key = "", text = "" } = left;
    return `comment on ${key}: ${whom === undefined ? "" : `${whom}, `}${text}`;
  }
  const there = BEHIND.exec(message)?.groups;
  const [key, ...others] = new Set(keysIn(there?.["before"] ?? ""));
  if (there && key !== undefined && others.length === 0 && !OTHER_CHANGE.test(there["before"] ?? ""))
    return `comment on ${key}: ${there["text"] ?? ""}`;
  const plain = new RegExp(`^\\W*comment\\s+(?:on\\s+)?(${KEY})\\.\\s+(\\S.*)$`, "isu").exec(message);
  const said = plain ?? THAT.exec(message);
  return said === null ||
    (/\?\s*$/.test(message) && plain === null && !/\b(?:can|could|would) you\b/i.test(message))
    ? undefined
    : `comment on ${said[1] ?? ""}: ${(said[2] ?? "").replace(plain === null ? /\s*\?+\s*(?:(?:many )?(?:thanks|thank you|thx)\b[^?]*)?$/i : /(?!)/, "")}`;
}

const TICKET = `the\\s+(?:[^,.;:]{3,40}?\\s)?(?:ticket|issue|bug|story|task)|${KEY}`;
/** "The disk is at 61 %. Close OPS-4 and comment that", "… put that on the disk ticket", "… and tell Emi in a comment" */
const NOTE_THAT = new RegExp(
  `^(?<told>[^:"“”?]{8,200}?)\\s*[,.;–-]\\s+(?:(?:so|please|pls|and|(?:can|could|would)\\s+you)\\s+)*(?:(?<order>(?:close|move|set|reopen|assign|give|put|start|mark|bump|postpone|push)\\s[^,.;:]*?${KEY}[^,.;:]*?)\\s*,?\\s+and\\s+)?(?:(?:please|pls|also)\\s+)*(?:(?:(?:comment|note|write|put|mention|log|add|leave|record|post)\\s+(?:that|this)|say\\s+so(?=\\s+in\\s+a\\s+comment))(?:\\s+down)?(?:\\s+(?:in\\s+a\\s+comment(?:\\s+(?:on|under|to)\\s+(?<spoken>${TICKET}|the\\s+[^,.;:]{3,60}?))?|(?:there\\s+)?(?<as>as\\s+(?:an?\\s+)?(?:comment|note))(?:\\s+(?:on|in|under|to)\\s+(?<noted>${TICKET}))?|there|(?:on|in|under|to|below)\\s+(?<where>${TICKET}|it)))?|tell\\s+(?<whom>\\p{L}+)\\s+(?:so\\s+|that\\s+|about\\s+it\\s+)?in\\s+a\\s+comment)(?:\\s+(?:please|pls|thanks))?[\\s.!?]*$`,
  "isu",
);

/** "DEMO-8, I'm at 260 now, please leave a comment saying so" */
const SAID_SO = new RegExp(
  `^\\W*(?:(?<key>${KEY})\\s*[,:–-]\\s+)?(?<told>[^:"“”?]{4,200}?)\\s*[,.;–-]\\s+(?:(?:and|so|please|pls|can you|could you)\\s+)*(?:leave|add|write|post|put|make)\\s+an?\\s+(?:comment|note)\\s+(?:there\\s+|on\\s+it\\s+)?(?:saying|that\\s+says|to\\s+say)\\s+(?:so|that|this)[\\s.!]*$`,
  "isu",
);

/** "Per my call …", behind a name. */
function inSentence(text: string): string {
  return text.replace(
    /^(?:The|Our|We|It|This|That|There|Per|An?|They|He|She|My|Their|His|Her|In|On|As|After|Since)\b/u,
    (word) => word.toLowerCase(),
  );
}

/** "The old keys die on Wednesday. Make it highest, and let Farid know there why" */
const KNOW_WHY =
  /^(?<told>[^?"“”]{10,200}?)[.!]\s+(?<order>[^?"“”:]{6,160}?),?\s+and\s+(?:please\s+)?(?:tell|let)\s+(?!(?:me|us)\b)(?<whom>\p{L}+)\s+(?:know\s+)?(?:(?:there|on\s+it|in\s+(?:the\s+ticket|the\s+issue|a\s+comment))\s+)?why[\s.!]*$/iu;

/** "DEMO-17 is back. Reopen it and leave a comment about that" */
const ABOUT_THAT = new RegExp(
  `^\\W*(?<key>${KEY})\\s+(?<what>[^:"“”?]{4,160}?)\\s*[.!;,]\\s+(?:(?:so|and|please|pls|can you|could you)\\s+)*(?<verb>close|move|set|reopen|start|put)\\s+it\\b(?<rest>[^,.;:?]*?)\\s+and\\s+(?:leave|add|write|post|put)\\s+an?\\s+(?:comment|note)\\s+(?:about|on|for)\\s+(?:that|this|it)[\\s.!]*$`,
  "isu",
);

/** "Whether it can go out this week", "when he will get to it": as it is asked of somebody. */
export function asQuestion(text: string): string {
  const {
    word = "",
    who = "",
    verb = "",
    rest = "",
  } = /^(?<word>whether|if|when|why|how|where|what)\s+(?<who>it|this|that|he|she|they|we|i|the\s+\p{L}+(?:\s\p{L}+)?|(?<=^(?:whether|if|when|why|where)\s+)[\p{L}\d][\p{L}\d-]*(?=\s+(?:can|could|will|would|is|are|was|were|should|may|must)\s))\s+(?<verb>can|could|will|would|is|are|was|were|has|have|should|may|must)\s+(?<rest>\S.*)$/isu.exec(
    text
      .replace(/(?<=^\p{L}+\s+(?:it|that|s?he))['’]s\b/iu, " is")
      .replace(/(?<=^\p{L}+\s+they)['’]re\b/iu, " are")
      .replace(/(?<=^\p{L}+\s+(?:it|that|s?he|they|we))['’]ll\b/iu, " will"),
  )?.groups ?? {};
  if (verb === "") return text;
  const isYou = /^s?he$/i.test(who);
  const own = isYou ? verb.replace(/^is$/i, "are").replace(/^was$/i, "were").replace(/^has$/i, "have") : verb;
  const lead = /^(?:whether|if)$/i.test(word) ? "" : `${word} `;
  return `${lead}${own} ${isYou ? "you" : who} ${rest.replace(/[\s.?!]+$/, "")}?`;
}

/** "Could you write in a comment that it is done?": what it shall say, without the mark of who asks for it. */
export function unasked(text: string): string {
  return ASKS_ITSELF.test(text) ? text : text.replace(/\s*\?+\s*$/, "");
}

const ASKS_ITSELF =
  /^\W*(?:\p{L}+,\s+)?(?:who|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may|has|have|any)\b|[.!?]\s+\S/iu;

/** What was told before is the text of a comment that is asked for without one. */
export function withToldNote(message: string): string {
  const so = SAID_SO.exec(message)?.groups;
  if (so) return `comment on ${so["key"] ?? "it"}: ${so["told"] ?? ""}`;
  const why = KNOW_WHY.exec(message)?.groups;
  if (why && ORDERED.test(why["order"] ?? ""))
    return alsoNoted(why["order"] ?? "", `${why["whom"] ?? ""}, ${inSentence(why["told"] ?? "")}`);
  const about = ABOUT_THAT.exec(message)?.groups;
  if (about)
    return alsoNoted(
      `${about["verb"] ?? ""} ${about["key"] ?? ""}${about["rest"] ?? ""}`,
      `It ${about["what"] ?? ""}`,
    );
  const asked = ASKED_AT.exec(message)?.groups;
  if (asked)
    return `comment on ${asked["where"] ?? ""}: ${asked["whom"] ?? ""}, ${asQuestion(asked["text"] ?? "")}`;
  const {
    told = "",
    order,
    spoken,
    noted: at = spoken,
    where = at,
    whom,
    as,
  } = NOTE_THAT.exec(message)?.groups ?? {};
  if (told === "" || (order ?? where ?? as) === undefined) return message;
  const text = `${whom === undefined ? "" : `${whom}, `}${told}`;
  const on = where === undefined || /^the\s+(?:ticket|issue|bug|story|task)$/i.test(where) ? "it" : where;
  return order === undefined ? `comment on ${on}: ${text}` : alsoNoted(order, text);
}

/** "Thank her there for the quick fix", "thank Ben in a comment" */
const THANKS = new RegExp(
  `^\\W*(?:(?:and|also|then|please|pls|ok|(?:can|could)\\s+you)\\s+)*(?:thank|say\\s+thanks?(?:\\s+you)?\\s+to)\\s+(?<whom>(?!(?:you|me|us|god)\\b)\\p{L}+(?:\\s\\p{Lu}\\p{L}+)?)\\s+(?:there|in\\s+(?:a|the)\\s+comments?|(?:on|under)\\s+(?<where>${KEY}|it))(?:\\s+(?<what>for\\s+[^.!?:]{2,120}))?[\\s.!?]*$`,
  "u",
);

/**
 * What is told or said about a record is a comment on it: "tell Emi that we've begun", of the record on the screen, and
 * "close DEMO-3 and say it shipped".
 */
export function withComment(
  message: string,
  known: readonly KnownName[],
  isOnScreen: boolean,
  verbs: Verbs,
): string {
  const { masked } = createSheet(message);
  const question = isOnScreen ? ASKED_IN.exec(message) : null;
  if (question) {
    const [, whom = "", asked = ""] = question;
    return `add a comment to it: ${/^(?:him|her|them)$/i.test(whom) ? "" : `${whom}, `}${asQuestion(asked)}`;
  }
  const { whom: thanked, where = "it", what } = THANKS.exec(message)?.groups ?? {};
  if (thanked !== undefined && (isOnScreen || where !== "it")) {
    const lead = /^(?:him|her|them)$/i.test(thanked) ? "Thank you" : `${thanked}, thank you`;
    return `add a comment to ${where}: ${lead}${what === undefined ? "" : ` ${what}`}`;
  }
  const added = WITH_NOTE.exec(message)?.groups;
  if (added && mayBeNoted(added["order"] ?? "", verbs)) {
    const { order = "", whom, text, quoted = "", more } = added;
    const also = alsoNoted(order, `${whom === undefined ? "" : `${whom}, `}${text ?? quoted}`);
    // What is wished besides stands behind what is quoted.
    return more === undefined ? also : `${also.replace(/: (?=[^:]*$)/, ' "')}"; ${more}`;
  }
  const note = noted(message, isOnScreen);
  if (note !== undefined || COLON.test(masked)) return note ?? message;
  if (masked.includes(QUOTED) || /\?\s*$/.test(message)) return message;
  const told = TOLD.exec(message)?.groups;
  const whom = told?.["whom"] ?? "";
  // Who works on it reads it, whichever of them is meant.
  const isAnyone = /^(?:him|her|them)$/.test(whom);
  const isPerson =
    isAnyone ||
    known.some(
      ({ kind, id, name }) =>
        kind === "person" &&
        [id, name, ...name.split(" ")].some((each) => each.toLowerCase() === whom.toLowerCase()),
    );
  const place = told?.["place"] ?? told?.["behind"];
  if (told && (place !== undefined || (isOnScreen && isPerson)))
    return commented(
      keysIn(place ?? "").at(0) ?? "it",
      `${isAnyone ? "" : `${whom}, `}${told["text"] ?? ""}`,
    );
  const { order = "", text = "" } = ADDED.exec(message)?.groups ?? {};
  return text === "" || !mayBeNoted(order, verbs) ? message : alsoNoted(order, text);
}

/** Whether an order changes what is there, so that a comment may say why. */
function mayBeNoted(order: string, verbs: Verbs): boolean {
  const { changing, intents } = readWish(order, verbs);
  return changing && !intents.has("create") && !intents.has("comment");
}

function alsoNoted(order: string, text: string): string {
  const keys = keysIn(order);
  return `${order}; add a comment to ${keys.length === 0 ? "it" : keys.join(" and ")}: ${text}`;
}

/** A comment, and what is wished besides behind it: "…, and bump the due date by two days". */
function commented(record: string, spoken: string): string {
  const said = spoken.replace(/,?\s+(?:in|as|with)\s+a\s+(?:comment|note)(?=[\s.!]*$)/i, "");
  const { text, order } = BESIDES.exec(said)?.groups ?? {};
  if (text === undefined || order === undefined || /["“”]/.test(said))
    return `add a comment to ${record}: ${said}`;
  const more = order
    .replace(/\b(?:the|its)\s+(due date|deadline|priority|prio|status)\b/i, `the $1 of ${record}`)
    .replace(/(?<!of )\bit\b/i, record)
    .replace(/^(?:bump|move)\s+(the due date of \S+)\s+by\b/i, "push $1 back by");
  return `add a comment to ${record} "${text}"; ${more}`;
}

const BESIDES =
  /^(?<text>.{5,}?),?\s+and\s+(?:then\s+|also\s+|please\s+)*(?<order>(?:bump|set|move|assign|close|reopen|raise|lower|push|mark|change)\s+(?:it\b|(?:the|its)\s+(?:due date|deadline|priority|prio|status)\b).*)$/isu;

function keysIn(text: string): string[] {
  return text.match(new RegExp(KEY, "gu")) ?? [];
}
