import type { Grant } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, StatementObject } from "#contract/statement.ts";

import { isMeant } from "./fixed-arguments.ts";
import { isObject, parseJson } from "./json.ts";
import { askText, quoted } from "./statement.ts";
import { cutText, oneLine } from "./text.ts";
import { partsOf } from "./tool-names.ts";
import { isLook, toolPhrase, type ToolPhrase, withArticle } from "./tool-phrase.ts";
import { argumentLabel, argumentSchema, humanise } from "./tool-words.ts";
import { pluralOf } from "./words/en.ts";
import { wordsOf as languageWords } from "./words/words.ts";

/** The statement of a call whose tool is not at hand. */
export function statementById(toolId: string, args: JsonObject, language?: string): Statement {
  const { server, name } = partsOf(toolId);
  const tool = { id: toolId, server, name, annotations: {}, inputSchema: {} };
  const statement = plainStatement({ tool, args });
  return language === undefined ? statement : { ...statement, language };
}

/** What a standing approval allows, without the arguments that may differ. */
export function allowedText(
  { toolId, args, vary, reads }: Pick<Grant, "toolId" | "args" | "vary" | "reads">,
  language?: string,
): string {
  if (reads !== undefined) return languageWords(language).grants.readsOf(reads.server);
  const equal = Object.fromEntries(Object.entries(args).filter(([name]) => !vary.includes(name)));
  return askText(statementById(toolId, equal, language));
}

/**
 * What can be said of a tool of which nothing but its own words is known: its verb and noun, and those of the
 * arguments that name something, by what they are usually called. What the sentence does not hold stands as changes.
 */
export function plainStatement({ tool, args }: Pick<StatementInput, "tool" | "args">): Statement {
  const phrase = toolPhrase(tool);
  const told = tellingOf(phrase, args);
  const fields = UPDATES.test(phrase.verb) ? fieldsIn(args) : [];
  const isShort =
    fields.length <= SOME && fields.every(({ text }) => text !== "" && text.length <= SAID_CHARS);
  const listed = fields.map(
    ({ label, text }) => `${label.toLowerCase()} ${isLabel(text) ? text : quoted(text, SAID_CHARS)}`,
  );
  const spoken = fields.length > 0 && isShort ? listed.join(", ") : undefined;
  const said = told.said === undefined ? spoken : quoted(told.said, SAID_CHARS);
  const rest = `${told.rest.join(" ")}${said === undefined ? "" : `: ${said}`}`;
  const changes = [
    ...fields.map(({ label, after }): StatementChange => ({ label, after })),
    ...Object.entries(args)
      .filter(
        ([name, value]) =>
          !told.used.has(name) && !isMeant(name, value) && !fields.some(({ from }) => from === name),
      )
      .map(([name, after]): StatementChange => ({ label: argumentText(tool, name), after })),
  ];
  return {
    verb: told.verb,
    past: told.past,
    ...(told.object === undefined ? {} : { object: told.object }),
    ...(rest === "" ? {} : { rest }),
    changes,
    isDestructive: tool.annotations.destructiveHint === true || DESTROYS.test(phrase.verb),
  };
}

/** What is changed in a record: the members of an argument such as `fields`, be it JSON text. */
function fieldsIn(args: JsonObject): { from: string; label: string; after: JsonValue; text: string }[] {
  return Object.entries(args).flatMap(([from, value]) => {
    const held = typeof value === "string" && value.startsWith("{") ? parseJson(value) : value;
    if (!HOLDS_FIELDS.test(from) || !isObject(held)) return [];
    return Object.entries(held).map(([name, member]) => {
      const after = isObject(member) && typeof member["name"] === "string" ? member["name"] : member;
      return { from, label: cutText(humanise(SPELLED[name] ?? name), 80), after, text: wordsOf(after) };
    });
  });
}

const SPELLED: Readonly<Record<string, string>> = { duedate: "due_date", issuetype: "type" };
const HOLDS_FIELDS = /^(?:fields|updates?|changes|properties|attributes|values|patch)$/i;
const UPDATES = /^(?:change|edit|modify|patch|set|update)\b/i;
const SAID_CHARS = 60;
const DESTROYS = /^(?:delete|destroy|drop|erase|kill|purge|remove|reset|terminate|truncate|trash|wipe)\b/i;
const MAKES =
  /^(?:add|append|attach|book|clone|create|draft|file|generate|insert|issue|log|make|open|post|publish|record|register|report|reserve|schedule|send|start|submit|upload)\b/i;
