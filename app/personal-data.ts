import { sql } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type { JsonValue } from "#contract/json.ts";
import { CountersignError } from "#src/base/errors.ts";
import { actorName, personKey } from "#src/base/ids.ts";
import type { OAuthGrant } from "#src/mcp/auth/oauth-provider.ts";
import { createPersons } from "#src/people/persons.ts";
import type { Settings } from "#src/settings/load.ts";
import type { Db } from "#src/store/schema.ts";
import { createSealedKeyv, type Sealer } from "#src/store/sealed.ts";
import { actorsIn, keysOf, type PersonInStore } from "#src/turn/personal-data.ts";
import { CHANNEL_PRIVACY } from "#src/turn/privacy.ts";
import { forgetSites } from "#src/turn/sites.ts";

import { GRANTS } from "./accounts.ts";
import { knownPeople } from "./people.ts";

export interface FoundPerson extends PersonInStore {
  /** As the operator or a surface calls them. */
  name?: string;
  /** Whether the configuration names them, which nothing here changes. */
  isConfigured: boolean;
}

/** Everybody whom the store or the configuration knows, each once, with all their actors. */
export async function listPeople(settings: Settings, db: Db): Promise<FoundPerson[]> {
  const known = knownPeople(settings);
  const persons = createPersons({
    db,
    now: Date.now,
    known: () => known,
    matchByEmail: () => settings.people.match_by_email,
    // No platform is asked: what it said last is kept.
    profile: () => Promise.reject(new Error("not asked")),
    log: { debug: () => undefined },
  });
  const actors = [...new Set([...(await actorsIn(db)), ...known.flatMap((one) => one.actors)])];
  const profiles = await db.selectFrom("profiles").select("person").execute();
  const accounts = await db.selectFrom("accounts").select("person").distinct().execute();
  const found: FoundPerson[] = [];
  const seen = new Set<string>();
  for (const actor of [...actors, ...[...profiles, ...accounts].map(({ person }) => person)]) {
    if (seen.has(personKey(actor)) || actor.startsWith(PSEUDONYM)) continue;
    const keys = await persons.keysOf(actor as ActorId);
    for (const key of keys) seen.add(key);
    const name = await persons.knownName(actor as ActorId);
    found.push({
      keys,
      actors: actors.filter((one) => keys.includes(personKey(one))),
      isConfigured: persons.configured(actor as ActorId) !== undefined,
      ...(name === undefined ? {} : { name }),
    });
  }
  return found;
}

/** Who stands in the place of somebody who was forgotten. */
export const PSEUDONYM = "forgotten:";

/** The one person with this name, e-mail address or actor. Throws `not_found` or `wrong_use`. */
export async function findPerson(settings: Settings, db: Db, wanted: string): Promise<FoundPerson> {
  const all = await listPeople(settings, db);
  const text = wanted.trim().toLowerCase();
  const emails = new Map<string, string>();
  for (const { person, email } of await db.selectFrom("profiles").select(["person", "email"]).execute())
    if (email !== null) emails.set(person, email);
  for (const { actors, email } of knownPeople(settings))
    for (const key of email === undefined ? [] : keysOf(actors)) emails.set(key, email ?? "");
  const byId = all.filter((one) =>
    [...one.keys, ...one.actors].some((id) => id.toLowerCase() === text || personKey(id) === wanted),
  );
  const found =
    byId.length > 0
      ? byId
      : all.filter(
          ({ name, keys }) =>
            name?.toLowerCase() === text ||
            keys.some((key) => emails.get(key)?.toLowerCase() === text) ||
            keys.some((key) => key.startsWith("http:") && actorName(key).toLowerCase() === text),
        );
  const [only, ...others] = found;
  if (only === undefined)
    throw new CountersignError(
      "not_found",
      `Nobody called ${wanted} is known here: expected a name, an e-mail address or an id such as slack:T1:U1 (countersign people lists them).`,
    );
  if (others.length > 0)
    throw new CountersignError(
      "wrong_use",
      `${found.length} people are called ${wanted}: name one by id (${found.map(({ keys }) => keys[0]).join(", ")}).`,
    );
  return only;
}

/** The accounts with servers that somebody connected, and the sites, without what opens them. */
export async function connectionsOf(
  db: Db,
  sealer: Sealer | undefined,
  { keys }: PersonInStore,
): Promise<{ told: JsonValue[]; rows: string[]; unreadable: number }> {
  const told: JsonValue[] = [];
  const rows: string[] = [];
  let unreadable = 0;
  if (sealer === undefined) return { told, rows, unreadable };
  const grants = createSealedKeyv<OAuthGrant>(db, GRANTS, sealer);
  const prefix = `sealed.${GRANTS}::`;
  const kept = await db
    .selectFrom("kv")
    .select("key")
    .where(sql<boolean>`substr(key, 1, ${prefix.length}) = ${prefix}`)
    .execute();
  for (const { key: row } of kept) {
    const key = row.slice(prefix.length);
    const grant = await grants.get(key).catch(() => {
      unreadable += 1;
    });
    if (grant === undefined || ![grant.actor, grant.identity].some((one) => keys.includes(personKey(one))))
      continue;
    rows.push(row);
    const { server, identity, actor, connectedAt } = grant;
    told.push({ kind: "connection", server, identity, actor, connected_at: connectedAt ?? null });
  }
  return { told, rows, unreadable };
}

/** Deletes accounts, sites, sessions and whatever else is kept for a while under somebody's id. */
export async function forgetAccess(
  db: Db,
  sealer: Sealer | undefined,
  person: PersonInStore,
): Promise<{ deleted: number; unreadable: number }> {
  const { rows, unreadable } = await connectionsOf(db, sealer, person);
  const channels = await db.selectFrom("turns").select("channel").distinct().execute();
  const deleted = await db.transaction().execute(async (tx) => {
    let count = await forgetSites(
      tx,
      person.actors as ActorId[],
      channels.map(({ channel }) => channel),
    );
    for (const key of rows)
      count += Number((await tx.deleteFrom("kv").where("key", "=", key).executeTakeFirst()).numDeletedRows);
    for (const actor of person.actors)
      await tx
        .deleteFrom("kv")
        .where((is) =>
          is.or([
            sql<boolean>`key like ${`%${escaped(`:${actor}`)}`} escape '!'`,
            sql<boolean>`value like ${`%${escaped(JSON.stringify(actor))}%`} escape '!'`,
          ]),
        )
        .where("key", "not like", "forgetting:%")
        // What they set for everybody stays, under a pseudonym: see forgetPerson.
        .where("key", "not like", `${CHANNEL_PRIVACY}:%`)
        .execute();
    return count;
  });
  return { deleted, unreadable };
}

/** As it stands in a pattern of LIKE. */
function escaped(text: string): string {
  return text.replaceAll(/[!%_]/g, "!$&");
}
