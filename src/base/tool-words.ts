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

/** A tool in a person's words: its title, else its name, such as "Search issues" for `search_issues`. */
export function toolTitle({ title = "", name }: Pick<Tool, "name" | "title">): string {
  return oneLine(title, 120) || humanise(name);
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
