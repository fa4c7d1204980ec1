import { createHash, randomBytes } from "node:crypto";

import { sql } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type {
  Account,
  AccountAsker,
  AccountLink,
  ConnectedSite,
  Connection,
  KeptSite,
  SiteChoice,
  SiteForm,
  SiteRequest,
  SiteUse,
} from "#contract/connections.ts";
import type { Credentials, Site, SiteCredentials } from "#contract/message.ts";

import { CountersignError } from "../base/errors.ts";
import { MINUTE_MS } from "../base/time.ts";
import { en } from "../base/words/en.ts";
import type { Transact } from "../ledger/transact.ts";
import type { Db, Tx } from "../store/schema.ts";
import { createSealedKeyv, forgetSealed, type Sealer } from "../store/sealed.ts";

/** A server that works on sites of people. */
export interface SiteServer {
  name: string;
  takes: readonly SiteUse[];
}

/** What came of trying a site: `untried` where there is nothing to try it with. `message` is the server's. */
export type SiteTrial = { ok: true; untried?: boolean } | { ok: false; message: string };

export interface SiteDeps {
  db: Db;
  sealer: Sealer;
  transact: Transact;
  now: () => number;
  servers: readonly SiteServer[];
  /** Where browsers reach the HTTP surface, without a slash at its end. */
  publicUrl: () => string;
  /** Never rejects. */
  attempt: (server: string, credentials: SiteCredentials, actor: ActorId) => Promise<SiteTrial>;
}

/**
 * Sites that people connect for servers which work on one: an address and a token, typed into a page of ours over
 * a one-time link. A site is its person's own, sealed, and used in the channels that they choose it for.
 */
export interface Sites {
  serves(server: string): boolean;
  /** Every site of a person, and for each server that another can be connected. */
  accounts(asker: AccountAsker): Promise<Account[]>;
  list(actor: ActorId): Promise<Connection[]>;
  /** A link for one person, good once. */
  begin(server: string, asker: AccountAsker): Promise<AccountLink>;
  look(token: string): Promise<SiteRequest>;
  keep(token: string, form: SiteForm): Promise<KeptSite>;
  use(choice: SiteChoice, asker: AccountAsker): Promise<void>;
  /** Undefined where this person has no such site. */
  disconnect(server: string, name: string, actor: ActorId): Promise<Connection | undefined>;
  /** What a message that comes now is given; read in the transaction that accepts it. */
  ofChannel(tx: Tx, actor: ActorId, channel: string): Promise<Credentials | undefined>;
}

const LINK_MS = 10 * MINUTE_MS;
/** Of one person; more cannot be told apart in a list. */
const MOST_SITES = 20;

interface StoredSite {
  server: string;
  name: string;
  site: Site;
  since: number;
}

interface StoredLink {
  server: string;
  actor: ActorId;
  channel: string;
}

/** Names of sites by what they are used as, by server. */
type Choice = Record<string, Partial<Record<SiteUse, string>>>;

/** See Connection.whose: sites are told from accounts by it. */
export const siteWhose = (name: string): string => `site:${name}`;
export const siteIn = (whose: string | undefined): string | undefined =>
  whose?.startsWith("site:") === true ? whose.slice("site:".length) : undefined;

