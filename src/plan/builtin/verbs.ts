import type { Tool } from "#contract/tool.ts";

import { splitName } from "../slot.ts";
import { stemOf, tokenize, wordSet } from "./words.ts";

/** What a sentence asks for, or what a tool does. */
export type Intent =
  | "read"
  | "list"
  | "search"
  | "count"
  | "export"
  | "create"
  | "update"
  | "delete"
  | "move"
  | "assign"
  | "comment"
  | "link";

const READS: readonly Intent[] = ["read", "list", "search", "count", "export"];

/** What people say for each intent. */
const VERBS: Record<Intent, string> = {
  read: "show get open read view display fetch see pull look check describe retrieve print cat give tell inspect explain summarize summarise load bring teach gimme",
  list: "list enumerate show ls display get sort",
  search: "search find look query seek lookup locate hunt grep",
  count: "count",
  export: "export download dump",
  create:
    "create make add file raise open log write post submit report draft new insert register generate start record prepare",
  update:
    "update edit change modify set rename rewrite adjust amend replace alter fix correct write overwrite bump lower label tag escalate prioritize deprioritize",
  delete: "delete remove drop erase destroy trash discard purge del rm bin scrap unlink",
  move: "move transition close reopen resolve mark start finish complete mv push put set",
  assign: "assign reassign unassign give hand delegate",
  comment: "comment reply respond note leave add post write put",
  link: "link connect relate associate",
};

/** The first of these words in a tool's name says what the tool does. */
const NAME_VERBS: ReadonlyMap<string, readonly Intent[]> = new Map(
  (
    [
      ["get show read fetch describe view retrieve", ["read"]],
      ["list enumerate", ["list"]],
      ["search find query lookup", ["search"]],
      ["count", ["count"]],
      ["export", ["export", "list"]],
      ["download", ["export"]],
      ["create add new make insert post send", ["create"]],
      ["write", ["create", "update"]],
      ["update edit set modify rename change", ["update"]],
      ["delete remove destroy drop", ["delete"]],
      ["move mark", ["move", "update"]],
      ["transition close resolve reopen", ["move"]],
      ["assign", ["assign"]],
      ["comment reply", ["comment"]],
      ["link connect", ["link"]],
    ] satisfies [string, Intent[]][]
  ).flatMap(([words, intents]) => words.split(" ").map((word): [string, Intent[]] => [word, intents])),
);

/** Verbs that no list above has, as values of an argument say what a tool shall do. */
const OTHER_CHANGES =
  "abort accept ack acknowledge activate append apply approve archive ban block book branch build bulk call cancel capture charge clear click clone commit copy deactivate decline deploy disable dismiss duplicate email enable exec execute fork grant import install invite invoke kick kill lock mail merge mute notify order patch pause pay pin play press publish pull purchase refund reject release rename reorder reset restart restore resume retry revert revoke rollback rotate run save scale schedule send silence snooze stage stop subscribe swap switch sync toggle transfer trigger truncate type undo uninstall unlock unpin unstage unsubscribe upload upsert vacuum";

/** What people say for a verb that a tool's name has; one group a line. */
const KIN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `restart reboot bounce recycle
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
convert translate
checkout switch
add stage
reset unstage
delete forget
fetch download visit browse crawl
log book`
    .split("\n")
    .flatMap((line) => {
      const stems = new Set(line.split(" ").map(stemOf));
      return line.split(" ").map((word): [string, ReadonlySet<string>] => [word, stems]);
    }),
);
const KIN_STEMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...KIN].map(([word, stems]) => [stemOf(word), stems]),
);

/** Intents of a verb, by its stem. */
export type Verbs = ReadonlyMap<string, ReadonlySet<Intent>>;

export function createVerbs(): Verbs {
  const verbs = new Map<string, Set<Intent>>();
  for (const [intent, words] of Object.entries(VERBS) as [Intent, string][])
    for (const stem of words.split(" ").map(stemOf))
      verbs.set(stem, (verbs.get(stem) ?? new Set<Intent>()).add(intent));
  return verbs;
}

export function isRead(intent: Intent): boolean {
  return READS.includes(intent);
}

const OTHER_CHANGE_WORDS = wordSet(OTHER_CHANGES);
const COMMON_VERBS = wordSet(Object.values(VERBS).join(" "));
const READ_VERBS = wordSet(READS.map((intent) => VERBS[intent]).join(" "));
const CHANGE_VERBS: ReadonlySet<string> = new Set([
  ...(Object.entries(VERBS) as [Intent, string][])
    .filter(([intent]) => !READS.includes(intent))
    .flatMap(([, words]) => words.split(" ")),
  ...OTHER_CHANGES.split(" "),
]);

/** Whether a word, as it stands or as "deletes" for "delete", is a verb that may change something. */
export function isChangeVerb(word: string): boolean {
  return [word, word.replace(/(?:es|s)$/, ""), word.replace(/s$/, "")].some((each) => CHANGE_VERBS.has(each));
}

/** Whether a word is a verb with which people ask to see something. */
export function asksToSee(word: string): boolean {
  return READ_VERBS.has(word);
}

/** Whether a word is a verb that changes something and that people do not use for other changes. */
export function isOtherChange(word: string): boolean {
  return OTHER_CHANGE_WORDS.has(word) && !COMMON_VERBS.has(word);
}

