import { sql } from "kysely";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { CountersignError } from "../base/errors.ts";
import { personKey } from "../base/ids.ts";
import { parseJson } from "../base/json.ts";
import type { Redactor } from "../base/redact.ts";
import { plural } from "../base/text.ts";
import { readAudit } from "../ledger/audit.ts";
import { forgetEntries } from "../ledger/forget-audit.ts";
import type { Transact } from "../ledger/transact.ts";
import type { StoreKind } from "../store/migrations.ts";
import { repacked, unpacked } from "../store/packed.ts";
import type { Db, Row, Tx } from "../store/schema.ts";
import { outcomesBeside } from "./rows.ts";
import { eraseIfEmpty, eraseTurns } from "./erase.ts";
import { CHANNEL_PRIVACY } from "./privacy.ts";

/** One person: the keys that `personKey` gives for their actors, and these as they stand in the store. */
export interface PersonInStore {
  keys: readonly string[];
  actors: readonly string[];
}

/** Everybody whom the store knows by an actor, as it stands there. */
export async function actorsIn(db: Db): Promise<string[]> {
  const found = await Promise.all([
    db.selectFrom("turns").select("actor as who").distinct().execute(),
    db.selectFrom("approvals").select("requested_by as who").distinct().execute(),
    db.selectFrom("votes").select("actor as who").distinct().execute(),
    db.selectFrom("grants").select("granted_by as who").distinct().execute(),
    db.selectFrom("feedback").select("actor as who").distinct().execute(),
    db.selectFrom("audit").select("actor as who").where("actor", "is not", null).distinct().execute(),
  ]);
  const begun = await db.selectFrom("kv").select("key").where("key", "like", `${FORGETTING}%`).execute();
  return [
    ...new Set([
      ...found.flat().flatMap(({ who }) => who ?? []),
      ...begun.map(({ key }) => key.slice(FORGETTING.length)),
    ]),
  ];
}

/** Rows that are read at once. */
const PAGE = 50;

/**
 * What the store holds of a person, record by record, each with its `kind`; known secrets and values under names of
 * secrets are masked. Memory stays the same however much there is.
 */
export async function* readPersonal(
  db: Db,
  { keys, actors }: PersonInStore,
  redactor: Redactor,
): AsyncGenerator<JsonValue> {
  const told = (kind: string, record: object): JsonValue =>
    redactor.json({ kind, ...(JSON.parse(JSON.stringify(record)) as JsonObject) });

  yield told("person", { actors });
  for (const row of await db.selectFrom("profiles").selectAll().where("person", "in", keys).execute())
    yield told("profile", row);
  for (const row of await db
    .selectFrom("accounts")
    .selectAll()
    .where((is) => is.or([is("person", "in", keys), is("said_by", "in", keys)]))
    .execute())
    yield told("account", row);
  if (actors.length === 0) return;
  for await (const turns of turnPages(db, actors))
    for (const turn of turns) yield told("turn", await wholeTurn(db, turn));
  const decided = db
    .selectFrom("votes")
    .innerJoin("approvals", "approvals.id", "votes.approval_id")
    .select(["votes.approval_id", "votes.decision", "votes.reason", "votes.at", "votes.actor"])
    .select(["approvals.tool_id", "approvals.statement"])
    .where("votes.actor", "in", actors);
  for (const row of await decided.execute())
    yield told("decision", { ...row, statement: readJson(row.statement) });
  for (const row of await db.selectFrom("grants").selectAll().where("granted_by", "in", actors).execute())
    yield told("standing approval", { ...row, args: readJson(row.args), vary: readJson(row.vary) });
  for (const row of await db.selectFrom("feedback").selectAll().where("actor", "in", actors).execute())
    yield told("feedback", row);
  for (const row of await db
    .selectFrom("conversations")
    .selectAll()
    .where("changed_by", "in", actors)
    .execute())
    yield told("conversation", row);
  const own = new Set(actors);
  for await (const { seq, at, kind, turn_id, approval_id, actor, data } of readAudit(db))
    if (actor !== null && own.has(actor))
      yield told("audit", { seq, at, entry: kind, turn_id, approval_id, actor, data: readJson(data) });
}

async function* turnPages(db: Db, actors: readonly string[]): AsyncGenerator<Row<"turns">[]> {
  for (let after = 0; ;) {
    const turns = await db
      .selectFrom("turns")
      .selectAll()
      .where("actor", "in", actors)
      .where("position", ">", after)
      .orderBy("position")
      .limit(PAGE)
      .execute();
    yield turns;
    if (turns.length < PAGE) return;
    after = turns.at(-1)?.position ?? after;
  }
}