export function createSites(deps: SiteDeps): Sites {
  const { db, sealer, transact, now, attempt } = deps;
  const servers = new Map(deps.servers.map((one) => [one.name, one]));
  const links = (at: Db | Tx) => createSealedKeyv<StoredLink>(at, "site-link", sealer);
  const choices = (at: Db | Tx) => createSealedKeyv<Choice>(at, "site-choice", sealer);
  // One namespace a person: listing theirs reads nobody else's.
  const sites = (at: Db | Tx, actor: ActorId) =>
    createSealedKeyv<StoredSite>(at, `site.${digest(actor)}`, sealer);

  function serverOf(server: string): SiteServer {
    const found = servers.get(server);
    if (found !== undefined) return found;
    throw refusal("not_found", `No server ${server} that works on sites of people is configured.`);
  }

  async function sitesOf(at: Db | Tx, actor: ActorId): Promise<StoredSite[]> {
    const found: StoredSite[] = [];
    const rows = sites(at, actor).iterator?.() as AsyncIterable<[string, StoredSite]> | undefined;
    for await (const [, one] of rows ?? []) if (servers.has(one.server)) found.push(one);
    return found.toSorted((a, b) => a.since - b.since);
  }

  async function linkOf(at: Db | Tx, token: string): Promise<StoredLink> {
    const link = await links(at).get(digest(token));
    if (link !== undefined && servers.has(link.server)) return link;
    throw usedUp();
  }

  async function choose(
    at: Tx,
    { actor, channel }: AccountAsker,
    change: (choice: Choice) => Choice,
  ): Promise<void> {
    const key = placeKey(actor, channel);
    await choices(at).set(key, change((await choices(at).get(key)) ?? {}));
  }

  return {
    serves: (server) => servers.has(server),

    async accounts({ actor, channel }) {
      if (servers.size === 0) return [];
      const [mine, choice] = [await sitesOf(db, actor), await choices(db).get(placeKey(actor, channel))];
      return deps.servers.flatMap(({ name: server, takes }) => {
        const own = mine.filter((one) => one.server === server);
        const connected = own.map((one): Account => ({
          server,
          per: "person",
          whose: siteWhose(one.name),
          connection: toConnection(one, actor),
          takes,
          site: siteView(one, choice?.[server] ?? {}),
        }));
        const more: Account = { server, per: "person", whose: actor, takes };
        return own.length < MOST_SITES ? [...connected, more] : connected;
      });
    },

    list: async (actor) =>
      servers.size === 0 ? [] : (await sitesOf(db, actor)).map((one) => toConnection(one, actor)),

    async begin(server, { actor, channel }) {
      serverOf(server);
      const token = randomBytes(24).toString("base64url");
      await links(db).set(digest(token), { server, actor, channel }, LINK_MS);
      const url = `${deps.publicUrl()}/connect/${token}`;
      return { server, whose: actor, url, domain: new URL(url).host, expiresAt: now() + LINK_MS };
    },

    async look(token) {
      const { server, actor } = await linkOf(db, token);
      return { server, actor, takes: serverOf(server).takes };
    },

    async keep(token, form) {
      const { server, actor, channel } = await linkOf(db, token);
      const { takes } = serverOf(server);
      const { name, site } = readForm(form);
      const tried = await attempt(server, asEach(site, takes), actor);
      if (!tried.ok) throw refusal("site_refused", tried.message);
      const called = await transact(async (tx, note) => {
        // Of two that send one page at once, one goes on.
        if (!(await links(tx).delete(digest(token)))) throw usedUp();
        const mine = await sitesOf(tx, actor);
        const same = mine.find((one) => one.server === server && isSameName(one.name, name));
        if (same !== undefined && same.site.domain !== site.domain)
          throw refusal(
            "bad_args",
            `Your site ${same.name} is at ${same.site.domain}. Take another name, or disconnect it first.`,
          );
        if (same === undefined && mine.length >= MOST_SITES)
          throw refusal("bad_args", `You have ${MOST_SITES} sites. Disconnect one first.`);
        const kept = { server, name: same?.name ?? name, site, since: now() };
        await sites(tx, actor).set(siteKey(server, kept.name), kept);
        if (takes.includes("tenant"))
          await choose(tx, { actor, channel }, (choice) => ({
            ...choice,
            [server]: { ...choice[server], tenant: kept.name },
          }));
        note({ kind: "site.connected", actor, data: { server, name: kept.name, domain: site.domain } });
        return kept.name;
      });
      return { server, name: called, domain: site.domain, actor, untried: tried.untried === true };
    },

    async use({ server, name, as }, asker) {
      const { takes } = serverOf(server);
      if (!takes.includes(as)) throw refusal("bad_args", en.recorded.noSiteAs(server, as));
      await transact(async (tx, note) => {
        const found = name === undefined ? undefined : await findSite(tx, asker.actor, server, name);
        if (name !== undefined && found === undefined)
          throw refusal("not_found", en.recorded.noSiteFor(name, server));
        await choose(tx, asker, (choice) => {
          const { [as]: _, ...rest } = choice[server] ?? {};
          return { ...choice, [server]: found === undefined ? rest : { ...rest, [as]: found.name } };
        });
        const data = { server, channel: asker.channel, as, ...(found && { name: found.name }) };
        note({ kind: "site.used", actor: asker.actor, data });
      });
    },

    disconnect: (server, name, actor) =>
      transact(async (tx, note) => {
        const found = await findSite(tx, actor, server, name);
        if (found === undefined) return undefined;
        await sites(tx, actor).delete(siteKey(server, found.name));
        note({
          kind: "site.disconnected",
          actor,
          data: { server, name: found.name, domain: found.site.domain },
        });
        return toConnection(found, actor);
      }),

    async ofChannel(tx, actor, channel) {
      if (servers.size === 0) return undefined;
      const choice = await choices(tx).get(placeKey(actor, channel));
      if (choice === undefined) return undefined;
      const given: Record<string, SiteCredentials> = {};
      for (const [server, chosen] of Object.entries(choice)) {
        if (!servers.has(server)) continue;
        const read = async (as: SiteUse): Promise<Site | undefined> => {
          const name = chosen[as];
          if (name === undefined) return undefined;
          return (await sites(tx, actor).get(siteKey(server, name)))?.site;
        };
        const [tenant, source, target] = [await read("tenant"), await read("source"), await read("target")];
        const both = source !== undefined && target !== undefined ? { migration: { source, target } } : {};
        const own = { ...(tenant && { tenant }), ...both };
        if (Object.keys(own).length > 0) given[server] = own;
      }
      return Object.keys(given).length === 0 ? undefined : { sites: given };
    },
  };

  async function findSite(
    at: Tx,
    actor: ActorId,
    server: string,
    name: string,
  ): Promise<StoredSite | undefined> {
    return (await sitesOf(at, actor)).find((one) => one.server === server && isSameName(one.name, name));
  }
}

