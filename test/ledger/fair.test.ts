import { expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { openPostgresStore } from "#src/store/open-postgres.ts";
import { openBossQueue } from "#src/turn/boss-queue.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createInbox } from "#src/turn/inbox.ts";
import type { TurnQueue } from "#src/turn/queue.ts";

import { useStores } from "./stores.ts";

const stores = useStores();
const log = { warn: () => undefined };

it("[ops.fair] replicas take the first questions of all before the further ones of a burst, what was decided before both, and a calm channel before a loud one", async () => {
  const url = await stores.database();
  const store = await openPostgresStore(url, log);
  const { db, kind, now } = store;
  const [first, second] = [await openReplica(url), await openReplica(url)];
  const inbox = createInbox({
    transact: createTransact(db, { kind, redactor: createRedactor([]), now }),
    kind,
    signals: createTurnSignals(0),
    now,
    failPoint: () => undefined,
    enqueue: (tx, turn) => first.queue.enqueue(tx, turn),
  });
  const say = async (actor: ActorId, conversationId: string, channel = conversationId): Promise<void> => {
    await inbox.accept({ surface: "http", actor, conversationId, channel, message: conversationId });
  };
  try {
    for (const noisy of ["ana", "ben", "chloe"])
      for (let at = 0; at < 20; at += 1) await say(`http:${noisy}`, `${noisy}-${at}`);
    for (let at = 0; at < 20; at += 1) await say(`http:loud${at}`, `loud-${at}`, "loud");
    await say("http:quiet", "quiet");
    await db
      .transaction()
      .execute((tx) => first.queue.enqueue(tx, { turnId: "decided", conversationId: "decided" }));
    await first.fill();
    await second.fill();
    const begun = [first, second].map((replica) => replica.begun.toSorted());
    // The first of each person, and of the loud channel as many as there is room for.
    const firsts = ["ana-0", "ben-0", "chloe-0", "decided", "quiet"];
    expect(begun[0]).toEqual([...firsts, ...Array.from({ length: 11 }, (_, at) => `loud-${at}`)].toSorted());
    expect(begun[1]).toEqual(
      [
        ...Array.from({ length: 9 }, (_, at) => `loud-${at + 11}`),
        ...["ana", "ben", "chloe"].flatMap((noisy) => [`${noisy}-1`, `${noisy}-2`]),
      ]
        .concat("ana-3")
        .toSorted(),
    );
  } finally {
    await Promise.all([first.end(), second.end()]);
    await store.close();
  }

  /** A queue that begins as many turns as it may, and ends none before it is told. */
  async function openReplica(
    connectionString: string,
  ): Promise<{ queue: TurnQueue; begun: string[]; fill(): Promise<void>; end(): Promise<void> }> {
    const queue = await openBossQueue({ connectionString, db, graceMs: 10_000, log });
    const ending = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    const begun: string[] = [];
    return {
      queue,
      begun,
      async fill() {
        await queue.start(async (turnId) => {
          const turn = await db
            .selectFrom("turns")
            .select("conversation_id")
            .where("id", "=", turnId)
            .executeTakeFirst();
          begun.push(turn?.conversation_id ?? turnId);
          if (begun.length === 16) full.resolve();
          return ending.promise;
        });
        await full.promise;
      },
      async end() {
        ending.resolve();
        await queue.drain();
      },
    };
  }
});
