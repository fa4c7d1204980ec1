/** How people begin to correct themselves. */
const LEAD =
  "(?:(?:ah|oh|no|nope|nah|wait|sorry|sry|oops|ups|actually|hm+|argh|damn|well|ok(?:ay)?|and|but|please|pls|my bad)\\b[\\s,.!:–-]*)*";
const OTHER = '[^,.;:!?"“]{1,30}?';
const VALUE = '(?<value>[^\\s,.;:!?"“](?:[^,.;:!?"“]{0,38}?[^\\s,.;:!?"“])?)';
const END = "(?:,?\\s+(?:please|pls|instead|actually|rather|sorry|thanks|thx))*[\\s.!]*$";
const IT = "(?:it|that|this)";

/** Words around one value that is wished instead of another. */
const PATTERNS = [
  // "Not Emi, Ben"
  `not\\s+(?:(?:to|in|for|on)\\s+)?${OTHER}(?:,|\\s+but|\\s+[-–])\\s*(?:but\\s+)?${VALUE}`,
  // "To Ben, not Emi", "DEMO-5 not DEMO-4"
  `${VALUE}(?<!\\b(?:do|does|did|is|are|was|were|am|can|could|will|would|should|must|may|have|has|had)),?\\s+(?:and\\s+)?not\\s+(?:(?:to|in|for|on)\\s+)?${OTHER}`,
  // "Farid instead of Dmitri"
  `${VALUE}\\s+instead\\s+of\\s+${OTHER}`,
  // "Ben I mean"
  `${VALUE},?\\s+i\\s+meant?`,
  // "It should go to review", "should be Ben"
  `(?:${IT}\\s+)?(?:should|must|shall|has\\s+to|ought\\s+to|was\\s+(?:supposed|meant)\\s+to)\\s+(?:be|go)\\s+(?:(?:set|assigned|moved|given)\\s+)?(?:(?:to|in|for)\\s+)?${VALUE}`,
  // "Let's say December 14", "let's take Ben"
  `let['’]?s\\s+(?:say|take|do|use|go\\s+with|make\\s+(?:it|that))\\s+${VALUE}`,
  // "Medium should do", "Ben has to do it"
  `${VALUE}\\s+(?:should|would|will|must|can|has\\s+to)\\s+(?:do(?:\\s+it)?|suffice|(?:take|get|have|own)\\s+it|be\\s+(?:enough|fine|ok(?:ay)?|better|right|best))`,
  // "Could it say Thursday instead?"
  `(?:could|can|may|should)\\s+(?:it|that|we|you)\\s+(?:please\\s+)?(?:say|be|read|take|make\\s+(?:it|that))\\s+${VALUE}(?:\\s+instead)?\\s*\\?`,
  // "Wrong one, DEMO-5", "wrong ticket, I meant DEMO-5"
  `(?:${IT}\\s*(?:was|is|['’]s)\\s+)?(?:the\\s+)?wrong\\s+(?:one|ticket|issue|key|number|person|record)[\\s,.;:–-]+(?:i\\s+meant?\\s+|it['’]?s\\s+|should\\s+be\\s+)?${VALUE}`,
  // "Then make it Farid's, he puts it in"
  `(?:(?:then|so)\\s+)*make\\s+${IT}\\s+(?<value>\\p{Lu}\\p{L}+)['’]s(?:,\\s+(?:he|she|they)(?:['’]s)?\\b[^,.;:?"“]*)?`,
  `make\\s+${IT}\\s+(?<value>[A-Z]\\w*-\\d+)`,
  // "I meant DEMO-8... no, DEMO-21"
  `(?:i\\s+meant?\\s+)?[A-Z]\\w*-\\d+[\\s,.;…–-]+(?:no|wait|sorry|rather|or rather)[\\s,.:–-]+(?<value>[A-Z]\\w*-\\d+)`,
].map((pattern) => new RegExp(`^\\W*${LEAD}${pattern}${END}`, "iu"));