/** Deletes the sites that somebody connected, and what they chose in these channels, without opening anything. */
export async function forgetSites(
  tx: Tx,
  actors: readonly ActorId[],
  channels: readonly string[],
): Promise<number> {
  let deleted = 0;
  for (const actor of actors) {
    const prefix = `sealed.site.${digest(actor)}:`;
    const { numDeletedRows } = await tx
      .deleteFrom("kv")
      .where(sql<boolean>`substr(key, 1, ${prefix.length}) = ${prefix}`)
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
    for (const channel of channels) await forgetSealed(tx, "site-choice", placeKey(actor, channel));
  }
  return deleted;
}

function siteView({ name, site }: StoredSite, chosen: Choice[string]): ConnectedSite {
  const uses = (["tenant", "source", "target"] as const).filter((as) => chosen[as] === name);
  return { name, domain: site.domain, uses };
}

function toConnection({ server, name, since }: StoredSite, by: ActorId): Connection {
  return { server, whose: siteWhose(name), per: "person", by, since };
}

/** One site in every place that a server has for it: to be tried it needs no second. */
function asEach(site: Site, takes: readonly SiteUse[]): SiteCredentials {
  return takes.includes("tenant") ? { tenant: site } : { migration: { source: site, target: site } };
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** What people paste is an address as often as a host. Throws `bad_request` in words for the page. */
function readForm({ name: given, domain: typed, token, ssl }: SiteForm): { name: string; site: Site } {
  const address = /^(?<scheme>https?:\/\/)?(?<host>[^/?#\s@]+)\/*$/i.exec(typed.trim())?.groups;
  const host = address?.host?.toLowerCase() ?? "";
  if (host === "" || host.length > 253 || URL.parse(`https://${host}`)?.host === undefined)
    throw refusal("bad_args", "Address: expected a host such as acme.example.com, perhaps with a port.");
  if (token.trim() === "" || token.length > 4_096 || /[\r\n\0]/.test(token.trim()))
    throw refusal("bad_args", "Token: expected one line of at most 4,096 characters.");
  const name = given.trim() === "" ? (host.split(/[.:]/)[0] ?? host) : given.trim();
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(name))
    throw refusal("bad_args", "Name: expected up to 40 letters, digits, spaces, dots and dashes.");
  return {
    name,
    site: { domain: host, token: token.trim(), ssl: /^http:/i.test(address?.scheme ?? "") ? false : ssl },
  };
}

function siteKey(server: string, name: string): string {
  return JSON.stringify([server, name]);
}

function placeKey(actor: ActorId, channel: string): string {
  return digest(JSON.stringify([actor, channel]));
}

/** Names of sealed rows are not sealed. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function usedUp(): CountersignError {
  return refusal(
    "unknown_state",
    "This link was used already or has expired. Ask for a new one with /connect.",
  );
}

function refusal(code: string, message: string): CountersignError {
  return new CountersignError(code, message);
}
