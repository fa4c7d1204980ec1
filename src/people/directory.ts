import type { ActorId } from "#contract/actor.ts";
import type { KnownAccount, People, PersonAccount, PersonInServer } from "#contract/people.ts";
import type { ToolBox } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { personArguments } from "../base/person-arguments.ts";
import { oneLine } from "../base/text.ts";
import { en } from "../base/words/en.ts";
import type { Db } from "../store/schema.ts";
import type { Accounts, ServerPeople } from "./accounts.ts";
import { bestOf } from "./match.ts";
import type { Persons } from "./persons.ts";

export interface PeopleOptions {
  db: Db;
  persons: Persons;
  accounts: Accounts;
  servers: readonly ServerPeople[];
  tools: Pick<ToolBox, "tools">;
  /** See Resolver.nameOf. */
  nameOf: (actor: ActorId) => Promise<string>;
}

const MOST_NAMED = 5;

/** Who somebody is in the servers, for themselves. What is asked here belongs to no conversation. */
export function createPeople(options: PeopleOptions): People {
  const { db, persons, accounts, servers, tools } = options;

  /** Servers that name people, by name, with what they call themselves; not those where "me" is right. */
  function serversFor(actor: ActorId): Map<string, string> {
    const own = new Set(servers.flatMap((one) => (one.actsAs(actor) ? [one.server] : [])));
    return new Map(
      tools
        .tools()
        .filter((tool) => !own.has(tool.server))
        .filter((tool) => accounts.isSearch(tool) || personArguments(tool.inputSchema).length > 0)
        .map(({ server, serverTitle }) => [server, serverTitle ?? server]),
    );
  }

  /** The server as it is called, by its name or title in any case. Throws `not_found`. */
  function requireServer(said: string, actor: ActorId): { server: string; title: string } {
    const known = [...serversFor(actor)];
    const wanted = said.toLowerCase();
    const found = known.find((names) => names.some((name) => name.toLowerCase() === wanted));
    if (found !== undefined) return { server: found[0], title: found[1] };
    const some = known.map(([name]) => name).join(", ");
    const { noServerNames, noSuchServer } = en.recorded;
    const name = oneLine(said, 60);
    throw new CountersignError("not_found", some === "" ? noServerNames(name) : noSuchServer(name, some));
  }

  /** Throws `not_eligible` where the operator's file says who they are there. */
  function requireFree(actor: ActorId, { server, title }: { server: string; title: string }): void {
    if (persons.configured(actor)?.accounts[server] === undefined) return;
    throw new CountersignError("not_eligible", en.recorded.accountConfigured(title));
  }

  async function inServer(actor: ActorId, server: string, title: string): Promise<PersonInServer> {
    const account = await accounts.of(actor, server, { channel: actor });
    return {
      server,
      title,
      ...(account === undefined ? {} : { account }),
      canSearch: accounts.canSearch(server, actor),
    };
  }

  /** The one account that is meant; a server that cannot be searched is taken at the person's word. */
  async function find(
    { server, title }: { server: string; title: string },
    said: string,
    actor: ActorId,
  ): Promise<PersonAccount> {
    const text = oneLine(said, 120).replace(/^@/, "");
    if (text === "") throw new CountersignError("bad_args", en.recorded.accountWanted());
    if (!accounts.canSearch(server, actor)) return { server, id: text, name: text };
    const [only, ...others] = bestOf(text, await accounts.search(server, text, actor));
    if (only === undefined)
      throw new CountersignError("not_found", en.recorded.knowsNobody(title, oneLine(text, 60)));
    if (others.length === 0) return only;
    const some = [only, ...others]
      .slice(0, MOST_NAMED)
      .map(({ name, email, id }) => `${name} (${email ?? id})`);
    const message = en.recorded.fitsSeveral(oneLine(text, 60), title, some.join(", "));
    throw new CountersignError("bad_args", message);
  }

  return {
    async me(actor) {
      const [{ email }, name] = await Promise.all([persons.profile(actor), options.nameOf(actor)]);
      const theirs = [...serversFor(actor)].map(([server, title]) => inServer(actor, server, title));
      return {
        actor,
        ...(name === "" ? {} : { name }),
        ...(email === undefined ? {} : { email }),
        also: (persons.configured(actor)?.actors ?? []).filter((one) => one !== actor),
        servers: await Promise.all(theirs),
      };
    },

    search: async (said, text, actor) => accounts.search(requireServer(said, actor).server, text, actor),

    async set(actor, said, account) {
      const place = requireServer(said, actor);
      requireFree(actor, place);
      const found = await find(place, account, actor);
      await accounts.keep(db, actor, found, actor);
      return { ...found, origin: "told" } satisfies KnownAccount;
    },

    async forget(actor, said) {
      const place = requireServer(said, actor);
      requireFree(actor, place);
      if (await accounts.forget(actor, place.server)) return;
      throw new CountersignError("not_found", en.recorded.neverSaid(place.title));
    },
  };
}
