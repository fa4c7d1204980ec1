import type { CommandInfo, Core } from "#contract/core.ts";
import { nearest } from "#src/base/suggest.ts";
import { plainLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";

import { activeGrants } from "./grants.ts";
import type { Session } from "./session.ts";

const { about } = en.commands;

/** The chat's own commands, in the order of `/help`. */
export const COMMANDS = [
  { name: "help", usage: "/help", about: "this list" },
  { name: "tools", usage: "/tools [NAME]", about: about.tools },
  { name: "status", usage: "/status", about: about.status },
  { name: "show", usage: "/show [N]", about: "result N in full; without N the last one" },
  { name: "json", usage: "/json [N]", about: "the data of result N" },
  { name: "approvals", usage: "/approvals", about: about.approvals },
  {
    name: "approve",
    usage: "/approve ID [REASON]",
    about: "let a waiting change happen; ID may be its number in /approvals",
  },
  { name: "deny", usage: "/deny ID [REASON]", about: "refuse it" },
  {
    name: "settle",
    usage: "/settle ID happened|did_not [NOTE]",
    about: "say what became of a change whose outcome is unknown",
  },
  { name: "grants", usage: "/grants", about: "what runs in this conversation without asking" },
  { name: "revoke", usage: "/revoke ID", about: "take a standing approval back" },
  {
    name: "connect",
    usage: "/connect [SERVER | use NAME | from NAME to NAME | stop]",
    about: about.accounts,
  },
  {
    name: "accounts",
    usage: "/accounts [disconnect NAME]",
    about: "the same list, and disconnecting",
  },
  { name: "good", usage: "/good", about: "the last answer was what you wanted" },
  { name: "bad", usage: "/bad [WHAT SHOULD HAVE COME]", about: "it was not, and what should have come" },
  { name: "me", usage: "/me [SERVER NAME]", about: about.me },
  { name: "clear", usage: "/clear", about: "clear the screen" },
  { name: "quit", usage: "/quit", about: "leave; what waits keeps waiting" },
] as const;

export type CommandName = (typeof COMMANDS)[number]["name"];

export type Line =
  | { kind: "message" }
  | { kind: "command"; name: CommandName; words: string[] }
  | { kind: "unknown"; name: string; meant: string | undefined };

/** What a typed line is. Commands from the configuration are messages: the core knows them. */
export function readLine(text: string, core: Core): Line {
  // As it is called in chats.
  const [first = "", ...words] = text
    .trim()
    .replace(/^\/countersign\s+/i, "/")
    .split(/\s+/);
  if (!/^\/[a-z]/i.test(first)) return { kind: "message" };
  const name = first.slice(1).toLowerCase();
  if (name === "exit") return { kind: "command", name: "quit", words };
  const own = COMMANDS.find((command) => command.name === name);
  if (own !== undefined) return { kind: "command", name: own.name, words };
  const configured = core.commands().map((command) => command.name);
  if (configured.includes(name)) return { kind: "message" };
  // A path such as /etc/hosts is something to say, not a command.
  if (name.includes("/")) return { kind: "message" };
  const known = [...COMMANDS.map((command) => command.name), ...configured];
  return { kind: "unknown", name, meant: nearest(name, known) };
}

/** The commands of the configuration as far as they can be used now: their tools are there, and policy does not refuse them. */
export function usableCommands(core: Pick<Core, "commands" | "tools">): CommandInfo[] {
  const usable = new Set(
    core.tools().flatMap(({ tool, decision }) => (decision === "deny" ? [] : [tool.id])),
  );
  return core.commands().flatMap(({ defaultTool, ...command }): CommandInfo[] => {
    const isUsable = (tool: string): boolean => usable.has(`${command.server}.${tool}`);
    const subcommands = command.subcommands.filter(({ tool }) => isUsable(tool));
    const isDefault = defaultTool !== undefined && isUsable(defaultTool);
    if (subcommands.length === 0 && !isDefault) return [];
    return [{ ...command, ...(isDefault && { defaultTool }), subcommands }];
  });
}

type Source = Pick<Session, "core" | "conversationId" | "results">;

/** Candidates for the last word of a line and that word, as node:readline wants them. */
export async function complete(line: string, source: Source): Promise<[string[], string]> {
  const words = line.split(/\s+/);
  const typed = words.at(-1) ?? "";
  const candidates = await candidatesFor(words, source);
  const hits = candidates.filter(
    // A name that a terminal would obey is not written to it.
    (candidate) =>
      candidate.toLowerCase().startsWith(typed.toLowerCase()) && plainLine(candidate) === candidate,
  );
  return [hits.map((hit) => `${hit} `), typed];
}

async function candidatesFor(words: string[], source: Source): Promise<string[]> {
  const { core, conversationId, results } = source;
  const [first = ""] = words;
  if (!first.startsWith("/")) return [];
  const configured = usableCommands(core);
  if (words.length === 1) return [...COMMANDS, ...configured].map((command) => `/${command.name}`);
  const name = first.slice(1).toLowerCase();
  if (words.length > 2) return name === "settle" && words.length === 3 ? ["happened", "did_not"] : [];
  switch (name) {
    case "tools":
      return core.tools().flatMap(({ tool, decision }) => (decision === "deny" ? [] : [tool.id]));
    case "show":
    case "json":
      return results.numbers().map(String);
    case "approve":
    case "deny":
    case "settle": {
      const approvals = await core.approvals({ conversationId });
      return approvals.filter(({ state }) => state === "pending" || state === "unknown").map(({ id }) => id);
    }
    case "revoke":
      return (await activeGrants(source)).map(({ id }) => id);
    case "accounts":
      return ["connect", "disconnect"];
    default:
      return configured.find((command) => command.name === name)?.subcommands.map((one) => one.name) ?? [];
  }
}
