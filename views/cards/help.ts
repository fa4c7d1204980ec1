import type { Card, CardElement } from "#contract/card.ts";
import type { CommandInfo, OwnCommand, ToolListing } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";

import { isObject } from "../json.ts";
import { cut } from "../text.ts";
import { words } from "./words.ts";

/** What can be said to the product on a surface. */
export function helpCard(
  commands: readonly CommandInfo[],
  own: readonly OwnCommand[],
  problem?: string,
): Card {
  const items = [
    ...own.map(({ usage, about }) => ({ text: usage, detail: about })),
    ...commands.map((command) => ({ text: `/${command.name} help`, detail: summaryOf(command) })),
  ];
  return card("What you can say", problem, [{ type: "list", items }]);
}

/** How a command of the configuration is used: each of its tools with what it needs. */
export function commandHelpCard(command: CommandInfo, tools: readonly ToolListing[], problem?: string): Card {
  const uses = [
    ...(command.defaultTool === undefined
      ? []
      : [{ name: "", tool: command.defaultTool, args: command.defaultArgs ?? {} }]),
    ...command.subcommands,
  ];
  const items = uses.map(({ name, tool, args = {} }) => {
    const listing = listingOf(tools, command.server, tool);
    const typed = [`/${command.name}`, name, ...requiredOf(listing, args)]
      .filter((word) => word !== "")
      .join(" ");
    const asks = listing?.decision === "ask" ? [{ text: "needs approval", tone: "warn" as const }] : [];
    const refused = listing?.decision === "deny" ? [{ text: "refused here", tone: "bad" as const }] : [];
    return {
      text: typed,
      detail: listing === undefined ? `${tool}: not there now` : firstSentence(listing.tool.description),
      badges: [...asks, ...refused],
    };
  });
  return card(`How to use /${command.name}`, problem, [
    { type: "list", items },
    { type: "footer", text: "name=value sets any argument by its name. What is missing is asked for." },
  ]);
}

function summaryOf({ server, defaultTool, subcommands }: CommandInfo): string {
  const names = subcommands.map(({ name }) => name);
  return (
    [...(defaultTool === undefined ? [] : [defaultTool.replaceAll("_", " ")]), ...names].join(", ") || server
  );
}

function listingOf(tools: readonly ToolListing[], server: string, name: string): ToolListing | undefined {
  return (
    tools.find(({ tool }) => tool.server === server && tool.name === name) ??
    tools.find(({ tool }) => tool.name === name)
  );
}

/** The required arguments that are not set, in capitals as in manual pages. */
function requiredOf(listing: ToolListing | undefined, set: JsonObject): string[] {
  const required = listing?.tool.inputSchema["required"];
  const properties = listing?.tool.inputSchema["properties"];
  if (!Array.isArray(required) || !isObject(properties)) return [];
  return required
    .filter((name) => typeof name === "string")
    .filter((name) => !Object.hasOwn(set, name))
    .map((name) => words(name, 40).toUpperCase());
}

function firstSentence(description: string): string {
  const [first = ""] = words(description, 300).split(/(?<=[.!?])\s/, 1);
  return cut(first, 140);
}

function card(title: string, problem: string | undefined, elements: CardElement[]): Card {
  const said: CardElement[] = problem === undefined ? [] : [{ type: "text", text: words(problem, 500) }];
  return { kind: "status", title, elements: [{ type: "header", text: title }, ...said, ...elements] };
}
