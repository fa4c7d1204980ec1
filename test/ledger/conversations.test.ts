import { sql } from "kysely";
import { describe, expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { ChangeBatch } from "#contract/conversation.ts";
import { codeOf } from "#src/base/errors.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import type { Db } from "#src/store/schema.ts";
import { createChanges } from "#src/turn/changes.ts";
import { createConversationChanges, listConversations, readTurnPage } from "#src/turn/conversations.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createInbox } from "#src/turn/inbox.ts";

import { ana, ben, createDesk, type Desk } from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

describe.each(storeKinds)("conversations on %s", (kind) => {
  /** A desk with what changes conversations, and a way to say things. */
  async function desk(): Promise<
    Desk & {
      say: (conversationId: string, message: string, actor?: ActorId) => Promise<string>;
      changing: ReturnType<typeof createConversationChanges>;
    }
  > {
    const d = createDesk(await stores.open(kind));
    const parts = { kind, transact: d.transact, now: () => d.clock.now };
    const signals = createTurnSignals(0);
    const inbox = createInbox({
      ...parts,
      signals,
      failPoint: () => undefined,
      enqueue: () => Promise.resolve(),
    });
    return {
      ...d,
      changing: createConversationChanges(parts),
      async say(conversationId, message, actor = ana) {
        d.clock.now += 1;
        const request = { surface: "http", actor, conversationId, channel: conversationId, message } as const;
        return (await inbox.accept(request)).turnId;
      },
    };
  }

  async function finish(db: Db, conversation: string): Promise<void> {
    await db
      .updateTable("turns")
      .set({ state: "done" })
      .where("conversation_id", "=", conversation)
      .execute();
  }

  it("[http.playground] a long one is read page by page from either end, without gap or repetition", async () => {
    const d = await desk();
    const said: string[] = [];
    for (let at = 0; at < 23; at += 1) said.push(await d.say("http:long", `message ${at}`));
    await d.say("http:other", "not part of it");
    const page = async (place: Parameters<typeof readTurnPage>[2]): ReturnType<typeof readTurnPage> =>
      readTurnPage(d.db, "http:long", place, 10);
    const ids = ({ turns }: { turns: { id: string }[] }): string[] => turns.map(({ id }) => id);

    const newest = await page("end");
    expect([ids(newest), newest.earlier, newest.later]).toEqual([said.slice(13), 13, 0]);
    const middle = await page({ before: said[13] ?? "" });
    expect([ids(middle), middle.earlier, middle.later]).toEqual([said.slice(3, 13), 3, 10]);
    const oldest = await page({ before: said[3] ?? "" });
    expect([ids(oldest), oldest.earlier, oldest.later]).toEqual([said.slice(0, 3), 0, 20]);
    expect(ids(await page("start"))).toEqual(said.slice(0, 10));
    expect(ids(await page({ after: said[9] ?? "" }))).toEqual(said.slice(10, 20));
    expect(await page({ before: said[0] ?? "" })).toEqual({ turns: [], earlier: 0, later: 23 });
    expect(await page({ after: said[22] ?? "" })).toEqual({ turns: [], earlier: 23, later: 0 });
    const [elsewhere] = (await readTurnPage(d.db, "http:other", "end", 1)).turns;
    await expect(page({ before: elsewhere?.id ?? "" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("[http.playground] finds all the words in one message or in the title, whatever their case", async () => {
    const d = await desk();
    await d.say("http:a", "Export fails on Safari");
    await d.say("http:a", "and 100% of the time, with an under_score");
    await d.say("http:b", "Überblick über Züge");
    await d.say("http:c", "export", ben);
    const found = async (query: string, takenPartBy?: ActorId[]): Promise<[string, string | undefined][]> => {
      const own = takenPartBy === undefined ? {} : { takenPartBy };
      const list = await listConversations(d.db, { surface: "http", limit: 10, query, ...own });
      return list.map((one) => [one.conversationId, one.found]);
    };
    expect(await found("safari EXPORT")).toEqual([["http:a", "Export fails on Safari"]]);
    expect((await found("export")).map(([id]) => id)).toEqual(["http:c", "http:a"]);
    expect((await found("export", [ana])).map(([id]) => id)).toEqual(["http:a"]);
    expect(await found("überblick ZÜGE")).toHaveLength(1);
    // Words of two messages are no find, and the signs of LIKE are signs.
    expect(await found("safari under_score")).toEqual([]);
    expect(await found("100%")).toHaveLength(1);
    expect(await found("underXscore")).toEqual([]);
    await d.changing.rename({ conversationId: "http:c", actor: ben, title: "Quarterly numbers" });
    expect(await found("numbers")).toEqual([["http:c", undefined]]);
    const all = await listConversations(d.db, { surface: "http", limit: 10 });
    expect(all.map(({ title }) => title)).toEqual([
      "Quarterly numbers",
      "Überblick über Züge",
      "Export fails on Safari",
    ]);
  });

  it("[http.playground] [audit.chain] deletes all of one and nothing else, and keeps the audit record whole", async () => {
    const d = await desk();
    const approval = await d.ask({ by: ana, conversation: "http:gone" });
    await d.say("http:kept", "this stays");
    await d.changing.rename({ conversationId: "http:gone", actor: ben, title: "Old" });
    const remove = (): Promise<unknown> =>
      d.changing.remove({ conversationId: "http:gone", actor: ana }).catch(codeOf);
    await expect(d.changing.remove({ conversationId: "http:gone", actor: ana })).rejects.toMatchObject({
      code: "undecided",
      message: expect.stringContaining("1 approval of this conversation waits for a person"),
      details: { approvals: [approval.id] },
    });
    await d.first.decide({ approvalId: approval.id, actor: ben, decision: "deny" });
    expect(await remove()).toBe("busy");
    await finish(d.db, "http:gone");
    expect(await remove()).toEqual({ turns: 1 });
    expect(await remove()).toBe("not_found");

    for (const { table, column } of await columnsOf(d.db)) {
      const of =
        column === "turn_id" ? approval.turnId : column === "approval_id" ? approval.id : "http:gone";
      const left = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${of}`.execute(
        d.db,
      );
      expect([table, column, left.rows.length > 0]).toEqual([table, column, table === "audit"]);
    }
    expect((await d.db.selectFrom("conversations").selectAll().execute()).length).toBe(0);
    expect((await listConversations(d.db, { surface: "http", limit: 10 })).map(({ title }) => title)).toEqual(
      ["this stays"],
    );
    expect(await d.entries("conversation.deleted")).toBe(1);
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  /** Every column that names a turn, a request or a conversation, in whatever table it may be one day. */
  async function columnsOf(db: Db): Promise<{ table: string; column: string }[]> {
    const names = ["turn_id", "approval_id", "conversation_id"];
    const tables = await db.introspection.getTables();
    return tables.flatMap(({ name: table, columns }) =>
      columns.filter(({ name }) => names.includes(name)).map(({ name: column }) => ({ table, column })),
    );
  }

  it("[http.playground] tells who follows of each change once, from where they were", async () => {
    const pair = await stores.open(kind);
    const d = createDesk(pair);
    const changes = createChanges({
      db: pair.second.db,
      pollMs: 20,
      health: () => Promise.resolve(""),
      log: { warn: () => undefined },
    });
    const transact = createTransact(d.db, {
      kind,
      redactor: createRedactor([]),
      now: () => d.clock.now,
      onCommit: () => changes.wake(),
    });
    const parts = { kind, transact, now: () => d.clock.now };
    const signals = createTurnSignals(0);
    const inbox = createInbox({
      ...parts,
      signals,
      failPoint: () => undefined,
      enqueue: () => Promise.resolve(),
    });
    const say = (conversationId: string): Promise<{ turnId: string }> =>
      inbox.accept({
        surface: "http",
        actor: ana,
        conversationId,
        channel: conversationId,
        message: "hello",
      });
    const before = await say("http:one");
    const controller = new AbortController();
    const told = changes.follow({ after: 0, signal: controller.signal })[Symbol.asyncIterator]();
    const next = async (): Promise<ChangeBatch> => (await told.next()).value as ChangeBatch;
    const first = await next();
    expect(first).toMatchObject({
      isComplete: true,
      changes: [{ kind: "turn", conversationId: "http:one", turnId: before.turnId }],
    });
    const approval = await d.ask({ conversation: "http:two" });
    const asked = await next();
    expect(asked.changes).toEqual([
      { kind: "turn", conversationId: "http:two", turnId: approval.turnId, approvalId: approval.id },
    ]);
    await createConversationChanges(parts).rename({ conversationId: "http:one", actor: ana, title: "x" });
    expect((await next()).changes).toEqual([{ kind: "renamed", conversationId: "http:one" }]);
    await finish(d.db, "http:one");
    await createConversationChanges(parts).remove({ conversationId: "http:one", actor: ana });
    expect((await next()).changes).toEqual([{ kind: "deleted", conversationId: "http:one", people: [ana] }]);
    controller.abort();
    expect((await told.next()).done).toBe(true);

    // Who comes back goes on from there.
    const again = changes.follow({ after: first.seq, signal: AbortSignal.timeout(60_000) });
    for await (const batch of again) {
      expect(batch.changes.map((one) => one.kind)).toEqual(["turn", "renamed", "deleted"]);
      break;
    }
    await changes.close();
  });

  it("[http.playground] says that it cannot tell everything to who was away for long", async () => {
    const d = await desk();
    const changes = createChanges({
      db: d.db,
      pollMs: 20,
      health: () => Promise.resolve(""),
      log: { warn: () => undefined },
    });
    await d.transact(async (_tx, note) => {
      for (let at = 0; at < 600; at += 1) note({ kind: "tool.changed", data: { at } });
    });
    for await (const batch of changes.follow({ after: 0, signal: AbortSignal.timeout(60_000) })) {
      expect(batch).toEqual({ seq: 600, changes: [], isComplete: false, isHealthNew: false });
      break;
    }
    await changes.close();
  });
});
