import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import type { PlannedStep, Planner } from "#contract/plan.ts";
import { createRedactor } from "#src/base/redact.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { readPastTurns } from "#src/turn/history.ts";
import { createPrivacy } from "#src/turn/privacy.ts";

import { ana, createTurnHouse } from "./house.ts";

const never = (): AbortSignal => new AbortController().signal;

async function openStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-turn-"));
  const store = await openEmbeddedStore(folder);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** A model that plans the change, then answers; `seen` is what it was given and could read. */
function createModel(during: (step: "decide" | "respond") => Promise<void> = () => Promise.resolve()): {
  planner: Planner;
  seen: string[];
} {
  const seen: string[] = [];
  const plan = (outcome: PlannedStep["outcome"]): PlannedStep => ({
    planner: "ollama",
    attempts: [],
    outcome,
  });
  const planner: Planner = {
    async decide({ observations }) {
      const data = observations.flatMap((one) =>
        one.permit === undefined ? [] : one.data.reveal(one.permit),
      );
      seen.push(...data.map((one) => JSON.stringify(one)));
      await during("decide");
      return observations.length > 0
        ? plan({ kind: "final" })
        : plan({ kind: "calls", calls: [{ command: "TASK", tool: "box.change", args: {} }] });
    },
    async respond({ observations, localReply }) {
      const data = observations.flatMap((one) =>
        one.permit === undefined ? [] : one.data.reveal(one.permit),
      );
      seen.push(`respond ${JSON.stringify(data)}`);
      await during("respond");
      return { reply: localReply };
    },
  };
  return { planner, seen };
}

function privacyOf({ db, kind, now }: Store): ReturnType<typeof createPrivacy> {
  return createPrivacy({
    db,
    transact: createTransact(db, { kind, redactor: createRedactor([]), now }),
    configured: () => true,
    membership: {
      inChannel: () => Promise.resolve(true),
      inGroup: () => Promise.resolve(false),
      isGuest: () => Promise.resolve(false),
    },
    hasAdmins: false,
    now,
  });
}

it("[privacy.mode] a channel that becomes private while its request waits: the result goes to no model", async () => {
  const store = await openStore();
  const { planner, seen } = createModel();
  const house = createTurnHouse(store, { planner });
  const { turnId, approval } = await house.askForChange();
  await privacyOf(store).setPrivacy({ channel: "http:one", actor: ana, summarize: false });
  await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  await house.run(turnId, never());
  expect(house.sent()).toBe(1);
  expect(seen).toEqual([]);
  expect(await house.journal.turn(turnId)).toMatchObject({ state: "done", allowSummarization: false });
  // What was planned before may be made of data: later turns, which are private, are not told it.
  const conversation = {
    surface: "http",
    actor: ana,
    conversationId: "http:one",
    channel: "http:one",
  } as const;
  const later = await house.inbox.accept({ ...conversation, message: "and now?", allowSummarization: false });
  const turn = await house.journal.turn(later.turnId);
  if (turn === undefined) throw new Error("expected the later turn");
  const past = await readPastTurns(store.db, turn);
  expect(past.flatMap(({ calls }) => calls.map(({ derived }) => derived))).toEqual([true]);
});

it("[privacy.mode] holds from the next call of a model on where the turn runs at that moment", async () => {
  const store = await openStore();
  let steps = 0;
  const { planner, seen } = createModel(async (step) => {
    steps += 1;
    // While the model says that enough is known: it has seen the result, and is not asked to write of it.
    if (step === "decide" && steps === 2) {
      await privacyOf(store).setPrivacy({ channel: "http:one", actor: ana, summarize: false });
    }
  });
  const house = createTurnHouse(store, { planner });
  const { turnId, approval } = await house.askForChange();
  await house.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  await house.run(turnId, never());
  expect(seen).toEqual([JSON.stringify({ changed: true })]);
  const turn = await house.journal.turn(turnId);
  expect(turn).toMatchObject({ state: "done" });
  expect(turn?.result?.reply).toMatch(/^Ran “Change”/);
});
