import type { ActorId } from "#contract/actor.ts";
import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownAccount, PersonAccount } from "#contract/people.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { personKey } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { MINUTE_MS } from "../base/time.ts";
import { toolById } from "../base/tool-names.ts";
import { en } from "../base/words/en.ts";
import type { Db, Row, Tx } from "../store/schema.ts";
import type { Persons } from "./persons.ts";

/** What the operator says of the people of a server. */
export interface ServerPeople {
  server: string;
  /** Whether the actor's calls are made with an account of their own: "me" is right there. */
  actsAs(actor: ActorId): boolean;
  /** A read tool that finds people, and the members of its answer; absent: a tool `find_people`, where there is one. */
  search?: { tool: string; argument: string; id: string; name: string; email: string };
  /** Arguments that take people beside those that are known by their names, as paths: `fields.owner`. */
  arguments: readonly string[];
  /** By tool: the text that begins with the name of who asked. */
  signed: Readonly<Record<string, string>>;
  /** Whether it puts the name itself before what it writes, and is told it with every change. */
  isTold: boolean;
}

export interface AccountsOptions {
  db: Db;
  now: () => number;
  persons: Persons;
  servers: readonly ServerPeople[];
  tools: Pick<ToolBox, "find" | "tools" | "call">;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  log: { debug: (data: object, message: string) => void };
}

/** Who people are in the servers. */
export interface Accounts {
  /** Whether policy allows a search for the server's people there without asking. */
  canSearch(server: string, channel: string): boolean;
  /** Whether a tool is the one that finds a server's people: the product uses it, and planners need not. */
  isSearch(tool: Tool): boolean;
  /** Accounts that fit a text, at most 20; none where the server cannot be asked. Never rejects. */
  search(server: string, text: string, channel: string): Promise<PersonAccount[]>;
  /** The account of a person, for themselves or for `asker`, who may have said whom they mean. */
  of(
    actor: ActorId,
    server: string,
    where: { channel: string; asker?: ActorId },
  ): Promise<KnownAccount | undefined>;
  /** Writes whose an account is, as `by` says. Code `not_eligible`: the operator says that it is somebody else's. */
  keep(db: Db | Tx, actor: ActorId, account: PersonAccount, by: ActorId): Promise<void>;
  /** False where nothing was kept. */
  forget(actor: ActorId, server: string): Promise<boolean>;
}

const TIMEOUT_MS = 5_000;
const MOST = 20;
const LONGEST = 120;
/** How long what a server said of an address or an id is taken to be so. */
const FRESH_MS = 10 * MINUTE_MS;
const MOST_REMEMBERED = 1_000;
/** The calls of one turn share what was read; other replicas may know better for so long. */
const ONE_TURN_MS = 10_000;
/** What the bundled servers call it, and whoever follows them. */
const USUAL = { tool: "find_people", argument: "query", id: "id", name: "name", email: "email" };

