import type { Choice, PendingQuestion } from "#contract/plan.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "./json.ts";
import { oneLine } from "./text.ts";
import { partsOf, toolById } from "./tool-names.ts";

/** `issue_key`, `issueKey` or `issue-key` as "Issue key". */
export function humanise(name: string): string {
  const words = name
    .slice(0, 400)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\-\s]+/g, " ")
    .trim()
    .split(" ")
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .map((word) => (/^(?:id|url|uri|jql|api|html|json)$/i.test(word) ? word.toUpperCase() : word))
    .join(" ");
  if (words === "") return name === "" ? "(no name)" : name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A tool's name in a person's words, without the group before it: "Get user" for `access.get_user`. */
export function toolWords(name: string): string {
  return humanise(/^(?:[\w-]+\.)+([\w-]+)$/.exec(name)?.[1] ?? name);
}

/** A tool in a person's words: its title, else its name, such as "Search issues" for `search_issues`. */
export function toolTitle({ title = "", name }: Pick<Tool, "name" | "title">): string {
  return oneLine(title, 120) || toolWords(name);
}

/**
 * An argument in a person's words, such as "Issue key": its title in the schema, else its name. Titles that
 * frameworks make of the names, such as "Issue Key" and "PageId", say no more than these.
 */
export function argumentLabel(name: string, { title }: JsonObject): string {
  const own = typeof title === "string" ? title.trim() : "";
  return own === "" || lettersOf(own) === lettersOf(name) ? humanise(name) : own;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The schema of an argument; empty where the tool declares none. */
export function argumentSchema({ properties }: JsonSchema, name: string): JsonObject {
  const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(schema) ? schema : {};
}

/** The title of the tool with this id, also while its server is down. */
export function titleById(tools: Pick<ToolBox, "find">, id: string): string {
  return toolTitle(toolById(tools, id) ?? partsOf(id));
}

/** Titled; where two of them read alike, with what tells them apart: arguments, else the servers. */
export function titledChoices(tools: Pick<ToolBox, "find">, choices: readonly PendingQuestion[]): Choice[] {
  const titled = choices.map((choice) => ({ ...choice, title: titleById(tools, choice.tool) }));
  return titled.map((choice) => {
    const alike = titled.filter((other) => other !== choice && other.title === choice.title);
    if (alike.length === 0) return choice;
    const told = Object.entries(choice.args)
      .filter(([name, value]) => alike.some(({ args }) => args[name] !== value))
      .flatMap(([, value]) => (typeof value === "string" ? [oneLine(value, 40)] : []));
    const mark = told.length > 0 ? told.join(", ") : serverWords(tools, choice.tool);
    return { ...choice, title: `${choice.title} (${mark})` };
  });
}

/** The server of a tool as it calls itself, else as the configuration calls it. */
function serverWords(tools: Pick<ToolBox, "find">, id: string): string {
  return toolById(tools, id)?.serverTitle ?? partsOf(id).server;
}

const TITLE =
  /^(?<verb>\p{L}+(?: (?:for|on|to|with)(?= (?:an?|the|one) ))?)(?: (?:an?|the|one) (?<thing>.+?))?(?: (?:as|at|by|for|from|in|into|of|on|to|with) .+)?$/u;
/** These say nothing without what they are done with. */
const PALE = /^(?:add|create|change|do|make|put|remove|set)$/i;

/** What a button for a tool says, such as "Assign" for "Assign a Jira issue", "Comment on" and "Add watcher" for `add_watcher`. */
export function shortVerb(tool: Pick<Tool, "name" | "title">): string {
  const words = oneLine(tool.title ?? "", 120);
  const { verb = "", thing = "" } = TITLE.exec(words)?.groups ?? {};
  const own = humanise(tool.name).split(" ");
  if (verb === "" || (PALE.test(verb) && thing !== "" && own.length > 1 && PALE.test(own[0] ?? "")))
    return own.slice(0, 3).join(" ");
  return verb;
}

/** What people do with a record most; what destroys is none of it. */
const USEFUL: readonly RegExp[] = [
  /^(?:assign|reassign|take)/i,
  /(?:comment|reply|note)/i,
  /^(?:move|transition|close|resolve|complete|reopen)|status/i,
  /^(?:update|edit|change|set|rename)/i,
  /^(?:add|label|tag|link|attach|share|schedule)/i,
];
const DESTROYS = /delete|remove|destroy|drop|purge|wipe|erase|truncate|archive|revoke/i;

/** The lower, the more useful as an action on one record; undefined for what is none. */
export function verbRank({ name, title = "" }: Pick<Tool, "name" | "title">): number | undefined {
  if (DESTROYS.test(name)) return undefined;
  const at = USEFUL.findIndex((pattern) => pattern.test(name) || pattern.test(title));
  return at === -1 ? USEFUL.length : at;
}