async function wholeTurn(db: Db, turn: Row<"turns">): Promise<object> {
  const { position: _place, attempts: _attempts, epoch: _epoch, event_count: _count, ...rest } = turn;
  const calls = await db.selectFrom("calls").selectAll().where("turn_id", "=", turn.id).execute();
  const requests = await db.selectFrom("approvals").selectAll().where("turn_id", "=", turn.id).execute();
  const questions = await db.selectFrom("questions").selectAll().where("turn_id", "=", turn.id).execute();
  const memories = await db
    .selectFrom("memories")
    .select(["tool_id", "passage", "at"])
    .where("turn_id", "=", turn.id)
    .execute();
  const files = await db.selectFrom("files").selectAll().where("turn_id", "=", turn.id).execute();
  const outcomes = outcomesBeside(turn.result);
  return {
    ...rest,
    given: readJson(turn.given),
    result: turn.result === null ? null : unpacked(turn.result),
    error: readJson(turn.error),
    calls: calls.map((call) => ({
      ...call,
      args: readJson(call.args),
      sources: readJson(call.sources),
      outcome: call.outcome === null ? (outcomes[call.id] ?? null) : unpacked(call.outcome),
    })),
    requests: requests.map(({ lease_owner: _owner, lease_until: _until, binding: _binding, ...request }) => ({
      ...request,
      ...Object.fromEntries(
        (
          [
            "args",
            "sources",
            "effect",
            "targets",
            "statement",
            "approvers",
            "lookup",
            "grants",
            "evidence",
          ] as const
        ).map((name) => [name, readJson(request[name])]),
      ),
    })),
    questions: questions.map((one) => ({ ...one, body: readJson(one.body), content: readJson(one.content) })),
    memories,
    files,
  };
}

/** What was kept as JSON; as it stands where it is none. */
function readJson(text: string | null): JsonValue {
  return text === null ? null : (parseJson(text) ?? text);
}

export interface Forgotten {
  turns: number;
  /** Of the audit record. */
  entries: number;
  /** Who stands in the person's place. */
  pseudonym: string;
}

/**
 * Deletes what the store holds of a person, in small transactions, while the product works: their turns with all
 * that belongs to them, what they said of others' answers, who they are on surfaces and in servers. Where they
 * decided for others a pseudonym stands for them, and their standing approvals end. The audit record keeps digests,
 * see `forgetEntries`. May be run again after it was interrupted, and then ends whole.
 *
 * Rejects with `undecided` or `busy` before anything is deleted while something of theirs waits or runs.
 */
export async function forgetPerson(
  parts: { db: Db; kind: StoreKind; transact: Transact; now: () => number; newPseudonym: () => string },
  { keys, actors }: PersonInStore,
): Promise<Forgotten> {
  const { db, transact, now } = parts;
  await requireOver(db, actors);
  const pseudonym = await keptPseudonym(parts, keys);
  const own = new Set(actors);
  const isActor = (actor: string): boolean => own.has(actor);
  const quoted = actors.map((actor) => JSON.stringify(actor));
  const mentions = (text: string): boolean => quoted.some((one) => text.includes(one));

  const { turns, requests } = await idsOf(db, actors);
  const about = (row: Row<"audit">): boolean =>
    turns.has(row.turn_id ?? "") || requests.has(row.approval_id ?? "") || mentions(row.data);
  // While the turns are there, so that whoever goes on after an interruption knows what is about them.
  let entries = await forgetEntries(db, transact, { isAbout: about, isActor, pseudonym });

  if (actors.length > 0) {
    await replaceActor(parts, actors, pseudonym);
    const all = [...turns];
    for (let from = 0; from < all.length; from += PAGE)
      await transact((tx) => eraseOver(tx, parts.kind, all.slice(from, from + PAGE)));
  }
  // What was noted meanwhile.
  entries += await forgetEntries(db, transact, { isAbout: about, isActor, pseudonym });
  await transact(async (tx, note) => {
    // By their name and id they are found until here, so that whoever was interrupted can go on.
    await tx.deleteFrom("profiles").where("person", "in", keys).execute();
    await tx
      .deleteFrom("accounts")
      .where((is) => is.or([is("person", "in", keys), is("said_by", "in", keys)]))
      .execute();
    for (const key of keys)
      await tx
        .deleteFrom("used")
        .where(sql<boolean>`key like ${`% person ${key.replaceAll(/[!%_]/g, "!$&")}`} escape '!'`)
        .execute();
    await tx.deleteFrom("kv").where("key", "in", keys.map(pseudonymRow)).execute();
    note({ kind: "person.forgotten", actor: pseudonym, data: { turns: turns.size, entries, at: now() } });
  });
  return { turns: turns.size, entries, pseudonym };
}

