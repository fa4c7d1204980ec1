import { type ExpressionBuilder, type ExpressionWrapper, sql, type SqlBool } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type {
  ConversationFilter,
  ConversationSummary,
  Deleted,
  TurnPage,
  TurnPlace,
} from "#contract/conversation.ts";

import { CountersignError } from "../base/errors.ts";
import { plural } from "../base/text.ts";
import { conversationsOf } from "../ledger/rows.ts";
import type { Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Schema, Tx } from "../store/schema.ts";
import { eraseIfEmpty, eraseTurns } from "./erase.ts";
import { isFinal, type StoredTurn, toTurn } from "./rows.ts";

/** How many turns of a conversation are shown; older ones are read page by page. */
const SHOWN_TURNS = 200;

/** The newest turns of a conversation, oldest first. */
export async function readConversation(db: Db, conversationId: string): Promise<StoredTurn[]> {
  return (await readTurnPage(db, conversationId, "end", SHOWN_TURNS)).turns;
}

/** See Core.turnPage. */
export async function readTurnPage(
  db: Db,
  conversationId: string,
  place: TurnPlace,
  limit: number,
): Promise<TurnPage & { turns: StoredTurn[] }> {
  const all = db.selectFrom("turns").where("conversation_id", "=", conversationId);
  const isForward = place === "start" || (typeof place === "object" && "after" in place);
  let query = all.selectAll().orderBy("position", isForward ? "asc" : "desc");
  if (typeof place === "object") {
    const id = "after" in place ? place.after : place.before;
    const at = await all.select("position").where("id", "=", id).executeTakeFirst();
    if (at === undefined)
      throw new CountersignError("not_found", `There is no turn ${id} in ${conversationId}.`);
    query = query.where("position", "after" in place ? ">" : "<", at.position);
  }
  const rows = await query.limit(limit).execute();
  const turns = (isForward ? rows : rows.toReversed()).map(toTurn);
  const first = rows.at(isForward ? 0 : -1)?.position;
  const last = rows.at(isForward ? -1 : 0)?.position;
  if (first === undefined || last === undefined) {
    // Beyond either end: everything there is lies on the other side.
    const { count } = await all
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return isForward ? { turns, earlier: count, later: 0 } : { turns, earlier: 0, later: count };
  }
  const countOf = async (side: "<" | ">", position: number): Promise<number> => {
    const found = await all
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("position", side, position)
      .executeTakeFirstOrThrow();
    return found.count;
  };
  return { turns, earlier: await countOf("<", first), later: await countOf(">", last) };
}

/** See Core.conversations. */
export async function listConversations(db: Db, filter: ConversationFilter): Promise<ConversationSummary[]> {
  const { surface, limit, conversationId, takenPartBy } = filter;
  const words = wordsOf(filter.query);
  let query = db
    .selectFrom("turns")
    .leftJoin("conversations", "conversations.id", "turns.conversation_id")
    .select((eb) => [
      "turns.conversation_id",
      "conversations.title",
      eb.fn.min("turns.position").as("first"),
      eb.fn.countAll<number>().as("turns"),
      eb.fn.max("turns.updated_at").as("lastAt"),
      // Of the newest message that has all the words.
      eb.fn
        .max(
          eb
            .case()
            .when(holdsAll(eb, "turns.message", words))
            .then(eb.ref("turns.position"))
            .end(),
        )
        .as("hit"),
    ])
    .where("turns.surface", "=", surface)
    .groupBy(["turns.conversation_id", "conversations.title"]);
  if (conversationId !== undefined) query = query.where("turns.conversation_id", "=", conversationId);
  if (takenPartBy !== undefined)
    query = query.where("turns.conversation_id", "in", conversationsOf(db, takenPartBy));
  if (words.length > 0)
    query = query.having((eb) =>
      eb.or([
        holdsAll(eb, "conversations.title", words),
        sql<SqlBool>`max(case when ${holdsAll(eb, "turns.message", words)} then 1 else 0 end) = 1`,
      ]),
    );
  const rows = await query.orderBy("lastAt", "desc").limit(limit).execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.conversation_id);
  const wanted = rows.flatMap(({ first, hit }) =>
    words.length > 0 && hit !== null ? [first, hit] : [first],
  );
  const messages = await db
    .selectFrom("turns")
    .select(["position", "message"])
    .where("position", "in", wanted)
    .execute();
  const messageAt = (at: number | null): string | undefined =>
    messages.find(({ position }) => position === at)?.message;
  const pending = await db
    .selectFrom("approvals")
    .select((eb) => ["conversation_id", eb.fn.countAll<number>().as("count")])
    .where("state", "in", ["pending", "unknown"])
    .where("conversation_id", "in", ids)
    .groupBy("conversation_id")
    .execute();
  return rows.map(({ conversation_id: id, title, first, hit, turns, lastAt }) => {
    const found = words.length > 0 ? messageAt(hit) : undefined;
    return {
      conversationId: id,
      title: title ?? messageAt(first) ?? "",
      turns,
      lastAt,
      pending: pending.find((one) => one.conversation_id === id)?.count ?? 0,
      ...(found === undefined ? {} : { found }),
    };
  });
}

