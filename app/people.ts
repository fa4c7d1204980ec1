import type { ActorId } from "#contract/actor.ts";
import type { ConfiguredPerson, People } from "#contract/people.ts";
import type { PlannedStep } from "#contract/plan.ts";
import type { QuestionDraft, QuestionReply } from "#contract/question.ts";
import { type Accounts, createAccounts, type ServerPeople } from "#src/people/accounts.ts";
import { createKeepAnswer } from "#src/people/ask.ts";
import { createPeople } from "#src/people/directory.ts";
import { createPersons, type Persons } from "#src/people/persons.ts";
import { createResolver, type Resolver } from "#src/people/resolve.ts";
import type { CallRequest } from "#contract/tool.ts";
import type { ManagedToolBox } from "#src/mcp/tool-box.ts";
import type { Settings } from "#src/settings/load.ts";
import type { ServerSettings } from "#src/settings/server-schema.ts";
import type { Store } from "#src/store/open.ts";
import type { PlanningDeps } from "#src/turn/planning.ts";
import type { QuestionsOptions } from "#src/turn/questions.ts";
import type { StoredTurn } from "#src/turn/rows.ts";

import { type PlatformMembers, surfaceOf } from "./membership.ts";

interface Log {
  debug: (data: object, message: string) => void;
}

/** Who is one person, by the operator's file, the tokens and what platforms say; the settings are read as they are then. */
export function openPersons(
  settings: Settings,
  {
    platforms = {},
    ...parts
  }: Pick<Store, "db" | "now"> & { platforms?: PlatformMembers | undefined; log: Log },
): Persons {
  let known = { of: settings.people, list: knownPeople(settings) };
  return createPersons({
    ...parts,
    known() {
      if (known.of !== settings.people) known = { of: settings.people, list: knownPeople(settings) };
      return known.list;
    },
    matchByEmail: () => settings.people.match_by_email,
    profile: async (actor) => platforms[surfaceOf(actor)]?.profile(actor),
  });
}

/** Whom the operator names, in the file and with tokens. */
export function knownPeople({ people, http }: Settings): ConfiguredPerson[] {
  const bearers = http.tokens.map(({ actor, also, email }): ConfiguredPerson => ({
    actors: [actor, ...also],
    accounts: {},
    ...(email === undefined ? {} : { email }),
  }));
  return [...people.list, ...bearers];
}

/** Who people are in the servers, and what plans make of it. */
export interface PeopleParts {
  servers: readonly ServerPeople[];
  accounts: Accounts;
  resolver: Resolver;
  directory: People;
  onAccepted: NonNullable<QuestionsOptions["onAccepted"]>;
  /** Other servers from now on. */
  take(settings: Pick<Settings, "servers">): void;
}

export function openPeople(
  settings: Settings,
  parts: Omit<Parameters<typeof createAccounts>[0], "servers">,
): PeopleParts {
  const servers = settings.servers.map(toServerPeople);
  const accounts = createAccounts({ ...parts, servers });
  const resolver = createResolver({ ...parts, accounts, servers });
  return {
    servers,
    accounts,
    resolver,
    directory: createPeople({ ...parts, accounts, servers, nameOf: (actor) => resolver.nameOf(actor) }),
    onAccepted: createKeepAnswer(accounts),
    take: (next) => void servers.splice(0, servers.length, ...next.servers.map(toServerPeople)),
  };
}

/** The tool box, which tells servers for whom they act. */
export function namingAsker(tools: ManagedToolBox, people: () => PeopleParts, log: Log): ManagedToolBox {
  const asking = new Map<string, Promise<Pick<CallRequest, "asker">>>();

  /** Calls that are made at the same moment share the answer. */
  function askerOf(request: CallRequest): Promise<Pick<CallRequest, "asker">> {
    const key = JSON.stringify([request.tool.server, request.actor, request.channel]);
    const known = asking.get(key) ?? look(request).finally(() => asking.delete(key));
    asking.set(key, known);
    return known;
  }

  async function look({ tool, actor, channel }: CallRequest): Promise<Pick<CallRequest, "asker">> {
    if (actor === undefined) return {};
    try {
      const asker = await people().resolver.asker(tool, actor, channel);
      return asker === undefined ? {} : { asker };
    } catch (error) {
      log.debug({ error, actor }, "who asked could not be named to a server");
      return {};
    }
  }
  return { ...tools, call: async (request) => tools.call({ ...request, ...(await askerOf(request)) }) };
}

/** Puts people into the plans of turns; `ask` reaches who started one. */
export function peopleInPlans(
  { resolver }: PeopleParts,
  ask: (turn: StoredTurn, question: QuestionDraft, signal: AbortSignal) => Promise<QuestionReply>,
): Required<Pick<PlanningDeps, "resolvePeople" | "nameOf">> {
  return {
    resolvePeople: (run, plan, signal): Promise<PlannedStep> =>
      resolver.resolve(plan, {
        ...run.turn,
        async ask(question) {
          // Whoever is asked may take long.
          await run.commit();
          return ask(run.turn, question, signal);
        },
      }),
    nameOf: ({ actor }) => resolver.nameOf(actor),
  };
}

function toServerPeople(settings: ServerSettings): ServerPeople {
  const { name: server, people, oauth, person_headers: own, command = [] } = settings;
  const { search, arguments: further = [], signed = {}, ...members } = people ?? {};
  return {
    server,
    actsAs: (actor) => oauth?.per === "person" || Object.hasOwn(own, actor),
    ...(search === undefined || people === undefined
      ? {}
      : { search: { ...USUAL, ...members, tool: search } }),
    arguments: further,
    signed,
    // The bundled servers, which sign what they write.
    isTold: /servers[/\\](?:jira|confluence)[/\\]main\.[jt]s$/.test(command.at(1) ?? ""),
  };
}

const USUAL = { argument: "query", id: "id", name: "name", email: "email" };

/** What people are called, by actor, as far as the operator or their surface says. */
export function createNames(
  persons: Pick<Persons, "profile">,
): (actors: ReadonlySet<ActorId>) => Promise<Record<string, string>> {
  return async (actors) => {
    const named = await Promise.all(
      [...actors].map(async (actor) => [actor, (await persons.profile(actor)).name ?? ""] as const),
    );
    return Object.fromEntries(named.filter(([, name]) => name !== ""));
  };
}
