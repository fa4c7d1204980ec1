import { fileURLToPath } from "node:url";

import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import { CountersignError, messageOf } from "#src/base/errors.ts";
import type { OAuthGrant } from "#src/mcp/auth/oauth-provider.ts";
import type { OAuth } from "#src/mcp/auth/oauth.ts";
import type { McpLog } from "#src/mcp/ports.ts";
import { requireSandbox } from "#src/mcp/connect/sandbox.ts";
import { createToolBox, type ManagedToolBox } from "#src/mcp/tool-box.ts";
import type { Settings } from "#src/settings/load.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";

import { openOAuthForCommand } from "./accounts.ts";
import { version } from "./settings.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

/**
 * The configured servers for one command, beside a running product: nothing is kept of it but tokens that
 * had to be renewed. `accounts`: whose accounts servers that want one are listed with; anybody's without it.
 */
export async function withToolBox<Result>(
  settings: Settings,
  work: (tools: ManagedToolBox, oauth: OAuth | undefined) => Promise<Result>,
  accounts?: (oauth: OAuth) => OAuth,
): Promise<Result> {
  await requireSandbox(settings.servers);
  const beside = await openOAuthForCommand(settings, silent);
  const oauth = beside === undefined ? undefined : (accounts?.(beside.oauth) ?? beside.oauth);
  const tools = createToolBox({
    ...(oauth === undefined ? {} : { oauth }),
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...process.env, COUNTERSIGN_DATA: settings.data_dir },
    log: silent,
  });
  try {
    await tools.start();
    return await work(tools, oauth);
  } finally {
    await tools.stop();
    await beside?.close();
  }
}

/** Which servers could not be listed, for the words of an error; empty where all could. */
export function unlisted(box: Pick<ManagedToolBox, "servers">): string {
  const some = box.servers().filter(({ status }) => status !== "up");
  const down = some.flatMap(({ name, note }) => (note === undefined ? [name] : []));
  const waiting = some.flatMap(({ name, note }) => (note === undefined ? [] : [` ${name} is ${note}.`]));
  return `${down.length === 0 ? "" : ` Not reachable: ${down.join(", ")}.`}${waiting.join("")}`;
}

/** The value of `--args`. Throws `wrong_use`. */
export function readArguments(given: string | boolean | undefined): JsonObject {
  if (given === undefined) return {};
  try {
    const args: unknown = JSON.parse(String(given));
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return args as JsonObject;
  } catch (error) {
    throw new CountersignError("wrong_use", `--args: expected a JSON object, got ${messageOf(error)}`);
  }
  throw new CountersignError(
    "wrong_use",
    `--args: expected a JSON object, got ${String(given).slice(0, 80)}`,
  );
}

/** What goes wrong is in the answer of the command. */
const silent: McpLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** On whose behalf an operator asks servers, and where. */
export interface ActingAs {
  actor: ActorId | undefined;
  /** Empty where none was named. */
  channel: string;
}

type Wanting = Pick<ServerSettings, "name" | "oauth">;

/** The account with a server that a command may use; undefined where there is none. */
async function grantOf(
  { name, oauth: config }: Wanting,
  { actor, channel }: ActingAs,
  oauth: OAuth,
): Promise<OAuthGrant | undefined> {
  const identity = config?.per === "channel" ? channel : actor;
  return identity === undefined || identity === "" ? undefined : oauth.grant(name, identity);
}

/** Accounts as they are, but that servers are listed with those of one person and channel alone. */
export function accountsOf(as: ActingAs, servers: readonly Wanting[]): (oauth: OAuth) => OAuth {
  return (oauth) => ({
    ...oauth,
    async anybody(name, except) {
      const server = servers.find((one) => one.name === name);
      const grant = server === undefined ? undefined : await grantOf(server, as, oauth);
      return grant === undefined || except.has(grant.identity) ? undefined : grant;
    },
  });
}

/** What keeps a command from asking a server on somebody's behalf, and what to do; undefined where nothing does. */
export async function whyNoAccount(
  server: Wanting,
  as: ActingAs,
  oauth: OAuth | undefined,
): Promise<string | undefined> {
  if (server.oauth === undefined || oauth === undefined) return undefined;
  const { name } = server;
  if (as.actor === undefined) {
    return `${name} is asked with an account of the person whose call it is: name one with --as ACTOR, such as --as http:ana.`;
  }
  const isOfChannel = server.oauth.per === "channel";
  if (isOfChannel && as.channel === "") {
    return `${name} is asked with an account of the channel: name one with --channel CHANNEL, such as --channel slack:T1:C1.`;
  }
  if ((await grantOf(server, as, oauth)) !== undefined) return undefined;
  const whose = isOfChannel ? `The channel ${as.channel}` : as.actor;
  return `${whose} has no account connected with ${name}. ${howToConnect(name, as)}`;
}

/** Where people of that surface connect one. */
function howToConnect(server: string, { actor = "http:local", channel }: ActingAs): string {
  const [surface = "", person = ""] = actor.split(/:(.*)/s);
  if (surface === "console") return `Type /accounts connect ${server} in "countersign chat".`;
  if (surface !== "http") return "They connect one with /countersign accounts in the chat.";
  const session = channel.startsWith("http:") ? { session_id: channel.slice("http:".length) } : {};
  const body = JSON.stringify({ actor: person, ...session });
  return `Connect one on the page, under Tools & health, or with POST /connections/${server} and ${body}.`;
}

/** Throws `not_connected` with what to do. */
export async function requireAccount(
  server: Wanting | undefined,
  as: ActingAs,
  oauth: OAuth | undefined,
): Promise<void> {
  const why = server === undefined ? undefined : await whyNoAccount(server, as, oauth);
  if (why !== undefined) throw new CountersignError("not_connected", why);
}

/** The value of `--as`; undefined where it was not given. Throws `wrong_use`. */
export function readActor(given: string | boolean | undefined): ActorId | undefined {
  if (typeof given !== "string") return undefined;
  if (/^(slack|discord|console|http):\S+$/.test(given)) return given as ActorId;
  throw new CountersignError(
    "wrong_use",
    `--as: expected an actor such as http:ana or slack:T1:U1, got ${given}`,
  );
}
