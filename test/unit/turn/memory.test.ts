import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import type { EmbedPort } from "#contract/model.ts";
import { createRedactor } from "#src/base/redact.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import { createMemory } from "#src/turn/memory.ts";

import { ana, createTurnHouse } from "./house.ts";

it("remembers a turn once, however often its run is looked at again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-turn-"));
  const store = await openEmbeddedStore(folder);
  const house = createTurnHouse(store);
  const embedder = {
    model: "flat",
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => [1, 0])),
  } as unknown as EmbedPort;
  const nothing = (): void => undefined;
  const memory = createMemory({
    db: store.db,
    journal: house.journal,
    redactor: createRedactor([]),
    embedder: () => embedder,
    showsTool: () => true,
    maxAgeMs: 60_000,
    tokens: 100,
    now: store.now,
    log: { debug: nothing, warn: nothing },
  });
  onTestFinished(async () => {
    memory.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { turnId, approval } = await house.askForChange();
  await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  await house.run(turnId, new AbortController().signal);
  await memory.remember(turnId);
  await memory.remember(turnId);
  expect(await store.db.selectFrom("memories").select("turn_id").execute()).toEqual([{ turn_id: turnId }]);
});
