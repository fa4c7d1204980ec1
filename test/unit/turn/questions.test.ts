import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import { createQuestions } from "#src/turn/questions.ts";
import { createTurnSignals } from "#src/turn/events.ts";

it("keeps what a person told a server no longer than the call that asked, also when its process dies", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-turn-"));
  const store = await openEmbeddedStore(folder);
  const { db, kind } = store;
  const now = (): number => store.now();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const redactor = createRedactor([]);
  const transact = createTransact(db, { kind, redactor, now });
  const log = { warn: () => undefined };
  const questions = createQuestions({
    db,
    transact,
    signals: createTurnSignals(0),
    now,
    redactor,
    log,
    leaseMs: 10_000,
  });
  // As a kill leaves it between the answer and the moment in which the waiting call takes it.
  const answered = (turn: string): Promise<unknown> =>
    db
      .insertInto("questions")
      .values({
        id: `ques_${turn}`,
        turn_id: turn,
        conversation_id: "c",
        channel: "c",
        actor: "http:ana",
        server: "box",
        tool_id: "box.change",
        body: JSON.stringify({ kind: "form", message: "Which?", schema: { type: "object" } }),
        state: "accepted",
        content: JSON.stringify({ pin: "1234" }),
        note: null,
        created_at: now(),
        expires_at: now() + 60_000,
        answered_at: now(),
        heard_until: now() + 10_000,
      })
      .execute();
  const kept = async (): Promise<(string | null)[]> =>
    (await db.selectFrom("questions").select("content").orderBy("id").execute()).map((row) => row.content);
  await answered("one");
  await answered("two");
  await questions.closeUnheard("one");
  expect(await kept()).toEqual([null, expect.stringContaining("1234")]);
  await questions.closeUnheard();
  expect(await kept()).toEqual([null, null]);
});
