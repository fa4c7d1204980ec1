import type { ActorId } from "#contract/actor.ts";
import type { AccountConnections, Connections, SiteUse } from "#contract/connections.ts";
import type { SiteCredentials } from "#contract/message.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";
import type { Settings } from "#src/settings/load.ts";
import {
  createSites,
  siteIn,
  type SiteDeps,
  type Sites,
  type SiteTrial,
  siteWhose,
} from "#src/turn/sites.ts";

/** Who waits for it has typed a token and looks at a page. */
const TRY_MS = 20_000;

/** Sites of people, for the servers whose `credentials` name parts of one. */
export function openSites(
  settings: Settings,
  { tools, ...deps }: Omit<SiteDeps, "servers" | "attempt"> & { tools: ToolBox },
): Sites {
  const servers = settings.servers.flatMap(({ name, oauth, credentials }) => {
    const takes = oauth === undefined ? usesIn(Object.values(credentials)) : [];
    return takes.length === 0 ? [] : [{ name, takes }];
  });
  const checks = new Map(settings.servers.map(({ name, site_check }) => [name, site_check]));
  return createSites({
    ...deps,
    servers,
    attempt: (server, credentials, actor) =>
      trySite(tools, { server, check: checks.get(server), credentials, actor }),
  });
}

const USES = ["tenant", "source", "target"] as const;

function usesIn(templates: readonly string[]): SiteUse[] {
  return USES.filter((use) => templates.some((one) => one.includes(`${use}.`)));
}

/** One read with nothing but the site. */
async function trySite(
  tools: ToolBox,
  given: { server: string; check: string | undefined; credentials: SiteCredentials; actor: ActorId },
): Promise<SiteTrial> {
  const { server, check, credentials, actor } = given;
  const tool = checkOf(
    tools.tools().filter((one) => one.server === server),
    check,
  );
  if (tool === undefined) return { ok: true, untried: true };
  const outcome = await tools.call({
    tool,
    args: {},
    channel: "",
    actor,
    credentials: { sites: { [server]: credentials } },
    repeatable: true,
    signal: AbortSignal.timeout(TRY_MS),
  });
  return outcome.ok
    ? { ok: true }
    : {
        ok: false,
        message: `${server} could not work with this site: ${outcome.error?.message ?? "it failed"}`,
      };
}

/** What names whoever is signed in, or how the site is, says the most about a token. */
const TELLING = /who|me$|_my_|self|current|logged|status|ping|version|health/i;

/** A trusted read that wants nothing and names whoever is signed in, or how the site is. */
export function tellingRead(tools: readonly Tool[]): Tool | undefined {
  return tools.find((tool) => TELLING.test(tool.name) && isPlainRead(tool));
}

function isPlainRead({ trusted, annotations, inputSchema: { required } }: Tool): boolean {
  return trusted && annotations.readOnlyHint === true && !(Array.isArray(required) && required.length > 0);
}

/** The read that the configuration names; else a trusted one that is given a site and wants nothing more. */
function checkOf(tools: readonly Tool[], check: string | undefined): Tool | undefined {
  if (check !== undefined) return tools.find(({ name }) => name === check);
  const fit = tools.filter(
    (tool) => isPlainRead(tool) && tool.filled?.some(({ name }) => /token/i.test(name)) === true,
  );
  return tellingRead(fit) ?? fit[0];
}

/** Accounts by OAuth and sites as one: a server has one of them. */
export function withSites(accounts: AccountConnections, sites: Sites): Connections {
  return {
    ...accounts,
    list: async (actor) => [...(await accounts.list(actor)), ...(await sites.list(actor))],
    accounts: async (asker) => [...(await accounts.accounts(asker)), ...(await sites.accounts(asker))],
    begin: (server, asker) => (sites.serves(server) ? sites : accounts).begin(server, asker),
    async disconnect(server, actor, whose) {
      const name = siteIn(whose);
      if (name === undefined && !sites.serves(server)) return accounts.disconnect(server, actor, whose);
      const meant = name ?? siteIn((await sites.list(actor)).find((one) => one.server === server)?.whose);
      const gone = meant === undefined ? undefined : await sites.disconnect(server, meant, actor);
      // In the words for an account that nobody has.
      return gone ?? accounts.disconnect(server, actor, siteWhose(meant ?? ""));
    },
    use: (request, asker) => sites.use(request, asker),
    lookSite: (token) => sites.look(token),
    keepSite: (token, form) => sites.keep(token, form),
  };
}
