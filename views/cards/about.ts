import type { Card, CardElement, Cell, Inline } from "#contract/card.ts";
import type {
  ChannelPrivacy,
  CommandInfo,
  Health,
  OwnCommand,
  PrivacyWords,
  ToolListing,
} from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { cutText } from "#src/base/text.ts";

import { knownFields } from "../parts.ts";
import { visibleLine } from "./exact.ts";

const DECISIONS = {
  allow: { text: "runs at once", tone: "good" },
  ask: { text: "needs approval", tone: "warn" },
  deny: { text: "is refused", tone: "bad" },
} as const;

/** Every tool with what policy says of a call. */
export function toolsCard(tools: readonly ToolListing[]): Card {
  if (tools.length === 0) return infoCard("Tools", [{ type: "text", text: "No tool is connected now." }]);
  const rows = tools.map(({ tool, decision }): Cell[] => [
    tool.id,
    visibleLine(tool.title ?? tool.description, 80),
    DECISIONS[decision],
  ]);
  const columns = [{ label: "Tool" }, { label: "What it does" }, { label: "A call" }];
  return infoCard("Tools", [{ type: "table", columns, rows }]);
}

const STATES = {
  ok: { text: "all is well", tone: "good" },
  degraded: { text: "some parts do not work right now", tone: "warn" },
  starting: { text: "starting", tone: "info" },
} as const;

/** Model, servers, store and chat platforms, with what is wrong with them. */
export function statusCard({ status, version, model, servers, store, surfaces = {} }: Health): Card {
  const fields = knownFields({ State: STATES[status], Version: version, Planner: plannerOf(model) });
  fields.items.push(
    ...servers.map((server) => ({ label: server.name, value: serverState(server) })),
    { label: "Store", value: storeState(store) },
    ...Object.entries(surfaces).map(([label, surface]) => ({
      label,
      value:
        surface.error === undefined
          ? surface.status
          : `${surface.status}: ${visibleLine(surface.error, 300)}`,
    })),
  );
  return infoCard("Status", [fields]);
}

function storeState({ kind, ok, error, damage }: Health["store"]): string {
  if (!ok) return `${kind}: ${visibleLine(error ?? "does not answer", 200)}`;
  return damage === undefined ? kind : `${kind}, damaged: ${visibleLine(damage.join("; "), 200)}`;
}

function serverState({ status, tools, error, note }: Health["servers"][number]): string {
  if (error !== undefined) return `${status}: ${visibleLine(error, 200)}`;
  return `${note ?? status}, ${tools} ${tools === 1 ? "tool" : "tools"}`;
}

function plannerOf({ provider, model, reachable, reason }: Health["model"]): string {
  if (provider === "builtin") return "the built-in planner, without a model";
  const name = `${model} on ${provider}`;
  return reachable
    ? name
    : `${name} does not answer${reason === undefined ? "" : ` (${visibleLine(reason, 200)})`}`;
}

/** Whether results of a channel may go to a model, and how to change that. */
export function privacyCard({ summarize, setBy }: ChannelPrivacy, how: PrivacyWords): Card {
  const state = summarize
    ? "Results of tools may be sent to the model, which puts them into words."
    : "This channel is private: no result of a tool is sent to a model. You still see every result in full.";
  const who =
    setBy === undefined
      ? summarize
        ? `${how.on} makes it private.`
        : "The configuration says so; only an operator can change that."
      : `${how.setBy ?? visibleLine(setBy, 100)} made it private. ${how.off} takes that back.`;
  return infoCard("Privacy", [
    { type: "text", text: state },
    { type: "text", text: who },
  ]);
}

/** A card that tells of the product itself; `problem` is what was wrong with what a person said. */
export function infoCard(title: string, elements: CardElement[], problem?: string): Card {
  const said: CardElement[] =
    problem === undefined ? [] : [{ type: "text", text: visibleLine(problem, 500) }];
  return { kind: "status", title, elements: [{ type: "header", text: title }, ...said, ...elements] };
}

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
  return infoCard("What you can say", [{ type: "list", items }], problem);
}

const BADGES: Record<ToolListing["decision"], Inline | undefined> = {
  allow: undefined,
  ask: { text: "needs approval", tone: "warn" },
  deny: { text: "refused here", tone: "bad" },
};

/** How a command of the configuration is used: each of its tools with what it needs. */
export function commandHelpCard(command: CommandInfo, tools: readonly ToolListing[], problem?: string): Card {
  const { defaultTool, defaultArgs: args = {}, subcommands } = command;
  const own = defaultTool === undefined ? [] : [{ name: "", tool: defaultTool, args }];
  const uses = [...own, ...subcommands];
  const items = uses.map(({ name, tool, args = {} }) => {
    const listing = listingOf(tools, command.server, tool);
    const words = [`/${command.name}`, name, ...requiredOf(listing, args)];
    const badge = listing && BADGES[listing.decision];
    return {
      text: words.filter((word) => word !== "").join(" "),
      detail: listing === undefined ? `${tool}: not there now` : firstSentence(listing.tool.description),
      badges: badge === undefined ? [] : [badge],
    };
  });
  const footer = "Any value can be named, such as priority=High. What is missing is asked for.";
  const elements: CardElement[] = [
    { type: "list", items },
    { type: "footer", text: footer },
  ];
  return infoCard(`How to use /${command.name}`, elements, problem);
}

function summaryOf({ server, defaultTool, subcommands }: CommandInfo): string {
  const own = defaultTool === undefined ? [] : [defaultTool.replaceAll("_", " ")];
  return [...own, ...subcommands.map(({ name }) => name)].join(", ") || server;
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
    .map((name) => visibleLine(name, 40).toUpperCase());
}

function firstSentence(description: string): string {
  const [first = ""] = visibleLine(description, 300).split(/(?<=[.!?])\s/, 1);
  return cutText(first, 140);
}