/** The same after an interruption. */
async function keptPseudonym(
  { db, newPseudonym }: Parameters<typeof forgetPerson>[0],
  keys: readonly string[],
): Promise<string> {
  const rows = keys.map(pseudonymRow);
  const read = async () =>
    (await db.selectFrom("kv").select("value").where("key", "in", rows).executeTakeFirst())?.value;
  const known = await read();
  if (known !== undefined) return known;
  const made = newPseudonym();
  await db
    .insertInto("kv")
    .values(rows.map((key) => ({ key, value: made, expires_at: null })))
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  return (await read()) ?? made;
}

/** Rows of people who are being forgotten: the pseudonym that stands for them. */
const FORGETTING = "forgetting:";

function pseudonymRow(key: string): string {
  return `${FORGETTING}${key}`;
}

/** States of requests that are not over. */
const OPEN = ["pending", "approved", "executing", "unknown"] as const;

/** Rejects with `undecided` or `busy` while something of theirs waits or runs. */
export async function requireOver(db: Db, actors: readonly string[]): Promise<void> {
  if (actors.length === 0) return;
  const open = await db
    .selectFrom("approvals")
    .innerJoin("turns", "turns.id", "approvals.turn_id")
    .select("approvals.id")
    .where("turns.actor", "in", actors)
    .where("approvals.state", "in", OPEN)
    .execute();
  if (open.length > 0)
    throw new CountersignError(
      "undecided",
      `${plural(open.length, "approval")} of theirs ${open.length === 1 ? "waits" : "wait"} for a person: deny or settle ${open.length === 1 ? "it" : "them"} first (${open
        .slice(0, 10)
        .map(({ id }) => id)
        .join(", ")}). Nothing was deleted.`,
      { details: { approvals: open.map(({ id }) => id) } },
    );
  const running = await db
    .selectFrom("turns")
    .select("id")
    .where("actor", "in", actors)
    .where("state", "in", ["queued", "running", "pending_confirmation"])
    .execute();
  if (running.length > 0)
    throw new CountersignError(
      "busy",
      `${plural(running.length, "message")} of theirs ${running.length === 1 ? "is" : "are"} still being worked on: stop ${running.length === 1 ? "it" : "them"}, or wait until ${running.length === 1 ? "it ends" : "they end"}. Nothing was deleted.`,
    );
}

async function idsOf(
  db: Db,
  actors: readonly string[],
): Promise<{ turns: Set<string>; requests: Set<string> }> {
  if (actors.length === 0) return { turns: new Set(), requests: new Set() };
  const mine = db.selectFrom("turns").select("id").where("actor", "in", actors);
  const turns = await mine.execute();
  const requests = await db.selectFrom("approvals").select("id").where("turn_id", "in", mine).execute();
  return { turns: new Set(turns.map(({ id }) => id)), requests: new Set(requests.map(({ id }) => id)) };
}

