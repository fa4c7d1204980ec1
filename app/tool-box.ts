import { fileURLToPath } from "node:url";

import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { didYouMean } from "#src/base/suggest.ts";
import { namedTool } from "#src/base/tool-names.ts";
import type { OAuthGrant } from "#src/mcp/auth/oauth-provider.ts";
import type { OAuth } from "#src/mcp/auth/oauth.ts";
import type { McpLog } from "#src/mcp/ports.ts";
import { requireSandbox } from "#src/mcp/connect/sandbox.ts";
import { createToolBox, type ManagedToolBox } from "#src/mcp/tool-box.ts";
import type { Settings } from "#src/settings/load.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

import { openOAuthForCommand } from "./accounts.ts";
import type { CommandCall } from "./command-line.ts";
import { fixedArguments, serversOf, version } from "./settings.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

/** On whose behalf an operator asks servers, and where. */
export interface ActingAs {
  actor: ActorId | undefined;
  /** Empty where none was named. */
  channel: string;
}

/** Why a server cannot be asked on somebody's behalf, and what to do; undefined where it can. */
export type WhyNoAccount = (server: string) => Promise<string | undefined>;

/**
 * The configured servers for one command, beside a running product: nothing is kept of it but tokens that
 * had to be renewed. Servers that want an account are listed with those of `as`, without an actor with anybody's.
 */
export async function withToolBox(
  settings: Settings,
  as: ActingAs,
  work: (tools: ManagedToolBox, whyNoAccount: WhyNoAccount) => Promise<number>,
): Promise<number> {
  await requireSandbox(settings.servers);
  const beside = await openOAuthForCommand(settings, silent);
  const serverOf = (name: string): ServerSettings | undefined =>
    settings.servers.find((one) => one.name === name);

  function grantOf({ name, oauth }: ServerSettings): Promise<OAuthGrant | undefined> | undefined {
    const identity = oauth?.per === "channel" ? as.channel : as.actor;
    return identity === undefined || identity === "" ? undefined : beside?.oauth.grant(name, identity);
  }

  const onlyTheirs: OAuth["anybody"] = async (name, except) => {
    const server = serverOf(name);
    const grant = server === undefined ? undefined : await grantOf(server);
    return grant === undefined || except.has(grant.identity) ? undefined : grant;
  };

  async function whyNoAccount(name: string): Promise<string | undefined> {
    const server = serverOf(name);
    if (server?.oauth === undefined || beside === undefined) return undefined;
    if (as.actor === undefined) {
      return `${name} is asked with an account of the person whose call it is: name one with --as ACTOR, such as --as http:ana.`;
    }
    const isOfChannel = server.oauth.per === "channel";
    if (isOfChannel && as.channel === "") {
      return `${name} is asked with an account of the channel: name one with --channel CHANNEL, such as --channel slack:T1:C1.`;
    }
    if ((await grantOf(server)) !== undefined) return undefined;
    const whose = isOfChannel ? `The channel ${as.channel}` : as.actor;
    return `${whose} has no account connected with ${name}. ${howToConnect(name, as.actor, as.channel)}`;
  }

  const oauth = as.actor === undefined ? beside?.oauth : beside && { ...beside.oauth, anybody: onlyTheirs };
  const tools = createToolBox({
    ...(oauth === undefined ? {} : { oauth }),
    servers: serversOf(settings, root),
    fixedArguments: fixedArguments(settings),
    version,
    cwd: root,
    env: { ...process.env, COUNTERSIGN_DATA: settings.data_dir },
    log: silent,
  });
  try {
    await tools.start();
    return await work(tools, whyNoAccount);
  } finally {
    await tools.stop();
    await beside?.close();
  }
}

/** Where people of that surface connect one. */
function howToConnect(server: string, actor: ActorId, channel: string): string {
  const [surface = "", person = ""] = actor.split(/:(.*)/s);
  if (surface === "console") return `Type /accounts connect ${server} in "countersign chat".`;
  if (surface !== "http") return "They connect one with /connect in the chat.";
  const session = channel.startsWith("http:") ? { session_id: channel.slice("http:".length) } : {};
  const body = JSON.stringify({ actor: person, ...session });
  return `Connect one on the page, under Tools & health, or with POST /connections/${server} and ${body}.`;
}

/** What goes wrong is in the answer of the command. */
const silent: McpLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The tool that a command names. Throws `unknown_tool` with the servers that could not be listed. */
export function requireTool(box: ManagedToolBox, name: string): Tool {
  const tool = namedTool(box, name);
  if (tool !== undefined) return tool;
  const some = box.servers().filter(({ status }) => status !== "up");
  const down = some.flatMap((server) => (server.note === undefined ? [server.name] : []));
  const waiting = some.flatMap((one) => (one.note === undefined ? [] : [` ${one.name} is ${one.note}.`]));
  const unlisted = `${down.length === 0 ? "" : ` Not reachable: ${down.join(", ")}.`}${waiting.join("")}`;
  const known = box.tools().map(({ id }) => id);
  const meant = didYouMean(name, known) || ' "countersign tools" lists them all.';
  throw new CountersignError("unknown_tool", `There is no tool ${name}.${meant}${unlisted}`);
}

/** The values of `--as` and `--channel`. Throws `wrong_use`. */
export function readActingAs({ as, channel = "" }: CommandCall["options"]): ActingAs {
  if (as === undefined || /^(slack|discord|console|http):\S+$/.test(as))
    return { actor: as as ActorId | undefined, channel };
  const message = `--as: expected an actor such as http:ana or slack:T1:U1, got ${as}`;
  throw new CountersignError("wrong_use", message);
}

/** The value of `--args`. Throws `wrong_use`. */
export function readArguments({ args = "{}" }: CommandCall["options"]): JsonObject {
  const refuse = (why: string): never => {
    throw new CountersignError("wrong_use", `--args: expected a JSON object, got ${args}${why}`);
  };
  try {
    const value = JSON.parse(args) as JsonObject;
    return isObject(value) ? value : refuse("");
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    return refuse(`: ${messageOf(error)}`);
  }
}