export function createAccounts(options: AccountsOptions): Accounts {
  const { db, now, persons, tools, policy, log } = options;
  const read = new Map<string, { rows: Row<"accounts">[]; at: number }>();
  const remembered = new Map<string, { at: number; account: KnownAccount | undefined }>();

  function searchOf(server: string): { tool: Tool; how: typeof USUAL } | undefined {
    const how = options.servers.find((one) => one.server === server)?.search ?? USUAL;
    const tool = toolById(tools, `${server}.${how.tool}`);
    return tool && { tool, how };
  }

  /** A search that somebody has to allow first is none for a name. */
  function isAllowed({ tool, how }: NonNullable<ReturnType<typeof searchOf>>, channel: string): boolean {
    return policy(tool, { [how.argument]: "" }, channel).decision === "allow";
  }

  function canSearch(server: string, channel: string): boolean {
    const found = searchOf(server);
    return found !== undefined && isAllowed(found, channel);
  }

  async function search(server: string, text: string, channel: string): Promise<PersonAccount[]> {
    const found = searchOf(server);
    const wanted = text.trim().slice(0, 200);
    if (found === undefined || wanted === "" || !isAllowed(found, channel)) return [];
    const { tool, how } = found;
    const args = { [how.argument]: wanted };
    try {
      const outcome = await tools.call({ tool, args, channel, signal: AbortSignal.timeout(TIMEOUT_MS) });
      return outcome.ok
        ? rowsOf(outcome.data)
            .flatMap((row) => toAccount(row, server, how))
            .slice(0, MOST)
        : [];
    } catch (error) {
      log.debug({ error, server }, "people could not be looked for");
      return [];
    }
  }

  /** Asks the server at most once in a while. */
  async function remember(
    key: string,
    look: () => Promise<KnownAccount | undefined>,
  ): Promise<KnownAccount | undefined> {
    const known = remembered.get(key);
    if (known !== undefined && now() - known.at < FRESH_MS) return known.account;
    const account = await look();
    remembered.delete(key);
    if (account !== undefined) remembered.set(key, { at: now(), account });
    for (const old of [...remembered.keys()].slice(0, Math.max(0, remembered.size - MOST_REMEMBERED)))
      remembered.delete(old);
    return account;
  }

  /** The one account of this id, as the server names it. */
  async function byId(server: string, id: string, channel: string): Promise<PersonAccount | undefined> {
    return (await search(server, id, channel)).find((one) => one.id.toLowerCase() === id.toLowerCase());
  }

  async function kept(
    keys: readonly string[],
    server: string,
    by: readonly string[],
  ): Promise<Row<"accounts"> | undefined> {
    const key = JSON.stringify([server, keys, by]);
    const known = read.get(key);
    const isRead = known !== undefined && now() - known.at < ONE_TURN_MS;
    const rows = isRead
      ? known.rows
      : await db
          .selectFrom("accounts")
          .selectAll()
          .where("server", "=", server)
          .where("person", "in", keys)
          .where("said_by", "in", by)
          .orderBy("at", "desc")
          .execute();
    if (read.size >= MOST_REMEMBERED) read.clear();
    if (!isRead) read.set(key, { rows, at: now() });
    // What they said themselves goes before what somebody else said.
    return rows.find((row) => keys.includes(row.said_by)) ?? rows[0];
  }

  return {
    canSearch,
    isSearch: (tool) => searchOf(tool.server)?.tool.id === tool.id,
    search,

    async of(actor, server, { channel, asker }) {
      const configured = persons.configured(actor);
      const id = configured?.accounts[server];
      if (id !== undefined) {
        return remember(`file ${server} ${id}`, async () => {
          const found = await byId(server, id, channel);
          const plain = { server, id, name: configured?.name ?? id };
          return { ...(found ?? plain), origin: "file" };
        });
      }
      const keys = await persons.keysOf(actor);
      const told = await kept(keys, server, asker === undefined ? keys : [...keys, personKey(asker)]);
      if (told !== undefined) return { ...toPersonAccount(told), origin: "told" };
      const { email } = await persons.profile(actor);
      if (email !== undefined) {
        const found = await remember(`email ${server} ${email}`, async () => {
          const hits = await search(server, email, channel);
          const [only, ...others] = hits.filter((one) => one.email?.toLowerCase() === email.toLowerCase());
          return only === undefined || others.length > 0 ? undefined : { ...only, origin: "email" };
        });
        if (found !== undefined) return found;
      }
      const given = /^http:(?!local$)(.+)$/.exec(actor)?.[1];
      if (given === undefined) return undefined;
      // Names of the API's people are the operator's own; where nobody can be looked for, it is taken as it is.
      if (!canSearch(server, channel)) return { server, id: given, name: given, origin: "id" };
      return remember(`id ${server} ${given}`, async () => {
        const found = await byId(server, given, channel);
        return found && { ...found, origin: "id" };
      });
    },

    async keep(tx, actor, { server, id, name, email }, by) {
      if (persons.isOthers(actor, { server, id }))
        throw new CountersignError("not_eligible", en.recorded.accountOthers(name, server));
      read.clear();
      const row = { account: id, name, email: email ?? null, at: now() };
      await tx
        .insertInto("accounts")
        .values({ person: personKey(actor), server, said_by: personKey(by), ...row })
        .onConflict((conflict) => conflict.columns(["person", "server", "said_by"]).doUpdateSet(row))
        .execute();
    },

    async forget(actor, server) {
      read.clear();
      const keys = await persons.keysOf(actor);
      const { numDeletedRows } = await db
        .deleteFrom("accounts")
        .where("server", "=", server)
        .where("person", "in", keys)
        .where("said_by", "in", keys)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toPersonAccount({ server, account, name, email }: Row<"accounts">): PersonAccount {
  return { server, id: account, name, ...(email === null ? {} : { email }) };
}

/** The rows of an answer: itself, or its first list. */
function rowsOf(data: JsonValue): JsonObject[] {
  const list = isObject(data) ? Object.values(data).find(Array.isArray) : data;
  return Array.isArray(list) ? list.flatMap((one) => (isObject(one) ? [one as JsonObject] : [])) : [];
}

function toAccount(row: JsonObject, server: string, how: typeof USUAL): PersonAccount[] {
  const text = (member: string): string | undefined => {
    const value = Object.hasOwn(row, member) ? row[member] : undefined;
    if (typeof value === "number") return String(value);
    // A cut id would be another one.
    return typeof value === "string" && value.trim() !== "" && value.length <= LONGEST
      ? oneLine(value)
      : undefined;
  };
  const id = text(how.id);
  const email = text(how.email);
  if (id === undefined) return [];
  return [{ server, id, name: text(how.name) ?? id, ...(email === undefined ? {} : { email }) }];
}
