import type { ActorId } from "#contract/actor.ts";
import type { ConfiguredPerson, Profile } from "#contract/people.ts";

import { isSamePerson, personKey } from "../base/ids.ts";
import { HOUR_MS, MINUTE_MS } from "../base/time.ts";
import type { Db, Row } from "../store/schema.ts";

export interface PersonsOptions {
  db: Db;
  now: () => number;
  /**
   * What the operator says now, in the file and with tokens; the same list until it is another. Entries that share an
   * actor are one person.
   */
  known: () => readonly ConfiguredPerson[];
  /** Whether one e-mail address on two surfaces makes one person. */
  matchByEmail: () => boolean;
  /** What the actor's surface says of them. May reject. */
  profile: (actor: ActorId) => Promise<Profile | undefined>;
  log: { debug: (data: object, message: string) => void };
}

/** Which actors are one person, and what is known of them. */
export interface Persons {
  /** What the operator says of the actor. */
  configured(actor: ActorId): ConfiguredPerson | undefined;
  /** Whether the operator says that this account is somebody else's. */
  isOthers(actor: ActorId, account: { server: string; id: string }): boolean;
  /** As far as the operator or the surface says. Never rejects: what a surface does not say now is what it said last. */
  profile(actor: ActorId): Promise<Profile>;
  /** What they are called, by the operator or as a surface said it last: nobody is asked. */
  knownName(actor: ActorId): Promise<string | undefined>;
  /** The actors, without their workspaces, who certainly are this person; this one first. */
  keysOf(actor: ActorId): Promise<string[]>;
  /** Whether two actors certainly are one person, which gives one what the other may do. Rejects where nobody can tell. */
  areSame(one: ActorId, other: ActorId): Promise<boolean>;
  /**
   * Whether they may be one person, also where only they themselves say so: counted once, and excluded together.
   * Rejects where nobody can tell.
   */
  mayBeSame(one: ActorId, other: ActorId): Promise<boolean>;
}

/** How long what a surface said is taken to be so. */
const FRESH_MS = 6 * HOUR_MS;
/** Of so many it is remembered what was read last. */
const MOST_READ = 1_000;

