import type { CommandInfo, Core, ToolListing } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";

/** A command as it is typed, with what it does and what it takes. */
interface Completion {
  text: string;
  about: string;
  args: { name: string; required: boolean }[];
}

/** More than these nobody reads while typing. */
const MOST_ARGUMENTS = 8;

/** What can be typed after a slash, in the order of the configuration. */
export function completions(core: Pick<Core, "commands" | "tools">, hasAccounts = false): Completion[] {
  const tools = core.tools();
  const connect = { text: "/connect", about: "Your accounts and sites with servers", args: [] };
  return [
    ...core.commands().flatMap((command) => ofCommand(command, tools)),
    ...(hasAccounts ? [connect] : []),
  ];
}

function ofCommand(
  { name, server, defaultTool, defaultArgs, subcommands }: CommandInfo,
  tools: readonly ToolListing[],
): Completion[] {
  const find = (tool: string): ToolListing | undefined =>
    tools.find((one) => one.tool.id === `${server}.${tool}`);
  const own = [
    ...(defaultTool === undefined ? [] : [{ text: `/${name}`, tool: defaultTool, args: defaultArgs }]),
    ...subcommands.map(({ name: sub, tool, args }) => ({ text: `/${name} ${sub}`, tool, args })),
  ].flatMap(({ text, tool, args }) => {
    const listing = find(tool);
    // What policy refuses, or what is not there now, is not offered.
    if (listing === undefined || listing.decision === "deny") return [];
    return [{ text, about: aboutOf(listing), args: argumentsOf(listing.tool.inputSchema, args ?? {}) }];
  });
  return [...own, { text: `/${name} help`, about: `What /${name} can do`, args: [] }];
}

/** The first sentence of what a tool says of itself. */
function aboutOf({ tool: { title, description } }: ToolListing): string {
  const sentence = /^[^\n]*?[.!?](?=\s|$)|^[^\n]*/.exec(description.trim())?.[0] ?? "";
  const about = sentence === "" ? (title ?? "") : sentence;
  return about.length > 120 ? `${about.slice(0, 119).trimEnd()}…` : about;
}

/** Those that a person types: what is required first. */
function argumentsOf({ properties, required }: JsonObject, set: JsonObject): Completion["args"] {
  if (!isObject(properties)) return [];
  const args = Object.keys(properties)
    .filter((name) => !Object.hasOwn(set, name))
    .map((name) => ({ name, required: Array.isArray(required) && required.includes(name) }));
  return args.toSorted((a, b) => Number(b.required) - Number(a.required)).slice(0, MOST_ARGUMENTS);
}
