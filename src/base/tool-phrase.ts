import type { Tool } from "#contract/tool.ts";

import { oneLine } from "./text.ts";

/** What a tool does, taken from its title, else from its name. */
export interface ToolPhrase {
  /** As an order, such as "Create", "Comment on" or "Create or update". */
  verb: string;
  /** Of the same verb, such as "Created". */
  past: string;
  /** What it is done to, without an article, such as "Jira issue"; "" where nothing is named. */
  noun: string;
  /** What follows the noun, such as "to another status". */
  tail: string;
}

/** The verbs that titles and names of tools begin with, or end with. Of other words nobody can say what they do. */
const VERBS = new Set(
  (
    "accept acknowledge activate add adjust advance allocate announce append apply approve archive assign attach back batch block book broadcast bump cancel change charge " +
    "check build checkout clear clone close comment commit compare compile complete configure confirm connect convert copy " +
    "count create deactivate debug decline define delete deploy describe destroy disable disconnect dismiss download drop " +
    "duplicate edit enable erase escalate exchange execute export extend fetch file find fix follow fork forward " +
    "generate get give grant group hide import index insert install invite invoke issue join kill leave link list load " +
    "lock log make mark merge move mute notify open order overwrite patch pause pay pin place post promote provision " +
    "publish pull purge push put query read reassign rebase reboot record refresh refund register reject release reload " +
    "remove rename reopen replace reply report request reschedule reserve reset resize resolve restart restore resume " +
    "retry return revert review revoke roll rotate run save schedule search send set share show sign snooze split stage " +
    "star start stash stop store submit subscribe suspend swap sync tag terminate test toggle track transfer transition " +
    "translate trash trigger truncate unarchive unassign unblock uninstall unlink unlock unpin unpublish unstar " +
    "unsubscribe unwatch update upgrade upload upsert validate verify vote watch wipe withdraw write"
  ).split(" "),
);

/** Verbs whose object comes after a preposition, which belongs to them. */
const PREPOSITIONS = /^(?:on|to|from|for|with|in|into|out|up|off)$/;

