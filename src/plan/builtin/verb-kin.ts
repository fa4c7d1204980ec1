import { type Token, stemOf, tokenize } from "./words.ts";

/** What people say for a verb that a tool's name has; one group a line. Verbs of every list are in verbs.ts. */
const GROUPS = `
restart reboot bounce recycle
deploy release ship rollout
rollback revert undo
disable deactivate
enable activate
silence mute snooze
acknowledge ack confirm
approve accept
reject decline refuse
cancel abort revoke
send mail email notify
invite enrol
schedule book reserve
merge squash
scale resize
rotate renew
archive retire
`;

const KIN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  GROUPS.trim()
    .split("\n")
    .flatMap((line) => {
      const stems = line.split(" ").map(stemOf);
      return stems.map((stem): [string, ReadonlySet<string>] => [stem, new Set(stems)]);
    }),
);

/** Whether one of these verbs is that one, or means the same. Both are stems. */
export function hasVerb(verbs: ReadonlySet<string>, stem: string): boolean {
  return verbs.has(stem) || [...verbs].some((verb) => KIN.get(verb)?.has(stem) === true);
}

const WORDS: ReadonlySet<string> = new Set(GROUPS.trim().split(/\s+/));

/** Whether a word, as it stands, means the same as one of these verbs; "acceptance" does not. */
export function isKin(verbs: ReadonlySet<string>, word: string): boolean {
  const stem = stemOf(word);
  return WORDS.has(word) && !verbs.has(stem) && hasVerb(verbs, stem);
}

const PARTICLES = new Set(["back", "up", "down", "out", "off", "in", "on", "over", "away"]);

/**
 * The message with a verb of two words as one where tools write it so: "roll back search" for
 * `rollback_service`, "roll search back" too. `isVerb` says of a stem whether a tool's name has it as its verb.
 */
export function joinVerb(message: string, isVerb: (stem: string) => boolean): string {
  const polite = /^\s*(?:(?:please|pls|hey|hi|can you|could you)[\s,]+)*/i.exec(message)?.[0] ?? "";
  const rest = message.slice(polite.length);
  const [first, ...others] = tokenize(rest, 6);
  if (first === undefined || first.start !== 0 || isVerb(first.stem)) return message;
  const particle = others.find(({ lower }) => PARTICLES.has(lower));
  if (particle === undefined || !isVerb(stemOf(first.lower + particle.lower))) return message;
  const verb = first.lower + particle.lower;
  return `${polite}${verb}${without(rest, particle).slice(first.end)}`;
}

function without(text: string, { start, end }: Token): string {
  return text.slice(0, start).trimEnd() + text.slice(end);
}
