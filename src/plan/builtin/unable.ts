import type { KnownName } from "#contract/plan.ts";
import { en } from "../../base/words/en.ts";
import { namePattern } from "./people.ts";
import { quoted } from "./scene.ts";
import type { ToolIndex } from "./tool-index.ts";
import { unwrap } from "./wish.ts";
import { stemOf } from "./words.ts";

const RECORD = "(?:[A-Za-z]\\w{0,15}-\\d{1,9}|it|this(?: one)?|that one|both|them(?: all)?)";
const COMMENT = "(?:\\p{L}+\\s+){0,2}?comments?";

/** What people ask of a tracker or a wiki that its tools may not do, with the verbs and things of a tool that does. */
const ASKED: readonly (readonly [pattern: RegExp, verbs: string, object?: string])[] = [
  [new RegExp(`^(?:clone|copy|duplicate)\\s+${RECORD}`, "iu"), "clone copy duplicate"],
  [new RegExp(`^merge\\s+${RECORD}`, "iu"), "merge"],
  [new RegExp(`^split\\s+${RECORD}`, "iu"), "split"],
  [
    /^(?:split|make|create|add|cut|open)\s+(?:off\s+)?(?:an?|one|two|three|\d)\s+(?:new\s+)?sub-?tasks?\b/iu,
    "subtask parent parent_key",
    "subtask",
  ],
  [
    new RegExp(
      `^(?:(?:un)?(?:watch|follow|subscribe\\s+to)|subscribe\\s+me\\s+to|(?:add|put|set)\\s+me\\s+as\\s+(?:a\\s+)?watcher\\s+(?:of|on|to|for))\\s+(?:${RECORD}|the\\s+[^,.;:?"“]{3,60}?\\s(?:ticket|issue|bug|story|task|one)\\b)`,
      "iu",
    ),
    "watch unwatch follow subscribe",
    "watcher",
  ],
  [new RegExp(`^(?:up)?vote\\s+(?:for\\s+)?${RECORD}`, "iu"), "vote", "vote"],
  [
    new RegExp(`^(?:attach|upload)\\b(?!.*\\bepic\\b).*\\bto\\s+${RECORD}`, "iu"),
    "attach upload",
    "attachment",
  ],
  [
    new RegExp(
      `^(?:log|book|track)\\s+(?:\\d+\\S*|an?\\s+hour|half|one|two|three|time)\\s.*\\b(?:on|to|for|against)\\s+${RECORD}`,
      "iu",
    ),
    "log",
    "worklog",
  ],
  [
    new RegExp(
      `^(?:delete|remove|edit|change|update|correct)\\s+(?:the|my|that|his|her|their|\\p{Lu}\\p{L}+['’]s)\\s+${COMMENT}\\b`,
      "u",
    ),
    "",
    "comment",
  ],
  [
    new RegExp(
      `^move\\s+${RECORD}\\s+(?:in)?to\\s+(?:the\\s+)?(?:project\\s+\\p{L}|\\p{L}+\\s+project\\b)`,
      "iu",
    ),
    "transfer",
    "project",
  ],
  [
    new RegExp(
      `^unlink\\s+\\S.*\\bfrom\\b|^(?:unlink\\b|(?:remove|delete|drop|cut|break)\\s+(?:the\\s+|its\\s+|that\\s+)?link\\b).*${RECORD}|^[A-Z]\\w*-\\d+\\b[^?"“]*[,;.]\\s+(?:so\\s+|please\\s+)?(?:unlink|(?:remove|delete|drop|cut)\\s+(?:the|its|that)\\s+link)\\b|^take\\s+[A-Z]\\w*-\\d+\\s+off\\s+(?:[A-Z]\\w*-\\d+|it|that|this)(?!\\s+(?:list|board|sprint|epic)\\b)`,
      "iu",
    ),
    "unlink",
    "link",
  ],
  // A change of a page replaces its text.
  [
    /^(?:append|add|insert|put|write)\s+(?:["“][^"”]*["”]|an?\s+(?:\p{L}+\s+)?(?:section|paragraph|line|sentence|chapter|heading|table|step)\b.*)\s+(?:to|in|into|at the end of)\s+(?:the\s+)?(?:wiki\s+)?(?:page\b|.*\b(?:guide|page|policy|handbook|doc|article|runbook|checklist)s?\W*$)/iu,
    "append insert",
  ],
  // … and what is added stands at its end.
  [
    /^(?:append|add|insert|put|write)\s+.+?\s+(?:at|to|on|in)\s+the\s+(?:very\s+)?(?:top|beginning|start|middle)\s+of\s+.*\bpages?\b/isu,
    "prepend insert",
  ],
  [/^(?:un)?archive\s+\S/i, "archive unarchive"],
  // "Book the Kiln for tomorrow 14:00"
  [/^(?:book|reserve)\s+(?:me\s+|us\s+)?(?:the|an?|my|our)\s+\p{L}/iu, "book reserve"],
];

/** Why nothing that is asked can be done here, whatever is named; undefined where a tool may do it. */
export function unableTo(message: string, index: ToolIndex, known: readonly KnownName[]): string | undefined {
  if (REMINDER.test(message)) return en.recorded.noReminders();
  if (isToSend(message, index, known)) return en.recorded.noMessages();
  const { text } = unwrap(message);
  const asked = ASKED.find(([pattern]) => pattern.test(text));
  if (asked === undefined) return undefined;
  const [, verbs, object] = asked;
  const own = verbs.split(" ").map(stemOf);
  const does = index.entries.some(
    (entry) =>
      entry.changing &&
      (own.some((verb) => entry.verbs.has(verb) || entry.slots.some(({ name }) => name === verb)) ||
        (object !== undefined &&
          entry.objects.has(stemOf(object)) &&
          !entry.intents.has("comment") &&
          !entry.intents.has("create"))),
  );
  return does ? undefined : en.recorded.noToolFor(quoted([message]));
}

/** "Remind me tomorrow about DEMO-3": nobody is told anything later. */
const REMINDER =
  /^\W*(?:(?:and|also|please|then|oh)\s+)*(?:(?:can|could|would|will) you (?:please )?)?(?:(?:remind|ping|nudge|wake) (?:me|us|him|her|them|\p{Lu}\p{L}+)\b.*\b(?:tomorrow|later|tonight|next \p{L}+|in (?:an?|\d+|two|three|a few) (?:minutes?|hours?|days?|weeks?)|at \d|(?:on |every |each )?\p{L}+day|when|as soon as|once)\b|(?:(?:notify|alert|let) (?:me|us|him|her|them|\p{Lu}\p{L}+) (?:know )?(?:when|once|as soon as)\b|tell (?:me|us|him|her|them|\p{Lu}\p{L}+) (?:when|once|as soon as)\b(?=.*\b(?:done|closed|finished|ready|merged|deployed|fixed|resolved|changed|changes|moved|moves|assigned|answered|answers|replied|replies|over)\b)))/iu;

/** "Send Dmitri a DM", where no tool sends anything to people. */
function isToSend(message: string, { entries }: ToolIndex, known: readonly KnownName[]): boolean {
  const sends = entries.some(
    ({ changing, verbs, objects }) => changing && [...verbs, ...objects].some((stem) => SENT.has(stem)),
  );
  const said = SENDS.exec(message)?.[1];
  const names = /^(?:him|her|them|us|me|everyone|everybody)$/i;
  // "E-mail the board": and not "call the bug …", "drop the deadline".
  if (said?.toLowerCase() === "the" && !sends)
    return !/^\W*(?:(?:please|can you|could you)\s+)*(?:call|phone|drop|write|shoot)\b/i.test(message);
  return said !== undefined && !sends && (names.test(said) || namePattern(known).test(said));
}

const SENT: ReadonlySet<string> = new Set(
  ["send", "message", "email", "mail", "dm", "sms", "notify", "post"].map(stemOf),
);
const THING = "(?:dm|(?:direct |private )?message|e-?mail|mail|text|ping|slack|sms)";
const SENDS = new RegExp(
  `^\\W*(?:please\\s+)?(?:(?:can|could|would|will) you (?:please )?)?(?:(?:send|write|drop|shoot)\\s+(?:an?\\s+(?:quick |short )?${THING}\\s+to\\s+)?|(?:${THING}|call|phone)\\s+)@?(\\p{L}[\\p{L}'’-]*)(?:\\s+\\p{Lu}\\p{L}+)?(?:\\s+an?\\s+(?:quick |short )?${THING})?(?=\\s|\\W*$)`,
  "iu",
);