export function createPersons(options: PersonsOptions): Persons {
  const { db, now, matchByEmail, log } = options;
  let merged = { of: options.known(), people: mergePeople(options.known()) };
  function people(): readonly ConfiguredPerson[] {
    const of = options.known();
    if (of !== merged.of) merged = { of, people: mergePeople(of) };
    return merged.people;
  }
  const configured = (actor: ActorId): ConfiguredPerson | undefined =>
    people().find(({ actors }) => actors.some((one) => isSamePerson(one, actor)));

  const read = new Map<string, { row: Row<"profiles"> | undefined; at: number }>();

  function remember(person: string, row: Row<"profiles"> | undefined): Row<"profiles"> | undefined {
    read.delete(person);
    read.set(person, { row, at: now() });
    if (read.size > MOST_READ) read.delete(read.keys().next().value ?? "");
    return row;
  }

  /** What was kept of somebody; another replica may have kept more for a minute. */
  async function keptOf(person: string): Promise<Row<"profiles"> | undefined> {
    const known = read.get(person);
    if (known !== undefined && now() - known.at < MINUTE_MS) return known.row;
    const rows = db.selectFrom("profiles").selectAll().where("person", "=", person);
    return remember(person, await rows.executeTakeFirst());
  }

  /** Rejects where the surface fails and has never said anything. */
  async function fromSurface(actor: ActorId): Promise<Profile> {
    const person = personKey(actor);
    const kept = await keptOf(person);
    if (kept !== undefined && now() - kept.at < FRESH_MS) return toProfile(kept);
    try {
      const { name, email } = (await options.profile(actor)) ?? {};
      if (kept === undefined && name === undefined && email === undefined) return {};
      const row = { name: name ?? null, email: email?.trim().toLowerCase() ?? null, at: now() };
      await db
        .insertInto("profiles")
        .values({ person, ...row })
        .onConflict((conflict) => conflict.column("person").doUpdateSet(row))
        .execute();
      remember(person, { person, ...row });
      return toProfile({ person, ...row });
    } catch (error) {
      if (kept === undefined) throw error;
      log.debug({ error, actor }, "a surface did not say who somebody is; what it said before is used");
      return toProfile(kept);
    }
  }

  async function emailOf(actor: ActorId): Promise<string | undefined> {
    return configured(actor)?.email?.toLowerCase() ?? (await fromSurface(actor)).email;
  }

  /** Whether there is a place that might say their address: only Slack does by itself. */
  const hasEmail = (actor: ActorId): boolean =>
    actor.startsWith("slack:") || configured(actor)?.email !== undefined;

  async function areSame(one: ActorId, other: ActorId): Promise<boolean> {
    if (isSamePerson(one, other)) return true;
    const [first, second] = [configured(one), configured(other)];
    if (first !== undefined && first === second) return true;
    // Within one workspace no two people have one address.
    if (!matchByEmail() || placeOf(one) === placeOf(other) || !hasEmail(one) || !hasEmail(other))
      return false;
    // What the operator says is known without asking a platform.
    const [near, far] = configured(other)?.email === undefined ? [one, other] : [other, one];
    const email = await emailOf(near);
    return email !== undefined && email === (await emailOf(far));
  }

  return {
    configured,
    areSame,

    isOthers(actor, { server, id }) {
      const own = configured(actor);
      return people().some((one) => one !== own && one.accounts[server] === id);
    },

    async profile(actor) {
      const known = configured(actor);
      const said = await fromSurface(actor).catch((): Profile => ({}));
      const [name, email] = [known?.name ?? said.name, known?.email ?? said.email];
      return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
    },

    async knownName(actor) {
      const name = configured(actor)?.name;
      if (name !== undefined) return name;
      return (await keptOf(personKey(actor)))?.name ?? undefined;
    },

    async keysOf(actor) {
      const known = configured(actor)?.actors ?? [];
      const email = matchByEmail() ? await emailOf(actor).catch(() => undefined) : undefined;
      const alike =
        email === undefined
          ? []
          : await db.selectFrom("profiles").select("person").where("email", "=", email).limit(20).execute();
      return [...new Set([personKey(actor), ...known.map(personKey), ...alike.map(({ person }) => person)])];
    },

    async mayBeSame(one, other) {
      if (await areSame(one, other)) return true;
      const [mine, theirs] = await Promise.all([claimsOf(db, one), claimsOf(db, other)]);
      const claims = new Set([...mine, ...accountsIn(configured(one))]);
      return [...theirs, ...accountsIn(configured(other))].some((claim) => claims.has(claim));
    },
  };
}

/** Entries that share an actor are of one person; what the first says counts. */
function mergePeople(known: readonly ConfiguredPerson[]): ConfiguredPerson[] {
  const merged: ConfiguredPerson[] = [];
  for (const entry of known) {
    const keys = new Set(entry.actors.map(personKey));
    const mail = entry.email?.toLowerCase();
    const same = merged.filter(
      ({ actors, email }) =>
        actors.some((actor) => keys.has(personKey(actor))) ||
        (mail !== undefined && email?.toLowerCase() === mail),
    );
    for (const one of same) merged.splice(merged.indexOf(one), 1);
    const all = [...same, entry];
    const [name] = all.flatMap((one) => one.name ?? []);
    const [email] = all.flatMap((one) => one.email ?? []);
    merged.push({
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email }),
      actors: [...new Set(all.flatMap(({ actors }) => actors))],
      accounts: Object.fromEntries(all.toReversed().flatMap(({ accounts }) => Object.entries(accounts))),
    });
  }
  return merged;
}

/** The workspace of an actor, or their surface. */
function placeOf(actor: ActorId): string {
  return actor.slice(0, actor.lastIndexOf(":"));
}

function toProfile({ name, email }: Row<"profiles">): Profile {
  return { ...(name === null ? {} : { name }), ...(email === null ? {} : { email }) };
}

/** The accounts that somebody said are theirs, as `server account`. */
async function claimsOf(db: Db, actor: ActorId): Promise<string[]> {
  const person = personKey(actor);
  const rows = await db
    .selectFrom("accounts")
    .select(["server", "account"])
    .where("person", "=", person)
    .where("said_by", "=", person)
    .execute();
  return rows.map(({ server, account }) => `${server} ${account}`);
}

function accountsIn(person: ConfiguredPerson | undefined): string[] {
  return Object.entries(person?.accounts ?? {}).map(([server, account]) => `${server} ${account}`);
}