/** More words than anybody types into a search field would make a query that takes long. */
const MOST_WORDS = 8;

function wordsOf(query = ""): string[] {
  return query
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);
}

type Column = "turns.message" | "conversations.title";
type Joined = Schema & { conversations: { title: string | null } };

/** Whether a column has all the words; true without words. SQLite knows the cases of ASCII letters only. */
function holdsAll(
  eb: ExpressionBuilder<Joined, "turns" | "conversations">,
  column: Column,
  words: readonly string[],
): ExpressionWrapper<Joined, "turns" | "conversations", SqlBool> {
  return eb.and(
    words.map((word) => {
      const cases = new Set([word, word.toLowerCase(), word.toUpperCase(), capitalised(word)]);
      return eb.or(
        [...cases].map((one) => sql<SqlBool>`lower(${eb.ref(column)}) like lower(${like(one)}) escape '!'`),
      );
    }),
  );
}

function capitalised(word: string): string {
  const [first = "", ...rest] = word;
  return first.toUpperCase() + rest.join("").toLowerCase();
}

function like(word: string): string {
  return `%${word.replaceAll(/[!%_]/g, "!$&")}%`;
}

export interface ConversationChanges {
  /** See Core.renameConversation. */
  rename(request: { conversationId: string; actor: ActorId; title: string }): Promise<void>;
  /** See Core.deleteConversation. */
  remove(request: { conversationId: string; actor: ActorId }): Promise<Deleted>;
}

/** Naming and deleting whole conversations. */
export function createConversationChanges(parts: {
  kind: StoreKind;
  transact: Transact;
  now: () => number;
}): ConversationChanges {
  const { kind, transact, now } = parts;

  /** Held to the end of the transaction, so that no run of a turn writes meanwhile. */
  async function lock(
    tx: Tx,
    conversationId: string,
  ): Promise<{ id: string; state: string; actor: string }[]> {
    const turns = await tx
      .selectFrom("turns")
      .select(["id", "state", "actor"])
      .where("conversation_id", "=", conversationId)
      .$if(kind === "postgres", (query) => query.forUpdate())
      .execute();
    if (turns.length === 0)
      throw new CountersignError("not_found", `There is no conversation ${conversationId}.`);
    return turns;
  }

  return {
    rename: ({ conversationId, actor, title }) =>
      transact(async (tx, note) => {
        await lock(tx, conversationId);
        const named = { title, changed_at: now(), changed_by: actor };
        await tx
          .insertInto("conversations")
          .values({ id: conversationId, ...named })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(named))
          .execute();
        note({ kind: "conversation.renamed", actor, data: { conversation: conversationId, title } });
      }),

    remove: ({ conversationId, actor }) =>
      transact(async (tx, note) => {
        const turns = await lock(tx, conversationId);
        await requireOver(tx, conversationId, turns);
        const people = await peopleOf(tx, conversationId, turns);
        await eraseTurns(
          tx,
          turns.map(({ id }) => id),
        );
        await eraseIfEmpty(tx, [conversationId]);
        const data = { conversation: conversationId, turns: turns.length, people };
        note({ kind: "conversation.deleted", actor, data });
        return { turns: turns.length };
      }),
  };
}

/** Rejects while a person or the product still has something to do in it. */
async function requireOver(
  tx: Tx,
  conversationId: string,
  turns: readonly { state: string }[],
): Promise<void> {
  const open = await tx
    .selectFrom("approvals")
    .select(["id", "state"])
    .where("conversation_id", "=", conversationId)
    .where("state", "in", ["pending", "unknown"])
    .orderBy("created_at")
    .execute();
  if (open.length > 0) {
    const message = `${plural(open.length, "approval")} of this conversation ${open.length === 1 ? "waits" : "wait"} for a person. Approve, deny or settle ${open.length === 1 ? "it" : "them"} first; then the conversation can be deleted.`;
    throw new CountersignError("undecided", message, { details: { approvals: open.map(({ id }) => id) } });
  }
  if (turns.every(({ state }) => isFinal(state as StoredTurn["state"]))) return;
  const message =
    "Something is still running in this conversation. Stop it or wait until it ends; then the conversation can be deleted.";
  throw new CountersignError("busy", message);
}

/** Who asked or decided in it. */
async function peopleOf(
  tx: Tx,
  conversationId: string,
  turns: readonly { actor: string }[],
): Promise<string[]> {
  const votes = await tx
    .selectFrom("votes")
    .innerJoin("approvals", "approvals.id", "votes.approval_id")
    .select("votes.actor")
    .where("approvals.conversation_id", "=", conversationId)
    .execute();
  return [...new Set([...turns, ...votes].map(({ actor }) => actor))];
}