/** Their object belongs to something else that has a key. */
const ADDS = /^(?:add|append|attach|create|insert|post|submit|upload)\b/i;
/** Their title says what is sent. */
const SENDS = /^(?:notify|send)\b/i;
const SAYS = /^(?:comment|commit|message|notify|post|reply|send)\b|(?:comment|message|note|reply)$/i;

/** What an argument is, by what it is usually called; the first that fits. */
const ROLES = [
  [
    "place",
    /^(?:repo|repository|repo_?path|project|project_?(?:id_?or_?)?(?:key|id)|space|space_?(?:key|id)|workspace|folder|database|bucket|calendar|board|board_?id|owner)$/i,
  ],
  [
    "target",
    /^(?:to|destination|dest|target|channel|channel_?(?:id|name)|recipients?|assignee|account_?id|status|state|(?:target|destination|new)_?(?:name|title|path|status|state|parent|owner|location|project|space|folder|\w+_?(?:key|id))|epic_?(?:id_?or_?)?(?:key|id)|parent_?(?:id|key)|sprint_?id|transition_?id|to_?\w+)$/i,
  ],
  ["title", /^(?:title|summary|subject|headline|display_?name|name)$/i],
  [
    "text",
    /^(?:body|content|contents|message|text|comment|description|query|sql|notes?|insight|new_?content|reason|code|prompt)$/i,
  ],
  [
    "id",
    /(?:^|_|[a-z](?=[A-Z]))(?:key|keys|id|ids|number|path|slug|url|uri|sha|branch|file|files|filename|name|names|tag|source|from|issue|page|email|login|user(?:name)?)$|key$|Ids?$|Names?$/i,
  ],
] as const;
type Role = (typeof ROLES)[number][0] | "other";

interface Argument {
  name: string;
  role: Role;
  value: JsonValue;
  /** Its value in a sentence; "" for one that has no words. */
  text: string;
  /** Another argument that its text holds as well. */
  also?: string;
}

interface Telling extends Pick<Statement, "verb" | "past" | "object"> {
  rest: string[];
  /** What is said with it, such as the text of a comment. */
  said?: string;
  /** Arguments that the sentence holds in full. */
  used: Set<string>;
}

function tellingOf(tool: ToolPhrase, args: JsonObject): Telling {
  const all = argumentsOf(args);
  const phrase = withoutTarget(tool, all);
  const used = new Set<string>();
  const use = (argument: Argument): string => {
    const { name, value, text, also } = argument;
    const isWhole = Array.isArray(value) ? value.length <= SOME : typeof value !== "object";
    if (isWhole && text.length <= SAID_CHARS && !hasRecords(value)) {
      used.add(name);
      if (also !== undefined) used.add(also);
    }
    return nameIn(argument);
  };
  const main = mainOf(phrase, all);
  const others = all.filter(({ name }) => name !== main?.name);
  // What is looked at goes nowhere: a state says which.
  const target = isLook(phrase) ? undefined : others.find(({ role }) => role === "target");
  const other = others.find(({ role, text }) => role === "id" && isLabel(text));
  const isLink = /link|relat/i.test(`${phrase.verb} ${phrase.noun}`);
  const isPart = main?.role === "id" && phrase.noun !== "" && !namesNoun(main, phrase);
  const isBetween = isPart && isLink && other !== undefined;
  const preposition = isBetween ? "between" : prepositionOf(phrase);
  const words = nounWords(phrase, main, isPart ? preposition : undefined);
  const object = main && objectOf(main, use(main), phrase, isPart);
  const rest: string[] = [];
  if (target !== undefined && !isPart)
    rest.push(
      `${MAKES.test(phrase.verb) && /assignee|account/i.test(target.name) ? "for" : "to"} ${use(target)}`,
    );
  else if (isBetween) rest.push(`and ${use(other)}`);
  else if (other !== undefined && isLink) rest.push(`to ${use(other)}`);
  else if (other !== undefined && main?.role === "title" && !namesNoun(other, phrase)) {
    // "from template", and which one.
    const isNamed = phrase.tail !== "" && phrase.tail.endsWith(kindOf(other.name));
    rest.push(
      isNamed
        ? `${phrase.tail.slice(0, -kindOf(other.name).length)}${use(other)}`
        : `${preposition} ${use(other)}`,
    );
  } else if (phrase.tail !== "" && !isPart) rest.push(phrase.tail);
  const place = others.find(({ role }) => role === "place");
  if (place !== undefined) {
    use(place);
    rest.push(`${/^(?:post|publish|push|send|upload)/i.test(phrase.verb) ? "to" : "in"} ${pathText(place)}`);
  }
  const text = others.find(({ role }) => role === "text");
  const speaks = main === undefined || SAYS.test(phrase.verb) || SAYS.test(phrase.noun);
  if (text !== undefined && speaks) use(text);
  const said = text !== undefined && speaks ? { said: text.text } : {};
  return { ...words, ...(object && { object }), rest, ...said, used };
}

