import type { ActorId } from "#contract/actor.ts";

import { CountersignError } from "../base/errors.ts";
import type { OAuth } from "../mcp/oauth.ts";
import type { OAuthGrant } from "../mcp/oauth-records.ts";
import type { ServerSettings } from "../settings/server-schema.ts";

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
export function onlyOf(as: ActingAs, servers: readonly Wanting[]): (oauth: OAuth) => OAuth {
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
