import type { Card, CardElement, Cell, FieldsElement, Inline } from "#contract/card.ts";
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
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { visibleLine } from "./exact.ts";

const DECISIONS = {
  allow: { text: "runsAtOnce", tone: "good" },
  ask: { text: "needsApproval", tone: "warn" },
  deny: { text: "isRefused", tone: "bad" },
} as const;

/** Every tool with what policy says of a call. */
export function toolsCard(tools: readonly ToolListing[], language?: string): Card {
  const { about: say } = wordsOf(language);
  if (tools.length === 0) return infoCard(say.tools, [{ type: "text", text: say.noTools }], { language });
  const rows = tools.map(({ tool, decision }): Cell[] => [
    tool.id,
    visibleLine(tool.title ?? tool.description, 80),
    { text: say[DECISIONS[decision].text], tone: DECISIONS[decision].tone },
  ]);
  const columns = [say.tool, say.whatItDoes, say.aCall].map((label) => ({ label }));
  return infoCard(say.tools, [{ type: "table", columns, rows }], { language });
}

const STATES = {
  ok: { text: "allWell", tone: "good" },
  degraded: { text: "degraded", tone: "warn" },
  starting: { text: "starting", tone: "info" },
} as const;

/** Model, servers, store and chat platforms, with what is wrong with them. */
export function statusCard(
  { status, version, model, servers, store, surfaces = {} }: Health,
  language?: string,
): Card {
  const words = wordsOf(language);
  const say = words.about;
  const state = { text: say[STATES[status].text], tone: STATES[status].tone };
  const fields: FieldsElement = {
    type: "fields",
    items: [
      { label: say.labels.state, value: state },
      { label: say.labels.version, value: version },
      { label: say.labels.planner, value: plannerOf(model, say) },
    ],
  };
  fields.items.push(
    ...servers.map((server) => ({ label: server.name, value: serverState(server, say) })),
    { label: say.labels.store, value: storeState(store, say) },
    ...Object.entries(surfaces).map(([label, surface]) => ({
      label,
      value:
        surface.error === undefined
          ? surface.status
          : `${surface.status}: ${visibleLine(surface.error, 300)}`,
    })),
  );
  return infoCard(say.status, [fields], { language });
}

function storeState({ kind, ok, error, damage }: Health["store"], say: Words["about"]): string {
  if (!ok) return `${kind}: ${visibleLine(error ?? say.silent, 200)}`;
  return damage === undefined ? kind : say.damaged(kind, visibleLine(damage.join("; "), 200));
}

function serverState({ status, tools, error, note }: Health["servers"][number], say: Words["about"]): string {
  if (error !== undefined) return `${status}: ${visibleLine(error, 200)}`;
  return say.serverTools(note ?? status, tools);
}

function plannerOf({ provider, model, reachable, reason }: Health["model"], say: Words["about"]): string {
  if (provider === "builtin") return say.builtin;
  const name = say.modelOn(model, provider);
  return reachable ? name : say.modelSilent(name, visibleLine(reason ?? "", 200));
}

/** Whether results of a channel may go to a model, and how to change that. */
export function privacyCard({ summarize, setBy }: ChannelPrivacy, how: PrivacyWords): Card {
  const { language } = how;
  const { about: say } = wordsOf(language);
  const who =
    setBy === undefined
      ? summarize
        ? say.makesPrivate(how.on)
        : say.configured
      : say.madePrivate(how.setBy ?? visibleLine(setBy, 100), how.off);
  const texts = [summarize ? say.mayBeSent : say.isPrivate, who];
  return infoCard(
    say.privacy,
    texts.map((text) => ({ type: "text", text })),
    { language },
  );
}

/** A card that tells of the product itself; `problem` is what was wrong with what a person said. */
export function infoCard(
  title: string,
  elements: CardElement[],
  { problem, language }: { problem?: string | undefined; language?: string | undefined } = {},
): Card {
  const said: CardElement[] =
    problem === undefined ? [] : [{ type: "text", text: visibleLine(problem, 500) }];
  const header: CardElement = { type: "header", text: title };
  const card: Card = { kind: "status", title, elements: [header, ...said, ...elements] };
  return language === undefined ? card : { ...card, language };
}

/** What can be said to the product on a surface. */
export function helpCard(
  commands: readonly CommandInfo[],
  own: readonly OwnCommand[],
  problem?: string,
  language?: string,
): Card {
  const items = [
    ...own.map(({ usage, about }) => ({ text: usage, detail: about })),
    ...commands.map((command) => ({ text: `/${command.name} help`, detail: summaryOf(command) })),
  ];
  return infoCard(wordsOf(language).about.help, [{ type: "list", items }], { problem, language });
}

function badgeOf(decision: ToolListing["decision"], say: Words["about"]): Inline | undefined {
  if (decision === "allow") return undefined;
  return decision === "ask"
    ? { text: say.needsApproval, tone: "warn" }
    : { text: say.refusedHere, tone: "bad" };
}

/** How a command of the configuration is used: each of its tools with what it needs. */
export function commandHelpCard(
  command: CommandInfo,
  tools: readonly ToolListing[],
  problem?: string,
  language?: string,
): Card {
  const { about: say } = wordsOf(language);
  const { defaultTool, defaultArgs: args = {}, subcommands } = command;
  const own = defaultTool === undefined ? [] : [{ name: "", tool: defaultTool, args }];
  const uses = [...own, ...subcommands];
  const items = uses.map(({ name, tool, args = {} }) => {
    const listing = listingOf(tools, command.server, tool);
    const words = [`/${command.name}`, name, ...requiredOf(listing, args)];
    const badge = listing && badgeOf(listing.decision, say);
    return {
      text: words.filter((word) => word !== "").join(" "),
      detail: listing === undefined ? say.notThere(tool) : firstSentence(listing.tool.description),
      badges: badge === undefined ? [] : [badge],
    };
  });
  const elements: CardElement[] = [
    { type: "list", items },
    { type: "footer", text: say.namedValues },
  ];
  return infoCard(say.howToUse(`/${command.name}`), elements, { problem, language });
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