/** Those that can be said; owner and repository are one. */
function argumentsOf(args: JsonObject): Argument[] {
  const all = Object.entries(args)
    .map(([name, value]): Argument => ({ name, role: roleOf(name, value), value, text: wordsOf(value) }))
    .filter(({ text }) => text !== "");
  const [owner, repo] = ["owner", "repo"].map((name) => all.find((one) => one.name === name));
  if (owner === undefined || repo === undefined) return all;
  const both: Argument = { ...repo, text: `${owner.text}/${repo.text}`, also: "owner" };
  return [...all.filter((one) => one !== owner && one !== repo), both];
}

/** "Link to epic" of a record and an epic links the record to it. */
function withoutTarget(phrase: ToolPhrase, all: readonly Argument[]): ToolPhrase {
  const [, verb, past] = /^(.+) to\n(.+) to$/.exec(`${phrase.verb}\n${phrase.past}`) ?? [];
  const isTarget = all.some((one) => one.role === "target" && namesNoun(one, phrase));
  if (verb === undefined || past === undefined || !isTarget || !all.some(({ role }) => role === "id"))
    return phrase;
  return { verb, past, noun: "", tail: `to ${phrase.noun}` };
}

/** What a call is about: of what is made its title, of what there is its key. */
function mainOf({ verb, noun }: ToolPhrase, all: readonly Argument[]): Argument | undefined {
  const first = (role: Role): Argument | undefined => all.find((one) => one.role === role);
  const named = all.find((one) => /^(?:id|target|place)$/.test(one.role) && hasNoun(one, noun));
  const id = named?.role === "place" ? first("id") : (named ?? first("id"));
  const title = first("title");
  const list = all.find(({ value }) => Array.isArray(value));
  const place = named?.role === "place" ? named : undefined;
  if (SENDS.test(verb)) return title ?? id ?? list;
  const made = MAKES.test(verb) ? (title ?? id) : (id ?? title);
  const bare = noun === "" && first("text") === undefined ? (first("target") ?? first("place")) : undefined;
  // What alone is given says which: "Publish release “2.1”".
  return made ?? list ?? place ?? bare ?? (all.length === 1 && all[0]?.role === "other" ? all[0] : undefined);
}

function prepositionOf({ verb }: ToolPhrase): string {
  if (/^create\b/i.test(verb)) return "for";
  if (ADDS.test(verb)) return "to";
  return DESTROYS.test(verb) ? "from" : "of";
}

/** "Write file", "Add a comment to", "Create a table". */
function nounWords(
  { verb, past, noun }: ToolPhrase,
  main: Argument | undefined,
  preposition: string | undefined,
): Pick<Statement, "verb" | "past"> {
  if (noun === "") return { verb, past };
  const isOne = pluralOf(noun) !== noun && !noun.startsWith("“");
  const needsArticle = isOne && (main === undefined || preposition !== undefined);
  const article = preposition === "of" ? `the ${noun}` : withArticle(noun);
  const named = needsArticle ? article : noun;
  const tail = preposition === undefined ? "" : ` ${preposition}`;
  return { verb: `${verb} ${named}${tail}`, past: `${past} ${named}${tail}` };
}

function objectOf(main: Argument, words: string, { noun }: ToolPhrase, isPart: boolean): StatementObject {
  const kind = isPart ? kindOf(main.name) : (noun.split(" ").at(-1) ?? "");
  const named = kind === "" || noun.startsWith("“") ? {} : { kind };
  if (Array.isArray(main.value)) return { ...named, label: words };
  if (main.role === "place") return { ...named, label: pathText(main) };
  if (!isLabel(main.text)) {
    const isOpaque = main.role === "id" && isPart && !/path|url|file/i.test(main.name);
    return isOpaque ? { ...named, label: words } : { ...named, title: main.text };
  }
  return { ...named, label: isPart ? words : markOf(main) };
}