/** What a word of a tool's name says that it does; empty where it is no verb that is known. */
export function verbsIn(name: string): Intent[] {
  const word = splitName(name).find((each) => NAME_VERBS.has(each));
  return [...(NAME_VERBS.get(word ?? "") ?? [])];
}

/** What a tool does, by the verbs of its name; empty where its name has none that is known. */
export function intentsOfTool(tool: Tool): Set<Intent> {
  const words = splitName(tool.name);
  const at = words.findIndex((word) => NAME_VERBS.has(word));
  const intents = new Set(NAME_VERBS.get(words[at] ?? ""));
  const isNote = words.slice(at + 1).some((word) => /^(?:comments?|notes?|reply|replies)$/.test(word));
  return intents.has("create") && isNote ? new Set<Intent>(["comment"]) : intents;
}

/** Whether a tool may change something: its annotations first, else the verb of its name. */
export function isChanging(tool: Tool): boolean {
  if (tool.annotations.readOnlyHint !== undefined) return !tool.annotations.readOnlyHint;
  const intents = [...intentsOfTool(tool)];
  return intents.length === 0 || !intents.every(isRead);
}

/** The verb words of a tool's name, as stems; its server's name before them is none. */
export function nameVerbs(tool: Tool): Set<string> {
  const server = new Set(splitName(tool.server));
  // "library.extend_loan" extends.
  const base = splitName(tool.name.split(".").at(-1) ?? "");
  const words = base.filter((word, at) => at > 0 || !server.has(word));
  const own = words.length > 0 ? words : base;
  // "hotel_booking" books.
  const verb =
    own.find((word) => NAME_VERBS.has(word)) ??
    own.find((word) => word.endsWith("ing") && isChangeVerb(word.slice(0, -3))) ??
    own[0];
  return new Set(verb === undefined ? [] : [stemOf(verb)]);
}

/** The verb that a description begins with, as a stem: "Switch a light of a room." */
export function describedVerb({ description, name }: Tool): string | undefined {
  const first = (/^\W*(\p{L}+)/u.exec(description)?.[1] ?? "").toLowerCase();
  const word = first.replace(/(?:(?<=(?:ch|sh|[sx]))e)?(?<=[^s])s$/, "");
  const isOwn = splitName(name).includes(word);
  return isOwn || isChangeVerb(first) || OTHER_READS.has(word) ? stemOf(word) : undefined;
}

/** What a description says that this is done to, as a stem: "Create a user account." is about accounts. */
export function describedObject(tool: Tool): string | undefined {
  const { description } = tool;
  const first = (/^\W*(\p{L}+)/u.exec(description)?.[1] ?? "").toLowerCase();
  if (describedVerb(tool) === undefined && verbsIn(first.replace(/s$/, "")).length === 0) return undefined;
  const phrase =
    /^\W*\p{L}+\s+(?:(?:an?|the|one|all|new)\s+)*((?:(?!(?:of|in|on|to|for|from|with|by|and|or|at|given|based|using|between|that|into|as)\b)\p{L}+\s*){1,4})/iu.exec(
      description,
    )?.[1];
  const last = phrase?.trim().split(/\s+/).at(-1)?.toLowerCase();
  return last === undefined || last.length < 3 ? undefined : stemOf(last);
}

/** Verbs of tools that work something out. */
const OTHER_READS = wordSet(
  "analyze calculate compare compute convert detect determine estimate evaluate measure play predict project reserve solve switch translate",
);

/** Whether one of these verbs is that one, or means the same. Both are stems. */
export function hasVerb(verbs: ReadonlySet<string>, stem: string): boolean {
  return verbs.has(stem) || [...verbs].some((verb) => KIN_STEMS.get(verb)?.has(stem) === true);
}

/** Whether a word, as it stands, means the same as one of these verbs; "acceptance" does not. */
export function isKin(verbs: ReadonlySet<string>, word: string): boolean {
  const stem = stemOf(word);
  return KIN.has(word) && !verbs.has(stem) && hasVerb(verbs, stem);
}

/** What goes without saying of what a verb is done to. */
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ["commit", "staged index added"],
      ["add", "index"],
      ["merge", "branch"],
      ["unstage", "staged"],
      ["fork", "account organisation organization"],
    ] as const
  ).map(([verb, words]) => [stemOf(verb), words.split(" ").map(stemOf)]),
);

/** Stems of words that change nothing of what a tool with one of these verbs does. */
export function impliedBy(verbs: ReadonlySet<string>): string[] {
  return [...verbs].flatMap((verb) => IMPLIED.get(verb) ?? []);
}

const PARTICLES = wordSet("back up down out off in on over away");

/** The verbs that people begin a wish with, whole. */
export const VERB_WORDS: readonly string[] = [
  ...new Set(Object.values(VERBS).flatMap((words) => words.split(" "))),
];

/** A wish with its verb as tools write it: "roll search back" as "rollback search". `isVerb` says of a stem whether a tool has it as its verb. */
export function mendVerb(wish: string, isVerb: (stem: string) => boolean): string {
  const [first, ...others] = tokenize(wish, 6);
  if (first === undefined || first.start !== 0 || isVerb(first.stem)) return wish;
  const particle = others.find(({ lower }) => PARTICLES.has(lower));
  return particle !== undefined && isVerb(stemOf(first.lower + particle.lower))
    ? `${first.lower}${particle.lower}${wish.slice(first.end, particle.start).trimEnd()}${wish.slice(particle.end)}`
    : wish;
}
