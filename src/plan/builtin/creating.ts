/** An order for something new, as one plain order, and what belongs to it. */
export interface NewRecord {
  /** "create a bug in DEMO titled “The map is empty”, priority high" */
  order: string;
  /** Orders for it once it is there, and others in the same message. */
  further: string[];
  /** What was told beside it. */
  told: string[];
}

/** What a message says of something new that is asked for and not made yet. */
export interface Amendment {
  /** An order for such a record with nothing but what is new, such as "create a bug titled “x”, priority low". */
  order: string;
  hasTitle: boolean;
  /** Whether the text of its order is meant, and does not only stand for one. */
  hasText?: boolean;
  /** Nobody is to have it, whoever should before. */
  isNobodys?: boolean;
  /** The text is one more line, and takes the place of none. */
  isMore?: boolean;
  /** Orders for it once it is there. */
  further: string[];
  /** Whether more is told, such as why. */
  isTold: boolean;
}

/** How people ask for something new, as pieces of patterns with the flags `iu`. */
export const KIND: string =
  "(?<kind>bug|task|story|epic|ticket|issue|something)(?:[ -]report)?(?![\\p{L}\\p{N}-])";
export const GRADES: string = "highest|high|medium|low|lowest|urgent";
export const LEVEL: string = `(?:(?<level>${GRADES})(?:[ -]prio(?:rity)?)?\\s+)?`;
const MAKE =
  "(?:create|add|file|log|open|raise|report|make|submit|track|record|write(?:\\s+up)?|put\\s+(?:in|up)|set\\s+up|note)";
export const GREETING: string =
  "(?:hi|hello|hey|(?:good\\s+)?morning|ok(?:ay)?|oh|ah|so|and|also|then|plus|now|well|please|pls|plz|thanks|thank you|thx|perfect|great|good|fine|right|yes|btw|fyi|quick one|one more(?: thing)?|another thing|(?:other|different|next|new|last) (?:thing|topic|question)|k|kk|alright|all|team|folks|everyone|guys|bot|next)";
export const LEADS: RegExp = new RegExp(`^\\W*(?:${GREETING}\\b[\\s,.!:–-]*)*`, "iu");
export const ASK: string =
  "(?:(?:can|could|would|will)\\s+(?:you|u|we|i|someone|somebody)\\s+|let['’]?s\\s+|(?:i['’]?d|i\\s+would|we['’]?d)\\s+like\\s+(?:you\\s+)?to\\s+|(?:i|we)\\s+(?:want|need)\\s+(?:you\\s+)?to\\s+|be\\s+so\\s+(?:kind|nice)(?:\\s+as\\s+to|\\s+and)\\s+|would\\s+you\\s+mind\\s+|(?:please|pls|plz|kindly|just|quickly|also|then|and)\\s+)*";
export const HAVE: string =
  "(?:(?:i|we)(?:['’]?d\\s+like|\\s+would\\s+like|\\s+want|\\s+need|\\s+should\\s+have)(?:\\s+to\\s+have)?|need|want|(?:can|could|may)\\s+(?:i|we|somebody|someone)\\s+(?:please\\s+|pls\\s+)?(?:get|have)|(?:can|could)\\s+you\\s+(?:please\\s+|pls\\s+)?(?:give|get|make)\\s+me)";
export const ARTICLE: string = "(?:(?:an?|another|one\\s+more|one|a\\s+second)\\s+)";
/** "Create a bug", "log this as a story", "I need a task", "new task" */
/** The project, ahead of what it is: "a new ops bug" */
const FRONT = `(?:(?<front>(?!${KIND.replace("?<kind>", "?:")}|(?:new|another)\\b)\\p{L}{2,12})\\s+)?`;
export const ORDERED: RegExp = new RegExp(
  `^(?:${ASK}${MAKE}\\s+(?:(?<that>this|that|it)\\s+(?:(?:up|down)\\s+)?(?:(?:in\\s+)?as\\s+)?)?(?:me\\s+|us\\s+)?|${HAVE}\\s+)(?:${ARTICLE}(?:new\\s+)?|new\\s+)?${LEVEL}${FRONT}${KIND}`,
  "iu",
);
export const NEW: RegExp = new RegExp(
  `^${ASK}(?:${ARTICLE})?(?:new|another)\\s+${LEVEL}${FRONT}${KIND}`,
  "iu",
);