/** Only behind a word that takes back: "no, give it to Ben", "hm, review first", "wait, she is away, Ben then". */
const BEHIND_NO = [
  `(?:give|assign|hand|pass)\\s+${IT}\\s+to\\s+${VALUE}`,
  `(?:[^,.;:!?"“]{3,50},\\s*)?${VALUE}\\s+(?:first|then)`,
  // "No, that's overdoing it, medium is plenty"
  `(?:(?:that|this|it)(?:['’]?s|\\s+(?:is|was|would\\s+be))\\s[^,.;:!?"“]{2,40}[,.;]\\s*)?${VALUE}(?:\\s+(?:is|will\\s+be|would\\s+be)|['’]s)\\s+(?:plenty|enough|fine|ok(?:ay)?|better|right|sufficient)`,
].map(
  (pattern) =>
    new RegExp(
      `^\\W*(?:no|nope|nah|wait|sorry|oops|ups|ah|oh|hm+|actually)\\b[\\s,.!:–-]*${LEAD}${pattern}${END}`,
      "iu",
    ),
);
/** "No, drop that, the label should be import" */
const DROPPED = new RegExp(
  `^\\W*${LEAD}(?:drop|forget|scratch|scrap|cancel|undo)\\s+(?:it|that|this)\\s*[,.;–-]+\\s*(?:(?:make\\s+(?:it|that)|the\\s+(?:label|status|priority|prio|owner|assignee|title|due\\s+date)\\s+(?:should|must|shall)\\s+be)\\s+)?(?=\\S)`,
  "iu",
);
/** "No, the other one, the story about …" */
const THE_OTHER = new RegExp(
  `^\\W*${LEAD}(?:(?:not\\s+)?(?:this|that)\\s+one|the\\s+other(?:\\s+one)?)\\s*[,.;:–-]+\\s*(?=the\\s|[A-Za-z]\\w*-\\d)`,
  "iu",
);
/** "Or better give it to Ben" */
const BETTER = new RegExp(
  `^\\W*(?:(?:or|but|and|hm+|ah|oh|no)\\b[\\s,]*)*(?:better|rather)(?:\\s+yet)?[\\s,]+(?=(?:give|assign|hand|pass|make|set|put)\\s+${IT}\\b)`,
  "iu",
);
/** "Actually make it Wednesday, I'm away on Thursday" */
const WHY = new RegExp(
  `^(?<wish>\\W*${LEAD}(?:make|set|move)\\s+${IT}\\s+[^,.;:!?]{2,30}?),\\s+(?:i['’]?m|i\\s+am|i\\s+(?:have|need|will)|he['’]?s|she['’]?s|we['’]?re|they['’]?re|(?:he|she|it)\\s+is|because|since)\\s[^,;:!?]{3,60}$`,
  "iu",
);
const MOST_WORDS = 4;
const LED = /^(?:(?:i\s+)?meant?\s+)?(?:(?:to|for|in|on)\s+(?=\S))?/iu;
const KEY = /^[A-Z]\w*-\d+$/iu;
/** What begins a wish of its own, or says how something is. */
const OWN_WISH =
  /^(?:show|find|list|search|open|count|who|what|which|when|where|how|why|is|are|was|do|does|did|can|could|i|we|you|they|he|she|it|that|this|there|if|because|comment|create|delete|add|remove|the|all|any|some|nobody|sure|yet|now|maybe|perhaps|later|never|should|would|must|will)\b/iu;

/**
 * "Not Emi, Ben", "Ben I mean", "it should go to review", behind a change that waits, as "no, Ben": the one value that is
 * wished otherwise. Any other message as it is.
 */
export function plainlyOtherwise(said: string): string {
  const message = said
    .replace(THE_OTHER, "sorry, I meant ")
    .replace(DROPPED, "no, ")
    .replace(BETTER, "no, ")
    .replace(WHY, "$<wish>");
  for (const pattern of [...PATTERNS, ...BEHIND_NO]) {
    const value = pattern.exec(message)?.groups?.["value"]?.replace(LED, "");
    if (value === undefined || value.split(/\s+/).length > MOST_WORDS || OWN_WISH.test(value)) continue;
    if (/^#?\d{1,5}$/.test(value)) return `I meant ${value}`;
    return KEY.test(value) ? `${value} I mean` : `no, ${value}`;
  }
  return message;
}