const PAST: ReadonlyMap<string, string> = new Map(
  (
    "bind:bound build:built bring:brought buy:bought choose:chose cut:cut draw:drew find:found freeze:froze get:got " +
    "give:gave hide:hid hold:held keep:kept leave:left make:made pay:paid put:put read:read rebuild:rebuilt reset:reset " +
    "run:ran send:sent set:set sell:sold show:showed split:split spend:spent take:took tell:told undo:undid withdraw:withdrew " +
    "write:wrote overwrite:overwrote rewrite:rewrote"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Regular verbs that double their last letter. */
const DOUBLED =
  /^(?:ban|cancel|commit|drop|flag|log|map|pin|plan|refer|ship|skip|star|stop|submit|swap|tag|transfer|trim|unpin|unstar|wrap)$/;

/** "Created" of "Create", "Commented on" of "Comment on", "Created or updated" of "Create or update". */
export function pastOf(verb: string): string {
  const words = verb.split(" ");
  const past = words.map((word, at) =>
    at === 0 || (/^(?:or|and)$/.test(words[at - 1] ?? "") && VERBS.has(word)) ? pastOfWord(word) : word,
  );
  return likeFirst(past.join(" "), verb);
}

function pastOfWord(word: string): string {
  const verb = word.toLowerCase();
  const known = PAST.get(verb);
  if (known !== undefined) return known;
  if (verb.endsWith("e")) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return DOUBLED.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

function likeFirst(text: string, model: string): string {
  return /^\p{Lu}/u.test(model) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/**
 * The verb and the noun of a tool. A title ("Create an issue", "Write File") goes before the name
 * (`create_issue`, `git_commit`, `pageDelete`). What begins with no verb is run: "Run “Nightly sync”".
 */
export function toolPhrase({
  name,
  title = "",
  server = "",
}: Pick<Tool, "name" | "title"> & { server?: string }): ToolPhrase {
  const said = wordsOfTitle(oneLine(title, 120));
  const named = wordsOfName(name, server);
  return phraseOf(said) ?? phraseOf(verbFirst(named) ?? named) ?? unknown(said.length > 0 ? said : named);
}

/** A title in the middle of a sentence: "Update Issue" as "Update issue". */
export function inSentence(title: string): string {
  return wordsOfTitle(title).join(" ");
}

function unknown(words: readonly string[]): ToolPhrase {
  const text = words.join(" ");
  return { verb: "Run", past: "Ran", noun: text === "" ? "" : `“${likeFirst(text, "A")}”`, tail: "" };
}

function wordsOfTitle(title: string): string[] {
  const words = title
    .replaceAll(/\([^)]*\)/g, " ")
    .replaceAll(/[.:!?]+$/g, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  // "Write Text File" is how a heading is written, not a sentence.
  const isHeading =
    words.length > 1 && words.slice(1).every((word) => /^\P{Ll}/u.test(word) || SMALL.test(word));
  return isHeading
    ? words.map((word, at) => (at > 0 && isPlainWord(word) ? word.toLowerCase() : word))
    : words;
}

/** Names that stand in names of tools, as they are written. */
const PRODUCTS: ReadonlyMap<string, string> = new Map(
  ["Jira", "Confluence", "GitHub", "GitLab", "Slack", "Discord"].map((name) => [name.toLowerCase(), name]),
);

/** Words that stay small in a heading. */
const SMALL = /^(?:an?|the|and|or|as|at|by|for|from|in|into|of|on|to|with)$/;

/** Not a name of a product, such as GitHub or Jira, nor an abbreviation. */
function isPlainWord(word: string): boolean {
  return (
    /^\p{Lu}\p{Ll}+$/u.test(word) &&
    !/^(?:Jira|Confluence|Slack|Discord|Google|Notion|Trello|Asana|Salesforce)$/.test(word)
  );
}

function wordsOfName(name: string, server: string): string[] {
  const words = name
    .slice(0, 200)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => PRODUCTS.get(word.toLowerCase()) ?? word.toLowerCase());
  const [first = ""] = words;
  // `git_commit` of the server git, `jira_create_issue` of whatever server: the first word says where.
  const isSaid = VERBS.has(words[1] ?? "") && (words.length > 2 ? !VERBS.has(first) : false);
  const isPlace = isSaid || (first.toLowerCase() === server.toLowerCase() && VERBS.has(words[1] ?? ""));
  return isPlace ? words.slice(1) : words;
}

/** Verbs that are nouns as well: "issue" in `issue_create`. */
const NOUNS =
  /^(?:book|branch|comment|file|group|issue|list|log|order|query|record|release|report|request|review|tag)$/;

/** `issue_create` and `page_delete` as they are said; undefined where the verb stands first already. */
function verbFirst(words: readonly string[]): string[] | undefined {
  const [first = ""] = words;
  const last = words.at(-1) ?? "";
  if (words.length < 2 || !VERBS.has(last) || (VERBS.has(first) && !NOUNS.test(first))) return undefined;
  return NOUNS.test(last) ? undefined : [last, ...words.slice(0, -1)];
}

function phraseOf([given = "", ...others]: readonly string[]): ToolPhrase | undefined {
  // "Bulk edit issues" edits issues.
  const isBulk = /^(?:batch|bulk)$/i.test(given) && VERBS.has((others[0] ?? "").toLowerCase());
  const words = isBulk ? others : [given, ...others];
  const [first = ""] = words;
  if (!VERBS.has(first.toLowerCase())) return undefined;
  let taken = 1;
  if (first.toLowerCase() === "checkout") return withVerb("Check out", words.slice(1));
  if (/^(?:or|and)$/.test(words[1] ?? "") && VERBS.has((words[2] ?? "").toLowerCase())) taken = 3;
  else if (PREPOSITIONS.test(words[1] ?? "")) taken = 2;
  return withVerb(likeFirst(words.slice(0, taken).join(" ").toLowerCase(), "A"), words.slice(taken));
}

function withVerb(verb: string, words: readonly string[]): ToolPhrase {
  const isArticle = /^(?:an?|the)$/i.test(words[0] ?? "");
  const rest = isArticle ? words.slice(1) : words;
  const end = rest.findIndex(
    (word, at) => at > 0 && /^(?:as|at|by|for|from|in|into|of|on|to|with)$/i.test(word),
  );
  // What a query does stands in it.
  if (/^(?:write|execute|read|run)$/i.test(verb) && /^(?:query|sql|statement)$/i.test(rest.join(" ")))
    return { verb: "Run", past: "Ran", noun: rest.join(" "), tail: "" };
  const [noun, tail] = end === -1 ? [rest, []] : [rest.slice(0, end), rest.slice(end)];
  return { verb, past: pastOf(verb), noun: noun.join(" "), tail: tail.join(" ") };
}

/** Verbs of tools that only look. */
const LOOKS =
  /^(?:browse|check|compare|count|describe|download|export|fetch|filter|find|get|list|load|look up|query|read|run|search|show|test|validate|verify|view)\b/i;

/** Whether a tool changes something, by the verb of its name; false where the name tells nothing. */
export function soundsLikeChange(name: string): boolean {
  return !isLook(toolPhrase({ name }));
}

/** Whether what is done only looks, such as "List" and "Search". */
export function isLook({ verb }: Pick<ToolPhrase, "verb">): boolean {
  return LOOKS.test(verb);
}

/** "an issue", "a bug". */
export function withArticle(noun: string): string {
  return `${/^(?:[aeio]|u(?!ni|se|ti|rl))/i.test(noun) ? "an" : "a"} ${noun}`;
}