/** In what others asked for. */
async function replaceActor(
  { db, transact, now }: Parameters<typeof forgetPerson>[0],
  actors: readonly string[],
  pseudonym: string,
): Promise<void> {
  const voted = await db
    .selectFrom("votes")
    .innerJoin("approvals", "approvals.id", "votes.approval_id")
    .select("approvals.turn_id")
    .distinct()
    .where("votes.actor", "in", actors)
    .execute();
  const touched = await db
    .selectFrom("turns")
    .select("id as turn_id")
    .where("stopped_by", "in", actors)
    .union(db.selectFrom("approvals").select("turn_id").where("requested_by", "in", actors))
    .execute();
  // Who may decide is part of a request for as long as somebody may.
  const named = await db
    .selectFrom("approvals")
    .select("turn_id")
    .distinct()
    .where("state", "not in", OPEN)
    .where((is) =>
      is.or(
        actors.map((actor) => sql<boolean>`approvers like ${containing(JSON.stringify(actor))} escape '!'`),
      ),
    )
    .execute();
  for (const turnId of new Set([...voted, ...touched, ...named].map(({ turn_id }) => turn_id)))
    await transact((tx) => replaceInTurn(tx, turnId, actors, pseudonym));
  await transact(async (tx) => {
    await tx.deleteFrom("feedback").where("actor", "in", actors).execute();
    await tx
      .updateTable("grants")
      .set((eb) => ({
        granted_by: pseudonym,
        revoked_at: eb.fn.coalesce("revoked_at", eb.val(now())),
        revoked_by: eb.fn.coalesce("revoked_by", eb.val(pseudonym)),
      }))
      .where("granted_by", "in", actors)
      .execute();
    await tx.updateTable("grants").set({ revoked_by: pseudonym }).where("revoked_by", "in", actors).execute();
    await tx
      .updateTable("conversations")
      .set({ changed_by: pseudonym })
      .where("changed_by", "in", actors)
      .execute();
    // A channel that they made private stays private.
    for (const actor of actors.map((one) => JSON.stringify(one)))
      await tx
        .updateTable("kv")
        .set({ value: sql<string>`replace(value, ${actor}, ${JSON.stringify(pseudonym)})` })
        .where("key", "like", `${CHANNEL_PRIVACY}:%`)
        .where(sql<boolean>`value like ${containing(actor)} escape '!'`)
        .execute();
  });
}

/** A pattern of LIKE. */
function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, "!$&")}%`;
}

/** One turn of somebody else, in which they decided, edited or stopped. */
async function replaceInTurn(
  tx: Tx,
  turnId: string,
  actors: readonly string[],
  pseudonym: string,
): Promise<void> {
  const quoted = actors.map((actor) => JSON.stringify(actor));
  const replaced = (text: string): string =>
    quoted.reduce((done, one) => done.replaceAll(one, JSON.stringify(pseudonym)), text);
  const requests = await tx.selectFrom("approvals").selectAll().where("turn_id", "=", turnId).execute();
  for (const { id, note, approvers, requested_by } of requests) {
    const said = await tx
      .selectFrom("votes")
      .select(["actor", "reason"])
      .where("approval_id", "=", id)
      .where("actor", "in", actors)
      .execute();
    // Two actors of one person cannot stand under one name.
    const [first, ...others] = said.map(({ actor }) => actor);
    if (others.length > 0)
      await tx.deleteFrom("votes").where("approval_id", "=", id).where("actor", "in", others).execute();
    if (first !== undefined)
      await tx
        .updateTable("votes")
        .set({ actor: pseudonym, reason: null })
        .where("approval_id", "=", id)
        .where("actor", "=", first)
        .execute();
    await tx
      .updateTable("approvals")
      .set({
        note: said.some(({ reason }) => reason !== null && reason === note) ? null : note,
        approvers: replaced(approvers),
        requested_by: actors.includes(requested_by) ? pseudonym : requested_by,
      })
      .where("id", "=", id)
      .execute();
  }
  for (const { seq, data } of await tx
    .selectFrom("events")
    .select(["seq", "data"])
    .where("turn_id", "=", turnId)
    .execute()) {
    if (replaced(data) === data) continue;
    await tx
      .updateTable("events")
      .set({ data: replaced(data) })
      .where("turn_id", "=", turnId)
      .where("seq", "=", seq)
      .execute();
  }
  const turn = await tx
    .selectFrom("turns")
    .select(["result", "stopped_by"])
    .where("id", "=", turnId)
    .executeTakeFirst();
  if (turn === undefined) return;
  await tx
    .updateTable("turns")
    .set({
      result: turn.result === null ? null : repacked(turn.result, replaced),
      stopped_by: actors.includes(turn.stopped_by ?? "") ? pseudonym : turn.stopped_by,
    })
    .where("id", "=", turnId)
    .execute();
}

/** What began anew meanwhile stays, and its person is told of with the next run. */
async function eraseOver(tx: Tx, kind: StoreKind, ids: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom("turns")
    .select(["id", "conversation_id"])
    .where("id", "in", ids)
    .where("state", "in", ["done", "failed", "stopped"])
    .$if(kind === "postgres", (query) => query.forUpdate())
    .execute();
  await eraseTurns(
    tx,
    rows.map(({ id }) => id),
  );
  await eraseIfEmpty(tx, new Set(rows.map((row) => row.conversation_id)));
}

/** The keys of actors, without their workspaces. */
export function keysOf(actors: readonly string[]): string[] {
  return [...new Set(actors.map(personKey))];
}