/** Keys and numbers stand as they are; everything else is quoted, since it may read like a sentence. */
function isLabel(text: string): boolean {
  return /^(?:[A-Z][A-Z0-9_]*-\d+|#?\d{1,12}|[#@][\w.-]{1,60}|[\w.-]{1,60}\/[\w.-]{1,60}#\d{1,12})$/.test(
    text,
  );
}

function markOf({ name, text }: Argument): string {
  return /number$/i.test(name) && /^\d+$/.test(text) ? `#${text}` : text;
}

/** A value in the middle of a sentence: "DEMO-5", "issue #5", "#general", "“Release checklist”". */
function nameIn(argument: Argument): string {
  const { name, value, text } = argument;
  if (Array.isArray(value)) return text;
  const kind = kindOf(name);
  if (/^\d+$/.test(text) && kind !== "") return `${kind} ${markOf(argument)}`;
  return isLabel(text) ? text : quoted(text, SAID_CHARS);
}

/** "issue" of `issue_number`, "page" of `page_id`, "" of `issueIdOrKey` and of `id`. */
function kindOf(name: string): string {
  const [kind = ""] = humanise(name)
    .toLowerCase()
    .split(/ (?:id|key|number|name|or)\b/);
  if (kind === "pull") return "pull request";
  return /^(?:id|key|number|to|name|from|source|path|url|file)$/.test(kind) ? "" : kind;
}

/** Whether an argument names what the tool's noun is: `issue_number` an issue, `path` a file. */
function namesNoun({ name, value }: Argument, { noun }: Pick<ToolPhrase, "noun">): boolean {
  return (
    /^(?:id|key|path|name|url|slug|number|source|from)s?$/i.test(name) ||
    Array.isArray(value) ||
    hasNoun({ name }, noun)
  );
}

function hasNoun({ name }: Pick<Argument, "name">, noun: string): boolean {
  const last = noun.split(" ").at(-1)?.toLowerCase().replace(/s$/, "") ?? "";
  const words = humanise(name).toLowerCase().split(" ");
  const kind = kindOf(name);
  if (kind !== "" && noun.toLowerCase().endsWith(kind)) return true;
  return last !== "" && words.some((word) => word.length > 2 && last.startsWith(word.replace(/s$/, "")));
}

function pathText({ name, text }: Pick<Argument, "name" | "text">): string {
  const kind = kindOf(name);
  if (/^\d+$/.test(text) && kind !== "") return `${kind} ${text}`;
  return /^[\w./~-]{1,80}$/.test(text) ? text : quoted(text, SAID_CHARS);
}

function roleOf(name: string, value: JsonValue): Role {
  // How many are read at once, and which of them, is no record.
  if (/^per_?page$/i.test(name) || (/^page$/i.test(name) && typeof value === "number" && value < 1000))
    return "other";
  return ROLES.find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}

/** A value as words: of several up to three, of a record what names it. */
function wordsOf(value: JsonValue): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return oneLine(value, 500);
  if (!Array.isArray(value)) return "";
  const words = value.slice(0, SOME).map(itemWords);
  if (words.length === 0 || words.includes("")) return "";
  return `${words.join(", ")}${value.length > SOME ? ` and ${value.length - SOME} more` : ""}`;
}

const SOME = 3;

/** Records are told by their names, which is not all of them. */
function hasRecords(value: JsonValue): boolean {
  return Array.isArray(value) && value.some(isObject);
}

function itemWords(item: JsonValue): string {
  if (typeof item === "string" || typeof item === "number") {
    const text = oneLine(String(item));
    return isLabel(text) ? text : quoted(text, 40);
  }
  if (!isObject(item)) return "";
  const texts = Object.entries(item).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const name = texts.find(([key]) => /^(?:name|title|summary|key|path|id|\w+Name)$/.test(key))?.[1];
  // A relation is told by its ends.
  const { from, to } = item;
  if (typeof from === "string" && typeof to === "string") return `${quoted(from, 40)} to ${quoted(to, 40)}`;
  return name === undefined ? "" : quoted(name, 40);
}

/** The label of an argument; a name that could be taken for something else is written as JSON. */
export function argumentText({ inputSchema }: StatementInput["tool"], name: string): string {
  return /^[\w.-]{1,80}$/.test(name)
    ? cutText(argumentLabel(name, argumentSchema(inputSchema, name)), 80)
    : cutText(JSON.stringify(name), 80);
}
