import type { ActorId } from "#contract/actor.ts";
import type {
  Account,
  AccountAction,
  AccountActions,
  AccountAsker,
  Connections,
  ConnectReply,
  SiteChoice,
  SiteUse,
} from "#contract/connections.ts";
import type { Cards } from "#contract/core.ts";

import { refusalOf } from "../base/errors.ts";
import { MINUTE_MS } from "../base/time.ts";
import { en, type Words } from "../base/words/en.ts";
import { wordsOf } from "../base/words/words.ts";

interface AccountActionsDeps {
  connections: Pick<Connections, "accounts" | "begin" | "disconnect" | "use">;
  cards: Pick<Cards, "accounts">;
}

/** See AccountActions. */
export function createAccountActions({ connections, cards }: AccountActionsDeps): AccountActions {
  async function connect(server: string, asker: AccountAsker): Promise<ConnectReply> {
    try {
      const [link, accounts] = [await connections.begin(server, asker), await connections.accounts(asker)];
      const minutes = String(Math.max(1, Math.floor((link.expiresAt - Date.now()) / MINUTE_MS)));
      const isSite = accounts.some((one) => one.server === server && one.takes !== undefined);
      const { connectSite, signInOwn, signInChannel } = en.recorded;
      const open = isSite ? connectSite : link.whose === asker.actor ? signInOwn : signInChannel;
      return { ok: true, link, words: open(link.domain, server, minutes) };
    } catch (error) {
      return { ok: false, words: refusalOf(error) };
    }
  }

  async function use(request: SiteChoice, asker: AccountAsker): Promise<string> {
    try {
      await connections.use(request, asker);
    } catch (error) {
      return refusalOf(error);
    }
    const { server, name, as } = request;
    return name === undefined ? NOT_USED[as](server) : USED[as](name, server);
  }

  return {
    async list(asker, nameOf, language) {
      const accounts = await connections.accounts(asker);
      const { actor } = asker;
      const names: Record<string, string> = {};
      for (const { connection } of accounts) {
        if (connection === undefined || connection.by === actor) continue;
        const name = await nameOf?.(connection.by);
        if (name !== undefined) names[connection.by] = name;
      }
      const actions = accounts.flatMap((one) => actionsOf(one, actor, wordsOf(language)));
      return { card: cards.accounts(accounts, actor, names, language), actions };
    },

    connect,

    async disconnect(value, actor) {
      // Whose it is may hold the sign as well.
      const cut = value.indexOf("|");
      const [server, whose] = cut === -1 ? [value] : [value.slice(0, cut), value.slice(cut + 1)];
      try {
        const gone = await connections.disconnect(server, actor, whose);
        if (gone.whose.startsWith("site:"))
          return en.recorded.siteForgotten(gone.whose.slice("site:".length));
        return en.recorded.disconnected(server, server);
      } catch (error) {
        return refusalOf(error);
      }
    },

    async use(value, asker) {
      const [server = "", as = "", ...rest] = value.split("|");
      const name = rest.join("|");
      return use({ server, as: readUse(as), name: name === "" ? undefined : name }, asker);
    },

    async byWords(words, asker) {
      const text = words.trim();
      if (text === "" || text.toLowerCase() === "list") return undefined;
      const accounts = await connections.accounts(asker);
      const named = accounts.find(({ server }) => server.toLowerCase() === text.toLowerCase());
      if (named !== undefined) return connect(named.server, asker);
      const change = readWords(text);
      if (change === undefined) return { ok: false, words: en.recorded.connectUsage() };
      const found = change.flatMap(({ name, as }) => {
        const site = siteNamed(accounts, name, as);
        return site === undefined ? [] : [{ server: site.server, name: site.name, as }];
      });
      const missing = change.find(({ name, as }) => siteNamed(accounts, name, as) === undefined);
      if (missing !== undefined) return { ok: false, words: unknownSite(accounts, missing) };
      const said: string[] = [];
      for (const one of found) said.push(await use(one, asker));
      return { ok: false, words: said.join("\n") };
    },
  };
}

const { recorded } = en;
const USED = {
  tenant: recorded.siteUsed,
  source: recorded.siteUsedAsSource,
  target: recorded.siteUsedAsTarget,
} satisfies Record<SiteUse, unknown>;
const NOT_USED = {
  tenant: recorded.siteUnused,
  source: recorded.siteUnusedAsSource,
  target: recorded.siteUnusedAsTarget,
} satisfies Record<SiteUse, unknown>;

interface Wanted {
  /** Undefined: none. */
  name: string | undefined;
  as: SiteUse;
}

function readWords(text: string): Wanted[] | undefined {
  const pair = /^(?:migrate\s+)?from\s+(?<source>.+?)\s+to\s+(?<target>.+)$/i.exec(text)?.groups;
  if (pair !== undefined)
    return [
      { name: pair.source, as: "source" },
      { name: pair.target, as: "target" },
    ];
  const one = /^use\s+(?<name>.+?)(?:\s+as\s+(?<as>source|target))?$/i.exec(text)?.groups;
  if (one !== undefined) return [{ name: one.name, as: readUse(one.as?.toLowerCase() ?? "") }];
  if (/^stop$/i.test(text))
    return (["tenant", "source", "target"] as const).map((as) => ({ name: undefined, as }));
  return undefined;
}

/** A server's site of that name; for none, any server that uses one as that now. */
function siteNamed(
  accounts: readonly Account[],
  name: string | undefined,
  as: SiteUse,
): { server: string; name: string | undefined } | undefined {
  const fit = accounts.filter(({ takes, site }) => takes?.includes(as) === true && site !== undefined);
  if (name === undefined) {
    const server =
      fit.find(({ site }) => site?.uses.includes(as))?.server ??
      accounts.find(({ takes }) => takes?.includes(as))?.server;
    return server === undefined ? { server: "", name } : { server, name };
  }
  const found = fit.find(({ site }) => site?.name.toLowerCase() === name.toLowerCase());
  return found?.site && { server: found.server, name: found.site.name };
}

function unknownSite(accounts: readonly Account[], { name = "" }: Wanted): string {
  const known = accounts.flatMap(({ site }) => (site === undefined ? [] : [site.name]));
  return known.length === 0 ? recorded.noSites(name) : recorded.noSiteOf(name, known.join(", "));
}

function readUse(text: string): SiteUse {
  return text === "source" || text === "target" ? text : "tenant";
}

/** Only who connected an account may disconnect it. */
function actionsOf(
  { server, whose, connection, takes = [], site }: Account,
  actor: ActorId,
  { buttons: say }: Words,
): AccountAction[] {
  if (connection === undefined) {
    const label = takes.length === 0 ? say.connect(server) : say.connectSite(server);
    return [{ action: "connect", server, label, value: server }];
  }
  if (connection.by !== actor) return [];
  const disconnect = {
    action: "disconnect",
    server,
    label: say.disconnect(site?.name ?? server),
    value: `${server}|${whose}`,
  } as const;
  if (site === undefined) return [disconnect];
  const uses = takes.map((as): AccountAction => {
    const isUsed = site.uses.includes(as);
    return {
      action: "use_site",
      server,
      label: (isUsed ? say.stopUsing : say.useSite)[as](site.name),
      value: `${server}|${as}|${isUsed ? "" : site.name}`,
    };
  });
  return [...uses, disconnect];
}
